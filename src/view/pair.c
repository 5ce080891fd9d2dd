#include "view/pair.h"

#include "base/table.h"
#include "model/profile.h"
#include "view/function.h"

#include <math.h>

struct pair {
	struct picture *p;
	struct table frames;   /* hash of a frame to its index */
	struct table children; /* (parent, frame) */
	struct profile self[2], weight[2];
};

static text_id pair_text(struct pair *pair, const struct picture *from, text_id id)
{
	return intern_text(&pair->p->text, picture_text(from, id));
}

/* Images of both are kept apart by name and build: the newer one's comes first. */
static uint32_t pair_image(struct pair *pair, const struct picture *from, uint32_t image)
{
	struct picture_image copy;

	if (image >= from->images.count)
		return UINT32_MAX;
	copy = from->images.at[image];
	copy.path = pair_text(pair, from, copy.path);
	copy.build_id = pair_text(pair, from, copy.build_id);
	for (uint32_t i = 0; i < pair->p->images.count; i++) {
		if (pair->p->images.at[i].path == copy.path)
			return i;
	}
	array_push(&pair->p->images, copy);
	return pair->p->images.count - 1;
}

static uint32_t pair_frame(struct pair *pair, const struct picture *from, uint32_t index)
{
	struct picture_frame frame = from->frames.at[index];
	uint64_t key;
	uint32_t at;

	frame.name = pair_text(pair, from, frame.name);
	frame.file = pair_text(pair, from, frame.file);
	frame.image_name = pair_text(pair, from, frame.image_name);
	key = hash_u64((uint64_t)frame.name << 32 | frame.image_name) + frame.kind;
	at = table_find(&pair->frames, key);
	if (at != TABLE_NONE)
		return at;
	frame.image = pair_image(pair, from, frame.image);
	array_push(&pair->p->frames, frame);
	table_set(&pair->frames, key, pair->p->frames.count - 1);
	return pair->p->frames.count - 1;
}

static uint32_t pair_child(struct pair *pair, uint32_t parent, uint32_t frame)
{
	uint64_t key = (uint64_t)parent << 32 | frame;
	uint32_t at = table_find(&pair->children, key);

	if (at == TABLE_NONE) {
		at = pair->p->nodes.count;
		picture_add_node(pair->p, parent, frame);
		table_set(&pair->children, key, at);
	}
	return at;
}

static void pair_add(struct pair *pair, const struct picture *from, enum side side,
		     double scale)
{
	AUTO_FREE uint32_t *frames = mem_zeroed(from->frames.count, sizeof(*frames));
	AUTO_FREE uint32_t *nodes = mem_zeroed(from->nodes.count, sizeof(*nodes));

	for (uint32_t i = 0; i < from->frames.count; i++)
		frames[i] = pair_frame(pair, from, i);
	for (uint32_t n = 0; n < from->nodes.count; n++) {
		const struct picture_node *node = &from->nodes.at[n];
		double self = 0, weight = 0;

		nodes[n] = n ? pair_child(pair, nodes[node->parent], frames[node->frame]) : 0;
		for (unsigned s = 0; s < NR_SIDE; s++) {
			self += node->self[s];
			weight += node->self_nsec[s];
		}
		profile_put(&pair->self[side], nodes[n], scale * self);
		profile_put(&pair->weight[side], nodes[n], scale * weight);
	}
}

static void pair_write(struct pair *pair, double seconds)
{
	struct picture *p = pair->p;
	AUTO_FREE uint64_t *whole = mem_zeroed(p->nodes.count, sizeof(*whole));

	for (unsigned s = SIDE_IN; s <= SIDE_REST; s++) {
		struct picture_side *side = &p->sides[s];

		profile_round(&pair->self[s], p->nodes.count, whole);
		for (uint32_t n = 0; n < p->nodes.count; n++)
			side->samples += p->nodes.at[n].self[s] = whole[n];
		profile_round(&pair->weight[s], p->nodes.count, whole);
		for (uint32_t n = 0; n < p->nodes.count; n++)
			side->weight_nsec += p->nodes.at[n].self_nsec[s] = whole[n];
		side->calls = fmax(1, whole_number(seconds));
		side->calls_exact = true;
		profile_done(&pair->self[s]);
		profile_done(&pair->weight[s]);
	}
	p->samples = p->sides[SIDE_IN].samples + p->sides[SIDE_REST].samples;
}

static double picture_seconds(const struct picture *p)
{
	return p->to > p->from ? (p->to - p->from) / 1e9 : 0;
}

static double tick(const struct picture_side *s)
{
	return s->samples ? (double)s->weight_nsec / s->samples : 0;
}

/* Samples of a function are chance as counts are: variance n T^2, and at least
 * that of one; scaled ones of before have the spread of the true ones. */
static void pair_functions(struct pair *pair, double seconds, double scale)
{
	struct picture *p = pair->p;
	double tick_in = tick(&p->sides[SIDE_IN]), tick_rest = tick(&p->sides[SIDE_REST]);
	double whole = ((double)p->sides[SIDE_IN].weight_nsec -
			(double)p->sides[SIDE_REST].weight_nsec) /
		       seconds;
	struct functions fs = { .picture = p };

	functions_reach(&fs);
	for (uint32_t n = 1; n < p->nodes.count; n++)
		fs.place.at[n] = p->frames.at[p->nodes.at[n].frame].kind == FRAME_OTHER
					 ? PLACE_AGAIN
					 : PLACE_WITHIN;
	functions_sum(&fs);
	for (uint32_t i = 0; i < fs.count; i++) {
		struct picture_function *f = &fs.list[i];
		double error =
			sqrt(fmax(1, f->samples_in) * tick_in * tick_in +
			     fmax(scale, f->samples_rest) * scale * tick_rest * tick_rest) /
			seconds;

		f->per_call_in_nsec = f->total_in_nsec / seconds;
		f->per_call_rest_nsec = f->total_rest_nsec / seconds;
		f->extra_nsec = f->per_call_in_nsec - f->per_call_rest_nsec;
		f->extra_error = 1.96 * error;
		f->z = error > 0 ? f->extra_nsec / error : 0;
		f->beyond_nsec = f->extra_nsec;
		f->beyond_error = f->extra_noise = f->beyond_noise = f->left_noise =
			f->extra_error;
		f->extra_share = whole > 0 ? fmin(1, fmax(0, f->extra_nsec / whole)) : 0;
		if (f->samples_rest)
			f->samples_rest = fmax(1, whole_number(f->samples_rest / scale));
	}
	functions_give(&fs, p);
	functions_done(&fs);
}

static void pair_origin(struct pair *pair, const struct picture *before,
			const struct picture *now)
{
	struct picture *p = pair->p;
	struct picture_losses *to = &p->losses;
	const struct picture_losses *from = &before->losses;

	p->host = pair_text(pair, now, now->host);
	p->kernel = pair_text(pair, now, now->kernel);
	p->comm = pair_text(pair, now, now->comm);
	p->pid = now->pid;
	p->processes = now->processes;
	p->namesakes = now->namesakes;
	p->threads = now->threads;
	p->from = now->from;
	p->to = now->to;
	p->wall = now->wall;
	p->hz = now->hz;
	p->cpus = now->cpus;
	p->period = now->period;
	p->causes = now->causes | before->causes;
	p->ended = now->ended;
	p->cut = now->cut || before->cut;
	p->losses = now->losses;
	to->ring += from->ring;
	to->samples += from->samples;
	to->spans += from->spans;
	to->stacks_truncated += from->stacks_truncated;
	to->stacks_unreadable += from->stacks_unreadable;
	to->frames += from->frames;
	to->frames_unresolved += from->frames_unresolved;
	to->spans_unmatched += from->spans_unmatched;
	to->thinned += from->thinned;
	to->throttled += from->throttled;
	to->forgotten += from->forgotten;
	to->in_probes += from->in_probes;
	to->probe_nsec += from->probe_nsec;
	to->probe_low_nsec += from->probe_low_nsec;
	to->probe_high_nsec += from->probe_high_nsec;
}

struct picture *picture_pair(const struct picture *before, const struct picture *now)
{
	struct pair pair = { .p = picture_new() };
	double seconds = picture_seconds(now), scale = 1;

	if (seconds > 0 && picture_seconds(before) > 0)
		scale = seconds / picture_seconds(before);
	else
		seconds = 1; /* of unknown length: compared as they are */
	pair_origin(&pair, before, now);
	(void)array_add(&pair.p->nodes);
	if (now->nodes.count)
		pair_add(&pair, now, SIDE_IN, 1);
	if (before->nodes.count)
		pair_add(&pair, before, SIDE_REST, scale);
	pair_write(&pair, seconds);
	pair_functions(&pair, seconds, scale);
	pair.p->compared = true;
	pair.p->split_expr = intern_text(&pair.p->text, "now against before");
	table_done(&pair.frames);
	table_done(&pair.children);
	return pair.p;
}
