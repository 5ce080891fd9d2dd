#include "sink/sink.h"

#include "sink/sinks.h"

#include <string.h>

const struct sink *const sink_list[] = {
	&sink_text, &sink_json, &sink_folded, &sink_svg, &sink_pprof, &sink_speedscope, NULL,
};

/* By enum write_side; the first is not a choice. */
static const struct {
	const char *name;
	unsigned mask;
} write_sides[] = {
	[WRITE_DEFAULT] = { "default", SIDE_ALL },
	[WRITE_IN] = { "in", SIDE_BIT(SIDE_IN) },
	[WRITE_REST] = { "rest", SIDE_BIT(SIDE_REST) },
	[WRITE_OPEN] = { "open", SIDE_BIT(SIDE_OPEN) },
	[WRITE_OUT] = { "out", SIDE_BIT(SIDE_OUT) },
	[WRITE_DIFF] = { "diff", SIDE_BIT(SIDE_IN) | SIDE_BIT(SIDE_REST) },
	[WRITE_ALL] = { "all", SIDE_ALL },
};

const struct sink *sink_find(const char *name)
{
	for (const struct sink *const *s = sink_list; *s; s++)
		if (strcmp((*s)->name, name) == 0)
			return *s;
	return NULL;
}

/* A name of two parts is not the format of the last. */
static const char *const other_formats[] = { ".firefox.json", ".trace.json", NULL };

const struct sink *sink_for_path(const char *path)
{
	const struct sink *best = NULL;

	for (const char *const *other = other_formats; *other; other++)
		if (text_ends(path, *other))
			return NULL;
	for (const struct sink *const *s = sink_list; *s; s++) {
		if (!text_ends(path, (*s)->suffix))
			continue;
		if (!best || strlen((*s)->suffix) > strlen(best->suffix))
			best = *s;
	}
	return best;
}

enum write_side sink_side(const struct sink *sink, const struct picture *p,
			  enum write_side asked)
{
	bool split = p->split_expr != 0;

	if (asked == WRITE_DIFF && !split)
		return WRITE_ALL; /* nothing to compare with */
	if (asked != WRITE_DEFAULT)
		return asked;
	return split ? sink->side : WRITE_ALL;
}

unsigned sink_side_mask(enum write_side side)
{
	return (size_t)side < COUNT_OF(write_sides) ? write_sides[side].mask : SIDE_ALL;
}

const char *write_side_name(enum write_side side)
{
	return (size_t)side < COUNT_OF(write_sides) ? write_sides[side].name : "";
}

bool write_side_parse(const char *text, enum write_side *ret)
{
	for (unsigned i = WRITE_IN; i < COUNT_OF(write_sides); i++) {
		if (strcmp(write_sides[i].name, text) == 0) {
			*ret = i;
			return true;
		}
	}
	return false;
}
