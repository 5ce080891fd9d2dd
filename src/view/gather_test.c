/*
 * gather_test - answers that are kept say what new ones say, while a program goes on at random.
 */
#include "view/shop_build.h"

#include <errno.h>

#define THREADS 3
#define CALLS_MOST 64

/* What a program does at random, and what is asked of it on the way. */
struct world {
	struct store *st;
	struct answers kept;
	uint64_t seed;
	nsec time, counted;
	span_id next;
	struct {
		span_id call; /* 0: in none */
		nsec began;
	} threads[THREADS];
	nsec durations[CALLS_MOST];
	unsigned calls;
	bool sharp; /* all names are known */
};

static uint64_t any(struct world *w, uint64_t below)
{
	w->seed = hash_u64(w->seed + 1);
	return w->seed % below;
}

static bool find_some(void *context, uint32_t image, uint64_t offset, struct frame_name *ret)
{
	const struct world *w = context;

	return (w->sharp || image != SHOP || offset >> 8 != PARSE) &&
	       find(NULL, image, offset, ret);
}

static void begin_call(struct world *w, unsigned thread)
{
	struct event_enter enter = {
		.span = ++w->next, .began = w->time, .probe = 1, .pid = PID
	};

	w->threads[thread].call = enter.span;
	w->threads[thread].began = w->time;
	if (any(w, 8)) /* else only its end tells of it */
		build_enter(w->st, w->time, 7 + thread, &enter);
}

static void end_call(struct world *w, unsigned thread)
{
	struct event_leave leave = { .span = w->threads[thread].call,
				     .began = w->threads[thread].began,
				     .probe = 1,
				     .reason = any(w, 30) ? END_RETURN : END_LOST };

	w->threads[thread].call = 0;
	if (any(w, 40) == 0)
		return; /* nothing tells of its end */
	build_leave(w->st, w->time, 7 + thread, &leave);
	if (leave.reason == END_RETURN && w->calls < CALLS_MOST)
		w->durations[w->calls++] = w->time - leave.began;
}

static void take_sample(struct world *w, unsigned thread)
{
	static const struct chain in_log = { { MAIN, LOG }, 2 };
	static const struct chain under_log = { { MAIN, LOG, HANDLE, RENDER }, 4 };
	static const struct chain again = { { MAIN, HANDLE, PARSE, HANDLE, EXPAND }, 5 };
	static const struct chain *const chains[] = {
		&in_main,   &in_hot, &in_handle, &in_parse,  &in_expand,
		&in_render, &in_log, &again,	 &under_log,
	};
	bool late = w->time > 1200 * MS;

	sample(w->st, w->time, 7 + thread, w->threads[thread].call,
	       chains[any(w, COUNT_OF(chains) - !late)]);
}

/* Calls last from 50 us to some milliseconds. */
static void go_on(struct world *w)
{
	unsigned thread = any(w, THREADS);

	w->time += any(w, 3) ? 20 * NSEC_PER_USEC + any(w, 100 * NSEC_PER_USEC) : any(w, MS);
	if (any(w, 3) == 0)
		take_sample(w, thread);
	else if (!w->threads[thread].call)
		begin_call(w, thread);
	else if (any(w, 3))
		end_call(w, thread);
	if (w->calls == CALLS_MOST || w->time - w->counted > 20 * MS) {
		build_calls(w->st, w->counted, w->time, 1, w->durations, w->calls);
		w->counted = w->time;
		w->calls = 0;
	}
}

static void path_of(const struct picture *p, uint32_t n, struct text *to)
{
	if (n)
		path_of(p, p->nodes.at[n].parent, to);
	text_format(to, "/%s", picture_text(p, p->frames.at[p->nodes.at[n].frame].name));
}

/* The node of that path; where names were not known at first there may be several: their sum.
 */
static void sum_at(const struct picture *p, const char *path, struct picture_node *ret)
{
	*ret = (struct picture_node){ 0 };
	for (uint32_t n = 0; n < p->nodes.count; n++) {
		AUTO_TEXT struct text other = { 0 };

		path_of(p, n, &other);
		for (unsigned s = 0; s < NR_SIDE && !strcmp(text_string(&other), path); s++) {
			ret->self[s] += p->nodes.at[n].self[s];
			ret->self_nsec[s] += p->nodes.at[n].self_nsec[s];
		}
	}
}

static bool within(double a, double b, double by)
{
	return fabs(a - b) <= by + 1e-6 * fabs(b);
}

/* All that a has, b has. */
static void has_nodes(const struct picture *a, const struct picture *b)
{
	for (uint32_t n = 0; n < a->nodes.count; n++) {
		AUTO_TEXT struct text path = { 0 };
		struct picture_node in_a, in_b;

		path_of(a, n, &path);
		sum_at(a, text_string(&path), &in_a);
		sum_at(b, text_string(&path), &in_b);
		for (unsigned s = 0; s < NR_SIDE; s++) {
			if (!within(in_a.self[s], in_b.self[s], 1) ||
			    !within(in_a.self_nsec[s], in_b.self_nsec[s], 2))
				fail_msg("%s %s: %lu %lu samples, %lu %lu ns",
					 text_string(&path), side_names[s], in_a.self[s],
					 in_b.self[s], in_a.self_nsec[s], in_b.self_nsec[s]);
		}
	}
}

static void same_sides(const struct picture *a, const struct picture *b)
{
	for (unsigned s = 0; s < NR_SIDE; s++) {
		const struct picture_side *x = &a->sides[s], *y = &b->sides[s];

		if (x->calls != y->calls || x->calls_exact != y->calls_exact ||
		    !within(x->samples, y->samples, 1) ||
		    !within(x->weight_nsec, y->weight_nsec, 2) ||
		    !within(x->mean_nsec, y->mean_nsec, 1e-3))
			fail_msg("%s: calls %lu %lu, samples %lu %lu, %f %f", side_names[s],
				 x->calls, y->calls, x->samples, y->samples, x->mean_nsec,
				 y->mean_nsec);
	}
	assert_true(within(a->blur, b->blur, 1e-6));
	assert_int_equal(a->samples, b->samples);
	assert_int_equal(a->threshold, b->threshold);
	assert_int_equal(a->losses.frames, b->losses.frames);
	assert_int_equal(a->losses.frames_unresolved, b->losses.frames_unresolved);
	assert_int_equal(a->losses.stacks, b->losses.stacks);
	assert_int_equal(a->losses.forgotten, b->losses.forgotten);
}

static void same_functions(const struct picture *a, const struct picture *b)
{
	assert_int_equal(a->functions.count, b->functions.count);
	for (uint32_t i = 0; i < a->functions.count; i++) {
		const struct picture_function *x = &a->functions.at[i];
		const char *name = picture_text(a, a->frames.at[x->frame].name);
		const struct picture_function *y = function(b, name);

		assert_non_null(y);
		if (!within(x->total_in_nsec, y->total_in_nsec, 3) ||
		    !within(x->total_rest_nsec, y->total_rest_nsec, 3) ||
		    !within(x->extra_nsec, y->extra_nsec, 2) ||
		    !within(x->extra_error, y->extra_error, 2) || x->depth != y->depth)
			fail_msg("%s: %f %f, error %f %f", name, x->extra_nsec, y->extra_nsec,
				 x->extra_error, y->extra_error);
	}
	assert_true(within(a->itself.extra_error, b->itself.extra_error, 2));
	assert_true(within(a->off_in_nsec, b->off_in_nsec, 2));
}

static void compare(struct world *w, const struct query *q, bool functions)
{
	const struct naming some = { .find = find_some, .context = w };
	struct picture *once, *kept;
	struct error err = { "" };

	if (view_answer(w->st, q, &some, &once, &err))
		fail_msg("%s", err.text);
	assert_int_equal(answers_ask(&w->kept, w->st, q, &some, &kept, &err), 0);
	same_sides(kept, once);
	has_nodes(kept, once);
	has_nodes(once, kept);
	if (functions)
		same_functions(kept, once);
	picture_free(once);
}

/* Bounds go up and down, and questions of other kinds come in between. */
static void ask_all(struct world *w)
{
	static const char *const splits[] = {
		"dur > 300us", "dur > p90",    "dur > p50",  "dur in 200us..400us",
		"dur > 100us", "!(dur > p90)", "dur > 60us",
	};
	struct query q = { .split = splits[any(w, COUNT_OF(splits))], .live = true };

	compare(w, &q, true);
	q.split = splits[any(w, COUNT_OF(splits))];
	compare(w, &q, true);
	q.split = NULL;
	compare(w, &q, true);
	q.split = "dur > 200us && thread == \"worker\"";
	compare(w, &q, false);
	q.split = "dur > p90";
	q.window = (struct window){ .kind = WINDOW_LAST, .length = 40 * MS };
	compare(w, &q, false);
	q.window = (struct window){ .kind = WINDOW_EWMA, .length = 30 * MS };
	compare(w, &q, false);
}

/* Names are looked at again when their making has been slept off. */
static void become_sharp(struct world *w)
{
	const struct naming some = { .find = find_some, .context = w };
	const struct query q = { .live = true };
	struct error err = { "" };
	struct picture *p;

	w->sharp = true;
	do {
		assert_int_equal(answers_ask(&w->kept, w->st, &q, &some, &p, &err), 0);
	} while (node(p, "main/handle/parse") == UINT32_MAX);
	compare(w, &q, false);
}

static void run(uint64_t seed, unsigned steps)
{
	struct world w = { .st = make_store(NULL), .seed = seed, .time = 1000 * MS };

	w.counted = w.time;
	for (unsigned i = 0; i < steps; i++) {
		go_on(&w);
		if (i % 37 == 0)
			ask_all(&w);
	}
	become_sharp(&w);
	answers_done(&w.kept);
	store_free(w.st);
}

static void kept_answers_are_as_new_ones(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 12; i++)
		run(1000 * i, 1200);
}

/* What leaves the store stays in what is kept, where the cube knows as much. */
static void samples_that_left_are_known_still(void **state)
{
	const struct store_limit limit = { .samples = 150 };
	struct query q = { .split = "dur > 250us", .live = true };
	struct error err = { "" };
	struct picture *p;

	(void)state;
	for (unsigned round = 0; round < 4; round++) {
		struct world w = { .st = make_store(&limit), .seed = round, .time = 1000 * MS };
		uint64_t samples = 0;

		w.counted = w.time;
		for (unsigned i = 0; i < 3000; i++) {
			go_on(&w);
			if (i % 50)
				continue;
			assert_int_equal(answers_ask(&w.kept, w.st, &q, &naming, &p, &err), 0);
			assert_true(p->samples >= samples);
			samples = p->samples;
		}
		assert_true(w.st->samples.dropped > 300);
		assert_int_equal(answers_ask(&w.kept, w.st, &q, &naming, &p, &err), 0);
		assert_int_equal(p->samples + p->losses.forgotten,
				 w.st->samples.dropped + w.st->samples.count);
		answers_done(&w.kept);
		store_free(w.st);
	}
}

static void a_pause_stands_still(void **state)
{
	struct world w = { .st = make_store(NULL), .seed = 5, .time = 1000 * MS };
	struct query q = { .live = true };

	(void)state;
	w.counted = w.time;
	for (unsigned i = 0; i < 1500; i++) {
		go_on(&w);
		if (i == 800)
			q.until = w.time;
		if (!q.until || i % 50)
			continue;
		q.split = i % 100 ? "dur > 100us" : "dur > 400us";
		compare(&w, &q, true);
	}
	answers_done(&w.kept);
	store_free(w.st);
}

static void a_probe_that_is_removed_is_asked_anew(void **state)
{
	struct world w = { .st = make_store(NULL), .seed = 9, .time = 1000 * MS };
	struct query q = { .split = "dur > 200us", .live = true };

	(void)state;
	w.counted = w.time;
	for (unsigned i = 0; i < 900; i++) {
		go_on(&w);
		if (i % 50 == 0)
			compare(&w, &q, true);
	}
	build_unprobe(w.st, w.time, 1);
	for (unsigned i = 0; i < 20; i++)
		sample(w.st, w.time + i * MS, 7, 0, &in_hot);
	compare(&w, &q, true);
	answers_done(&w.kept);
	store_free(w.st);
}

static void kept_pictures_are_held_until_asked_again(void **state)
{
	struct store *st = make_shop(NULL);
	struct answers kept = { .asked = 0 };
	struct query q = { .split = "dur > 3ms" };
	struct picture *first, *second, *last;
	struct error err = { "" };
	uint64_t asked;

	(void)state;
	assert_int_equal(answers_ask(&kept, st, &q, &naming, &first, &err), 0);
	asked = kept.asked;
	q.no_kernel = true; /* another way to fold */
	assert_int_equal(answers_ask(&kept, st, &q, &naming, &second, &err), 0);
	assert_true(answers_hold(&kept, first, asked));
	assert_ptr_not_equal(first, second);
	q.no_kernel = false;
	q.split = "dur > 2ms";
	assert_int_equal(answers_ask(&kept, st, &q, &naming, &last, &err), 0);
	assert_ptr_equal(first, last);
	assert_false(answers_hold(&kept, first, asked));
	q.split = "dur >";
	assert_int_equal(answers_ask(&kept, st, &q, &naming, &last, &err), -EINVAL);
	assert_true(answers_hold(&kept, first, kept.asked));
	answers_done(&kept);
	store_free(st);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept_answers_are_as_new_ones),
		cmocka_unit_test(samples_that_left_are_known_still),
		cmocka_unit_test(a_pause_stands_still),
		cmocka_unit_test(a_probe_that_is_removed_is_asked_anew),
		cmocka_unit_test(kept_pictures_are_held_until_asked_again),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
