#include "view/hold.h"

#include "base/text.h"
#include "elf/symtab.h"
#include "wire/futex.h"

#include <inttypes.h>
#include <string.h>

const char *const hold_words[NR_HOLD_KIND] = {
	[HOLD_NONE] = "none",		[HOLD_FUTEX] = "futex",
	[HOLD_MUTEX] = "mutex",		[HOLD_RWLOCK] = "rwlock",
	[HOLD_NATIVE_MUTEX] = "mutex",	[HOLD_NATIVE_RWLOCK] = "rwlock",
	[HOLD_CONDITION] = "condition", [HOLD_SEMAPHORE] = "semaphore",
	[HOLD_THREAD] = "thread",
};

/* Bytes of an object whose futex need not be its first: of a variable that is no larger, the
 * futex is no part to be told of. */
static const unsigned char hold_sizes[NR_HOLD_KIND] = {
	[HOLD_RWLOCK] = 56,
	[HOLD_CONDITION] = 48,
};

/* Of functions that a caller of futex(2) is in: beginnings of names in glibc, parts of those in
 * Rust's standard library, whose locks have no owner. */
static const struct {
	const char *name;
	enum hold_kind kind;
	bool anywhere;
} callers[] = {
	{ "pthread_mutex_", HOLD_MUTEX },
	{ "lll_mutex_", HOLD_MUTEX },
	{ "lll_lock_wait", HOLD_MUTEX },
	{ "pthread_rwlock_", HOLD_RWLOCK },
	{ "pthread_cond_", HOLD_CONDITION },
	{ "sem_", HOLD_SEMAPHORE },
	{ "new_sem_", HOLD_SEMAPHORE },
	{ "pthread_join", HOLD_THREAD },
	{ "pthread_clockjoin", HOLD_THREAD },
	{ "pthread_timedjoin", HOLD_THREAD },
	{ "::mutex::futex::", HOLD_NATIVE_MUTEX, true },
	{ "::rwlock::futex::", HOLD_NATIVE_RWLOCK, true },
	{ "::condvar::futex::", HOLD_CONDITION, true },
};

/* What lies between these and the system call; without symbols nobody knows. */
static bool is_on_the_way(const struct picture_frame *f, const char *name)
{
	return f->kind == FRAME_UNKNOWN || symbol_made_name(name) ||
	       text_starts(name, "lll_") || text_starts(name, "GI_") || strstr(name, "futex") ||
	       strstr(name, "syscall");
}

/* So many callers are looked at. */
#define CALLERS_MOST 8

/* The innermost caller of user mode that is known; one that is not, and is not on the way, has
 * a futex of its own. */
static enum hold_kind kind_of(const struct picture *p, uint32_t node)
{
	unsigned looked = 0;

	for (; node && looked < CALLERS_MOST; node = p->nodes.at[node].parent) {
		const struct picture_frame *f = &p->frames.at[p->nodes.at[node].frame];
		const char *name = picture_text(p, f->name);

		if (f->kind == FRAME_KERNEL || f->kind == FRAME_WAIT)
			continue;
		looked++;
		name += strspn(name, "_");
		for (unsigned i = 0; i < COUNT_OF(callers); i++)
			if (callers[i].anywhere ? strstr(name, callers[i].name) != NULL
						: text_starts(name, callers[i].name))
				return callers[i].kind;
		if (!is_on_the_way(f, name))
			break;
	}
	return HOLD_FUTEX;
}

struct hold hold_of(const struct picture *p, uint32_t node, const struct event_futex *futex)
{
	struct hold h = {
		.kind = kind_of(p, node),
		.address = futex->address,
		.shared = !(futex->op & OP_PRIVATE),
	};

	if (h.kind == HOLD_THREAD)
		h.owner = futex->val;
	if (futex->nr_words < FUTEX_WORDS)
		return h;
	if (h.kind == HOLD_MUTEX)
		h.owner = lock_mutex_owner(futex);
	else if (h.kind == HOLD_RWLOCK)
		h.owner = lock_rwlock_owner(futex);
	return h;
}

text_id hold_variable(const struct hold *hold, const struct naming *naming,
		      const struct lock *at, struct intern *texts)
{
	struct data_name data = { .size = 0 };
	text_id name = 0;

	if (!at->image || !naming || !naming->variable)
		return 0;
	if (naming->variable(naming->context, at->image, at->offset, at->distance, &data)) {
		if (data.into && data.size > hold_sizes[hold->kind])
			text_format(&data.name, "+%" PRIu64, data.into);
		name = intern_text(texts, text_string(&data.name));
	}
	text_done(&data.name);
	return name;
}
