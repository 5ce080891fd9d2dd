/*
 * stream - records in a file (.sonde) or on their way to another machine.
 *
 * A stream is a struct stream_head and then blocks: a struct stream_block and
 * packed_size bytes, one zstd frame (RFC 8878) of raw_size bytes of whole
 * records.  Everything is little-endian.  A block is written with one write(2),
 * so a writer that is killed leaves whole blocks and at most one cut one.  The
 * checksum lets a reader step over damage to the next block.
 */
#ifndef SONDE_WIRE_STREAM_H
#define SONDE_WIRE_STREAM_H

#include "base/error.h"
#include "base/text.h"
#include "wire/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As PNG's: shows a transfer as text, in 7 bits, or stopped at a Ctrl-Z. */
#define STREAM_MAGIC "\x8bSONDE\r\n"
#define STREAM_VERSION 1
#define STREAM_BLOCK_MAGIC 0x6b6c6273u /* "sblk" */
#define STREAM_BLOCK_MOST (256 * 1024) /* raw bytes of a block */

struct stream_head {
	char magic[8];
	uint32_t version;
	uint32_t flags; /* what a reader has to understand; none yet: 0 */
};
_Static_assert(sizeof(struct stream_head) == 16, "stream_head is part of the format");

struct stream_block {
	uint32_t magic;
	uint32_t raw_size; /* 16 .. STREAM_BLOCK_MOST */
	uint32_t packed_size;
	uint32_t pad;	   /* 0 */
	uint64_t sequence; /* from 0, one more each */
	uint64_t checksum; /* XXH3-64 of the packed bytes, seeded with that of the fields above
			    */
};
_Static_assert(sizeof(struct stream_block) == 32, "stream_block is part of the format");

/* Checksum of a block whose other fields are set. */
uint64_t stream_checksum(const struct stream_block *block, const void *packed);

struct stream_writer;

/*
 * Writes the head to fd, which stays the caller's.  name is for error texts.
 * Nothing here waits for who reads a pipe or socket, but stream_writer_end().
 */
int stream_writer_new(int fd, const char *name, struct stream_writer **ret, struct error *err);
/* Adds a record (event_fits holds); a full block is written. */
int stream_writer_add(struct stream_writer *w, const struct event *e, struct error *err);
/* Writes what was added as a block, if anything was. */
int stream_writer_flush(struct stream_writer *w, struct error *err);
/* What waits for the reader of a pipe, in bytes: passes on what it takes now; waits until it
 * has taken all (which may be for ever). */
size_t stream_writer_waiting(const struct stream_writer *w);
int stream_writer_pass(struct stream_writer *w, struct error *err);
int stream_writer_end(struct stream_writer *w, struct error *err);
/* Frees; what was not flushed is dropped.  NULL is fine. */
void stream_writer_free(struct stream_writer *w);
/*
 * After a failed write (-ENOSPC, ...) a file is cut back to its last whole
 * block, the error says how much is kept, and every later call fails alike.
 * -EPIPE: the reader has gone; -ENOBUFS: it stands still, and OUTFLOW_MOST wait.
 */

/* What is safely written. */
uint64_t stream_writer_bytes(const struct stream_writer *w);
uint64_t stream_writer_events(const struct stream_writer *w);

/* What a reader met. */
struct stream_tally {
	uint64_t bytes, blocks, events; /* that were good */
	uint64_t events_refused;	/* not what their kind asks */
	uint64_t blocks_damaged;	/* stretches of bytes that are no block */
	uint64_t bytes_damaged;		/* their length */
	uint64_t blocks_missing;	/* gaps in the sequence */
	uint64_t bytes_cut;		/* of an unfinished block at the end */
	bool ended; /* the last record is EVENT_END: nothing is missing behind it */
};

/* "cut: its writer was stopped; ..." and so on, in one line; false and nothing
 * when the stream is whole. */
bool stream_tally_print(const struct stream_tally *tally, struct text *to);

struct stream_reader;

/*
 * Reads and checks the head.  fd stays the caller's; bytes have to live as long
 * as the reader.  -EINVAL: no stream; -ENOTSUP: written by a newer sonde; and
 * what read(2) says.  A stream cut within its head is one with nothing in it.
 */
int stream_reader_open(int fd, const char *name, struct stream_reader **ret, struct error *err);
int stream_reader_memory(const void *bytes, size_t size, const char *name,
			 struct stream_reader **ret, struct error *err);
/* 1 and a record for which event_check holds, valid until the next call; 0 at
 * the end; negative errno when reading failed.  Damage is skipped and counted. */
int stream_reader_next(struct stream_reader *r, const struct event **ret, struct error *err);
const struct stream_tally *stream_reader_tally(const struct stream_reader *r);
void stream_reader_free(struct stream_reader *r);

#endif
