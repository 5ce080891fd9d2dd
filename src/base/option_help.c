#include "base/option.h"

#include <string.h>

#define HELP_COLUMN 28
#define HELP_WIDTH 80

/* Terminal columns of UTF-8 text without wide characters. */
static unsigned columns(const char *s, size_t length)
{
	unsigned n = 0;

	for (size_t i = 0; i < length; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

static void indent(struct text *to, unsigned from, unsigned column)
{
	for (; from < column; from++)
		text_add_char(to, ' ');
}

void option_wrap(struct text *to, const char *s, unsigned column)
{
	unsigned at = column;

	while (*s) {
		size_t length = strcspn(s, " \n");
		unsigned width = columns(s, length);
		bool full = at > column && at + 1 + width > HELP_WIDTH;

		if (full) {
			text_add_char(to, '\n');
			indent(to, 0, column);
			at = column;
		} else if (at > column) {
			text_add_char(to, ' ');
			at++;
		}
		text_add_part(to, s, length);
		at += width;
		s += length;
		for (; *s == ' ' || *s == '\n'; s++) {
			if (*s != '\n')
				continue;
			text_add_char(to, '\n');
			indent(to, 0, s[1] && s[1] != '\n' ? column : 0);
			at = column;
		}
	}
	text_add_char(to, '\n');
}

static void add_option(struct text *to, const struct option_spec *spec)
{
	AUTO_TEXT struct text left = { 0 };
	unsigned width;

	if (spec->letter)
		text_format(&left, "  -%c, --%s", spec->letter, spec->name);
	else
		text_format(&left, "      --%s", spec->name);
	if (spec->argument)
		text_format(&left, " %s", spec->argument);
	width = columns(text_string(&left), left.size);
	text_add(to, text_string(&left));
	if (width + 2 > HELP_COLUMN) {
		text_add_char(to, '\n');
		width = 0;
	}
	indent(to, width, HELP_COLUMN);
	option_wrap(to, spec->help, HELP_COLUMN);
}

void option_help(const struct option_group *const groups[], struct text *to)
{
	for (; *groups; groups++) {
		text_format(to, "\n%s\n", (*groups)->title);
		for (unsigned i = 0; i < (*groups)->count; i++)
			if ((*groups)->specs[i].help)
				add_option(to, &(*groups)->specs[i]);
	}
}
