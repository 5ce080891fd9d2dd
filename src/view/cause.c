#include "view/cause_seek.h"
#include "view/compare.h"

#include <math.h>
#include <string.h>

#define SHARE_CAUSE 0.1	     /* of the extra CPU time: worth naming */
#define SHARE_TIME 0.05	     /* of all extra time, waiting included */
#define SHARE_OF_REQUEST 0.5 /* that its library was called for */

bool function_is_significant(const struct picture *p, const struct picture_function *f)
{
	return fabs(f->z) >= p->z_least;
}

/* What is looked through for causes. */
struct hunt {
	struct seek seek;
	struct part left;      /* of the span: what no cause has that was found */
	double *side[2];       /* by node: what ends in it, nanoseconds a call of IN, of REST */
	double *sum[2];	       /* scratch, by function */
	struct measure itself; /* of the span's own code */
	double extra;	       /* of what is left */
	double z_least;	       /* of a candidate */
};

static void hunt_init(struct hunt *h, const struct picture *p)
{
	struct contrast all;

	*h = (struct hunt){ .z_least = p->z_least };
	if (!compare_cpu(p, &all) || contrast_is_noise(p, &all))
		h->z_least += Z_FARTHER;
	seek_init(&h->seek, p);
	for (unsigned side = SIDE_IN; side <= SIDE_REST; side++) {
		h->side[side] = mem_zeroed(p->nodes.count + 1, sizeof(double));
		h->sum[side] = mem_zeroed(p->functions.count + 1, sizeof(double));
		for (uint32_t n = 0; n < p->nodes.count; n++)
			h->side[side][n] =
				(double)p->nodes.at[n].self_nsec[side] / p->sides[side].calls;
	}
	for (uint32_t n = 1; n < p->nodes.count; n++)
		if (p->nodes.at[n].place != PLACE_OUTER)
			array_push(&h->left.nodes, n);
}

static void hunt_done(struct hunt *h)
{
	seek_done(&h->seek);
	array_done(&h->left.nodes);
	for (unsigned side = SIDE_IN; side <= SIDE_REST; side++) {
		free(h->side[side]);
		free(h->sum[side]);
	}
}

/* As the picture has it: of the whole span. */
static void measure_all(struct hunt *h, double cpu)
{
	const struct picture *p = h->seek.p;

	for (uint32_t i = 0; i < p->functions.count; i++)
		h->seek.of[i] = (struct measure){ p->functions.at[i].extra_nsec,
						  p->functions.at[i].beyond_nsec,
						  p->functions.at[i].beyond_noise };
	h->itself = (struct measure){ p->itself.extra_nsec, p->itself.beyond_nsec,
				      p->itself.beyond_noise };
	h->extra = cpu;
}

/* Where what is left of a call is longer, this is so without what was found (model/proportion).
 */
static struct measure measure_of(const struct picture_function *f, double in, double rest,
				 double times)
{
	return (struct measure){ .extra = in - rest,
				 .beyond = in - rest * times,
				 .noise = f->left_noise };
}

static void measure_left(struct hunt *h)
{
	const struct picture *p = h->seek.p;
	double whole[2] = { 0, 0 }, itself[2] = { 0, 0 }, times;

	for (unsigned side = SIDE_IN; side <= SIDE_REST; side++) {
		seek_sum(&h->seek, &h->left, h->side[side], true, h->sum[side]);
		for (uint32_t i = 0; i < h->left.nodes.count; i++) {
			uint32_t n = h->left.nodes.at[i];

			whole[side] += h->side[side][n];
			if (p->nodes.at[n].place != PLACE_WITHIN)
				itself[side] += h->side[side][n];
		}
	}
	times = whole[SIDE_REST] > 0 ? whole[SIDE_IN] / whole[SIDE_REST] : 0;
	for (uint32_t i = 0; i < p->functions.count; i++)
		h->seek.of[i] = measure_of(&p->functions.at[i], h->sum[SIDE_IN][i],
					   h->sum[SIDE_REST][i], times);
	h->itself = measure_of(&p->itself, itself[SIDE_IN], itself[SIDE_REST], times);
	h->extra = whole[SIDE_IN] - whole[SIDE_REST];
}

/* Of what is left of a function its errors are at most those of all of it. */
static bool is_candidate(const struct hunt *h, const struct picture_function *f,
			 const struct measure *m)
{
	const struct seek *s = &h->seek;
	const struct picture *p = s->p;

	return f->frame != UINT32_MAX && m->extra > 0 && m->extra >= s->least &&
	       COMPARE_Z * m->extra >= h->z_least * f->extra_noise && f->z >= h->z_least &&
	       m->beyond >= SHARE_BEYOND * s->cpu &&
	       COMPARE_Z * m->beyond >= h->z_least * m->noise &&
	       p->frames.at[f->frame].kind != FRAME_PROBE && !picture_is_of_other(p, f->frame);
}

static void find_candidates(struct hunt *h, double cpu)
{
	struct seek *s = &h->seek;

	s->cpu = cpu;
	s->least = fmax(SHARE_CAUSE * cpu, SHARE_TIME * compare_extra_time(s->p));
	for (uint32_t i = 0; i < s->p->functions.count; i++)
		s->candidate[i] = is_candidate(h, &s->p->functions.at[i], &s->of[i]);
}

/* Where some take less, a share worth naming is of what others take more. */
static void begin(struct hunt *h, double cpu)
{
	measure_all(h, cpu);
	find_candidates(h, cpu);
	seek_sum(&h->seek, &h->left, h->seek.node, false, h->seek.beside[1]);
	find_candidates(h, fmax(cpu, seek_gain(&h->seek, &h->left, NULL)));
}

static bool is_wait(const struct picture *p, uint32_t frame)
{
	return p->frames.at[frame].kind == FRAME_WAIT;
}

/* A search for a caller of a node: its function; UINT32_MAX: there is none in the span. */
typedef uint32_t caller_find(const struct picture *p, uint32_t node);

/* The innermost that is a function, and no common one unless these are wanted, too. */
static uint32_t innermost_of(const struct picture *p, uint32_t node, bool common)
{
	for (node = p->nodes.at[node].parent; p->nodes.at[node].place == PLACE_WITHIN;
	     node = p->nodes.at[node].parent) {
		uint32_t frame = p->nodes.at[node].frame;

		if (!is_wait(p, frame) && (common || !cause_is_common(p, frame)))
			return p->nodes.at[node].function;
	}
	return UINT32_MAX;
}

static uint32_t caller_any(const struct picture *p, uint32_t node)
{
	return innermost_of(p, node, true);
}

static uint32_t caller_of_note(const struct picture *p, uint32_t node)
{
	return innermost_of(p, node, false);
}

/* The innermost with a name through which the library of a node was called. */
static uint32_t caller_named(const struct picture *p, uint32_t node)
{
	text_id library = p->frames.at[p->nodes.at[node].frame].image_name;
	uint32_t named = UINT32_MAX;

	for (; node && p->nodes.at[node].place != PLACE_OUTER;
	     node = p->nodes.at[node].parent) {
		const struct picture_node *n = &p->nodes.at[node];

		if (p->frames.at[n->frame].image_name != library)
			return named;
		if (named == UINT32_MAX && n->place == PLACE_WITHIN &&
		    cause_has_name(p, n->frame))
			named = n->function;
	}
	return UINT32_MAX;
}

/* The caller of a spot that has nearly all of it; NULL: none has. */
static const struct picture_function *go_back(struct seek *s, const struct spot *spot,
					      caller_find *find)
{
	const struct picture *p = s->p;
	double *extra = s->beside[0];

	seek_sum(s, &spot->within, s->node, false, s->beside[1]);
	memset(extra, 0, p->functions.count * sizeof(*extra));
	for (uint32_t i = 0; i < spot->within.nodes.count; i++) {
		uint32_t n = spot->within.nodes.at[i], caller;

		if (seek_marked(s, p->nodes.at[n].parent))
			continue;
		caller = find(p, n);
		if (caller != UINT32_MAX)
			extra[caller] += s->below[n];
	}
	for (uint32_t i = 0; i < p->functions.count; i++)
		if (extra[i] >= SHARE_DOWN * spot->extra)
			return &p->functions.at[i];
	return NULL;
}

/* Where calls wait, who called that says more than a function that everybody waits in. */
static void name_caller(struct seek *s, const struct spot *spot, struct cause *cause)
{
	uint32_t frame = cause->function->frame;
	const struct picture_function *caller = NULL;

	if (!cause->nr_steps || (!is_wait(s->p, frame) && !cause_is_common(s->p, frame)))
		return;
	caller = go_back(s, spot, caller_of_note);
	if (!caller && is_wait(s->p, frame))
		caller = go_back(s, spot, caller_any);
	if (caller)
		cause->function = caller;
}

static bool has_other_spot(struct seek *s, const struct part *part, const struct spots *spots,
			   unsigned but)
{
	seek_mark(s, part);
	for (unsigned i = 0; i < spots->count; i++)
		for (uint32_t k = 0; i != but && k < spots->at[i].within.nodes.count; k++)
			if (seek_marked(s, spots->at[i].within.nodes.at[k]))
				return true;
	return false;
}

/* One without a name is known by what its library was asked for.  That need not be a candidate:
 * it has a cause in it. */
static void name_request(struct hunt *h, struct spots *spots, unsigned i)
{
	struct seek *s = &h->seek;
	struct spot *spot = &spots->at[i];
	const struct picture_function *caller;
	struct part part;
	uint32_t at;

	if (!spot->function || cause_has_name(s->p, spot->function->frame))
		return;
	caller = go_back(s, spot, caller_named);
	if (!caller)
		return;
	at = caller - s->p->functions.at;
	part = seek_part(s, &h->left, at);
	seek_sum(s, &part, s->node, true, s->beside[0]);
	if (spot->extra < SHARE_OF_REQUEST * s->beside[0][at] ||
	    !function_is_significant(s->p, caller) || has_other_spot(s, &part, spots, i)) {
		array_done(&part.nodes);
		return;
	}
	array_done(&spot->within.nodes);
	spot->within = part;
	spot->function = caller;
	spot->extra = s->beside[0][at];
}

/* Largest first; of more than there is room for the smallest is dropped. */
static unsigned add_cause(struct cause *causes, unsigned count, struct cause add)
{
	unsigned at = count < CAUSES_MAX ? count : CAUSES_MAX - 1;

	if (count == CAUSES_MAX && causes[at].extra_nsec >= add.extra_nsec)
		return count;
	for (; at && causes[at - 1].extra_nsec < add.extra_nsec; at--)
		causes[at] = causes[at - 1];
	causes[at] = add;
	return count < CAUSES_MAX ? count + 1 : count;
}

/* Adds what is found in what is left of the span, and takes it off that. */
static unsigned look(struct hunt *h, struct cause *causes, unsigned count)
{
	struct part within = { { 0 } };
	struct spots spots;

	for (uint32_t i = 0; i < h->left.nodes.count; i++)
		array_push(&within.nodes, h->left.nodes.at[i]);
	seek_spots(&h->seek, &within, h->extra, CAUSES_MAX - count, &spots);
	for (unsigned i = 0; i < spots.count; i++)
		name_request(h, &spots, i);
	for (unsigned i = 0; i < spots.count; i++) {
		struct cause cause = { .function = spots.at[i].function,
				       .extra_nsec = spots.at[i].extra };

		cause_find_wait(h->seek.p, &cause);
		name_caller(&h->seek, &spots.at[i], &cause);
		count = add_cause(causes, count, cause);
		seek_take_off(&h->seek, &h->left, &spots.at[i].within);
		array_done(&spots.at[i].within.nodes);
	}
	return count;
}

unsigned cause_find(const struct picture *p, double cpu_nsec, struct cause ret[CAUSES_MAX])
{
	unsigned count = 0;
	struct hunt h;

	if (!p->sides[SIDE_IN].calls || !p->sides[SIDE_REST].calls)
		return 0;
	hunt_init(&h, p);
	begin(&h, cpu_nsec);
	while (count < CAUSES_MAX) {
		unsigned before = count;

		count = look(&h, ret, count);
		if (count == before)
			break;
		measure_left(&h);
		find_candidates(&h, h.seek.cpu);
	}
	if (is_candidate(&h, &p->itself, &h.itself))
		count = add_cause(ret, count,
				  (struct cause){ .function = &p->itself,
						  .extra_nsec = h.itself.extra });
	hunt_done(&h);
	return count;
}
