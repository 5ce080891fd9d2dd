/*
 * search - functions by parts of their names, for someone who types: the likeliest first.
 *
 * All words of the text are to be in the name, whatever their case: "req parse" finds
 * parse_request; "libc:mal" looks in one image.  A text that is a pattern as of probe/place.h
 * (with * ? [, =SYMBOL or /REGEX/) finds what it stands for.
 *
 * A name that is the text goes before one that begins with it, then come those that have it
 * at the beginning of a word, then the rest; the program before its libraries, short names
 * before long ones.  A function of several names is there once, by the likeliest of them.
 */
#ifndef SONDE_PROBE_SEARCH_H
#define SONDE_PROBE_SEARCH_H

#include "base/clock.h"
#include "probe/match.h"

#define SEARCH_FIRST_MOST 64

struct search {
	const char *text;	  /* "": only what is first */
	const char *const *first; /* names as match_name() has them: these go first, in this */
	uint32_t nr_first;	  /* order, where they fit; at most SEARCH_FIRST_MOST */
	uint32_t most;		  /* so many are kept */
	nsec time;		  /* that it may take, beyond which nothing is looked at */
};

struct search_result {
	ARRAY(struct match) found; /* the likeliest first */
	uint64_t fit;		   /* how many there were, kept or not */
	uint64_t looked;	   /* at so many functions */
	bool pattern;		   /* the text is one */
	bool cut;		   /* the time was over before all were looked at */
};

/* -EINVAL with what is wrong with a pattern; the result is the caller's in any case. */
int search_functions(struct code *code, const struct search *s, struct search_result *ret,
		     struct error *err);
void search_done(struct search_result *r);

#endif
