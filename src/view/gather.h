/*
 * gather - the samples that a question is about, gone over once.
 *
 * What was gone over is kept: when a question is asked again, or one that only has other bounds
 * on durations, the samples that came since are gone over, and those whose calls were open.
 * Questions about a time that moves on (--last), and those that more than durations decide, are
 * gone over from the start; names are kept even then.
 */
#ifndef SONDE_VIEW_GATHER_H
#define SONDE_VIEW_GATHER_H

#include "view/extra.h"

struct gather_question {
	const struct store *store;
	const struct query *query;
	const struct naming *naming;
	const struct window *window; /* resolved */
	const struct split *split;   /* bound */
	struct odds *odds;	     /* by_duration: not asked */
	nsec newest;		     /* time known */
	double net;		     /* of a tick's weight: what it did not take itself */
	uint64_t number;	     /* of the question, for a picture that is made anew */
	bool by_duration;	     /* which decides, together with what all samples share */
};

/* What a question is about, but for bounds on durations.  Those that are not lasting are never
 * the same. */
struct gather_about {
	bool lasting;
	enum window_kind kind;
	nsec length, from, to; /* 0: all there is */
	uint32_t probe;
	nsec armed, removed;
	bool inside; /* there is no expression */
};

/* A sample in a call that has not ended, or that is HELD_LATER. */
struct gather_open {
	struct sample sample;
	uint64_t number; /* of the sample */
	uint32_t node;
	double weight;
};

/* Zero is valid and empty. */
struct gather {
	const struct store *store;
	enum fold_by fold_by;
	bool no_kernel, no_user;
	struct picture *picture; /* whose frames and nodes stay what they are */
	struct fold fold;
	struct strata strata;
	struct extra extra;
	struct gather_about about;
	bool begun;
	uint64_t taken; /* samples with lower numbers were gone over */
	ARRAY(struct gather_open) open;
	/* counted so far */
	struct picture_losses losses;
	uint64_t forgotten;
	double samples;
	double in_probes;	/* samples left out */
	nsec renamed, renaming; /* when all was named last, and how long that took */
};

void gather_done(struct gather *g);
struct gather_about gather_about(const struct gather_question *q);
/* Is what was gone over of use? */
bool gather_suits(const struct gather *g, const struct gather_question *q);
/* Makes the fold ready to be asked about stacks; gather_update() does so, too. */
void gather_names(struct gather *g, const struct gather_question *q);
/* Goes over what is new, and empties the picture but for frames and nodes.  Then the strata
 * have all that was taken, filed, and the extra its nodes, where the split has a probe. */
void gather_update(struct gather *g, const struct gather_question *q);

#endif
