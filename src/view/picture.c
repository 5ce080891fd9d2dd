#include "view/picture.h"

#include "base/text.h"
#include "wire/sample_cause.h"

#include <assert.h>

#define SHORTEST_PART 16 /* of what was taken off */

static void set_unknown(struct picture *p)
{
	p->split_span = UINT32_MAX;
	p->itself.frame = p->itself.caller = UINT32_MAX;
	p->z_least = 1.96;
	p->causes = CAUSES_ON;
}

struct picture *picture_new(void)
{
	struct picture *p = NEW(struct picture);

	set_unknown(p);
	return p;
}

static bool has_waits(const struct picture *p)
{
	return p->causes & CAUSES_OFF;
}

const char *picture_time(const struct picture *p)
{
	return !has_waits(p) ? "CPU time" : p->causes & CAUSES_ON ? "time" : "time off the CPU";
}

const char *picture_unseen(const struct picture *p)
{
	if (!has_waits(p))
		return "not on a CPU";
	if ((p->causes & CAUSES_OFF) != CAUSES_OFF)
		return "spent otherwise";
	return p->causes & CAUSES_ON ? NULL : "on a CPU";
}

struct picture_node *picture_add_node(struct picture *p, uint32_t parent, uint32_t frame)
{
	struct picture_node *node = array_add(&p->nodes);

	node->parent = parent;
	node->frame = frame;
	for (; parent && !node->again; parent = p->nodes.at[parent].parent)
		node->again = p->nodes.at[parent].frame == frame;
	return node;
}

static void free_spans(struct picture *p)
{
	for (uint32_t i = 0; i < p->spans.count; i++)
		array_done(&p->spans.at[i].buckets);
	array_done(&p->spans);
}

void picture_clear(struct picture *p)
{
	struct picture kept = *p;

	free_spans(p);
	array_clear(&kept.functions);
	*p = (struct picture){ .text = kept.text, .lineage = kept.lineage };
	memcpy(&p->gaps, &kept.gaps, sizeof(p->gaps));
	memcpy(&p->functions, &kept.functions, sizeof(p->functions));
	memcpy(&p->images, &kept.images, sizeof(p->images));
	memcpy(&p->frames, &kept.frames, sizeof(p->frames));
	memcpy(&p->nodes, &kept.nodes, sizeof(p->nodes));
	set_unknown(p);
}

void picture_free(struct picture *p)
{
	if (!p)
		return;
	free_spans(p);
	array_done(&p->functions);
	array_done(&p->images);
	array_done(&p->frames);
	array_done(&p->gaps);
	array_done(&p->nodes);
	intern_done(&p->text);
	free(p);
}

/* The kernel keeps so much of a process' name (TASK_COMM_LEN - 1). */
#define COMM_MOST 15

static bool is_named_as(const char *name, const char *comm)
{
	return *comm && (strlen(comm) < COMM_MOST ? strcmp(name, comm) == 0
						  : strncmp(name, comm, COMM_MOST) == 0);
}

bool picture_is_of_other(const struct picture *p, uint32_t frame)
{
	static const char *const starts[] = { FRAME_HELD, FRAME_WOKEN, FRAME_TIMED_OUT };
	const struct picture_frame *f = &p->frames.at[frame];

	for (unsigned i = 0; i < COUNT_OF(starts) && f->kind == FRAME_WAIT; i++)
		if (text_starts(picture_text(p, f->name), starts[i]))
			return true;
	return f->kind == FRAME_HOLDER;
}

uint32_t picture_main_image(const struct picture *p)
{
	uint32_t lowest = UINT32_MAX;

	for (uint32_t i = 0; i < p->images.count; i++) {
		const struct picture_image *image = &p->images.at[i];
		const char *path = picture_text(p, image->path), *slash = strrchr(path, '/');
		const char *name = slash ? slash + 1 : path;

		if (image->kind != IMAGE_FILE)
			continue;
		if (is_named_as(name, picture_text(p, p->comm)))
			return i;
		if (p->processes == 1 && image->start && !strstr(name, ".so") &&
		    (lowest == UINT32_MAX || image->start < p->images.at[lowest].start))
			lowest = i;
	}
	return lowest;
}

void picture_totals(const struct picture *p, unsigned sides, bool in_nsec, uint64_t *ret_total)
{
	for (uint32_t n = 0; n < p->nodes.count; n++) {
		const struct picture_node *node = &p->nodes.at[n];

		ret_total[n] = 0;
		for (unsigned s = 0; s < NR_SIDE; s++) {
			if (sides & SIDE_BIT(s))
				ret_total[n] += in_nsec ? node->self_nsec[s] : node->self[s];
		}
	}
	for (uint32_t n = p->nodes.count; n-- > 1;) {
		assert(p->nodes.at[n].parent < n);
		ret_total[p->nodes.at[n].parent] += ret_total[n];
	}
}

double picture_shortest(const struct picture_span *s)
{
	return s->probed_nsec / SHORTEST_PART;
}
