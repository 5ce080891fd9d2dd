#include "elf/inline_scope.h"

#include "elf/dwarf_range.h"

#include <dwarf.h>
#include <errno.h>

#define DEPTH_MAX 512
#define SCOPES_MAX (16u << 20)
#define DIES_BETWEEN_CHECKS 8192

struct stretch {
	uint64_t low, high;
	uint32_t scope;
};

struct stretches {
	ARRAY(struct stretch);
};

struct scan {
	const struct unit *unit;
	struct scopes *to;
	struct ranges room;
	struct stretches stretches;
	uint64_t lowest;
	bool types_hold_no_code;
	unsigned depth;
	uint32_t around[DEPTH_MAX]; /* scope at each depth */
};

void scopes_done(struct scopes *s)
{
	array_done(&s->list);
	array_done(&s->segments);
}

/* In C and C++ a function is defined outside the type it is declared in; other
 * languages put it inside. */
static bool is_c_or_cxx(uint16_t language)
{
	switch (language) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	}
	return false;
}

static bool holds_no_code(const struct scan *s, uint16_t tag)
{
	switch (tag) {
	case DW_TAG_array_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site:
		return true;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return s->types_hold_no_code;
	}
	return false;
}

/* Goes to the entry's sibling, past its children: false if it names none. */
static bool jump(const struct scan *s, const struct abbrev *a, struct dwarf_cursor *c)
{
	const struct abbrev_attribute *at = abbrev_attributes(s->unit->abbrevs, a);
	struct dwarf_cursor ahead = *c;
	uint64_t sibling;

	for (uint32_t i = 0; i < a->count; i++) {
		if (at[i].slot != DIE_SIBLING) {
			form_skip(&ahead, at[i].form, s->unit->width);
			continue;
		}
		if (at[i].form == DW_FORM_ref_addr)
			return false;
		sibling = s->unit->offset + form_number(&ahead, at[i].form, s->unit->width);
		if (ahead.broken || sibling <= unit_offset_of(s->unit, &ahead) ||
		    sibling >= s->unit->end)
			return false;
		c->at += sibling - unit_offset_of(s->unit, c);
		return true;
	}
	return false;
}

static uint32_t add_scope(struct scan *s, const struct die *d, uint32_t parent)
{
	uint32_t scope = s->to->list.count;

	array_clear(&s->room);
	if (die_has(d, DIE_RANGES) || die_has(d, DIE_HIGH))
		ranges_add(&s->room, s->unit, d);
	if ((!s->room.count && !d->abbrev->children) || scope >= SCOPES_MAX)
		return parent;
	array_push(&s->to->list, ((struct scope){ d->offset - s->unit->offset, parent }));
	for (uint32_t i = 0; i < s->room.count && s->stretches.count < SCOPES_MAX; i++)
		if (s->room.at[i].low >= s->lowest)
			array_push(&s->stretches,
				   ((struct stretch){ s->room.at[i].low, s->room.at[i].high,
						      scope }));
	return scope;
}

/* One entry or the end of a list of children; false at the end of all. */
static bool scan_die(struct scan *s, struct dwarf_cursor *c)
{
	const uint8_t *start = c->at;
	uint64_t code = cursor_uleb(c);
	const struct abbrev *a;
	uint32_t scope = s->depth ? s->around[s->depth - 1] : NO_SCOPE;
	struct die d;

	if (!code)
		return s->depth && --s->depth;
	a = abbrev_find(s->unit->abbrevs, code);
	if (!a)
		return false;
	if (a->tag == DW_TAG_subprogram || a->tag == DW_TAG_inlined_subroutine) {
		d.offset = unit_offset_of(s->unit, c) - (c->at - start);
		die_read(s->unit, a, c, &d);
		if (c->broken)
			return false;
		scope = add_scope(s, &d, scope);
	} else {
		if (a->children && holds_no_code(s, a->tag) && jump(s, a, c))
			return true;
		die_skip(s->unit, a, c);
	}
	if (!a->children)
		return s->depth;
	if (s->depth >= DEPTH_MAX)
		return false;
	s->around[s->depth++] = scope;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return x->scope < y->scope ? -1 : x->scope > y->scope;
}

/* The stretches that are open, the last scope on top: a heap. */
struct heap {
	ARRAY(struct stretch) list;
};

static void heap_push(struct heap *h, struct stretch s)
{
	uint32_t i = h->list.count;

	array_push(&h->list, s);
	for (; i && h->list.at[(i - 1) / 2].scope < s.scope; i = (i - 1) / 2)
		h->list.at[i] = h->list.at[(i - 1) / 2];
	h->list.at[i] = s;
}

static void heap_pop(struct heap *h)
{
	struct stretch last = h->list.at[--h->list.count];
	uint32_t i = 0, child;

	while ((child = 2 * i + 1) < h->list.count) {
		if (child + 1 < h->list.count &&
		    h->list.at[child + 1].scope > h->list.at[child].scope)
			child++;
		if (h->list.at[child].scope <= last.scope)
			break;
		h->list.at[i] = h->list.at[child];
		i = child;
	}
	h->list.at[i] = last;
}

static void add_segment(struct scopes *to, uint64_t start, uint32_t scope)
{
	uint32_t n = to->segments.count;

	if (n && to->segments.at[n - 1].scope == scope)
		return;
	if (n && to->segments.at[n - 1].start == start)
		to->segments.at[n - 1].scope = scope;
	else
		array_push(&to->segments, ((struct scope_segment){ start, scope }));
}

/* Segments from `from` on, up to where the next stretch begins. */
static void cut_until(struct scopes *to, struct heap *h, uint64_t from, uint64_t next)
{
	while (h->list.count && from < next) {
		if (h->list.at[0].high <= from) {
			heap_pop(h);
			continue;
		}
		add_segment(to, from, h->list.at[0].scope);
		from = h->list.at[0].high < next ? h->list.at[0].high : next;
	}
	if (from < next)
		add_segment(to, from, NO_SCOPE);
}

static void cut(struct scopes *to, struct stretches *all)
{
	struct heap h = { 0 };

	if (all->count)
		qsort(all->at, all->count, sizeof(*all->at), compare);
	for (uint32_t i = 0; i < all->count; i++) {
		uint64_t next = i + 1 < all->count ? all->at[i + 1].low : UINT64_MAX;

		heap_push(&h, all->at[i]);
		cut_until(to, &h, all->at[i].low, next);
	}
	array_done(&h.list);
}

int scopes_read(struct scopes *to, const struct unit *u, uint64_t lowest)
{
	struct scan s = { .unit = u,
			  .to = to,
			  .lowest = lowest,
			  .types_hold_no_code = is_c_or_cxx(u->language) };
	struct dwarf_cursor c;
	bool late = false;

	if (unit_cursor(u, u->first, UINT64_MAX, &c) && u->end - u->offset < UINT32_MAX)
		for (uint32_t n = 1; !late && scan_die(&s, &c); n++)
			late = n % DIES_BETWEEN_CHECKS == 0 && dwarf_is_late(u->all->file);
	if (!late)
		cut(to, &s.stretches);
	array_done(&s.stretches);
	array_done(&s.room);
	if (!late)
		return 0;
	scopes_done(to);
	return -EAGAIN;
}

uint32_t scopes_at(const struct scopes *s, uint64_t address)
{
	uint32_t low = 0, high = s->segments.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (s->segments.at[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? s->segments.at[low - 1].scope : NO_SCOPE;
}
