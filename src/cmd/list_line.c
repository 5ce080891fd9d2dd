#include "cmd/list_line.h"

#include "base/log.h"
#include "cmd/output.h"
#include "elf/demangle.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

bool list_is_source(const char *pattern)
{
	static const char *const ends[] = { ".c",   ".cc",  ".cpp", ".cxx", ".C",   ".h",
					    ".hh",  ".hpp", ".hxx", ".inc", ".tcc", ".rs",
					    ".go",  ".S",   ".s",   ".m",   ".mm",  ".f90",
					    ".zig", ".d",   ".adb", ".pas", ".nim", ".cu" };

	/* IMAGE:FUNC and patterns are about functions */
	if (strpbrk(pattern, ":*?[@=") || *pattern == '.')
		return false;
	for (unsigned i = 0; i < COUNT_OF(ends); i++)
		if (text_ends(pattern, ends[i]))
			return true;
	return false;
}

/* The function a line's code is in: "parse_request+0x14", "" if it has no name. */
static void add_function(struct code_image *image, uint64_t offset, struct text *to)
{
	const struct symtab *symbols = code_symbols(image);
	const struct symbol *s = symbols ? symtab_find(symbols, offset) : NULL;
	AUTO_TEXT struct text name = { 0 };

	if (!s)
		return;
	demangle(s->raw, DEMANGLE_NAME, &name);
	text_add_plain(to, text_string(&name));
	if (offset != s->offset)
		text_format(to, "+0x%" PRIx64, offset - s->offset);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void write_json(struct code_image *image, const struct source_line *line,
		       struct text *to)
{
	AUTO_TEXT struct text place = { 0 }, file = { 0 }, function = { 0 }, path = { 0 };
	uint64_t address = 0;
	json_t *o;
	char *s;

	text_add_plain(&file, line->file);
	text_add_plain(&path, image->path);
	text_format(&place, "%s:%u", base_name(text_string(&file)), line->line);
	add_function(image, line->offset, &function);
	image_to_address(image->image, line->offset, &address);
	o = json_pack("{ss ss sI ss sI sI ss}", "place", text_string(&place), "image",
		      text_string(&path), "address", (json_int_t)address, "file",
		      text_string(&file), "line", (json_int_t)line->line, "sites",
		      (json_int_t)line->sites, "function", text_string(&function));
	s = json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII);
	text_add(to, s);
	text_add_char(to, '\n');
	free(s);
	json_decref(o);
}

static void write_text(struct code_image *image, const struct source_line *line,
		       struct text *to)
{
	AUTO_TEXT struct text where = { 0 }, file = { 0 }, function = { 0 };

	text_add_plain(&file, base_name(line->file));
	text_format(&where, "%s:%u", text_string(&file), line->line);
	add_function(image, line->offset, &function);
	text_format(to, "%-24s  %5u site%s  %s\n", text_string(&where), line->sites,
		    line->sites == 1 ? " " : "s", text_string(&function));
}

int list_lines(struct listing *l, const char *file, bool json, struct error *err)
{
	AUTO_TEXT struct text out = { 0 };
	uint32_t count = 0;

	for (uint32_t i = 0; i < l->code->count; i++) {
		struct source_lines lines = { 0 };

		if (!l->code->at[i].image)
			continue;
		if (inlines_lines(listing_inlines(l, i), file, &lines) == -EAGAIN)
			log_warn("%s has much debug information: lines may be missing",
				 l->code->at[i].name);
		for (uint32_t k = 0; k < lines.count; k++)
			(json ? write_json : write_text)(&l->code->at[i], &lines.at[k], &out);
		count += lines.count;
		array_done(&lines);
	}
	if (!count)
		return error_set(err, ENOENT,
				 "no code of '%.200s' in %s (lines are known only of what was "
				 "compiled with -g, or has its debug package installed)",
				 file, l->code->name);
	log_say("%s: %u line%s of %s with code", l->code->name, count, count == 1 ? "" : "s",
		file);
	output_text(&out);
	return 0;
}
