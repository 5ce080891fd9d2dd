/*
 * sink - writes a picture down in one format.
 *
 * A sink is one file with one const struct sink and one line in sink_list.
 * Sinks are pure: a picture goes in, bytes go to the writer, no clock, no file
 * is opened.  Names in a picture are hostile: every sink escapes what its
 * format gives a meaning.
 */
#ifndef SONDE_SINK_SINK_H
#define SONDE_SINK_SINK_H

#include "base/error.h"
#include "base/text.h"
#include "view/picture.h"

/* --side: which part of a split is written.  WRITE_DIFF: both, compared. */
enum write_side {
	WRITE_DEFAULT,
	WRITE_IN,
	WRITE_REST,
	WRITE_OPEN,
	WRITE_OUT,
	WRITE_DIFF,
	WRITE_ALL
};

enum write_weight { WEIGHT_DEFAULT, WEIGHT_SAMPLES, WEIGHT_TIME };

struct sink_option {
	enum write_side side; /* never WRITE_DEFAULT here: sink_side() decided */
	enum write_weight weight;
	const char *title;   /* NULL: the sink's own */
	const char *version; /* of sonde, for "exporter" fields */
	unsigned columns;    /* width of the terminal, 0 = 80 */
	bool colour;	     /* only for a terminal */
	bool annotate;	     /* folded: _[k] and so on behind the names */
	uint32_t functions;  /* json: the first so many, 0 = all */
};

struct sink {
	const char *name;   /* --format NAME */
	const char *suffix; /* ".svg" */
	const char *help;   /* one line, for --help */
	enum fold_by fold;  /* how it wants the picture folded */
	enum write_side
		side; /* what it writes when a split was asked for: WRITE_DIFF or WRITE_IN */
	/* 0, or negative errno with err set. */
	int (*write)(const struct picture *p, const struct sink_option *option,
		     struct text *out, struct error *err);
};

/* All sinks, NULL at the end. */
extern const struct sink *const sink_list[];

const struct sink *sink_find(const char *name);
/* The sink whose suffix path has; the longest suffix wins.  NULL: none, nor where it is the
 * name of another tool's format that ends in one of them (".trace.json"). */
const struct sink *sink_for_path(const char *path);
/* What is really written: option, or the sink's own default when there is a
 * split, or everything when there is none. */
enum write_side sink_side(const struct sink *sink, const struct picture *p,
			  enum write_side asked);
/* Bit mask of enum side that a write_side other than WRITE_DIFF takes. */
unsigned sink_side_mask(enum write_side side);
const char *write_side_name(enum write_side side);
bool write_side_parse(const char *text, enum write_side *ret);

#endif
