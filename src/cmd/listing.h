/*
 * listing - the functions of a target, each with what probing it would cost.
 */
#ifndef SONDE_CMD_LISTING_H
#define SONDE_CMD_LISTING_H

#include "cmd/run_option.h"
#include "elf/inline_list.h"
#include "probe/match.h"
#include "probe/probe.h"
#include "proc/target.h"
#include "source/price.h"

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

struct listing {
	struct code code;
	struct ways ways; /* that the target allows, once rows were looked for */
	struct price price;
	ARRAY(struct list_row) rows;
	struct inlines **inlines; /* by image, NULL until needed */
};

/* What -p, -n, -t, -a and --thread ask for. */
struct target_query target_query_of(const struct run_option *o);

/* Opens the target, or file when it is not NULL. */
int listing_open(struct listing *l, const struct run_option *o, const char *file,
		 struct error *err);
/* Adds the functions that a pattern stands for, NULL: all; ret must be done with
 * also on errors, which are those of place_parse() and match_find(). */
int listing_match(struct listing *l, const char *pattern, struct match_list *ret,
		  struct error *err);
/* Adds the rows, the program's own first, by name.  Without a pattern the
 * functions of the program itself, with one those of its libraries too. */
int listing_find(struct listing *l, const char *pattern, struct error *err);
/* Of an image of the code, by its index. */
struct inlines *listing_inlines(struct listing *l, uint32_t image);
void listing_done(struct listing *l);

/* Why the end of its calls would be seen so. */
const char *row_reason(const struct listing *l, const struct list_row *row);
/* Nanoseconds a watched call takes more, 0 = not known. */
uint32_t row_price(const struct listing *l, const struct list_row *row);

#endif
