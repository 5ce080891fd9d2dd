#include "model/blame.h"

#define STEPS_MOST 10	/* who waits for whom */
#define DUE_MOST 65536	/* moments of which it is to be asked (48 bytes) */
#define LATER_PERIODS 3 /* so long after a moment all have been looked at that were there */
#define SLACK_PART 16	/* of a period: a round of looks is shorter, and of one moment */
#define REACH_PERIODS 2 /* who runs is seen as often */

struct lock_hold blame_at(const struct store *st, const struct store_thread *t, nsec at)
{
	struct lock_hold first = { t->owner, t->wait.time, t->until };

	return lock_hold_at(&st->locks, t->line, at, &first);
}

node_id blame_node(struct store *st, const struct store_thread *t, uint32_t tid)
{
	const struct store_thread *owner = store_thread(st, tid);
	frame_id above[64];
	unsigned count = 0;
	struct frame frame;
	struct lock lock;
	node_id node = t->wait.node;

	for (;; node = tree_parent(&st->tree, node)) {
		frame_id id = tree_frame(&st->tree, node);

		if (!node)
			return t->wait.node;
		frame = frame_at(&st->frames, id);
		if (frame.image == IMAGE_ID_WAIT)
			break;
		if (count == COUNT_OF(above))
			return t->wait.node;
		above[count++] = id;
	}
	if (!lock_at(&st->locks, wait_lock(&frame)))
		return t->wait.node;
	lock = *lock_at(&st->locks, wait_lock(&frame));
	lock_give(&lock, !owner ? 0 : owner->number ? owner->number : tid);
	node = tree_child(
		&st->tree, tree_parent(&st->tree, node),
		frame_add(&st->frames, IMAGE_ID_WAIT,
			  wait_place(wait_cause(&frame), lock_add(&st->locks, &lock))));
	while (count)
		node = tree_child(&st->tree, node, above[--count]);
	return node;
}

static bool is_on_way(const struct held *way, unsigned count, uint32_t tid)
{
	for (unsigned i = 0; i < count; i++)
		if (way[i].tid == tid)
			return true;
	return false;
}

/* Who has what it waits for, if that is still who had it at first. */
static struct lock_hold go_on(const struct store *st, const struct stretch *s, nsec at,
			      const struct lock_hold *hold)
{
	struct lock_hold first = { s->owner, s->from, s->until }, next;

	next = lock_hold_at(&st->locks, s->line, at, &first);
	if (next.tid != s->owner)
		next.tid = 0; /* the stack says otherwise */
	next.from = next.from > hold->from ? next.from : hold->from;
	next.to = next.to < hold->to ? next.to : hold->to;
	return next;
}

static uint32_t find_held(struct store *st, nsec at, struct lock_hold hold)
{
	nsec period = st->origin.period, slack = period / SLACK_PART;
	struct held way[STEPS_MOST];
	unsigned count = 0;
	uint32_t number = 0;

	while (hold.tid && count < STEPS_MOST && !is_on_way(way, count, hold.tid)) {
		const struct stretch *s =
			holder_at(&st->holders, hold.tid, at,
				  hold.from > slack ? hold.from - slack : 0, hold.to + slack,
				  period ? REACH_PERIODS * period : UINT64_MAX);

		if (!s)
			break;
		way[count++] = (struct held){ .node = s->node, .tid = hold.tid };
		hold = go_on(st, s, at, &hold);
	}
	while (count) {
		way[--count].next = number;
		number = held_add(&st->holders, &way[count]);
	}
	return number;
}

static void answer(struct store *st, const struct store_due *due)
{
	uint64_t at = due->sample - st->samples.dropped;
	struct sample *s = due->sample >= st->samples.dropped && at < st->samples.count
				   ? sample_at(&st->samples, at)
				   : NULL;

	if (s && s->held == HELD_LATER)
		s->held = find_held(st, due->at, due->hold);
}

void blame_settle(struct store *st, nsec time)
{
	nsec later = LATER_PERIODS * st->origin.period;
	nsec before = time == UINT64_MAX ? time : time > later ? time - later : 0;

	while (st->asked < st->due.count &&
	       (st->due.at[st->asked].told <= before || st->due.count - st->asked > DUE_MOST))
		answer(st, &st->due.at[st->asked++]);
	if (!st->asked || st->asked < st->due.count / 2)
		return;
	st->due.count -= st->asked;
	memmove(st->due.at, st->due.at + st->asked, st->due.count * sizeof(*st->due.at));
	st->asked = 0;
}

void blame_later(struct store *st, uint64_t sample, nsec at, const struct lock_hold *hold,
		 nsec told)
{
	struct store_due due = { .sample = sample, .told = told, .at = at, .hold = *hold };

	array_push(&st->due, due);
}
