#include "base/columns.h"

#include "base/mem.h"

#include <string.h>

unsigned columns_of(const char *s)
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

size_t columns_offset(const char *s, unsigned n)
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

#define QUOTE_MOST 40 /* what is quoted and no longer stays together */

static bool is_number(const char *word, size_t n)
{
	size_t open = n && strchr("(<", *word) ? 1 : 0;

	return n > open && strspn(word + open, "0123456789.,+-") >= n - open &&
	       word[n - 1] != ',';
}

/* "--split", of what is quoted behind it. */
static bool is_option(const char *word, size_t n)
{
	return n > 2 && strncmp(word, "--", 2) == 0 && word[n] == ' ' && word[n + 1] == '\'';
}

/* Of 'what is quoted', with what follows up to the next blank; 0: it begins with no quote, or
 * it is long. */
static size_t quoted_length(const char *at)
{
	const char *end = *at == '\'' ? strchr(at + 1, '\'') : NULL;

	return end && end - at <= QUOTE_MOST ? end - at + strcspn(end, " ") : 0;
}

/* To the end of the word at `at`, with the words that stay with it. */
static size_t word_length(const char *at)
{
	size_t quoted = quoted_length(at), n = quoted ? quoted : strcspn(at, " ");

	while (at[n] == ' ' && at[n + 1] && at[n + 1] != ' ') {
		size_t last = n;

		while (last && at[last - 1] != ' ')
			last--;
		if (!is_number(at + last, n - last) && !is_option(at + last, n - last))
			break;
		quoted = quoted_length(at + n + 1);
		n += 1 + (quoted ? quoted : strcspn(at + n + 1, " "));
	}
	return n;
}

void columns_wrap(struct text *t, const char *words, unsigned columns, unsigned indent)
{
	unsigned used = 0;
	bool any = false; /* on this line */

	while (*words) {
		size_t gap = strspn(words, " "), n = word_length(words + gap);
		AUTO_FREE char *word = mem_text_part(words + gap, n);
		unsigned wide = columns_of(word);

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

void columns_wrap_lines(struct text *t, const char *text, unsigned columns)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		AUTO_FREE char *line = mem_text_part(text, n);

		columns_wrap(t, line, columns, strspn(line, " ") + 4);
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

void columns_clip(struct text *t, const char *text, unsigned columns, unsigned lines)
{
	unsigned all = count_lines(text), shown = all > lines ? lines - 1 : all;

	for (unsigned i = 0; i < shown; i++) {
		size_t n = strcspn(text, "\n");
		AUTO_FREE char *line = mem_text_part(text, n);

		text_add_part(t, line, columns_offset(line, columns));
		text_add_char(t, '\n');
		text += n + (text[n] == '\n');
	}
	if (shown < all)
		text_format(t, "… %u more line%s\n", all - shown, all - shown == 1 ? "" : "s");
}
