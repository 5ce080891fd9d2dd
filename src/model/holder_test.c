#include "model/holder.h"

#include "model/event_build.h"
#include "wire/futex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* Threads of process 42: B has what A waits for, C what B does. */
enum { A = 101, B, C };

#define PERIOD 1000

static const uint64_t here[] = { 0x100, 0 };

static struct store *make_store(void)
{
	struct store *st = store_new(NULL);

	build_target(st, 1, 0, PERIOD);
	for (uint32_t tid = A; tid <= C; tid++)
		build_thread(st, tid, 42, "thread");
	return st;
}

/* At an address that says what it is doing. */
static void runs(struct store *st, nsec time, uint32_t tid, uint64_t at)
{
	const uint64_t user[] = { at, 0 };

	build_sample(st, time, tid,
		     &(struct event_sample){ .pid = 42, .weight = PERIOD, .nr_user = 0 },
		     (struct build_stack){ NULL, user });
}

static void rests(struct store *st, nsec time, uint32_t tid, uint64_t at)
{
	const uint64_t user[] = { at, 0 };

	build_wait(st, time, tid,
		   &(struct event_wait){ .pid = 42, .weight = PERIOD, .cause = CAUSE_SLEEP },
		   (struct build_stack){ NULL, user });
}

/* For a mutex that another thread has. */
static void waits_for(struct store *st, nsec time, uint32_t tid, uint32_t owner)
{
	union build_record r = { 0 };
	struct event_futex *e = (void *)&r;

	*e = (struct event_futex){
		.head.time = time, .head.tid = tid, .address = 0x5000, .nr_words = FUTEX_WORDS
	};
	e->words[MUTEX_LOCK] = 2;
	e->words[MUTEX_OWNER] = owner;
	build_send(st, &r, EVENT_FUTEX, sizeof(*e));
	build_wait(st, time, tid,
		   &(struct event_wait){ .pid = 42, .weight = PERIOD, .cause = CAUSE_LOCK },
		   (struct build_stack){ NULL, here });
}

static void ended(struct store *st, nsec time, uint32_t tid, uint32_t looks)
{
	build_still(st, time, tid,
		    &(struct event_still){ .pid = 42,
					   .weight = looks * PERIOD,
					   .looks = looks | STILL_ENDED });
}

static const struct sample *sample(const struct store *st, uint32_t tid, uint32_t nth)
{
	for (uint32_t i = 0; i < st->samples.count; i++)
		if (sample_at(&st->samples, i)->tid == tid && !nth--)
			return sample_at(&st->samples, i);
	return NULL;
}

/* Where the one was that has what a thread's sample waits for, so many steps away; 0: that is
 * not known. */
static uint64_t did(const struct store *st, uint32_t tid, uint32_t nth, unsigned steps)
{
	const struct sample *s = sample(st, tid, nth);
	const struct held *held;

	assert_non_null(s);
	assert_int_not_equal(s->held, HELD_LATER);
	held = held_at(&st->holders, s->held);
	while (held && steps--)
		held = held_at(&st->holders, held->next);
	if (!held)
		return 0;
	for (node_id node = held->node;; node = tree_parent(&st->tree, node)) {
		struct frame frame = frame_at(&st->frames, tree_frame(&st->tree, node));

		if (frame.image != IMAGE_ID_WAIT)
			return frame.offset;
	}
}

static void what_ran_within_the_wait_is_known(void **state)
{
	struct store *st = make_store();

	runs(st, 9900, B, 0x900); /* it may have had no lock then */
	waits_for(st, 10000, A, B);
	runs(st, 10400, B, 0x200);
	runs(st, 11400, B, 0x300);
	ended(st, 13000, A, 2); /* seen at 11000 and 12000 */
	runs(st, 12400, B, 0x400);
	assert_int_equal(sample(st, A, 0)->held, HELD_LATER);
	assert_int_equal(st->samples.count, 7);
	build_end(st, 20000);
	assert_int_equal(did(st, A, 0, 0), 0x200);
	assert_int_equal(did(st, A, 1, 0), 0x200); /* around 10500 */
	assert_int_equal(did(st, A, 2, 0), 0x300); /* around 11500 */
	assert_int_equal(sample(st, A, 1)->weight + sample(st, A, 2)->weight, 2 * PERIOD);
	assert_int_equal(did(st, A, 0, 1), 0);
	store_free(st);
}

/* Seen once: what B did before and after may have nothing to do with it. */
static void what_ran_beside_a_short_wait_is_not(void **state)
{
	struct store *st = make_store();

	runs(st, 9900, B, 0x900);
	waits_for(st, 10000, A, B);
	runs(st, 10400, B, 0x200);
	ended(st, 11000, A, 0);
	assert_int_equal(st->samples.count, 3); /* nothing went on */
	waits_for(st, 14000, A, B);
	runs(st, 14010, B, 0x300);  /* at the same time, as far as one can say */
	waits_for(st, 15000, A, B); /* that the other ended was lost */
	build_end(st, 20000);
	assert_int_equal(did(st, A, 0, 0), 0);
	assert_int_equal(did(st, A, 1, 0), 0x300);
	assert_int_equal(did(st, A, 2, 0), 0); /* cut off by the end */
	store_free(st);
}

static void waits_of_holders_last_as_long_as_they_were_seen(void **state)
{
	struct store *st = make_store();

	rests(st, 10000, B, 0x200); /* it is not followed yet */
	waits_for(st, 11000, A, B);
	runs(st, 14100, B, 0x300);
	ended(st, 15000, B, 4); /* seen until 14000; told after it ran */
	ended(st, 16000, A, 4);
	build_end(st, 20000);
	assert_int_equal(did(st, A, 0, 0), 0x200);
	assert_int_equal(did(st, A, 1, 0), 0x200);
	assert_int_equal(did(st, A, 3, 0), 0x200); /* around 13500 */
	assert_int_equal(did(st, A, 4, 0), 0x300); /* around 14500 */
	store_free(st);
}

/* It waited once, and nothing was seen of it since: it ran, and is not sampled. */
static void what_is_over_is_over(void **state)
{
	struct store *st = make_store();

	rests(st, 10000, B, 0x200);
	ended(st, 11000, B, 0);
	waits_for(st, 12000, A, B);
	ended(st, 15000, A, 2);
	build_end(st, 20000);
	assert_int_equal(did(st, A, 0, 0), 0);
	assert_int_equal(did(st, A, 1, 0), 0);
	store_free(st);
}

/* It runs unseen: one moment is no witness for long. */
static void far_from_a_sample_it_is_not_known(void **state)
{
	struct store *st = make_store();

	waits_for(st, 10000, A, B);
	rests(st, 14000, B, 0x200);
	ended(st, 15000, B, 0);
	ended(st, 21000, A, 10);
	build_end(st, 30000);
	assert_int_equal(did(st, A, 0, 0), 0);
	assert_int_equal(did(st, A, 1, 0), 0);	   /* around 10600 */
	assert_int_equal(did(st, A, 3, 0), 0x200); /* 13100 */
	assert_int_equal(did(st, A, 6, 0), 0);	   /* 16900 */
	store_free(st);
}

static void holders_wait_for_others(void **state)
{
	struct store *st = make_store();

	runs(st, 10000, C, 0x900);
	waits_for(st, 10500, B, C);
	waits_for(st, 11000, A, B);
	runs(st, 12000, C, 0x300);
	ended(st, 14000, C, 0); /* of no wait */
	ended(st, 14000, B, 3);
	ended(st, 14000, A, 2);
	build_end(st, 20000);
	assert_int_equal(did(st, A, 1, 0), 0x100);
	assert_int_equal(did(st, A, 1, 1), 0x300);
	assert_int_equal(did(st, A, 1, 2), 0);
	assert_int_equal(did(st, B, 1, 0), 0x300);
	store_free(st);
}

static void a_ring_ends_where_it_began(void **state)
{
	struct store *st = make_store();

	waits_for(st, 10000, A, B);
	waits_for(st, 10000, B, A);
	ended(st, 14000, A, 3);
	ended(st, 14000, B, 3);
	build_end(st, 20000);
	assert_int_equal(did(st, A, 1, 0), 0x100);
	assert_int_equal(did(st, A, 1, 1), 0x100);
	assert_int_equal(did(st, A, 1, 2), 0);
	store_free(st);
}

/* Not before all was told that was seen at the same time. */
static void it_is_known_soon(void **state)
{
	struct store *st = make_store();

	waits_for(st, 10000, A, B);
	runs(st, 10400, B, 0x200);
	ended(st, 12000, A, 1);
	runs(st, 14900, C, 0x900);
	assert_int_equal(sample(st, A, 0)->held, HELD_LATER);
	runs(st, 15000, C, 0x900);
	assert_int_equal(did(st, A, 0, 0), 0x200);
	assert_int_equal(did(st, A, 1, 0), 0x200);
	assert_int_equal(st->holders.due.count, 0);
	store_free(st);
}

static void bounds_are_kept(void **state)
{
	struct holders h = { .refused = 0 };
	struct samples samples;
	struct stretch s = { .node = 1 };

	samples_init(&samples, 4);
	for (uint32_t tid = 1; tid <= HOLDERS_MAX + 3; tid++)
		holder_follow(&h, tid, NULL);
	assert_int_equal(h.list.count, HOLDERS_MAX);
	assert_int_equal(h.refused, 3);
	for (unsigned i = 0; i < 3 * HOLDER_STRETCHES; i++) {
		s.from = s.until = 10 * i;
		holder_does(&h, 7, &s);
	}
	assert_true(h.list.at[6].stretches.count <= HOLDER_STRETCHES);
	assert_int_equal(h.list.at[6].stretches.at[h.list.at[6].stretches.count - 1].from,
			 s.from);
	for (unsigned i = 0; i < HOLDERS_DUE + 10; i++) {
		if (samples_full(&samples))
			sample_drop(&samples);
		sample_add(&samples)->held = HELD_LATER;
		holder_ask_later(&h, &(struct holder_due){ .sample = i,
							   .told = 1000000,
							   .moment = { s.from, s.from, s.from },
							   .tid = 7 });
		holders_settle(&h, &samples, 0);
	}
	assert_true(h.due.count - h.asked <= HOLDERS_DUE);
	holders_settle(&h, &samples, 1000000);
	assert_int_equal(h.due.count, 0);
	for (uint32_t i = 0; i < samples.count; i++)
		assert_int_equal(held_at(&h, sample_at(&samples, i)->held)->node, 1);
	assert_null(held_at(&h, 0));
	assert_null(held_at(&h, h.held.count + 1));
	holders_done(&h);
	samples_done(&samples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_ran_within_the_wait_is_known),
		cmocka_unit_test(what_ran_beside_a_short_wait_is_not),
		cmocka_unit_test(waits_of_holders_last_as_long_as_they_were_seen),
		cmocka_unit_test(what_is_over_is_over),
		cmocka_unit_test(far_from_a_sample_it_is_not_known),
		cmocka_unit_test(holders_wait_for_others),
		cmocka_unit_test(a_ring_ends_where_it_began),
		cmocka_unit_test(it_is_known_soon),
		cmocka_unit_test(bounds_are_kept),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("holder", tests, NULL, NULL);
}
