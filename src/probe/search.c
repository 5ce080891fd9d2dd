#include "probe/search.h"

#include "base/table.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define CLOCK_EVERY 256 /* functions */

struct word {
	char *text;
	char core[MATCH_CORE];
};

/* A function that fits. */
struct hit {
	unsigned rank; /* less is likelier */
	bool library;
	size_t length;
	char *name;
	struct match match;
};

struct hunt {
	const struct search *search;
	struct search_result *ret;
	char *image; /* NULL: all */
	ARRAY(struct word) words;
	struct place place;
	struct matcher *matcher; /* of a pattern, NULL: words */
	struct table first;	 /* hash of a name -> its index */
	char (*cores)[MATCH_CORE];
	ARRAY(struct hit) hits; /* sorted */
	struct text name;
	nsec end;
};

static bool is_pattern(const char *text)
{
	const char *colon = strrchr(text, ':');
	char first = colon ? colon[1] : text[0];

	return text[strcspn(text, "*?[")] || first == '=' || first == '/';
}

static uint64_t hash_name(const char *name)
{
	return hash_bytes(name, strlen(name), 0);
}

/* "libc:mal" is of an image, "ns::mal" is not. */
static const char *take_image(struct hunt *h, const struct code *code, const char *text)
{
	const char *colon = strchr(text, ':');

	if (!colon || colon == text || colon[1] == ':')
		return text;
	h->image = mem_text_part(text, colon - text);
	if (match_knows_image(code, h->image))
		return colon + 1;
	free(h->image);
	h->image = NULL;
	return text;
}

static void take_words(struct hunt *h, const char *text)
{
	for (;;) {
		struct word *w;
		size_t length;

		text += strspn(text, " \t");
		length = strcspn(text, " \t");
		if (!length)
			return;
		w = array_add(&h->words);
		w->text = mem_text_part(text, length);
		match_core(w->text, w->core);
		text += length;
	}
}

static void take_first(struct hunt *h)
{
	const struct search *s = h->search;

	h->cores = mem_zeroed(s->nr_first + 1, sizeof(*h->cores));
	for (uint32_t i = 0; i < s->nr_first && i < SEARCH_FIRST_MOST; i++) {
		uint64_t hash = hash_name(s->first[i]);

		if (table_find(&h->first, hash) == TABLE_NONE)
			table_set(&h->first, hash, i);
		match_core(s->first[i], h->cores[i]);
	}
}

static int prepare(struct hunt *h, const struct code *code, struct error *err)
{
	const char *text = h->search->text;
	int code_of_place;

	take_first(h);
	h->end = clock_now() + h->search->time;
	h->ret->pattern = *text && is_pattern(text);
	if (!h->ret->pattern) {
		take_words(h, take_image(h, code, text));
		return 0;
	}
	code_of_place = place_parse(text, &h->place, err);
	if (code_of_place)
		return code_of_place;
	if (h->place.kind == PLACE_ADDRESS || h->place.has_offset)
		return error_set(err, EINVAL,
				 "'%.200s': a name, a pattern or a /regex/ is found", text);
	h->image = h->place.image ? mem_text(h->place.image) : NULL;
	h->matcher = matcher_new(&h->place, err);
	return h->matcher ? 0 : -EINVAL;
}

/* The part behind the last "::" that is not of template arguments. */
static const char *last_part(const char *name)
{
	const char *part = name;
	int depth = 0;

	for (const char *at = name; *at; at++) {
		if (*at == '<')
			depth++;
		else if (*at == '>')
			depth -= depth > 0;
		else if (depth == 0 && at[0] == ':' && at[1] == ':')
			part = at + 2;
	}
	return part;
}

static bool begins_word(const char *name, const char *at)
{
	return at == name || !isalnum((unsigned char)at[-1]) ||
	       (islower((unsigned char)at[-1]) && isupper((unsigned char)at[0]));
}

/* How well the name fits the first word. */
static unsigned rank_of(const struct hunt *h, const char *name)
{
	const char *part = last_part(name), *asked;
	size_t length;

	if (!h->words.count)
		return 0;
	asked = h->words.at[0].text;
	length = strlen(asked);
	if (!strcasecmp(name, asked) || !strcasecmp(part, asked))
		return 0;
	if (!strncasecmp(part, asked, length) || !strncasecmp(name, asked, length))
		return 1;
	for (const char *at = strcasestr(name, asked); at; at = strcasestr(at + 1, asked))
		if (begins_word(name, at))
			return 2;
	return 3;
}

/* Is it worth to make the name readable? */
static bool may_fit(const struct hunt *h, const char *raw)
{
	for (uint32_t i = 0; i < h->words.count; i++)
		if (h->words.at[i].core[0] && !strcasestr(raw, h->words.at[i].core))
			return false;
	if (h->words.count || h->image)
		return true;
	for (uint32_t i = 0; i < h->search->nr_first; i++)
		if (!h->cores[i][0] || strstr(raw, h->cores[i]))
			return true;
	return false;
}

/* Does it fit?  Its name is in h->name then, *ret_rank says how well. */
static bool fits(struct hunt *h, const struct symbol *s, unsigned *ret_rank)
{
	const char *name;
	uint32_t first;

	if (h->matcher ? !matcher_fits(h->matcher, s) : !may_fit(h, s->raw))
		return false;
	text_clear(&h->name);
	match_name(s->raw, &h->name);
	name = text_string(&h->name);
	for (uint32_t i = 0; i < h->words.count; i++)
		if (!strcasestr(name, h->words.at[i].text))
			return false;
	first = h->first.count ? table_find(&h->first, hash_name(name)) : TABLE_NONE;
	*ret_rank = first != TABLE_NONE ? first : h->search->nr_first + rank_of(h, name);
	return first != TABLE_NONE || h->matcher || h->words.count || h->image;
}

static bool is_likelier(const struct hit *a, const struct hit *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (a->library != b->library)
		return b->library;
	if (a->length != b->length)
		return a->length < b->length;
	return strcmp(a->name, b->name) < 0;
}

/* The name is the hunt's from here on. */
static void keep(struct hunt *h, struct hit hit)
{
	uint32_t at = h->hits.count;

	h->ret->fit++;
	while (at > 0 && is_likelier(&hit, &h->hits.at[at - 1]))
		at--;
	if (at >= h->search->most) {
		free(hit.name);
		return;
	}
	if (h->hits.count == h->search->most)
		free(h->hits.at[--h->hits.count].name);
	array_add(&h->hits);
	memmove(&h->hits.at[at + 1], &h->hits.at[at],
		(h->hits.count - 1 - at) * sizeof(*h->hits.at));
	h->hits.at[at] = hit;
}

/* Of several names of one function, neighbours in the table, the likeliest. */
static void take_likelier(struct hunt *h, struct hit *best, struct hit hit)
{
	hit.name = (char *)text_string(&h->name);
	hit.length = h->name.size;
	if (best->name && !is_likelier(&hit, best))
		return;
	free(best->name);
	hit.name = mem_text(hit.name);
	*best = hit;
}

static void keep_best(struct hunt *h, struct hit *best)
{
	if (best->name)
		keep(h, *best);
	best->name = NULL;
}

static void hunt_image(struct hunt *h, struct code *code, uint32_t index)
{
	struct code_image *image = &code->at[index];
	const struct symtab *symbols = code_symbols(image);
	uint32_t count = symbols ? symtab_count(symbols) : 0;
	struct hit best = { .name = NULL };

	for (uint32_t i = 0; i < count; i++) {
		struct hit hit = { .library = !image->is_main,
				   .match = { index, symtab_at(symbols, i) } };
		const struct symbol *s = hit.match.symbol;

		if (i % CLOCK_EVERY == 0 && clock_now() > h->end) {
			h->ret->cut = true;
			break;
		}
		h->ret->looked++;
		if (best.name && best.match.symbol->offset != s->offset)
			keep_best(h, &best);
		if (match_is_function(s) && fits(h, s, &hit.rank))
			take_likelier(h, &best, hit);
	}
	keep_best(h, &best);
}

/* The program before its libraries: these may be many. */
static void hunt_all(struct hunt *h, struct code *code)
{
	for (int library = 0; library <= 1; library++) {
		for (uint32_t i = 0; i < code->count && !h->ret->cut; i++) {
			struct code_image *image = &code->at[i];

			if (image->is_main == !library &&
			    (!h->image || code_is_image(image, h->image)))
				hunt_image(h, code, i);
		}
	}
}

int search_functions(struct code *code, const struct search *s, struct search_result *ret,
		     struct error *err)
{
	struct hunt *h = NEW(struct hunt);
	int failed;

	*ret = (struct search_result){ .fit = 0 };
	h->search = s;
	h->ret = ret;
	failed = prepare(h, code, err);
	if (!failed)
		hunt_all(h, code);
	for (uint32_t i = 0; i < h->hits.count; i++) {
		array_push(&ret->found, h->hits.at[i].match);
		free(h->hits.at[i].name);
	}
	array_done(&h->hits);
	for (uint32_t i = 0; i < h->words.count; i++)
		free(h->words.at[i].text);
	array_done(&h->words);
	if (h->matcher)
		matcher_free(h->matcher);
	place_done(&h->place);
	table_done(&h->first);
	text_done(&h->name);
	free(h->cores);
	free(h->image);
	free(h);
	return failed;
}

void search_done(struct search_result *r)
{
	array_done(&r->found);
}
