#include "source/counts.h"

#include "base/mem.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SLOT_SIZE ((sizeof(struct call_counts) + 7) / 8 * 8)
_Static_assert(sizeof(struct call_counts) % 8 == 0, "the kernel rounds a slot up to 8 bytes");

int counts_open(struct counts *c, int fd, uint32_t count, uint32_t stripes, struct error *err)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *at;

	*c = (struct counts){ .count = count, .stripes = stripes };
	c->mapped = ((size_t)count * stripes * SLOT_SIZE + page - 1) / page * page;
	at = mmap(NULL, c->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return error_set(err, errno, "cannot map the call counters: %s",
				 strerror(errno));
	c->map = at;
	c->slots = mem_zeroed(count, sizeof(*c->slots));
	return 0;
}

void counts_close(struct counts *c)
{
	if (c->map)
		munmap((void *)c->map, c->mapped);
	for (uint32_t i = 0; c->slots && i < c->count; i++)
		hits_done(&c->slots[i].hits);
	free(c->slots);
	*c = (struct counts){ 0 };
}

static struct counted *slot_of(const struct counts *c, uint32_t probe)
{
	return &c->slots[(probe - 1) & (c->count - 1)];
}

/* The first of its stripes. */
static volatile struct call_counts *stripes_of(const struct counts *c, uint32_t probe)
{
	return &c->map[(size_t)(slot_of(c, probe) - c->slots) * c->stripes];
}

bool counts_has(const struct counts *c, uint32_t probe)
{
	return probe && slot_of(c, probe)->probe == probe;
}

/* Ids go on from the newest, so that what was told of one is never said of another. */
uint32_t counts_room(const struct counts *c)
{
	for (uint32_t i = 1; i <= c->count; i++) {
		uint32_t probe = c->newest + i;

		if (probe < MAX_PROBE && !slot_of(c, probe)->probe)
			return probe;
	}
	return 0;
}

void counts_begin(struct counts *c, uint32_t probe, nsec now)
{
	struct counted *slot = slot_of(c, probe);
	volatile struct call_counts *stripes = stripes_of(c, probe);

	if (slot->probe == probe)
		return;
	slot->probe = probe;
	slot->since = now;
	if (probe > c->newest)
		c->newest = probe;
	for (uint32_t s = 0; s < c->stripes; s++) {
		memset((void *)&stripes[s], 0, sizeof(stripes[s]));
		__atomic_store_n(&stripes[s].probe, probe, __ATOMIC_RELEASE);
	}
}

void counts_again(struct counts *c, nsec now)
{
	for (uint32_t i = 0; i < c->count; i++)
		c->slots[i].since = now;
}

void counts_end(struct counts *c, uint32_t probe, nsec now)
{
	struct counted *slot = slot_of(c, probe);

	slot->over = true;
	slot->until = now;
	for (uint32_t s = 0; s < c->stripes; s++)
		__atomic_store_n(&stripes_of(c, probe)[s].probe, 0, __ATOMIC_SEQ_CST);
}

/* Sums up the stripes, the last that the kernel counts of a call first: a call that comes
 * in between has then begun, or has a duration, and is not yet seen to have ended.  But
 * the brackets come behind the durations, of which they are taken off. */
static void counts_sum(const struct counts *c, uint32_t probe, struct call_counts *ret)
{
	const volatile struct call_counts *first = stripes_of(c, probe);

	memset(ret, 0, sizeof(*ret));
	for (uint32_t s = 0; s < c->stripes; s++) {
		for (uint32_t r = 0; r < NR_SPAN_END; r++)
			if (r != END_BRACKET)
				ret->ended[r] += first[s].ended[r];
		ret->unsure += first[s].unsure;
		ret->probed += first[s].probed;
		ret->timed += first[s].timed;
		ret->away += first[s].away;
		ret->queued += first[s].queued;
		ret->hit += first[s].hit;
		for (uint32_t b = 0; b < NR_BUCKET; b++)
			ret->buckets[b] += first[s].buckets[b];
		if (first[s].max > ret->max)
			ret->max = first[s].max;
		ret->ended[END_BRACKET] += first[s].ended[END_BRACKET];
	}
	for (uint32_t s = 0; s < c->stripes; s++)
		ret->entries += first[s].entries;
}

static uint32_t difference(uint64_t now, uint64_t before)
{
	return now - before > UINT32_MAX ? UINT32_MAX : now - before;
}

/* Reasons that event_calls has no room for. */
static void send_ends(const struct call_counts *sum, const struct call_counts *before,
		      const struct event_calls *calls, source_event event, void *context)
{
	struct {
		struct event_ends ends;
		struct end_count counts[NR_SPAN_END];
	} e = { .ends = { .since = calls->since, .probe = calls->probe } };
	uint32_t n = 0;

	for (uint32_t r = CALLS_ENDED; r < NR_SPAN_END; r++) {
		if (sum->ended[r] == before->ended[r])
			continue;
		e.counts[n++] =
			(struct end_count){ r, difference(sum->ended[r], before->ended[r]) };
	}
	if (!n)
		return;
	e.ends.nr_ends = n;
	e.ends.head = (struct event){
		.kind = EVENT_ENDS,
		.size = sizeof(e.ends) + n * sizeof(e.counts[0]),
		.time = calls->head.time,
	};
	event(context, &e.ends.head);
}

static void send_sum(enum event_kind kind, uint64_t nsec, const struct event_calls *calls,
		     source_event event, void *context)
{
	struct event_call_sum e = {
		.head = { kind, sizeof(e), 0, calls->head.time },
		.since = calls->since,
		.nsec = nsec,
		.probe = calls->probe,
	};

	if (nsec)
		event(context, &e.head);
}

void counts_leave(struct counts *c, const struct event_leave *e)
{
	nsec lasted = e->head.time > e->began ? e->head.time - e->began : 0;

	if (e->reason == END_RETURN && counts_has(c, e->probe) && lasted < c->rule.brief)
		hits_add(&slot_of(c, e->probe)->hits, lasted);
}

/* What is new in each bucket, with the calls that a tick fell into. */
static void fresh_buckets(struct counts *c, const struct call_counts *sum, struct counted *slot,
			  __u64 *ret)
{
	for (uint32_t b = 0; b < NR_BUCKET; b++)
		ret[b] = sum->buckets[b] - slot->sum.buckets[b];
	hits_count(&slot->hits, sum->hit - slot->sum.hit, &c->rule, sum->buckets, ret);
}

/* A bracket that was read and its duration was not counts when that is. */
static uint64_t brackets_with_duration(const struct call_counts *sum,
				       const struct call_counts *before, uint64_t durations)
{
	uint64_t fresh = sum->ended[END_BRACKET] - before->ended[END_BRACKET];

	return before->ended[END_BRACKET] + (fresh < durations ? fresh : durations);
}

/* Calls that have begun and not ended: an end can be read that is counted just now, the begin
 * of its call never is missing. */
static uint64_t still_open(const struct call_counts *sum)
{
	uint64_t open = sum->entries + sum->ended[END_BRACKET] - sum->hit;

	for (uint32_t b = 0; b < NR_BUCKET; b++)
		open -= sum->buckets[b];
	for (uint32_t r = 0; r < NR_SPAN_END; r++)
		open -= sum->ended[r];
	return open > sum->entries ? 0 : open;
}

/* last: nothing counts there any more. */
static void read_slot(struct counts *c, struct counted *slot, nsec now, bool last,
		      source_event event, void *context)
{
	struct call_counts *before = &slot->sum, sum;
	struct {
		struct event_calls calls;
		struct call_bucket buckets[NR_BUCKET];
	} e = { .calls = { .probe = slot->probe, .since = slot->since } };
	__u64 fresh[NR_BUCKET], hit_max;
	uint32_t n = 0;

	counts_sum(c, slot->probe, &sum);
	if (last)
		sum.ended[END_DETACHED] += still_open(&sum);
	fresh_buckets(c, &sum, slot, fresh);
	hit_max = slot->hits.max;
	for (uint32_t b = 0; b < NR_BUCKET; b++) {
		if (!fresh[b])
			continue;
		e.buckets[n++] = (struct call_bucket){ b, difference(fresh[b], 0) };
		e.calls.ended[END_RETURN] += fresh[b];
	}
	sum.ended[END_BRACKET] =
		brackets_with_duration(&sum, before, e.calls.ended[END_RETURN]);
	e.calls.ended[END_RETURN] -= sum.ended[END_BRACKET] - before->ended[END_BRACKET];
	for (uint32_t r = 1; r < CALLS_ENDED; r++)
		e.calls.ended[r] = sum.ended[r] - before->ended[r];
	e.calls.entries = sum.entries - before->entries;
	e.calls.max = sum.max > hit_max ? sum.max : hit_max;
	e.calls.nr_buckets = n;
	e.calls.head = (struct event){
		.kind = EVENT_CALLS,
		.size = sizeof(e.calls) + n * sizeof(struct call_bucket),
		.time = now,
	};
	event(context, &e.calls.head);
	send_ends(&sum, before, &e.calls, event, context);
	send_sum(EVENT_UNSURE, sum.unsure - before->unsure, &e.calls, event, context);
	send_sum(EVENT_PROBED, sum.probed - before->probed, &e.calls, event, context);
	send_sum(EVENT_TIMED, sum.timed - before->timed, &e.calls, event, context);
	send_sum(EVENT_AWAY, sum.away - before->away, &e.calls, event, context);
	send_sum(EVENT_QUEUED, sum.queued - before->queued, &e.calls, event, context);
	*before = sum;
	slot->since = now;
}

uint32_t counts_read(struct counts *c, nsec now, source_event event, void *context)
{
	uint32_t read = 0;

	for (uint32_t i = 0; i < c->count; i++) {
		if (!c->slots[i].probe || c->slots[i].over)
			continue;
		read_slot(c, &c->slots[i], now, false, event, context);
		read++;
	}
	return read;
}

nsec counts_gone(struct counts *c, uint32_t probe, source_event event, void *context)
{
	struct counted *slot = slot_of(c, probe);
	nsec until = slot->until;

	read_slot(c, slot, until, true, event, context);
	hits_done(&slot->hits);
	*slot = (struct counted){ 0 };
	return until;
}
