/*
 * token - the words of an expression (man sonde-expressions).
 */
#ifndef SONDE_MODEL_TOKEN_H
#define SONDE_MODEL_TOKEN_H

#include "base/error.h"
#include "base/text.h"

#define AGAINST "against" /* between what is asked for and what that is compared with */

enum token_kind {
	TOKEN_END,
	TOKEN_WORD,	  /* dur, handle.dur, libc:read.dur, in */
	TOKEN_NUMBER,	  /* 5ms */
	TOKEN_PERCENTILE, /* p99.9 */
	TOKEN_STRING,	  /* "worker*" */
	TOKEN_AND,
	TOKEN_OR,
	TOKEN_NOT,
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_EQ,
	TOKEN_NE,
	TOKEN_LE,
	TOKEN_GE,
	TOKEN_LT,
	TOKEN_GT,
	TOKEN_MATCH, /* ~ */
	TOKEN_TO,    /* .. */
};

struct token {
	enum token_kind kind;
	size_t at, length; /* where it is, in bytes; of a string: without its quotes */
	double number;	   /* NUMBER: in nanoseconds, bytes or plain; PERCENTILE: 0..100 */
	enum text_unit unit;
};

/* The token at or after text + at; the next search begins at *ret_next. */
int token_read(const char *text, size_t at, struct token *ret, size_t *ret_next,
	       struct error *err);

/* Adds the subject for a place's durations as an expression is written, "handle.dur" or
 * "\"f(int)\".dur"; NULL: of the only place, "dur". */
void token_add_dur(struct text *t, const char *place);

/* The sentence, then the expression and a caret under the place; returns
 * -EINVAL.  Of a long expression the part around the place is shown. */
int token_error(const char *text, size_t at, struct error *err, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
