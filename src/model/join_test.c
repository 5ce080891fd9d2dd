#include "model/join.h"

#include "model/event_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const struct event_sample plain = { .pid = 42, .weight = 1000 };

static struct store *make_store(const struct store_limit *limit)
{
	struct store *st = store_new(limit);
	struct event_map text = {
		.pid = 42, .image = 2, .start = 0x400000, .end = 0x500000, .offset = 0x1000
	};

	build_target(st, 10, 5000, 1000);
	build_process(st, 42, "shop-server");
	build_thread(st, 43, 42, "worker-1");
	build_image(st, 2, IMAGE_FILE, "/usr/bin/shop-server");
	build_map(st, 10, &text);
	return st;
}

static struct sample *newest(const struct store *st)
{
	return sample_at(&st->samples, st->samples.count - 1);
}

/* Checks one frame of a stack, and gives the parent. */
static node_id frame_is(const struct store *st, node_id node, uint32_t image, uint64_t offset)
{
	struct frame f = frame_at(&st->frames, tree_frame(&st->tree, node));

	assert_int_equal(f.image, image);
	assert_int_equal(f.offset, offset);
	return tree_parent(&st->tree, node);
}

static void a_stack_is_user_then_kernel_root_first(void **state)
{
	static const uint64_t kernel[] = { 0xffff0010, 0xffff0020, 0 };
	static const uint64_t user[] = { 0x400100, 0x400200, 0x999, 0 };
	struct store *st = make_store(NULL);
	node_id at;

	build_sample(st, 100, 43, &plain, (struct build_stack){ kernel, user });
	at = newest(st)->node;
	at = frame_is(st, at, IMAGE_KERNEL_ID, 0xffff0010);
	at = frame_is(st, at, IMAGE_KERNEL_ID, 0xffff001f); /* on the call, not behind it */
	at = frame_is(st, at, 2, 0x1100);		    /* where it was, not a call */
	at = frame_is(st, at, 2, 0x11ff);
	at = frame_is(st, at, 0, 0x998); /* outside every map */
	assert_int_equal(at, 0);
	assert_int_equal(newest(st)->weight, 1000);
	assert_int_equal(newest(st)->pid, 42);
	/* the same stack is the same node, from the cache or not */
	build_sample(st, 101, 43, &plain, (struct build_stack){ kernel, user });
	assert_int_equal(newest(st)->node, sample_at(&st->samples, 0)->node);
	memset(st->stacks, 0, STACK_CACHE * sizeof(*st->stacks));
	build_sample(st, 102, 43, &plain, (struct build_stack){ kernel, user });
	assert_int_equal(newest(st)->node, sample_at(&st->samples, 0)->node);
	assert_int_equal(st->tree.nodes.count, 6);
	store_free(st);
}

static void a_new_map_counts_for_stacks_seen_before(void **state)
{
	static const uint64_t user[] = { 0x700100, 0 };
	struct event_map late = { .pid = 42, .image = 3, .start = 0x700000, .end = 0x701000 };
	struct store *st = make_store(NULL);

	build_sample(st, 100, 43, &plain, (struct build_stack){ NULL, user });
	frame_is(st, newest(st)->node, 0, 0x700100);
	build_map(st, 150, &late);
	build_sample(st, 200, 43, &plain, (struct build_stack){ NULL, user });
	frame_is(st, newest(st)->node, 3, 0x100);
	late.image = 4;
	build_map(st, 300, &late);
	build_sample(st, 310, 43, &plain, (struct build_stack){ NULL, user });
	frame_is(st, newest(st)->node, 4, 0x100);
	build_sample(st, 290, 43, &plain, (struct build_stack){ NULL, user }); /* came late */
	frame_is(st, newest(st)->node, 3, 0x100);
	store_free(st);
}

static void odd_stacks_have_frames_of_their_own(void **state)
{
	static const uint64_t kernel[] = { 0xffff0010, 0 }, user[] = { 0x400100, 0 };
	struct event_sample in_probe = plain, truncated = plain;
	struct store *st = make_store(NULL);
	node_id at;

	in_probe.in_probe = 1;
	build_sample(st, 100, 43, &in_probe, (struct build_stack){ kernel, user });
	at = frame_is(st, newest(st)->node, IMAGE_ID_PROBE, 0);
	frame_is(st, at, 2, 0x1100);
	truncated.user_end = STACK_TRUNCATED;
	build_sample(st, 100, 43, &truncated, (struct build_stack){ NULL, user });
	at = frame_is(st, newest(st)->node, 2, 0x1100);
	assert_int_equal(frame_is(st, at, IMAGE_ID_TRUNCATED, 0), 0);
	build_sample(st, 100, 43, &plain, (struct build_stack){ NULL, NULL });
	assert_int_equal(newest(st)->node, 0);
	store_free(st);
}

static void a_call_is_a_frame_that_knows_its_entry(void **state)
{
	static const uint64_t user[] = { 0x400100, FRAME_CALL | 0x400040, 0x400201, 0 },
			      nowhere[] = { 0x400100, FRAME_CALL | 0x100, 0x400201, 0 };
	struct store *st = make_store(NULL);
	node_id at;

	build_sample(st, 100, 43, &plain, (struct build_stack){ NULL, user });
	at = frame_is(st, newest(st)->node, 2, 0x1100);
	at = frame_is(st, at, IMAGE_ID_CALL, frame_add(&st->frames, 2, 0x1040));
	assert_int_equal(frame_is(st, at, 2, 0x1200), 0);
	build_sample(st, 101, 43, &plain, (struct build_stack){ NULL, nowhere });
	at = frame_is(st, newest(st)->node, 2, 0x1100);
	assert_int_equal(frame_is(st, at, 2, 0x1200), 0);
	store_free(st);
}

static void a_wait_lies_between_the_halves_of_its_stack(void **state)
{
	static const uint64_t kernel[] = { 0xffff0010, 0 }, user[] = { 0x400100, 0 };
	static const struct build_stack stack = { kernel, user };
	struct event_wait wait = {
		.pid = 42, .weight = 3000, .cause = CAUSE_LOCK, .call = 202
	};
	struct store *st = make_store(NULL);
	node_id at, running;

	build_sample(st, 100, 43, &plain, stack);
	running = newest(st)->node;
	build_wait(st, 101, 43, &wait, stack);
	at = frame_is(st, newest(st)->node, IMAGE_KERNEL_ID, 0xffff0010);
	at = frame_is(st, at, IMAGE_ID_WAIT, CAUSE_LOCK);
	assert_int_equal(frame_is(st, at, 2, 0x1100), 0);
	assert_int_not_equal(newest(st)->node, running);
	assert_int_equal(newest(st)->cause, CAUSE_LOCK);
	assert_int_equal(newest(st)->weight, 3000);
	wait.cause = CAUSE_SLEEP; /* the same stack, for something else */
	build_wait(st, 102, 43, &wait, stack);
	at = frame_is(st, newest(st)->node, IMAGE_KERNEL_ID, 0xffff0010);
	frame_is(st, at, IMAGE_ID_WAIT, CAUSE_SLEEP);
	wait.cause = 200; /* of a later version */
	build_wait(st, 103, 43, &wait, stack);
	assert_int_equal(newest(st)->cause, CAUSE_WAIT);
	wait.cause = CAUSE_CPU; /* a wait is none */
	build_wait(st, 104, 43, &wait, stack);
	assert_int_equal(newest(st)->cause, CAUSE_WAIT);
	build_sample(st, 105, 43, &plain, stack);
	assert_int_equal(newest(st)->node, running);
	store_free(st);
}

static void a_wait_goes_on(void **state)
{
	static const uint64_t user[] = { 0x400100, 0 };
	struct event_wait wait = {
		.pid = 42, .weight = 1000, .span = 7, .cause = CAUSE_LOCK, .cpu = 3
	};
	struct event_still still = { .pid = 42, .weight = 9000, .looks = 9 };
	struct store *st = make_store(NULL);

	build_still(st, 90, 43, &still); /* of what was never seen */
	assert_int_equal(st->malformed, 1);
	assert_int_equal(st->samples.count, 0);
	build_wait(st, 100, 43, &wait, (struct build_stack){ NULL, user });
	build_sample(st, 101, 44, &plain, (struct build_stack){ NULL, NULL });
	build_still(st, 110, 44, &still); /* this thread was seen running only */
	assert_int_equal(st->malformed, 2);
	build_still(st, 120, 43, &still);
	assert_int_equal(newest(st)->node, sample_at(&st->samples, 0)->node);
	assert_int_equal(newest(st)->time, 120);
	assert_int_equal(newest(st)->weight, 9000);
	assert_int_equal(newest(st)->span, 7);
	assert_int_equal(newest(st)->cause, CAUSE_LOCK);
	assert_true(sample_moments(newest(st), 1000) == 9);
	assert_true(sample_moments(sample_at(&st->samples, 1), 1) == 1); /* of one that ran */
	store_free(st);
}

static void records_of_a_span_come_in_any_order(void **state)
{
	struct event_sample inside = plain;
	struct event_leave leave = { .span = 7, .parent = 5, .began = 90, .probe = 3 };
	struct event_enter enter = {
		.span = 7, .parent = 5, .began = 90, .probe = 3, .pid = 42
	};
	struct store *st = make_store(NULL);
	struct span *span;

	inside.span = 7;
	build_sample(st, 100, 43, &inside, (struct build_stack){ NULL, NULL });
	span = span_find(&st->spans, 7);
	assert_true(span && !span->probe && !span->over && span->seen == 100);
	leave.retval = 11;
	build_leave(st, 130, 43, &leave); /* ENTER is lost, or late */
	span = span_find(&st->spans, 7);
	assert_true(span->probe == 3 && span->parent == 5 && span_finished(span));
	assert_int_equal(span_age(span, 0), 40);
	assert_int_equal(span->retval, 11);
	build_enter(st, 95, 43, &enter);
	assert_true(span_finished(span_find(&st->spans, 7)));
	assert_int_equal(span_find(&st->spans, 7)->pid, 42);
	assert_int_equal(st->spans.ids.count, 1);
	store_free(st);
}

static void the_end_reason_says_whether_a_duration_is_known(void **state)
{
	struct store *st = make_store(NULL);

	for (unsigned reason = 0; reason < NR_SPAN_END + 1; reason++) {
		struct event_leave leave = {
			.span = 10 + reason, .began = 50, .probe = 1, .reason = reason
		};

		build_leave(st, 100, 43, &leave);
		assert_int_equal(span_finished(span_find(&st->spans, 10 + reason)),
				 reason <= END_EXEC || reason == END_THROW ||
					 reason == END_BRACKET);
	}
	/* of a newer sonde: it ended, and nobody knows why */
	assert_int_equal(span_find(&st->spans, 10 + NR_SPAN_END)->reason, END_LOST);
	assert_int_equal(st->malformed, 0);
	store_free(st);
}

static void ends_that_calls_have_no_room_for_are_of_the_same_interval(void **state)
{
	static const nsec durations[] = { 5, 7 };
	union build_record r = { 0 };
	struct event_ends *ends = (void *)&r;
	struct window all = { .kind = WINDOW_ALL };
	struct call_count count;
	struct store *st = make_store(NULL);

	build_calls(st, 100, 200, 1, durations, 2);
	*ends = (struct event_ends){ .head.time = 200, .since = 100, .probe = 1, .nr_ends = 2 };
	ends->ends[0] = (struct end_count){ NR_SPAN_END, 3 };
	ends->ends[1] = (struct end_count){ END_FOREIGN, 4 };
	build_send(st, &r, EVENT_ENDS, sizeof(*ends) + 2 * sizeof(ends->ends[0]));
	timeline_count(&store_probe(st, 1)->calls, &all, &count);
	assert_true(count.ended[END_RETURN] == 2 && count.entries == 2);
	assert_true(count.ended[END_LOST] == 3 && count.ended[END_FOREIGN] == 4);
	assert_int_equal(store_probe(st, 1)->calls.all.count, 1);

	ends->head.time = 300; /* its EVENT_CALLS was lost */
	build_send(st, &r, EVENT_ENDS, sizeof(*ends) + 2 * sizeof(ends->ends[0]));
	timeline_count(&store_probe(st, 1)->calls, &all, &count);
	assert_true(count.ended[END_LOST] == 6 && count.ended[END_RETURN] == 2);
	ends->nr_ends = 3;
	build_send(st, &r, EVENT_ENDS, sizeof(*ends) + 2 * sizeof(ends->ends[0]));
	assert_int_equal(st->malformed, 1);
	store_free(st);
}

static void sums_are_of_the_same_interval(void **state)
{
	static const nsec durations[] = { 5, 7 };
	union build_record r = { 0 };
	struct event_call_sum *sum = (void *)&r;
	struct window all = { .kind = WINDOW_ALL };
	struct call_count count;
	struct store *st = make_store(NULL);

	build_calls(st, 100, 200, 1, durations, 2);
	*sum = (struct event_call_sum){
		.head.time = 200, .since = 100, .probe = 1, .nsec = 30
	};
	build_send(st, &r, EVENT_UNSURE, sizeof(*sum));
	sum->nsec = 4;
	build_send(st, &r, EVENT_PROBED, sizeof(*sum));
	timeline_count(&store_probe(st, 1)->calls, &all, &count);
	assert_true(count.sum[SUM_UNSURE] == 30 && count.sum[SUM_PROBED] == 4);
	assert_true(count.entries == 2);
	assert_int_equal(store_probe(st, 1)->calls.all.count, 1);
	sum->since = 201;
	build_send(st, &r, EVENT_UNSURE, sizeof(*sum));
	sum->since = 100;
	sum->probe = 0;
	build_send(st, &r, EVENT_PROBED, sizeof(*sum));
	assert_int_equal(st->malformed, 2);
	store_free(st);
}

static void calls_that_are_open_when_their_probe_goes_were_left(void **state)
{
	struct event_enter enter = { .span = 7, .began = 90, .probe = 3, .pid = 42 };
	struct event_leave leave = { .span = 9, .began = 50, .probe = 3 };
	struct event_probe probe = { .probe = 3, .sites = 1 };
	struct store *st = make_store(NULL);

	build_probe(st, 20, &probe, "handle", "handle");
	build_enter(st, 90, 43, &enter);
	enter.span = 8;
	enter.probe = 4;
	build_enter(st, 95, 43, &enter);
	build_leave(st, 100, 43, &leave);
	build_unprobe(st, 200, 5); /* not known: nothing */
	assert_int_equal(st->probes.count, 1);
	build_unprobe(st, 200, 3);
	assert_int_equal(store_probe(st, 3)->removed, 200);
	assert_true(span_find(&st->spans, 7)->over);
	assert_int_equal(span_find(&st->spans, 7)->reason, END_DETACHED);
	assert_int_equal(span_find(&st->spans, 7)->ended, 200);
	assert_false(span_finished(span_find(&st->spans, 7)));
	assert_false(span_find(&st->spans, 8)->over);
	assert_int_equal(span_find(&st->spans, 9)->ended, 100);
	build_unprobe(st, 300, 3); /* it was taken away already */
	assert_int_equal(store_probe(st, 3)->removed, 200);
	assert_int_equal(st->malformed, 0);
	store_free(st);
}

static void of_probes_that_are_gone_the_newest_are_kept(void **state)
{
	struct store *st = make_store(NULL);
	struct event_probe probe = { .sites = 1 };

	for (uint32_t id = 1; id <= STORE_MAX_REMOVED + 10; id++) {
		probe.probe = id;
		build_probe(st, 10 * id, &probe, "handle", "handle");
		if (id != 5)
			build_unprobe(st, 10 * id + 5, id);
	}
	assert_int_equal(st->probes.count, STORE_MAX_REMOVED + 1);
	assert_non_null(store_probe(st, 5)); /* it is there still */
	assert_int_equal(store_main_probe(st)->id, 5);
	assert_null(store_probe(st, 10));
	for (uint32_t id = 11; id <= STORE_MAX_REMOVED + 10; id++)
		assert_int_equal(store_probe(st, id)->id, id);
	build_unprobe(st, 5000, 5);
	assert_int_equal(store_main_probe(st)->id, 5);
	assert_null(store_probe(st, 11));
	store_free(st);
}

static void lives_of_processes(void **state)
{
	static const uint64_t user[] = { 0x400100, 0 };
	struct event_sample of_child = plain;
	struct store *st = make_store(NULL);

	build_fork(st, 200, 42, 50);
	assert_string_equal(store_process(st, 50)->comm, "shop-server");
	assert_int_equal(store_process(st, 50)->parent, 42);
	of_child.pid = 50;
	build_sample(st, 210, 50, &of_child, (struct build_stack){ NULL, user });
	frame_is(st, newest(st)->node, 2, 0x1100);
	build_exec(st, 220, 50);
	build_sample(st, 230, 50, &of_child, (struct build_stack){ NULL, user });
	frame_is(st, newest(st)->node, 0, 0x400100);
	assert_string_equal(store_thread_name(st, 43), "worker-1");
	assert_string_equal(store_thread_name(st, 12345), "");
	assert_int_equal(st->threads_seen, 2);
	store_free(st);
}

static void see(struct store *st, uint32_t tid, uint32_t pid, uint32_t number)
{
	union build_record r = { 0 };
	struct event_seen *e = (void *)&r;

	e->head.tid = tid;
	e->pid = pid;
	e->number = number;
	build_send(st, &r, EVENT_SEEN, sizeof(*e));
}

static void threads_are_found_by_their_own_numbers(void **state)
{
	struct store *st = make_store(NULL);

	see(st, 500, 400, 2);
	assert_int_equal(store_thread_numbered(st, 400, 2)->tid, 500);
	assert_null(store_thread_numbered(st, 400, 500));
	assert_null(store_thread_numbered(st, 401, 2));
	see(st, 500, 401, 2); /* another thread by now, of another process */
	assert_int_equal(store_thread_numbered(st, 401, 2)->tid, 500);
	assert_null(store_thread_numbered(st, 400, 2));
	see(st, 500, 401, 0);
	assert_null(store_thread_numbered(st, 401, 2));
	assert_int_equal(store_thread_numbered(st, 401, 500)->tid, 500);
	store_free(st);
}

static void children_are_summed_up(void **state)
{
	static const uint64_t lives[][2] = { { 1000, 1500 }, { 2000, 2000 }, { 3000, 3900 } };
	union build_record r = { 0 };
	struct event_armed *armed = (void *)&r;
	struct store *st = store_new(NULL);

	for (unsigned i = 0; i < 3; i++) {
		memset(&r, 0, sizeof(r));
		armed->since = lives[i][0];
		armed->head.time = lives[i][1];
		build_send(st, &r, EVENT_ARMED, sizeof(*armed));
	}
	assert_int_equal(st->children.count, 3);
	assert_int_equal(st->children.unwatched, 1);
	assert_int_equal(st->children.latest, 900);
	store_free(st);
}

/* Thousands of probes that are counted each second. */
static void timelines_are_bounded_together(void **state)
{
	struct store *st = store_new(NULL);
	union build_record r = { 0 };
	struct event_calls *calls = (void *)&r;
	uint64_t entries = 0, intervals = 0;

	for (uint32_t i = 0; i < 200; i++) {
		for (uint32_t probe = 1; probe <= 3000; probe++) {
			memset(&r, 0, sizeof(r));
			calls->probe = probe;
			calls->since = i * 1000;
			calls->head.time = i * 1000 + 1000;
			calls->entries = 2;
			build_send(st, &r, EVENT_CALLS, sizeof(*calls));
		}
	}
	for (uint32_t i = 0; i < st->probes.count; i++) {
		const struct timeline *t = &st->probes.at[i].calls;

		intervals += t->all.count;
		for (uint32_t k = 0; k < t->all.count; k++)
			entries += t->all.at[k].entries;
	}
	assert_int_equal(entries, 2 * 200 * 3000);
	assert_true(intervals <= STORE_MAX_INTERVALS && intervals > STORE_MAX_INTERVALS / 4);
	assert_int_equal(st->probes.at[0].calls.all.at[0].since, 0);
	store_free(st);
}

static void programs_are_summed_up(void **state)
{
	static const uint64_t gaps[][2] = { { 1000, 1500 }, { 3000, 3400 } };
	union build_record r = { 0 };
	struct event_program *program = (void *)&r;
	struct store *st = store_new(NULL);

	for (unsigned i = 0; i < 2; i++) {
		memset(&r, 0, sizeof(r));
		program->since = gaps[i][0];
		program->head.time = gaps[i][1];
		build_send(st, &r, EVENT_PROGRAM, sizeof(*program));
	}
	assert_int_equal(st->programs.count, 2);
	assert_int_equal(st->programs.latest, 500);
	store_free(st);
}

/* It stands for more functions then, and has been watched as long as ever. */
static void a_probe_may_be_told_of_again(void **state)
{
	struct store *st = store_new(NULL);
	struct event_probe probe = { .probe = 1, .sites = 1 };

	build_probe(st, 1000, &probe, "parse", "parse");
	probe.sites = 2;
	build_probe(st, 5000, &probe, "parse", "parse");
	assert_int_equal(store_probe(st, 1)->sites, 2);
	assert_int_equal(store_probe(st, 1)->armed, 1000);
	assert_int_equal(st->last_armed, 1000);
	build_unprobe(st, 6000, 1);
	build_probe(st, 7000, &probe, "parse", "parse");
	assert_int_equal(store_probe(st, 1)->armed, 7000);
	assert_int_equal(st->last_armed, 7000);
	store_free(st);
}

static void short_and_lying_records_are_counted(void **state)
{
	union build_record r = { 0 };
	struct event_sample *sample = (void *)&r;
	struct event_calls *calls = (void *)&r;
	struct event_image *image = (void *)&r;
	struct event_armed *armed = (void *)&r;
	struct store *st = store_new(NULL);

	for (unsigned kind = 0; kind < 40; kind++) {
		memset(&r, 0, sizeof(r));
		build_send(st, &r, kind, sizeof(struct event));
	}
	assert_int_equal(st->malformed, 33); /* all that are joined */
	memset(&r, 0, sizeof(r));
	sample->nr_user = 65535;
	sample->nr_kernel = 65535;
	build_send(st, &r, EVENT_SAMPLE, sizeof(*sample) + 16);
	memset(&r, 0, sizeof(r));
	calls->probe = 1;
	calls->nr_buckets = UINT32_MAX;
	build_send(st, &r, EVENT_CALLS, sizeof(*calls) + 8);
	memset(&r, 0, sizeof(r));
	image->image = IMAGE_ID_PROBE;
	build_send(st, &r, EVENT_IMAGE, sizeof(*image));
	image->image = 3;
	image->build_id_size = 99;
	build_send(st, &r, EVENT_IMAGE, sizeof(*image));
	armed->since = 1000; /* before it was forked */
	armed->head.time = 999;
	build_send(st, &r, EVENT_ARMED, sizeof(*armed));
	build_send(st, &r, EVENT_PROGRAM, sizeof(struct event_program)); /* before the exec */
	assert_int_equal(st->malformed, 39);
	assert_int_equal(st->children.count, 0);
	assert_int_equal(st->programs.count, 0);
	assert_int_equal(st->samples.count, 0);
	store_free(st);
}

static void texts_without_an_end_are_cut_at_the_record(void **state)
{
	union build_record r;
	struct event_probe *probe = (void *)&r;
	struct event_process *process = (void *)&r;
	struct store *st = store_new(NULL);

	memset(&r, 'x', sizeof(r));
	probe->probe = 9;
	probe->exit = 77;
	build_send(st, &r, EVENT_PROBE, sizeof(*probe) + 16);
	assert_string_equal(intern_string(&st->text, store_probe(st, 9)->place),
			    "xxxxxxxxxxxxxxxx");
	assert_string_equal(intern_string(&st->text, store_probe(st, 9)->function), "");
	assert_int_equal(store_probe(st, 9)->exit, EXIT_NONE);
	memset(&r, 'y', sizeof(r));
	process->pid = 4;
	build_send(st, &r, EVENT_PROCESS, sizeof(*process) + 4000);
	assert_int_equal(strlen(store_process(st, 4)->comm), 31);
	store_free(st);
}

/* Whatever comes, the store stays whole. */
static void random_records_do_no_harm(void **state)
{
	const struct store_limit small = {
		.samples = 50, .spans = 20, .nodes = 300, .cells = 40
	};
	struct store *st = store_new(&small);
	union build_record r;

	for (uint64_t i = 0; i < 60000; i++) {
		for (unsigned w = 0; w < 20; w++) {
			uint64_t v = hash_u64(i * 31 + w);

			((uint64_t *)&r)[w] = v % 3 ? v % 7 : v;
		}
		build_send(st, &r, hash_u64(i) % 26, 16 + hash_u64(i + 1) % 18 * 8);
	}
	assert_true(st->samples.count <= 50 && st->spans.ids.count <= 20);
	assert_true(st->tree.nodes.count <= 300 && st->cube.cells.count <= 40);
	for (node_id n = 1; n < st->tree.nodes.count; n++)
		assert_true(tree_parent(&st->tree, n) < n);
	assert_int_equal(st->spans.open.count + st->spans.ended.count, st->spans.ids.count);
	store_free(st);
}

static void too_many_threads_replace_the_oldest(void **state)
{
	struct store *st = store_new(NULL);

	for (uint32_t tid = 1; tid <= STORE_MAX_THREADS + 10; tid++)
		build_thread(st, tid, 1, "t");
	assert_int_equal(st->threads.count, STORE_MAX_THREADS);
	assert_int_equal(st->threads_seen, STORE_MAX_THREADS + 10);
	assert_null(store_thread(st, 10));
	assert_non_null(store_thread(st, 11));
	assert_non_null(store_thread(st, STORE_MAX_THREADS + 10));
	store_free(st);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_is_user_then_kernel_root_first),
		cmocka_unit_test(a_new_map_counts_for_stacks_seen_before),
		cmocka_unit_test(odd_stacks_have_frames_of_their_own),
		cmocka_unit_test(a_call_is_a_frame_that_knows_its_entry),
		cmocka_unit_test(a_wait_lies_between_the_halves_of_its_stack),
		cmocka_unit_test(a_wait_goes_on),
		cmocka_unit_test(records_of_a_span_come_in_any_order),
		cmocka_unit_test(the_end_reason_says_whether_a_duration_is_known),
		cmocka_unit_test(sums_are_of_the_same_interval),
		cmocka_unit_test(ends_that_calls_have_no_room_for_are_of_the_same_interval),
		cmocka_unit_test(calls_that_are_open_when_their_probe_goes_were_left),
		cmocka_unit_test(of_probes_that_are_gone_the_newest_are_kept),
		cmocka_unit_test(lives_of_processes),
		cmocka_unit_test(threads_are_found_by_their_own_numbers),
		cmocka_unit_test(children_are_summed_up),
		cmocka_unit_test(timelines_are_bounded_together),
		cmocka_unit_test(programs_are_summed_up),
		cmocka_unit_test(a_probe_may_be_told_of_again),
		cmocka_unit_test(short_and_lying_records_are_counted),
		cmocka_unit_test(texts_without_an_end_are_cut_at_the_record),
		cmocka_unit_test(random_records_do_no_harm),
		cmocka_unit_test(too_many_threads_replace_the_oldest),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
