#include "model/wait.h"

#include "model/blame.h"
#include "model/stack.h"
#include "wire/sample_cause.h"

#include <stddef.h>

#define PARTS_MOST 8 /* of a stretch of a wait: who has its lock, and does what, may change */

/* Its first sample, which was put before it was known how long it would be there. */
static void ask_first(struct store *st, struct store_thread *t, nsec time)
{
	struct lock_hold hold = blame_at(st, t, t->wait.time);

	if (t->wait.held == HELD_LATER)
		blame_later(st, t->untold, t->wait.time, &hold, time);
	t->wait.held = 0;
}

/* May somebody else be named who ends it? */
static bool is_woken(uint8_t cause)
{
	return cause != CAUSE_CPU && cause != CAUSE_RUNNABLE && cause != CAUSE_STOPPED;
}

/* Puts a sample of a wait that nobody is known to be to blame for: who ends it will be. */
static uint64_t put_unwoken(struct store *st, struct store_thread *t, struct sample *s)
{
	uint64_t next = st->samples.dropped + st->samples.count;

	s->held = t->woken ? t->woken : is_woken(s->cause) ? HELD_LATER : 0;
	s->before = 0;
	if (s->held == HELD_LATER) {
		if (t->unwoken && next - t->unwoken < UINT32_MAX)
			s->before = next + 1 - t->unwoken;
		t->unwoken = next + 1;
	}
	return stack_put(st, s);
}

/* Says who ended its wait; 0: that stays unknown. */
static void tell_woken(struct store *st, struct store_thread *t, uint32_t held)
{
	uint64_t number = t->unwoken;

	t->unwoken = 0;
	while (number > st->samples.dropped) {
		struct sample *s = sample_at(&st->samples, number - 1 - st->samples.dropped);

		if (s->held == HELD_LATER)
			s->held = held;
		if (!s->before)
			break;
		number -= s->before;
	}
}

void wait_breaks(struct store *st, uint32_t tid, nsec time)
{
	if (store_thread(st, tid))
		store_get_thread(st, tid)->waits = false;
	blame_settle(st, time);
}

void wait_ends(struct store *st, uint32_t tid, nsec time)
{
	struct store_thread *t = store_get_thread(st, tid);

	if (t->wait.cause) {
		ask_first(st, t, time);
		holder_ends(&st->holders, tid, t->wait.time, t->until);
	}
	tell_woken(st, t, 0);
	t->woken = 0;
	wait_breaks(st, tid, time);
}

void wait_close(struct store *st, nsec time)
{
	for (uint32_t i = 0; i < st->threads.count; i++) {
		ask_first(st, &st->threads.at[i], time);
		tell_woken(st, &st->threads.at[i], 0);
	}
	blame_settle(st, UINT64_MAX);
}

static bool is_thread(const void *store, uint32_t pid, uint32_t number)
{
	return store_thread_numbered(store, pid, number);
}

/* What a thread waits for. */
struct told_lock {
	uint32_t number; /* 0 = not known */
	uint32_t owner;	 /* thread that has it, 0 = not known */
	uint32_t line;
};

/* The lock that it was told to wait for at that moment. */
static struct told_lock join_lock(struct store *st, const struct event_wait *wait)
{
	const struct store_thread *t = store_thread(st, wait->head.tid), *owner;
	struct told_lock told = { .number = 0 };
	struct lock lock;
	uint32_t number;

	if (wait->cause != CAUSE_LOCK || !t || !t->futex.head.size ||
	    t->futex.head.time != wait->head.time)
		return told;
	lock = lock_of(&st->spaces, wait->pid, &t->futex);
	lock_keep_owners(&lock, is_thread, st);
	number = lock_mutex_owner(&lock.futex);
	number = number ? number : lock_rwlock_owner(&lock.futex);
	owner = number ? store_thread_numbered(st, wait->pid, number) : NULL;
	told.owner = owner && owner->tid != wait->head.tid ? owner->tid : 0;
	if (lock_is_followed(&t->futex))
		told.line = lock_line(&st->locks, wait->pid, t->futex.address);
	told.number = lock_add(&st->locks, &lock);
	return told;
}

static void follow(struct store *st, uint32_t tid)
{
	const struct store_thread *t = store_thread(st, tid);
	struct stretch now = { .until = UINT64_MAX };

	if (!tid)
		return;
	if (!t || !t->waits) {
		holder_follow(&st->holders, tid, NULL);
		return;
	}
	now.from = t->wait.time;
	now.node = t->wait.node;
	now.owner = t->owner;
	now.line = t->line;
	holder_follow(&st->holders, tid, &now);
}

void join_wait(struct store *st, const struct event *e)
{
	enum sample_cause cause = cause_known(((const struct event_wait *)e)->cause);
	struct told_lock lock;
	struct store_thread *t;
	struct sample s;

	_Static_assert(offsetof(struct event_wait, frames) ==
				       offsetof(struct event_sample, frames) &&
			       offsetof(struct event_wait, nr_kernel) ==
				       offsetof(struct event_sample, nr_kernel),
		       "WAIT says what SAMPLE says");
	lock = join_lock(st, (const void *)e);
	s = stack_sample(st, (const void *)e, cause == CAUSE_CPU ? CAUSE_WAIT : cause,
			 lock.number);
	if (!s.cause)
		return;
	wait_ends(st, e->tid, e->time);
	s.held = lock.owner ? HELD_LATER : 0;
	t = store_get_thread(st, e->tid);
	t->wait = s;
	t->untold = s.held ? stack_put(st, &s) : put_unwoken(st, t, &s);
	t->waits = true;
	t->until = e->time;
	t->owner = lock.owner;
	t->line = lock.line;
	follow(st, lock.owner);
	holder_does(&st->holders, e->tid,
		    &(struct stretch){ s.time, UINT64_MAX, s.node, lock.owner, lock.line });
}

/* One of the parts of what went on, around a moment. */
static void put_part(struct store *st, struct store_thread *t, struct sample *s, nsec at,
		     uint32_t *owner)
{
	struct lock_hold hold = blame_at(st, t, at);
	uint64_t number;

	if (hold.tid == t->tid)
		hold.tid = 0; /* it got it, and has not run yet */
	if (hold.tid != *owner)
		s->node = hold.tid == t->owner ? t->wait.node : blame_node(st, t, hold.tid);
	*owner = hold.tid;
	if (!hold.tid) {
		put_unwoken(st, t, s);
		return;
	}
	s->held = HELD_LATER;
	s->before = 0;
	number = stack_put(st, s);
	blame_later(st, number, at, &hold, s->time);
}

/* Another moment like the last, or several: each is that of a look, which stands for the time
 * before it. */
static void put_still(struct store *st, struct store_thread *t, const struct event_still *still)
{
	uint32_t looks = still->looks & ~STILL_ENDED, owner = t->owner;
	uint32_t parts = looks && (t->owner || t->line) ? looks : 1;
	nsec length, at, left = still->weight;
	struct sample s = t->wait;

	parts = parts < PARTS_MOST ? parts : PARTS_MOST;
	length = still->weight / parts;
	at = t->until - still->weight + length / 2 + still->weight / (looks ? looks : 1) / 2;
	s.time = still->head.time;
	for (uint32_t i = 0; i < parts; i++) {
		s.weight = left / (parts - i);
		left -= s.weight;
		put_part(st, t, &s, at + i * length, &owner);
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
		blame_settle(st, e->time);
}

/* The stack of the one that wakes it; 0: the record is malformed. */
static node_id node_of_waker(struct store *st, const struct event_wake *wake)
{
	AUTO_FREE struct event_sample *s = mem_copy(wake, wake->head.size);

	_Static_assert(offsetof(struct event_wake, frames) ==
				       offsetof(struct event_sample, frames) &&
			       offsetof(struct event_wake, nr_kernel) ==
				       offsetof(struct event_sample, nr_kernel) &&
			       offsetof(struct event_wake, tid) ==
				       offsetof(struct event_sample, in_probe),
		       "WAKE has its stack where SAMPLE has it");
	if (s->nr_kernel + s->nr_user > (wake->head.size - sizeof(*s)) / 8) {
		st->malformed++;
		return 0;
	}
	s->in_probe = 0;
	return stack_node(st, s, 0);
}

/* Of a wait that was not told of nothing is known. */
void join_wake(struct store *st, const struct event *e)
{
	const struct event_wake *wake = (const void *)e;
	uint8_t by = wake->by && wake->by < NR_WAKE_BY ? wake->by : WAKE_INTERRUPT;
	struct held held = { .by = by };
	struct store_thread *t;

	if (!store_thread(st, e->tid) || !store_thread(st, e->tid)->wait.cause) {
		st->malformed++;
		return;
	}
	join_sees_time(st, e->time);
	if (by == WAKE_THREAD) {
		held.node = node_of_waker(st, wake);
		held.tid = wake->tid;
		held.name = intern_part(&st->text, wake->name,
					strnlen(wake->name, sizeof(wake->name)));
	}
	t = store_get_thread(st, e->tid);
	t->woken = held_add(&st->holders, &held);
	tell_woken(st, t, t->woken);
}

void join_owner(struct store *st, const struct event *e)
{
	const struct event_owner *event = (const void *)e;
	const struct store_thread *owner = store_thread_numbered(st, event->pid, event->number);
	struct lock_change change = { e->time, event->seen, owner ? owner->tid : 0 };
	uint32_t line = lock_line(&st->locks, event->pid, event->address);

	if (line)
		lock_changes(&st->locks, line, &change);
	follow(st, change.tid);
}
