#include "model/blame.h"

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

	*e = (struct event_futex){ .head.time = time,
				   .head.tid = tid,
				   .address = 0x5000,
				   .val = MUTEX_CONTENDED,
				   .nr_words = FUTEX_WORDS };
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
	runs(st, 11700, B, 0x300);
	ended(st, 13000, A, 2); /* seen at 11000 and 12000 */
	runs(st, 12400, B, 0x400);
	assert_int_equal(sample(st, A, 0)->held, HELD_LATER);
	assert_int_equal(st->samples.count, 7);
	build_end(st, 20000);
	assert_int_equal(did(st, A, 0, 0), 0x200);
	assert_int_equal(did(st, A, 1, 0), 0x200); /* at 11000 */
	assert_int_equal(did(st, A, 2, 0), 0x300); /* at 12000 */
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
	assert_int_equal(did(st, A, 3, 0), 0x200); /* at 14000 */
	assert_int_equal(did(st, A, 4, 0), 0x300); /* at 15000 */
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
	assert_int_equal(did(st, A, 1, 0), 0);	   /* at 11000 or so */
	assert_int_equal(did(st, A, 3, 0), 0x200); /* 13600 */
	assert_int_equal(did(st, A, 6, 0), 0);	   /* 17400 */
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
	assert_int_equal(st->due.count, 0);
	store_free(st);
}

/* The lock is another's since then. */
static void passes(struct store *st, nsec time, uint32_t waiter, uint32_t owner, nsec seen)
{
	union build_record r = { 0 };
	struct event_owner *e = (void *)&r;

	*e = (struct event_owner){ .head.time = time,
				   .head.tid = waiter,
				   .address = 0x5000,
				   .seen = seen,
				   .pid = 42,
				   .number = owner };
	build_send(st, &r, EVENT_OWNER, sizeof(*e));
}

/* Whom a sample says to have the lock. */
static uint32_t owner_of(const struct store *st, uint32_t tid, uint32_t nth)
{
	node_id node = sample(st, tid, nth)->node;
	struct frame frame;

	while ((frame = frame_at(&st->frames, tree_frame(&st->tree, node))).image !=
	       IMAGE_ID_WAIT)
		node = tree_parent(&st->tree, node);
	return lock_mutex_owner(&lock_at(&st->locks, wait_lock(&frame))->futex);
}

static void a_lock_passes_from_one_to_the_next(void **state)
{
	struct store *st = make_store();

	waits_for(st, 10000, A, B);
	runs(st, 10400, B, 0x200);
	runs(st, 12100, B, 0x900); /* it was not seen to have it any more */
	passes(st, 13000, A, C, 12000);
	runs(st, 13400, C, 0x300);
	runs(st, 14400, B, 0x900);
	runs(st, 14500, C, 0x400);
	ended(st, 16000, A, 5); /* seen until 15000 */
	build_end(st, 20000);
	assert_int_equal(owner_of(st, A, 0), B);
	assert_int_equal(did(st, A, 0, 0), 0x200);
	for (uint32_t i = 1; i <= 5; i++) /* at 11000 to 15000 */
		assert_int_equal(owner_of(st, A, i), i <= 2 ? B : C);
	assert_int_equal(did(st, A, 1, 0), 0x200);
	assert_int_equal(did(st, A, 2, 0), 0x200);
	assert_int_equal(did(st, A, 3, 0), 0x300);
	assert_int_equal(did(st, A, 4, 0), 0x400);
	assert_int_equal(did(st, A, 5, 0), 0x400);
	/* the next wait is not of these */
	waits_for(st, 21000, A, B);
	ended(st, 23000, A, 1);
	assert_int_equal(owner_of(st, A, 7), B);
	store_free(st);
}

/* It was told of by another that waits for it; nobody that is known has it at last. */
static void who_has_it_is_told_once_for_all(void **state)
{
	struct store *st = make_store();

	build_thread(st, C + 1, 42, "thread");
	waits_for(st, 10000, A, B);
	waits_for(st, 10000, C + 1, B);
	passes(st, 11000, C + 1, C, 0);
	passes(st, 12000, C + 1, 999, 11000);
	ended(st, 13000, A, 2);
	build_end(st, 20000);
	assert_int_equal(owner_of(st, A, 1), C);
	assert_int_equal(owner_of(st, A, 2), 0);
	waits_for(st, 21000, A, B);
	passes(st, 22000, A, A, 21000); /* by now it is its own */
	ended(st, 25000, A, 3);
	assert_int_equal(owner_of(st, A, 3), B);
	assert_int_equal(owner_of(st, A, 4), 0);
	assert_int_equal(sample(st, A, 4)->held, 0);
	store_free(st);
}

/* Who is waited for waits for a lock that passes meanwhile: the way ends there. */
static void a_way_does_not_go_on_to_who_had_it_before(void **state)
{
	struct store *st = make_store();

	build_thread(st, C + 1, 42, "thread");
	waits_for(st, 10000, B, C);
	waits_for(st, 10000, A, B); /* as if it were the same lock */
	passes(st, 12000, B, C + 1, 11000);
	runs(st, 12400, C, 0x300);
	runs(st, 12400, C + 1, 0x400);
	ended(st, 15000, B, 4);
	build_end(st, 20000);
	assert_int_equal(did(st, B, 4, 0), 0x400);
	assert_int_equal(did(st, A, 0, 0), 0x100);
	assert_int_equal(did(st, A, 0, 1), 0);
	store_free(st);
}

static void bounds_are_kept(void **state)
{
	struct store_limit limit = { .samples = 4 };
	struct store *st = store_new(&limit);
	struct holders *h = &st->holders;
	struct stretch s = { .node = 1 };
	struct lock_hold hold = { .tid = 7 };

	for (uint32_t tid = 1; tid <= HOLDERS_MAX + 3; tid++)
		holder_follow(h, tid, NULL);
	assert_int_equal(h->list.count, HOLDERS_MAX);
	assert_int_equal(h->refused, 3);
	for (unsigned i = 0; i < 3 * HOLDER_STRETCHES; i++) {
		s.from = s.until = 10 * i;
		holder_does(h, 7, &s);
	}
	assert_true(h->list.at[6].stretches.count <= HOLDER_STRETCHES);
	assert_int_equal(h->list.at[6].stretches.at[h->list.at[6].stretches.count - 1].from,
			 s.from);
	hold.from = hold.to = s.from;
	for (unsigned i = 0; i < 70000; i++) {
		store_add_sample(st)->held = HELD_LATER;
		blame_later(st, i, s.from, &hold, 1000000);
		blame_settle(st, 0);
	}
	assert_true(st->due.count - st->asked < 70000);
	blame_settle(st, UINT64_MAX);
	assert_int_equal(st->due.count, 0);
	for (uint32_t i = 0; i < st->samples.count; i++)
		assert_int_equal(held_at(h, sample_at(&st->samples, i)->held)->node, 1);
	assert_null(held_at(h, 0));
	assert_null(held_at(h, h->held.count + 1));
	store_free(st);
}

static void changes_of_a_lock_are_bounded(void **state)
{
	struct lock_hold first = { B, 10, 1000000 }, hold;
	struct locks l = { .refused = 0 };
	uint32_t line = lock_line(&l, 42, 0x5000);

	assert_int_equal(lock_line(&l, 42, 0x5000), line);
	assert_int_not_equal(lock_line(&l, 43, 0x5000), line);
	for (unsigned i = 1; i <= 2 * LOCK_CHANGES; i++)
		lock_changes(&l, line, &(struct lock_change){ 100 * i, 100 * i - 50, i });
	assert_true(l.lines.at[line - 1].changes.count <= LOCK_CHANGES);
	hold = lock_hold_at(&l, line, 100 * LOCK_CHANGES * 2 - 130, &first);
	assert_int_equal(hold.tid, LOCK_CHANGES * 2 - 2);
	assert_int_equal(hold.from, 100 * (LOCK_CHANGES * 2 - 2));
	assert_int_equal(hold.to, 100 * (LOCK_CHANGES * 2 - 1) - 50);
	assert_int_equal(lock_hold_at(&l, line, 150, &first).tid, 0); /* forgotten */
	first.from = 100 * LOCK_CHANGES * 2;			      /* a wait since then */
	assert_int_equal(lock_hold_at(&l, line, first.from + 5, &first).tid, B);
	for (unsigned i = 0; i < LOCK_LINES + 5; i++)
		lock_line(&l, 44, i);
	assert_int_equal(l.lines.count, LOCK_LINES);
	assert_int_equal(l.refused, 7);
	assert_int_equal(lock_hold_at(&l, 0, 150, &first).tid, B);
	locks_done(&l);
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
		cmocka_unit_test(a_lock_passes_from_one_to_the_next),
		cmocka_unit_test(who_has_it_is_told_once_for_all),
		cmocka_unit_test(a_way_does_not_go_on_to_who_had_it_before),
		cmocka_unit_test(bounds_are_kept),
		cmocka_unit_test(changes_of_a_lock_are_bounded),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("blame", tests, NULL, NULL);
}
