/*
 * mixed - quick calls, and one in twenty that is longer because of one function.
 *
 * `mix` is for probes, `mix_alone` is the same code and never watched.  Rounds of the two
 * take turns, so that whatever else the machine does meets both alike; the truth is what
 * the twin took, as the median of batches of one kind.
 */
#include "calls.h"

#include <stdlib.h>

#define BATCH 60000 /* rounds of spin() in a batch: few of them meet a sampling tick */
#define WATCHED 400 /* calls of `mix` in a round */

KEPT uint64_t quick_part(uint64_t rounds)
{
	return spin(rounds) + 1;
}

KEPT uint64_t slow_part(uint64_t rounds)
{
	return spin(rounds) + 2;
}

#define TWIN(name)                                               \
	KEPT uint64_t name(uint64_t quick, uint64_t slow);       \
	KEPT uint64_t name(uint64_t quick, uint64_t slow)        \
	{                                                        \
		uint64_t result = quick_part(quick);             \
                                                                 \
		return slow ? result ^ slow_part(slow) : result; \
	}

TWIN(mix)
TWIN(mix_alone)

static uint64_t batch_nsec(uint64_t quick, uint64_t slow)
{
	uint64_t calls = BATCH / (quick + slow), begin = stage_now();

	calls += !calls;
	for (uint64_t i = 0; i < calls; i++)
		mix_alone(quick, slow);
	return (stage_now() - begin) / calls;
}

/* Is it a slow one?  One in twenty, in no order that a clock could follow. */
static bool is_slow(uint64_t call)
{
	uint64_t mix = (call + 1) * 0x9e3779b97f4a7c15u;

	return (mix >> 33) % 20 == 0;
}

void run_mixed(struct run *r)
{
	uint64_t quick = r->stage->work, slow, call = 0;
	double times = r->stage->variant ? atof(r->stage->variant) : 3;
	unsigned rounds = (r->stage->calls + WATCHED - 1) / WATCHED;
	struct durations took[2];

	if (times <= 1 || !quick) {
		fprintf(stderr,
			"mixed: --work is not 0, --variant is how many times as long a slow call is\n");
		exit(2);
	}
	slow = (uint64_t)((double)quick * (times - 1));
	for (int kind = 0; kind < 2; kind++)
		durations_init(&took[kind], rounds);
	if (r->stage->durations)
		durations_init(&r->durations, rounds * WATCHED);
	for (unsigned i = 0; i < rounds; i++) {
		for (unsigned j = 0; j < WATCHED; j++, call++) {
			bool long_one = is_slow(call);
			uint64_t begin = stage_now();

			r->kinds[long_one]++;
			mix(quick, long_one ? slow : 0);
			if (r->stage->durations)
				durations_add(&r->durations, stage_now() - begin);
		}
		durations_add(&took[0], batch_nsec(quick, 0));
		durations_add(&took[1], batch_nsec(quick, slow));
	}
	r->counts[0].entries = r->counts[0].returned = call;
	for (int kind = 0; kind < 2; kind++) {
		r->kind_nsec[kind] = durations_quantile(&took[kind], .5);
		durations_done(&took[kind]);
	}
}
