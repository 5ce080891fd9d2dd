#include "wire/stream.h"

#include "base/mem.h"
#include "wire/codec.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#define PACKED_MOST ZSTD_COMPRESSBOUND(STREAM_BLOCK_MOST)
/* A block of any size fits twice, so that reads are large. */
#define BUFFER_SIZE (2 * (sizeof(struct stream_block) + PACKED_MOST))
/* Each wrong guess where the next block is costs a checksum over up to
 * PACKED_MOST bytes; after so many the bytes of a wrong guess are not looked at
 * again, so that a file of nothing but block magics is read in linear time. */
#define GUESSES_MOST 10000

struct stream_reader {
	int fd; /* -1: memory */
	char *name;
	/* what was read and not looked at yet: bytes[at..size) */
	const unsigned char *bytes;
	size_t at, size;
	unsigned char *buffer; /* bytes points here, NULL: memory */
	bool drained;	       /* nothing comes after bytes */

	ZSTD_DCtx *zstd;
	uint64_t sequence; /* that the next block should have */
	unsigned guesses;
	struct stream_tally tally;

	/* records of the current block: raw[next..used) */
	size_t next, used;
	_Alignas(8) unsigned char raw[STREAM_BLOCK_MOST];
};

/* Makes `want` bytes (at most BUFFER_SIZE) available, or all that are left. */
static int reader_fill(struct stream_reader *r, size_t want, struct error *err)
{
	if (r->drained || r->size - r->at >= want)
		return 0;
	memmove(r->buffer, r->buffer + r->at, r->size - r->at);
	r->size -= r->at;
	r->at = 0;
	while (r->size < want) {
		ssize_t n = read(r->fd, r->buffer + r->size, BUFFER_SIZE - r->size);

		if (n == 0) {
			r->drained = true;
			break;
		}
		if (n < 0 && errno != EINTR)
			return error_set(err, errno, "cannot read '%s': %s", r->name,
					 strerror(errno));
		if (n > 0)
			r->size += n;
	}
	return 0;
}

/* What stands at r->at. */
enum found { FOUND_BLOCK, FOUND_NONE, FOUND_CUT };

static enum found reader_look(struct stream_reader *r, struct stream_block *ret)
{
	const unsigned char *p = r->bytes + r->at;
	size_t left = r->size - r->at;
	uint32_t magic = STREAM_BLOCK_MAGIC;

	if (memcmp(p, &magic, left < sizeof(magic) ? left : sizeof(magic)) != 0)
		return FOUND_NONE;
	if (left < sizeof(*ret))
		return FOUND_CUT;
	memcpy(ret, p, sizeof(*ret));
	if (ret->raw_size > STREAM_BLOCK_MOST || ret->raw_size < sizeof(struct event) ||
	    ret->packed_size > PACKED_MOST)
		return FOUND_NONE;
	if (left - sizeof(*ret) < ret->packed_size)
		return FOUND_CUT;
	if (stream_checksum(ret, p + sizeof(*ret)) != ret->checksum)
		return FOUND_NONE;
	return FOUND_BLOCK;
}

/* Moves on to the next place that begins as a block does; past its whole length
 * when there were too many wrong guesses. */
static void reader_skip(struct stream_reader *r, const struct stream_block *wrong)
{
	size_t left = r->size - r->at, step = 1;
	const unsigned char *p = r->bytes + r->at;
	const unsigned char *found;

	if (wrong->magic == STREAM_BLOCK_MAGIC && ++r->guesses > GUESSES_MOST)
		step = sizeof(*wrong) + wrong->packed_size;
	if (step > left)
		step = left;
	found = memchr(p + step, STREAM_BLOCK_MAGIC & 0xff, left - step);
	r->at = found ? found - r->bytes : r->size;
}

/* Notes the bytes between two good blocks, or behind the last. */
static void reader_note_gap(struct stream_reader *r, uint64_t gap, enum found first,
			    bool at_end)
{
	if (!gap)
		return;
	if (at_end && first == FOUND_CUT) {
		r->tally.bytes_cut += gap;
		return;
	}
	r->tally.blocks_damaged++;
	r->tally.bytes_damaged += gap;
}

/* Stands on the next good block, or at the end: 1 or 0. */
static int reader_find(struct stream_reader *r, struct stream_block *ret, struct error *err)
{
	enum found first = FOUND_BLOCK, found;
	uint64_t gap = 0;
	size_t before;

	for (;;) {
		int e = reader_fill(r, sizeof(*ret) + PACKED_MOST, err);

		if (e)
			return e;
		if (r->at == r->size)
			break;
		*ret = (struct stream_block){ 0 };
		found = reader_look(r, ret);
		if (found == FOUND_BLOCK)
			break;
		if (!gap)
			first = found;
		before = r->at;
		reader_skip(r, ret);
		gap += r->at - before;
	}
	reader_note_gap(r, gap, first, r->at == r->size);
	return r->at != r->size;
}

/* Unpacks the block at r->at, steps over it; false when it is of no use. */
static bool reader_unpack(struct stream_reader *r, const struct stream_block *block)
{
	const unsigned char *packed = r->bytes + r->at + sizeof(*block);
	size_t size;

	r->at += sizeof(*block) + block->packed_size;
	/* one that was there before: two recordings in one file */
	if (block->sequence < r->sequence)
		return false;
	size = ZSTD_decompressDCtx(r->zstd, r->raw, block->raw_size, packed,
				   block->packed_size);
	if (ZSTD_isError(size) || size != block->raw_size)
		return false;
	r->tally.blocks_missing += block->sequence - r->sequence;
	r->sequence = block->sequence + 1;
	r->next = 0;
	r->used = size;
	return true;
}

static int reader_next_block(struct stream_reader *r, struct error *err)
{
	struct stream_block block;
	uint64_t size;
	int found;

	while ((found = reader_find(r, &block, err)) > 0) {
		size = sizeof(block) + block.packed_size;
		if (reader_unpack(r, &block)) {
			r->tally.blocks++;
			r->tally.bytes += size;
			return 1;
		}
		r->tally.blocks_damaged++;
		r->tally.bytes_damaged += size;
	}
	return found;
}

int stream_reader_next(struct stream_reader *r, const struct event **ret, struct error *err)
{
	for (;;) {
		const struct event *e = (const struct event *)(r->raw + r->next);
		size_t left = r->used - r->next;

		if (!left) {
			int found = reader_next_block(r, err);

			if (found <= 0)
				return found;
			continue;
		}
		if (!event_fits(e, left)) { /* no way to know where the next one begins */
			r->tally.events_refused++;
			r->next = r->used;
			continue;
		}
		r->next += e->size;
		if (!event_check(e, left)) {
			r->tally.events_refused++;
			continue;
		}
		r->tally.events++;
		r->tally.ended = e->kind == EVENT_END;
		*ret = e;
		return 1;
	}
}

static int reader_read_head(struct stream_reader *r, struct error *err)
{
	struct stream_head head;
	int e = reader_fill(r, sizeof(head), err);
	size_t size = r->size < sizeof(head) ? r->size : sizeof(head);

	if (e)
		return e;
	if (!size)
		return error_set(err, EINVAL, "'%s' is empty", r->name);
	memcpy(&head, r->bytes, size);
	if (memcmp(head.magic, STREAM_MAGIC, size < 8 ? size : 8) != 0)
		return error_set(err, EINVAL, "'%s' is not a recording of sonde", r->name);
	r->at = size;
	if (size < sizeof(head)) {
		r->tally.bytes_cut = size;
		return 0;
	}
	if (head.version == 0)
		return error_set(err, EINVAL, "'%s' is damaged: it has no version", r->name);
	if (head.version > STREAM_VERSION || head.flags)
		return error_set(err, ENOTSUP,
				 "'%s' was written by a newer sonde (format %" PRIu32
				 ", flags %#" PRIx32
				 "; this one reads format %d): read it with that",
				 r->name, head.version, head.flags, STREAM_VERSION);
	r->tally.bytes = size;
	return 0;
}

static int reader_begin(struct stream_reader *r, const char *name, struct stream_reader **ret,
			struct error *err)
{
	int e;

	r->name = mem_text(name);
	r->zstd = ZSTD_createDCtx();
	if (!r->zstd)
		e = error_set(err, ENOMEM, "cannot read '%s': no memory to unpack it", name);
	else
		e = reader_read_head(r, err);
	if (e)
		stream_reader_free(r);
	else
		*ret = r;
	return e;
}

int stream_reader_open(int fd, const char *name, struct stream_reader **ret, struct error *err)
{
	struct stream_reader *r = NEW(struct stream_reader);

	r->fd = fd;
	r->buffer = mem_alloc(BUFFER_SIZE);
	r->bytes = r->buffer;
	return reader_begin(r, name, ret, err);
}

int stream_reader_memory(const void *bytes, size_t size, const char *name,
			 struct stream_reader **ret, struct error *err)
{
	struct stream_reader *r = NEW(struct stream_reader);

	r->fd = -1;
	r->bytes = bytes;
	r->size = size;
	r->drained = true;
	return reader_begin(r, name, ret, err);
}

const struct stream_tally *stream_reader_tally(const struct stream_reader *r)
{
	return &r->tally;
}

void stream_reader_free(struct stream_reader *r)
{
	if (!r)
		return;
	ZSTD_freeDCtx(r->zstd);
	free(r->buffer);
	free(r->name);
	free(r);
}
