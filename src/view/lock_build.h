/*
 * lock_build - threads of the shop that wait for a lock, for tests.
 */
#ifndef SONDE_VIEW_LOCK_BUILD_H
#define SONDE_VIEW_LOCK_BUILD_H

#include "view/shop_build.h"

#define TABLE 0x2000 /* a variable, behind what is mapped of the file */

static const uint64_t in_log[] = { BASE + (LOG << 8) + 0x20, BASE + 0x20, 0 };
static const uint64_t reading[] = { 0xffff0010, 0 };

static inline void wait_at(struct store *st, nsec time, uint32_t tid, const uint64_t *user)
{
	struct event_wait wait = { .pid = PID, .weight = MS, .cause = CAUSE_LOCK };

	build_wait(st, time, tid, &wait, (struct build_stack){ reading, user });
}

/* Its process knows it as number tid + 1000. */
static inline void seen(struct store *st, nsec time, uint32_t tid, nsec ran)
{
	union build_record r = { 0 };
	struct event_seen *e = (void *)&r;

	e->head.time = time;
	e->head.tid = tid;
	e->pid = PID;
	e->ran = ran;
	e->number = tid + 1000;
	build_send(st, &r, EVENT_SEEN, sizeof(*e));
}

/* Of a mutex so far in the table. */
static inline void tell_mutex(struct store *st, nsec time, uint32_t tid, uint32_t at,
			      uint32_t number_of_owner)
{
	union build_record r = { 0 };
	struct event_futex *e = (void *)&r;

	e->head.time = time;
	e->head.tid = tid;
	e->address = BASE + TABLE + at;
	e->op = 128; /* private */
	e->nr_words = FUTEX_WORDS;
	e->words[0] = 2;
	e->words[2] = number_of_owner;
	build_send(st, &r, EVENT_FUTEX, sizeof(*e));
}

/* log() is pthread_mutex_lock(). */
static inline bool find_lock(void *context, uint32_t image, uint64_t offset,
			     struct frame_name *ret)
{
	if (!find(context, image, offset, ret))
		return false;
	if (image == SHOP && offset >> 8 == LOG)
		ret->function = "pthread_mutex_lock";
	return true;
}

static inline bool name_table(void *context, uint32_t image, uint64_t offset, uint64_t distance,
			      struct data_name *ret)
{
	assert_int_equal(image, SHOP);
	assert_int_equal(offset, 0);
	if (distance - TABLE >= 80)
		return false;
	text_add(&ret->name, "table");
	ret->into = distance - TABLE;
	ret->size = 80;
	return true;
}

static const struct naming lock_naming = { .find = find_lock, .variable = name_table };

#endif
