#include "base/log.h"

#include "base/columns.h"
#include "base/terminal.h"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define START "sonde: "

/* How much to say is a property of the whole program's run. */
static enum log_level level = LOG_SAY;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what is written, and of these */
static bool progress_shown;
static uint64_t progress_count;

void log_set_level(enum log_level l)
{
	level = l;
}

enum log_level log_level(void)
{
	return level;
}

static void clear_progress(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = false;
}

void log_progress_done(void)
{
	pthread_mutex_lock(&lock);
	clear_progress();
	pthread_mutex_unlock(&lock);
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
	pthread_mutex_lock(&lock);
	clear_progress();
	put(text_string(&out));
	pthread_mutex_unlock(&lock);
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

bool log_shows_progress(void)
{
	return level >= LOG_SAY && terminal_has_codes(STDERR_FILENO);
}

uint64_t log_progress_count(void)
{
	uint64_t count;

	pthread_mutex_lock(&lock);
	count = progress_count;
	pthread_mutex_unlock(&lock);
	return count;
}

/* It is no longer than a line: of more than one only the last could be taken back. */
void log_progress(const char *format, ...)
{
	unsigned columns = terminal_columns(STDERR_FILENO);
	char line[256];
	va_list ap;

	if (!log_shows_progress() || !takes_more())
		return;
	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	if (columns)
		line[columns_offset(line, columns - 1)] = 0;
	pthread_mutex_lock(&lock);
	clear_progress();
	put(line);
	progress_shown = true;
	progress_count++;
	pthread_mutex_unlock(&lock);
}
