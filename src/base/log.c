#include "base/log.h"

#include "base/columns.h"
#include "base/terminal.h"

#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define START "sonde: "

/* How much to say is a property of the whole program's run. */
static enum log_level level = LOG_SAY;
static bool progress_shown;

void log_set_level(enum log_level l)
{
	level = l;
}

enum log_level log_level(void)
{
	return level;
}

void log_progress_done(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = false;
}

static void put(const char *s)
{
	AUTO_TEXT struct text ascii = { 0 };

	fputs(terminal_text(s, &ascii), stderr);
	fflush(stderr);
}

/* A terminal would break a longer line anywhere. */
static void log_line(const char *format, va_list ap)
{
	unsigned columns = terminal_columns(STDERR_FILENO);
	AUTO_TEXT struct text out = { 0 };
	char line[4096];

	log_progress_done();
	vsnprintf(line, sizeof(line), format, ap);
	for (char *at = line; at;) {
		char *end = strchr(at, '\n');
		AUTO_TEXT struct text plain = { 0 };

		if (end)
			*end++ = 0;
		text_add(&plain, at == line ? START : "");
		text_add_plain(&plain, at);
		columns_wrap(&out, text_string(&plain), columns ? columns : UINT_MAX,
			     strlen(START));
		at = end;
	}
	put(text_string(&out));
}

#define LOG_FUNCTION(name, least)          \
	void name(const char *format, ...) \
	{                                  \
		va_list ap;                \
                                           \
		if (level < (least))       \
			return;            \
		va_start(ap, format);      \
		log_line(format, ap);      \
		va_end(ap);                \
	}

LOG_FUNCTION(log_error, LOG_QUIET)
LOG_FUNCTION(log_warn, LOG_QUIET)
LOG_FUNCTION(log_say, LOG_SAY)
LOG_FUNCTION(log_detail, LOG_DETAIL)

/* A terminal that is held (Ctrl-S) would hold us: progress is not worth that. */
static bool takes_more(void)
{
	struct pollfd room = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&room, 1, 0) > 0;
}

/* It is no longer than a line: of more than one only the last could be taken back. */
void log_progress(const char *format, ...)
{
	unsigned columns = terminal_columns(STDERR_FILENO);
	char line[256];
	va_list ap;

	if (level < LOG_SAY || !terminal_has_codes(STDERR_FILENO) || !takes_more())
		return;
	log_progress_done();
	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	if (columns)
		line[columns_offset(line, columns - 1)] = 0;
	put(line);
	progress_shown = true;
}
