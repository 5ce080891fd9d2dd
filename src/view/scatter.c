#include "view/scatter.h"

#include <math.h>

static void give(struct scatter *s, uint32_t function, double weight)
{
	if (s->given[function] == 0)
		array_push(&s->touched, function);
	s->given[function] += weight;
}

/* Gives a sample to every function it is in, once each. */
static void give_sample(struct scatter *s, const struct judged *j, uint32_t stamp)
{
	const struct functions *fs = s->fs;
	const struct picture *p = fs->picture;

	s->times = j->call ? 1 : fmax(1, j->of);
	s->whole += j->weight;
	if (functions_itself(fs, j->node))
		give(s, fs->count, j->weight);
	for (uint32_t n = j->node; n; n = p->nodes.at[n].parent) {
		uint32_t function = fs->of_frame[p->nodes.at[n].frame];

		if (fs->place[n] != PLACE_WITHIN || s->stamp[function] == stamp)
			continue;
		s->stamp[function] = stamp;
		give(s, function, j->weight);
	}
}

/* Ends a call, or calls alike that gave an equal part each. */
static void close_call(struct scatter *s, struct scatter_side *side)
{
	for (uint32_t i = 0; i < s->touched.count; i++) {
		uint32_t function = s->touched.at[i];
		double given = s->given[function];

		side->squares[function] += given * given / s->times;
		side->cross[function] += given * s->whole / s->times;
		s->given[function] = 0;
	}
	array_clear(&s->touched);
	side->whole += s->whole;
	side->whole_squares += s->whole * s->whole / s->times;
	s->whole = 0;
}

static void sum_side(struct scatter *s, enum side side, const struct judged_list *list)
{
	for (uint32_t i = 0; i < list->all.count; i++) {
		const struct judged *j = &list->all.at[i];
		bool last = i + 1 == list->all.count || j[1].call != j->call;

		if (j->side == side)
			give_sample(s, j, side * list->all.count + i + 1);
		if (last || (!j->call && j->side == side))
			close_call(s, &s->sides[side]);
	}
}

void scatter_init(struct scatter *s, const struct functions *fs, const struct judged_list *list)
{
	*s = (struct scatter){ .fs = fs, .times = 1 };
	s->given = mem_zeroed(fs->count + 1, sizeof(double));
	s->stamp = mem_zeroed(fs->count + 1, sizeof(uint32_t));
	for (unsigned side = SIDE_IN; side <= SIDE_REST; side++) {
		s->sides[side].squares = mem_zeroed(fs->count + 1, sizeof(double));
		s->sides[side].cross = mem_zeroed(fs->count + 1, sizeof(double));
		sum_side(s, side, list);
	}
}

void scatter_done(struct scatter *s)
{
	for (unsigned side = SIDE_IN; side <= SIDE_REST; side++) {
		free(s->sides[side].squares);
		free(s->sides[side].cross);
	}
	free(s->given);
	free(s->stamp);
	array_done(&s->touched);
}
