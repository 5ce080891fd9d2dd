#include "session/finder.h"

#include <inttypes.h>

/* Of each image, at every search; the next one goes on. */
#define LINES_TIME (20 * NSEC_PER_MSEC)

static bool has_process(const struct target *target, uint32_t pid)
{
	for (uint32_t i = 0; i < target->processes.count; i++)
		if (target->processes.at[i].pid == pid)
			return true;
	return false;
}

/* Is what is open what the processes map? */
static bool is_current(const struct finder *f, const struct target *target)
{
	uint64_t key = 0;

	for (uint32_t i = 0; i < f->code.count; i++)
		if (!has_process(target, f->code.at[i].pid))
			return false;
	for (uint32_t i = 0; i < target->processes.count; i++) {
		struct maps maps = { 0 };

		if (maps_read(target->processes.at[i].pid, &maps, NULL) == 0)
			key += maps_code_key(&maps);
		maps_done(&maps);
	}
	return f->code.count && f->code.key == key;
}

static int open_code(struct finder *f, const struct target *target, struct images *images,
		     struct error *err)
{
	int code;

	if (is_current(f, target))
		return 0;
	finder_done(f);
	code = code_open(target, images, &f->code, err);
	if (code == 0)
		listing_init(&f->listing, &f->code);
	return code;
}

/* The place may mean another row, too. */
static void make_unique(const struct listing *l, struct list_row *row)
{
	bool other_image = false, same_image = false;
	uint64_t address;

	for (uint32_t i = 0; i < l->rows.count; i++) {
		const struct list_row *other = &l->rows.at[i];

		if (other == row || strcmp(other->symbol->raw, row->symbol->raw) != 0)
			continue;
		same_image |= other->image == row->image;
		other_image |= other->image != row->image;
	}
	if (same_image && image_to_address(row->image->image, row->symbol->offset, &address)) {
		free(row->place);
		row->place = mem_format("%s:0x%" PRIx64, row->image->name, address);
	} else if (other_image) {
		AUTO_FREE char *place = row->place;

		row->place = mem_format("%s:%s", row->image->name, place);
	}
}

/* As stacks have it. */
static json_t *function_of(const struct list_row *row)
{
	AUTO_TEXT struct text name = { 0 }, plain = { 0 };

	match_name(row->symbol->raw, &name);
	text_add_plain(&plain, text_string(&name));
	return json_string(text_string(&plain));
}

static json_t *rows_of(struct listing *l, const struct search_result *r)
{
	json_t *rows = json_array();

	listing_clear(l);
	listing_give_time(l, LINES_TIME);
	for (uint32_t i = 0; i < r->found.count; i++)
		listing_add(l, &r->found.at[i]);
	for (uint32_t i = 0; i < l->rows.count; i++)
		make_unique(l, &l->rows.at[i]);
	for (uint32_t i = 0; i < l->rows.count; i++) {
		const struct list_row *row = &l->rows.at[i];
		json_t *o = row_json(l, row);

		json_object_set_new(o, "name", json_string(row->name));
		json_object_set_new(o, "function", function_of(row));
		json_object_set_new(o, "main", json_boolean(row->image->is_main));
		json_array_append_new(rows, o);
	}
	return rows;
}

int finder_find(struct finder *f, const struct target *target, struct images *images,
		const struct price *price, const struct search *search, json_t **ret,
		struct error *err)
{
	struct search_result r = { .fit = 0 };
	int code = open_code(f, target, images, err);

	if (code == 0)
		code = search_functions(&f->code, search, &r, err);
	if (code == 0) {
		f->listing.price = *price;
		*ret = json_pack("{s:I, s:I, s:b, s:b, s:o}", "fit", (json_int_t)r.fit,
				 "looked", (json_int_t)r.looked, "cut", r.cut, "pattern",
				 r.pattern, "rows", rows_of(&f->listing, &r));
	}
	search_done(&r);
	return code;
}

void finder_done(struct finder *f)
{
	listing_done(&f->listing);
	code_done(&f->code);
	*f = (struct finder){ .code = { .name = NULL } };
}
