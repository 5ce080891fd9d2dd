/*
 * codec - whether a record may be trusted, and making the ones with texts.
 *
 * Records come from files and other machines.  Whoever reads them calls
 * event_check once; everyone above may then rely on sizes, counts, enum values
 * and terminating NULs without looking again.
 */
#ifndef SONDE_WIRE_CODEC_H
#define SONDE_WIRE_CODEC_H

#include "wire/event.h"

#include <stdbool.h>
#include <stddef.h>

/* Longest text in a record with its NUL; longer ones are cut between characters. */
#define EVENT_TEXT_MOST 4096

/* The head at `at` (8-byte aligned) is a possible one and its record lies within
 * room bytes: the next one is at + size. */
bool event_fits(const void *at, size_t room);

/*
 * The record may be trusted: it fits, is as large as its kind asks, its arrays
 * and texts lie within it and its enums are known ones (but those that event.h
 * says may grow: enum span_end, enum probe_exit).  Kinds that are not known are
 * passed: it is for the reader to skip them.  A record for which
 * event_fits holds and this does not can be skipped on its own.
 */
bool event_check(const void *at, size_t room);

/* Text number `which` (from 0) behind a checked record; "" when it has none. */
const char *event_text(const struct event *e, unsigned which);

/* Where a record with texts or buckets is put together. */
struct event_room {
	_Alignas(8) unsigned char bytes[3 * EVENT_TEXT_MOST + 256];
};

/*
 * The record `fixed` with its texts; kind and size are filled in.  NULL texts
 * are empty ones.  The result lies in room and is valid until its next use.
 */
const struct event *event_make_target(struct event_room *room, const struct event_target *fixed,
				      const char *host, const char *kernel,
				      const char *command);
const struct event *event_make_process(struct event_room *room,
				       const struct event_process *fixed, const char *comm);
const struct event *event_make_image(struct event_room *room, const struct event_image *fixed,
				     const char *path);
const struct event *event_make_symbol(struct event_room *room, const struct event_symbol *fixed,
				      const char *name, const char *file);
const struct event *event_make_variable(struct event_room *room,
					const struct event_variable *fixed, const char *name);
const struct event *event_make_inline(struct event_room *room, const struct event_inline *fixed,
				      const char *function, const char *file,
				      const char *at_file);
const struct event *event_make_probe(struct event_room *room, const struct event_probe *fixed,
				     const char *place, const char *function, const char *file);
/* With fixed->nr_buckets of buckets, at most NR_BUCKET. */
const struct event *event_make_calls(struct event_room *room, const struct event_calls *fixed,
				     const struct call_bucket *buckets);

#endif
