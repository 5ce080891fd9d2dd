/*
 * absent - what to say when a place means nothing in a target.
 */
#include "probe/match.h"

#include <errno.h>
#include <string.h>

/* "the function 'f' in redis-server or its 14 libraries" needs the images that
 * were looked at. */
static void add_where(const struct code *code, const struct place *place, struct text *to)
{
	uint32_t libraries = 0;

	if (place->image) {
		text_format(to, "'%.100s'", place->image);
		return;
	}
	for (uint32_t i = 0; i < code->count; i++)
		libraries += !code->at[i].is_main;
	text_add(to, code->name);
	if (libraries)
		text_format(to, " or its %u librar%s", libraries, libraries == 1 ? "y" : "ies");
}

/* The first letters of what was asked, as a pattern to list. */
static void add_pattern(const struct place *place, struct text *to)
{
	size_t length = strlen(place->name), part = length > 5	 ? 4
						    : length > 2 ? length - 1
								 : 1;

	if (place->kind == PLACE_REGEX || place->glob) {
		text_add(to, "*");
		return;
	}
	text_add_part(to, place->name, part < length ? part : length);
	text_add(to, "*");
}

bool match_knows_image(const struct code *code, const char *image)
{
	for (uint32_t i = 0; i < code->count; i++)
		if (code_is_image(&code->at[i], image))
			return true;
	return false;
}

static int fail_image(const struct code *code, const struct place *place, struct error *err)
{
	AUTO_TEXT struct text names = { 0 };

	for (uint32_t i = 0; i < code->count && names.size < 300; i++) {
		text_add(&names, i ? ", " : "");
		text_add_plain(&names,
			       code->at[i].is_main ? code->at[i].alias : code->at[i].name);
	}
	return error_set(err, ENOENT, "no image '%.100s' in %s\n       (there: %s)",
			 place->image, code->name, text_string(&names));
}

int match_fail_absent(struct code *code, const struct place *place, struct error *err)
{
	AUTO_TEXT struct text where = { 0 };
	AUTO_TEXT struct text near = { 0 };
	AUTO_TEXT struct text pattern = { 0 };

	if (place->image && !match_knows_image(code, place->image))
		return fail_image(code, place, err);
	add_where(code, place, &where);
	if (place->name && !strcmp(place->name, "*"))
		return error_set(err, ENOENT,
				 "no function is known in %s: no symbols, no unwind table",
				 text_string(&where));
	add_pattern(place, &pattern);
	if (match_near(code, place, &near))
		return error_set(
			err, ENOENT,
			"no function '%.200s' in %s\n       (near: %.400s; sonde list %s "
			"'%s')",
			place->text, text_string(&where), text_string(&near), code->option,
			text_string(&pattern));
	return error_set(
		err, ENOENT,
		"no function '%.200s' in %s\n       (what there is: sonde list %s '%s')",
		place->text, text_string(&where), code->option, text_string(&pattern));
}
