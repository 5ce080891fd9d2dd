#include "view/picture.h"

#include <assert.h>

struct picture *picture_new(void)
{
	struct picture *p = NEW(struct picture);

	p->split_span = UINT32_MAX;
	p->itself.frame = p->itself.caller = UINT32_MAX;
	p->z_least = 1.96;
	return p;
}

void picture_free(struct picture *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->spans.count; i++)
		array_done(&p->spans.at[i].buckets);
	array_done(&p->spans);
	array_done(&p->functions);
	array_done(&p->images);
	array_done(&p->frames);
	array_done(&p->gaps);
	array_done(&p->nodes);
	intern_done(&p->text);
	free(p);
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
