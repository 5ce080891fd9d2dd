#include "probe/probe.h"

#include "probe/locate.h"
#include "probe/match.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LISTED_MAX 8

static bool is_pattern(const struct place *place)
{
	return place->glob || place->kind == PLACE_REGEX;
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

static int add_functions(struct code *code, const struct match_list *all, const uint64_t *exact,
			 bool many, struct probe *p, struct error *err)
{
	struct decoder *decoder = decoder_new();
	int ret = 0;

	for (uint32_t i = 0; i < all->count && !ret; i++) {
		struct code_image *image = &code->at[all->at[i].image];
		struct probe_function *f;

		if (all->at[i].symbol->kind == SYMBOL_IFUNC)
			continue;
		f = array_add(&p->functions);
		locate_function(decoder, image, all->at[i].symbol, exact, f);
		ret = function_entry(f)->choice.refused ? 0
							: locate_check_memory(image, f, err);
		f->checked = ret == 0;
		ret = ret < 0 ? ret : 0;
		/* A pattern means functions, not parts that were moved away from one. */
		if (many && function_entry(f)->choice.no_end) {
			function_done(f);
			p->functions.count--;
		}
	}
	decoder_free(decoder);
	return ret;
}

/* Takes out the functions where no probe may stand; the last reason if none is left. */
static int drop_refused(struct probe *p, uint32_t *ret_dropped, struct error *err)
{
	uint32_t kept = 0, count = p->functions.count;
	int ret = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct probe_function *f = &p->functions.at[i];
		const char *refused = function_entry(f)->choice.refused;

		if (!refused) {
			p->functions.at[kept++] = *f;
			continue;
		}
		ret = error_set(err, EADDRNOTAVAIL, "'%.200s' cannot be probed at %.200s: %s",
				p->place, f->name, refused);
		function_done(f);
	}
	p->functions.count = kept;
	*ret_dropped = count - kept;
	return kept ? 0 : ret;
}

static void add_note(struct probe *p, const struct place *place, uint32_t dropped)
{
	AUTO_TEXT struct text note = { 0 };
	bool many = is_pattern(place), part = false;

	if (p->functions.count > 1)
		text_format(&note, "%u %s", p->functions.count,
			    many ? "functions" : "copies of one function");
	for (uint32_t i = 0; i < p->functions.count && !many && p->functions.count > 1; i++) {
		if (i < 4)
			text_format(&note, "%s%s", i ? ", " : ": ", p->functions.at[i].symbol);
		part |= strstr(p->functions.at[i].symbol, ".part.") != NULL;
	}
	if (part)
		text_add(&note,
			 "; a call that goes on into the .part counts as two, one within "
			 "the other");
	if (dropped)
		text_format(&note, "%s%u left out (no instruction that can carry a probe)",
			    note.size ? "; " : "", dropped);
	if (note.size)
		p->note = mem_text(note.bytes);
}

static void judge_end(struct code *code, enum exit_wish wish, struct probe *p)
{
	const struct ending *way;
	const char *why;

	ending_judge(code, wish, &p->verdict);
	way = ending_of(p->verdict.exit);
	for (uint32_t i = 0; i < p->functions.count && way->plan; i++) {
		const struct probe_function *f = &p->functions.at[i];

		if (way->plan(f, &why))
			continue;
		p->verdict.exit = EXIT_NONE;
		snprintf(p->verdict.reason, sizeof(p->verdict.reason), "no %s on %.200s: %s",
			 way->phrase, f->name, why);
		return;
	}
}

static int resolve(struct code *code, const struct place *place, enum exit_wish wish,
		   struct probe *p, struct error *err)
{
	struct match_list all = { 0 };
	uint64_t exact = place->offset;
	bool is_exact = place->has_offset;
	uint32_t dropped = 0;
	int ret;

	if (place->kind == PLACE_ADDRESS)
		ret = find_address(code, place, &all, &exact, err);
	else
		ret = match_find(code, place, &all, err);
	/* the address of a function's entry means the function */
	if (place->kind == PLACE_ADDRESS)
		is_exact = exact != 0;
	if (!ret && !all.count)
		ret = match_fail_absent(code, place, err);
	ret = ret ? ret : check_ifunc(code, place, &all, err);
	ret = ret ? ret : check_unique(code, place, &all, err);
	if (!ret && (all.cut || all.count > FUNCTIONS_MAX))
		ret = error_set(err, E2BIG,
				"'%.200s' means %u functions; at most %u can be probed",
				place->text, all.count, FUNCTIONS_MAX);
	ret = ret ? ret
		  : add_functions(code, &all, is_exact ? &exact : NULL, is_pattern(place), p,
				  err);
	ret = ret ? ret : drop_refused(p, &dropped, err);
	array_done(&all);
	if (ret)
		return ret;
	if (!p->functions.count)
		return match_fail_absent(code, place, err);
	add_note(p, place, dropped);
	judge_end(code, wish, p);
	return 0;
}

int probe_resolve(struct code *code, const char *text, enum exit_wish wish, struct probe *ret,
		  struct error *err)
{
	struct probe p = { .place = mem_text(text) };
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
