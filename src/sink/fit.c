#include "sink/fit.h"

#include "base/mem.h"

#include <string.h>

#define NAME_MAX_BYTES 16384 /* more of a name is not even looked at */

unsigned fit_columns(const char *s)
{
	unsigned n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

/* Start of the parameter list: the '(' that the last ')' closes. */
static const char *parameters(const char *name)
{
	const char *end = strrchr(name, ')');
	unsigned depth = 0;

	for (const char *at = end; at && at > name; at--) {
		depth += *at == ')';
		if (*at == '(' && --depth == 0)
			return at;
	}
	return NULL;
}

/* The '<' and '>' of "operator<", "operator<<", "operator->" and so on are
 * part of the name. */
static bool is_operator(const char *name, const char *at)
{
	while (at > name && strchr("<>-=", at[-1]))
		at--;
	return at - name >= 8 && memcmp(at - 8, "operator", 8) == 0;
}

static void add_without_templates(struct text *t, const char *name)
{
	unsigned depth = 0;

	for (const char *at = name; *at; at++) {
		bool bracket = (*at == '<' || *at == '>') && !is_operator(name, at);

		if (bracket && *at == '<' && depth++ == 0)
			text_add(t, "<…");
		if (bracket && *at == '>' && depth)
			depth--;
		if (!depth)
			text_add_char(t, *at);
	}
	if (depth)
		text_add_char(t, '>');
}

/* Byte offset of the n-th code point. */
static size_t code_offset(const char *s, unsigned n)
{
	const char *at = s;

	while (*at && n) {
		at++;
		while (((unsigned char)*at & 0xc0) == 0x80)
			at++;
		n--;
	}
	return at - s;
}

static void add_elided(struct text *t, const char *name, unsigned columns)
{
	unsigned all = fit_columns(name), tail = (columns - 1) / 2, head = columns - 1 - tail;

	if (all <= columns) {
		text_add(t, name);
		return;
	}
	text_add_part(t, name, code_offset(name, head));
	text_add(t, "…");
	text_add(t, name + code_offset(name, all - tail));
}

void fit_name(struct text *t, const char *name, unsigned columns)
{
	AUTO_FREE char *part = mem_text_part(name, strnlen(name, NAME_MAX_BYTES));
	AUTO_TEXT struct text plain = { 0 }, brief = { 0 };
	const char *cut;

	text_add_plain(&plain, part);
	if (plain.size && fit_columns(plain.bytes) > columns) {
		cut = parameters(plain.bytes);
		/* not the "(" that begins "(anonymous namespace)" or "[clone ...]", or is
		 * the end of "operator()" */
		if (cut && cut > plain.bytes && cut[-1] != ':' && cut[-1] != ' ' &&
		    (cut - plain.bytes < 8 || strncmp(cut - 8, "operator", 8)))
			plain.bytes[cut - plain.bytes] = 0;
	}
	if (plain.size && fit_columns(plain.bytes) > columns) {
		add_without_templates(&brief, plain.bytes);
		add_elided(t, text_string(&brief), columns);
		return;
	}
	text_add(t, text_string(&plain));
}

void fit_pad(struct text *t, size_t from, unsigned columns)
{
	unsigned used = t->size > from ? fit_columns(t->bytes + from) : 0;

	for (; used < columns; used++)
		text_add_char(t, ' ');
}

void fit_style(struct text *t, bool colour, enum fit_style style)
{
	static const char *const codes[] = {
		[FIT_PLAIN] = "\x1b[0m", [FIT_BOLD] = "\x1b[1m",  [FIT_DIM] = "\x1b[2m",
		[FIT_MORE] = "\x1b[31m", [FIT_LESS] = "\x1b[34m",
	};

	if (colour)
		text_add(t, codes[style]);
}
