#include "model/token.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_BEFORE 60 /* bytes of the expression around an error */
#define SHOWN 120

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

int token_error(const char *text, size_t at, struct error *err, const char *format, ...)
{
	size_t from = at > SHOWN_BEFORE ? at - SHOWN_BEFORE : 0, length, column = 0;
	AUTO_TEXT struct text before = { 0 }, line = { 0 };
	char sentence[512], part[SHOWN + 1];
	va_list ap;

	va_start(ap, format);
	vsnprintf(sentence, sizeof(sentence), format, ap);
	va_end(ap);
	while (from && from < at && is_continuation(text[from]))
		from++;
	snprintf(part, sizeof(part), "%.*s", (int)(at - from), text + from);
	text_add_plain(&before, part);
	for (const char *p = text_string(&before); *p; p++)
		column += !is_continuation(*p);
	length = strnlen(text + from, SHOWN);
	while (length && is_continuation(text[from + length]))
		length--;
	snprintf(part, sizeof(part), "%.*s", (int)length, text + from);
	text_add_plain(&line, part);
	return error_set(err, EINVAL, "%s\n  %s\n  %*s^", sentence, text_string(&line),
			 (int)column, "");
}

static const struct {
	const char *spelling;
	enum token_kind kind;
} signs[] = {
	{ "&&", TOKEN_AND },  { "||", TOKEN_OR }, { "==", TOKEN_EQ },  { "!=", TOKEN_NE },
	{ "<=", TOKEN_LE },   { ">=", TOKEN_GE }, { "..", TOKEN_TO },  { "<", TOKEN_LT },
	{ ">", TOKEN_GT },    { "!", TOKEN_NOT }, { "(", TOKEN_OPEN }, { ")", TOKEN_CLOSE },
	{ "~", TOKEN_MATCH },
};

/* What places are spelt with.  ".." divides. */
static bool is_word(const char *s)
{
	if (s[0] == '.')
		return s[1] && s[1] != '.';
	return *s && (isalnum((unsigned char)*s) || (unsigned char)*s >= 0x80 ||
		      strchr("_:@$+-=/", *s));
}

/* Length of the number with its unit at s: up to "..", or to what is neither. */
static size_t number_length(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '%' || (unsigned char)s[n] >= 0x80 ||
	       (s[n] == '.' && s[n + 1] != '.'))
		n++;
	return n;
}

static int read_number(const char *text, struct token *ret, struct error *err)
{
	char part[64];
	const char *end;

	ret->kind = TOKEN_NUMBER;
	ret->length = number_length(text + ret->at);
	snprintf(part, sizeof(part), "%.*s", (int)ret->length, text + ret->at);
	if (ret->length >= sizeof(part) ||
	    !text_to_quantity(part, &end, &ret->number, &ret->unit) || *end)
		return token_error(text, ret->at, err,
				   "'%s' is not a number with a unit "
				   "(ns us ms s min h, KiB MiB GiB, %%)",
				   part);
	return 0;
}

/* p50, p99.9; false when it is the beginning of a longer word. */
static bool read_percentile(const char *text, struct token *ret)
{
	const char *s = text + ret->at;
	char digits[16];
	size_t n = 1;

	if (s[0] != 'p' || !isdigit((unsigned char)s[1]))
		return false;
	while (isdigit((unsigned char)s[n]) ||
	       (s[n] == '.' && isdigit((unsigned char)s[n + 1])))
		n++;
	if (n >= sizeof(digits) || is_word(s + n))
		return false;
	snprintf(digits, sizeof(digits), "%.*s", (int)n - 1, s + 1);
	ret->kind = TOKEN_PERCENTILE;
	ret->length = n;
	ret->number = strtod(digits, NULL);
	return true;
}

static int read_string(const char *text, struct token *ret, size_t *ret_next, struct error *err)
{
	const char *end = strchr(text + ret->at + 1, '"');

	if (!end)
		return token_error(text, ret->at, err, "the string has no closing '\"'");
	ret->kind = TOKEN_STRING;
	ret->at++;
	ret->length = end - (text + ret->at);
	*ret_next = ret->at + ret->length + 1;
	return 0;
}

void token_add_dur(struct text *t, const char *place)
{
	size_t word = 0;

	while (place && is_word(place + word))
		word++;
	if (place && *place && !place[word] && !isdigit((unsigned char)*place))
		text_format(t, "%s.", place);
	else if (place)
		text_format(t, "\"%s\".", place);
	text_add(t, "dur");
}

int token_read(const char *text, size_t at, struct token *ret, size_t *ret_next,
	       struct error *err)
{
	struct token t = { .kind = TOKEN_END };
	int r = 0;

	while (isspace((unsigned char)text[at]))
		at++;
	t.at = at;
	*ret_next = at;
	if (!text[at])
		goto done;
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		t.length = strlen(signs[i].spelling);
		t.kind = signs[i].kind;
		if (strncmp(text + at, signs[i].spelling, t.length) == 0)
			goto done;
	}
	if (text[at] == '"') {
		r = read_string(text, &t, ret_next, err);
		if (!r)
			*ret = t;
		return r;
	}
	if (isdigit((unsigned char)text[at + (text[at] == '.')])) {
		r = read_number(text, &t, err);
	} else if (!read_percentile(text, &t)) {
		t.kind = TOKEN_WORD;
		for (t.length = 0; is_word(text + at + t.length);)
			t.length++;
		if (!t.length)
			r = token_error(text, at, err, "'%c' means nothing here",
					isprint((unsigned char)text[at]) ? text[at] : '?');
	}
done:
	if (!r) {
		*ret = t;
		*ret_next = t.at + t.length;
	}
	return r;
}
