#include "view/hold.h"

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define AT 0x5000
#define OWNER 4250
#define ROBUST 0x10
#define LOCK_PI 6
#define PRIVATE 128

/* A stack of one thread that waits, innermost function first; ends with NULL. */
static struct hold hold_at(const char *const *names, struct event_futex futex)
{
	struct picture *p = picture_new();
	uint32_t node = 0, count = 0;
	struct hold h;

	array_push(&p->frames, (struct picture_frame){ .kind = FRAME_OTHER }); /* the root */
	array_push(&p->nodes, (struct picture_node){ 0 });
	while (names[count])
		count++;
	while (count-- > 0) {
		struct picture_frame frame = { .name = intern_text(&p->text, names[count]) };
		struct picture_node below = { .frame = p->frames.count, .parent = node };

		if (names[count][0] == '[')
			frame.kind = FRAME_WAIT;
		else if (text_starts(names[count], "futex_"))
			frame.kind = FRAME_KERNEL;
		node = p->nodes.count;
		array_push(&p->frames, frame);
		array_push(&p->nodes, below);
	}
	futex.address = AT;
	h = hold_of(p, node, &futex);
	picture_free(p);
	return h;
}

#define STACK(...)                                                                         \
	((const char *const[]){ "futex_wait_queue", "futex_wait",                          \
				"[waits: lock or condition]", __VA_ARGS__, "work", "main", \
				NULL })

static struct event_futex words_of(uint32_t lock, uint32_t owner, uint32_t kind)
{
	return (struct event_futex){ .nr_words = FUTEX_WORDS,
				     .words = { lock, 0, owner, 0, kind } };
}

static void a_mutex_says_who_has_it(void **state)
{
	const char *const *stack = STACK("__lll_lock_wait", "pthread_mutex_lock");
	struct event_futex f = words_of(2, OWNER, 0);
	struct hold h = hold_at(stack, f);

	assert_int_equal(h.kind, HOLD_MUTEX);
	assert_int_equal(h.address, AT);
	assert_int_equal(h.owner, OWNER);
	f.nr_words = 0; /* it could not be read */
	assert_int_equal(hold_at(stack, f).owner, 0);
	f = words_of(0, OWNER, 0); /* it was let go just then */
	assert_int_equal(hold_at(stack, f).owner, 0);
	f = words_of(OWNER | 0x80000000u, 1, ROBUST);
	assert_int_equal(hold_at(stack, f).owner, OWNER);
	f = words_of(OWNER | 0x80000000u, 1, 0);
	f.op = LOCK_PI | PRIVATE;
	assert_int_equal(hold_at(stack, f).owner, OWNER);
}

static void a_rwlock_says_who_writes(void **state)
{
	const char *const *stack =
		STACK("__futex_abstimed_wait_common", "pthread_rwlock_rdlock@@GLIBC_2.34");
	struct event_futex from_phase = { .nr_words = FUTEX_WORDS, .words[4] = OWNER },
			   from_writers = { .nr_words = FUTEX_WORDS,
					    .words = { [3] = OWNER, 1 } };

	assert_int_equal(hold_at(stack, from_phase).kind, HOLD_RWLOCK);
	assert_int_equal(hold_at(stack, from_phase).owner, OWNER);
	assert_int_equal(hold_at(stack, from_writers).owner, OWNER);
}

static void what_nobody_has_is_told_apart(void **state)
{
	struct event_futex f = words_of(1, OWNER, 0);
	struct hold h;

	h = hold_at(STACK("__futex_abstimed_wait_common64",
			  "__GI___futex_abstimed_wait_cancelable64",
			  "__pthread_cond_wait_common", "___pthread_cond_wait"),
		    f);
	assert_int_equal(h.kind, HOLD_CONDITION);
	assert_int_equal(h.owner, 0);
	h = hold_at(STACK("do_futex_wait.constprop.0", "__new_sem_wait_slow64.constprop.0"), f);
	assert_int_equal(h.kind, HOLD_SEMAPHORE);
	assert_int_equal(h.owner, 0);
	f.val = OWNER;
	h = hold_at(STACK("__futex_abstimed_wait_common64", "__pthread_clockjoin_ex"), f);
	assert_int_equal(h.kind, HOLD_THREAD);
	assert_int_equal(h.owner, OWNER);
}

static void locks_of_rust_have_no_owner(void **state)
{
	struct hold h = hold_at(STACK("syscall", "std::sys::pal::unix::futex::futex_wait",
				      "std::sys::sync::mutex::futex::Mutex::lock_contended"),
				words_of(2, OWNER, 0));

	assert_int_equal(h.kind, HOLD_NATIVE_MUTEX);
	assert_string_equal(hold_words[h.kind], "mutex");
	assert_int_equal(h.owner, 0);
}

/* Without symbols of the C library there are exported ones: what lies before those passes. */
static void a_stripped_library_will_do(void **state)
{
	struct hold h = hold_at(STACK("fn_8a1b0~pthread_kill", "pthread_mutex_lock"),
				words_of(2, OWNER, 0));

	assert_int_equal(h.kind, HOLD_MUTEX);
	assert_int_equal(h.owner, OWNER);
}

/* Names of the program's own functions say nothing. */
static void a_futex_of_ones_own_is_no_lock(void **state)
{
	struct event_futex f = words_of(2, OWNER, 0);

	assert_int_equal(hold_at(STACK("syscall", "my_wait", "pthread_mutex_lock"), f).kind,
			 HOLD_FUTEX);
	assert_int_equal(hold_at(STACK("syscall", "my_wait", "sem_worker"), f).kind,
			 HOLD_FUTEX);
	assert_int_equal(hold_at(STACK("syscall"), f).kind, HOLD_FUTEX);
	assert_int_equal(hold_at(STACK("syscall"), f).owner, 0);
	assert_int_equal(hold_at((const char *const[]){ NULL }, f).kind, HOLD_FUTEX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mutex_says_who_has_it),
		cmocka_unit_test(a_rwlock_says_who_writes),
		cmocka_unit_test(what_nobody_has_is_told_apart),
		cmocka_unit_test(locks_of_rust_have_no_owner),
		cmocka_unit_test(a_stripped_library_will_do),
		cmocka_unit_test(a_futex_of_ones_own_is_no_lock),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("hold", tests, NULL, NULL);
}
