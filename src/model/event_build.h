/*
 * event_build - event streams made by hand, for tests.
 *
 * Each build_* makes one record and joins it into the store at once.
 */
#ifndef SONDE_MODEL_EVENT_BUILD_H
#define SONDE_MODEL_EVENT_BUILD_H

#include "model/join.h"

#include <stddef.h>

#define BUILD_ROOM 8192

union build_record {
	struct event head;
	char bytes[BUILD_ROOM];
	uint64_t align;
};

static inline size_t build_strings(char *to, const char *const *texts, unsigned count)
{
	size_t at = 0;

	for (unsigned i = 0; i < count; i++) {
		strcpy(to + at, texts[i]);
		at += strlen(texts[i]) + 1;
	}
	return at;
}

static inline void build_send(struct store *st, union build_record *r, unsigned kind,
			      size_t size)
{
	r->head.kind = kind;
	r->head.size = (size + 7) / 8 * 8;
	join_event(st, &r->head);
}

static inline void build_target(struct store *st, nsec time, nsec wall, nsec period)
{
	union build_record r = { 0 };
	struct event_target *e = (void *)&r;
	const char *const texts[] = { "web-3", "6.1.0", "sonde record" };

	*e = (struct event_target){ .head.time = time, .wall = wall, .period = period };
	e->hz = period ? 1000000000 / period : 0;
	e->cpus = 4;
	build_send(st, &r, EVENT_TARGET, sizeof(*e) + build_strings(e->text, texts, 3));
}

static inline void build_process(struct store *st, uint32_t pid, const char *comm)
{
	union build_record r = { 0 };
	struct event_process *e = (void *)&r;

	*e = (struct event_process){ .head.time = 1, .pid = pid };
	strcpy(e->comm, comm);
	build_send(st, &r, EVENT_PROCESS, sizeof(*e) + strlen(comm) + 1);
}

static inline void build_thread(struct store *st, uint32_t tid, uint32_t pid, const char *name)
{
	union build_record r = { 0 };
	struct event_thread *e = (void *)&r;

	*e = (struct event_thread){ .head.tid = tid, .head.time = 1, .pid = pid };
	strncpy(e->name, name, sizeof(e->name) - 1);
	build_send(st, &r, EVENT_THREAD, sizeof(*e));
}

static inline void build_image(struct store *st, uint32_t image, unsigned kind,
			       const char *path)
{
	union build_record r = { 0 };
	struct event_image *e = (void *)&r;

	*e = (struct event_image){
		.image = image, .kind = kind, .build_id_size = 2, .build_id = { 0xab, 0x01 }
	};
	strcpy(e->path, path);
	build_send(st, &r, EVENT_IMAGE, sizeof(*e) + strlen(path) + 1);
}

static inline void build_map(struct store *st, nsec time, const struct event_map *map)
{
	union build_record r = { 0 };
	struct event_map *e = (void *)&r;

	*e = *map;
	e->head.time = time;
	build_send(st, &r, EVENT_MAP, sizeof(*e));
}

static inline void build_probe(struct store *st, nsec armed, const struct event_probe *probe,
			       const char *place, const char *function)
{
	union build_record r = { 0 };
	struct event_probe *e = (void *)&r;
	const char *const texts[] = { place, function, "shop.c" };

	*e = *probe;
	e->head.time = armed;
	build_send(st, &r, EVENT_PROBE, sizeof(*e) + build_strings(e->text, texts, 3));
}

static inline void build_unprobe(struct store *st, nsec time, uint32_t probe)
{
	union build_record r = { 0 };
	struct event_unprobe *e = (void *)&r;

	*e = (struct event_unprobe){ .head.time = time, .probe = probe };
	build_send(st, &r, EVENT_UNPROBE, sizeof(*e));
}

/* A sample's fields but the stack; kernel and user frames leaf first, 0 at the
 * end. */
struct build_stack {
	const uint64_t *kernel, *user;
};

static inline void build_moment(struct store *st, nsec time, uint32_t tid, unsigned kind,
				const struct event_sample *moment, struct build_stack stack)
{
	union build_record r = { 0 };
	struct event_sample *e = (void *)&r;

	*e = *moment;
	e->head.time = time;
	e->head.tid = tid;
	for (; stack.kernel && stack.kernel[e->nr_kernel]; e->nr_kernel++)
		e->frames[e->nr_kernel] = stack.kernel[e->nr_kernel];
	for (; stack.user && stack.user[e->nr_user]; e->nr_user++)
		e->frames[e->nr_kernel + e->nr_user] = stack.user[e->nr_user];
	build_send(st, &r, kind, sizeof(*e) + 8 * (e->nr_kernel + e->nr_user));
}

static inline void build_sample(struct store *st, nsec time, uint32_t tid,
				const struct event_sample *sample, struct build_stack stack)
{
	struct event_sample e = *sample;

	e.cause = CAUSE_CPU;
	build_moment(st, time, tid, EVENT_SAMPLE, &e, stack);
}

/* As build_sample() for a moment in which the thread is off its CPU. */
static inline void build_wait(struct store *st, nsec time, uint32_t tid,
			      const struct event_wait *wait, struct build_stack stack)
{
	build_moment(st, time, tid, EVENT_WAIT, (const void *)wait, stack);
}

/* user: of the one that wakes it. */
static inline void build_wake(struct store *st, nsec time, uint32_t tid,
			      const struct event_wake *wake, const uint64_t *user)
{
	union build_record r = { 0 };
	struct event_wake *e = (void *)&r;

	*e = *wake;
	e->head.time = time;
	e->head.tid = tid;
	for (; user && user[e->nr_user]; e->nr_user++)
		e->frames[e->nr_user] = user[e->nr_user];
	build_send(st, &r, EVENT_WAKE, sizeof(*e) + 8 * e->nr_user);
}

/* A record of a fixed size, at a moment of a thread. */
static inline void build_copy(struct store *st, nsec time, uint32_t tid, enum event_kind kind,
			      const struct event *from, size_t size)
{
	union build_record r = { 0 };
	struct event *e = (void *)&r;

	memcpy(&r, from, size);
	e->time = time;
	e->tid = tid;
	build_send(st, &r, kind, size);
}

static inline void build_still(struct store *st, nsec time, uint32_t tid,
			       const struct event_still *still)
{
	build_copy(st, time, tid, EVENT_STILL, &still->head, sizeof(*still));
}

static inline void build_enter(struct store *st, nsec time, uint32_t tid,
			       const struct event_enter *enter)
{
	build_copy(st, time, tid, EVENT_ENTER, &enter->head, sizeof(*enter));
}

static inline void build_times(struct store *st, nsec time, uint32_t tid,
			       const struct event_times *times)
{
	build_copy(st, time, tid, EVENT_TIMES, &times->head, sizeof(*times));
}

static inline void build_leave(struct store *st, nsec time, uint32_t tid,
			       const struct event_leave *leave)
{
	build_copy(st, time, tid, EVENT_LEAVE, &leave->head, sizeof(*leave));
}

/* One interval with calls of these durations. */
static inline void build_calls(struct store *st, nsec since, nsec time, uint32_t probe,
			       const nsec *durations, unsigned count)
{
	union build_record r = { 0 };
	struct event_calls *e = (void *)&r;

	*e = (struct event_calls){
		.head.time = time, .since = since, .probe = probe, .entries = count
	};
	e->ended[END_RETURN] = count;
	for (unsigned i = 0; i < count; i++) {
		uint32_t b = bucket_of(durations[i]), k;

		for (k = 0; k < e->nr_buckets && e->buckets[k].bucket != b; k++)
			;
		if (k == e->nr_buckets)
			e->buckets[e->nr_buckets++].bucket = b;
		e->buckets[k].count++;
		if (durations[i] > e->max)
			e->max = durations[i];
	}
	build_send(st, &r, EVENT_CALLS, sizeof(*e) + 8 * e->nr_buckets);
}

static inline void build_fork(struct store *st, nsec time, uint32_t parent, uint32_t child)
{
	union build_record r = { 0 };
	struct event_fork *e = (void *)&r;

	*e = (struct event_fork){
		.head.time = time, .head.tid = child, .pid = child, .parent_pid = parent
	};
	build_send(st, &r, EVENT_FORK, sizeof(*e));
}

static inline void build_exec(struct store *st, nsec time, uint32_t pid)
{
	union build_record r = { 0 };
	struct event_exec *e = (void *)&r;

	*e = (struct event_exec){ .head.time = time, .pid = pid };
	build_send(st, &r, EVENT_EXEC, sizeof(*e));
}

static inline void build_loss(struct store *st, nsec time, const struct event_loss *loss)
{
	union build_record r = { 0 };
	struct event_loss *e = (void *)&r;

	*e = *loss;
	e->head.time = time;
	build_send(st, &r, EVENT_LOSS, sizeof(*e));
}

static inline void build_end(struct store *st, nsec time)
{
	union build_record r = { 0 };
	struct event_end *e = (void *)&r;

	*e = (struct event_end){ .head.time = time, .reason = ENDED_BY_USER };
	build_send(st, &r, EVENT_END, sizeof(*e));
}

#endif
