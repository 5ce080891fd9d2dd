/*
 * expression - the question of a split, parsed (man sonde-expressions).
 *
 *	whole   := or [ "against" or ]
 *	or      := and { "||" and }
 *	and     := not { "&&" not }
 *	not     := "!" "(" or ")" | "(" or ")" | compare
 *	compare := subject op value | value op subject
 *	         | subject "in" value ".." value      (both ends included)
 *	         | "thread" ("~" | "==" | "!=") "text"
 *	subject := [PLACE "."] time | "tid" | "thread"
 *	time    := "dur" | "cpu" | "off" | "runnable" | "blocked"
 *	op      := "==" | "!=" | "<" | "<=" | ">" | ">="
 *	value   := NUMBER [unit] | pNN                (pNN: of times only)
 *
 * A PLACE that holds other than letters, digits and _ : @ $ + - = / . is
 * written in quotes: "f(int)".dur.
 */
#ifndef SONDE_MODEL_EXPRESSION_H
#define SONDE_MODEL_EXPRESSION_H

#include "base/array.h"
#include "base/error.h"

#include <stdbool.h>

#define EXPRESSION_MAX 2000 /* bytes */
#define EXPRESSION_DEPTH 64 /* parentheses within each other */

enum expression_kind { EXPRESSION_OR, EXPRESSION_AND, EXPRESSION_NOT, EXPRESSION_COMPARE };

enum expression_subject {
	SUBJECT_DUR,
	SUBJECT_CPU,	  /* of that, on one */
	SUBJECT_OFF,	  /* and on none */
	SUBJECT_RUNNABLE, /* of that: it waited for one */
	SUBJECT_BLOCKED,  /* for anything else */
	SUBJECT_TID,
	SUBJECT_THREAD,
};

/* Nanoseconds of a call. */
static inline bool subject_is_time(enum expression_subject subject)
{
	return subject <= SUBJECT_BLOCKED;
}

enum expression_op { OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_IN, OP_MATCH };

struct expression_value {
	bool percentile; /* number is 0..100, of the subject's distribution */
	double number;	 /* nanoseconds for a time */
};

struct expression_node {
	enum expression_kind kind;
	uint32_t left, right; /* of OR, AND; NOT has left only */
	/* of a comparison */
	enum expression_subject subject;
	enum expression_op op;
	struct expression_value low, high; /* high: OP_IN only */
	char *place;			   /* NULL: the only one there is */
	char *string;			   /* of SUBJECT_THREAD */
	size_t at;			   /* where it is in the text */
};

struct expression {
	char *text;
	ARRAY(struct expression_node) nodes;
	uint32_t root;
	bool has_against; /* only what that is true of is what it is compared with */
	uint32_t against; /* its root */
};

/* 0 and *ret, or -EINVAL and the sentence with the place. */
int expression_parse(const char *text, struct expression **ret, struct error *err);
void expression_free(struct expression *e); /* NULL is fine */

#endif
