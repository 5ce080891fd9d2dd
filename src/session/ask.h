/*
 * ask - a question as people and programs put it, asked of what was gathered.
 */
#ifndef SONDE_SESSION_ASK_H
#define SONDE_SESSION_ASK_H

#include "session/feed.h"
#include "view/picture.h"

/* Zero is all there is, at any time, without a split. */
struct ask {
	const char *split;	 /* an expression, NULL = none */
	nsec last;		 /* only the last so long, 0 = all */
	nsec ewma;		 /* else, unless 0: what is so old counts half */
	nsec until;		 /* nothing later than that; 0 = up to now */
	bool no_user, no_kernel; /* stacks without these frames */
	uint64_t causes;	 /* only samples of these (wire/sample_cause.h), 0 = all */
	enum fold_by fold;
};

/* Is the split an expression at all?  Before anything is recorded for it. */
int ask_check(const struct ask *a, struct error *err);
/* The answer; errors as of view_answer(), -ENODATA: there are no samples of such causes. */
int ask_picture(const struct ask *a, struct feed *feed, struct picture **ret,
		struct error *err);
/* The same, quickly where it was asked before, or a question like it (view/gather.h).  *ret is
 * the feed's until the next time. */
int ask_again(const struct ask *a, struct feed *feed, struct picture **ret, struct error *err);

#endif
