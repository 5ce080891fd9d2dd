#include "sink/escape.h"

#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static bool byte_is_xml(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '<' && c != '>' && c != '&' && c != '"' &&
	       c != '\'';
}

static bool byte_is_json(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* Copies the run of bytes that need nothing; returns where it ended. */
static const unsigned char *copy_run(struct text *t, const unsigned char *s,
				     bool (*clean)(unsigned char))
{
	const unsigned char *end = s;

	while (clean(*end))
		end++;
	if (end > s)
		text_add_part(t, (const char *)s, end - s);
	return end;
}

static void add_xml_code(struct text *t, const unsigned char *s, unsigned n, uint32_t code)
{
	if (!n || !text_is_plain(code) || (code & 0xfffe) == 0xfffe)
		text_add(t, REPLACEMENT);
	else if (code == '<')
		text_add(t, "&lt;");
	else if (code == '>')
		text_add(t, "&gt;");
	else if (code == '&')
		text_add(t, "&amp;");
	else if (code == '"')
		text_add(t, "&quot;");
	else if (code == '\'')
		text_add(t, "&#39;");
	else
		text_add_part(t, (const char *)s, n);
}

void escape_xml(struct text *t, const char *s)
{
	const unsigned char *p = copy_run(t, (const unsigned char *)s, byte_is_xml);
	uint32_t code = 0;

	while (*p) {
		unsigned n = text_utf8(p, &code);

		add_xml_code(t, p, n, code);
		p = copy_run(t, p + (n ? n : 1), byte_is_xml);
	}
}

void escape_json(struct text *t, const char *s)
{
	const unsigned char *p;
	uint32_t code = 0;

	text_add_char(t, '"');
	p = copy_run(t, (const unsigned char *)s, byte_is_json);
	while (*p) {
		unsigned n = text_utf8(p, &code);

		if (!n)
			text_add(t, REPLACEMENT);
		else if (code == '"' || code == '\\')
			text_format(t, "\\%c", (char)code);
		else if (!text_is_plain(code))
			text_format(t, "\\u%04x", code);
		else
			text_add_part(t, (const char *)p, n);
		p = copy_run(t, p + (n ? n : 1), byte_is_json);
	}
	text_add_char(t, '"');
}

void escape_folded(struct text *t, const char *s)
{
	size_t from = t->size;

	text_add_plain(t, s);
	for (size_t i = from; i < t->size; i++)
		if (t->bytes[i] == ';')
			t->bytes[i] = ':';
}
