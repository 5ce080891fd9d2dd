#include "model/lock.h"

#include "wire/futex.h"

#include <string.h>

void locks_done(struct locks *l)
{
	array_done(&l->list);
	table_done(&l->ids);
	for (uint32_t i = 0; i < l->lines.count; i++)
		array_done(&l->lines.at[i].changes);
	array_done(&l->lines);
	table_done(&l->line_ids);
}

struct lock lock_of(const struct spaces *spaces, uint32_t pid, const struct event_futex *futex)
{
	const struct space *space = space_find(spaces, pid);
	const struct space_range *r = space ? space_before(space, futex->address) : NULL;
	struct lock lock;

	memset(&lock, 0, sizeof(lock)); /* its bytes are compared */
	lock.pid = pid;
	lock.futex = *futex;
	memset(&lock.futex.head, 0, sizeof(lock.futex.head));
	if (r) {
		lock.image = r->image;
		lock.offset = r->offset;
		lock.distance = futex->address - r->start;
	}
	return lock;
}

void lock_keep_owners(struct lock *lock,
		      bool (*is_thread)(const void *context, uint32_t pid, uint32_t number),
		      const void *context)
{
	struct event_futex *f = &lock->futex;
	bool taken = f->words[MUTEX_LOCK], robust = f->words[MUTEX_KIND] & MUTEX_ROBUST;

	for (unsigned i = 0; i < FUTEX_WORDS; i++) {
		uint32_t number = f->words[i] & WORD_NUMBER;

		f->words[i] = number && is_thread(context, lock->pid, number) ? number : 0;
	}
	if (taken && !f->words[MUTEX_LOCK])
		f->words[MUTEX_LOCK] = 1;
	if (robust)
		f->words[MUTEX_KIND] |= MUTEX_ROBUST;
	if (!is_thread(context, lock->pid, f->val))
		f->val = 0;
}

static bool is_in_first(const struct event_futex *f)
{
	uint32_t op = f->op & OP_MASK;

	return op == OP_LOCK_PI || op == OP_LOCK_PI2 || f->words[MUTEX_KIND] & MUTEX_ROBUST;
}

bool lock_is_followed(const struct event_futex *f)
{
	return f->nr_words && (is_in_first(f) || f->val == MUTEX_CONTENDED);
}

void lock_give(struct lock *lock, uint32_t number)
{
	uint32_t *words = lock->futex.words;

	words[is_in_first(&lock->futex) ? MUTEX_LOCK : MUTEX_OWNER] = number;
	if (!words[MUTEX_LOCK])
		words[MUTEX_LOCK] = number != 0;
}

uint32_t lock_mutex_owner(const struct event_futex *f)
{
	if (is_in_first(f))
		return f->words[MUTEX_LOCK] & WORD_NUMBER;
	return f->words[MUTEX_LOCK] ? f->words[MUTEX_OWNER] : 0;
}

/* Which of the two futexes it is, is not told: where the writer is from the one, there is from
 * the other whether processes share the lock (0 or 1). */
uint32_t lock_rwlock_owner(const struct event_futex *f)
{
	uint32_t phase = f->words[WRITER_FROM_PHASE], writers = f->words[WRITER_FROM_WRITERS];

	return phase > 1 ? phase : writers;
}

uint32_t lock_line(struct locks *l, uint32_t pid, uint64_t address)
{
	uint64_t key = hash_u64(hash_u64(address) ^ pid);
	uint32_t number = table_find(&l->line_ids, key);

	if (number != TABLE_NONE)
		return number;
	if (l->lines.count >= LOCK_LINES) {
		l->refused++;
		return 0;
	}
	(void)array_add(&l->lines);
	table_set(&l->line_ids, key, l->lines.count);
	return l->lines.count;
}

void lock_changes(struct locks *l, uint32_t line, const struct lock_change *change)
{
	struct lock_line *to = &l->lines.at[line - 1];

	if (to->changes.count >= LOCK_CHANGES) {
		to->changes.count -= LOCK_CHANGES / 2;
		to->lost = to->changes.at[LOCK_CHANGES / 2 - 1].since;
		memmove(to->changes.at, to->changes.at + LOCK_CHANGES / 2,
			to->changes.count * sizeof(*change));
	}
	array_push(&to->changes, *change);
}

static struct lock_hold lasting(struct lock_hold hold)
{
	hold.to = hold.to < hold.from ? hold.from : hold.to;
	return hold;
}

/* Between two looks. */
static nsec passed_at(const struct lock_change *c)
{
	return c->before && c->before < c->since ? c->since - (c->since - c->before) / 2
						 : c->since;
}

struct lock_hold lock_hold_at(const struct locks *l, uint32_t line, nsec at,
			      const struct lock_hold *first)
{
	struct lock_hold hold = *first;

	if (!line)
		return hold;
	for (uint32_t i = l->lines.at[line - 1].changes.count; i-- > 0;) {
		const struct lock_change *c = &l->lines.at[line - 1].changes.at[i];

		if (c->since <= first->from)
			return lasting(hold);
		if (passed_at(c) <= at) {
			hold.tid = c->tid;
			hold.from = c->since;
			return lasting(hold);
		}
		hold.to = c->before < hold.to ? c->before : hold.to;
	}
	if (l->lines.at[line - 1].lost > first->from)
		hold.tid = 0;
	return lasting(hold);
}

/* 64 well-mixed bits: two locks with the same are never met. */
uint32_t lock_add(struct locks *l, const struct lock *lock)
{
	uint64_t key = hash_bytes(lock, sizeof(*lock), 0);
	uint32_t number = table_find(&l->ids, key);

	if (number != TABLE_NONE)
		return number;
	if (l->list.count >= LOCKS_MAX) {
		l->refused++;
		return 0;
	}
	array_push(&l->list, *lock);
	table_set(&l->ids, key, l->list.count);
	return l->list.count;
}

const struct lock *lock_at(const struct locks *l, uint32_t number)
{
	return number && number <= l->list.count ? &l->list.at[number - 1] : NULL;
}
