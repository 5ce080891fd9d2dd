#include "sink/fit.h"

#include "base/mem.h"

#include <string.h>

#define NAME_MAX_BYTES 16384 /* more of a name is not even looked at */

unsigned fit_columns(const char *s)
{
	unsigned n = 0;

	while (*s) {
		if (s[0] == '\x1b' && s[1] == '[') { /* ECMA-48, 8.3.117 */
			s += strcspn(s, "m");
			s += *s == 'm';
			continue;
		}
		n += ((unsigned char)*s++ & 0xc0) != 0x80;
	}
	return n;
}

unsigned fit_natural(const char *name)
{
	AUTO_FREE char *part = mem_text_part(name, strnlen(name, NAME_MAX_BYTES));
	AUTO_TEXT struct text plain = { 0 };

	text_add_plain(&plain, part);
	return fit_columns(text_string(&plain));
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

static bool is_number(const char *word, size_t n)
{
	return n && strspn(word, "0123456789.,+-") >= n && word[n - 1] != ',';
}

/* To the end of the word at `at`, with the words that stay with it. */
static size_t word_length(const char *at)
{
	size_t n = strcspn(at, " ");

	while (at[n] == ' ' && at[n + 1] && at[n + 1] != ' ') {
		size_t last = n;

		while (last && at[last - 1] != ' ')
			last--;
		if (!is_number(at + last, n - last))
			break;
		n += 1 + strcspn(at + n + 1, " ");
	}
	return n;
}

void fit_wrap(struct text *t, const char *words, unsigned columns, unsigned indent)
{
	unsigned used = 0;
	bool any = false; /* on this line */

	while (*words) {
		size_t gap = strspn(words, " "), n = word_length(words + gap);
		AUTO_FREE char *word = mem_text_part(words + gap, n);
		unsigned wide = fit_columns(word);

		if (!n)
			break; /* blanks at the end */
		words += gap + n;
		if (any && used + gap + wide > columns) {
			text_format(t, "\n%*s", (int)indent, "");
			used = indent;
			gap = 0;
		}
		text_format(t, "%*s%s", (int)gap, "", word);
		used += gap + wide;
		any = true;
	}
	text_add_char(t, '\n');
}

void fit_wrap_lines(struct text *t, const char *text, unsigned columns)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		AUTO_FREE char *line = mem_text_part(text, n);

		fit_wrap(t, line, columns, strspn(line, " ") + 4);
		text += n + (text[n] == '\n');
	}
}

static unsigned count_lines(const char *text)
{
	unsigned n = 0;

	for (; *text; n++) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return n;
}

void fit_clip(struct text *t, const char *text, unsigned columns, unsigned lines)
{
	unsigned all = count_lines(text), shown = all > lines ? lines - 1 : all;

	for (unsigned i = 0; i < shown; i++) {
		size_t n = strcspn(text, "\n");
		AUTO_FREE char *line = mem_text_part(text, n);

		text_add_part(t, line, code_offset(line, columns));
		text_add_char(t, '\n');
		text += n + (text[n] == '\n');
	}
	if (shown < all)
		text_format(t, "… %u more line%s\n", all - shown, all - shown == 1 ? "" : "s");
}

#define NAME_LEAST 20
#define PLACE_LEAST 18

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
