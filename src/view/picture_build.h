/*
 * picture_build - pictures put together by hand, for tests.
 */
#ifndef SONDE_VIEW_PICTURE_BUILD_H
#define SONDE_VIEW_PICTURE_BUILD_H

#include "base/text.h"
#include "view/pair.h"

/* The node for a frame called in a node, added when it is new. */
static inline uint32_t build_child(struct picture *p, uint32_t parent, uint32_t frame)
{
	for (uint32_t i = 1; i < p->nodes.count; i++)
		if (p->nodes.at[i].parent == parent && p->nodes.at[i].frame == frame)
			return i;
	picture_add_node(p, parent, frame);
	return p->nodes.count - 1;
}

/* Samples of a stack, outermost first and ';' between; '@' before a kernel function, '['
 * of what is waited for, "libz!" of one of that. */
struct build_samples {
	const char *frames;
	unsigned in, rest;
};

static inline uint32_t build_frame(struct picture *p, const char *name, size_t n)
{
	bool kernel = *name == '@';
	const char *library = memchr(name, '!', n);
	size_t skip = library ? (size_t)(library + 1 - name) : kernel;
	AUTO_FREE char *copy = mem_text_part(name + skip, n - skip);
	AUTO_FREE char *image = mem_text_part(name, library ? skip - 1 : 0);
	struct picture_frame *f;

	for (uint32_t i = 0; i < p->frames.count; i++)
		if (strcmp(picture_text(p, p->frames.at[i].name), copy) == 0)
			return i;
	f = array_add(&p->frames);
	f->name = intern_text(&p->text, copy);
	f->image_name = intern_text(&p->text, kernel	? "[kernel]"
					      : library ? image
							: "shop-server");
	f->image = UINT32_MAX;
	f->kind = kernel ? FRAME_KERNEL
		  : text_ends(copy, FRAME_OF_HOLDER) || text_ends(copy, FRAME_OF_WAKER)
			  ? FRAME_HOLDER
		  : *name == '[' ? FRAME_WAIT
				 : FRAME_USER;
	return p->frames.count - 1;
}

/* Ten seconds of it, a millisecond a sample; the last one has no frames. */
static inline struct picture *build_picture(const struct build_samples *stacks, bool in)
{
	struct picture *p = picture_new();

	p->to = 10 * NSEC_PER_SEC;
	build_frame(p, "all", 3);
	array_add(&p->nodes);
	for (; stacks->frames; stacks++) {
		unsigned count = in ? stacks->in : stacks->rest;
		uint32_t node = 0;

		for (const char *at = stacks->frames; *at;) {
			size_t n = strcspn(at, ";");

			node = build_child(p, node, build_frame(p, at, n));
			at += n + (at[n] == ';');
		}
		p->nodes.at[node].self[SIDE_IN] += count;
		p->nodes.at[node].self_nsec[SIDE_IN] += count * NSEC_PER_MSEC;
	}
	return p;
}

static inline struct picture *build_pair(const struct build_samples *stacks)
{
	struct picture *in = build_picture(stacks, true), *rest = build_picture(stacks, false);
	struct picture *p = picture_pair(rest, in);

	picture_free(in);
	picture_free(rest);
	return p;
}

#endif
