#include "sink/text_part.h"

#include "sink/fit.h"
#include "sink/headline.h"
#include "sink/walk.h"

#define BRANCH_LEAST 0.01 /* of the whole, for a branch to be shown */
#define SAME 0.995	  /* of its caller: the same time, so the same line */
#define LINES_MAX 60
#define DEPTH_MAX 200
#define PERCENT_COLUMNS 9
#define PLACE_COLUMNS 20

/* Branches worth a line, grouped by caller, the heaviest first. */
struct branches {
	struct report *r;
	uint64_t *total;
	uint32_t *nodes;
	uint32_t count;
	uint32_t hidden; /* too light to be shown */
	uint32_t lines;
	struct text prefix; /* box drawing before the name */
};

static int branch_order(const void *left, const void *right, void *all)
{
	const struct branches *b = all;
	uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
	uint32_t m = b->r->p->nodes.at[i].parent, n = b->r->p->nodes.at[k].parent;

	if (m != n)
		return m < n ? -1 : 1;
	if (b->total[i] != b->total[k])
		return b->total[i] < b->total[k] ? 1 : -1;
	return (i > k) - (i < k);
}

static void branches_find(struct branches *b)
{
	const struct picture *p = b->r->p;
	double least = BRANCH_LEAST * b->total[0];

	for (uint32_t i = 1; i < p->nodes.count; i++) {
		if (b->total[i] && b->total[i] >= least)
			b->nodes[b->count++] = i;
		else if (b->total[i] && b->total[p->nodes.at[i].parent] >= least)
			b->hidden++;
	}
	if (b->count)
		qsort_r(b->nodes, b->count, sizeof(*b->nodes), branch_order, b);
}

/* First of the node's branches; *ret_end is behind the last. */
static uint32_t branches_of(const struct branches *b, uint32_t node, uint32_t *ret_end)
{
	uint32_t low = 0, high = b->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (b->r->p->nodes.at[b->nodes[middle]].parent < node)
			low = middle + 1;
		else
			high = middle;
	}
	for (*ret_end = low; *ret_end < b->count; (*ret_end)++)
		if (b->r->p->nodes.at[b->nodes[*ret_end]].parent != node)
			break;
	return low;
}

/* The one callee that has all of the node's time, 0 when there is none. */
static uint32_t only_callee(const struct branches *b, uint32_t node)
{
	uint32_t end, first = branches_of(b, node, &end);

	if (end - first != 1 || b->total[b->nodes[first]] < SAME * b->total[node])
		return 0;
	return b->nodes[first];
}

/* Adds "a › b › c" as long as it fits and the time is the same; returns the
 * last node on the line. */
static uint32_t add_chain(struct branches *b, uint32_t node, unsigned room)
{
	const struct picture *p = b->r->p;
	struct text *out = b->r->out;
	size_t from = out->size;
	uint32_t next;

	fit_name(out, walk_name(p, p->nodes.at[node].frame), room);
	while ((next = only_callee(b, node))) {
		AUTO_TEXT struct text name = { 0 };

		fit_name(&name, walk_name(p, p->nodes.at[next].frame), room);
		if (fit_columns(out->bytes + from) + 3 + fit_columns(text_string(&name)) > room)
			break;
		text_format(out, " › %s", text_string(&name));
		node = next;
	}
	return node;
}

static uint32_t add_line(struct branches *b, uint32_t node)
{
	struct text *out = b->r->out;
	unsigned wide = b->r->columns - PERCENT_COLUMNS - PLACE_COLUMNS;
	unsigned used = fit_columns(text_string(&b->prefix));
	unsigned room = wide > used + 17 ? wide - used - 1 : 16;
	size_t from;

	text_format(out, "%5.1f %%  ",
		    b->total[0] ? 100.0 * b->total[node] / b->total[0] : 100.0);
	from = out->size;
	text_add(out, text_string(&b->prefix));
	node = add_chain(b, node, room);
	fit_pad(out, from, wide);
	if (out->bytes[out->size - 1] != ' ')
		text_add_char(out, ' '); /* deep ones are wider */
	part_site(b->r, node, PLACE_COLUMNS);
	while (out->bytes[out->size - 1] == ' ')
		out->bytes[--out->size] = 0;
	text_add_char(out, '\n');
	b->lines++;
	return node;
}

/* What the branches below look like depends on whether this one was the last. */
static void add_branches(struct branches *b, uint32_t node, unsigned depth)
{
	size_t prefix = b->prefix.size;
	uint32_t end, first = branches_of(b, node, &end);

	for (uint32_t i = first; i < end; i++) {
		bool last = i + 1 == end;
		uint32_t at;

		if (b->lines >= LINES_MAX || depth >= DEPTH_MAX) {
			b->hidden++;
			continue;
		}
		text_add(&b->prefix, last ? "└─ " : "├─ ");
		at = add_line(b, b->nodes[i]);
		b->prefix.bytes[b->prefix.size = prefix] = 0;
		text_add(&b->prefix, last ? "   " : "│  ");
		add_branches(b, at, depth + 1);
		b->prefix.bytes[b->prefix.size = prefix] = 0;
	}
}

/* What is the same for every sample says little: the tree begins at the span,
 * or where the stacks part. */
static uint32_t find_top(const struct branches *b)
{
	const struct picture *p = b->r->p;
	const struct picture_span *span = headline_span(p);
	uint32_t node = 0, next;

	while ((next = only_callee(b, node))) {
		node = next;
		if (span && p->frames.at[p->nodes.at[node].frame].name == span->function)
			break;
	}
	return node;
}

static bool has_sites(const struct picture *p)
{
	for (uint32_t i = 0; i < p->nodes.count; i++)
		if (p->nodes.at[i].site_line)
			return true;
	return false;
}

static void add_heading(struct report *r, uint32_t top)
{
	const struct picture *p = r->p;
	bool one = (r->sides & (r->sides - 1)) == 0;
	const char *side = headline_side(p);
	uint32_t above = top ? p->nodes.at[top].parent : 0;

	if (!p->split_expr)
		text_add(r->out, one && headline_span(p) ? "Tree inside" : "Tree");
	else if (r->sides == SIDE_BIT(SIDE_IN))
		text_format(r->out, "Tree of the %s side", strcmp(side, "in") ? side : "in");
	for (unsigned i = SIDE_REST; i < NR_SIDE && p->split_expr; i++)
		if (r->sides == SIDE_BIT(i))
			text_format(r->out, "Tree of side %s", side_names[i]);
	if (p->split_expr && !one)
		text_add(r->out, "Tree");
	if (above) {
		text_add(r->out, ", all of it called by ");
		fit_name(r->out, walk_name(p, p->nodes.at[above].frame), 40);
	}
	if (has_sites(p))
		text_add(r->out, "; with the lines of the calls");
	text_add_char(r->out, '\n');
}

void part_tree(struct report *r)
{
	const struct picture *p = r->p;
	AUTO_FREE uint64_t *total = mem_zeroed(p->nodes.count + 1, sizeof(*total));
	AUTO_FREE uint32_t *nodes = mem_zeroed(p->nodes.count + 1, sizeof(*nodes));
	struct branches b = { .r = r, .total = total, .nodes = nodes };
	uint32_t top;

	if (!p->nodes.count)
		return;
	picture_totals(p, r->sides, true, total);
	if (!total[0])
		return;
	branches_find(&b);
	top = find_top(&b);
	add_heading(r, top);
	add_branches(&b, add_line(&b, top), 0);
	if (b.hidden)
		text_format(r->out, "         (%u more branch%s, most below %.0f %%)\n",
			    b.hidden, b.hidden == 1 ? "" : "es", 100 * BRANCH_LEAST);
	text_done(&b.prefix);
}
