/*
 * tree_recording - writes a recording with a large tree, for benches of what shows it.
 *
 *	tree_recording FILE [SAMPLES [STACKS]]	1,000,000 and 500,000 when nothing is said
 *
 * Random stacks of 10 to 40 frames with shared callers, of 5,000 functions; every second sample
 * is in a call of handle, which last from 100 us to 20 ms: the longer ones have more samples,
 * and some functions of their own.  About two nodes a stack.
 */
#include "base/array.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"
#include "wire/bucket.h"
#include "wire/codec.h"
#include "wire/stream.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PID 4242
#define IMAGE 2
#define BASE 0x400000ull
#define LENGTH 0x100 /* of a function */
#define FUNCTIONS 5000
#define PERIOD (2 * NSEC_PER_MSEC)
#define DEPTH_MOST 40
#define HANDLE 2    /* functions 0, 1 and 2 call one another: main, serve, handle */
#define BATCH 10000 /* samples between two intervals of counted calls */

struct writer {
	struct stream_writer *stream;
	struct event_room *room;
	uint32_t counts[NR_BUCKET];
	uint64_t calls, since, longest;
};

static void send(struct writer *w, const struct event *e)
{
	struct error err = { "" };

	if (stream_writer_add(w->stream, e, &err) == 0)
		return;
	fprintf(stderr, "tree_recording: %s\n", err.text);
	exit(1);
}

static void send_head(struct writer *w, struct event *e, unsigned kind, size_t size)
{
	e->kind = kind;
	e->size = size;
	send(w, e);
}

static void write_names(struct writer *w)
{
	static const char *const forms[] = {
		"function_%u",
		"shop::Cache<std::string, int>::find_%u(std::string const&)",
		"std::vector<shop::Row_%u>::emplace_back",
	};
	struct event_symbol symbol = { .length = LENGTH, .image = IMAGE };

	for (unsigned i = 0; i < FUNCTIONS; i++) {
		static const char *const first[] = { "main", "serve", "handle" };
		AUTO_FREE char *name = i <= HANDLE ? mem_text(first[i])
						   : mem_format(forms[i % COUNT_OF(forms)], i);

		symbol.offset = i * LENGTH;
		symbol.line = 10 * i + 1;
		send(w, event_make_symbol(w->room, &symbol, name, "shop.cc"));
	}
}

static void write_begin(struct writer *w)
{
	struct event_target target = {
		.head.time = 1, .wall = NSEC_PER_SEC, .period = PERIOD, .hz = 500, .cpus = 64
	};
	struct event_process process = { .head.time = 1, .pid = PID };
	struct event_image image = { .head.time = 1, .image = IMAGE, .kind = IMAGE_FILE };
	struct event_map map = { .head.time = 1,
				 .pid = PID,
				 .image = IMAGE,
				 .start = BASE,
				 .end = BASE + FUNCTIONS * LENGTH };
	struct event_probe probe = { .head.time = 1,
				     .probe = 1,
				     .sites = 1,
				     .image = IMAGE,
				     .offset = HANDLE * LENGTH,
				     .length = LENGTH,
				     .line = 10 * HANDLE + 1 };

	send(w, event_make_target(w->room, &target, "bench", "", "tree_recording"));
	send(w, event_make_process(w->room, &process, "shop-server"));
	send(w, event_make_image(w->room, &image, "/srv/shop/shop-server"));
	send_head(w, &map.head, EVENT_MAP, sizeof(map));
	send(w, event_make_probe(w->room, &probe, "handle", "handle", "shop.cc"));
	write_names(w);
}

/* Stack number v, leaf first; callers are shared by those whose higher bits are the same. */
static unsigned make_stack(uint64_t v, bool in_call, uint64_t *frames)
{
	unsigned depth = 10 + hash_u64(v >> 6) % (DEPTH_MOST - 9);
	unsigned above = in_call ? HANDLE + 1 : HANDLE;

	for (unsigned i = 0; i < depth; i++) {
		unsigned from_leaf = depth - 1 - i;
		unsigned shift = from_leaf > 15 ? 15 : from_leaf;
		uint64_t function = i < above ? i
					      : HANDLE + 1 +
							hash_u64((v >> shift) * 64 + i) %
								(FUNCTIONS - HANDLE - 1);

		frames[from_leaf] = BASE + function * LENGTH + 0x20;
	}
	return depth;
}

static void write_sample(struct writer *w, uint64_t time, uint64_t span, uint64_t stack)
{
	union {
		struct event_sample e;
		uint64_t room[6 + DEPTH_MOST];
	} s = { .e = { .head = { .time = time, .tid = PID },
		       .span = span,
		       .weight = PERIOD,
		       .pid = PID,
		       .cause = CAUSE_CPU,
		       .user_end = STACK_WHOLE } };

	s.e.nr_user = make_stack(stack, span != 0, s.room + 6);
	send_head(w, &s.e.head, EVENT_SAMPLE, sizeof(s.e) + 8 * s.e.nr_user);
}

static void write_calls(struct writer *w, uint64_t time)
{
	struct call_bucket buckets[NR_BUCKET];
	struct event_calls calls = { .head.time = time,
				     .since = w->since,
				     .entries = w->calls,
				     .max = w->longest,
				     .probe = 1 };

	for (unsigned b = 0; b < NR_BUCKET; b++)
		if (w->counts[b])
			buckets[calls.nr_buckets++] =
				(struct call_bucket){ .bucket = b, .count = w->counts[b] };
	calls.ended[END_RETURN] = w->calls;
	send(w, event_make_calls(w->room, &calls, buckets));
	memset(w->counts, 0, sizeof(w->counts));
	w->calls = 0;
	w->since = time;
}

/* A call with its samples; returns how many these are. */
static unsigned write_call(struct writer *w, uint64_t id, uint64_t time, uint64_t stacks)
{
	uint64_t seed = hash_u64(id * 977);
	double part = (seed >> 11) * 0x1p-53;
	uint64_t lasted = 100000 * pow(200, part * part);
	unsigned samples = 1 + lasted / (4 * NSEC_PER_MSEC);
	struct event_enter enter = { .head = { .time = time, .tid = PID },
				     .span = id,
				     .began = time,
				     .probe = 1,
				     .pid = PID };
	struct event_leave leave = { .head = { .time = time + lasted, .tid = PID },
				     .span = id,
				     .began = time,
				     .probe = 1 };

	send_head(w, &enter.head, EVENT_ENTER, sizeof(enter));
	for (unsigned i = 0; i < samples; i++) {
		bool own = lasted > 8 * NSEC_PER_MSEC && i % 2;

		write_sample(w, time + i, id,
			     own ? hash_u64(seed + i) % (stacks / 8 + 1)
				 : hash_u64(seed + i) % stacks);
	}
	send_head(w, &leave.head, EVENT_LEAVE, sizeof(leave));
	w->counts[bucket_of(lasted)]++;
	w->calls++;
	w->longest = lasted > w->longest ? lasted : w->longest;
	return samples;
}

static void write_all(struct writer *w, uint64_t samples, uint64_t stacks)
{
	uint64_t time = 1000, written = 0, next = BATCH, id = 0;
	struct event_end end = { .reason = ENDED_BY_USER };

	write_begin(w);
	w->since = time;
	while (written < samples) {
		unsigned inside = write_call(w, ++id, time, stacks);

		for (unsigned i = 0; i < inside; i++)
			write_sample(w, time + i, 0, hash_u64(id * 64 + i) % stacks);
		written += 2 * inside;
		time += 25 * NSEC_PER_MSEC;
		if (written < next)
			continue;
		next += BATCH;
		write_calls(w, time);
	}
	write_calls(w, time);
	end.head.time = time;
	send_head(w, &end.head, EVENT_END, sizeof(end));
}

int main(int argc, char **argv)
{
	uint64_t samples = 1000000, stacks = 500000;
	struct writer w = { .room = NULL };
	struct error err = { "" };
	int fd;

	if (argc < 2 || (argc > 2 && !text_to_u64(argv[2], &samples)) ||
	    (argc > 3 && (!text_to_u64(argv[3], &stacks) || !stacks))) {
		fprintf(stderr, "usage: tree_recording FILE [SAMPLES [STACKS]]\n");
		return 2;
	}
	fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || stream_writer_new(fd, argv[1], &w.stream, &err)) {
		fprintf(stderr, "tree_recording: %s\n", fd < 0 ? argv[1] : err.text);
		return 1;
	}
	w.room = mem_zeroed(1, sizeof(*w.room));
	write_all(&w, samples, stacks);
	if (stream_writer_flush(w.stream, &err)) {
		fprintf(stderr, "tree_recording: %s\n", err.text);
		return 1;
	}
	stream_writer_free(w.stream);
	free(w.room);
	close(fd);
	return 0;
}
