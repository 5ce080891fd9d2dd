#include "stage.h"

#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void too_long(int signal)
{
	static const char text[] = "target: not done in time\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(4);
	_exit(3);
}

static unsigned number(const char *name, const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 0);

	if (!*text || *end || value > UINT32_MAX) {
		fprintf(stderr, "--%s: '%s' is not a number\n", name, text);
		exit(2);
	}
	return (unsigned)value;
}

void stage_options(struct stage *s, int argc, char **argv)
{
	static const struct option options[] = {
		{ "threads", required_argument, NULL, 0 },
		{ "rate", required_argument, NULL, 1 },
		{ "calls", required_argument, NULL, 2 },
		{ "depth", required_argument, NULL, 3 },
		{ "work", required_argument, NULL, 4 },
		{ "seconds", required_argument, NULL, 5 },
		{ "wait", no_argument, NULL, 6 },
		{ "durations", required_argument, NULL, 7 },
		{ "variant", required_argument, NULL, 8 },
		{ 0 },
	};
	unsigned *const numbers[] = { &s->threads, &s->rate, &s->calls,
				      &s->depth,   &s->work, &s->seconds };
	int which;

	while ((which = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (which < 6)
			*numbers[which] = number(options[which].name, optarg);
		else if (which == 6)
			s->wait = true;
		else if (which == 7)
			s->durations = optarg;
		else if (which == 8)
			s->variant = optarg;
		else
			exit(2);
	}
	if (optind < argc)
		s->mode = argv[optind];
}

void stage_open(const struct stage *s)
{
	char line[16];

	signal(SIGALRM, too_long);
	alarm(s->seconds + 5);
	printf("ready %d\n", getpid());
	fflush(stdout);
	if (s->wait && !fgets(line, sizeof(line), stdin))
		exit(2);
}

static uint64_t clock_read(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t stage_now(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

uint64_t stage_cpu(void)
{
	return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

void stage_pace(uint64_t *next, unsigned rate)
{
	struct timespec t;

	if (!rate)
		return;
	t.tv_sec = (time_t)(*next / 1000000000);
	t.tv_nsec = (long)(*next % 1000000000);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL))
		;
	*next += 1000000000 / rate;
}

KEPT uint64_t spin(uint64_t rounds)
{
	uint64_t x = rounds | 1;

	KEEP_FRAME();
	for (uint64_t i = 0; i < rounds; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

void durations_init(struct durations *d, unsigned room)
{
	d->at = calloc(room, sizeof(*d->at));
	d->count = 0;
	d->room = room;
	if (!d->at)
		exit(4);
}

void durations_done(struct durations *d)
{
	free(d->at);
	memset(d, 0, sizeof(*d));
}

void durations_add(struct durations *d, uint64_t nsec)
{
	if (d->count < d->room)
		d->at[d->count++] = nsec;
}

void durations_append(struct durations *d, const struct durations *more)
{
	for (unsigned i = 0; i < more->count; i++)
		durations_add(d, more->at[i]);
}

static int in_order(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

uint64_t durations_quantile(struct durations *d, double q)
{
	unsigned rank;

	if (!d->count)
		return 0;
	qsort(d->at, d->count, sizeof(*d->at), in_order);
	rank = (unsigned)(q * d->count);
	if (rank < q * d->count)
		rank++;
	if (rank > d->count)
		rank = d->count;
	return d->at[rank ? rank - 1 : 0];
}

void durations_print(struct durations *d, FILE *out)
{
	static const struct {
		const char *name;
		double q;
	} marks[] = { { "p50", .5 },  { "p90", .9 },	{ "p95", .95 },
		      { "p99", .99 }, { "p999", .999 }, { "max", 1 } };

	for (unsigned i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		fprintf(out, "%s\"%s_ns\":%llu", i ? "," : "", marks[i].name,
			(unsigned long long)durations_quantile(d, marks[i].q));
}

void durations_write(const struct durations *d, const char *path)
{
	FILE *f = path ? fopen(path, "w") : NULL;

	if (!f)
		return;
	for (unsigned i = 0; i < d->count; i++)
		fprintf(f, "%llu\n", (unsigned long long)d->at[i]);
	fclose(f);
}
