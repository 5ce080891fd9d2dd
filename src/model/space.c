#include "model/space.h"

#include "base/mem.h"

#include <assert.h>

/* Of former ranges so many go at once: one at a time would move all the others each time. */
#define OLD_AT_ONCE (SPACE_MAX_OLD / 8)

typedef ARRAY(struct space_range) range_list;

static uint32_t count_ranges(const struct space *s)
{
	return s->now.count + s->old.count;
}

static void space_empty(struct space *s)
{
	array_done(&s->now);
	array_done(&s->old);
}

void spaces_done(struct spaces *s)
{
	for (uint32_t i = 0; i < s->list.count; i++)
		space_empty(&s->list.at[i]);
	array_done(&s->list);
	table_done(&s->pids);
}

const struct space *space_find(const struct spaces *s, uint32_t pid)
{
	uint32_t i = table_find(&s->pids, pid);

	return i == TABLE_NONE ? NULL : &s->list.at[i];
}

/* NULL: there are too many processes and none of them has ended. */
static struct space *space_get(struct spaces *s, uint32_t pid)
{
	uint32_t i = table_find(&s->pids, pid);

	if (i != TABLE_NONE)
		return &s->list.at[i];
	if (s->list.count < SPACE_MAX) {
		i = s->list.count;
		(void)array_add(&s->list);
	} else {
		for (i = 0; i < s->list.count && !s->list.at[i].ended; i++)
			;
		if (i == s->list.count)
			return NULL;
		table_remove(&s->pids, s->list.at[i].pid);
		s->ranges -= count_ranges(&s->list.at[i]);
		space_empty(&s->list.at[i]);
	}
	s->list.at[i] = (struct space){ .pid = pid };
	table_set(&s->pids, pid, i);
	return &s->list.at[i];
}

static void space_retire(struct space *s, struct space_range part, nsec until)
{
	if (part.since >= until)
		return;
	if (s->old.count >= SPACE_MAX_OLD) {
		s->old.count -= OLD_AT_ONCE;
		memmove(s->old.at, s->old.at + OLD_AT_ONCE, s->old.count * sizeof(*s->old.at));
	}
	part.until = until;
	array_push(&s->old, part);
}

static struct space_range range_part(const struct space_range *r, uint64_t start, uint64_t end)
{
	struct space_range part = *r;

	part.offset += start - r->start;
	part.start = start;
	part.end = end;
	return part;
}

/* First current range that ends behind address. */
static uint32_t space_index(const struct space *s, uint64_t address)
{
	uint32_t low = 0, high = s->now.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (s->now.at[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const struct space_range *space_before(const struct space *s, uint64_t address)
{
	uint32_t at = space_index(s, address);

	if (at < s->now.count && s->now.at[at].start <= address)
		return &s->now.at[at];
	return at ? &s->now.at[at - 1] : NULL;
}

/* Where r meets the older range c the newer one holds; the other is retired
 * for that stretch.  Adds to `to` what holds up to the end of c and moves r
 * there. */
static void space_overlay(struct space *s, struct space_range *r, const struct space_range *c,
			  range_list *to)
{
	uint64_t start = r->start > c->start ? r->start : c->start;
	uint64_t end = r->end < c->end ? r->end : c->end;
	bool newer = r->since >= c->since;

	if (c->start < start)
		array_push(to, range_part(c, c->start, start));
	if (r->start < start)
		array_push(to, range_part(r, r->start, start));
	array_push(to, range_part(newer ? r : c, start, end));
	if (newer)
		space_retire(s, range_part(c, start, end), r->since);
	else
		space_retire(s, range_part(r, start, end), c->since);
	if (c->end > end)
		array_push(to, range_part(c, end, c->end));
	*r = range_part(r, end, r->end);
}

static bool range_same(const struct space_range *a, const struct space_range *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset &&
	       a->image == b->image;
}

static void space_insert(struct space *s, struct space_range r)
{
	uint32_t first = space_index(s, r.start), last = first, tail;
	range_list pieces = { 0 };

	r.until = SPACE_FOREVER;
	if (r.since > s->changed)
		s->changed = r.since;
	if (first < s->now.count && range_same(&s->now.at[first], &r)) {
		if (r.since < s->now.at[first].since)
			s->now.at[first].since = r.since;
		return; /* announced again */
	}
	for (; last < s->now.count && s->now.at[last].start < r.end; last++)
		space_overlay(s, &r, &s->now.at[last], &pieces);
	if (r.start < r.end)
		array_push(&pieces, r);
	tail = s->now.count - last;
	if (first + pieces.count + tail > s->now.room) {
		s->now.room = (first + pieces.count + tail) * 2;
		s->now.at = mem_resize(s->now.at, s->now.room, sizeof(*s->now.at));
	}
	memmove(s->now.at + first + pieces.count, s->now.at + last, tail * sizeof(r));
	memcpy(s->now.at + first, pieces.at, pieces.count * sizeof(r));
	s->now.count = first + pieces.count + tail;
	s->version++;
	array_done(&pieces);
}

/* Is there room for one range more?  It may become three, and one former. */
static bool has_room(struct spaces *s, const struct space *space)
{
	if (space->now.count >= SPACE_MAX_RANGES)
		return false;
	for (uint32_t i = 0; i < s->list.count && s->ranges + 4 > SPACE_ALL_RANGES; i++) {
		if (!s->list.at[i].ended)
			continue;
		s->ranges -= count_ranges(&s->list.at[i]);
		space_empty(&s->list.at[i]);
	}
	return s->ranges + 4 <= SPACE_ALL_RANGES;
}

/* False: there is no room. */
static bool space_add(struct spaces *s, struct space *space, const struct space_range *range)
{
	uint32_t before = count_ranges(space);

	if (!has_room(s, space)) {
		s->refused++;
		return false;
	}
	space_insert(space, *range);
	s->ranges += count_ranges(space) - before;
	return true;
}

void space_map(struct spaces *s, uint32_t pid, const struct space_range *range)
{
	struct space *space;

	if (range->start >= range->end)
		return;
	space = space_get(s, pid);
	if (!space) {
		s->refused++;
		return;
	}
	space->ended = false;
	space_add(s, space, range);
}

/* Everything from before time is former. */
static void space_clear(struct spaces *all, struct space *s, nsec time)
{
	uint32_t kept = 0, before = count_ranges(s);

	for (uint32_t i = 0; i < s->now.count; i++) {
		if (s->now.at[i].since >= time)
			s->now.at[kept++] = s->now.at[i];
		else
			space_retire(s, s->now.at[i], time);
	}
	s->now.count = kept;
	all->ranges += count_ranges(s) - before;
	s->changed = time > s->changed ? time : s->changed;
	s->version++;
}

void space_exec(struct spaces *s, uint32_t pid, nsec time)
{
	uint32_t i = table_find(&s->pids, pid);

	if (i != TABLE_NONE)
		space_clear(s, &s->list.at[i], time);
}

void space_fork(struct spaces *s, uint32_t parent, uint32_t child, nsec time)
{
	struct space *to;
	const struct space *from;

	if (parent == child || !space_find(s, parent))
		return;
	to = space_get(s, child);
	from = space_find(s, parent); /* after space_get: it can move and reuse spaces */
	if (!to || !from || to == from)
		return;
	space_clear(s, to, time);
	to->ended = false;
	for (uint32_t i = 0; i < from->now.count; i++) {
		struct space_range r = from->now.at[i];

		r.since = time;
		if (!space_add(s, to, &r))
			break;
	}
}

void space_exit(struct spaces *s, uint32_t pid)
{
	uint32_t i = table_find(&s->pids, pid);

	if (i != TABLE_NONE)
		s->list.at[i].ended = true;
}

const struct space_range *space_lookup(const struct space *s, uint64_t address, nsec time)
{
	uint32_t i = space_index(s, address);
	const struct space_range *now = NULL;

	if (i < s->now.count && s->now.at[i].start <= address)
		now = &s->now.at[i];
	if (now && now->since <= time)
		return now;
	for (i = s->old.count; i-- > 0;) {
		const struct space_range *old = &s->old.at[i];

		if (old->start <= address && address < old->end && old->since <= time &&
		    time < old->until)
			return old;
	}
	return now;
}
