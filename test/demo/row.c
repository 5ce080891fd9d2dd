#include "shop.h"

#define ROWS 120

static unsigned digits(uint64_t value, char *out)
{
	unsigned n = 0;

	do {
		out[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	return n;
}

KEPT unsigned render_rows(struct worker *w, unsigned fields)
{
	unsigned bytes = 0;
	char cell[24];

	for (unsigned row = 0; row < ROWS; row++)
		for (unsigned k = 0; k < BLOCK_WORDS; k += 2)
			bytes += digits(w->page[k] ^ row * fields, cell);
	return bytes;
}
