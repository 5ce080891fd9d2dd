#include "model/lock.h"

#include "model/event_build.h"
#include "wire/futex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* Threads 100 to 109 of process 42. */
static bool is_thread(const void *context, uint32_t pid, uint32_t number)
{
	return pid == 42 && number >= 100 && number < 110;
}

/* The number of a lock whose words are these. */
static uint32_t number_of(struct locks *l, const uint32_t words[5], uint32_t val)
{
	struct spaces none = { 0 };
	struct event_futex f = { .address = 0x1000, .nr_words = FUTEX_WORDS, .val = val };
	struct lock lock;

	for (unsigned i = 0; i < 5; i++)
		f.words[i] = words[i];
	f.head.time = f.head.tid = 7;
	lock = lock_of(&none, 42, &f);
	lock_keep_owners(&lock, is_thread, NULL);
	return lock_add(l, &lock);
}

#define NUMBER(val, ...) number_of(&l, (const uint32_t[5]){ __VA_ARGS__ }, val)

static void locks_are_alike_but_for_who_has_them(void **state)
{
	struct locks l = { .refused = 0 };
	uint32_t taken = NUMBER(2, 2, 0, 101, 1);

	assert_int_equal(taken, 1);
	assert_int_equal(NUMBER(2, 2, 0, 101, 7), taken); /* how often it was locked */
	assert_int_equal(NUMBER(0, 1, 0, 101, 1), taken);
	assert_int_not_equal(NUMBER(2, 2, 0, 102, 1), taken);
	assert_int_not_equal(NUMBER(2, 0, 0, 101, 1), taken); /* it is free */
	assert_int_equal(l.list.count, 3);
	/* what counts in a condition */
	NUMBER(5, 0, 0, 6, 0);
	for (uint32_t i = 10; i < 90; i += 2)
		assert_int_equal(NUMBER(i, 0, i, i + 1, 0), 4);
	/* a robust mutex says it in its first word, with a bit */
	taken = NUMBER(0, 101 | 0x80000000, 0, 0, 0, MUTEX_ROBUST);
	assert_int_equal(lock_at(&l, taken)->futex.words[MUTEX_LOCK], 101);
	assert_int_equal(lock_at(&l, taken)->futex.words[MUTEX_KIND], MUTEX_ROBUST);
	assert_int_equal(lock_at(&l, taken)->image, 0);
	assert_null(lock_at(&l, taken + 1));
	assert_null(lock_at(&l, 0));
	locks_done(&l);
}

static void beyond_the_bound_they_are_counted(void **state)
{
	struct locks l = { .refused = 0 };
	struct lock lock = { .pid = 42 };

	for (uint32_t i = 0; i < LOCKS_MAX; i++) {
		lock.futex.address = i;
		assert_int_equal(lock_add(&l, &lock), i + 1);
	}
	assert_int_equal(lock_add(&l, &lock), LOCKS_MAX);
	lock.futex.address = LOCKS_MAX;
	assert_int_equal(lock_add(&l, &lock), 0);
	assert_int_equal(l.refused, 1);
	locks_done(&l);
}

/* Data of a file lies behind its code, and the next file's behind that. */
static void the_code_before_it_is_found(void **state)
{
	struct store *st = store_new(NULL);
	struct event_map first = {
		.pid = 42, .image = 2, .start = 0x4000, .end = 0x5000, .offset = 0x1000
	};
	struct event_map second = { .pid = 42, .image = 3, .start = 0x9000, .end = 0xa000 };
	struct event_futex f = { .address = 0x3fff };
	struct lock lock;

	build_map(st, 1, &first);
	build_map(st, 1, &second);
	assert_int_equal(lock_of(&st->spaces, 42, &f).image, 0);
	f.address = 0x8fff;
	lock = lock_of(&st->spaces, 42, &f);
	assert_int_equal(lock.image, 2);
	assert_int_equal(lock.offset, 0x1000);
	assert_int_equal(lock.distance, 0x4fff);
	f.address = 0x9000;
	assert_int_equal(lock_of(&st->spaces, 42, &f).image, 3);
	f.address = 0x7fff00000000;
	assert_int_equal(lock_of(&st->spaces, 42, &f).image, 3);
	assert_int_equal(lock_of(&st->spaces, 43, &f).image, 0);
	store_free(st);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locks_are_alike_but_for_who_has_them),
		cmocka_unit_test(beyond_the_bound_they_are_counted),
		cmocka_unit_test(the_code_before_it_is_found),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("lock", tests, NULL, NULL);
}
