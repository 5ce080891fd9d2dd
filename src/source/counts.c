#include "source/counts.h"

#include "base/mem.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SLOT_SIZE ((sizeof(struct call_counts) + 7) / 8 * 8)
_Static_assert(sizeof(struct call_counts) % 8 == 0, "the kernel rounds a slot up to 8 bytes");

int counts_open(struct counts *c, int fd, uint32_t probes, uint32_t stripes, struct error *err)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *at;

	*c = (struct counts){ .probes = probes, .stripes = stripes };
	c->mapped = ((size_t)probes * stripes * SLOT_SIZE + page - 1) / page * page;
	at = mmap(NULL, c->mapped, PROT_READ, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return error_set(err, errno, "cannot map the call counters: %s",
				 strerror(errno));
	c->slots = at;
	c->sum = mem_zeroed(probes, sizeof(*c->sum));
	c->since = mem_zeroed(probes, sizeof(*c->since));
	c->hits = mem_zeroed(probes, sizeof(*c->hits));
	return 0;
}

void counts_close(struct counts *c)
{
	if (c->slots)
		munmap((void *)c->slots, c->mapped);
	for (uint32_t i = 0; c->hits && i < c->probes; i++)
		hits_done(&c->hits[i]);
	free(c->hits);
	free(c->sum);
	free(c->since);
	*c = (struct counts){ 0 };
}

void counts_begin(struct counts *c, uint32_t probe, nsec now)
{
	c->since[probe - 1] = now;
}

/* Sums up the stripes, the last that the kernel counts of a call first: a call that comes
 * in between has then begun, or has a duration, and is not yet seen to have ended.  But
 * the brackets come behind the durations, of which they are taken off. */
static void counts_sum(const struct counts *c, uint32_t probe, struct call_counts *ret)
{
	const volatile struct call_counts *first = &c->slots[(size_t)(probe - 1) * c->stripes];

	memset(ret, 0, sizeof(*ret));
	for (uint32_t s = 0; s < c->stripes; s++) {
		for (uint32_t r = 0; r < NR_SPAN_END; r++)
			if (r != END_BRACKET)
				ret->ended[r] += first[s].ended[r];
		ret->unsure += first[s].unsure;
		ret->probed += first[s].probed;
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

	if (e->reason == END_RETURN && e->probe && e->probe <= c->probes &&
	    lasted < c->rule.brief)
		hits_add(&c->hits[e->probe - 1], lasted);
}

/* What is new in each bucket, with the calls that a tick fell into. */
static void fresh_buckets(struct counts *c, const struct call_counts *sum,
			  const struct call_counts *before, uint32_t probe, __u64 *ret)
{
	for (uint32_t b = 0; b < NR_BUCKET; b++)
		ret[b] = sum->buckets[b] - before->buckets[b];
	hits_count(&c->hits[probe - 1], sum->hit - before->hit, &c->rule, sum->buckets, ret);
}

/* A bracket that was read and its duration was not counts when that is. */
static uint64_t brackets_with_duration(const struct call_counts *sum,
				       const struct call_counts *before, uint64_t durations)
{
	uint64_t fresh = sum->ended[END_BRACKET] - before->ended[END_BRACKET];

	return before->ended[END_BRACKET] + (fresh < durations ? fresh : durations);
}

void counts_read(struct counts *c, uint32_t probe, nsec now, source_event event, void *context)
{
	struct call_counts *before = &c->sum[probe - 1], sum;
	struct {
		struct event_calls calls;
		struct call_bucket buckets[NR_BUCKET];
	} e = { .calls = { .probe = probe, .since = c->since[probe - 1] } };
	__u64 fresh[NR_BUCKET], hit_max;
	uint32_t n = 0;

	counts_sum(c, probe, &sum);
	fresh_buckets(c, &sum, before, probe, fresh);
	hit_max = c->hits[probe - 1].max;
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
	*before = sum;
	c->since[probe - 1] = now;
}
