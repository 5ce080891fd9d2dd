#include "elf/inline_path.h"

#include <dwarf.h>
#include <errno.h>

#define DEPTH_MAX 512
#define PATH_MOST 32 /* names in front of one */
#define HOPS_MAX 8
#define DIES_BETWEEN_CHECKS 8192

void paths_done(struct paths *p)
{
	array_done(&p->list);
	p->read = false;
}

static bool encloses(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_subprogram:
		return true;
	}
	return false;
}

struct walk {
	const struct unit *unit;
	struct paths *to;
	unsigned depth;
	uint32_t around[DEPTH_MAX]; /* enclosure at each depth */
	bool opened[DEPTH_MAX];	    /* it begins there */
};

static bool walk_end(struct walk *w, struct dwarf_cursor *c)
{
	if (!w->depth)
		return false;
	w->depth--;
	if (w->opened[w->depth])
		w->to->list.at[w->around[w->depth]].end =
			unit_offset_of(w->unit, c) - w->unit->offset;
	return w->depth;
}

static bool walk_die(struct walk *w, struct dwarf_cursor *c)
{
	uint32_t offset = unit_offset_of(w->unit, c) - w->unit->offset;
	uint32_t around = w->depth ? w->around[w->depth - 1] : UINT32_MAX;
	uint64_t code = cursor_uleb(c);
	const struct abbrev *a;

	if (!code)
		return walk_end(w, c);
	a = abbrev_find(w->unit->abbrevs, code);
	if (!a)
		return false;
	die_skip(w->unit, a, c);
	if (!a->children)
		return w->depth;
	if (w->depth >= DEPTH_MAX)
		return false;
	w->opened[w->depth] = encloses(a->tag);
	if (w->opened[w->depth]) {
		array_push(&w->to->list, ((struct enclosure){ offset, UINT32_MAX, around }));
		around = w->to->list.count - 1;
	}
	w->around[w->depth++] = around;
	return true;
}

int paths_read(struct paths *p, const struct unit *u)
{
	struct walk w = { .unit = u, .to = p };
	struct dwarf_cursor c;

	if (p->read)
		return 0;
	if (unit_cursor(u, u->first, UINT64_MAX, &c) && u->end - u->offset < UINT32_MAX)
		for (uint32_t n = 1; walk_die(&w, &c); n++)
			if (n % DIES_BETWEEN_CHECKS == 0 && dwarf_is_late(u->all->file)) {
				paths_done(p);
				return -EAGAIN;
			}
	p->read = true;
	return 0;
}

/* The innermost enclosure around an entry, UINT32_MAX: the unit. */
static uint32_t enclosure_of(const struct paths *p, uint32_t die)
{
	uint32_t low = 0, high = p->list.count, at;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (p->list.at[middle].die < die)
			low = middle + 1;
		else
			high = middle;
	}
	for (at = low ? low - 1 : UINT32_MAX; at != UINT32_MAX && die >= p->list.at[at].end;)
		at = p->list.at[at].parent;
	return at;
}

static const char *unnamed(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_namespace:
		return "(anonymous namespace)";
	case DW_TAG_class_type:
	case DW_TAG_structure_type: /* nearly always that of a lambda */
		return "{lambda}";
	}
	return "";
}

/* What a function is in says where it was declared; that is where its own path
 * stands, so references are followed as far as they stay in the unit. */
static struct die_place declared(struct die_place place, char **ret_name)
{
	struct die d;

	for (unsigned hop = 0; hop < HOPS_MAX && die_at(place, &d); hop++) {
		struct die_place next =
			die_reference(place.unit, &d,
				      die_has(&d, DIE_ORIGIN) ? DIE_ORIGIN : DIE_SPECIFICATION);

		if (!*ret_name && die_has(&d, DIE_NAME))
			*ret_name = mem_text(die_string(place.unit, &d, DIE_NAME));
		if (next.unit != place.unit) {
			if (!*ret_name)
				*ret_name = mem_text(unnamed(d.abbrev->tag));
			return place;
		}
		place = next;
	}
	return place;
}

static void add_around(const struct paths *p, struct die_place place, struct text *to,
		       unsigned nesting)
{
	uint32_t at = enclosure_of(p, place.offset - place.unit->offset);
	AUTO_FREE char *name = NULL;

	if (at == UINT32_MAX || nesting >= PATH_MOST)
		return;
	place.offset = place.unit->offset + p->list.at[at].die;
	add_around(p, declared(place, &name), to, nesting + 1);
	if (name && *name) {
		text_add(to, name);
		text_add(to, "::");
	}
}

void paths_add(const struct paths *p, const struct unit *u, uint64_t offset, struct text *to)
{
	add_around(p, (struct die_place){ u, offset }, to, 0);
}
