#include "wire/codec.h"

#include "wire/bucket.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PADDED(size) (((size) + 7) & ~(size_t)7)

_Static_assert(sizeof(struct event_room) >=
		       sizeof(struct event_calls) + NR_BUCKET * sizeof(struct call_bucket),
	       "a full distribution fits a room");

static bool check_sample(const struct event *e)
{
	const struct event_sample *s = (const void *)e;
	size_t frames = (e->size - sizeof(*s)) / sizeof(s->frames[0]);

	return s->nr_kernel <= SAMPLE_MAX_KERNEL && s->nr_user <= SAMPLE_MAX_USER &&
	       (size_t)s->nr_kernel + s->nr_user <= frames && s->user_end < NR_STACK_END;
}

static bool check_wait(const struct event *e)
{
	_Static_assert(offsetof(struct event_wait, nr_user) ==
			       offsetof(struct event_sample, nr_user),
		       "a wait has its frames where a sample has them");
	return check_sample(e);
}

static bool check_wake(const struct event *e)
{
	const struct event_wake *w = (const void *)e;

	_Static_assert(offsetof(struct event_wake, user_end) ==
				       offsetof(struct event_sample, user_end) &&
			       offsetof(struct event_wake, nr_user) ==
				       offsetof(struct event_sample, nr_user),
		       "a wake-up has its frames where a sample has them");
	return check_sample(e) && memchr(w->name, 0, sizeof(w->name));
}

static bool check_futex(const struct event *e)
{
	return ((const struct event_futex *)e)->nr_words <= FUTEX_WORDS;
}

static bool check_thread(const struct event *e)
{
	const struct event_thread *t = (const void *)e;

	return memchr(t->name, 0, sizeof(t->name));
}

static bool check_image(const struct event *e)
{
	const struct event_image *i = (const void *)e;

	return i->kind <= IMAGE_PROBES && i->build_id_size <= sizeof(i->build_id);
}

static bool check_map(const struct event *e)
{
	const struct event_map *m = (const void *)e;

	return m->start < m->end;
}

static bool check_calls(const struct event *e)
{
	const struct event_calls *c = (const void *)e;

	if (c->nr_buckets > (e->size - sizeof(*c)) / sizeof(c->buckets[0]))
		return false;
	for (uint32_t i = 0; i < c->nr_buckets; i++) {
		if (c->buckets[i].bucket >= NR_BUCKET)
			return false;
	}
	return true;
}

static bool check_ends(const struct event *e)
{
	const struct event_ends *n = (const void *)e;

	return n->nr_ends <= (e->size - sizeof(*n)) / sizeof(n->ends[0]);
}

static bool check_inline(const struct event *e)
{
	const struct event_inline *i = (const void *)e;

	return i->level < i->levels && i->levels <= INLINE_LEVELS;
}

static bool check_end(const struct event *e)
{
	return ((const struct event_end *)e)->reason <= ENDED_BY_TARGET;
}

/* Kinds without an entry are not known; least is never 0 for one that is. */
static const struct shape {
	size_t least;	/* bytes without what trails */
	unsigned texts; /* NUL-terminated ones that trail */
	bool (*check)(const struct event *e);
} shapes[] = {
	[EVENT_SAMPLE] = { sizeof(struct event_sample), 0, check_sample },
	[EVENT_ENTER] = { sizeof(struct event_enter) },
	[EVENT_LEAVE] = { sizeof(struct event_leave) },
	[EVENT_FORK] = { sizeof(struct event_fork) },
	[EVENT_EXEC] = { sizeof(struct event_exec) },
	[EVENT_EXIT] = { sizeof(struct event_exit) },
	[EVENT_THREAD] = { sizeof(struct event_thread), 0, check_thread },
	[EVENT_OPEN] = { sizeof(struct event_open) },
	[EVENT_WAIT] = { sizeof(struct event_wait), 0, check_wait },
	[EVENT_STILL] = { sizeof(struct event_still) },
	[EVENT_WAKE] = { sizeof(struct event_wake), 0, check_wake },
	[EVENT_SEEN] = { sizeof(struct event_seen) },
	[EVENT_FUTEX] = { sizeof(struct event_futex), 0, check_futex },
	[EVENT_OWNER] = { sizeof(struct event_owner) },
	[EVENT_TIMES] = { sizeof(struct event_times) },
	[EVENT_TARGET] = { sizeof(struct event_target), 3 },
	[EVENT_PROCESS] = { sizeof(struct event_process), 1 },
	[EVENT_IMAGE] = { sizeof(struct event_image), 1, check_image },
	[EVENT_MAP] = { sizeof(struct event_map), 0, check_map },
	[EVENT_SYMBOL] = { sizeof(struct event_symbol), 2 },
	[EVENT_VARIABLE] = { sizeof(struct event_variable), 1 },
	[EVENT_PROBE] = { sizeof(struct event_probe), 3 },
	[EVENT_CALLS] = { sizeof(struct event_calls), 0, check_calls },
	[EVENT_ENDS] = { sizeof(struct event_ends), 0, check_ends },
	[EVENT_UNSURE] = { sizeof(struct event_call_sum) },
	[EVENT_PROBED] = { sizeof(struct event_call_sum) },
	[EVENT_TIMED] = { sizeof(struct event_call_sum) },
	[EVENT_AWAY] = { sizeof(struct event_call_sum) },
	[EVENT_QUEUED] = { sizeof(struct event_call_sum) },
	[EVENT_ARMED] = { sizeof(struct event_armed) },
	[EVENT_UNPROBE] = { sizeof(struct event_unprobe) },
	[EVENT_PROGRAM] = { sizeof(struct event_program) },
	[EVENT_CAUSES] = { sizeof(struct event_causes) },
	[EVENT_LOSS] = { sizeof(struct event_loss) },
	[EVENT_END] = { sizeof(struct event_end), 0, check_end },
	[EVENT_START] = { sizeof(struct event_start) },
	[EVENT_INLINE] = { sizeof(struct event_inline), 3, check_inline },
};

/* NULL for a kind that is not known. */
static const struct shape *shape_of(const struct event *e)
{
	if (e->kind >= sizeof(shapes) / sizeof(shapes[0]) || !shapes[e->kind].least)
		return NULL;
	return &shapes[e->kind];
}

bool event_fits(const void *at, size_t room)
{
	const struct event *e = at;

	return room >= sizeof(*e) && e->size >= sizeof(*e) && e->size % 8 == 0 &&
	       e->size <= room;
}

static bool check_texts(const struct event *e, const struct shape *shape)
{
	const char *at = (const char *)e + shape->least, *end = (const char *)e + e->size;

	for (unsigned i = 0; i < shape->texts; i++) {
		at = memchr(at, 0, end - at);
		if (!at)
			return false;
		at++;
	}
	return true;
}

bool event_check(const void *at, size_t room)
{
	const struct event *e = at;
	const struct shape *shape;

	if (!event_fits(at, room))
		return false;
	shape = shape_of(e);
	if (!shape)
		return true;
	return e->size >= shape->least && check_texts(e, shape) &&
	       (!shape->check || shape->check(e));
}

const char *event_text(const struct event *e, unsigned which)
{
	const struct shape *shape = shape_of(e);
	const char *at;

	if (!shape || which >= shape->texts)
		return "";
	for (at = (const char *)e + shape->least; which; which--)
		at += strlen(at) + 1;
	return at;
}

/* How much of s is kept: all, or as many whole UTF-8 characters as there is room for. */
static size_t text_kept(const char *s)
{
	size_t length = strnlen(s, EVENT_TEXT_MOST);

	if (length < EVENT_TEXT_MOST)
		return length;
	length = EVENT_TEXT_MOST - 1;
	for (unsigned back = 0; back < 3 && ((unsigned char)s[length] & 0xc0) == 0x80; back++)
		length--;
	return length;
}

static const struct event *make(struct event_room *room, enum event_kind kind,
				const void *fixed, const char *const texts[])
{
	const struct shape *shape = &shapes[kind];
	struct event *e = (struct event *)room->bytes;
	size_t size = shape->least;

	memcpy(room->bytes, fixed, size);
	for (unsigned i = 0; i < shape->texts; i++) {
		size_t length = texts[i] ? text_kept(texts[i]) : 0;

		if (length)
			memcpy(room->bytes + size, texts[i], length);
		size += length;
		room->bytes[size++] = 0;
	}
	memset(room->bytes + size, 0, PADDED(size) - size);
	e->kind = kind;
	e->size = PADDED(size);
	return e;
}

const struct event *event_make_target(struct event_room *room, const struct event_target *fixed,
				      const char *host, const char *kernel, const char *command)
{
	return make(room, EVENT_TARGET, fixed, (const char *const[]){ host, kernel, command });
}

const struct event *event_make_process(struct event_room *room,
				       const struct event_process *fixed, const char *comm)
{
	return make(room, EVENT_PROCESS, fixed, &comm);
}

const struct event *event_make_image(struct event_room *room, const struct event_image *fixed,
				     const char *path)
{
	return make(room, EVENT_IMAGE, fixed, &path);
}

const struct event *event_make_symbol(struct event_room *room, const struct event_symbol *fixed,
				      const char *name, const char *file)
{
	return make(room, EVENT_SYMBOL, fixed, (const char *const[]){ name, file });
}

const struct event *event_make_variable(struct event_room *room,
					const struct event_variable *fixed, const char *name)
{
	return make(room, EVENT_VARIABLE, fixed, &name);
}

const struct event *event_make_inline(struct event_room *room, const struct event_inline *fixed,
				      const char *function, const char *file,
				      const char *at_file)
{
	return make(room, EVENT_INLINE, fixed,
		    (const char *const[]){ function, file, at_file });
}

const struct event *event_make_probe(struct event_room *room, const struct event_probe *fixed,
				     const char *place, const char *function, const char *file)
{
	return make(room, EVENT_PROBE, fixed, (const char *const[]){ place, function, file });
}

const struct event *event_make_calls(struct event_room *room, const struct event_calls *fixed,
				     const struct call_bucket *buckets)
{
	struct event *e = (struct event *)room->bytes;
	size_t size = fixed->nr_buckets * sizeof(*buckets);

	assert(fixed->nr_buckets <= NR_BUCKET);
	make(room, EVENT_CALLS, fixed, NULL);
	if (size)
		memcpy(room->bytes + e->size, buckets, size);
	e->size += size;
	return e;
}
