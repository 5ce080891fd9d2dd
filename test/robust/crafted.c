/*
 * crafted - recordings that nobody would make but to harm who reads them: each is as full of
 * one thing as a file may be.
 *
 *	crafted MODE COUNT FILE
 *
 * Prints the size of the file.  Modes: see below.
 */
#include "base/array.h"
#include "wire/codec.h"
#include "wire/stream.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PID 4242
#define IMAGE 2
#define DEEP 1000
#define MSEC 1000000ull

static struct stream_writer *writer;
static struct event_room room;
static uint64_t now = 1000 * MSEC;
static uint64_t seed = 1;

/* xorshift64 (Marsaglia 2003) */
static uint64_t any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void add(const struct event *e)
{
	struct error err;

	if (stream_writer_add(writer, e, &err)) {
		fprintf(stderr, "crafted: %s\n", err.text);
		exit(1);
	}
}

static struct event head(enum event_kind kind, size_t size, uint32_t tid)
{
	return (struct event){ kind, size, tid, now };
}

static void add_image(uint32_t image, const char *path)
{
	struct event_image e = { .head.time = now, .image = image, .build_id_size = 20 };

	add(event_make_image(&room, &e, path));
}

static void add_map(uint32_t pid, uint32_t image, uint64_t start, uint64_t end)
{
	struct event_map e = { .pid = pid, .image = image, .start = start, .end = end };

	e.head = head(EVENT_MAP, sizeof(e), 0);
	add(&e.head);
}

static void add_probe(uint32_t probe)
{
	struct event_probe e = { .head.time = now, .probe = probe, .sites = 1, .image = IMAGE };

	add(event_make_probe(&room, &e, "work", "work", "work.c"));
}

static void add_process(uint32_t pid)
{
	struct event_process e = { .head.time = now, .pid = pid };

	add(event_make_process(&room, &e, "crafted"));
}

static void add_enter(uint32_t tid, uint64_t span, uint64_t parent)
{
	struct event_enter e = {
		.span = span, .parent = parent, .began = now, .probe = 1, .pid = PID
	};

	e.head = head(EVENT_ENTER, sizeof(e), tid);
	add(&e.head);
}

static void add_leave(uint32_t tid, uint64_t span, uint64_t began)
{
	struct event_leave e = { .span = span, .began = began, .probe = 1 };

	e.head = head(EVENT_LEAVE, sizeof(e), tid);
	add(&e.head);
}

static void add_sample(uint32_t tid, uint64_t span, unsigned deep, uint64_t (*frame)(unsigned))
{
	static union {
		struct event_sample e;
		uint64_t room[sizeof(struct event_sample) / 8 + DEEP];
	} s;

	s.e = (struct event_sample){ .span = span, .weight = 10 * MSEC, .pid = PID };
	s.e.head = head(EVENT_SAMPLE, sizeof(s.e) + 8 * deep, tid);
	s.e.cause = CAUSE_CPU;
	s.e.nr_user = deep;
	for (unsigned i = 0; i < deep; i++)
		s.e.frames[i] = frame(i);
	add(&s.e.head);
}

static uint64_t any_frame(unsigned i)
{
	return 0x10000 + any() % (1ull << 30);
}

static uint64_t same_frame(unsigned i)
{
	return 0x10000;
}

/* no two alike */
static void stacks(unsigned i)
{
	now += MSEC;
	add_sample(PID, 0, DEEP, any_frame);
}

/* one function within itself, each time as deep, with one other leaf */
static uint64_t leaf_frame(unsigned i)
{
	return i ? 0x10000 : any_frame(0);
}

static void recursion(unsigned i)
{
	now += MSEC;
	add_sample(PID, 0, DEEP, i % 2 ? leaf_frame : same_frame);
}

/* calls that end in no order, each in the one before */
static void spans(unsigned i)
{
	static uint64_t last;
	uint64_t span = any() | 1;

	now += 1000;
	add_enter(PID + i % 64, span, last);
	if (i % 3)
		add_leave(PID + i % 64, span, now - any() % (1000 * MSEC));
	add_sample(PID + i % 64, span, 2, any_frame);
	last = span;
}

static void forks(unsigned i)
{
	struct event_fork e = { .pid = PID + i + 1, .parent_pid = PID + i };

	now += 1000;
	e.head = head(EVENT_FORK, sizeof(e), e.pid);
	add(&e.head);
	add_map(e.pid, IMAGE, 0x10000, 0x20000);
}

/* each within one of the first thousand, or around it */
static void maps(unsigned i)
{
	uint64_t at = 0x10000 + any() % 1000 * 4096;

	now += 1000;
	add_map(PID + i % 1000, IMAGE, at, at + 4096 + any() % 64 * 4096);
}

static void names(unsigned i)
{
	static char name[EVENT_TEXT_MOST];
	struct event_symbol e = { .head.time = now,
				  .offset = any() % (1u << 30),
				  .length = 1 + any() % 100000,
				  .image = IMAGE };

	memset(name, 'n', sizeof(name) - 1);
	snprintf(name, 32, "%016" PRIx64, any());
	name[strlen(name)] = '_';
	add(event_make_symbol(&room, &e, name, name + 1));
}

static void inlines(unsigned i)
{
	for (unsigned level = 0; level < INLINE_LEVELS; level++) {
		struct event_inline e = { .head.time = now,
					  .offset = i,
					  .image = IMAGE,
					  .level = level,
					  .levels = INLINE_LEVELS };

		add(event_make_inline(&room, &e, "f", "f.c", "g.c"));
	}
	now += 1000;
	if (i % 64 == 0)
		add_sample(PID, 0, 100, any_frame);
}

/* a bucket of every length for thousands of probes, one interval after the other */
static void counts(unsigned i)
{
	struct call_bucket buckets[400];
	struct event_calls e = { .head.time = now + MSEC,
				 .since = now,
				 .entries = 400,
				 .ended = { 400 },
				 .probe = 1 + i % 8192,
				 .nr_buckets = 400 };

	for (unsigned b = 0; b < 400; b++)
		buckets[b] = (struct call_bucket){ b, 1 };
	if (i < 8192)
		add_probe(e.probe);
	now += i % 8192 ? 0 : MSEC;
	add(event_make_calls(&room, &e, buckets));
}

/* processes, threads and images that are seen once */
static void crowd(unsigned i)
{
	struct event_thread e = { .pid = PID + i, .name = "crowd" };
	char path[64];

	now += 1000;
	add_process(PID + i);
	e.head = head(EVENT_THREAD, sizeof(e), PID + i);
	add(&e.head);
	snprintf(path, sizeof(path), "/nowhere/%u", i);
	add_image(IMAGE + 1 + i, path);
	add_map(PID + i, IMAGE + 1 + i, 0x10000, 0x20000);
	add_sample(PID + i, 0, 10, same_frame);
}

static const struct mode {
	const char *name;
	void (*add)(unsigned i);
} modes[] = {
	{ "stacks", stacks },	{ "recursion", recursion }, { "spans", spans },
	{ "forks", forks },	{ "maps", maps },	    { "names", names },
	{ "inlines", inlines }, { "counts", counts },	    { "crowd", crowd },
};

static const struct mode *find(const char *name)
{
	for (unsigned i = 0; i < COUNT_OF(modes); i++)
		if (!strcmp(modes[i].name, name))
			return &modes[i];
	return NULL;
}

static void begin(void)
{
	struct event_target e = { .head.time = now, .period = 10 * MSEC, .hz = 100, .cpus = 2 };

	add(event_make_target(&room, &e, "host", "6.1", "sonde record"));
	add_process(PID);
	add_image(IMAGE, "/nowhere/crafted");
	add_map(PID, IMAGE, 0x10000, 0x10000 + (1ull << 30));
	add_probe(1);
}

int main(int argc, char **argv)
{
	const struct mode *mode = argc == 4 ? find(argv[1]) : NULL;
	struct event_end end = { .reason = ENDED_BY_TIME };
	struct error err = { "" };
	int fd;

	if (!mode) {
		fprintf(stderr, "crafted MODE COUNT FILE\n");
		return 2;
	}
	fd = open(argv[3], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || stream_writer_new(fd, argv[3], &writer, &err)) {
		fprintf(stderr, "crafted: cannot write '%s' %s\n", argv[3], err.text);
		return 1;
	}
	begin();
	for (unsigned i = 0; i < (unsigned)atoi(argv[2]); i++)
		mode->add(i);
	end.head = head(EVENT_END, sizeof(end), 0);
	add(&end.head);
	stream_writer_flush(writer, &err);
	stream_writer_end(writer, &err);
	printf("%" PRIu64 "\n", stream_writer_bytes(writer));
	stream_writer_free(writer);
	return close(fd);
}
