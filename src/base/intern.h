/*
 * intern - every distinct string once, as a small number.
 *
 * Id 0 is always the empty string.  Strings live until intern_done and do not
 * move.
 */
#ifndef SONDE_BASE_INTERN_H
#define SONDE_BASE_INTERN_H

#include "base/array.h"
#include "base/table.h"

typedef uint32_t text_id;

struct intern {
	ARRAY(char *) strings;
	struct table ids; /* hash of the string, moved on at a collision */
};

void intern_done(struct intern *in);
text_id intern_text(struct intern *in, const char *s);
text_id intern_part(struct intern *in, const char *s, size_t length);
const char *intern_string(const struct intern *in, text_id id);

#endif
