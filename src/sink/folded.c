/*
 * folded - one line a stack: "main;handle;parse 12".
 *
 * As stackcollapse and flamegraph.pl have it; see formats that read it:
 * flamegraph.pl takes a second trailing number for a differential, speedscope
 * wants whole numbers and one space.  Lines are sorted, equal ones are summed.
 */
#include "sink/sinks.h"

#include "sink/escape.h"
#include "sink/walk.h"

#include <ctype.h>
#include <inttypes.h>

struct folded_line {
	size_t at, size; /* the stack's part of the text */
	uint64_t first, second;
};

struct folded {
	struct text stacks;
	ARRAY(struct folded_line) lines;
};

static void folded_done(struct folded *f)
{
	text_done(&f->stacks);
	array_done(&f->lines);
}

static const char *frame_mark(enum frame_kind kind)
{
	switch (kind) {
	case FRAME_KERNEL:
		return "_[k]";
	case FRAME_INLINED:
		return "_[i]";
	case FRAME_JIT:
		return "_[j]";
	default:
		return "";
	}
}

/* A name like "f 12" at the end would be read as a first number. */
static void bind_last_number(struct text *t, size_t from)
{
	size_t i = t->size;

	while (i > from && (isdigit((unsigned char)t->bytes[i - 1]) || t->bytes[i - 1] == '.'))
		i--;
	if (i < t->size && i > from && t->bytes[i - 1] == ' ')
		t->bytes[i - 1] = '_';
}

static void add_stack(struct text *t, const struct picture *p, const struct walk *w,
		      bool annotate)
{
	size_t from = t->size;

	for (uint32_t i = 0; i < w->frames.count; i++) {
		uint32_t frame = w->frames.at[i];

		if (i)
			text_add_char(t, ';');
		escape_folded(t, walk_name(p, frame));
		if (annotate)
			text_add(t, frame_mark(p->frames.at[frame].kind));
	}
	if (!w->frames.count)
		text_add(t, WALK_NO_STACK);
	bind_last_number(t, from);
}

static int line_order(const void *left, const void *right, void *stacks)
{
	const struct folded_line *a = left, *b = right;
	const char *text = stacks;
	int order = memcmp(text + a->at, text + b->at, a->size < b->size ? a->size : b->size);

	return order ? order : (a->size > b->size) - (a->size < b->size);
}

static void folded_print(struct folded *f, bool diff, struct text *out)
{
	const char *text = text_string(&f->stacks);

	if (f->lines.count)
		qsort_r(f->lines.at, f->lines.count, sizeof(*f->lines.at), line_order,
			f->stacks.bytes);
	for (uint32_t i = 0; i < f->lines.count; i++) {
		struct folded_line *line = &f->lines.at[i], *next = line + 1;

		if (i + 1 < f->lines.count && !line_order(line, next, f->stacks.bytes)) {
			next->first += line->first;
			next->second += line->second;
			continue;
		}
		text_add_part(out, text + line->at, line->size);
		if (diff)
			text_format(out, " %" PRIu64, line->second);
		text_format(out, " %" PRIu64 "\n", line->first);
	}
}

static int folded_write(const struct picture *p, const struct sink_option *option,
			struct text *out, struct error *err)
{
	bool diff = option->side == WRITE_DIFF, in_nsec = option->weight == WEIGHT_TIME;
	unsigned mask = diff ? SIDE_BIT(SIDE_IN) : sink_side_mask(option->side);
	struct folded f = { 0 };
	struct walk w = { 0 };

	for (uint32_t i = 0; i < p->nodes.count; i++) {
		struct folded_line line = {
			.at = f.stacks.size,
			.first = walk_self(&p->nodes.at[i], mask, in_nsec),
		};

		if (diff)
			line.second = walk_self(&p->nodes.at[i], SIDE_BIT(SIDE_REST), in_nsec);
		if (!line.first && !line.second)
			continue;
		walk_stack(&w, p, i);
		add_stack(&f.stacks, p, &w, option->annotate);
		line.size = f.stacks.size - line.at;
		array_push(&f.lines, line);
	}
	folded_print(&f, diff, out);
	walk_done(&w);
	folded_done(&f);
	return 0;
}

const struct sink sink_folded = {
	.name = "folded",
	.suffix = ".folded",
	.help = "one line a stack and its samples, as flamegraph.pl reads",
	.fold = FOLD_FUNCTION,
	.side = WRITE_IN,
	.write = folded_write,
};
