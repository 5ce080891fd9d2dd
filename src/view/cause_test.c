#include "view/cause.h"

#include "view/compare.h"
#include "view/picture_build.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* What calls of the other kind would have more if they were as long, of what they have. */
static double alike;

static void take_alike(struct picture *p)
{
	for (uint32_t i = 0; i < p->functions.count; i++)
		p->functions.at[i].beyond_nsec -= alike * p->functions.at[i].per_call_rest_nsec;
}

/* The causes, as "name 52 %, name 48 %". */
static const char *causes(const struct build_samples *stacks)
{
	static char said[256];
	struct picture *p = build_pair(stacks);
	struct cause found[CAUSES_MAX];
	struct contrast all;
	unsigned count;
	size_t n = 0;

	take_alike(p);
	assert_true(compare_cpu(p, &all));
	count = cause_find(p, all.extra, found);
	said[0] = 0;
	for (unsigned i = 0; i < count; i++)
		n += snprintf(said + n, sizeof(said) - n, "%s%s %.0f %%", i ? ", " : "",
			      picture_text(p, p->frames.at[found[i].function->frame].name),
			      100 * found[i].extra_nsec / all.extra);
	picture_free(p);
	return said;
}

/* What calls of a cause wait for, as "wait, owner". */
static const char *waits(const struct build_samples *stacks)
{
	static char said[256];
	struct picture *p = build_pair(stacks);
	struct cause found[CAUSES_MAX];
	struct contrast all;

	assert_true(compare_cpu(p, &all));
	assert_int_not_equal(cause_find(p, all.extra, found), 0);
	snprintf(said, sizeof(said), "%s: %s, %s",
		 picture_text(p, p->frames.at[found[0].function->frame].name),
		 picture_text(p, p->frames.at[found[0].steps[0].wait].name),
		 picture_text(p, p->frames.at[found[0].steps[0].owner].name));
	picture_free(p);
	return said;
}

#define WAITS(...) waits((const struct build_samples[]){ __VA_ARGS__, { 0 } })

#define CAUSES(...) causes((const struct build_samples[]){ __VA_ARGS__, { 0 } })

static void the_search_goes_down_to_the_point(void **state)
{
	assert_string_equal(CAUSES({ "exec;step;deflate", 1000, 100 },
				   { "exec;step", 100, 100 }, { "exec;log", 130, 90 }),
			    "deflate 96 %");
	/* callees of which none has it: the caller */
	assert_string_equal(CAUSES({ "exec;step;a", 300, 100 }, { "exec;step;b", 300, 100 },
				   { "exec;step;c", 300, 100 }, { "exec;step;d", 300, 100 },
				   { "exec;step;e", 300, 100 }),
			    "step 100 %");
	/* its own code has too much to be left out */
	assert_string_equal(CAUSES({ "exec;step", 500, 100 }, { "exec;step;a", 500, 100 }),
			    "step 100 %");
}

/* These calls do something else instead. */
static void what_others_take_less_hides_none(void **state)
{
	assert_string_equal(CAUSES({ "lock;futex", 700, 0 }, { "sleep;nap", 500, 0 },
				   { "compute", 0, 900 }),
			    "lock 233 %, sleep 167 %");
	/* a tenth of what is gained, not of what is left of that */
	assert_string_equal(CAUSES({ "lock;futex", 700, 0 }, { "sleep;nap", 500, 0 },
				   { "log", 60, 0 }, { "compute", 0, 900 }),
			    "lock 194 %, sleep 139 %");
	/* in one caller */
	assert_string_equal(CAUSES({ "step;lock;futex", 700, 0 }, { "step;sleep;nap", 500, 0 },
				   { "step;compute", 0, 900 }),
			    "lock 233 %, sleep 167 %");
}

/* All takes 60 % longer in longer calls; a has more, and its caller only that. */
static void a_caller_that_is_longer_like_everything_is_passed(void **state)
{
	alike = 0.6;
	assert_string_equal(CAUSES({ "step;a", 390, 70 }, { "step;b", 80, 50 },
				   { "step", 40, 25 }, { "c", 240, 150 }, { "d", 336, 210 },
				   { "e", 80, 50 }),
			    "a 52 %");
	/* so has another one that it calls */
	assert_string_equal(CAUSES({ "step;a", 390, 70 }, { "step;b", 160, 50 },
				   { "step", 40, 25 }, { "c", 240, 150 }, { "d", 336, 210 },
				   { "e", 80, 50 }),
			    "a 46 %, b 16 %");
	alike = 0;
}

/* Calls twice as long: a quarter of that is in layout, which takes a tenth of any. */
static void a_caller_that_has_much_besides_is_passed(void **state)
{
	alike = 1;
	assert_string_equal(CAUSES({ "decode", 175, 100 }, { "lookup", 350, 200 },
				   { "rank", 525, 300 }, { "render", 88, 50 },
				   { "render;layout", 425, 100 }, { "render;paint", 262, 150 },
				   { "submit", 175, 100 }),
			    "layout 32 %");
	/* its own code has as much beyond */
	assert_string_equal(CAUSES({ "decode", 150, 100 }, { "lookup", 300, 200 },
				   { "rank", 450, 300 }, { "render", 325, 50 },
				   { "render;layout", 400, 100 }, { "render;paint", 225, 150 },
				   { "submit", 150, 100 }),
			    "render 65 %");
	alike = 0;
}

/* In a call that is seven times as long there would be as much of it; but that is the lock's.
 */
static void what_others_make_longer_is_no_measure(void **state)
{
	alike = 8;
	assert_string_equal(CAUSES({ "lock;futex", 400, 0 }, { "expand", 250, 25 },
				   { "render", 75, 75 }),
			    "lock 64 %, expand 36 %");
	assert_string_equal(CAUSES({ "lock;futex", 400, 0 }, { "expand", 80, 25 },
				   { "render", 240, 75 }),
			    "lock 65 %");
	alike = 0;
}

static void what_the_rest_never_runs_is_the_point(void **state)
{
	assert_string_equal(CAUSES({ "serve;quick;spin", 500, 500 },
				   { "serve;slow;spin", 900, 0 }),
			    "slow 100 %");
	assert_string_equal(CAUSES({ "serve;parse", 100, 100 },
				   { "serve;parse;expand;mix", 900, 0 }),
			    "expand 100 %");
}

static void two_causes_are_two(void **state)
{
	assert_string_equal(CAUSES({ "call;lrange;reply", 600, 0 },
				   { "call;sort;compare", 480, 0 }, { "call;get", 100, 100 }),
			    "lrange 56 %, sort 44 %");
	assert_string_equal(CAUSES({ "call;lrange;reply", 600, 100 },
				   { "call;sort;compare", 480, 100 }, { "call;get", 100, 100 }),
			    "reply 57 %, compare 43 %");
	/* a caller and its callee are not two */
	assert_string_equal(CAUSES({ "call;sort", 300, 0 }, { "call;sort;compare", 400, 0 },
				   { "call;get", 500, 300 }),
			    "sort 78 %, get 22 %");
}

static void calls_from_everywhere_are_one_cause(void **state)
{
	assert_string_equal(CAUSES({ "a;malloc", 500, 50 }, { "b;malloc", 500, 50 },
				   { "c;malloc", 500, 50 }, { "d;malloc", 500, 50 },
				   { "d", 100, 100 }),
			    "malloc 100 %");
}

static void what_calls_itself_is_counted_once(void **state)
{
	assert_string_equal(CAUSES({ "serve;sort;sort;sort", 400, 100 },
				   { "serve;sort;sort", 400, 100 }, { "serve;sort", 400, 100 },
				   { "serve", 100, 100 }),
			    "sort 100 %");
}

static void a_name_is_preferred(void **state)
{
	assert_string_equal(CAUSES({ "run;fn_96890~write_filter;deflate", 900, 0 },
				   { "run;fn_96890~write_filter", 100, 0 },
				   { "run", 100, 100 }),
			    "deflate 90 %");
	assert_string_equal(CAUSES({ "run;fn_96890~write_filter;deflate", 700, 0 },
				   { "run;fn_96890~write_filter", 300, 0 },
				   { "run", 100, 100 }),
			    "fn_96890~write_filter 100 %");
	assert_string_equal(CAUSES({ "run;fn_alpha;deflate", 900, 0 },
				   { "run;fn_alpha", 100, 0 }, { "run", 100, 100 }),
			    "fn_alpha 100 %");
}

/* One of a library that has no name is what that was called for. */
static void a_library_is_asked_by_name(void **state)
{
	assert_string_equal(
		CAUSES({ "run;libz!deflate;libz!fn_5d80~crc;libz!fn_4970~crc", 600, 0 },
		       { "run;libz!deflate;libz!fn_5d80~crc", 370, 10 },
		       { "run;libz!deflate", 20, 20 }, { "run", 10, 70 }),
		"deflate 107 %");
	/* not if that has much besides that takes longer like everything, or other causes */
	alike = 1;
	assert_string_equal(CAUSES({ "run;libz!deflate;libz!fn_5d80~crc", 200, 10 },
				   { "run;libz!deflate", 610, 300 }, { "run", 200, 100 }),
			    "fn_5d80~crc 32 %");
	alike = 0;
	assert_string_equal(
		CAUSES({ "run;libz!deflate;libz!fn_5d80~crc;libz!fn_1~crc", 600, 0 },
		       { "run;libz!deflate;libz!fn_5d80~crc;libz!fn_2~crc", 300, 0 },
		       { "run;libz!deflate;libz!fn_5d80~crc", 100, 100 }, { "run", 100, 100 }),
		"fn_1~crc 67 %, fn_2~crc 33 %");
	/* nor in the program itself: by its callers all of it is called */
	assert_string_equal(CAUSES({ "run;fn_5d80~start;fn_4970~start", 600, 0 },
				   { "run;fn_5d80~start", 400, 10 }, { "run", 10, 90 }),
			    "fn_5d80~start 109 %");
}

static void the_border_of_the_kernel_is_an_end(void **state)
{
	assert_string_equal(CAUSES({ "send;write;@sys_write;@tcp_sendmsg", 1000, 100 },
				   { "send", 100, 100 }),
			    "write 100 %");
	assert_string_equal(CAUSES({ "@sys_write;@tcp_sendmsg", 1000, 100 },
				   { "send", 100, 100 }),
			    "tcp_sendmsg 100 %");
	assert_string_equal(CAUSES({ "a;@[interrupt];@irq_exit", 500, 50 },
				   { "b;@[interrupt];@irq_exit", 500, 50 }, { "a", 100, 100 },
				   { "b", 100, 100 }),
			    "[interrupt] 100 %");
}

static void what_a_cause_waits_for_is_found(void **state)
{
	assert_string_equal(WAITS({ "exec;get;[waits: mutex m];[held by a]", 900, 0 },
				  { "exec;get", 40, 0 }, { "exec;log", 130, 90 }),
			    "get: [waits: mutex m], [held by a]");
	/* by many, for one thing */
	assert_string_equal(WAITS({ "exec;get;[waits: mutex m];[held by a]", 300, 0 },
				  { "exec;get;[waits: mutex m];[held by b]", 300, 0 },
				  { "exec;get;[waits: mutex m]", 300, 0 },
				  { "exec;log", 130, 90 }),
			    "get: [waits: mutex m], all");
	/* for many */
	assert_string_equal(WAITS({ "exec;get;[waits: mutex m]", 300, 0 },
				  { "exec;get;[waits: disk]", 300, 0 },
				  { "exec;log", 130, 90 }),
			    "get: all, all");
	/* elsewhere, and as long in all calls */
	assert_string_equal(WAITS({ "exec;get", 600, 0 }, { "exec;get;[waits: disk]", 90, 90 },
				  { "exec;log;[waits: mutex m]", 130, 90 }),
			    "get: all, all");
}

static void waiting_in_a_library_is_by_who_calls_it(void **state)
{
	assert_string_equal(WAITS({ "get;std::lock;[waits: mutex m]", 900, 0 },
				  { "get;std::lock", 0, 100 }, { "get", 0, 100 },
				  { "log", 130, 90 }),
			    "get: [waits: mutex m], all");
	/* by several: then it is the place */
	assert_string_equal(WAITS({ "get;std::lock;[waits: mutex m]", 500, 0 },
				  { "put;std::lock;[waits: mutex m]", 500, 0 },
				  { "get;std::lock", 0, 100 }, { "put", 100, 200 }),
			    "std::lock: [waits: mutex m], all");
	/* what computes in one is that */
	assert_string_equal(CAUSES({ "get;std::sort", 900, 100 }, { "get", 0, 100 },
				   { "log", 130, 90 }),
			    "std::sort 108 %");
}

/* Where those are that have what calls of a cause wait for, as "function<caller; wait, owner,
 * function<caller". */
static const char *steps(const struct build_samples *stacks)
{
	static char said[256];
	struct picture *p = build_pair(stacks);
	struct cause found[CAUSES_MAX];
	struct contrast all;
	unsigned at = 0;

	assert_true(compare_cpu(p, &all));
	assert_int_not_equal(cause_find(p, all.extra, found), 0);
	said[0] = 0;
	for (unsigned i = 0; i < found[0].nr_steps; i++) {
		const struct cause_step *s = &found[0].steps[i];
		const uint32_t frames[] = { s->wait, s->owner, s->function, s->caller };

		at += snprintf(said + at, sizeof(said) - at, i ? "; " : "");
		for (unsigned k = i ? 0 : 2; k < COUNT_OF(frames); k++)
			if (frames[k])
				at += snprintf(said + at, sizeof(said) - at, "%s%s",
					       k == 3	? "<"
					       : k == 0 ? ""
					       : i	? ", "
							: "",
					       picture_text(p, p->frames.at[frames[k]].name));
	}
	picture_free(p);
	return said;
}

#define STEPS(...) steps((const struct build_samples[]){ __VA_ARGS__, { 0 } })
#define IN_GET "exec;get;[waits: mutex m];[held by a]"

static void where_the_owner_is_is_found(void **state)
{
	assert_string_equal(
		STEPS({ IN_GET ";main [holder];fill [holder];sum [holder]", 800, 0 },
		      { IN_GET, 100, 0 }, { "exec;log", 130, 90 }),
		"sum [holder]<fill [holder]");
	/* in two places, which one calls */
	assert_string_equal(
		STEPS({ IN_GET ";main [holder];fill [holder];sum [holder]", 400, 0 },
		      { IN_GET ";main [holder];fill [holder];add [holder]", 400, 0 },
		      { "exec;log", 130, 90 }),
		"fill [holder]<main [holder]");
	/* little is known of it */
	assert_string_equal(STEPS({ IN_GET ";main [holder];fill [holder]", 100, 0 },
				  { IN_GET, 800, 0 }, { "exec;log", 130, 90 }),
			    "");
	/* it waits */
	assert_string_equal(STEPS({ IN_GET ";fill [holder];[waits: mutex n] [holder];"
					   "[held by b] [holder];put [holder]",
				    800, 0 },
				  { "exec;log", 130, 90 }),
			    "fill [holder]; [waits: mutex n] [holder], [held by b] [holder], "
			    "put [holder]");
	assert_string_equal(STEPS({ IN_GET ";fill [holder];[waits: disk] [holder]", 800, 0 },
				  { "exec;log", 130, 90 }),
			    "fill [holder]; [waits: disk] [holder]");
}

static void chance_and_less_are_no_cause(void **state)
{
	assert_string_equal(CAUSES({ "a", 110, 100 }, { "b", 100, 100 }, { "c", 105, 100 }),
			    "");
	assert_string_equal(CAUSES({ "a", 1, 0 }), "");
	assert_string_equal(CAUSES({ "a", 400, 400 }, { "b", 0, 300 }, { "c", 10, 10 }), "");
}

/* Nearly all that these calls take more is not on a CPU. */
static void a_little_of_a_long_wait_is_no_cause(void **state)
{
	const struct build_samples stacks[] = { { "a", 250, 100 }, { "b", 110, 100 }, { 0 } };
	struct picture *p = build_pair(stacks);
	struct cause found[CAUSES_MAX];
	struct contrast all;

	assert_true(compare_cpu(p, &all));
	assert_int_equal(cause_find(p, all.extra, found), 1);
	p->sides[SIDE_REST].mean_nsec = 1;
	p->sides[SIDE_IN].mean_nsec = 1 + 18 * all.extra;
	assert_int_equal(cause_find(p, all.extra, found), 1);
	p->sides[SIDE_IN].mean_nsec = 1 + 20 * all.extra;
	assert_int_equal(cause_find(p, all.extra, found), 0);
	picture_free(p);
}

/* What one takes more others take less: to be believed it must stand out farther. */
static void where_all_is_chance_a_cause_stands_out_farther(void **state)
{
	assert_string_equal(CAUSES({ "a", 160, 100 }, { "b", 5, 5 }), "a 100 %");
	assert_string_equal(CAUSES({ "a", 160, 100 }, { "b", 4000, 4040 }), "");
	assert_string_equal(CAUSES({ "a", 200, 100 }, { "b", 4000, 4080 }), "a 500 %");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_search_goes_down_to_the_point),
		cmocka_unit_test(what_others_take_less_hides_none),
		cmocka_unit_test(a_caller_that_is_longer_like_everything_is_passed),
		cmocka_unit_test(a_caller_that_has_much_besides_is_passed),
		cmocka_unit_test(what_others_make_longer_is_no_measure),
		cmocka_unit_test(what_the_rest_never_runs_is_the_point),
		cmocka_unit_test(two_causes_are_two),
		cmocka_unit_test(calls_from_everywhere_are_one_cause),
		cmocka_unit_test(what_calls_itself_is_counted_once),
		cmocka_unit_test(a_name_is_preferred),
		cmocka_unit_test(a_library_is_asked_by_name),
		cmocka_unit_test(the_border_of_the_kernel_is_an_end),
		cmocka_unit_test(what_a_cause_waits_for_is_found),
		cmocka_unit_test(waiting_in_a_library_is_by_who_calls_it),
		cmocka_unit_test(where_the_owner_is_is_found),
		cmocka_unit_test(chance_and_less_are_no_cause),
		cmocka_unit_test(a_little_of_a_long_wait_is_no_cause),
		cmocka_unit_test(where_all_is_chance_a_cause_stands_out_farther),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
