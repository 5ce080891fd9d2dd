#include "sink/text_part.h"

#include "base/columns.h"
#include "sink/fit.h"
#include "sink/headline.h"
#include "sink/walk.h"
#include "view/recursion.h"

#include <stdio.h>

#define BRANCH_LEAST 0.01 /* of the whole, for a branch to be shown */
#define SAME 0.995	  /* of its caller: the same time, so the same line */
#define LINES_MAX 60
#define DEPTH_MAX 200
#define PERCENT_COLUMNS 9
#define CHAIN_COLUMNS 60 /* names on one line, with what is before them */
#define NAME_LEAST 16
#define PLACE_COLUMNS 24
#define PASSED_SHARE 0.9 /* of what was shown last: little happened since */
#define PASSED_LEAST 3	 /* functions that "…" is shorter than */

struct line {
	double share;
	size_t from;   /* its text in branches.text */
	uint32_t node; /* whose place stands at its end */
};

/* Branches worth a line, grouped by caller, the heaviest first. */
struct branches {
	struct report *r;
	struct recursion recursion;
	uint64_t *total;
	uint32_t *nodes;
	uint32_t count;
	uint32_t hidden;    /* too light to be shown */
	struct text prefix; /* box drawing before the name */
	struct text text;
	ARRAY(struct line) lines;
	unsigned columns; /* for text */
};

static uint32_t parent_of(const struct branches *b, uint32_t node)
{
	return recursion_parent(&b->recursion, b->r->p, node);
}

static int branch_order(const void *left, const void *right, void *all)
{
	const struct branches *b = all;
	uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
	uint32_t m = parent_of(b, i), n = parent_of(b, k);

	if (m != n)
		return m < n ? -1 : 1;
	if (b->total[i] != b->total[k])
		return b->total[i] < b->total[k] ? 1 : -1;
	return (i > k) - (i < k);
}

static void branches_find(struct branches *b)
{
	double least = BRANCH_LEAST * b->total[0];

	for (uint32_t i = 1; i < b->r->p->nodes.count; i++) {
		if (b->total[i] && b->total[i] >= least)
			b->nodes[b->count++] = i;
		else if (b->total[i] && b->total[parent_of(b, i)] >= least)
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

		if (parent_of(b, b->nodes[middle]) < node)
			low = middle + 1;
		else
			high = middle;
	}
	for (*ret_end = low; *ret_end < b->count; (*ret_end)++)
		if (parent_of(b, b->nodes[*ret_end]) != node)
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

static void add_name(const struct branches *b, struct text *t, uint32_t node, unsigned columns)
{
	uint32_t times = b->recursion.times[node];
	char count[16] = "";

	if (times > 1)
		snprintf(count, sizeof(count), " ×%u", times);
	fit_name(t, walk_name(b->r->p, b->r->p->nodes.at[node].frame),
		 columns - columns_of(count));
	text_add(t, count);
}

/* Adds "a › b › c" as long as it fits and the time is the same; returns the
 * last node on the line. */
static uint32_t add_chain(struct branches *b, uint32_t node)
{
	unsigned used = columns_of(text_string(&b->prefix));
	unsigned room = b->columns > used + NAME_LEAST ? b->columns - used : NAME_LEAST;
	unsigned most = CHAIN_COLUMNS > used + room ? used + room : CHAIN_COLUMNS;
	size_t from = b->text.size;
	uint32_t next;

	text_add(&b->text, text_string(&b->prefix));
	add_name(b, &b->text, node, room);
	while ((next = only_callee(b, node))) {
		AUTO_TEXT struct text name = { 0 };

		add_name(b, &name, next, room);
		if (columns_of(b->text.bytes + from) + 3 + columns_of(text_string(&name)) >
		    most)
			break;
		text_format(&b->text, " › %s", text_string(&name));
		node = next;
	}
	text_add_part(&b->text, "", 1);
	return node;
}

static bool is_of_kernel(const struct branches *b, uint32_t node)
{
	const struct picture *p = b->r->p;

	return p->frames.at[p->nodes.at[node].frame].kind == FRAME_KERNEL;
}

/* On the only way down inside the kernel, what has nearly all of the time of what was shown
 * last, and passes it on, says little: from `node`, called by that, to the first that says
 * more.  *ret_passed: how many were left out, 0 where they are few. */
static uint32_t pass_kernel(const struct branches *b, uint32_t node, uint32_t *ret_passed)
{
	uint32_t end, first, to = node, passed = 0;
	double least = PASSED_SHARE * b->total[parent_of(b, node)];

	while (is_of_kernel(b, parent_of(b, to)) && b->total[to] >= least) {
		first = branches_of(b, to, &end);
		if (end - first != 1 || !is_of_kernel(b, b->nodes[first]) ||
		    b->total[to] - b->total[b->nodes[first]] > BRANCH_LEAST * b->total[0])
			break;
		to = b->nodes[first];
		passed++;
	}
	*ret_passed = passed < PASSED_LEAST ? 0 : passed;
	return *ret_passed ? to : node;
}

static uint32_t add_line(struct branches *b, uint32_t node)
{
	struct line line = {
		.share = b->total[0] ? 100.0 * b->total[node] / b->total[0] : 100.0,
		.from = b->text.size,
	};

	line.node = add_chain(b, node);
	array_push(&b->lines, line);
	return line.node;
}

/* A branch that is alone goes on where its caller stands, so that long ways stay readable;
 * of several, each is a step further in; in the kernel some are passed over.  What is below
 * depends on whether it was the last. */
static void add_branches(struct branches *b, uint32_t node, unsigned depth)
{
	size_t prefix = b->prefix.size;
	uint32_t end, first = branches_of(b, node, &end);

	for (uint32_t i = first; i < end; i++) {
		bool alone = end - first == 1, last = i + 1 == end;
		uint32_t at = b->nodes[i], passed = 0;

		if (b->lines.count >= LINES_MAX || depth >= DEPTH_MAX) {
			b->hidden++;
			continue;
		}
		text_add(&b->prefix, alone ? "› " : last ? "└─ " : "├─ ");
		if (alone)
			at = pass_kernel(b, at, &passed);
		if (passed)
			text_format(&b->prefix, "… %u more › ", passed);
		at = add_line(b, at);
		text_cut(&b->prefix, prefix);
		text_add(&b->prefix, alone ? "" : last ? "   " : "│  ");
		add_branches(b, at, depth + 1);
		text_cut(&b->prefix, prefix);
	}
}

static unsigned widest(const struct branches *b)
{
	unsigned most = 0;

	for (uint32_t i = 0; i < b->lines.count; i++) {
		unsigned columns = columns_of(b->text.bytes + b->lines.at[i].from);

		most = columns > most ? columns : most;
	}
	return most;
}

static void write_lines(const struct branches *b)
{
	struct text *out = b->r->out;
	unsigned wide = widest(b);

	wide = wide > b->columns ? b->columns : wide; /* deep ones may be wider */
	for (uint32_t i = 0; i < b->lines.count; i++) {
		const struct line *line = &b->lines.at[i];
		size_t from, end;

		text_format(out, "%5.1f %%  ", line->share);
		from = out->size;
		text_add(out, b->text.bytes + line->from);
		end = out->size;
		fit_pad(out, from, wide);
		text_add(out, "  ");
		from = out->size;
		part_site(b->r, line->node, PLACE_COLUMNS);
		if (out->size == from)
			text_cut(out, end);
		text_add_char(out, '\n');
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

static void add_heading(const struct branches *b, uint32_t top)
{
	const struct report *r = b->r;
	const struct picture *p = r->p;
	AUTO_TEXT struct text line = { 0 };
	bool all = r->sides == sink_side_mask(WRITE_ALL);
	const char *side = headline_side(p);
	uint32_t above = top ? parent_of(b, top) : 0;

	text_add(&line, "Tree");
	if (r->sides == SIDE_BIT(SIDE_IN) && p->split_expr)
		text_format(&line, strcmp(side, "in") ? " of the %s side" : " of these calls",
			    side);
	else if (r->sides == SIDE_BIT(SIDE_IN) && headline_span(p))
		text_add(&line, " inside");
	for (unsigned i = SIDE_REST; i < NR_SIDE; i++)
		if (r->sides == SIDE_BIT(i))
			text_format(&line, " of side %s", side_names[i]);
	if (all)
		text_add(&line, " of all samples");
	text_format(&line, ", %% of %s %s",
		    all || (p->split_expr && strcmp(side, "in") == 0) ? "their" : "its",
		    picture_time(p));
	if (above) {
		text_add(&line, ", called by ");
		fit_name(&line, walk_name(p, p->nodes.at[above].frame), 40);
	}
	if (has_sites(p))
		text_add(&line, "; lines of the calls");
	part_words(b->r, &line);
}

static unsigned places_natural(const struct branches *b)
{
	unsigned most = 0;

	for (uint32_t i = 0; i < b->count; i++) {
		unsigned columns = part_site_natural(b->r, b->nodes[i]);

		most = columns > most ? columns : most;
	}
	return most > PLACE_COLUMNS ? PLACE_COLUMNS : most;
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
	recursion_find(&b.recursion, p);
	recursion_totals(&b.recursion, p, r->sides, true, total);
	if (total[0]) {
		branches_find(&b);
		b.columns = r->columns - PERCENT_COLUMNS - 2 - places_natural(&b);
		top = find_top(&b);
		add_heading(&b, top);
		add_branches(&b, add_line(&b, top), 0);
		write_lines(&b);
	}
	if (b.hidden)
		text_format(r->out, "         (%u more branch%s, most below %.0f %%)\n",
			    b.hidden, b.hidden == 1 ? "" : "es", 100 * BRANCH_LEAST);
	recursion_done(&b.recursion);
	text_done(&b.prefix);
	text_done(&b.text);
	array_done(&b.lines);
}
