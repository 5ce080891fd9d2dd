#include "base/terminal.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS_LEAST 40
#define LINES_LEAST 5
#define SIZE_MOST 1000

bool terminal_has_codes(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

bool terminal_has_colour(int fd)
{
	const char *no = getenv("NO_COLOR"); /* as no-color.org says: not when empty */

	return terminal_has_codes(fd) && !(no && *no);
}

static unsigned from_environment(const char *name, unsigned least)
{
	const char *set = getenv(name);
	uint64_t n;

	return set && text_to_u64(set, &n) && n >= least && n <= SIZE_MOST ? n : 0;
}

static unsigned size_of(int fd, const char *name, unsigned least, bool columns)
{
	struct winsize size;
	unsigned n;

	if (!isatty(fd))
		return 0;
	n = from_environment(name, least);
	if (n || ioctl(fd, TIOCGWINSZ, &size) < 0)
		return n;
	n = columns ? size.ws_col : size.ws_row;
	return n > SIZE_MOST ? SIZE_MOST : n;
}

unsigned terminal_columns(int fd)
{
	return size_of(fd, "COLUMNS", COLUMNS_LEAST, true);
}

unsigned terminal_columns_wanted(void)
{
	return from_environment("COLUMNS", COLUMNS_LEAST);
}

unsigned terminal_lines(int fd)
{
	return size_of(fd, "LINES", LINES_LEAST, false);
}

bool terminal_takes_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (unsigned i = 0; i < COUNT_OF(names); i++) {
		const char *locale = getenv(names[i]);

		if (locale && *locale)
			return strcasestr(locale, "utf-8") || strcasestr(locale, "utf8");
	}
	return true;
}

static const struct {
	const char *sign, *like;
} ascii[] = {
	{ "µ", "u" }, { "×", "x" }, { "±", "+-" }, { "–", "-" },  { "−", "-" },	 { "…", "*" },
	{ "›", ">" }, { "←", "<" }, { "→", ">" },  { "≥", ">=" }, { "≤", "<=" }, { "·", "-" },
	{ "─", "-" }, { "│", "|" }, { "├", "|" },  { "└", "`" },  { "┊", ":" },	 { "█", "#" },
	{ "▉", "#" }, { "▊", "#" }, { "▋", "#" },  { "▌", "#" },  { "▍", "." },	 { "▎", "." },
	{ "▏", "." }, { "▁", "." }, { "▂", ":" },  { "▃", "-" },  { "▄", "=" },	 { "▅", "+" },
	{ "▆", "*" }, { "▇", "%" }, { "░", "." },
};

static const char *like(const char *s, unsigned length)
{
	for (unsigned i = 0; i < COUNT_OF(ascii); i++)
		if (strlen(ascii[i].sign) == length && memcmp(ascii[i].sign, s, length) == 0)
			return ascii[i].like;
	return "?";
}

void terminal_add_ascii(struct text *to, const char *s)
{
	while (*s) {
		uint32_t code;
		unsigned n = text_utf8((const unsigned char *)s, &code);

		if (n <= 1)
			text_add_char(to, n ? *s : '?');
		else
			text_add(to, like(s, n));
		s += n ? n : 1;
	}
}

const char *terminal_text(const char *s, struct text *ascii)
{
	if (terminal_takes_utf8())
		return s;
	text_clear(ascii);
	terminal_add_ascii(ascii, s);
	return text_string(ascii);
}
