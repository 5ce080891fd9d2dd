/*
 * option - the words of a command line, read off a table.
 *
 *	#define AT(member) offsetof(struct record_option, member)
 *	static const struct option_spec specs[] = {
 *		{ OPTION_NUMBERS, 'p', "pid", "PID[,PID]", "processes to look at", AT(pids) },
 *		{ OPTION_DURATION, 'd', "duration", "TIME", "how long", AT(duration), 1, 0 },
 *		{ OPTION_CHOICE, 0, "side", "in|rest|out", "what is written", AT(side) },
 *	};
 *	static const struct option_group group = OPTION_GROUP("Target", specs);
 *	static const struct option_group *const groups[] = { &group, NULL };
 *
 * Understood are -p4242, -p 4242, --pid=4242, --pid 4242, grouped flags (-UK,
 * -vvp1), options and other words in any order, and `--`, after which nothing
 * is looked at.  Texts point into argv, which has to live as long.
 */
#ifndef SONDE_BASE_OPTION_H
#define SONDE_BASE_OPTION_H

#include "base/array.h"
#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {		    /* type of the member it is stored in */
		   OPTION_FLAG,	    /* bool */
		   OPTION_STOP,	    /* bool; nothing behind it is looked at (--help) */
		   OPTION_COUNT,    /* unsigned: how often it was given (-vv) */
		   OPTION_INT,	    /* int64_t */
		   OPTION_UNSIGNED, /* uint64_t */
		   OPTION_NUMBERS,  /* struct option_numbers: "1,2", may be repeated */
		   OPTION_DOUBLE,   /* double */
		   OPTION_SHARE,    /* double: "2%" and "0.02" are 0.02 */
		   OPTION_DURATION, /* nsec: "10" is seconds, "500ms", "2min" */
		   OPTION_TEXT,	    /* const char * */
		   OPTION_TEXTS,    /* struct option_texts: may be repeated, kept in order */
		   OPTION_CHOICE,   /* unsigned: argument is "a|b|c"; a is 1; 0 = not given */
};

struct option_spec {
	enum option_kind kind;
	char letter;	      /* 0 = none */
	const char *name;     /* without the dashes, never NULL */
	const char *argument; /* what --help calls the value; the words of a choice */
	const char *help;     /* one sentence, lower case, no full stop; NULL: not shown */
	size_t offset;	      /* of the member in the options struct */
	double least, most;   /* bounds of a number (nsec for durations); 0, 0: none;
				 most = 0: no upper one */
};

struct option_group {
	const char *title;
	const struct option_spec *specs;
	unsigned count;
};
#define OPTION_GROUP(title, specs)                \
	{                                         \
		(title), (specs), COUNT_OF(specs) \
	}

struct option_texts {
	ARRAY(const char *);
};

struct option_numbers {
	ARRAY(uint32_t);
};

/* What is no option. */
struct option_rest {
	struct option_texts words;
	char **program; /* what stands after `--`, NULL at its end; NULL: no `--` */
};

/*
 * Parses argv (NULL at its end; argv[0] is the first word to look at) into
 * options, which holds the defaults.  groups ends with NULL.  0, or -EINVAL with
 * the option, what was wrong and, for an unknown one, the nearest in err; what
 * was parsed until then is in options and rest, which need option_done and
 * option_rest_done in every case.
 */
int option_parse(const struct option_group *const groups[], char **argv, void *options,
		 struct option_rest *rest, struct error *err);

/* Frees the lists in options and nothing else. */
void option_done(const struct option_group *const groups[], void *options);
void option_rest_done(struct option_rest *rest);

/* The options as --help shows them: a title and a line or more for each. */
void option_help(const struct option_group *const groups[], struct text *to);

/* Adds s from `column`, where the line already stands, to column 80, with as many
 * lines as it takes and a newline at the end; a newline in s begins a line. */
void option_wrap(struct text *to, const char *s, unsigned column);

#endif
