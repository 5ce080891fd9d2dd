#include "base/option.h"

#include "base/option_value.h"

#include <errno.h>
#include <string.h>

#define NAME_NEAR 2

struct option_walk {
	const struct option_group *const *groups;
	char **argv; /* the next word */
	void *options;
	struct option_rest *rest;
};

/* value: what was glued to the option, NULL when nothing was. */
static int option_take(struct option_walk *w, const struct option_spec *spec,
		       const char *written, const char *value, struct error *err)
{
	bool takes_value = value_is_taken(spec);
	int r;

	if (!takes_value && value)
		return error_set(err, EINVAL, "option '%s' takes no value, but was given '%s'",
				 written, value);
	if (takes_value && !value) {
		value = *w->argv;
		if (!value)
			return error_set(err, EINVAL, "option '%s' needs a value: %s", written,
					 spec->argument);
		w->argv++;
	}
	r = value_parse(spec, written, value, w->options, err);
	return r ? r : spec->kind == OPTION_STOP;
}

/* The spec with this letter, or with this name when letter is 0. */
static const struct option_spec *option_find(const struct option_group *const *groups,
					     char letter, const char *name, size_t length)
{
	for (; *groups; groups++) {
		for (unsigned i = 0; i < (*groups)->count; i++) {
			const struct option_spec *spec = &(*groups)->specs[i];

			if (letter ? spec->letter == letter
				   : strncmp(spec->name, name, length) == 0 &&
					     !spec->name[length])
				return spec;
		}
	}
	return NULL;
}

static unsigned name_distance(const char *written, const char *name)
{
	/* an abbreviation is as near as a typing slip */
	if (written[0] && written[1] && text_starts(name, written))
		return 1;
	return text_distance(written, name, NAME_NEAR);
}

static int option_unknown(struct option_walk *w, const char *name, struct error *err)
{
	const char *nearest = NULL;
	unsigned best = NAME_NEAR + 1;

	for (const struct option_group *const *g = w->groups; *g; g++) {
		for (unsigned i = 0; i < (*g)->count; i++) {
			unsigned d = name_distance(name, (*g)->specs[i].name);

			if (d < best) {
				best = d;
				nearest = (*g)->specs[i].name;
			}
		}
	}
	if (nearest)
		return error_set(err, EINVAL, "no option '--%s' (near: --%s)", name, nearest);
	return error_set(err, EINVAL, "no option '--%s' (--help lists them)", name);
}

/* --name, --name=value, --name value */
static int parse_long(struct option_walk *w, char *word, struct error *err)
{
	size_t length = strcspn(word, "=");
	AUTO_FREE char *name = mem_text_part(word, length);
	AUTO_FREE char *written = mem_format("--%s", name);
	const struct option_spec *spec = option_find(w->groups, 0, name, length);

	if (!spec)
		return option_unknown(w, name, err);
	return option_take(w, spec, written, word[length] ? word + length + 1 : NULL, err);
}

/* -abc, -p4242, -p 4242 */
static int parse_letters(struct option_walk *w, char *letters, struct error *err)
{
	for (; *letters; letters++) {
		const char written[] = { '-', *letters, 0 };
		const struct option_spec *spec = option_find(w->groups, *letters, NULL, 0);
		bool glued;
		int r;

		if (!spec)
			return error_set(err, EINVAL, "no option '%s' (--help lists them)",
					 written);
		glued = value_is_taken(spec) && letters[1];
		r = option_take(w, spec, written, glued ? letters + 1 : NULL, err);
		if (r || glued)
			return r;
	}
	return 0;
}

static int parse_word(struct option_walk *w, char *word, struct error *err)
{
	if (word[0] != '-' || !word[1]) {
		array_push(&w->rest->words, word);
		return 0;
	}
	if (word[1] != '-')
		return parse_letters(w, word + 1, err);
	if (word[2])
		return parse_long(w, word + 2, err);
	w->rest->program = w->argv;
	return 1;
}

int option_parse(const struct option_group *const groups[], char **argv, void *options,
		 struct option_rest *rest, struct error *err)
{
	struct option_walk w = { groups, argv, options, rest };

	while (*w.argv) {
		char *word = *w.argv++;
		int r = parse_word(&w, word, err);

		if (r)
			return r < 0 ? r : 0;
	}
	return 0;
}

void option_done(const struct option_group *const groups[], void *options)
{
	for (; *groups; groups++) {
		for (unsigned i = 0; i < (*groups)->count; i++) {
			const struct option_spec *spec = &(*groups)->specs[i];
			void *member = (char *)options + spec->offset;

			if (spec->kind == OPTION_NUMBERS)
				array_done((struct option_numbers *)member);
			else if (spec->kind == OPTION_TEXTS)
				array_done((struct option_texts *)member);
		}
	}
}

void option_rest_done(struct option_rest *rest)
{
	array_done(&rest->words);
	rest->program = NULL;
}
