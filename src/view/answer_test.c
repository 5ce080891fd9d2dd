#include "view/answer.h"

#include "view/shop_build.h"
#include "wire/sample_cause.h"

#include <errno.h>

static void the_split_tells_the_truth(void **state)
{
	struct store *st = make_shop(NULL);
	struct picture *p = ask_split(st, "dur > 3ms");
	const struct picture_function *f;

	assert_int_equal(p->samples, 100);
	assert_int_equal(p->sides[SIDE_IN].samples, 50);
	assert_int_equal(p->sides[SIDE_IN].weight_nsec, 50 * MS);
	assert_int_equal(p->sides[SIDE_REST].samples, 30);
	assert_int_equal(p->sides[SIDE_OUT].samples, 20);
	assert_int_equal(p->sides[SIDE_IN].calls, 10);
	assert_int_equal(p->sides[SIDE_REST].calls, 90);
	assert_true(p->sides[SIDE_IN].calls_exact && p->sides[SIDE_REST].calls_exact);
	assert_true(near(p->sides[SIDE_IN].mean_nsec, 5 * MS, 0.02));
	assert_true(near(p->sides[SIDE_REST].mean_nsec, MS, 0.02));
	assert_int_equal(p->threshold, 3 * MS);
	assert_string_equal(picture_text(p, p->split_expr), "dur > 3ms");
	assert_int_equal(p->nodes.at[node(p, "main/handle/parse/expand")].self[SIDE_IN], 40);
	assert_int_equal(p->nodes.at[node(p, "main/handle/render")].self_nsec[SIDE_REST],
			 30 * MS);
	assert_int_equal(p->nodes.at[node(p, "main/hot")].self[SIDE_OUT], 20);

	assert_int_equal(p->functions.count, 3); /* neither main nor handle nor hot */
	f = function(p, "expand");
	assert_true(f->per_call_in_nsec == 4 * MS && f->per_call_rest_nsec == 0);
	assert_true(f->self_in_nsec == 40 * MS && f->samples_in == 40);
	assert_string_equal(caller(p, "expand"), "parse");
	assert_int_equal(f->depth, 1);
	f = function(p, "parse");
	assert_true(f->total_in_nsec == 40 * MS && f->self_in_nsec == 0 && f->depth == 0);
	assert_string_equal(caller(p, "parse"), "");
	assert_true(f == &p->functions.at[0]); /* the caller first */
	assert_true(near(f->extra_share, 1, 0.02));
	f = function(p, "render");
	assert_true(f == &p->functions.at[2]);
	assert_true(f->per_call_in_nsec == MS &&
		    near(f->per_call_rest_nsec, 30. / 90 * MS, 1e-9));
	assert_true(near(p->off_in_nsec + MS, MS, 0.11)); /* all of it on a CPU */
	assert_true(near(p->off_rest_nsec, 60. / 90 * MS, 0.03));
	picture_free(p);
	store_free(st);
}

/* As if the calls that it is not against were none. */
static void a_split_may_be_against_some_of_the_others(void **state)
{
	struct store *st = make_shop(NULL);
	struct picture *p = ask_split(st, "dur > 3ms against dur < 2ms");
	const struct picture_side *s = p->sides;

	assert_int_equal(s[SIDE_IN].calls, 10);
	assert_int_equal(s[SIDE_REST].calls, 90);
	assert_int_equal(s[SIDE_OUT].calls, 0);
	assert_int_equal(s[SIDE_OUT].samples, 20);
	assert_true(function(p, "expand")->per_call_in_nsec == 4 * MS);
	picture_free(p);
	p = ask_split(st, "dur < 500us against dur > 3ms");
	s = p->sides;
	assert_int_equal(s[SIDE_IN].calls, 0);
	assert_int_equal(s[SIDE_REST].calls, 10);
	assert_int_equal(s[SIDE_OUT].calls, 90);
	assert_int_equal(s[SIDE_REST].samples, 50);
	assert_int_equal(s[SIDE_OUT].samples, 50);
	picture_free(p);
	p = ask_split(st, "dur > 3ms && tid == 7 against dur > 3ms");
	s = p->sides;
	assert_int_equal(s[SIDE_IN].samples, 50);
	assert_int_equal(s[SIDE_REST].samples, 0);
	assert_int_equal(s[SIDE_OUT].samples, 50);
	picture_free(p);
	store_free(st);
}

static void spans_carry_their_numbers(void **state)
{
	struct store *st = make_shop(NULL);
	struct picture *p = ask_split(st, "dur > p95");
	const struct picture_span *s = &p->spans.at[p->split_span];
	uint64_t calls = 0;

	assert_string_equal(picture_text(p, s->place), "handle");
	assert_true(s->entries == 100 && s->calls == 100 && s->open == 0);
	assert_true(s->ended[END_RETURN] == 100 && s->cost_nsec == 620);
	assert_true(near(s->p50, MS, 0.02) && near(s->p95, 5 * MS, 0.02));
	assert_int_equal(s->max, 5 * MS);
	assert_true(near(s->rate, 100, 1e-9));
	assert_true(near(s->mean_nsec, 1.4 * MS, 0.02));
	for (uint32_t i = 0; i < s->buckets.count; i++)
		calls += s->buckets.at[i].count;
	assert_int_equal(calls, 100);
	assert_int_equal(p->from, 1000 * MS);
	assert_int_equal(p->to, 2000 * MS);
	assert_int_equal(p->wall, 77 * NSEC_PER_SEC);
	assert_true(p->pid == PID && p->threads == 2 && p->hz == 1000 && !p->cut);
	assert_string_equal(picture_text(p, p->comm), "shop-server");
	assert_string_equal(picture_text(p, p->images.at[0].build_id), "ab01");
	picture_free(p);
	store_free(st);
}

/* What was open then is told by itself; what nothing speaks for is not taken for it. */
static void in_the_end_no_call_is_open(void **state)
{
	struct store *st = make_shop(NULL);
	union build_record r = { 0 };
	struct event_calls *e = (void *)&r;
	struct picture *p;

	*e = (struct event_calls){
		.head.time = 2000 * MS, .since = 1990 * MS, .probe = 1, .entries = 4
	};
	e->ended[END_EXIT] = 1;
	build_send(st, &r, EVENT_CALLS, sizeof(*e));
	st->has_end = false; /* not yet */
	p = ask_split(st, "dur > p95");
	assert_int_equal(p->spans.at[p->split_span].open, 3);
	assert_int_equal(p->spans.at[p->split_span].unaccounted, 0);
	picture_free(p);
	build_end(st, 2000 * MS);
	p = ask_split(st, "dur > p95");
	assert_int_equal(p->spans.at[p->split_span].open, 0);
	assert_int_equal(p->spans.at[p->split_span].unaccounted, 3);
	picture_free(p);
	store_free(st);
}

static void without_a_split_inside_is_in(void **state)
{
	struct store *st = make_shop(NULL), *none = store_new(NULL);
	struct picture *p = ask(st, &(struct query){ 0 });

	assert_int_equal(p->sides[SIDE_IN].samples, 80);
	assert_int_equal(p->sides[SIDE_IN].calls, 100);
	assert_int_equal(p->sides[SIDE_OUT].samples, 20);
	assert_int_equal(p->split_expr, 0);
	assert_true(function(p, "expand")->extra_nsec == 0.4 * MS);
	picture_free(p);
	p = ask(none, &(struct query){ 0 });
	assert_true(p->samples == 0 && p->nodes.count == 1 && p->split_span == UINT32_MAX);
	picture_free(p);
	sample(none, 5, 3, 0, &in_main);
	p = ask(none, &(struct query){ 0 });
	assert_true(p->sides[SIDE_IN].samples == 1 && p->cut);
	picture_free(p);
	p = ask(none, &(struct query){ .live = true });
	assert_false(p->cut);
	picture_free(p);
	store_free(st);
	store_free(none);
}

static void open_calls_are_a_side(void **state)
{
	struct store *st = make_shop(NULL);
	struct event_enter enter = { .span = 9, .began = 1990 * MS, .probe = 1, .pid = PID };
	struct picture *p;

	build_enter(st, 1990 * MS, 8, &enter);
	sample(st, 1995 * MS, 8, 9, &in_parse);
	p = ask_split(st, "dur > 11ms");
	assert_int_equal(p->sides[SIDE_OPEN].samples, 1);
	assert_int_equal(p->sides[SIDE_OPEN].calls, 1);
	picture_free(p);
	p = ask_split(st, "dur > 9ms"); /* it has run for 10 already */
	assert_int_equal(p->sides[SIDE_IN].samples, 1);
	assert_int_equal(p->sides[SIDE_IN].calls, 1);
	assert_int_equal(p->sides[SIDE_REST].calls, 100);
	picture_free(p);
	store_free(st);
}

static void samples_from_before_are_their_own_side(void **state)
{
	struct store *st = make_shop(NULL);
	struct picture *p;

	sample(st, 999 * MS, 7, 0, &in_handle);
	p = ask_split(st, "dur > 3ms");
	assert_int_equal(p->sides[SIDE_BEFORE].samples, 1);
	assert_int_equal(p->sides[SIDE_OUT].samples, 20);
	picture_free(p);
	store_free(st);
}

/* What was forgotten as samples gives the same answer from the cube. */
static void forgotten_samples_still_count(void **state)
{
	const struct store_limit limits[] = { { .samples = 7 }, { .spans = 3 } };
	struct store *whole = make_shop(NULL);
	struct picture *want = ask_split(whole, "dur > 3ms");

	for (unsigned i = 0; i < COUNT_OF(limits); i++) {
		struct store *st = make_shop(&limits[i]);
		struct picture *p = ask_split(st, "dur > 3ms");

		assert_true(st->samples.dropped > 50);
		assert_int_equal(p->samples, 100);
		assert_int_equal(p->losses.forgotten, 0);
		for (unsigned s = 0; s < NR_SIDE; s++) {
			assert_int_equal(p->sides[s].samples, want->sides[s].samples);
			assert_int_equal(p->sides[s].weight_nsec, want->sides[s].weight_nsec);
			assert_int_equal(p->sides[s].calls, want->sides[s].calls);
		}
		assert_int_equal(p->nodes.at[node(p, "main/handle/parse/expand")].self[SIDE_IN],
				 40);
		assert_true(function(p, "expand")->extra_nsec ==
			    function(want, "expand")->extra_nsec);
		picture_free(p);
		p = ask_split(st, "dur > 3ms && tid == 7"); /* no thread is kept there */
		assert_int_equal(p->losses.forgotten, st->samples.dropped);
		picture_free(p);
		p = ask(st, &(struct query){ .split = "dur > 3ms",
					     .window = { .kind = WINDOW_LAST, .length = MS } });
		assert_int_equal(p->losses.forgotten, 0); /* all older than the window */
		picture_free(p);
		store_free(st);
	}
	picture_free(want);
	store_free(whole);
}

/* Probe 2 watches parse. */
static void watch_parse(struct store *st, nsec armed)
{
	struct event_probe probe = {
		.probe = 2, .sites = 1, .image = SHOP, .offset = PARSE << 8, .length = 0x100
	};

	build_probe(st, armed, &probe, "parse", "parse");
}

static void what_was_forgotten_is_before_a_new_probe(void **state)
{
	const struct store_limit limits[] = { { .samples = 7 }, { 0 } };

	for (unsigned i = 0; i < COUNT_OF(limits); i++) {
		struct store *st = make_shop(&limits[i]);
		struct picture *p;

		watch_parse(st, 2100 * MS);
		for (unsigned k = 0; k < 20; k++)
			sample(st, (2200 + k) * MS, 8, 0, &in_hot);
		p = ask_split(st, "parse.dur > 3ms");
		assert_int_equal(p->losses.forgotten, 0);
		assert_int_equal(p->samples, 120);
		assert_int_equal(p->sides[SIDE_BEFORE].samples, 100);
		assert_int_equal(p->sides[SIDE_OUT].samples, 20);
		picture_free(p);
		store_free(st);
	}
}

static void a_cube_without_room_for_a_new_probe_is_not_asked_of_it(void **state)
{
	struct store_limit limit = { .samples = 7 };
	struct store *st = make_shop(&limit);
	struct picture *p;

	limit.cells = st->cube.cells.count + 2; /* enough without it */
	store_free(st);
	st = make_shop(&limit);
	assert_int_equal(st->cube.refused, 0);
	watch_parse(st, 2100 * MS);
	p = ask_split(st, "parse.dur > 3ms");
	assert_int_equal(p->losses.forgotten, st->samples.dropped);
	picture_free(p);
	store_free(st);
}

/* The split of a probe that is gone is one of the time when it was there. */
static void a_probe_that_is_gone_can_be_asked_still(void **state)
{
	struct store *whole = make_shop(NULL), *st = make_shop(NULL);
	struct picture *want = ask_split(whole, "dur > 3ms"), *p;

	build_unprobe(st, 2000 * MS, 1);
	watch_parse(st, 2100 * MS);
	for (unsigned k = 0; k < 20; k++)
		sample(st, (3000 + k) * MS, 8, 0, &in_hot);
	build_end(st, 4000 * MS);
	p = ask_split(st, "handle.dur > 3ms");
	assert_int_equal(p->from, 1000 * MS);
	assert_int_equal(p->to, 4000 * MS);
	for (unsigned s = 0; s < SIDE_BEFORE; s++)
		assert_int_equal(p->sides[s].samples, want->sides[s].samples);
	assert_int_equal(p->sides[SIDE_BEFORE].samples, 20);
	assert_true(near(p->spans.at[p->split_span].rate, 100, 1e-9));
	picture_free(p);
	p = ask(st, &(struct query){ .split = "handle.dur > 3ms",
				     .window = { .kind = WINDOW_LAST, .length = 300 * MS } });
	assert_int_equal(p->to, 2000 * MS);
	assert_int_equal(p->sides[SIDE_OUT].samples, 20);
	picture_free(p);
	p = ask(st, &(struct query){ 0 }); /* all there is: of both, to the end */
	assert_int_equal(p->samples, 120);
	assert_int_equal(p->to, 4000 * MS);
	assert_int_equal(p->spans.count, 2);
	assert_true(near(p->spans.at[0].rate, 100, 1e-9));
	picture_free(p);
	picture_free(want);
	store_free(whole);
	store_free(st);
}

static void a_full_cube_says_what_it_refused(void **state)
{
	const struct store_limit limit = { .samples = 7, .cells = 3 };
	struct store *st = make_shop(&limit);
	struct picture *p = ask_split(st, "dur > 3ms");

	assert_true(p->losses.forgotten > 0);
	assert_int_equal(p->samples + p->losses.forgotten, 100);
	picture_free(p);
	store_free(st);
}

static void windows_take_their_part(void **state)
{
	struct query q = { .split = "dur > 3ms",
			   .window = { .kind = WINDOW_LAST, .length = 500 * MS } };
	struct store *st = make_shop(NULL);
	struct picture *p = ask(st, &q);

	assert_int_equal(p->from, 1500 * MS);
	assert_int_equal(p->sides[SIDE_IN].samples, 0);
	assert_int_equal(p->sides[SIDE_REST].samples, 9); /* those that ran after 1500 */
	assert_int_equal(p->sides[SIDE_REST].calls, 69);
	assert_int_equal(p->asked, 0);
	picture_free(p);
	q.window = (struct window){ .kind = WINDOW_RANGE, .from = 1000 * MS, .to = 1155 * MS };
	p = ask(st, &q);
	assert_int_equal(p->sides[SIDE_IN].samples, 50); /* all calls until 1200 */
	assert_int_equal(p->sides[SIDE_IN].calls, 10);
	assert_true(p->to == 1200 * MS && p->asked == 155 * MS);
	picture_free(p);
	store_free(st);
}

static void until_leaves_out_what_came_later(void **state)
{
	struct query q = { .split = "dur > 3ms", .until = 1150 * MS };
	struct store *st = make_shop(NULL);
	struct picture *p = ask(st, &q);

	assert_int_equal(p->from, 1000 * MS);
	assert_int_equal(p->to, 1200 * MS); /* between which calls are counted */
	assert_int_equal(p->sides[SIDE_IN].samples, 50);
	assert_int_equal(p->sides[SIDE_IN].calls, 10);
	assert_true(p->sides[SIDE_REST].calls < 90);
	picture_free(p);
	q.window = (struct window){ .kind = WINDOW_LAST, .length = 100 * MS };
	p = ask(st, &q);
	assert_true(p->from >= 1000 * MS && p->from <= 1050 * MS && p->to == 1200 * MS);
	picture_free(p);
	q = (struct query){ .split = "dur > 3ms", .until = UINT64_MAX };
	p = ask(st, &q);
	assert_int_equal(p->samples, 100);
	picture_free(p);
	store_free(st);
}

static void an_ewma_fades(void **state)
{
	struct query q = { .window = { .kind = WINDOW_EWMA, .length = 100 * MS } };
	struct store *st = make_store(NULL);
	struct picture *p;

	for (unsigned i = 0; i < 64; i++) {
		sample(st, 1500 * MS, 7, 0, &in_hot);
		sample(st, 1800 * MS, 7, 0, &in_main);
	}
	p = ask(st, &q);
	assert_int_equal(p->nodes.at[node(p, "main")].self[SIDE_OUT], 64);
	assert_int_equal(p->nodes.at[node(p, "main/hot")].self[SIDE_OUT], 8);
	assert_int_equal(p->nodes.at[node(p, "main/hot")].self_nsec[SIDE_OUT], 8 * MS);
	assert_int_equal(p->samples, 128);
	picture_free(p);
	store_free(st);
}

static void filters_take_their_threads(void **state)
{
	struct store *st = make_shop(NULL);
	struct picture *p = ask(st, &(struct query){ .thread = "i?" });

	assert_int_equal(p->samples, 20);
	picture_free(p);
	p = ask(st, &(struct query){ .split = "dur > 3ms", .tid = 7 });
	assert_int_equal(p->samples, 80);
	assert_false(p->sides[SIDE_IN].calls_exact);
	assert_int_equal(p->sides[SIDE_IN].calls, 10); /* all sampled ones are of thread 7 */
	assert_int_equal(p->sides[SIDE_REST].calls, 90);
	picture_free(p);
	p = ask(st, &(struct query){ .pid = 5 });
	assert_int_equal(p->samples, 0);
	picture_free(p);
	store_free(st);
}

static void what_has_no_name_is_counted(void **state)
{
	static const uint64_t user[] = { BASE + 0xe10, 0x7777, BASE + 0x20, 0 };
	static const uint64_t kernel[] = { 0xffff0010, 0 };
	struct event_sample e = { .pid = PID, .weight = MS };
	struct store *st = make_store(NULL);
	struct picture *p;
	uint32_t at;

	build_sample(st, 1100 * MS, 7, &e, (struct build_stack){ kernel, user });
	e.in_probe = 1;
	build_sample(st, 1101 * MS, 7, &e, (struct build_stack){ kernel, user });
	p = ask(st, &(struct query){ 0 });
	at = node(p, "main/[unknown]/shop-server+0xe10/sys_read");
	assert_int_not_equal(at, UINT32_MAX);
	assert_int_equal(p->frames.at[p->nodes.at[at].frame].kind, FRAME_KERNEL);
	at = p->nodes.at[at].parent;
	assert_int_equal(p->frames.at[p->nodes.at[at].frame].kind, FRAME_UNKNOWN);
	assert_int_equal(node(p, "main/[unknown]/shop-server+0xe10/[sonde probe]"), UINT32_MAX);
	assert_int_equal(p->samples, 1);
	assert_int_equal(p->losses.in_probes, 1);
	assert_int_equal(p->losses.frames, 4);
	assert_int_equal(p->losses.frames_unresolved, 2);
	picture_free(p);
	p = ask(st, &(struct query){ .no_kernel = true });
	assert_int_equal(
		p->nodes.at[node(p, "main/[unknown]/shop-server+0xe10")].self[SIDE_OUT], 1);
	picture_free(p);
	p = ask(st, &(struct query){ .no_user = true });
	assert_int_equal(p->nodes.at[node(p, "sys_read")].self[SIDE_OUT], 1);
	picture_free(p);
	store_free(st);
}

static void waits_are_shown_by_what_for(void **state)
{
	static const uint64_t user[] = { BASE + 0x20, 0 }, kernel[] = { 0xffff0010, 0 };
	static const struct build_stack both = { kernel, user }, alone = { kernel, NULL };
	struct event_wait wait = { .pid = PID, .weight = 3 * MS, .cause = CAUSE_LOCK };
	struct event_still still = { .pid = PID, .weight = 4 * MS, .looks = 4 };
	struct store *st = make_store(NULL);
	struct picture *p;
	uint32_t at;

	st->causes = CAUSES_WALL;
	st->origin.period = MS;
	build_wait(st, 1100 * MS, 7, &wait, both);
	build_still(st, 1101 * MS, 7, &still);
	build_wait(st, 1102 * MS, 8, &wait, alone);
	wait.cause = CAUSE_WAIT;
	wait.weight = MS / 2;
	build_wait(st, 1103 * MS, 9, &wait, both);
	p = ask(st, &(struct query){ 0 });
	at = node(p, "main/[waits: lock or condition]");
	assert_int_equal(p->frames.at[p->nodes.at[at].frame].kind, FRAME_WAIT);
	assert_int_equal(p->nodes.at[at].self_nsec[SIDE_OUT], 7 * MS);
	assert_int_equal(p->nodes.at[at].self[SIDE_OUT], 7);
	/* where in the kernel is left out, but where it is all that is known */
	assert_int_equal(node(p, "main/[waits: lock or condition]/sys_read"), UINT32_MAX);
	at = node(p, "[waits: lock or condition]/sys_read");
	assert_int_equal(p->nodes.at[at].self_nsec[SIDE_OUT], 3 * MS);
	assert_int_not_equal(node(p, "main/[waits]/sys_read"), UINT32_MAX);
	assert_int_equal(p->samples, 11); /* and a half */
	assert_int_equal(p->causes, CAUSES_WALL);
	assert_string_equal(picture_time(p), "time");
	assert_null(picture_unseen(p));
	picture_free(p);
	p = ask(st, &(struct query){ .causes = CAUSE_BIT(CAUSE_WAIT) | CAUSES_ON });
	assert_int_equal(node(p, "main/[waits: lock or condition]"), UINT32_MAX);
	assert_int_equal(p->samples, 1);
	assert_int_equal(p->causes, CAUSE_BIT(CAUSE_WAIT) | CAUSES_ON);
	assert_string_equal(picture_unseen(p), "spent otherwise");
	picture_free(p);
	p = ask(st, &(struct query){ .no_kernel = true });
	assert_int_not_equal(node(p, "main/[waits]"), UINT32_MAX);
	assert_int_equal(node(p, "main/[waits]/sys_read"), UINT32_MAX);
	picture_free(p);
	store_free(st);
}

/* However it came in, and wherever. */
static void interrupts_are_one_function(void **state)
{
	static const uint64_t timer[] = { 0xffff0020, 0xffff2010, 0 };
	static const uint64_t device[] = { 0xffff0020, 0xffff3010, 0 };
	struct event_sample e = { .pid = PID, .weight = MS };
	struct store *st = make_store(NULL);
	struct picture *p;

	build_sample(st, 1100 * MS, 7, &e, (struct build_stack){ timer, NULL });
	build_sample(st, 1101 * MS, 7, &e, (struct build_stack){ device, NULL });
	p = ask(st, &(struct query){ 0 });
	assert_int_equal(p->nodes.at[node(p, FRAME_INTERRUPT "/sys_read")].self[SIDE_OUT], 2);
	picture_free(p);
	store_free(st);
}

#define PROBES 3 /* the image of the kernel's [uprobes] page */

/* Two samples of a call in the kernel, one there from a probe's trap, and two at an
 * instruction that is stepped: as the leaf, and further out. */
static void sample_traps(struct store *st)
{
	static const uint64_t user[] = { BASE + (HANDLE << 8) + 0x20, BASE + 0x20, 0 };
	static const uint64_t stepped[] = { 0x7000, BASE + 0x20, 0 };
	static const uint64_t hooked[] = { BASE + (LOG << 8) + 0x20, 0x7001, BASE + 0x20, 0 };
	static const uint64_t read[] = { 0xffff0020, 0xffff0010, 0 };
	static const uint64_t trap[] = { 0xffff0020, 0xffff1010, 0 };
	struct event_map map = { .pid = PID, .image = PROBES, .start = 0x7000, .end = 0x8000 };
	struct event_sample e = { .pid = PID, .weight = MS, .span = 9 };

	build_image(st, PROBES, IMAGE_PROBES, "[uprobes]");
	build_map(st, 1000 * MS, &map);
	build_sample(st, 1100 * MS, 7, &e, (struct build_stack){ read, user });
	build_sample(st, 1101 * MS, 7, &e, (struct build_stack){ read, user });
	build_sample(st, 1102 * MS, 7, &e, (struct build_stack){ trap, user });
	build_sample(st, 1103 * MS, 7, &e, (struct build_stack){ NULL, stepped });
	build_sample(st, 1104 * MS, 7, &e, (struct build_stack){ NULL, hooked });
}

static struct store_limit few_samples = { .samples = 1 };

static void what_fell_into_a_probe_is_left_out(void **state)
{
	struct event_enter enter = { .span = 9, .began = 1099 * MS, .probe = 1, .pid = PID };
	struct event_leave leave = { .span = 9, .began = 1099 * MS, .probe = 1 };
	const struct store_limit *limit = *state;
	struct store *st = make_store(limit);
	struct picture *p;

	build_enter(st, 1099 * MS, 7, &enter);
	sample_traps(st);
	build_leave(st, 1109 * MS, 7, &leave);
	assert_int_equal(st->samples.dropped > 0, limit != NULL);
	p = ask(st, &(struct query){ 0 });
	assert_int_equal(p->losses.forgotten, 0);
	assert_int_equal(p->samples, 3);
	assert_int_equal(p->losses.in_probes, 2);
	assert_in_range(p->losses.probe_low_nsec, 1, 2 * MS);
	assert_in_range(p->losses.probe_high_nsec, 2 * MS, 10 * MS);
	assert_int_equal(p->sides[SIDE_IN].samples, 3);
	assert_int_equal(p->nodes.at[node(p, "main/handle/sys_read/sys_read")].self[SIDE_IN],
			 2);
	assert_int_equal(node(p, "main/handle/asm_exc_int3"), UINT32_MAX);
	assert_int_not_equal(node(p, "main/[sonde probe]/log"), UINT32_MAX);
	picture_free(p);
	st->probes.at[0].exit = EXIT_SITES; /* then the hook is another tool's */
	p = ask(st, &(struct query){ 0 });
	assert_int_not_equal(node(p, "main/[uprobes]/log"), UINT32_MAX);
	picture_free(p);
	p = ask(st, &(struct query){ .tid = 8 });
	assert_int_equal(p->samples, 0);
	assert_int_equal(p->losses.in_probes, 0);	/* they are not of this thread */
	assert_int_equal(p->losses.probe_high_nsec, 0); /* and calls are of all */
	picture_free(p);
	store_free(st);
}

static void traps_of_others_are_shown(void **state)
{
	struct store *st = store_new(NULL);
	struct event_map map = {
		.pid = PID, .image = SHOP, .start = BASE, .end = BASE + 0x1000
	};
	struct picture *p;

	build_image(st, SHOP, IMAGE_FILE, "/usr/bin/shop-server");
	build_map(st, 1000 * MS, &map);
	sample_traps(st);
	p = ask(st, &(struct query){ 0 });
	assert_int_equal(p->samples, 5);
	assert_int_equal(p->losses.in_probes, 0);
	assert_int_not_equal(node(p, "main/handle/asm_exc_int3/sys_read"), UINT32_MAX);
	picture_free(p);
	store_free(st);
}

static void addresses_keep_their_place(void **state)
{
	static const uint64_t one[] = { BASE + 0x20, 0 }, two[] = { BASE + 0x28, 0 };
	struct event_sample e = { .pid = PID, .weight = MS };
	struct store *st = make_store(NULL);
	struct picture *p;

	build_sample(st, 1100 * MS, 7, &e, (struct build_stack){ NULL, one });
	build_sample(st, 1101 * MS, 7, &e, (struct build_stack){ NULL, two });
	p = ask(st, &(struct query){ .fold = FOLD_ADDRESS });
	assert_int_equal(p->nodes.count, 3);
	assert_int_equal(p->frames.at[1].address, BASE + 0x20);
	assert_int_equal(p->frames.at[2].address, BASE + 0x28);
	assert_int_equal(p->images.at[0].start, BASE);
	picture_free(p);
	p = ask(st, &(struct query){ 0 });
	assert_int_equal(p->nodes.count, 2);
	assert_int_equal(p->nodes.at[1].self[SIDE_OUT], 2);
	picture_free(p);
	store_free(st);
}

static void a_wrong_split_is_an_error(void **state)
{
	struct store *st = make_shop(NULL);
	struct picture *p = NULL;
	struct error err = { "" };

	assert_int_equal(view_answer(st, &(struct query){ .split = "dur > " }, &naming, &p,
				     &err),
			 -EINVAL);
	assert_null(p);
	assert_non_null(strstr(err.text, "\n        ^"));
	assert_int_equal(view_answer(st, &(struct query){ .split = "x.dur > 1s" }, &naming, &p,
				     &err),
			 -EINVAL);
	store_free(st);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_split_tells_the_truth),
		cmocka_unit_test(a_split_may_be_against_some_of_the_others),
		cmocka_unit_test(spans_carry_their_numbers),
		cmocka_unit_test(in_the_end_no_call_is_open),
		cmocka_unit_test(without_a_split_inside_is_in),
		cmocka_unit_test(open_calls_are_a_side),
		cmocka_unit_test(samples_from_before_are_their_own_side),
		cmocka_unit_test(forgotten_samples_still_count),
		cmocka_unit_test(a_full_cube_says_what_it_refused),
		cmocka_unit_test(what_was_forgotten_is_before_a_new_probe),
		cmocka_unit_test(a_cube_without_room_for_a_new_probe_is_not_asked_of_it),
		cmocka_unit_test(a_probe_that_is_gone_can_be_asked_still),
		cmocka_unit_test(windows_take_their_part),
		cmocka_unit_test(until_leaves_out_what_came_later),
		cmocka_unit_test(an_ewma_fades),
		cmocka_unit_test(filters_take_their_threads),
		cmocka_unit_test(what_has_no_name_is_counted),
		cmocka_unit_test(interrupts_are_one_function),
		cmocka_unit_test(what_fell_into_a_probe_is_left_out),
		{ "what_fell_into_a_probe_is_left_out_of_sums",
		  what_fell_into_a_probe_is_left_out, NULL, NULL, &few_samples },
		cmocka_unit_test(waits_are_shown_by_what_for),
		cmocka_unit_test(traps_of_others_are_shown),
		cmocka_unit_test(addresses_keep_their_place),
		cmocka_unit_test(a_wrong_split_is_an_error),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
