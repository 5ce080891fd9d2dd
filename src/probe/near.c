/*
 * near - the names that were probably meant.
 */
#include "probe/match.h"

#include <string.h>

#define NEAR_NAMES 3
#define NEAR_LENGTH 200

struct near {
	unsigned score; /* less is nearer */
	char name[NEAR_LENGTH];
};

static void near_add(struct near best[NEAR_NAMES], unsigned score, const char *name)
{
	unsigned at = NEAR_NAMES;

	for (unsigned i = 0; i < NEAR_NAMES; i++)
		if (best[i].name[0] && !strcmp(best[i].name, name))
			return;
	while (at > 0 && (!best[at - 1].name[0] || score < best[at - 1].score))
		at--;
	if (at == NEAR_NAMES || strlen(name) >= NEAR_LENGTH)
		return;
	memmove(&best[at + 1], &best[at], (NEAR_NAMES - 1 - at) * sizeof(*best));
	best[at].score = score;
	strcpy(best[at].name, name);
}

/* Letters two names begin with alike. */
static unsigned common_start(const char *a, const char *b)
{
	unsigned n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

static void near_judge(struct near best[NEAR_NAMES], const char *asked, const char *name)
{
	size_t length = strlen(asked);
	unsigned limit = length / 4 + 1;
	unsigned distance = text_distance(asked, name, limit + 1);

	if (distance <= limit)
		near_add(best, distance * 4, name);
	else if (length >= 3 && strcasestr(name, asked))
		near_add(best, limit * 4 + strlen(name) - length, name);
	else if (length >= 6 && common_start(asked, name) * 4 >= length * 3)
		near_add(best, limit * 8 + strlen(name), name);
}

/* The part of a C++ name that people mistype: behind the last "::". */
static const char *last_part(const char *name)
{
	const char *found = name, *at = name;

	while ((at = strstr(at, "::")))
		found = at += 2;
	return found;
}

bool match_near(struct code *code, const struct place *place, struct text *to)
{
	struct near best[NEAR_NAMES + 1] = { 0 };
	struct text name = { 0 };
	bool qualified = place->name && strstr(place->name, "::");

	if (!place->name || place->glob || place->kind == PLACE_REGEX)
		return false;
	for (uint32_t i = 0; i < code->count; i++) {
		const struct symtab *symbols = code_symbols(&code->at[i]);
		uint32_t count = symbols ? symtab_count(symbols) : 0;

		if (place->image && !code_is_image(&code->at[i], place->image))
			continue;
		for (uint32_t k = 0; k < count; k++) {
			const struct symbol *s = symtab_at(symbols, k);
			const char *raw = s->raw;

			if (s->kind == SYMBOL_PLT || s->kind == SYMBOL_UNNAMED)
				continue;
			if (place->kind == PLACE_SYMBOL) {
				near_judge(best, place->name, raw);
				continue;
			}
			text_clear(&name);
			match_name(raw, &name);
			/* asked without its namespace: offer the whole name */
			if (!qualified && strcmp(text_string(&name), place->name) &&
			    !strcmp(last_part(text_string(&name)), place->name))
				near_add(best, 1, text_string(&name));
			else
				near_judge(best, place->name, text_string(&name));
		}
	}
	for (unsigned i = 0; i < NEAR_NAMES && best[i].name[0]; i++) {
		/* beside a slip of the pen, what is only somewhat alike misleads */
		if (best[i].score > 2 * best[0].score + 4)
			break;
		text_add(to, i ? ", " : "");
		text_add_plain(to, best[i].name);
	}
	text_done(&name);
	return best[0].name[0];
}
