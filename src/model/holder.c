#include "model/holder.h"

#define SLACK_PART 16 /* of a period: a round of looks is shorter, and of one moment */
#define REACH 2	      /* periods: who runs is seen as often */

void holders_done(struct holders *h)
{
	for (uint32_t i = 0; i < h->list.count; i++)
		array_done(&h->list.at[i].stretches);
	array_done(&h->list);
	table_done(&h->tids);
	array_done(&h->held);
	table_done(&h->ids);
	array_done(&h->due);
}

static struct holder *find(const struct holders *h, uint32_t tid)
{
	uint32_t at = h->list.count ? table_find(&h->tids, tid) : TABLE_NONE;

	return at == TABLE_NONE ? NULL : &h->list.at[at];
}

void holder_follow(struct holders *h, uint32_t tid, const struct stretch *now)
{
	struct holder *holder;

	if (find(h, tid))
		return;
	if (h->list.count >= HOLDERS_MAX) {
		h->refused++;
		return;
	}
	table_set(&h->tids, tid, h->list.count);
	holder = array_add(&h->list);
	holder->tid = tid;
	if (now)
		array_push(&holder->stretches, *now);
}

void holder_does(struct holders *h, uint32_t tid, const struct stretch *stretch)
{
	struct holder *holder = find(h, tid);
	struct stretch *last;

	if (!holder)
		return;
	if (holder->stretches.count >= HOLDER_STRETCHES) {
		holder->stretches.count -= HOLDER_STRETCHES / 2;
		memmove(holder->stretches.at, holder->stretches.at + HOLDER_STRETCHES / 2,
			holder->stretches.count * sizeof(*last));
	}
	last = holder->stretches.count ? &holder->stretches.at[holder->stretches.count - 1]
				       : NULL;
	if (last && last->until == UINT64_MAX)
		last->until = last->from; /* that it went on was not told */
	array_push(&holder->stretches, *stretch);
}

void holder_ends(struct holders *h, uint32_t tid, nsec from, nsec until)
{
	struct holder *holder = find(h, tid);

	for (uint32_t i = holder ? holder->stretches.count : 0; i-- > 0;) {
		struct stretch *s = &holder->stretches.at[i];

		if (s->from == from)
			s->until = until > from ? until : from;
		if (s->from <= from)
			break;
	}
}

/* The nearest that reaches into what is known of the wait. */
static const struct stretch *stretch_at(const struct holder *holder, const struct moment *m,
					nsec reach)
{
	const struct stretch *best = NULL;
	nsec nearest = reach;

	for (uint32_t i = holder->stretches.count; i-- > 0;) {
		const struct stretch *s = &holder->stretches.at[i];
		nsec away = m->at < s->from    ? s->from - m->at
			    : m->at > s->until ? m->at - s->until
					       : 0;

		if (s->until < m->from)
			break;
		if (s->from <= m->to && away < nearest) {
			best = s;
			nearest = away;
		}
	}
	return best;
}

static uint32_t held_add(struct holders *h, const struct held *held)
{
	uint64_t key = hash_u64((uint64_t)held->node << 32 | held->tid) ^ held->next;
	uint32_t number;

	key = hash_u64(key);
	number = table_find(&h->ids, key);
	if (number != TABLE_NONE)
		return number;
	if (h->held.count >= HELD_MAX) {
		h->refused++;
		return 0;
	}
	array_push(&h->held, *held);
	table_set(&h->ids, key, h->held.count);
	return h->held.count;
}

const struct held *held_at(const struct holders *h, uint32_t number)
{
	return number && number <= h->held.count ? &h->held.at[number - 1] : NULL;
}

static bool is_on_way(const struct held *way, unsigned count, uint32_t tid)
{
	for (unsigned i = 0; i < count; i++)
		if (way[i].tid == tid)
			return true;
	return false;
}

uint32_t holder_at(struct holders *h, uint32_t tid, const struct moment *moment)
{
	struct held way[HELD_STEPS];
	struct moment m = *moment;
	unsigned count = 0;
	uint32_t number = 0;
	nsec slack = h->period / SLACK_PART, reach = h->period ? REACH * h->period : UINT64_MAX;

	while (tid && count < HELD_STEPS && !is_on_way(way, count, tid)) {
		struct holder *holder = find(h, tid);
		struct moment near = { m.at, m.from > slack ? m.from - slack : 0,
				       m.to + slack };
		const struct stretch *s = holder ? stretch_at(holder, &near, reach) : NULL;

		if (!s)
			break;
		way[count++] = (struct held){ .node = s->node, .tid = tid };
		tid = s->owner;
		m.from = s->from > m.from ? s->from : m.from;
		m.to = s->until < m.to ? s->until : m.to;
	}
	while (count) {
		way[--count].next = number;
		number = held_add(h, &way[count]);
	}
	return number;
}

static void answer(struct holders *h, struct samples *samples, const struct holder_due *due)
{
	uint64_t at = due->sample - samples->dropped;
	struct sample *s = due->sample >= samples->dropped && at < samples->count
				   ? sample_at(samples, at)
				   : NULL;

	if (s && s->held == HELD_LATER)
		s->held = holder_at(h, due->tid, &due->moment);
}

void holders_settle(struct holders *h, struct samples *samples, nsec before)
{
	while (h->asked < h->due.count &&
	       (h->due.at[h->asked].told <= before || h->due.count - h->asked > HOLDERS_DUE))
		answer(h, samples, &h->due.at[h->asked++]);
	if (!h->asked || h->asked < h->due.count / 2)
		return;
	h->due.count -= h->asked;
	memmove(h->due.at, h->due.at + h->asked, h->due.count * sizeof(*h->due.at));
	h->asked = 0;
}

void holder_ask_later(struct holders *h, const struct holder_due *due)
{
	array_push(&h->due, *due);
}
