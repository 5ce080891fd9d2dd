#include "model/split.h"

#include "model/event_build.h"
#include "wire/sample_cause.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define MS NSEC_PER_MSEC

/* handle (1) and parse (2), watched since 1 ms; threads worker (7), io (8). */
static struct store *make_store(void)
{
	struct store *st = store_new(NULL);
	struct event_probe probe = { .probe = 1, .sites = 1 };

	build_target(st, 0, 0, MS);
	build_probe(st, MS, &probe, "handle", "shop_handle");
	probe.probe = 2;
	build_probe(st, MS, &probe, "shop:parse", "parse");
	build_thread(st, 7, 42, "worker");
	build_thread(st, 8, 42, "io");
	return st;
}

static void ended(struct store *st, span_id id, span_id parent, uint32_t probe, nsec duration)
{
	struct event_leave leave = {
		.span = id, .parent = parent, .began = 2 * MS, .probe = probe
	};

	build_leave(st, 2 * MS + duration, 7, &leave);
}

static void entered(struct store *st, span_id id, span_id parent, uint32_t probe)
{
	struct event_enter enter = {
		.span = id, .parent = parent, .began = 2 * MS, .probe = probe
	};

	build_enter(st, 2 * MS, 7, &enter);
}

/* The side of a sample of thread 7 with this innermost span at 3 ms. */
static enum side side_at(const struct store *st, const char *text, span_id span, nsec now)
{
	struct sample s = { .time = 3 * MS, .span = span, .tid = 7 };
	struct window w = { .kind = WINDOW_ALL };
	struct error err = { "" };
	struct split *q;
	enum side side;

	if (split_parse(text, &q, &err) || split_bind(q, st, &w, &err))
		fail_msg("%s: %s", text, err.text);
	side = split_side(q, st, &s, now);
	split_free(q);
	return side;
}

static enum side side(const struct store *st, const char *text, span_id span)
{
	return side_at(st, text, span, 100 * MS);
}

static void a_finished_call_is_judged_by_its_duration(void **state)
{
	struct store *st = make_store();

	ended(st, 5, 0, 1, 5 * MS);
	assert_int_equal(side(st, "handle.dur > 4ms", 5), SIDE_IN);
	assert_int_equal(side(st, "handle.dur > 5ms", 5), SIDE_REST);
	assert_int_equal(side(st, "handle.dur >= 5ms", 5), SIDE_IN);
	assert_int_equal(side(st, "handle.dur == 5ms", 5), SIDE_IN);
	assert_int_equal(side(st, "handle.dur != 5ms", 5), SIDE_REST);
	assert_int_equal(side(st, "handle.dur < 5.5ms", 5), SIDE_IN);
	assert_int_equal(side(st, "5ms<=handle.dur", 5), SIDE_IN);
	assert_int_equal(side(st, "handle.dur in 5ms..9ms", 5), SIDE_IN);
	assert_int_equal(side(st, "handle.dur in 5001us..9ms", 5), SIDE_REST);
	assert_int_equal(side(st, "!(handle.dur > 4ms)", 5), SIDE_REST);
	assert_int_equal(side(st, "shop_handle.dur > 4ms", 5), SIDE_IN);
	assert_int_equal(side(st, "shop:parse.dur > 4ms", 5), SIDE_OUT);
	assert_int_equal(side(st, "\"shop:parse\".dur > 4ms", 5), SIDE_OUT);
	assert_int_equal(side(st, "handle.dur > 4ms", 0), SIDE_OUT);
	store_free(st);
}

static void words_join_as_in_c(void **state)
{
	struct store *st = make_store();

	ended(st, 5, 0, 1, 5 * MS);
	assert_int_equal(side(st, "handle.dur > 4ms && tid == 7", 5), SIDE_IN);
	assert_int_equal(side(st, "handle.dur > 4ms && tid == 8", 5), SIDE_REST);
	assert_int_equal(side(st, "handle.dur > 9ms || thread ~ \"w*r\"", 5), SIDE_IN);
	assert_int_equal(side(st, "handle.dur > 9ms || tid == 7 && tid == 8", 5), SIDE_REST);
	assert_int_equal(side(st, "(tid == 8 || tid == 7) && handle.dur > 1ms", 5), SIDE_IN);
	assert_int_equal(side(st, "thread == \"worker\"", 5), SIDE_IN);
	assert_int_equal(side(st, "thread != \"worker\"", 5), SIDE_REST);
	assert_int_equal(side(st, "tid in 6..7", 5), SIDE_IN);
	assert_int_equal(side(st, "thread == \"io\"", 0), SIDE_OUT);
	store_free(st);
}

static void an_open_call_is_in_only_when_surely(void **state)
{
	struct store *st = make_store();

	entered(st, 5, 0, 1);
	assert_int_equal(side_at(st, "handle.dur > 4ms", 5, 6 * MS), SIDE_OPEN);
	assert_int_equal(side_at(st, "handle.dur > 4ms", 5, 6 * MS + 1), SIDE_IN);
	assert_int_equal(side_at(st, "handle.dur >= 4ms", 5, 6 * MS), SIDE_IN);
	assert_int_equal(side_at(st, "handle.dur < 4ms", 5, 90 * MS), SIDE_OPEN);
	assert_int_equal(side_at(st, "!(handle.dur < 4ms)", 5, 90 * MS), SIDE_IN);
	assert_int_equal(side_at(st, "handle.dur in 4ms..9ms", 5, 8 * MS), SIDE_OPEN);
	assert_int_equal(side_at(st, "handle.dur > 4ms && tid == 8", 5, 90 * MS), SIDE_OPEN);
	assert_int_equal(side_at(st, "tid == 8", 5, 90 * MS), SIDE_REST);
	assert_int_equal(side_at(st, "tid == 7", 5, 90 * MS), SIDE_IN);
	store_free(st);
}

static void a_call_whose_end_was_lost_has_a_least_duration(void **state)
{
	struct event_leave leave = {
		.span = 5, .began = 2 * MS, .probe = 1, .reason = END_DETACHED
	};
	struct store *st = make_store();

	build_leave(st, 7 * MS, 7, &leave);
	assert_int_equal(side(st, "handle.dur > 4ms", 5), SIDE_IN);
	assert_int_equal(side(st, "handle.dur > 6ms", 5), SIDE_OPEN);
	leave.reason = END_LONGJMP; /* a true end */
	build_leave(st, 7 * MS, 7, &leave);
	assert_int_equal(side(st, "handle.dur > 6ms", 5), SIDE_REST);
	store_free(st);
}

static void while_span_records_are_lost_age_needs_proof(void **state)
{
	struct event_loss loss = { .spans = 1 };
	struct event_sample proof = { .span = 6, .pid = 42 };
	struct store *st = make_store();

	entered(st, 5, 0, 1);
	entered(st, 6, 5, 2);
	build_loss(st, 3 * MS, &loss);
	assert_int_equal(side_at(st, "handle.dur > 4ms", 5, 90 * MS), SIDE_OPEN);
	build_sample(st, 7 * MS, 7, &proof, (struct build_stack){ NULL, NULL });
	assert_int_equal(side_at(st, "handle.dur > 4ms", 5, 90 * MS),
			 SIDE_IN); /* its parent too */
	assert_int_equal(side_at(st, "handle.dur > 8ms", 5, 90 * MS), SIDE_OPEN);
	store_free(st);
}

static void recursion_is_judged_by_the_outermost_call(void **state)
{
	struct store *st = make_store();

	ended(st, 5, 0, 1, 9 * MS);
	ended(st, 6, 5, 2, 6 * MS);
	ended(st, 7, 6, 1, 3 * MS);
	assert_int_equal(side(st, "handle.dur > 8ms", 7), SIDE_IN);
	assert_int_equal(side(st, "parse.dur > 5ms", 7), SIDE_IN);
	assert_int_equal(side(st, "parse.dur > 7ms", 7), SIDE_REST);
	assert_int_equal(side(st, "parse.dur > 5ms", 5), SIDE_OUT);
	assert_int_equal(side(st, "handle.dur > 8ms && parse.dur > 5ms", 5), SIDE_REST);
	assert_int_equal(side(st, "handle.dur > 8ms && parse.dur > 5ms", 6), SIDE_IN);
	store_free(st);
}

static void what_is_not_known_is_open(void **state)
{
	struct sample early = { .time = MS / 2 };
	struct store *st = make_store();
	struct split *q = split_inside(1);

	assert_int_equal(side(st, "handle.dur > 1ms", 99), SIDE_OPEN); /* never told */
	ended(st, 6, 99, 2, MS);
	assert_int_equal(side(st, "handle.dur > 1ms", 6), SIDE_OPEN); /* its parent was not */
	assert_int_equal(side(st, "parse.dur >= 1ms", 6), SIDE_IN);
	assert_int_equal(split_side(q, st, &early, 0), SIDE_BEFORE);
	early.time = MS;
	assert_int_equal(split_side(q, st, &early, 0), SIDE_OUT);
	split_free(q);
	ended(st, 10, 11, 1, MS); /* a ring of parents */
	ended(st, 11, 10, 1, 2 * MS);
	assert_int_not_equal(side(st, "parse.dur > 1ms", 10), SIDE_IN);
	store_free(st);
}

static void percentiles_are_of_all_calls_in_the_window(void **state)
{
	nsec durations[100];
	struct window w = { .kind = WINDOW_RANGE, .from = 0, .to = 10 * MS };
	struct store *st = make_store();
	struct split *q;
	struct error err;
	bool of_duration;

	for (unsigned i = 0; i < 100; i++)
		durations[i] = (i + 1) * MS;
	build_calls(st, 2 * MS, 8 * MS, 1, durations, 100);
	build_calls(st, 12 * MS, 18 * MS, 1, durations, 10);
	assert_int_equal(split_parse("handle.dur > p95", &q, &err), 0);
	assert_int_equal(split_bind(q, st, &w, &err), 0);
	assert_in_range(split_threshold(q, &of_duration), 0.98 * 95 * MS, 1.02 * 95 * MS);
	assert_true(of_duration);
	assert_int_equal(split_probe(q), 1);
	w = (struct window){ .kind = WINDOW_RANGE, .from = 11 * MS, .to = 20 * MS };
	assert_int_equal(split_bind(q, st, &w, &err), 0);
	assert_in_range(split_threshold(q, &of_duration), 0.98 * 9.5 * MS, 1.02 * 10 * MS);
	w = (struct window){ .kind = WINDOW_RANGE, .from = 50 * MS, .to = 60 * MS };
	assert_int_equal(split_bind(q, st, &w, &err), 0); /* no calls there: all of them */
	assert_in_range(split_threshold(q, &of_duration), 0.9 * 95 * MS, 1.02 * 95 * MS);
	split_free(q);
	assert_int_equal(split_parse("parse.dur > p99.9", &q, &err), 0);
	assert_int_equal(split_bind(q, st, &w, &err), 0); /* no calls at all */
	assert_int_equal(split_side_of_duration(q, 1e18), SIDE_REST);
	assert_int_equal(split_threshold(q, &of_duration), 0);
	split_free(q);
	store_free(st);
}

static void durations_alone_decide_where_they_can(void **state)
{
	struct window w = { .kind = WINDOW_ALL };
	struct store *st = make_store();
	double bounds[8];
	struct error err;
	struct split *q;

	assert_int_equal(split_parse("handle.dur in 5ms..9ms || handle.dur > 20ms", &q, &err),
			 0);
	assert_int_equal(split_bind(q, st, &w, &err), 0);
	assert_true(split_is_by_duration(q));
	assert_int_equal(split_bounds(q, bounds, 8), 3);
	assert_true(bounds[0] == 5e6 && bounds[1] == 9e6 && bounds[2] == 20e6);
	assert_int_equal(split_side_of_duration(q, 7e6), SIDE_IN);
	assert_int_equal(split_side_of_duration(q, 10e6), SIDE_REST);
	split_free(q);
	assert_int_equal(split_parse("handle.dur > 5ms against dur in 2ms..9ms || tid == 3", &q,
				     &err),
			 0);
	split_free(q);
	assert_int_equal(split_parse("handle.dur > 5ms against handle.dur > 2ms", &q, &err), 0);
	assert_int_equal(split_bind(q, st, &w, &err), 0);
	assert_true(split_is_by_duration(q));
	assert_int_equal(split_bounds(q, bounds, 8), 2);
	assert_int_equal(split_side_of_duration(q, 6e6), SIDE_IN);
	assert_int_equal(split_side_of_duration(q, 5e6), SIDE_REST);
	assert_int_equal(split_side_of_duration(q, 2e6), SIDE_OUT);
	split_free(q);
	assert_int_equal(split_parse("handle.dur > 5ms against tid == 3", &q, &err), 0);
	assert_int_equal(split_bind(q, st, &w, &err), 0);
	assert_false(split_is_by_duration(q));
	assert_int_equal(split_side_of_duration(q, 7e6), SIDE_IN);
	assert_int_equal(split_side_of_duration(q, 1e6), SIDE_OPEN);
	split_free(q);
	assert_int_equal(split_parse("handle.dur > 5ms && tid == 3", &q, &err), 0);
	assert_int_equal(split_bind(q, st, &w, &err), 0);
	assert_false(split_is_by_duration(q));
	assert_int_equal(split_side_of_duration(q, 1e6), SIDE_REST);
	assert_int_equal(split_side_of_duration(q, 7e6), SIDE_OPEN);
	split_free(q);
	store_free(st);
}

/* A call of 10 ms: 2 on a CPU, 3 waiting for one, 5 for anything else. */
static void a_call_is_judged_by_where_its_time_went(void **state)
{
	struct store *st = make_store();

	build_times(st, 12 * MS, 7,
		    &(struct event_times){
			    .span = 5, .probe = 1, .away = 8 * MS, .queued = 3 * MS });
	ended(st, 5, 0, 1, 10 * MS);
	assert_int_equal(side(st, "handle.off in 8ms..8ms", 5), SIDE_IN);
	assert_int_equal(side(st, "handle.cpu in 2ms..2ms", 5), SIDE_IN);
	assert_int_equal(side(st, "handle.runnable in 3ms..3ms", 5), SIDE_IN);
	assert_int_equal(side(st, "handle.blocked in 5ms..5ms", 5), SIDE_IN);
	assert_int_equal(side(st, "\"handle\".off > 8ms", 5), SIDE_REST);
	assert_int_equal(side(st, "7ms < handle.off && handle.dur > 9ms", 5), SIDE_IN);
	/* of the call around it */
	ended(st, 6, 5, 2, 1 * MS);
	assert_int_equal(side(st, "handle.off > 7ms", 6), SIDE_IN);
	/* nothing was told of it, or it has not ended */
	assert_int_equal(side(st, "parse.off < 1s", 6), SIDE_OPEN);
	entered(st, 8, 0, 1);
	assert_int_equal(side(st, "handle.off < 1s", 8), SIDE_OPEN);
	assert_int_equal(side(st, "!(handle.off < 1s)", 8), SIDE_OPEN);
	/* in no call */
	assert_int_equal(side(st, "handle.off < 1s", 0), SIDE_OUT);
	store_free(st);
}

/* More waiting for a CPU than there was: two clocks. */
static void parts_are_no_more_than_the_whole(void **state)
{
	struct store *st = make_store();

	build_times(st, 12 * MS, 7,
		    &(struct event_times){
			    .span = 5, .probe = 1, .away = 11 * MS, .queued = 12 * MS });
	ended(st, 5, 0, 1, 10 * MS);
	assert_int_equal(side(st, "handle.blocked == 0", 5), SIDE_IN);
	assert_int_equal(side(st, "handle.runnable in 11ms..11ms", 5), SIDE_IN);
	assert_int_equal(side(st, "handle.cpu == 0", 5), SIDE_IN);
	build_times(st, 12 * MS, 7, &(struct event_times){ .away = 1 }); /* of no call */
	assert_int_equal(st->malformed, 1);
	store_free(st);
}

/* Calls of 1 to 100 ms, of which the shorter ones are missed more often. */
static void percentiles_of_times_are_those_of_all_calls(void **state)
{
	static const struct {
		const char *text;
		double least, most;
	} asked[] = { { "handle.off > p50", 24, 26 },
		      { "handle.off > p90", 44, 46 },
		      { "handle.cpu > p50", 24, 26 } };
	struct store *st = make_store();
	struct window w = { .kind = WINDOW_ALL };
	struct split *q;

	st->origin.period = 10 * MS;
	for (unsigned ms = 1, id = 10; ms <= 50; ms++) {
		unsigned hits = 1000 * (1 - exp(-(ms / 10.)));

		for (unsigned i = 0; i < hits; i++, id++) {
			build_times(st, 2 * MS + ms * MS, 7,
				    &(struct event_times){
					    .span = id, .probe = 1, .away = ms * MS / 2 });
			ended(st, id, 0, 1, ms * MS);
		}
	}
	for (unsigned i = 0; i < COUNT_OF(asked); i++) {
		bool of_duration;
		double bound;

		assert_int_equal(split_parse(asked[i].text, &q, NULL), 0);
		assert_int_equal(split_bind(q, st, &w, NULL), 0);
		bound = split_threshold(q, &of_duration) / 1e6;
		assert_false(of_duration);
		if (2 * bound < asked[i].least || 2 * bound > asked[i].most + 1)
			fail_msg("%s: %g ms", asked[i].text, bound);
		assert_false(split_is_by_duration(q));
		split_free(q);
	}
	store_free(st);
}

static void times_have_to_be_told(void **state)
{
	struct store *st = make_store();
	struct window w = { .kind = WINDOW_ALL };
	struct error err = { "" };
	struct split *q;

	assert_int_equal(split_parse("handle.off > p90", &q, &err), 0);
	assert_int_equal(split_bind(q, st, &w, &err), -EINVAL);
	assert_non_null(strstr(err.text, "-e wall"));
	st->causes = CAUSES_WALL; /* none has ended yet */
	assert_int_equal(split_bind(q, st, &w, &err), 0);
	entered(st, 8, 0, 1);
	split_free(q);
	assert_int_equal(side(st, "handle.off > p90", 8), SIDE_OPEN);
	store_free(st);
}

static void wrong_expressions_show_the_place(void **state)
{
	static const struct {
		const char *text, *sentence;
		int column; /* of the caret, from 0 */
	} wrong[] = {
		{ "dur > 5", "has a unit", 6 },
		{ "dur >", "is expected here", 5 },
		{ "dur 5ms", "comparison is expected", 4 },
		{ "dur > 5parsec", "not a number with a unit", 6 },
		{ "dur > 4KiB", "has a unit", 6 },
		{ "dur > p100", "less than 100", 6 },
		{ "dur > p0", "more than 0", 6 },
		{ "tid > p95", "of times only", 6 },
		{ "tid == 5ms", "plain number", 7 },
		{ "ret > 5ms", "'ret' is not known yet", 0 },
		{ "handle.end > 5ms", "'end' is not known yet", 7 },
		{ "off > 5", "has a unit", 6 },
		{ "\"f(int)\".colour > 5ms", "before '.dur'", 1 },
		{ "dur > 1ms && hit(cache.c:88)", "'hit' is not known yet", 13 },
		{ "arg0 == 3", "'arg0' is not known yet", 0 },
		{ "size > 4096", "'size' is not known yet", 0 },
		{ "colour > 4096", "unknown name 'colour'", 0 },
		{ "thread ~ worker", "in quotes", 9 },
		{ "thread ~ \"worker", "no closing", 9 },
		{ "thread > \"a\"", "compared by", 7 },
		{ "\"x\" > 5ms", "behind 'thread ~'", 1 },
		{ "(dur > 5ms", "')' is expected", 10 },
		{ "dur > 5ms)", "'&&', '||' or 'against'", 9 },
		{ "dur > 5ms tid == 3", "'&&', '||' or 'against'", 10 },
		{ "dur > 5ms against", "comparison is expected", 17 },
		{ "against dur > 5ms", "unknown name 'against'", 0 },
		{ "dur > 5ms against dur > 3ms against dur > 1ms", "'&&' or '||'", 28 },
		{ "(dur > 5ms against dur > 3ms)", "')' is expected", 11 },
		{ "!dur > 5ms", "before parentheses", 1 },
		{ "dur in 9ms..5ms", "ends before it begins", 7 },
		{ "dur in 5ms", "two dots", 10 },
		{ "dur > 5ms & tid == 3", "'&' means nothing", 10 },
		{ "5ms", "comparison is expected", 3 },
		{ "5ms < 6ms", "name is expected", 6 },
		{ "µs > 3 && #", "unknown name", 0 },
	};

	for (unsigned i = 0; i < COUNT_OF(wrong); i++) {
		struct error err = { "" };
		struct split *q = NULL;
		char *caret;

		assert_int_equal(split_parse(wrong[i].text, &q, &err), -EINVAL);
		assert_null(q);
		caret = strrchr(err.text, '\n');
		if (!strstr(err.text, wrong[i].sentence) || !strstr(err.text, wrong[i].text) ||
		    !caret || strlen(caret) != (size_t)wrong[i].column + 4)
			fail_msg("%s gives\n%s", wrong[i].text, err.text);
	}
}

static void hostile_expressions_end(void **state)
{
	char text[4000];
	struct error err;
	struct split *q;

	memset(text, '(', sizeof(text));
	text[sizeof(text) - 1] = 0;
	assert_int_equal(split_parse(text, &q, &err), -EINVAL);
	text[1500] = 0;
	assert_int_equal(split_parse(text, &q, &err), -EINVAL);
	assert_non_null(strstr(err.text, "too many parentheses"));
	assert_int_equal(split_parse("", &q, &err), -EINVAL);
	assert_int_equal(split_parse("  ", &q, &err), -EINVAL);
	for (uint64_t i = 0; i < 20000; i++) {
		static const char *const parts[] = { "dur",   ">",   "5ms",    "p95",	"(",
						     ")",     "!",   "&&",     "||",	"in",
						     "..",    "tid", "thread", "~",	"\"a\"",
						     "a.off", ".",   "\xc3",   "1e999", "\x1b",
						     "==",    "7",   "against" };

		text[0] = 0;
		for (unsigned k = 0; k < 1 + hash_u64(i) % 9; k++)
			strcat(text, parts[hash_u64(i * 16 + k) % COUNT_OF(parts)]);
		if (split_parse(text, &q, &err) == 0)
			split_free(q);
	}
}

static void places_must_be_watched(void **state)
{
	struct window w = { .kind = WINDOW_ALL };
	struct store *st = make_store(), *empty = store_new(NULL);
	struct error err;
	struct split *q;

	assert_int_equal(split_parse("dur > 5ms", &q, &err), 0);
	assert_int_equal(split_bind(q, st, &w, &err), -EINVAL);
	assert_non_null(strstr(err.text, "say whose 'dur'"));
	assert_non_null(strstr(err.text, "handle, shop:parse"));
	assert_int_equal(split_bind(q, empty, &w, &err), -EINVAL);
	assert_non_null(strstr(err.text, "nothing is watched"));
	split_free(q);
	assert_int_equal(split_parse("tid == 3 && render.dur > 5ms", &q, &err), 0);
	assert_int_equal(split_bind(q, st, &w, &err), -EINVAL);
	assert_non_null(strstr(err.text, "'render' is not watched; these are: handle"));
	assert_non_null(strstr(err.text, "\n              ^"));
	split_free(q);
	store_free(st);
	store_free(empty);
}

static uint32_t probe_meant(const struct store *st, const char *text)
{
	struct window w = { .kind = WINDOW_ALL };
	uint32_t probe = 0;
	struct error err;
	struct split *q;

	assert_int_equal(split_parse(text, &q, &err), 0);
	if (!split_bind(q, st, &w, &err))
		probe = split_probe(q);
	split_free(q);
	return probe;
}

static void a_place_that_is_watched_again_is_the_newer_one(void **state)
{
	struct event_probe again = { .probe = 3, .sites = 1 };
	struct store *st = make_store();

	build_unprobe(st, 2 * MS, 1);
	assert_int_equal(probe_meant(st, "handle.dur > 4ms"), 1);
	assert_int_equal(probe_meant(st, "dur > 4ms"), 2); /* the only one that is there */
	assert_int_equal(probe_meant(st, "tid == 7"), 2);
	build_probe(st, 4 * MS, &again, "handle", "shop_handle");
	assert_int_equal(probe_meant(st, "handle.dur > 4ms"), 3);
	assert_int_equal(probe_meant(st, "dur > 4ms"), 0); /* whose? */
	build_unprobe(st, 5 * MS, 3);
	build_unprobe(st, 6 * MS, 2);
	assert_int_equal(probe_meant(st, "handle.dur > 4ms"), 3);
	assert_int_equal(probe_meant(st, "parse.dur > 4ms"), 2);
	assert_int_equal(probe_meant(st, "tid == 7"), 2); /* the last that was there */
	store_free(st);
}

static void samples_behind_the_removal_are_no_calls(void **state)
{
	struct store *st = make_store();

	ended(st, 5, 0, 1, MS);
	assert_int_equal(side(st, "handle.dur > 4ms", 0), SIDE_OUT);
	build_unprobe(st, 3 * MS, 1);
	assert_int_equal(side(st, "handle.dur > 4ms", 0), SIDE_OUT); /* at 3 ms just so */
	assert_int_equal(side(st, "handle.dur > 4ms", 5), SIDE_REST);
	store_free(st);
	st = make_store();
	build_unprobe(st, 3 * MS - 1, 1);
	assert_int_equal(side(st, "handle.dur > 4ms", 0), SIDE_BEFORE);
	store_free(st);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_finished_call_is_judged_by_its_duration),
		cmocka_unit_test(words_join_as_in_c),
		cmocka_unit_test(an_open_call_is_in_only_when_surely),
		cmocka_unit_test(a_call_whose_end_was_lost_has_a_least_duration),
		cmocka_unit_test(while_span_records_are_lost_age_needs_proof),
		cmocka_unit_test(recursion_is_judged_by_the_outermost_call),
		cmocka_unit_test(what_is_not_known_is_open),
		cmocka_unit_test(percentiles_are_of_all_calls_in_the_window),
		cmocka_unit_test(durations_alone_decide_where_they_can),
		cmocka_unit_test(a_call_is_judged_by_where_its_time_went),
		cmocka_unit_test(parts_are_no_more_than_the_whole),
		cmocka_unit_test(percentiles_of_times_are_those_of_all_calls),
		cmocka_unit_test(times_have_to_be_told),
		cmocka_unit_test(wrong_expressions_show_the_place),
		cmocka_unit_test(hostile_expressions_end),
		cmocka_unit_test(places_must_be_watched),
		cmocka_unit_test(a_place_that_is_watched_again_is_the_newer_one),
		cmocka_unit_test(samples_behind_the_removal_are_no_calls),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
