#include "wire/stream.h"

#include "base/mem.h"
#include "base/outflow.h"
#include "wire/codec.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

/* Fast enough for the recorder's own cost, and records of one kind repeat. */
#define LEVEL 1
#define PACKED_MOST ZSTD_COMPRESSBOUND(STREAM_BLOCK_MOST)

struct stream_writer {
	int fd;
	struct outflow out;
	char *name;
	ZSTD_CCtx *zstd;
	size_t used;		/* of raw */
	uint64_t pending;	/* records in raw */
	uint64_t sequence;	/* of the next block */
	uint64_t bytes, events; /* safely written; on their way where it is no file */
	int failed;		/* negative errno of the first failed write */
	struct error why;
	_Alignas(8) unsigned char raw[STREAM_BLOCK_MOST];
	/* a block as it is written */
	_Alignas(8) unsigned char packed[sizeof(struct stream_block) + PACKED_MOST];
};

uint64_t stream_checksum(const struct stream_block *block, const void *packed)
{
	uint64_t seed = XXH3_64bits(block, offsetof(struct stream_block, checksum));

	return XXH3_64bits_withSeed(packed, block->packed_size, seed);
}

/* Cuts off what a failed write left of a block.  Only regular files can be cut,
 * and at another offset than that of the writer it was opened for appending or
 * is shared: then it is left alone. */
static void writer_cut_back(struct stream_writer *w, size_t partly)
{
	off_t at = lseek(w->fd, 0, SEEK_CUR);

	if (partly && at == (off_t)(w->bytes + partly) && ftruncate(w->fd, w->bytes) == 0)
		lseek(w->fd, w->bytes, SEEK_SET);
}

static int writer_fail(struct stream_writer *w, int code, size_t partly, struct error *err)
{
	char size[TEXT_QUANTITY], count[TEXT_QUANTITY];

	writer_cut_back(w, partly);
	w->failed =
		error_set(&w->why, code, "cannot write '%s': %s (%s with %s records are kept)",
			  w->name, strerror(code), text_size(size, w->bytes),
			  text_count(count, w->events));
	return error_set(err, code, "%s", w->why.text);
}

/* There is no file to keep anything in. */
static int writer_part(struct stream_writer *w, int code, struct error *err)
{
	char size[TEXT_QUANTITY], most[TEXT_QUANTITY];

	text_size(size, w->out.bytes);
	if (code == ENOBUFS)
		w->failed = error_set(&w->why, code,
				      "who reads '%s' stands still: %s wait there, no more is "
				      "kept (it has read %s)",
				      w->name, text_size(most, OUTFLOW_MOST), size);
	else
		w->failed =
			error_set(&w->why, code, "cannot write '%s': %s (its reader has %s)",
				  w->name,
				  code == EPIPE ? "its reader has gone" : strerror(code), size);
	return error_set(err, code, "%s", w->why.text);
}

static int writer_write(struct stream_writer *w, const void *bytes, size_t size,
			struct error *err)
{
	int code = outflow_put(&w->out, bytes, size);

	if (code && w->out.is_file)
		return writer_fail(w, -code, w->out.bytes - w->bytes, err);
	if (code)
		return writer_part(w, -code, err);
	w->bytes += size;
	return 0;
}

int stream_writer_new(int fd, const char *name, struct stream_writer **ret, struct error *err)
{
	struct stream_head head = { .version = STREAM_VERSION };
	struct stream_writer *w = NEW(struct stream_writer);
	int r;

	memcpy(head.magic, STREAM_MAGIC, sizeof(head.magic));
	w->fd = fd;
	outflow_open(&w->out, fd);
	w->name = mem_text(name);
	w->zstd = ZSTD_createCCtx();
	if (!w->zstd) {
		r = error_set(err, ENOMEM, "cannot write '%s': no memory to compress it", name);
		goto fail;
	}
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
	r = writer_write(w, &head, sizeof(head), err);
	if (r)
		goto fail;
	*ret = w;
	return 0;
fail:
	stream_writer_free(w);
	return r;
}

int stream_writer_flush(struct stream_writer *w, struct error *err)
{
	unsigned char *body = w->packed + sizeof(struct stream_block);
	struct stream_block block = { .magic = STREAM_BLOCK_MAGIC,
				      .raw_size = w->used,
				      .sequence = w->sequence };
	size_t size;
	int r;

	if (w->failed)
		return error_set(err, -w->failed, "%s", w->why.text);
	if (!w->used)
		return 0;
	size = ZSTD_compress2(w->zstd, body, PACKED_MOST, w->raw, w->used);
	if (ZSTD_isError(size))
		return writer_fail(w, EIO, 0, err);
	block.packed_size = size;
	block.checksum = stream_checksum(&block, body);
	memcpy(w->packed, &block, sizeof(block));
	r = writer_write(w, w->packed, sizeof(block) + size, err);
	if (r)
		return r;
	w->events += w->pending;
	w->pending = 0;
	w->used = 0;
	w->sequence++;
	return 0;
}

int stream_writer_add(struct stream_writer *w, const struct event *e, struct error *err)
{
	int r;

	assert(event_fits(e, EVENT_SIZE_MAX));
	if (w->failed || w->used + e->size > sizeof(w->raw)) {
		r = stream_writer_flush(w, err);
		if (r)
			return r;
	}
	memcpy(w->raw + w->used, e, e->size);
	w->used += e->size;
	w->pending++;
	return 0;
}

void stream_writer_free(struct stream_writer *w)
{
	if (!w)
		return;
	ZSTD_freeCCtx(w->zstd);
	outflow_done(&w->out);
	free(w->name);
	free(w);
}

static int writer_passed(struct stream_writer *w, int code, struct error *err)
{
	if (w->failed)
		return error_set(err, -w->failed, "%s", w->why.text);
	return code ? writer_part(w, -code, err) : 0;
}

int stream_writer_pass(struct stream_writer *w, struct error *err)
{
	return writer_passed(w, w->failed ? 0 : outflow_try(&w->out), err);
}

int stream_writer_end(struct stream_writer *w, struct error *err)
{
	return writer_passed(w, w->failed ? 0 : outflow_end(&w->out), err);
}

size_t stream_writer_waiting(const struct stream_writer *w)
{
	return w->failed ? 0 : outflow_waiting(&w->out);
}

uint64_t stream_writer_bytes(const struct stream_writer *w)
{
	return w->bytes;
}

uint64_t stream_writer_events(const struct stream_writer *w)
{
	return w->events;
}
