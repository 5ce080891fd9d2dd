#include "probe/probe.h"

#include "elf/inline.h"
#include "probe/match.h"
#include "probe/pick.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LISTED_MAX 8

static bool is_pattern(const struct place *place)
{
	return place->glob || place->kind == PLACE_REGEX;
}

#define SOURCE_TIME NSEC_PER_SEC /* at most, to say where two of one name are */

/* What tells functions of one name apart for people: " at file.c:12"; nothing without debug
 * information. */
static void add_source(const struct code_image *image, const struct symbol *symbol,
		       struct text *to)
{
	struct inlines *inlines = inlines_new(image->image);
	const char *file, *slash;
	uint32_t line;

	inlines_set_budget(inlines, SOURCE_TIME);
	if (inlines_definition(inlines, symbol->offset, &file, &line) > 0 && *file) {
		slash = strrchr(file, '/');
		text_add(to, " at ");
		text_add_plain(to, slash ? slash + 1 : file);
		text_format(to, ":%u", line);
	}
	inlines_free(inlines);
}

/* How to name one match so that nothing else is meant. */
static void add_candidate(const struct code *code, const struct match_list *all, uint32_t index,
			  struct text *to)
{
	const struct match *m = &all->at[index];
	const struct code_image *image = &code->at[m->image];
	AUTO_TEXT struct text full = { 0 };
	uint64_t address = 0;
	bool unique = true;

	match_full_name(m->symbol->raw, &full);
	for (uint32_t i = 0; i < all->count && unique; i++) {
		AUTO_TEXT struct text other = { 0 };

		if (i == index || all->at[i].image != m->image)
			continue;
		match_full_name(all->at[i].symbol->raw, &other);
		unique = strcmp(text_string(&full), text_string(&other));
	}
	text_add(to, "\n       ");
	text_add_plain(to, image->name);
	text_add(to, ":");
	if (unique) {
		text_add_plain(to, text_string(&full));
		return;
	}
	image_to_address(image->image, m->symbol->offset, &address);
	text_format(to, "0x%" PRIx64 "  (", address);
	text_add_plain(to, m->symbol->raw);
	add_source(image, m->symbol, to);
	text_format(to, ", %" PRIu64 " bytes)", m->symbol->size);
}

static int fail_ambiguous(const struct code *code, const struct place *place,
			  const struct match_list *all, struct error *err)
{
	AUTO_TEXT struct text list = { 0 };
	uint32_t shown = all->count < LISTED_MAX ? all->count : LISTED_MAX;

	for (uint32_t i = 0; i < shown; i++)
		add_candidate(code, all, i, &list);
	if (all->count > shown)
		text_format(&list, "\n       and %u more", all->count - shown);
	return error_set(err, ENOTUNIQ, "'%.100s' may be any of %u functions; say which:%s",
			 place->text, all->count, text_string(&list));
}

/* Are a and b one function, compiled more than once?  Clones of it, constructors
 * (C1, C2); not overloads, and not two static functions of one name. */
static bool is_one_function(const struct match *a, const struct match *b)
{
	AUTO_TEXT struct text left = { 0 };
	AUTO_TEXT struct text right = { 0 };
	const char *raw = a->symbol->raw, *other = b->symbol->raw;
	size_t length = match_base_length(raw);

	if (a->image != b->image)
		return false;
	if (length == match_base_length(other) && !strncmp(raw, other, length))
		return match_is_clone(raw) || match_is_clone(other);
	match_full_name(raw, &left);
	match_full_name(other, &right);
	return !strcmp(text_string(&left), text_string(&right));
}

static int check_unique(const struct code *code, const struct place *place,
			const struct match_list *all, struct error *err)
{
	if (place->kind == PLACE_REGEX || place->glob)
		return 0;
	for (uint32_t i = 0; i < all->count; i++)
		for (uint32_t k = i + 1; k < all->count; k++)
			if (!is_one_function(&all->at[i], &all->at[k]))
				return fail_ambiguous(code, place, all, err);
	return 0;
}

static int check_ifunc(const struct code *code, const struct place *place,
		       const struct match_list *all, struct error *err)
{
	if (is_pattern(place))
		return 0;
	for (uint32_t i = 0; i < all->count; i++) {
		const struct symbol *s = all->at[i].symbol;
		const char *image = code->at[all->at[i].image].name;

		if (s->kind == SYMBOL_IFUNC)
			return error_set(
				err, ENOTSUP,
				"'%.200s' in %s is chosen among several versions when "
				"the program starts (IFUNC); probe the version itself\n"
				"       (sonde list %s '%s:*%s*')",
				place->text, image, code->option, image, s->raw);
	}
	return 0;
}

/* IMAGE:0xADDR: the function that holds the address, and how far in. */
static int find_address(struct code *code, const struct place *place, struct match_list *ret,
			uint64_t *ret_exact, struct error *err)
{
	for (uint32_t i = 0; i < code->count; i++) {
		struct code_image *image = &code->at[i];
		const struct symbol *s;
		uint64_t offset;

		if (!code_is_image(image, place->image) || !code_symbols(image))
			continue;
		if (!image_to_offset(image->image, place->offset, &offset))
			continue;
		s = symtab_find(image->symbols, offset);
		if (!s)
			continue;
		array_push(ret, ((struct match){ i, s }));
		*ret_exact = offset - s->offset;
	}
	if (ret->count > 1)
		return fail_ambiguous(code, place, ret, err);
	if (ret->count)
		return 0;
	if (!match_knows_image(code, place->image))
		return match_fail_absent(code, place, err);
	return error_set(err, ENOENT, "no function of '%.100s' holds the address 0x%" PRIx64,
			 place->image, place->offset);
}

static int find(struct code *code, const struct place *place, struct match_list *all,
		uint64_t *exact, struct error *err)
{
	int ret = place->kind == PLACE_ADDRESS ? find_address(code, place, all, exact, err)
					       : match_find(code, place, all, err);

	if (!ret && !all->count)
		ret = match_fail_absent(code, place, err);
	ret = ret ? ret : check_ifunc(code, place, all, err);
	ret = ret ? ret : check_unique(code, place, all, err);
	if (!ret && (all->cut || all->count > FUNCTIONS_MAX))
		ret = error_set(err, E2BIG,
				"'%.200s' means %u functions; at most %u can be probed",
				place->text, all->count, FUNCTIONS_MAX);
	return ret;
}

static int resolve(struct code *code, const struct place *place, enum exit_wish wish,
		   struct probe *p, struct error *err)
{
	struct match_list all = { 0 };
	uint64_t exact = place->offset;
	struct pick_option option = { .pattern = is_pattern(place) };
	int ret = find(code, place, &all, &exact, err);

	/* the address of a function's entry means the function */
	if (place->kind == PLACE_ADDRESS ? exact != 0 : place->has_offset)
		option.exact = &exact;
	if (!ret) {
		ending_judge(code, wish, &option.ways);
		ret = pick_functions(code, &all, &option, p, err);
	}
	array_done(&all);
	if (!ret && !p->functions.count)
		ret = match_fail_absent(code, place, err);
	return ret;
}

int probe_resolve(struct code *code, const char *text, enum exit_wish wish, struct probe *ret,
		  struct error *err)
{
	struct probe p = { .place = mem_text(text), .wish = wish };
	struct place place;
	int failed = place_parse(text, &place, err);

	if (!failed) {
		failed = resolve(code, &place, wish, &p, err);
		place_done(&place);
	}
	if (failed) {
		probe_done(&p);
		return failed;
	}
	p.function = mem_text(p.functions.count == 1 ? p.functions.at[0].name : text);
	*ret = p;
	return 0;
}
