/*
 * planted - calls through seven functions, and what makes some of them slower.
 *
 * `serve` is for probes, and so is `admit`, which jumps to it and has no frame from then on.
 * --variant says why some calls are longer:
 *
 *	same        nothing does: what they differ by is the machine's
 *	alike       all functions of a call take 0.6 to 1.4 times as long, the same for all
 *	K:PERCENT   one call in eight takes twice as long: function K (0 to 6) has so much of
 *	            that, the others have what is left as they have it of any call
 *
 * Threads are called even and odd.  The truth it prints is which function that is; "" = none.
 */
#include "calls.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define STAGES 7
#define ONE_IN 8

#define STAGE(name)                                 \
	KEPT uint64_t name(uint64_t rounds);        \
	KEPT uint64_t name(uint64_t rounds)         \
	{                                           \
		return spin(rounds) + sizeof #name; \
	}

STAGE(decode)
STAGE(lookup)
STAGE(rank)
STAGE(layout)
STAGE(paint)
STAGE(submit)

KEPT uint64_t render(const uint64_t *rounds)
{
	return spin(rounds[3]) ^ layout(rounds[4]) ^ paint(rounds[5]);
}

KEPT uint64_t serve(const uint64_t *rounds)
{
	return decode(rounds[0]) ^ lookup(rounds[1]) ^ rank(rounds[2]) ^ render(rounds) ^
	       submit(rounds[6]);
}

uint64_t admit(const uint64_t *rounds);
#ifdef __x86_64__
__asm__(".text\n"
	".globl admit\n"
	".type admit, @function\n"
	"admit:\n"
	"	mov %rdi, %rax\n"
	"	jmp serve\n"
	".size admit, .-admit\n");
#else
KEPT uint64_t admit(const uint64_t *rounds)
{
	return serve(rounds) + 1;
}
#endif

/* Of an ordinary call's work, in per cent. */
static const struct {
	const char *name;
	double part;
} stages[STAGES] = {
	{ "decode", 10 }, { "lookup", 20 }, { "rank", 30 },   { "render", 5 },
	{ "layout", 10 }, { "paint", 15 },  { "submit", 10 },
};

/* Why calls differ. */
struct reason {
	bool alike;
	unsigned stage; /* STAGES = none */
	double percent;
};

/* Uniform in (0, 1), in no order that a clock could follow. */
static double chance(uint64_t i)
{
	i = (i + 1) * 0x9e3779b97f4a7c15u;
	i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
	i = (i ^ i >> 27) * 0x94d049bb133111ebu;
	return ((double)((i ^ i >> 31) >> 11) + 0.5) * 0x1p-53;
}

static struct reason reason_of(const char *variant)
{
	struct reason r = { .stage = STAGES };
	char *end;

	if (!variant || !strcmp(variant, "same"))
		return r;
	if (!strcmp(variant, "alike")) {
		r.alike = true;
		return r;
	}
	r.stage = (unsigned)strtoul(variant, &end, 10);
	if (*end == ':' && r.stage < STAGES)
		r.percent = strtod(end + 1, &end);
	if (*end || r.percent <= 0 || r.percent > 100) {
		fprintf(stderr, "planted: --variant is same, alike, or STAGE:PERCENT\n");
		exit(2);
	}
	return r;
}

static void plan_call(const struct reason *r, uint64_t call, double work, uint64_t *ret_rounds)
{
	double times = r->alike ? 0.6 + 0.4 * (chance(3 * call) + chance(3 * call + 1)) : 1;
	bool longer = r->stage < STAGES && chance(3 * call + 2) * ONE_IN < 1;

	for (unsigned i = 0; i < STAGES; i++) {
		double part = stages[i].part * times;

		if (longer)
			part += stages[i].part * (100 - r->percent) / 100;
		if (longer && i == r->stage)
			part += r->percent;
		ret_rounds[i] = (uint64_t)(work * part / 100);
	}
}

struct worker {
	struct run *run;
	struct reason reason;
	unsigned number;
	pthread_t thread;
};

static void *work(void *context)
{
	const struct worker *w = context;
	const struct stage *s = w->run->stage;
	uint64_t rounds[STAGES];

	pthread_setname_np(pthread_self(), w->number % 2 ? "odd" : "even");
	for (uint64_t i = 0; i < s->calls; i++) {
		plan_call(&w->reason, i + (uint64_t)w->number * s->calls, s->work, rounds);
		admit(rounds);
		atomic_fetch_add(&w->run->counts[0].entries, 1);
	}
	return NULL;
}

void run_planted(struct run *r)
{
	struct reason reason = reason_of(r->stage->variant);
	struct worker workers[16];
	unsigned threads = r->stage->threads < 16 ? r->stage->threads : 16;

	for (unsigned i = 0; i < threads; i++) {
		workers[i] = (struct worker){ r, reason, i, 0 };
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			exit(4);
	}
	for (unsigned i = 0; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
	r->counts[0].returned = r->counts[0].entries;
	r->cause = reason.stage < STAGES ? stages[reason.stage].name : "";
}
