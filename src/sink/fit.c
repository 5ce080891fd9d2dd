#include "sink/fit.h"

#include "base/columns.h"
#include "base/mem.h"

#include <string.h>

#define NAME_MAX_BYTES 16384 /* more of a name is not even looked at */
#define NAME_LEAST 20	     /* columns, where names and places share a line */
#define PLACE_LEAST 18

/* Of "fn_64da0~quicklistIndex" the address: what is exported before it need not have to do with
 * it, and leads astray who reads it as a name. */
static char *shown_of(const char *name)
{
	size_t hex = strncmp(name, "fn_", 3) ? 0 : strspn(name + 3, "0123456789abcdef");
	size_t n = hex && name[3 + hex] == '~' ? 3 + hex : strnlen(name, NAME_MAX_BYTES);

	return mem_text_part(name, n);
}

unsigned fit_natural(const char *name)
{
	AUTO_FREE char *part = shown_of(name);
	AUTO_TEXT struct text plain = { 0 };

	text_add_plain(&plain, part);
	return columns_of(text_string(&plain));
}

/* The '<' and '>' of "operator<", "operator<<", "operator->" and so on are
 * part of the name. */
static bool is_operator(const char *name, const char *at)
{
	while (at > name && strchr("<>-=", at[-1]))
		at--;
	return at - name >= 8 && memcmp(at - 8, "operator", 8) == 0;
}

/* Start of the parameter list: the '(' that the last ')' closes, unless that is a tuple among
 * the arguments of a template. */
static const char *parameters(const char *name)
{
	const char *end = strrchr(name, ')');
	unsigned depth = 0;

	for (const char *at = name; end && at < end; at++) {
		depth += *at == '<' && !is_operator(name, at);
		depth -= *at == '>' && depth && !is_operator(name, at);
	}
	if (depth)
		return NULL;
	for (const char *at = end; at && at > name; at--) {
		depth += *at == ')';
		if (*at == '(' && --depth == 0)
			return at;
	}
	return NULL;
}

/* The '<' that a name begins with is that of a type in Rust, "<Channel<i32>>::send". */
static void add_without_templates(struct text *t, const char *name)
{
	unsigned depth = 0;

	for (const char *at = name; *at; at++) {
		bool bracket =
			at > name && (*at == '<' || *at == '>') && !is_operator(name, at);

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

static void add_elided(struct text *t, const char *name, unsigned columns)
{
	unsigned all = columns_of(name), tail = (columns - 1) / 2, head = columns - 1 - tail;

	if (all <= columns) {
		text_add(t, name);
		return;
	}
	text_add_part(t, name, columns_offset(name, head));
	text_add(t, "…");
	text_add(t, name + columns_offset(name, all - tail));
}

void fit_name(struct text *t, const char *name, unsigned columns)
{
	AUTO_FREE char *part = shown_of(name);
	AUTO_TEXT struct text plain = { 0 }, brief = { 0 };
	const char *cut;

	text_add_plain(&plain, part);
	if (plain.size && columns_of(plain.bytes) > columns) {
		cut = parameters(plain.bytes);
		/* not the "(" that begins "(anonymous namespace)" or "[clone ...]", or is
		 * the end of "operator()" */
		if (cut && cut > plain.bytes && cut[-1] != ':' && cut[-1] != ' ' &&
		    (cut - plain.bytes < 8 || strncmp(cut - 8, "operator", 8)))
			plain.bytes[cut - plain.bytes] = 0;
	}
	if (plain.size && columns_of(plain.bytes) > columns) {
		add_without_templates(&brief, plain.bytes);
		add_elided(t, text_string(&brief), columns);
		return;
	}
	text_add(t, text_string(&plain));
}

void fit_pad(struct text *t, size_t from, unsigned columns)
{
	unsigned used = t->size > from ? columns_of(t->bytes + from) : 0;

	for (; used < columns; used++)
		text_add_char(t, ' ');
}

void fit_share(unsigned columns, unsigned *name, unsigned *place)
{
	unsigned gap = *place > 0,
		 room = columns > NAME_LEAST + gap ? columns - gap : NAME_LEAST;
	unsigned third = room / 3 > PLACE_LEAST ? room / 3 : PLACE_LEAST;

	if (*name < NAME_LEAST)
		*name = NAME_LEAST;
	if (*name + *place <= room)
		return;
	if (*place > third)
		*place = *name < room - third ? room - *name : third;
	if (*name + *place > room)
		*name = room > *place + NAME_LEAST ? room - *place : NAME_LEAST;
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
