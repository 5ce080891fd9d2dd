#include "base/text.h"
#include "elf/symtab.h"
#include "view/cause.h"

#include <string.h>

#define SHARE_MOST 0.75	 /* of what is known of a holder: it does that */
#define KNOWN_LEAST 0.25 /* of the time that it is waited for */

/* What holders do, wherever they are waited for: nodes of one way are one. */
struct way {
	uint32_t parent, frame;
	double extra; /* with what is below */
};

struct ways {
	const struct picture *p;
	ARRAY(struct way) list; /* the first is the owner */
	struct table children;
	uint32_t *of; /* way + 1 of a node */
};

static uint32_t way_below(struct ways *w, uint32_t parent, uint32_t frame)
{
	uint64_t key = (uint64_t)parent << 32 | frame;
	uint32_t at = table_find(&w->children, key);

	if (at != TABLE_NONE)
		return at;
	at = w->list.count;
	table_set(&w->children, key, at);
	array_push(&w->list, ((struct way){ parent, frame, 0 }));
	return at;
}

static void add_node(struct ways *w, const struct cause *cause, uint32_t n)
{
	const struct picture *p = w->p;
	const struct picture_node *node = &p->nodes.at[n];

	if (w->of[node->parent])
		w->of[n] = way_below(w, w->of[node->parent] - 1, node->frame) + 1;
	else if (node->frame == cause->steps[0].owner && cause_has_node(p, cause, n))
		w->of[n] = 1;
	else
		return;
	w->list.at[w->of[n] - 1].extra +=
		node->self_nsec[SIDE_IN] / (double)p->sides[SIDE_IN].calls -
		node->self_nsec[SIDE_REST] / (double)p->sides[SIDE_REST].calls;
}

static uint32_t most_below(const struct ways *w, uint32_t way, double least)
{
	for (uint32_t i = way + 1; i < w->list.count; i++)
		if (w->list.at[i].parent == way && w->list.at[i].extra >= least)
			return i;
	return 0;
}

static bool starts(const struct picture *p, uint32_t frame, const char *with)
{
	return text_starts(picture_text(p, p->frames.at[frame].name), with);
}

bool cause_is_common(const struct picture *p, uint32_t frame)
{
	static const char *const images[] = {
		"[kernel]",   "[vdso]",	  "libc.so", "libc-",
		"libpthread", "ld-linux", "ld-musl", "libstdc++"
	};
	static const char *const names[] = { "std::", "__gthread", "__gnu_cxx::" };
	const struct picture_frame *f = &p->frames.at[frame];

	for (unsigned i = 0; i < COUNT_OF(images); i++)
		if (text_starts(picture_text(p, f->image_name), images[i]))
			return true;
	for (unsigned i = 0; i < COUNT_OF(names); i++)
		if (text_starts(picture_text(p, f->name), names[i]))
			return true;
	return false;
}

bool cause_has_name(const struct picture *p, uint32_t frame)
{
	const struct picture_frame *f = &p->frames.at[frame];
	const char *name = picture_text(p, f->name);

	return *name && f->image_name && f->kind != FRAME_UNKNOWN && !symbol_made_name(name);
}

/* A function of an owner; the one before it is its caller, if that is worth a word. */
static void pass_function(const struct picture *p, struct cause_step *step, uint32_t frame,
			  double share)
{
	if (cause_is_common(p, frame) || !cause_has_name(p, frame))
		return;
	step->caller = step->function;
	step->function = frame;
	step->share = share;
}

static void descend(const struct ways *w, struct cause *cause, double known)
{
	const struct picture *p = w->p;
	struct cause_step *step = &cause->steps[0];

	for (uint32_t way = 0; (way = most_below(w, way, SHARE_MOST * known));) {
		uint32_t frame = w->list.at[way].frame;

		if (starts(p, frame, FRAME_WAITS)) {
			if (cause->nr_steps == CAUSE_STEPS)
				return;
			step = &cause->steps[cause->nr_steps++];
			*step = (struct cause_step){ .wait = frame };
		} else if (starts(p, frame, FRAME_HELD)) {
			step->owner = frame;
		} else {
			pass_function(p, step, frame, w->list.at[way].extra / known);
		}
	}
}

void cause_find_steps(const struct picture *p, struct cause *cause)
{
	struct ways w = { .p = p, .of = mem_zeroed(p->nodes.count + 1, sizeof(*w.of)) };
	double known;

	array_push(&w.list, ((struct way){ .frame = cause->steps[0].owner }));
	for (uint32_t n = 1; n < p->nodes.count; n++)
		add_node(&w, cause, n);
	known = -w.list.at[0].extra;
	for (uint32_t i = w.list.count; i-- > 1;)
		w.list.at[w.list.at[i].parent].extra += w.list.at[i].extra;
	known += w.list.at[0].extra;
	if (known > 0 && known >= KNOWN_LEAST * w.list.at[0].extra)
		descend(&w, cause, known);
	array_done(&w.list);
	table_done(&w.children);
	free(w.of);
}
