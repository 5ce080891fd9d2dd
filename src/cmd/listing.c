#include "cmd/listing.h"

#include "base/log.h"
#include "elf/demangle.h"
#include "probe/locate.h"
#include "probe/plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LINES_BUDGET (2 * NSEC_PER_SEC) /* per image; what is not known by then stays blank */

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

struct target_query target_query_of(const struct run_option *o)
{
	return (struct target_query){
		.pids = o->pids.at,
		.nr_pids = o->pids.count,
		.tids = o->tids.at,
		.nr_tids = o->tids.count,
		.name = o->name,
		.all = o->all_processes,
		.thread = o->thread,
	};
}

int listing_open(struct listing *l, const struct run_option *o, const char *file,
		 struct error *err)
{
	struct target_query query = target_query_of(o);
	struct target target = { 0 };
	int ret;

	if (file)
		return code_open_file(file, &l->code, err);
	ret = target_find(&query, &target, err);
	if (ret)
		return ret;
	ret = code_open(&target, NULL, &l->code, err);
	target_done(&target);
	return ret;
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
		l->inlines = mem_zeroed(l->code.count, sizeof(*l->inlines));
	if (!l->inlines[image]) {
		l->inlines[image] = inlines_new(l->code.at[image].image);
		inlines_set_budget(l->inlines[image], LINES_BUDGET);
	}
	return l->inlines[image];
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

static void find_copies(struct listing *l, uint32_t image, struct list_row *row)
{
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
static void plan_row(struct listing *l, struct decoder *decoder, struct list_row *row)
{
	const struct plan_request request = { decoder, row->image, row->symbol, NULL };
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

static void add_rows(struct listing *l, const struct match_list *all, bool only_main)
{
	struct decoder *decoder = decoder_new();

	for (uint32_t i = 0; i < all->count; i++) {
		struct code_image *image = &l->code.at[all->at[i].image];
		struct list_row *row;

		if (only_main && !image->is_main)
			continue;
		row = array_add(&l->rows);
		row->image = image;
		row->symbol = all->at[i].symbol;
		row->place = plain_place(row->symbol);
		row->name = plain_name(image, row->symbol);
		plan_row(l, decoder, row);
		/* a part of a function that was moved away: nobody calls it */
		if (row->symbol->kind == SYMBOL_UNNAMED && row->result == PLAN_NO_FUNCTION) {
			row_done(row);
			l->rows.count--;
			continue;
		}
		find_line(l, all->at[i].image, row);
		if (!only_main) /* a pattern was given: what it names is worth a look */
			find_copies(l, all->at[i].image, row);
		if (i % 1024 == 0)
			log_progress("%u of %u functions", i, all->count);
	}
	log_progress_done();
	decoder_free(decoder);
	if (l->rows.count)
		qsort(l->rows.at, l->rows.count, sizeof(*l->rows.at), row_compare);
}

int listing_match(struct listing *l, const char *pattern, struct match_list *ret,
		  struct error *err)
{
	struct place place;
	int code = place_parse(pattern ? pattern : "*", &place, err);

	if (code)
		return code;
	if (place.kind == PLACE_ADDRESS || place.has_offset)
		code = error_set(err, EINVAL,
				 "'%.200s': list takes a name, a pattern or a /regex/",
				 pattern);
	code = code ? code : match_find(&l->code, &place, ret, err);
	if (!code && ret->cut)
		log_warn("more than %u functions fit; the rest is left out", MATCHES_MAX);
	if (!code && !ret->count)
		code = match_fail_absent(&l->code, &place, err);
	place_done(&place);
	return code;
}

int listing_find(struct listing *l, const char *pattern, struct error *err)
{
	struct match_list all = { 0 };
	int code = listing_match(l, pattern, &all, err);

	ending_judge(&l->code, EXIT_WISH_AUTO, &l->ways);
	if (!code)
		add_rows(l, &all, !pattern);
	array_done(&all);
	return code;
}

void listing_done(struct listing *l)
{
	for (uint32_t i = 0; i < l->rows.count; i++)
		row_done(&l->rows.at[i]);
	array_done(&l->rows);
	for (uint32_t i = 0; l->inlines && i < l->code.count; i++)
		inlines_free(l->inlines[i]);
	free(l->inlines);
	code_done(&l->code);
}
