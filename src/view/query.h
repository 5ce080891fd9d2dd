/*
 * query - a question that can be put to the model.
 */
#ifndef SONDE_VIEW_QUERY_H
#define SONDE_VIEW_QUERY_H

#include "model/window.h"
#include "view/picture.h"

/* Zero asks for everything, folded by function, without a split. */
struct query {
	struct window window;
	const char *split; /* expression, NULL = none */
	enum fold_by fold;
	const char *thread; /* glob on the thread's name, NULL = all */
	uint32_t tid, pid;  /* only this one, 0 = all */
	uint64_t causes;    /* only samples of these (wire/sample_cause.h), 0 = all */
	nsec until;	    /* nothing later, 0 = all there is; then the cube is left out */
	bool live;	    /* the stream goes on, so that it has no end yet says nothing */
	bool no_kernel, no_user; /* these frames are left out of the stacks */
	bool no_locks;		 /* what waits for any lock is one frame, and not who has it */
};

#endif
