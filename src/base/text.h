/*
 * text - a growing string, and how quantities are written for people.
 */
#ifndef SONDE_BASE_TEXT_H
#define SONDE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero is valid and empty.  bytes is NUL-terminated once anything was added. */
struct text {
	char *bytes;
	size_t size; /* without the NUL */
	size_t room;
};

void text_done(struct text *t);
void text_clear(struct text *t);
/* Takes away what is behind the first `size` bytes. */
void text_cut(struct text *t, size_t size);
/* Makes room for so many more bytes, for a text that will be large. */
void text_reserve(struct text *t, size_t more);
void text_add(struct text *t, const char *s);
void text_add_part(struct text *t, const char *s, size_t length);
void text_add_char(struct text *t, char c);
void text_format(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The string, "" when nothing was added. */
const char *text_string(const struct text *t);
#define AUTO_TEXT __attribute__((cleanup(text_done)))

/* Adds s with everything a terminal could act on (control bytes, broken
 * UTF-8, bidirectional marks) shown as '?'. */
void text_add_plain(struct text *t, const char *s);
/* Is the code point what it seems: no control, no mark that reorders or hides what follows? */
bool text_is_plain(uint32_t code);

/* Length of the well-formed UTF-8 sequence at s (Unicode 15, table 3-7), 0 if
 * it is none; *ret_code is its code point. */
unsigned text_utf8(const unsigned char *s, uint32_t *ret_code);

/* Room for any of the quantities below, with its NUL. */
#define TEXT_QUANTITY 32

/* "412 ns", "1.24 ms", "3.1 s": three significant digits.  Returns buf. */
char *text_duration(char buf[TEXT_QUANTITY], double nsec);
/* "19,012": with separators. */
char *text_count(char buf[TEXT_QUANTITY], uint64_t n);
/* "0.50/s", "480/s", "33.7 k/s", "1.20 M/s": three significant digits. */
char *text_rate(char buf[TEXT_QUANTITY], double per_second);
/* "0.0081", "0.10", "1.7", "38", "412": two significant digits, or the whole number. */
char *text_rough(char buf[TEXT_QUANTITY], double v);
/* "412 B", "1.2 KiB", "33 MiB". */
char *text_size(char buf[TEXT_QUANTITY], uint64_t bytes);

/* Glob match as fnmatch(3) without special treatment of '/' and leading '.'. */
bool text_glob(const char *pattern, const char *s);
bool text_is_glob(const char *s);
bool text_starts(const char *s, const char *prefix);
bool text_ends(const char *s, const char *suffix);

/* How many insertions, deletions and replacements make b of a, at most limit
 * (Levenshtein); used to offer near names. */
unsigned text_distance(const char *a, const char *b, unsigned limit);

/* Parses "12", "0x1f", whole and unsigned: false if anything else is there. */
bool text_to_u64(const char *s, uint64_t *ret_value);

/* A number with a unit: "10us" "5ms" "2s" (to nanoseconds), "4KiB" "1MiB"
 * (to bytes), "3%" (to 0.03), "199" (as it is).  *ret_end is where it stopped. */
enum text_unit { UNIT_NONE, UNIT_TIME, UNIT_SIZE, UNIT_PERCENT };
bool text_to_quantity(const char *s, const char **ret_end, double *ret_value,
		      enum text_unit *ret_unit);

#endif
