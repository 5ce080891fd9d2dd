/*
 * intern - every distinct string once, as a small number.
 *
 * Id 0 is always the empty string.  Strings live until intern_done and do not
 * move.  With a limit, what would go beyond it is the empty string, and counted.
 */
#ifndef SONDE_BASE_INTERN_H
#define SONDE_BASE_INTERN_H

#include "base/array.h"
#include "base/table.h"

typedef uint32_t text_id;

struct intern {
	size_t limit; /* bytes of all strings, 0: none */
	size_t size;
	uint64_t refused; /* strings that were beyond the limit */
	ARRAY(char *) strings;
	struct table ids; /* hash of the string, moved on at a collision */
};

void intern_done(struct intern *in);
text_id intern_text(struct intern *in, const char *s);
text_id intern_part(struct intern *in, const char *s, size_t length);
const char *intern_string(const struct intern *in, text_id id);

#endif
