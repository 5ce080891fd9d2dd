#include "base/log.h"

#include "base/terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

static void log_line(const char *start, const char *format, va_list ap)
{
	AUTO_TEXT struct text plain = { 0 };
	char line[4096];

	log_progress_done();
	vsnprintf(line, sizeof(line), format, ap);
	for (char *at = line; at;) {
		char *end = strchr(at, '\n');

		if (end)
			*end++ = 0;
		text_add_plain(&plain, at);
		text_add_char(&plain, '\n');
		at = end;
	}
	if (!terminal_takes_utf8()) {
		AUTO_TEXT struct text ascii = { 0 };

		terminal_add_ascii(&ascii, text_string(&plain));
		fprintf(stderr, "%s%s", start, text_string(&ascii));
		return;
	}
	fprintf(stderr, "%s%s", start, text_string(&plain));
}

#define LOG_FUNCTION(name, least, start)     \
	void name(const char *format, ...)   \
	{                                    \
		va_list ap;                  \
                                             \
		if (level < (least))         \
			return;              \
		va_start(ap, format);        \
		log_line(start, format, ap); \
		va_end(ap);                  \
	}

LOG_FUNCTION(log_error, LOG_QUIET, "sonde: ")
LOG_FUNCTION(log_warn, LOG_QUIET, "sonde: ")
LOG_FUNCTION(log_say, LOG_SAY, "sonde: ")
LOG_FUNCTION(log_detail, LOG_DETAIL, "sonde: ")

void log_progress(const char *format, ...)
{
	va_list ap;

	if (level < LOG_SAY || !terminal_has_codes(STDERR_FILENO))
		return;
	log_progress_done();
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fflush(stderr);
	progress_shown = true;
}
