#include "model/wait.h"

#include "model/stack.h"
#include "wire/sample_cause.h"

#include <stddef.h>

#define PARTS_MOST 8	/* of a stretch of a wait, each with what its lock's owner did then */
#define LATER_PERIODS 3 /* so long after a moment all have been looked at that were there */

/* Says of samples before a time what those did that had what they waited for, so far as that
 * can be known by now. */
static void settle(struct store *st, nsec time)
{
	nsec later = LATER_PERIODS * st->origin.period;

	if (st->holders.asked < st->holders.due.count)
		holders_settle(&st->holders, &st->samples, time > later ? time - later : 0);
}

/* What its holder did at a moment of the wait is to be asked. */
static void ask(struct store *st, const struct store_thread *t, uint64_t sample, nsec at,
		nsec time)
{
	struct holder_due due = { .sample = sample,
				  .told = time,
				  .moment = { at, t->wait.time, t->until },
				  .tid = t->owner };

	holder_ask_later(&st->holders, &due);
}

static void ask_first(struct store *st, struct store_thread *t, nsec time)
{
	if (t->owner && t->wait.held == HELD_LATER)
		ask(st, t, t->untold, t->wait.time, time);
	t->wait.held = 0;
}

void wait_breaks(struct store *st, uint32_t tid, nsec time)
{
	if (store_thread(st, tid))
		store_get_thread(st, tid)->waits = false;
	settle(st, time);
}

void wait_ends(struct store *st, uint32_t tid, nsec time)
{
	struct store_thread *t = store_get_thread(st, tid);

	if (t->wait.cause) {
		ask_first(st, t, time);
		holder_ends(&st->holders, tid, t->wait.time, t->until);
	}
	wait_breaks(st, tid, time);
}

void wait_close(struct store *st, nsec time)
{
	for (uint32_t i = 0; i < st->threads.count; i++)
		ask_first(st, &st->threads.at[i], time);
	settle(st, UINT64_MAX);
}

static bool is_thread(const void *store, uint32_t pid, uint32_t number)
{
	return store_thread_numbered(store, pid, number);
}

/* The lock that it was told to wait for at that moment, and the thread that had it, 0 = not
 * known. */
static uint32_t join_lock(struct store *st, const struct event_wait *wait, uint32_t *ret_owner)
{
	const struct store_thread *t = store_thread(st, wait->head.tid), *owner;
	struct lock lock;
	uint32_t number;

	*ret_owner = 0;
	if (wait->cause != CAUSE_LOCK || !t || !t->futex.head.size ||
	    t->futex.head.time != wait->head.time)
		return 0;
	lock = lock_of(&st->spaces, wait->pid, &t->futex);
	lock_keep_owners(&lock, is_thread, st);
	number = lock_mutex_owner(&lock.futex);
	number = number ? number : lock_rwlock_owner(&lock.futex);
	owner = number ? store_thread_numbered(st, wait->pid, number) : NULL;
	*ret_owner = owner && owner->tid != wait->head.tid ? owner->tid : 0;
	return lock_add(&st->locks, &lock);
}

static void follow(struct store *st, uint32_t tid)
{
	const struct store_thread *t = store_thread(st, tid);
	struct stretch now = { .until = UINT64_MAX };

	if (!t || !t->waits) {
		holder_follow(&st->holders, tid, NULL);
		return;
	}
	now.from = t->wait.time;
	now.node = t->wait.node;
	now.owner = t->owner;
	holder_follow(&st->holders, tid, &now);
}

void join_wait(struct store *st, const struct event *e)
{
	enum sample_cause cause = cause_known(((const struct event_wait *)e)->cause);
	uint32_t owner, lock;
	struct store_thread *t;
	struct sample s;

	_Static_assert(offsetof(struct event_wait, frames) ==
				       offsetof(struct event_sample, frames) &&
			       offsetof(struct event_wait, nr_kernel) ==
				       offsetof(struct event_sample, nr_kernel),
		       "WAIT says what SAMPLE says");
	lock = join_lock(st, (const void *)e, &owner);
	s = stack_sample(st, (const void *)e, cause == CAUSE_CPU ? CAUSE_WAIT : cause, lock);
	if (!s.cause)
		return;
	wait_ends(st, e->tid, e->time);
	s.held = owner ? HELD_LATER : 0;
	t = store_get_thread(st, e->tid);
	t->wait = s;
	t->untold = stack_put(st, &s);
	t->waits = true;
	t->until = e->time;
	t->owner = owner;
	if (owner)
		follow(st, owner);
	holder_does(&st->holders, e->tid,
		    &(struct stretch){ s.time, UINT64_MAX, s.node, owner });
}

/* Another moment like the last, or parts of it. */
static void put_still(struct store *st, struct store_thread *t, const struct event_still *still)
{
	uint32_t looks = still->looks & ~STILL_ENDED;
	uint32_t parts = t->owner && looks > 1 ? looks : 1;
	nsec began = t->until - still->weight, left = still->weight;
	struct sample s = t->wait;

	parts = parts < PARTS_MOST ? parts : PARTS_MOST;
	s.time = still->head.time;
	s.held = t->owner ? HELD_LATER : 0;
	for (uint32_t i = 0; i < parts; i++) {
		uint64_t number;

		s.weight = left / (parts - i);
		left -= s.weight;
		number = stack_put(st, &s);
		if (t->owner)
			ask(st, t, number, began + still->weight * (2 * i + 1) / (2 * parts),
			    still->head.time);
	}
}

/* Of one that was never seen nothing is known. */
void join_still(struct store *st, const struct event *e)
{
	const struct event_still *still = (const void *)e;
	struct store_thread *t;

	if (!store_thread(st, e->tid) || !store_thread(st, e->tid)->wait.cause) {
		st->malformed++;
		return;
	}
	t = store_get_thread(st, e->tid);
	if (still->weight) {
		t->until += still->weight;
		ask_first(st, t, e->time);
		put_still(st, t, still);
	}
	if (still->looks & STILL_ENDED)
		wait_ends(st, e->tid, e->time);
	else
		settle(st, e->time);
}
