#include "session/session.h"

static void describe_probe(const struct session *s, const struct probe *p, struct text *to)
{
	const struct store_probe *known = store_probe(s->feed.store, p->id);
	char cost[TEXT_QUANTITY];

	text_add(to, p->function);
	if (known && known->file) {
		const char *file = intern_string(&s->feed.store->text, known->file);
		const char *slash = strrchr(file, '/');

		text_format(to, "  %s:%u", slash ? slash + 1 : file, known->line);
	}
	text_format(to, "  %s", ending_of(p->judgement.exit)->phrase);
	if (known && known->cost)
		text_format(to, "  %s a call", text_duration(cost, known->cost));
	if (p->note)
		text_format(to, "  (%s)", p->note);
	if (p->left_out)
		text_format(to, "\n  %s", p->left_out);
}

void session_describe(struct session *s, struct text *to)
{
	const char *halves = s->option.user && s->option.kernel ? "kernel and user stacks"
			     : s->option.user			? "user stacks"
								: "kernel stacks";

	target_describe(&s->target, to);
	if (s->threads)
		text_format(to, ", %u of %llu threads", s->threads,
			    (unsigned long long)s->feed.store->threads_seen);
	else if (s->feed.store->threads_seen && !s->target.all)
		text_format(to, ", %llu thread%s",
			    (unsigned long long)s->feed.store->threads_seen,
			    s->feed.store->threads_seen == 1 ? "" : "s");
	if (s->option.hz)
		text_format(to, "; %u Hz, %s", s->option.hz, halves);
	for (uint32_t i = 0; i < s->watch.set.count; i++) {
		text_add(to, "\n");
		describe_probe(s, &s->watch.set.at[i], to);
	}
}
