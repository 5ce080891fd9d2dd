/*
 * strata - the samples of a question, in groups that are judged alike.
 *
 * The side of a sample is decided by how long its call lasted, by chance where calls are brief
 * (view/odds.h), and by whatever else the question asks.  Samples for which all of that is the
 * same make a stratum: a bucket of durations, and, unless durations alone decide, the sides
 * that follow from the rest.  So a bound on the duration is moved, or a chance made better, by
 * going over the few strata that it concerns.
 *
 * Samples are taken one by one and filed together, as what is known of calls (how many were
 * sampled, how much they differ) needs all samples of a call.
 */
#ifndef SONDE_VIEW_STRATA_H
#define SONDE_VIEW_STRATA_H

#include "model/profile.h"
#include "model/span.h"
#include "view/odds.h"

#define STRATUM_NOW (NR_BUCKET + 1) /* bucket of calls that are open: for this answer only */
#define SIDE_LEFT_OUT NR_SIDE	    /* by the question's filter: only its call counts */
#define NR_STRATA_SIDE (NR_SIDE + 1)

/* What makes samples alike. */
struct stratum_kind {
	uint32_t bucket; /* of wire/bucket.h, as the call was observed; NR_BUCKET: its end is
			    not known, or there is none; or STRATUM_NOW */
	uint32_t sides;	 /* how many are given: one, or for each interval of the odds; 0: the
			    duration decides */
	uint8_t side[ODDS_MOST]; /* if it lasts as in that interval */
};

/* A sample, or several in one place. */
struct strata_entry {
	uint32_t node; /* of the picture */
	float samples; /* a part of one where the window fades; less than none where some are
			  taken from here into calls */
	double nsec;   /* that they stand for */
	double lasted; /* their call, as observed; 0: it has not ended, or there is none */
};

/* How the samples and calls of a stratum are shared among the sides. */
struct chances {
	double chance[NR_STRATA_SIDE]; /* sum: 1 */
	double part[NR_STRATA_SIDE];   /* of it counts there (view/odds.h); sum: 1 */
	double mean[NR_STRATA_SIDE];   /* nanoseconds that its calls then last, where they are
					  brief */
	bool brief;
};

struct stratum {
	struct stratum_kind kind;
	ARRAY(struct strata_entry) entries;
	double judged, judged_nsec; /* samples within calls, also forgotten ones */
	double calls;		    /* that were sampled */
	double weighed;		/* these, each as often as such calls are missed (tally.h) */
	double weighed_nsec;	/* that they lasted */
	struct chances chances; /* as strata_share() found them */
	uint8_t *torn;		/* side of each entry, where the bounds are within the bucket;
				   chances are the parts of them then */
	/* as strata_put() put them last */
	double put[NR_STRATA_SIDE];
	uint32_t nr_put; /* entries */
	uint8_t *torn_put;
};

/* A sample on its way into its stratum. */
struct strata_taken {
	span_id call; /* 0: which one is forgotten */
	uint32_t stratum;
	struct strata_entry entry;
};

/* Zero is valid and empty. */
struct strata {
	ARRAY(struct stratum) list;
	struct table kinds; /* hash of a kind to its index */
	ARRAY(struct strata_taken) taken;
};

struct scatter;

void strata_done(struct strata *s);
/* in_call: of the question's probe.  Samples in no call are filed at once. */
void strata_take(struct strata *s, const struct stratum_kind *kind, bool in_call, span_id call,
		 struct strata_entry entry);
/* Files what was taken, and tells the scatter (NULL: nobody asks).  period: between ticks. */
void strata_file(struct strata *s, nsec period, struct scatter *scatter);
/* Finds how every stratum is shared among the sides.  odds have learned. */
void strata_share(struct strata *s, const struct split *split, struct odds *odds);
/* Of samples within calls that durations decide about: how many there are, in buckets below
 * end. */
void strata_hits(const struct strata *s, uint32_t end, struct dist *ret);
/* Makes of what was put last (profiles by side) what the strata's shares are now. */
void strata_put(struct strata *s, struct profile *self, struct profile *weight);
/* Takes what is of open calls out of the profiles, the strata, and the scatter (if any). */
void strata_drop_open(struct strata *s, struct scatter *scatter, struct profile *self,
		      struct profile *weight);

#endif
