/*
 * alone - how long calls take when nobody watches, beside the same calls watched; both
 * as the median of the means of batches.
 *
 * Of each function there are two of the same code: `part` and `whole` are for probes,
 * their twins are never watched.  Batches of the two take turns, so that whatever else
 * the machine does meets both alike; the truth is what the twins took.
 */
#include "calls.h"

#include <stdlib.h>

#define BATCH 40
#define PARTS 8

#define TWIN(name, parts)                               \
	KEPT uint64_t name(struct run *r);              \
	KEPT uint64_t parts(struct run *r);             \
	KEPT uint64_t parts(struct run *r)              \
	{                                               \
		uint64_t result = spin(r->stage->work); \
                                                        \
		return result + 1;                      \
	}                                               \
                                                        \
	KEPT uint64_t name(struct run *r)               \
	{                                               \
		uint64_t result = 0;                    \
                                                        \
		for (int i = 0; i < PARTS; i++)         \
			result ^= parts(r);             \
		return result;                          \
	}

TWIN(whole, part)
TWIN(whole_alone, part_alone)

static uint64_t batch_nsec(uint64_t (*call)(struct run *), struct run *r,
			   struct durations *each)
{
	uint64_t begin = stage_now();

	for (int i = 0; i < BATCH; i++) {
		uint64_t one = each ? stage_now() : 0;

		call(r);
		if (each)
			durations_add(each, stage_now() - one);
	}
	return (stage_now() - begin) / BATCH;
}

enum twin { PART_ALONE, PART, WHOLE_ALONE, WHOLE, NR_TWIN };

void run_alone(struct run *r)
{
	static uint64_t (*const calls[NR_TWIN])(struct run *) = { part_alone, part, whole_alone,
								  whole };
	struct durations took[NR_TWIN], each;
	unsigned batches = r->stage->calls / BATCH;

	durations_init(&each, batches * BATCH);
	for (int t = 0; t < NR_TWIN; t++)
		durations_init(&took[t], batches);
	for (unsigned i = 0; i < batches; i++)
		for (int t = 0; t < NR_TWIN; t++)
			durations_add(&took[t],
				      batch_nsec(calls[t], r, t == WHOLE ? &each : NULL));
	r->counts[0].entries = r->counts[0].returned = batches * BATCH;
	r->counts[1].entries = r->counts[1].returned = batches * BATCH * (1 + PARTS);
	r->alone[0] = durations_quantile(&took[WHOLE_ALONE], .5);
	r->watched[0] = durations_quantile(&took[WHOLE], .5);
	r->alone[1] = durations_quantile(&took[PART_ALONE], .5);
	r->watched[1] = durations_quantile(&took[PART], .5);
	r->quick[0] = durations_quantile(&took[WHOLE], .02);
	r->quick[1] = durations_quantile(&took[PART], .02);
	r->least_watched = durations_quantile(&each, .02);
	durations_done(&each);
	for (int t = 0; t < NR_TWIN; t++)
		durations_done(&took[t]);
}
