#include "model/holder.h"

void holders_done(struct holders *h)
{
	for (uint32_t i = 0; i < h->list.count; i++)
		array_done(&h->list.at[i].stretches);
	array_done(&h->list);
	table_done(&h->tids);
	array_done(&h->held);
	table_done(&h->ids);
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

const struct stretch *holder_at(const struct holders *h, uint32_t tid, nsec at, nsec from,
				nsec to, nsec reach)
{
	const struct holder *holder = find(h, tid);
	const struct stretch *best = NULL;
	nsec nearest = reach;

	for (uint32_t i = holder ? holder->stretches.count : 0; i-- > 0;) {
		const struct stretch *s = &holder->stretches.at[i];
		nsec away = at < s->from ? s->from - at : at > s->until ? at - s->until : 0;

		if (s->until < from)
			break;
		if (s->from <= to && away < nearest) {
			best = s;
			nearest = away;
		}
	}
	return best;
}

uint32_t held_add(struct holders *h, const struct held *held)
{
	uint64_t key = hash_u64((uint64_t)held->node << 32 | held->tid) ^ held->next;
	uint32_t number;

	key = hash_u64(key) ^ ((uint64_t)held->name << 32 | held->by);
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
