#include "session/permit.h"
#include "session/session.h"

/* The processes that are looked at now: those that were asked for and their children. */
static int living_target(struct session *s, struct target *ret, struct error *err)
{
	*ret = (struct target){ 0 };
	if (s->target.all)
		return error_set(
			err, EINVAL,
			"a span needs a process: start with -p PID or -n NAME, not -a");
	for (uint32_t i = 0; i < s->loop.processes.count; i++) {
		const struct loop_process *p = s->loop.processes.at[i];
		struct process process;

		if (p->running && !process_read(p->pid, &process, NULL))
			array_push(&ret->processes, process);
	}
	return ret->processes.count ? 0
				    : error_set(err, ESRCH, "no process of the target is left");
}

/* Returns may be hooked in a process only after it was looked at. */
static void permit_all(struct session *s, const struct target *target)
{
	for (uint32_t i = 0; i < target->processes.count; i++)
		permit_note(s, target->processes.at[i].pid);
	permit_pending(s);
}

int session_watch(struct session *s, const char *place, enum exit_wish wish, bool accept_dear,
		  uint32_t *ret_probe, struct error *err)
{
	struct target now;
	uint32_t id = 0;
	int code;

	*ret_probe = 0;
	code = living_target(s, &now, err);
	if (code == 0)
		code = watch_add(&s->watch, &now, s->source, place, wish, &id, err);
	if (code == 0 && !accept_dear)
		code = watch_price(&s->watch, id, s->source, err);
	if (code == 0)
		code = watch_arm(&s->watch, s->source, err);
	if (code == 0) {
		permit_all(s, &now);
		watch_tell(&s->watch, id, s->source, &s->describe, &s->feed);
		source_count(s->source, id);
		*ret_probe = id;
	} else if (id) {
		watch_remove(&s->watch, s->source, id);
	}
	target_done(&now);
	return code;
}

int session_unwatch(struct session *s, uint32_t probe, struct error *err)
{
	if (!probe_set_find(&s->watch.set, probe))
		return error_set(err, ENOENT, "no probe has the number %u", probe);
	watch_remove(&s->watch, s->source, probe);
	return 0;
}

int session_find(struct session *s, const struct search *search, json_t **ret,
		 struct error *err)
{
	struct target now;
	int code = living_target(s, &now, err);

	if (code == 0) {
		struct price price = source_price(s->source);

		code = finder_find(&s->finder, &now, s->images, &price, search, ret, err);
	}
	target_done(&now);
	return code;
}
