/*
 * log - messages to the person, on standard error.
 *
 * Only commands (cmd/, session/) print; everything below returns errors.  From any thread.
 */
#ifndef SONDE_BASE_LOG_H
#define SONDE_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum log_level { LOG_QUIET, LOG_SAY, LOG_DETAIL };

/* -q and -v; LOG_SAY at the start. */
void log_set_level(enum log_level level);
enum log_level log_level(void);

/* "sonde: ..." and a newline, wrapped at the width of a terminal.  Errors and warnings are
 * printed even with -q. */
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_detail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A line that the next one overwrites, cut at the width of the terminal; nothing unless
 * stderr is one that takes codes. */
void log_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Removes the progress line. */
void log_progress_done(void);
/* Would a progress line be seen at all? */
bool log_shows_progress(void);
/* How many were. */
uint64_t log_progress_count(void);

#endif
