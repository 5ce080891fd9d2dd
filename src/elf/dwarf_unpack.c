#include "elf/dwarf_unpack.h"

#include "base/mem.h"

#include <zlib.h>
#include <zstd.h>

/* Between two looks at the clock. */
#define STEP (1u << 20)
#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

struct packed {
	uint8_t *bytes;
	uint64_t size;
};

static int unpack_zlib(const struct unpack *u, struct packed in, uint8_t *to, uint64_t size)
{
	z_stream z = { .next_in = in.bytes, .avail_in = in.size };
	int r = inflateInit(&z), code = -EINVAL;

	for (uint64_t done = 0; r == Z_OK && done < size; done = z.total_out) {
		if (clock_cpu() > u->deadline) {
			code = -EAGAIN;
			break;
		}
		z.next_out = to + done;
		z.avail_out = size - done < STEP ? size - done : STEP;
		r = inflate(&z, Z_NO_FLUSH);
		if (r == Z_OK && z.total_out == done)
			break; /* the input is at its end */
	}
	if (z.total_out == size)
		code = 0;
	inflateEnd(&z);
	return code;
}

static int unpack_zstd(const struct unpack *u, struct packed in, uint8_t *to, uint64_t size)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer from = { in.bytes, in.size, 0 };
	ZSTD_outBuffer out = { to, 0, 0 };
	int code = -EINVAL;

	while (out.pos < size) {
		size_t before = out.pos, r;

		if (clock_cpu() > u->deadline) {
			code = -EAGAIN;
			break;
		}
		out.size = size - out.pos < STEP ? size : out.pos + STEP;
		r = ZSTD_decompressStream(z, &out, &from);
		if (ZSTD_isError(r) || (out.pos == before && from.pos == from.size))
			break;
	}
	if (out.pos == size)
		code = 0;
	ZSTD_freeDStream(z);
	return code;
}

/* Which ones there are, by ch_type. */
static int (*const unpackers[])(const struct unpack *u, struct packed in, uint8_t *to,
				uint64_t size) = {
	[ELFCOMPRESS_ZLIB] = unpack_zlib,
	[ELFCOMPRESS_ZSTD] = unpack_zstd,
};

int unpack_section(struct unpack *u)
{
	const struct section *s = u->section;
	AUTO_FREE uint8_t *in = NULL;
	uint8_t *to;
	Elf64_Chdr head;
	uint64_t size;
	int r;

	if (s->size <= sizeof(head) || s->size > SECTION_SIZE_MAX ||
	    image_read(u->image, s->offset, &head, sizeof(head)) != sizeof(head))
		return -EINVAL;
	size = s->size - sizeof(head);
	if (head.ch_type >= sizeof(unpackers) / sizeof(unpackers[0]) ||
	    !unpackers[head.ch_type] || !head.ch_size || head.ch_size > u->most)
		return -EINVAL;
	in = mem_alloc(size);
	if (image_read(u->image, s->offset + sizeof(head), in, size) != size)
		return -EINVAL;
	to = mem_zeroed(head.ch_size, 1);
	r = unpackers[head.ch_type](u, (struct packed){ in, size }, to, head.ch_size);
	if (r) {
		free(to);
		return r;
	}
	u->bytes = to;
	u->size = head.ch_size;
	return 0;
}
