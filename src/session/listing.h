/*
 * listing - functions of a target as they would be watched: at what price, by what end.
 */
#ifndef SONDE_SESSION_LISTING_H
#define SONDE_SESSION_LISTING_H

#include "elf/inline_list.h"
#include "probe/match.h"
#include "probe/probe.h"
#include "source/price.h"

#include <jansson.h>

struct list_row {
	struct code_image *image;
	const struct symbol *symbol;
	char *place;	  /* what a command takes for it; made plain */
	char *name;	  /* for people: with parameters, clone suffix, library */
	const char *file; /* "" = not known; lives as long as the listing */
	uint32_t line;
	uint32_t inlined; /* places it was inlined into, where nothing sees its calls */
	struct probe_function function; /* as it would be watched */
	enum plan_result result;
	const char *why; /* it would not be; static */
};

/* Zero is valid and empty. */
struct listing {
	struct code *code; /* the caller's */
	struct ways ways;  /* that the target allows, once there are rows */
	bool judged;
	struct price price;
	ARRAY(struct list_row) rows;
	struct inlines **inlines; /* by image, NULL until needed */
	nsec lines;		  /* as of listing_give_time() */
	struct decoder *decoder;
};

/* The code must outlive it, and what is opened of it stay. */
void listing_init(struct listing *l, struct code *code);
void listing_done(struct listing *l);
/* Takes the rows away; what was read of images stays. */
void listing_clear(struct listing *l);

/* Adds a function as it would be watched, NULL: it is a part of one that was moved away, which
 * nobody calls. */
struct list_row *listing_add(struct listing *l, const struct match *match);
/* In how many places it was inlined: looks at all of the image. */
void listing_count_copies(struct listing *l, struct list_row *row);
/* The program's own first, by name. */
void listing_sort(struct listing *l);

/* Of an image of the code, by its index. */
struct inlines *listing_inlines(struct listing *l, uint32_t image);
/* CPU time of this thread that lines of source may take from now on, in each image; without it
 * two seconds.  What is not known by then stays blank. */
void listing_give_time(struct listing *l, nsec time);

/* Why the end of its calls would be seen so. */
const char *row_reason(const struct listing *l, const struct list_row *row);
/* Nanoseconds a watched call takes more, 0 = not known. */
uint32_t row_price(const struct listing *l, const struct list_row *row);
/* How its first instruction is probed, "-": not at all. */
const char *row_entry(const struct list_row *row);
/* Of the dearest of the probes that a call meets: cheap, stepped, refused. */
const char *row_price_word(const struct list_row *row);
/* As a line of list --json: a new reference. */
json_t *row_json(const struct listing *l, const struct list_row *row);

#endif
