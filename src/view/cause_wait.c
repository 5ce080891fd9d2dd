#include "view/cause.h"

#define SHARE_MOST 0.75 /* of the extra time of a cause, of a wait */

/* Where a node waits: what for, and who has that. */
struct wait {
	uint32_t top, owner; /* nodes; 0: it does not, nobody is known to have it */
};

static bool is_wait(const struct picture *p, uint32_t node)
{
	return p->frames.at[p->nodes.at[node].frame].kind == FRAME_WAIT;
}

static struct wait wait_of(const struct picture *p, uint32_t node)
{
	struct wait w = { 0, 0 };

	for (; node && !is_wait(p, node); node = p->nodes.at[node].parent)
		;
	for (; node && is_wait(p, node); node = p->nodes.at[node].parent) {
		w.owner = w.top;
		w.top = node;
	}
	return w;
}

bool cause_has_node(const struct picture *p, const struct cause *cause, uint32_t node)
{
	uint32_t function = cause->function - p->functions.at;

	if (p->nodes.at[node].place != PLACE_WITHIN)
		return false;
	for (; node; node = p->nodes.at[node].parent)
		if (p->nodes.at[node].place == PLACE_WITHIN &&
		    p->nodes.at[node].function == function)
			return true;
	return false;
}

/* The frame with the most; 0: that is not enough. */
static uint32_t most_of(const double *extra, uint32_t count, double least)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < count; i++)
		if (extra[i] >= least && extra[i] > extra[best])
			best = i;
	return best;
}

void cause_find_wait(const struct picture *p, struct cause *cause)
{
	AUTO_FREE double *extra = mem_zeroed(p->frames.count + 1, sizeof(*extra));
	AUTO_FREE double *held = mem_zeroed(p->frames.count + 1, sizeof(*held));
	struct cause_step step = { .owner = 0 };
	double in = p->sides[SIDE_IN].calls, rest = p->sides[SIDE_REST].calls;

	cause->nr_steps = 0;
	if (cause->function == &p->itself)
		return;
	for (uint32_t n = 1; n < p->nodes.count; n++) {
		const struct picture_node *node = &p->nodes.at[n];
		struct wait w = wait_of(p, n);
		double more;

		if (!w.top || !cause_has_node(p, cause, n))
			continue;
		more = node->self_nsec[SIDE_IN] / in - node->self_nsec[SIDE_REST] / rest;
		extra[p->nodes.at[w.top].frame] += more;
		held[w.owner ? p->nodes.at[w.owner].frame : 0] += more;
	}
	step.wait = most_of(extra, p->frames.count, SHARE_MOST * cause->extra_nsec);
	if (!step.wait)
		return;
	step.owner = most_of(held, p->frames.count, SHARE_MOST * extra[step.wait]);
	cause->steps[0] = step;
	cause->nr_steps = 1;
	if (step.owner)
		cause_find_steps(p, cause);
}
