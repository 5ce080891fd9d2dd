#include "sink/verdict_text.h"

#include "sink/golden_build.h"
#include "view/compare.h"
#include "view/picture_build.h"
#include "view/span_build.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const char *blamed(const struct picture *p)
{
	struct verdict v = verdict_reach(p);

	return v.nr_causes ? picture_text(p, p->frames.at[v.causes[0].function->frame].name)
			   : "";
}

static void the_outermost_that_only_slow_calls_run_is_blamed(void **state)
{
	struct picture *p = golden_split();

	assert_int_equal(verdict_reach(p).kind, VERDICT_FUNCTION);
	assert_string_equal(blamed(p), "expand_table");
	picture_free(p);
}

static void else_the_innermost_with_most_of_it(void **state)
{
	struct picture *p = golden_split();

	for (uint32_t i = 0; i < p->functions.count; i++)
		p->functions.at[i].per_call_rest_nsec += 0.1 * 1.34e6;
	assert_string_equal(blamed(p), "mix_block");
	picture_free(p);
}

static void noise_blames_nobody(void **state)
{
	struct picture *p = golden_split();

	for (uint32_t i = 0; i < p->functions.count; i++)
		p->functions.at[i].z = 1.5;
	assert_int_equal(verdict_reach(p).kind, VERDICT_NOISE);
	picture_free(p);
}

static void waiting_is_said(void **state)
{
	struct picture *p = golden_split();

	p->off_in_nsec += 12e6;
	p->sides[SIDE_IN].mean_nsec += 12e6;
	assert_int_equal(verdict_reach(p).kind, VERDICT_WAITING);
	assert_string_equal(blamed(p), "expand_table"); /* of what is on a CPU */
	picture_free(p);
}

static void shares_of_several_are_spread(void **state)
{
	struct picture *p = golden_split();
	AUTO_TEXT struct text t = { 0 };

	/* as much again, outside of what stands out */
	p->sides[SIDE_IN].weight_nsec += 3 * (uint64_t)(951 * verdict_extra_cpu(p));
	assert_int_equal(verdict_reach(p).kind, VERDICT_SPREAD);
	verdict_print(&t, p, 1000);
	picture_free(p);
}

/* All that was in them is the span's own. */
static void leave_no_functions(struct picture *p)
{
	for (uint32_t i = 0; i < p->nodes.count; i++)
		if (p->nodes.at[i].place == PLACE_WITHIN)
			p->nodes.at[i].place = PLACE_AGAIN;
	array_clear(&p->functions);
}

static void the_span_itself_can_be_to_blame(void **state)
{
	struct picture *p = golden_split();

	leave_no_functions(p);
	p->itself.extra_nsec = p->itself.beyond_nsec = 1e6;
	p->itself.z = 20;
	assert_int_equal(verdict_reach(p).kind, VERDICT_ITSELF);
	assert_string_equal(blamed(p), "handle_request");
	p->itself.beyond_noise = 2e6; /* it may be what a longer call has there */
	assert_int_equal(verdict_reach(p).kind, VERDICT_NOISE);
	picture_free(p);
}

/* A function may have most of the extra time and yet separate nothing. */
static void what_only_takes_part_is_no_cause(void **state)
{
	struct picture *p = golden_split();
	AUTO_TEXT struct text t = { 0 };

	for (uint32_t i = 0; i < p->functions.count; i++)
		p->functions.at[i].beyond_nsec = 0;
	assert_int_equal(verdict_reach(p).kind, VERDICT_ALIKE);
	assert_string_equal(blamed(p), "");
	verdict_print(&t, p, 1000);
	assert_non_null(
		strstr(text_string(&t), "longer alike: +283 % CPU time a call, as far as "));
	assert_null(strstr(text_string(&t), "Most of it")); /* the rest have it elsewhere */
	for (uint32_t i = 0; i < p->functions.count; i++)
		p->functions.at[i].per_call_rest_nsec =
			p->functions.at[i].per_call_in_nsec / 3.83;
	text_clear(&t);
	verdict_print(&t, p, 1000);
	assert_non_null(strstr(text_string(&t),
			       "Most of it, in both, is in mix_block (mix.c:12):"
			       " 75 % in these calls, 75 % in the rest."));
	picture_free(p);
}

/* They may all take longer alike; but one could have most of it unseen. */
static void what_cannot_be_told_is_said(void **state)
{
	struct picture *p = golden_split();
	AUTO_TEXT struct text t = { 0 };

	for (uint32_t i = 0; i < p->functions.count; i++)
		p->functions.at[i].beyond_nsec = 0;
	p->functions.at[0].beyond_error = 1e6;
	assert_int_equal(verdict_reach(p).kind, VERDICT_UNCLEAR);
	assert_string_equal(blamed(p), "");
	verdict_print(&t, p, 1000);
	assert_non_null(
		strstr(text_string(&t),
		       "100 % of the CPU time that these calls take more is in mix_block "
		       "(mix.c:12). But 1,602 samples in these calls are too few"));
	for (uint32_t i = 0; i < p->functions.count; i++)
		p->functions.at[i].z = 1.5;
	assert_int_equal(verdict_reach(p).kind, VERDICT_NOISE);
	picture_free(p);
}

static void what_is_hardly_any_of_it_is_no_cause(void **state)
{
	struct picture *p = golden_split();

	for (uint32_t i = 0; i < p->functions.count; i++)
		p->functions.at[i].extra_nsec /= 20;
	assert_int_equal(verdict_reach(p).nr_causes, 0);
	picture_free(p);
}

static void sonde_is_no_cause(void **state)
{
	struct picture *p = golden_split();

	for (uint32_t i = 0; i < p->functions.count; i++)
		p->frames.at[p->functions.at[i].frame].kind = FRAME_PROBE;
	assert_int_equal(verdict_reach(p).nr_causes, 0);
	picture_free(p);
}

/* The more functions are looked at, the farther out must one be. */
static void many_functions_ask_for_more(void **state)
{
	struct picture *p = golden_split();

	for (uint32_t i = 0; i < p->functions.count; i++)
		p->functions.at[i].z = 3;
	p->z_least = 2.9;
	assert_string_equal(blamed(p), "expand_table");
	p->z_least = 3.1;
	assert_string_equal(blamed(p), "");
	picture_free(p);
}

static void what_a_plain_profile_would_say_is_said_too(void **state)
{
	struct picture *p = golden_split();
	AUTO_TEXT struct text t = { 0 };

	verdict_print(&t, p, 1000);
	assert_non_null(
		strstr(text_string(&t), " Without the split render_rows looks larger: "));
	for (uint32_t i = 0; i < p->functions.count; i++)
		p->functions.at[i].total_rest_nsec /= 100;
	text_clear(&t);
	verdict_print(&t, p, 1000);
	assert_null(strstr(text_string(&t), "Without"));
	picture_free(p);
}

/* Two calls of 17.7 ms, and none of the three ticks that fit in: that happens. */
static void samples_that_are_missing_are_no_waiting_yet(void **state)
{
	struct picture *p = golden_split();
	struct picture_side *in = &p->sides[SIDE_IN];

	leave_no_functions(p);
	p->period = 10 * NSEC_PER_MSEC;
	in->samples = in->weight_nsec = 0;
	in->mean_nsec = p->off_in_nsec = 17.7e6;
	in->calls = 2;
	assert_int_equal(verdict_reach(p).kind, VERDICT_NOISE);
	in->calls = 40;
	assert_int_equal(verdict_reach(p).kind, VERDICT_WAITING);
	picture_free(p);
}

/* Of several processes the first is not more to the point than the others. */
static void next_is_for_all_of_a_name(void **state)
{
	struct picture *p = golden_split();
	AUTO_TEXT struct text t = { 0 };

	p->processes = 2;
	verdict_print(&t, p, 1000);
	assert_non_null(strstr(text_string(&t), "Next: sonde latency -p 4242 expand_table"));
	p->namesakes = true;
	p->comm = intern_text(&p->text, "nginx");
	text_clear(&t);
	verdict_print(&t, p, 1000);
	assert_non_null(strstr(text_string(&t), "Next: sonde latency -n nginx expand_table"));
	p->comm = intern_text(&p->text, "it's $(here)");
	text_clear(&t);
	verdict_print(&t, p, 1000);
	assert_non_null(strstr(text_string(&t), "Next: sonde latency -p 4242 expand_table"));
	picture_free(p);
}

static void what_cannot_be_told_apart_blames_nobody(void **state)
{
	struct picture *p = golden_split();
	AUTO_TEXT struct text t = { 0 };

	p->losses.tick_nsec = 40 * NSEC_PER_USEC;
	p->blur = 0.4;
	assert_int_equal(verdict_reach(p).kind, VERDICT_FUNCTION);
	p->blur = 0.6;
	assert_int_equal(verdict_reach(p).kind, VERDICT_BLURRED);
	assert_string_equal(blamed(p), "");
	p->clearer = 2 * NSEC_PER_MSEC;
	verdict_print(&t, p, 1000);
	assert_non_null(
		strstr(text_string(&t), "differ by less than taking one sample lasts (40"));
	assert_non_null(strstr(text_string(&t), "Try --split 'dur > 2ms'."));
	p->threshold = 30 * NSEC_PER_USEC;
	p->clearer = 100 * NSEC_PER_USEC;
	text_clear(&t);
	verdict_print(&t, p, 1000);
	assert_non_null(
		strstr(text_string(&t), "last about as long as taking one sample does (40"));
	assert_non_null(strstr(text_string(&t), "Try --split 'dur > 100us'."));
	text_clear(&t);
	golden_span_add(p); /* of several it says which */
	verdict_print(&t, p, 1000);
	assert_non_null(strstr(text_string(&t), "Try --split 'handle_request.dur > 100us'."));
	p->spans.at[0].place = intern_text(&p->text, "f(int)");
	text_clear(&t);
	verdict_print(&t, p, 1000);
	assert_non_null(strstr(text_string(&t), "Try --split '\"f(int)\".dur > 100us'."));
	p->spans.at[0].place = intern_text(&p->text, "it's");
	text_clear(&t);
	verdict_print(&t, p, 1000);
	assert_null(strstr(text_string(&t), "Try"));
	text_clear(&t);
	p->clearer = 0;
	verdict_print(&t, p, 1000);
	assert_non_null(strstr(text_string(&t), "Watch a function that calls this one"));
	picture_free(p);
}

/* Extra time a call is additive: children and self make the whole. */
static void a_comparison_adds_up(void **state)
{
	struct picture *p = golden_split();
	struct compare c;
	double sum = 0, itself;
	struct contrast d, whole;

	assert_true(compare_make(&c, p));
	whole = compare_node(&c, p, 0);
	assert_true(compare_itself(p, &d));
	itself = d.extra;
	for (uint32_t i = 1; i < p->nodes.count; i++) {
		uint32_t parent = p->nodes.at[i].parent;

		if (p->frames.at[p->nodes.at[parent].frame].name == p->spans.at[0].function)
			sum += compare_node(&c, p, i).extra;
	}
	assert_true(fabs(sum + itself - whole.extra) < 1e-6 * fabs(whole.extra));
	assert_false(compare_inside(p, 1)); /* start_thread is around the span */
	compare_done(&c);
	p->sides[SIDE_REST].calls = 0;
	assert_false(compare_make(&c, p));
	picture_free(p);
}

/* Where calls spread more than samples say, nodes are as uncertain. */
static void an_error_is_widened_as_its_function_was(void **state)
{
	struct picture *p = golden_split();
	struct compare c;
	double before;

	assert_true(compare_make(&c, p));
	before = compare_node(&c, p, 5).error;
	compare_done(&c);
	for (uint32_t i = 0; i < p->functions.count; i++)
		p->functions.at[i].extra_error *= 3;
	assert_true(compare_make(&c, p));
	assert_true(fabs(compare_node(&c, p, 5).error - 3 * before) <= 1e-9 * before);
	compare_done(&c);
	picture_free(p);
}

/* Of the slowest tenth one half is what is slow of the usual kind. */
static void a_bound_that_mixes_kinds_is_said(void **state)
{
	struct picture *p = golden_split();
	struct picture_span *span = &p->spans.at[0];
	AUTO_TEXT struct text t = { 0 };

	array_clear(&span->buckets);
	add_bell(span, 400e3, 19000, 0.1);
	add_bell(span, 4e6, 1000, 0.1);
	p->threshold = 2000000;
	verdict_print(&t, p, 1000);
	assert_null(strstr(text_string(&t), "shorter kind"));
	assert_null(strstr(text_string(&t), "Next: the same"));
	text_clear(&t);
	p->threshold = 470000;
	verdict_print(&t, p, 1000);
	assert_non_null(strstr(text_string(&t), " The bound cuts through the calls around "));
	assert_non_null(
		strstr(text_string(&t), "The longer kind alone: --split 'dur > 1500us'."));
	assert_non_null(
		strstr(text_string(&t), "\nNext: the same with --split 'dur > 1500us'\n"));
	text_clear(&t);
	p->threshold = 4000000; /* amid the longer ones */
	verdict_print(&t, p, 1000);
	assert_non_null(strstr(text_string(&t), " The bound cuts through the calls around "));
	assert_non_null(strstr(text_string(&t),
			       " of those are among the rest. Against these alone: --split "
			       "'dur > p95 against dur > 1500us'."));
	picture_free(p);
}

static char *words_of(const struct build_samples *stacks)
{
	struct picture *p = build_pair(stacks);
	struct verdict v = verdict_reach(p);
	AUTO_TEXT struct text t = { 0 };

	verdict_words(&t, p, &v);
	picture_free(p);
	return mem_text(text_string(&t));
}

static void what_calls_do_instead_is_said(void **state)
{
	AUTO_FREE char *two = words_of(
		(const struct build_samples[]){ { "lock;futex;[waits: mutex m]", 800, 0 },
						{ "sleep;nap", 600, 0 },
						{ "compute;spin", 0, 900 },
						{ "compute", 0, 10 },
						{ 0 } });
	AUTO_FREE char *one = words_of((const struct build_samples[]){
		{ "lock;futex;[waits: mutex m]", 800, 0 }, { "compute", 0, 400 }, { 0 } });
	AUTO_FREE char *none = words_of((const struct build_samples[]){
		{ "lock;futex", 800, 0 }, { "compute", 0, 100 }, { 0 } });
	/* altogether as long, or shorter */
	AUTO_FREE char *shorter = words_of((const struct build_samples[]){
		{ "poll;[waits: pipe];[woken by b];put [waker]", 400, 0 },
		{ "compute", 0, 500 },
		{ 0 } });
	AUTO_FREE char *over = words_of((const struct build_samples[]){
		{ "poll;[waits: pipe];[timed out]", 400, 0 }, { "compute", 0, 400 }, { 0 } });
	AUTO_FREE char *list = words_of(
		(const struct build_samples[]){ { "get;[waits: mutex m];[held by a]", 300, 0 },
						{ "poll;[waits: pipe];[woken by b]", 200, 0 },
						{ "hash", 200, 0 },
						{ 0 } });

	assert_string_equal(two,
			    "These calls take 80.0 ms more in lock and 60.0 ms in sleep, but "
			    "91.0 ms less in compute. In lock they wait for mutex m.");
	assert_string_equal(one, "These calls take 80.0 ms more in lock, but 40.0 ms less in "
				 "compute. There they wait for mutex m.");
	assert_null(strstr(none, "less in"));
	assert_string_equal(
		shorter, "These calls take 40.0 ms more in poll, but 50.0 ms less in compute. "
			 "There they wait for pipe, woken by b: 100 % of these waits end in "
			 "put.");
	assert_string_equal(over, "These calls take 40.0 ms more in poll, but 40.0 ms less in "
				  "compute. There they wait for pipe, until that times out.");
	assert_string_equal(list, "Of the extra CPU time of these calls 43 % is in get waiting "
				  "for mutex m held by a, 29 % in poll waiting for pipe woken "
				  "by b, 29 % in hash.");
}

static void what_calls_lack_is_said(void **state)
{
	AUTO_FREE char *never =
		words_of((const struct build_samples[]){ { "parse", 100, 100 },
							 { "parse;expand;mix", 0, 400 },
							 { "log", 50, 50 },
							 { 0 } });
	AUTO_FREE char *some = words_of((const struct build_samples[]){
		{ "parse", 100, 100 }, { "parse;expand", 20, 400 }, { "log", 50, 50 }, { 0 } });
	struct picture *half = build_pair((const struct build_samples[]){
		{ "parse", 300, 600 }, { "expand", 200, 400 }, { "log", 300, 600 }, { 0 } });
	AUTO_TEXT struct text alike = { 0 };
	AUTO_FREE char *few = words_of(
		(const struct build_samples[]){ { "parse", 1, 300 }, { "log", 1, 20 }, { 0 } });
	AUTO_FREE char *chance = words_of((const struct build_samples[]){
		{ "parse", 100, 100 }, { "expand", 98, 100 }, { 0 } });

	assert_non_null(strstr(few, "a call less in parse"));
	assert_string_equal(never, "These calls spend 40.0 ms a call less in expand; they were "
				   "never seen in it.");
	assert_string_equal(some, "These calls spend 38.0 ms a call less in expand; they spend "
				  "2.00 ms in it.");
	for (uint32_t i = 0; i < half->functions.count; i++)
		half->functions.at[i].beyond_nsec = 0;
	verdict_print(&alike, half, 1000);
	assert_non_null(strstr(text_string(&alike),
			       "takes less alike: -50 % CPU time a call, as far as "));
	picture_free(half);
	assert_non_null(strstr(chance, "no function differs by more than chance"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_calls_do_instead_is_said),
		cmocka_unit_test(what_calls_lack_is_said),
		cmocka_unit_test(a_bound_that_mixes_kinds_is_said),
		cmocka_unit_test(the_outermost_that_only_slow_calls_run_is_blamed),
		cmocka_unit_test(else_the_innermost_with_most_of_it),
		cmocka_unit_test(noise_blames_nobody),
		cmocka_unit_test(waiting_is_said),
		cmocka_unit_test(shares_of_several_are_spread),
		cmocka_unit_test(the_span_itself_can_be_to_blame),
		cmocka_unit_test(what_only_takes_part_is_no_cause),
		cmocka_unit_test(what_cannot_be_told_is_said),
		cmocka_unit_test(what_is_hardly_any_of_it_is_no_cause),
		cmocka_unit_test(sonde_is_no_cause),
		cmocka_unit_test(many_functions_ask_for_more),
		cmocka_unit_test(what_a_plain_profile_would_say_is_said_too),
		cmocka_unit_test(samples_that_are_missing_are_no_waiting_yet),
		cmocka_unit_test(next_is_for_all_of_a_name),
		cmocka_unit_test(what_cannot_be_told_apart_blames_nobody),
		cmocka_unit_test(a_comparison_adds_up),
		cmocka_unit_test(an_error_is_widened_as_its_function_was),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
