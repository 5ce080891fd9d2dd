#include "session/permit.h"

void permit_note(struct session *s, uint32_t pid)
{
	uint32_t count = s->unjudged.count;

	if (s->watch.hooks && (!count || s->unjudged.at[count - 1] != pid))
		array_push(&s->unjudged, pid);
}

static void on_asked(void *session, uint32_t pid)
{
	permit_note(session, pid);
}

/* Kernels that hook every return: the run ends instead. */
static void give_up(struct session *s, const struct error *why)
{
	s->error = *why;
	error_prefix(&s->error, "stopped: the target has loaded new code");
	s->failed = -EPERM;
	loop_stop(&s->loop, ENDED_BY_USER);
}

static void judge(struct session *s, uint32_t pid)
{
	struct judged_maps *maps = source_judged(s->source);
	struct judged looked = judged_look(maps, pid);
	struct error why;
	uint64_t pages;
	bool may = watch_may_hook(&s->watch, pid, &pages, &why);

	if (!pages) {
		judged_forget(maps, pid);
		return;
	}
	if (may && looked.pages == pages)
		return;
	/* if it has changed meanwhile, the kernel half will ask for it */
	judged_tell(maps, pid, &looked, may ? pages : 0);
	if (may)
		return;
	if (s->watch.kind != ATTACH_SESSION)
		give_up(s, &why);
	else
		s->unhooked = why;
}

void permit_pending(struct session *s)
{
	if (!s->watch.hooks || s->failed)
		return;
	if (judged_asks(source_judged(s->source)))
		judged_each_asked(source_judged(s->source), on_asked, s);
	for (uint32_t i = 0; i < s->unjudged.count; i++)
		judge(s, s->unjudged.at[i]);
	array_clear(&s->unjudged);
}
