/*
 * judge - what an expression says of one moment (the inner side of split).
 */
#ifndef SONDE_MODEL_JUDGE_H
#define SONDE_MODEL_JUDGE_H

#include "model/expression.h"
#include "model/store.h"

/* What a comparison of the expression means in one store and window. */
struct bound {
	uint32_t probe;
	double low, high;
};

struct split {
	struct expression *expression; /* NULL: all calls */
	struct bound *bounds;	       /* one for each node of it */
	uint32_t probe;
	bool by_duration; /* some comparison is about a time of calls */
};

/* Kleene's logic: what is not known stays not known. */
enum truth { UNTRUE, UNKNOWN, TRUE };

/* What an expression is judged about. */
struct scene {
	const struct split *split;
	const struct store *store; /* NULL: only the duration is known */
	const struct sample *sample;
	const struct span *call; /* the main one */
	nsec now;
	double duration; /* of the main call; when there is a store, 0 = as the call says */
};

/* How much of the time of a call, whose times are known, was so. */
double judge_time_of(const struct span *call, enum expression_subject subject, double duration);
/* The expression, which is there; and that which it is against: TRUE if there is none. */
enum truth judge_scene(const struct scene *s);
enum truth judge_against(const struct scene *s);

static inline const struct expression_node *split_node(const struct split *q, uint32_t i)
{
	return &q->expression->nodes.at[i];
}

#endif
