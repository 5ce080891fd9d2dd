/*
 * svg - a flame graph that can be zoomed and searched, in one file.
 *
 * With a split: a differential one.  Widths are then the CPU time of SIDE_IN,
 * colours the extra time a call against SIDE_REST (see compare).
 */
#include "sink/sinks.h"

#include "sink/escape.h"
#include "sink/headline.h"
#include "sink/svg_draw.h"

#include <errno.h>

static const char svg_look[] =
#include "sink/svg_look.inc"
	;

static const char svg_act[] =
#include "sink/svg_act.inc"
	;

static void svg_weigh(struct svg *s)
{
	const struct picture *p = s->p;

	s->compared = s->option->side == WRITE_DIFF && compare_make(&s->compare, p);
	s->in_nsec = s->compared || s->option->weight == WEIGHT_TIME;
	s->sides = s->compared || s->option->side == WRITE_DIFF
			   ? SIDE_BIT(SIDE_IN)
			   : sink_side_mask(s->option->side);
	s->total = mem_zeroed(p->nodes.count + 1, sizeof(*s->total));
	picture_totals(p, s->sides, s->in_nsec, s->total);
	layout_make(&s->layout, p, s->total, SVG_WIDTH - 2 * SVG_PAD, SVG_LEAST);
}

static void svg_begin(struct svg *s)
{
	unsigned height = svg_height(s);
	double dropped = s->total[0] ? 100.0 * s->layout.dropped_weight / s->total[0] : 0;

	text_format(s->out,
		    "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"sonde\" width=\"%u\" "
		    "height=\"%u\" viewBox=\"0 0 %u %u\" data-dropped=\"%.4f\">\n",
		    SVG_WIDTH, height, SVG_WIDTH, height, dropped);
	text_format(s->out,
		    "<!-- %u subtrees narrower than %.1f px are left out: %.4f %% of the "
		    "width -->\n",
		    s->layout.dropped, SVG_LEAST, dropped);
	text_format(s->out, "<style><![CDATA[\n%s]]></style>\n", svg_look);
	text_format(s->out, "<rect class=\"sheet\" width=\"100%%\" height=\"100%%\"/>\n");
}

static int svg_write(const struct picture *p, const struct sink_option *option,
		     struct text *out, struct error *err)
{
	struct svg s = { .p = p, .option = option, .out = out };

	if (!p->nodes.count)
		return error_set(err, EINVAL, "the picture has no root");
	svg_weigh(&s);
	svg_begin(&s);
	svg_draw_head(&s);
	svg_draw_frames(&s);
	svg_draw_foot(&s);
	text_format(out, "<script><![CDATA[\n%s]]></script>\n</svg>\n", svg_act);
	if (s.compared)
		compare_done(&s.compare);
	layout_done(&s.layout);
	free(s.total);
	return 0;
}

const struct sink sink_svg = {
	.name = "svg",
	.suffix = ".svg",
	.help = "flame graph to zoom and search; a differential one for a split",
	.fold = FOLD_FUNCTION,
	.side = WRITE_DIFF,
	.write = svg_write,
};
