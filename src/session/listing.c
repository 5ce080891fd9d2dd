#include "session/listing.h"

#include "elf/demangle.h"
#include "probe/locate.h"
#include "probe/plan.h"

#include <inttypes.h>
#include <string.h>

#define LINES_TIME (2 * NSEC_PER_SEC)

const char *row_reason(const struct listing *l, const struct list_row *row)
{
	if (row->why)
		return row->why;
	return row->function.exit == EXIT_HOOK && l->ways.second.exit == EXIT_HOOK
		       ? l->ways.second.reason
		       : l->ways.first.reason;
}

uint32_t row_price(const struct listing *l, const struct list_row *row)
{
	return price_of_call(&l->price, &row->function);
}

const char *row_price_word(const struct list_row *row)
{
	static const char *const names[] = { "cheap", "cheap", "stepped", "refused" };
	struct probe_price price = function_price(&row->function);

	if (!row->function.sites.count)
		return "refused";
	return names[price.exit > price.entry ? price.exit : price.entry];
}

const char *row_entry(const struct list_row *row)
{
	const struct site *entry;

	if (!row->function.sites.count)
		return "-";
	entry = function_entry(&row->function);
	if (entry->price == INSN_STEPPED)
		return "stepped";
	return entry->offset != row->function.entry ? "moved" : entry->insn;
}

/* Names of a foreign file may hold anything; JSON is UTF-8. */
static json_t *json_plain(const char *s)
{
	AUTO_TEXT struct text plain = { 0 };

	text_add_plain(&plain, s);
	return json_string(text_string(&plain));
}

json_t *row_json(const struct listing *l, const struct list_row *row)
{
	uint64_t address = 0;
	json_t *o = json_object();

	image_to_address(row->image->image, row->symbol->offset, &address);
	json_object_set_new(o, "place", json_plain(row->place));
	json_object_set_new(o, "image", json_plain(row->image->path));
	json_object_set_new(o, "address", json_integer(address));
	json_object_set_new(o, "size", json_integer(row->symbol->size));
	json_object_set_new(o, "file", json_plain(row->file));
	json_object_set_new(o, "line", json_integer(row->line));
	json_object_set_new(o, "price", json_string(row_price_word(row)));
	json_object_set_new(o, "price_ns", json_integer(row_price(l, row)));
	json_object_set_new(o, "exit", json_string(ending_of(row->function.exit)->name));
	json_object_set_new(o, "reason", json_plain(row_reason(l, row)));
	json_object_set_new(o, "symbol", json_plain(row->symbol->raw));
	json_object_set_new(o, "inlined", json_integer(row->inlined));
	return o;
}

/* A clone has no name of its own but the raw one. */
static char *plain_place(const struct symbol *s)
{
	AUTO_TEXT struct text full = { 0 };
	AUTO_TEXT struct text plain = { 0 };

	if (match_is_clone(s->raw))
		text_format(&full, "=%s", s->raw);
	else
		match_full_name(s->raw, &full);
	text_add_plain(&plain, text_string(&full));
	return mem_text(text_string(&plain));
}

static char *plain_name(const struct code_image *image, const struct symbol *s)
{
	struct text full = { 0 }, plain = { 0 };
	const char *so = strstr(image->name, ".so");
	char *name;

	if (!image->is_main) {
		text_add_part(&full, image->name,
			      so ? (size_t)(so - image->name) : strlen(image->name));
		text_add(&full, ":");
	}
	match_full_name(s->raw, &full);
	if (match_is_clone(s->raw))
		text_format(&full, " [%s]", s->raw + match_base_length(s->raw));
	if (s->kind == SYMBOL_UNNAMED && s->near)
		text_format(&full, "~%s", s->near);
	text_add_plain(&plain, text_string(&full));
	name = mem_text(text_string(&plain));
	text_done(&full);
	text_done(&plain);
	return name;
}

struct inlines *listing_inlines(struct listing *l, uint32_t image)
{
	if (!l->inlines)
		l->inlines = mem_zeroed(l->code->count, sizeof(*l->inlines));
	if (!l->inlines[image]) {
		l->inlines[image] = inlines_new(l->code->at[image].image);
		inlines_set_budget(l->inlines[image], l->lines);
	}
	return l->inlines[image];
}

void listing_give_time(struct listing *l, nsec time)
{
	for (uint32_t i = 0; l->inlines && i < l->code->count; i++)
		if (l->inlines[i])
			inlines_set_budget(l->inlines[i], inlines_spent(l->inlines[i]) + time);
	l->lines = time;
}

static void find_line(struct listing *l, uint32_t image, struct list_row *row)
{
	const char *slash;

	row->file = "";
	if (inlines_definition(listing_inlines(l, image), row->symbol->offset, &row->file,
			       &row->line) <= 0)
		return;
	slash = strrchr(row->file, '/');
	row->file = slash ? slash + 1 : row->file;
}

void listing_count_copies(struct listing *l, struct list_row *row)
{
	uint32_t image = row->image - l->code->at;
	AUTO_FREE char *base =
		mem_text_part(row->symbol->raw, match_base_length(row->symbol->raw));
	AUTO_TEXT struct text name = { 0 };
	int count;

	demangle(base, DEMANGLE_NAME, &name);
	count = inlines_copies(listing_inlines(l, image), base, text_string(&name));
	row->inlined = count > 0 ? count : 0;
}

static int row_compare(const void *a, const void *b)
{
	const struct list_row *left = a, *right = b;
	int by_name = strcmp(left->name, right->name);

	/* the program itself first, then its libraries */
	if (left->image->is_main != right->image->is_main)
		return left->image->is_main ? -1 : 1;
	if (by_name)
		return by_name;
	return left->symbol->offset < right->symbol->offset ? -1 : 1;
}

/* As it would be watched; a function whose ends cannot be seen, by its entry. */
static void plan_row(struct listing *l, struct list_row *row)
{
	const struct plan_request request = { l->decoder, row->image, row->symbol, NULL };
	struct probe_function *f = &row->function;
	const char *why;

	function_init(row->image, row->symbol, f);
	if (row->symbol->kind == SYMBOL_IFUNC) {
		row->result = PLAN_NO_PLACE;
		row->why = "chosen among several versions when the program starts (IFUNC)";
	} else {
		row->result = ways_plan(&l->ways, &request, f, &row->why);
	}
	if (row->result == PLAN_DONE)
		return;
	f->exit = EXIT_NONE;
	array_clear(&f->sites);
	if (row->result == PLAN_NO_END && plan_entry(&request, f, &why) == PLAN_NO_PLACE) {
		row->result = PLAN_NO_PLACE;
		row->why = why;
	}
}

static void row_done(struct list_row *row)
{
	free(row->place);
	free(row->name);
	function_done(&row->function);
}

struct list_row *listing_add(struct listing *l, const struct match *match)
{
	struct list_row *row = array_add(&l->rows);

	if (!l->judged)
		ending_judge(l->code, EXIT_WISH_AUTO, &l->ways);
	l->judged = true;
	row->image = &l->code->at[match->image];
	row->symbol = match->symbol;
	row->place = plain_place(row->symbol);
	row->name = plain_name(row->image, row->symbol);
	plan_row(l, row);
	if (row->symbol->kind == SYMBOL_UNNAMED && row->result == PLAN_NO_FUNCTION) {
		row_done(row);
		l->rows.count--;
		return NULL;
	}
	find_line(l, match->image, row);
	return row;
}

void listing_sort(struct listing *l)
{
	if (l->rows.count)
		qsort(l->rows.at, l->rows.count, sizeof(*l->rows.at), row_compare);
}

void listing_init(struct listing *l, struct code *code)
{
	*l = (struct listing){ .code = code, .decoder = decoder_new(), .lines = LINES_TIME };
}

void listing_clear(struct listing *l)
{
	for (uint32_t i = 0; i < l->rows.count; i++)
		row_done(&l->rows.at[i]);
	array_clear(&l->rows);
}

void listing_done(struct listing *l)
{
	if (!l->code)
		return;
	listing_clear(l);
	array_done(&l->rows);
	for (uint32_t i = 0; l->inlines && i < l->code->count; i++)
		inlines_free(l->inlines[i]);
	free(l->inlines);
	decoder_free(l->decoder);
	*l = (struct listing){ .code = NULL };
}
