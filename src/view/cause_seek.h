/*
 * cause_seek - where in the tree below a span the extra time of candidates is.
 *
 * How the search goes: view/cause.h.  Used by cause.c only.
 */
#ifndef SONDE_VIEW_CAUSE_SEEK_H
#define SONDE_VIEW_CAUSE_SEEK_H

#include "view/cause.h"

#define SHARE_DOWN 0.9 /* of the extra time of a place: it is all in these */

/* Nodes of the tree, callers first. */
struct part {
	ARRAY(uint32_t) nodes;
};

/* Of a function, nanoseconds a call: what these calls take more, and of that, beyond what only
 * takes part in a longer call. */
struct measure {
	double extra, beyond;
	double noise; /* of beyond, as that of a picture_function */
};

struct seek {
	const struct picture *p;
	double cpu;	    /* extra CPU time of a call, or what is gained of it */
	double least;	    /* extra time that is worth naming */
	bool *candidate;    /* by function */
	struct measure *of; /* by function; of the part of the span that is looked at */
	double *node;	    /* by node: what ends in it, nanoseconds a call more */
	double *below;	    /* scratch, by node: with what is called from it */
	double *beside[2];  /* scratch, by function */
	uint32_t *mark;	    /* scratch, by node: of the part at hand it is the newest number */
	uint32_t marks;
};

/* A place that the search has come to. */
struct spot {
	const struct picture_function *function; /* NULL: the span */
	/* the latter of where the way to it began, on which it was all one; or what was
	 * gained on that, if others made up for some of it */
	double extra, start;
	struct part within; /* called from here, and by nothing that is named */
	bool done;
};

struct spots {
	struct spot at[CAUSES_MAX];
	unsigned count;
};

void seek_init(struct seek *s, const struct picture *p);
void seek_done(struct seek *s);

/* Whether a node is in a part: until another part is marked. */
void seek_mark(struct seek *s, const struct part *part);
static inline bool seek_marked(const struct seek *s, uint32_t node)
{
	return s->mark[node] == s->marks;
}

/* What functions have of a part, recursion once; value: by node.  Of candidates alone, unless
 * all are wanted.  seek_mark() of it was called then, and s->below has the sums of nodes. */
void seek_sum(struct seek *s, const struct part *within, const double *value, bool all,
	      double *ret);
/* What candidates of a part take more of it, the outermost of them: more than its extra time
 * where others take less.  After seek_sum() of it. */
double seek_gain(struct seek *s, const struct part *within,
		 const struct picture_function *except);
/* The part of a part that is called from a function, itself included. */
struct part seek_part(struct seek *s, const struct part *within, uint32_t function);
void seek_take_off(struct seek *s, struct part *within, const struct part *part);

/* Looks for at most so many in a part of the span, with so much extra time; takes the part. */
void seek_spots(struct seek *s, struct part *within, double extra, unsigned room,
		struct spots *ret);

#endif
