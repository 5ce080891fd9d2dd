#include "sink/gzip.h"

#include <errno.h>
#include <zlib.h>

#define WINDOW_GZIP (15 + 16) /* the largest window, with a gzip header */
#define CHUNK_IN (1u << 30)   /* avail_in is 32 bits */

/* Compresses what the stream was given; flush is Z_FINISH for the last. */
static int deflate_all(z_stream *z, int flush, struct text *out)
{
	unsigned char buf[16384];
	int rc;

	do {
		z->next_out = buf;
		z->avail_out = sizeof(buf);
		rc = deflate(z, flush);
		if (rc == Z_STREAM_ERROR)
			return rc;
		text_add_part(out, (const char *)buf, sizeof(buf) - z->avail_out);
	} while (!z->avail_out);
	return flush == Z_FINISH && rc != Z_STREAM_END ? Z_STREAM_ERROR : Z_OK;
}

int gzip_add(struct text *out, const void *bytes, size_t size, struct error *err)
{
	z_stream z = { 0 };
	const unsigned char *at = bytes;
	int rc = deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_GZIP, 8,
			      Z_DEFAULT_STRATEGY);

	if (rc != Z_OK)
		return error_set(err, ENOMEM, "zlib cannot start (%d)", rc);
	do {
		size_t part = size > CHUNK_IN ? CHUNK_IN : size;

		z.next_in = (unsigned char *)at;
		z.avail_in = part;
		at += part;
		size -= part;
		rc = deflate_all(&z, size ? Z_NO_FLUSH : Z_FINISH, out);
	} while (size && rc == Z_OK);
	deflateEnd(&z);
	if (rc != Z_OK)
		return error_set(err, EIO, "zlib cannot compress (%d)", rc);
	return 0;
}
