/*
 * text_part - the parts of the report for people.
 *
 * Widths are columns of the terminal.  Every part ends with a newline and
 * begins without an empty line.
 */
#ifndef SONDE_SINK_TEXT_PART_H
#define SONDE_SINK_TEXT_PART_H

#include "sink/sink.h"

struct report {
	const struct picture *p;
	const struct sink_option *option;
	struct text *out;
	unsigned columns;    /* 60 or more */
	unsigned sides;	     /* of the tree and of the top functions */
	uint32_t main_image; /* what is in it goes without saying */
};

/* The extra time a call, by function; what is within noise says so. */
void part_extra(struct report *r);
/* Functions by self time on r->sides; with a span also outside of it. */
void part_top(struct report *r);
/* The tree of r->sides: branches of 1 % and more. */
void part_tree(struct report *r);

/* "file.c:12" of a frame, or its image, in at most columns; nothing when that is the
 * program itself. */
void part_place(struct report *r, uint32_t frame, unsigned columns);
/* Where a node is called, "file:line", or part_place() where that is not known. */
void part_site(struct report *r, uint32_t node, unsigned columns);
/* A line of words, in as many lines as it takes. */
void part_words(struct report *r, const struct text *words);
/* Columns that these take in full. */
unsigned part_place_natural(const struct report *r, uint32_t frame);
unsigned part_site_natural(const struct report *r, uint32_t node);

/* Columns of a table's names and the places behind them.  Zero is that of no row. */
struct part_columns {
	unsigned name, place;
	unsigned alone; /* the longest name that has no place, and room where places are */
};

/* Takes a row in: its name, with all that is before it, is so wide. */
void part_columns_take(struct part_columns *c, unsigned name, unsigned place);
/* All rows are known: what is before their numbers is to fit into so many. */
void part_columns_fit(struct part_columns *c, unsigned columns);
/* A row up to its numbers.  frame UINT32_MAX: no place. */
void part_name(struct report *r, const struct part_columns *c, unsigned indent,
	       const char *name, uint32_t frame);

/* A line of what watching a span takes. */
void part_cost(struct report *r, const struct picture_span *s);
/* And of all, where there are several and samples say that it is more. */
void part_cost_of_all(struct report *r);

#endif
