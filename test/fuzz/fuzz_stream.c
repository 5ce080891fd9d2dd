/*
 * fuzz_stream - the reader of recordings, and what its records promise.
 *
 * The first byte says what the rest is: a stream as it is; one whose block
 * checksums are made right first, so that what lies behind them is reached; or
 * records, which are packed into a good block.
 *
 * sources: src/wire/*.c src/base/*.c
 * libraries: -lzstd -lxxhash -lm
 */
#include "base/mem.h"
#include "wire/bucket.h"
#include "wire/codec.h"
#include "wire/stream.h"

#include <string.h>
#include <zstd.h>

enum shape { AS_IT_IS, CHECKSUMS_REPAIRED, RECORDS, NR_SHAPE };

static void require(bool promise)
{
	if (!promise)
		__builtin_trap();
}

/* Reads everything a record says it has, so that the sanitizers see it. */
static uint64_t touch(const struct event *e)
{
	const unsigned char *bytes = (const unsigned char *)e;
	uint64_t sum = 0;

	for (unsigned i = 0; i < 4; i++)
		sum += strlen(event_text(e, i));
	require(sum < e->size);
	for (unsigned i = 0; i < e->size; i++)
		sum += bytes[i];
	if (e->kind == EVENT_SAMPLE || e->kind == EVENT_WAIT || e->kind == EVENT_WAKE) {
		const struct event_sample *s = (const void *)e;

		require(sizeof(*s) + 8 * (s->nr_kernel + s->nr_user) <= e->size);
	} else if (e->kind == EVENT_CALLS) {
		const struct event_calls *c = (const void *)e;

		require(sizeof(*c) + 8ull * c->nr_buckets <= e->size);
		for (uint32_t i = 0; i < c->nr_buckets; i++)
			require(c->buckets[i].bucket < NR_BUCKET);
	}
	return sum;
}

static void read_stream(const unsigned char *bytes, size_t size)
{
	struct stream_reader *r;
	const struct stream_tally *t;
	const struct event *e;
	struct error err;
	AUTO_TEXT struct text words = { 0 };

	if (stream_reader_memory(bytes, size, "input", &r, &err))
		return;
	while (stream_reader_next(r, &e, &err) > 0) {
		require(event_check(e, EVENT_SIZE_MAX));
		touch(e);
	}
	t = stream_reader_tally(r);
	require(t->bytes + t->bytes_damaged + t->bytes_cut == size);
	require(stream_tally_print(t, &words) || t->ended);
	stream_reader_free(r);
}

static void repair_checksums(unsigned char *bytes, size_t size)
{
	size_t at = sizeof(struct stream_head);
	struct stream_block b;

	while (at + sizeof(b) <= size) {
		memcpy(&b, bytes + at, sizeof(b));
		b.magic = STREAM_BLOCK_MAGIC;
		if (b.packed_size > size - at - sizeof(b))
			b.packed_size = size - at - sizeof(b);
		b.checksum = stream_checksum(&b, bytes + at + sizeof(b));
		memcpy(bytes + at, &b, sizeof(b));
		at += sizeof(b) + b.packed_size;
	}
}

/* A stream of one block with these records. */
static size_t pack(const unsigned char *records, size_t size, unsigned char *to, size_t room)
{
	struct stream_head head = { .version = STREAM_VERSION };
	struct stream_block b = { .magic = STREAM_BLOCK_MAGIC, .raw_size = size };
	unsigned char *body = to + sizeof(head) + sizeof(b);

	b.packed_size = ZSTD_compress(body, room - (body - to), records, size, 1);
	b.checksum = stream_checksum(&b, body);
	memcpy(head.magic, STREAM_MAGIC, sizeof(head.magic));
	memcpy(to, &head, sizeof(head));
	memcpy(to + sizeof(head), &b, sizeof(b));
	return body - to + b.packed_size;
}

int LLVMFuzzerTestOneInput(const unsigned char *input, size_t size)
{
	size_t room = size + 1024;
	unsigned char *bytes;

	if (!size || size > STREAM_BLOCK_MOST)
		return 0;
	bytes = mem_alloc(room);
	memcpy(bytes, input + 1, --size);
	switch (input[0] % NR_SHAPE) {
	case CHECKSUMS_REPAIRED:
		if (size >= sizeof(struct stream_head))
			memcpy(bytes, STREAM_MAGIC "\1\0\0\0\0\0\0",
			       sizeof(struct stream_head));
		repair_checksums(bytes, size);
		break;
	case RECORDS:
		size = pack(input + 1, size, bytes, room);
		break;
	default:
		break;
	}
	/* of its exact size, so that the sanitizer sees one byte too far */
	bytes = mem_resize(bytes, size, 1);
	read_stream(bytes, size);
	free(bytes);
	return 0;
}
