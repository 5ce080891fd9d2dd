/*
 * model_bench - what the model costs a sample.
 *
 *	model_bench [SAMPLES [STACKS]]
 *
 * A stream of samples over some 100,000 distinct stacks of 20 frames, half of
 * them within calls, is joined, judged and folded.  Prints nanoseconds of CPU time; of what a
 * page asks again and again (the bound moved, or 100 samples more) the median of 21, with
 * what it is sent.
 */
#include "base/clock.h"
#include "base/text.h"
#include "model/event_build.h"
#include "model/split.h"
#include "model/stack.h"
#include "serve/drawing.h"
#include "sink/sinks.h"
#include "view/answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

#define DEPTH 20
#define ROUNDS 21

static uint64_t stacks = 100000;

static const struct event_probe probe = {
	.probe = 1, .sites = 1, .image = 2, .offset = 0x1000, .length = 0x1000
};

/* Stack number v: its frames branch as a program's do, most of them near the leaf. */
static void make_stack(uint64_t v, uint64_t *user)
{
	for (unsigned i = 0; i < DEPTH; i++) {
		unsigned from_root = DEPTH - 1 - i;
		uint64_t branch = from_root < 3 ? 0 : v >> (DEPTH - 1 - from_root) & 1;

		user[i] = 0x400000 + from_root * 0x2000 + branch * 0x1000 + 0x10;
	}
	user[DEPTH] = 0;
}

static struct store *make_store(void)
{
	struct store *st = store_new(NULL);
	struct event_map map = { .pid = 42, .image = 2, .start = 0x400000, .end = 0x500000 };

	build_target(st, 1, 1, NSEC_PER_MSEC);
	build_image(st, 2, IMAGE_FILE, "/usr/bin/target");
	build_map(st, 1, &map);
	for (uint64_t other = 0; other < 60; other++) {
		map.start = 0x7f0000000000 + other * 0x100000;
		map.end = map.start + 0x80000;
		build_map(st, 1, &map);
	}
	build_probe(st, 1, &probe, "handle", "handle");
	return st;
}

static void add_samples(struct store *st, uint64_t from, uint64_t to)
{
	struct event_leave leave = { .probe = 1 };
	uint64_t user[DEPTH + 1];

	for (uint64_t i = from; i < to; i++) {
		struct event_sample e = { .pid = 42, .weight = NSEC_PER_MSEC };
		nsec time = 1000 + i * 1000;

		make_stack(hash_u64(i) % stacks, user);
		e.span = i % 2 ? i / 8 + 1 : 0;
		build_sample(st, time, 43, &e, (struct build_stack){ NULL, user });
		if (i % 8 != 7)
			continue;
		leave.span = i / 8 + 1;
		leave.began = time - 1000 - hash_u64(i) % 5000000;
		build_leave(st, time, 43, &leave);
	}
}

static void bench_intern(struct store *st, uint64_t count)
{
	union {
		struct event_sample sample;
		uint64_t room[6 + DEPTH + 1];
	} e = { .sample = { .pid = 42, .nr_user = DEPTH } };
	nsec begin = clock_cpu(), making;

	for (uint64_t i = 0; i < count; i++)
		make_stack(hash_u64(i) % stacks, (uint64_t *)e.sample.frames);
	making = clock_cpu() - begin;
	begin = clock_cpu();
	for (uint64_t i = 0; i < count; i++) {
		make_stack(hash_u64(i) % stacks, (uint64_t *)e.sample.frames);
		stack_node(st, &e.sample, 0);
	}
	printf("intern        %6.1f ns a frame (%u nodes)\n",
	       (double)(clock_cpu() - begin - making) / count / DEPTH, st->tree.nodes.count);
}

static void bench_judge(const struct store *st)
{
	struct window all = { .kind = WINDOW_ALL };
	unsigned sides[NR_SIDE] = { 0 };
	struct error err = { "" };
	struct split *q;
	nsec begin;

	if (split_parse("dur > 4ms", &q, &err) || split_bind(q, st, &all, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	begin = clock_cpu();
	for (uint32_t i = 0; i < st->samples.count; i++)
		sides[split_side(q, st, sample_at(&st->samples, i), st->newest)]++;
	printf("judge         %6.1f ns a sample (%u in, %u rest, %u out)\n",
	       (double)(clock_cpu() - begin) / st->samples.count, sides[SIDE_IN],
	       sides[SIDE_REST], sides[SIDE_OUT]);
	split_free(q);
}

static void bench_answer(const struct store *st)
{
	struct query q = { .split = "dur > 4ms" };
	struct error err = { "" };
	struct picture *p;
	uint64_t *total;
	nsec begin = clock_cpu();

	if (view_answer(st, &q, NULL, &p, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	printf("whole answer  %6.1f ns a sample\n",
	       (double)(clock_cpu() - begin) / st->samples.count);
	total = mem_zeroed(p->nodes.count, sizeof(*total));
	begin = clock_cpu();
	picture_totals(p, SIDE_ALL, true, total);
	printf("totals        %6.2f ms over %u nodes\n", (clock_cpu() - begin) / 1e6,
	       p->nodes.count);
	free(total);
	picture_free(p);
}

struct times {
	double answer[ROUNDS], scene[ROUNDS], drawing[ROUNDS];
};

static int smaller(const void *va, const void *vb)
{
	const double *a = va, *b = vb;

	return *a < *b ? -1 : *a > *b;
}

static double median(double *times)
{
	qsort(times, ROUNDS, sizeof(*times), smaller);
	return times[ROUNDS / 2] / 1e6;
}

/* As a page asks, and is sent. */
static void ask_again(const struct store *st, struct answers *kept, struct drawing *drawing,
		      const char *split, struct times *t, unsigned round)
{
	const struct query q = { .split = split, .live = true };
	const struct sink_option option = { .side = WRITE_DIFF, .functions = 200 };
	struct text scene = { 0 }, message = { 0 };
	struct error err = { "" };
	nsec begin = clock_cpu();
	struct picture *p;

	if (answers_ask(kept, st, &q, NULL, &p, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	t->answer[round] = clock_cpu() - begin;
	begin = clock_cpu();
	sink_json.write(p, &option, &scene, &err);
	t->scene[round] = clock_cpu() - begin;
	begin = clock_cpu();
	drawing_write(drawing, p, text_string(&scene), &message);
	t->drawing[round] = clock_cpu() - begin;
	text_done(&scene);
	text_done(&message);
}

static void bench_again(struct store *st, uint64_t count)
{
	static const char *const splits[] = { "dur > 4ms", "dur > 3ms", "dur > 3.9ms" };
	struct answers *kept = NEW(struct answers);
	struct times *t = NEW(struct times);
	struct drawing drawing = { 0 };

	ask_again(st, kept, &drawing, splits[0], t, 0);
	printf("first         %6.1f ms, %.1f the scene, %.1f the drawing\n", t->answer[0] / 1e6,
	       t->scene[0] / 1e6, t->drawing[0] / 1e6);
	for (unsigned i = 0; i < ROUNDS; i++)
		ask_again(st, kept, &drawing, splits[1 - i % 2], t, i);
	printf("moved far     %6.2f ms, %.2f the scene, %.2f the drawing\n", median(t->answer),
	       median(t->scene), median(t->drawing));
	for (unsigned i = 0; i < ROUNDS; i++)
		ask_again(st, kept, &drawing, splits[2 * (i % 2)], t, i);
	printf("moved a bit   %6.2f ms, %.2f the scene, %.2f the drawing\n", median(t->answer),
	       median(t->scene), median(t->drawing));
	for (unsigned i = 0; i < ROUNDS; i++) {
		add_samples(st, count + 100 * i, count + 100 * i + 100);
		ask_again(st, kept, &drawing, splits[0], t, i);
	}
	printf("100 more      %6.2f ms, %.2f the scene, %.2f the drawing\n", median(t->answer),
	       median(t->scene), median(t->drawing));
	drawing_done(&drawing);
	answers_done(kept);
	free(kept);
	free(t);
}

int main(int argc, char **argv)
{
	uint64_t count = 500000;
	struct store *st = make_store();
	struct rusage usage;
	nsec begin;

	if ((argc > 1 && !text_to_u64(argv[1], &count)) ||
	    (argc > 2 && (!text_to_u64(argv[2], &stacks) || !stacks))) {
		fprintf(stderr, "usage: model_bench [SAMPLES [STACKS]]\n");
		return 2;
	}
	begin = clock_cpu();
	add_samples(st, 0, count);
	printf("join          %6.1f ns a sample with its stack of %u\n",
	       (double)(clock_cpu() - begin) / count, DEPTH);
	bench_intern(st, count);
	bench_judge(st);
	bench_answer(st);
	bench_again(st, count);
	getrusage(RUSAGE_SELF, &usage);
	printf("memory        %6.1f MiB for %" PRIu64 " samples\n", usage.ru_maxrss / 1024.,
	       count);
	store_free(st);
	return 0;
}
