#include "session/session.h"

static const struct store_probe *stored(const struct session *s, const struct probe *p)
{
	return store_probe(s->feed.store, p->id);
}

/* "handle_request (shop.c:33) by probes at its exits, 11.4 µs a call" */
static void describe_probe(const struct session *s, const struct probe *p, struct text *to)
{
	const struct store_probe *known = stored(s, p);
	char cost[TEXT_QUANTITY];

	text_add(to, p->function);
	if (known && known->file) {
		const char *file = intern_string(&s->feed.store->text, known->file);
		const char *slash = strrchr(file, '/');

		text_format(to, " (%s:%u)", slash ? slash + 1 : file, known->line);
	}
	text_format(to, " by %s", ending_of(p->judgement.exit)->phrase);
	if (known && known->cost)
		text_format(to, ", %s a call", text_duration(cost, known->cost));
}

static void describe_notes(const struct probe *p, struct text *to)
{
	if (p->note)
		text_format(to, "\n  (%s)", p->note);
	if (p->left_out)
		text_format(to, "\n  %s", p->left_out);
}

static void add_ways(const struct session *s, struct text *to)
{
	unsigned ways = 0;

	for (uint32_t i = 0; i < s->watch.set.count; i++) {
		unsigned way = s->watch.set.at[i].judgement.exit;

		if (!(ways & 1u << way))
			text_format(to, "%s%s", ways ? " or " : " by ", ending_of(way)->phrase);
		ways |= 1u << way;
	}
}

/* "2 functions by probes at its exits, 7.12 to 11.4 µs a call" */
static void describe_all(const struct session *s, struct text *to)
{
	uint32_t least = UINT32_MAX, most = 0;
	char a[TEXT_QUANTITY], b[TEXT_QUANTITY];

	for (uint32_t i = 0; i < s->watch.set.count; i++) {
		const struct store_probe *known = stored(s, &s->watch.set.at[i]);
		uint32_t cost = known ? known->cost : 0;

		least = cost < least ? cost : least;
		most = cost > most ? cost : most;
	}
	text_format(to, "%u places", s->watch.set.count);
	add_ways(s, to);
	if (most && strcmp(text_duration(a, least), text_duration(b, most)) == 0)
		text_format(to, ", %s a call", b);
	else if (most)
		text_format(to, ", %s to %s a call", a, b);
}

/* The first line says what is attached, at what price, and how ends are seen. */
static void describe_watch(const struct session *s, struct text *to)
{
	if (s->watch.set.count == 1)
		describe_probe(s, &s->watch.set.at[0], to);
	else
		describe_all(s, to);
}

static void describe_places(const struct session *s, struct text *to)
{
	for (uint32_t i = 0; i < s->watch.set.count; i++) {
		if (s->watch.set.count > 1) {
			text_add(to, "\n");
			describe_probe(s, &s->watch.set.at[i], to);
		}
		describe_notes(&s->watch.set.at[i], to);
	}
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
	if (s->target.ended)
		text_format(to, " (%u more ended before they could be watched)",
			    s->target.ended);
	if (s->watch.set.count) {
		text_add(to, "; ");
		describe_watch(s, to);
	}
	if (s->option.hz)
		text_format(to, "; %u Hz, %s", s->option.hz, halves);
	describe_places(s, to);
}
