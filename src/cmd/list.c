/*
 * list - what can be probed in a target or a file, and at what price.
 */
#include "base/columns.h"
#include "base/log.h"
#include "base/terminal.h"
#include "cmd/command.h"
#include "cmd/list_line.h"
#include "cmd/list_stats.h"
#include "cmd/output.h"
#include "sink/fit.h"
#include "source/calibrate.h"
#include "source/live.h"

#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* Of a file or a pipe, where lines that are longer do no harm. */
#define NAME_COLUMNS_MOST 44
#define WHERE_COLUMNS_MOST 24
#define NUMBER_COLUMNS 37 /* size to price */
#define WRAP_INDENT 6

struct list_option {
	struct run_option run;
	bool stats;
};

static const struct option_spec list_specs[] = {
	{ OPTION_FLAG, 0, "stats", NULL,
	  "how many functions have cheap entries and exits, instead of the list",
	  offsetof(struct list_option, stats) },
};
static const struct option_group group_list = OPTION_GROUP("List", list_specs);

/* Of the dearest of the probes that a call meets. */
static const char *price_word(const struct list_row *row)
{
	static const char *const names[] = { "cheap", "cheap", "stepped", "refused" };
	struct probe_price price = function_price(&row->function);

	if (!row->function.sites.count)
		return "refused";
	return names[price.exit > price.entry ? price.exit : price.entry];
}

/* Names of a foreign file may hold anything; JSON is UTF-8. */
static json_t *json_plain(const char *s)
{
	AUTO_TEXT struct text plain = { 0 };

	text_add_plain(&plain, s);
	return json_string(text_string(&plain));
}

static void write_json_row(const struct listing *l, const struct list_row *row, struct text *to)
{
	uint64_t address = 0;
	json_t *o = json_object();
	char *line;

	image_to_address(row->image->image, row->symbol->offset, &address);
	json_object_set_new(o, "place", json_plain(row->place));
	json_object_set_new(o, "image", json_plain(row->image->path));
	json_object_set_new(o, "address", json_integer(address));
	json_object_set_new(o, "size", json_integer(row->symbol->size));
	json_object_set_new(o, "file", json_plain(row->file));
	json_object_set_new(o, "line", json_integer(row->line));
	json_object_set_new(o, "price", json_string(price_word(row)));
	json_object_set_new(o, "price_ns", json_integer(row_price(l, row)));
	json_object_set_new(o, "exit", json_string(ending_of(row->function.exit)->name));
	json_object_set_new(o, "reason", json_plain(row_reason(l, row)));
	json_object_set_new(o, "symbol", json_plain(row->symbol->raw));
	json_object_set_new(o, "inlined", json_integer(row->inlined));
	line = json_dumps(o, JSON_COMPACT);
	text_add(to, line);
	text_add_char(to, '\n');
	free(line);
	json_decref(o);
}

static const char *entry_word(const struct list_row *row)
{
	const struct site *entry;

	if (!row->function.sites.count)
		return "-";
	entry = function_entry(&row->function);
	if (entry->price == INSN_STEPPED)
		return "stepped";
	return entry->offset != row->function.entry ? "moved" : entry->insn;
}

struct widths {
	unsigned name, where;
	unsigned columns; /* of the terminal; 0: a line is as long as it is */
};

static void add_where(const struct list_row *row, struct text *to)
{
	if (row->line)
		text_format(to, "%.60s:%u", row->file, row->line);
}

static void write_text_row(const struct listing *l, const struct list_row *row,
			   const struct widths *w, struct text *to)
{
	AUTO_TEXT struct text line = { 0 }, where = { 0 };
	char price[TEXT_QUANTITY] = "-";
	enum probe_exit end = row->function.exit;
	uint32_t more = row_price(l, row);
	size_t from;

	add_where(row, &where);
	if (w->columns)
		fit_name(&line, row->name, w->name);
	else
		text_add(&line, row->name);
	fit_pad(&line, 0, w->name);
	if (w->where)
		text_add(&line, "  ");
	from = line.size;
	if (where.size)
		fit_name(&line, text_string(&where), w->where);
	fit_pad(&line, from, w->where);
	text_format(&line, " %7" PRIu64 "   %-8s", row->symbol->size, entry_word(row));
	if (more)
		text_duration(price, more);
	if (!row->function.sites.count)
		text_format(&line, "not probed: %s", row_reason(l, row));
	else
		text_format(&line, "%-8s  %s", ending_of(end)->name, price);
	if (row->function.sites.count && end == EXIT_NONE)
		text_format(&line, "  (%s)", row_reason(l, row));
	if (row->inlined)
		text_format(&line, "  and inlined in %u place%s", row->inlined,
			    row->inlined == 1 ? "" : "s");
	columns_wrap(to, text_string(&line), w->columns ? w->columns : UINT_MAX, WRAP_INDENT);
}

static struct widths measure(const struct listing *l)
{
	struct widths w = { .columns = terminal_columns(STDOUT_FILENO) };
	unsigned room = w.columns > NUMBER_COLUMNS ? w.columns - NUMBER_COLUMNS : 0;

	for (uint32_t i = 0; i < l->rows.count; i++) {
		const struct list_row *row = &l->rows.at[i];
		AUTO_TEXT struct text where = { 0 };
		unsigned name = columns_of(row->name);

		add_where(row, &where);
		w.name = name > w.name ? name : w.name;
		w.where = where.size > w.where ? where.size : w.where;
	}
	if (w.columns) {
		fit_share(room, &w.name, &w.where);
	} else {
		w.name = w.name > NAME_COLUMNS_MOST ? NAME_COLUMNS_MOST : w.name;
		w.where = w.where > WHERE_COLUMNS_MOST ? WHERE_COLUMNS_MOST : w.where;
	}
	return w;
}

static void write_rows(const struct listing *l, bool json)
{
	AUTO_TEXT struct text out = { 0 };
	struct widths w = { 0 };

	if (!json) {
		w = measure(l);
		text_format(&out, "%*s %7s   %-8s%-8s  %s\n",
			    (int)(w.name + w.where + 2 * (w.where > 0)), "", "size", "entry",
			    "ends", "price");
	}
	for (uint32_t i = 0; i < l->rows.count; i++) {
		if (json)
			write_json_row(l, &l->rows.at[i], &out);
		else
			write_text_row(l, &l->rows.at[i], &w, &out);
		if (out.size > 65536) {
			output_text(&out);
			text_clear(&out);
		}
	}
	output_text(&out);
}

static bool has_target(const struct run_option *o)
{
	return o->pids.count || o->tids.count || o->name || o->all_processes;
}

static void say_what(const struct listing *l)
{
	AUTO_TEXT struct text says = { 0 };
	char count[TEXT_QUANTITY];
	uint32_t ends[NR_PROBE_EXIT] = { 0 }, unprobed = 0;
	const char *before = "; ends: ";

	for (uint32_t i = 0; i < l->rows.count; i++) {
		if (l->rows.at[i].function.sites.count)
			ends[l->rows.at[i].function.exit]++;
		else
			unprobed++;
	}
	text_format(&says, "%s: %s function%s", l->code.name, text_count(count, l->rows.count),
		    l->rows.count == 1 ? "" : "s");
	for (int i = 0; i < NR_PROBE_EXIT; i++) {
		if (!ends[i])
			continue;
		text_format(&says, "%s%s %s", before, ending_of(i)->name,
			    text_count(count, ends[i]));
		before = ", ";
	}
	if (unprobed)
		text_format(&says, "; %s not probed", text_count(count, unprobed));
	log_say("%s", text_string(&says));
}

/* The exit status of what ended so. */
static int finish(struct listing *l, int ret, const struct error *err)
{
	if (ret)
		log_error("%s", err->text);
	listing_done(l);
	if (ret)
		return probe_error_is_use(ret) ? EXIT_WRONG_USE : EXIT_FAILED;
	return ferror(stdout) ? EXIT_FAILED : EXIT_DONE;
}

static int run(void *options, const struct option_rest *rest)
{
	const struct list_option *own = options;
	const struct run_option *o = &own->run;
	const char *file = rest->program ? rest->program[0] : NULL, *pattern;
	uint32_t word = 0;
	struct listing l = { 0 };
	struct kernel_support support;
	struct error err = { "" };
	int ret;

	/* without a target the first word is a file */
	if (!file && !has_target(o) && rest->words.count)
		file = rest->words.at[word++];
	else if (file && rest->program[1])
		log_warn("only the file is looked at, it is not started");
	if (rest->words.count > word + 1) {
		log_error("one pattern at a time: '%s' is too much", rest->words.at[word + 1]);
		return EXIT_WRONG_USE;
	}
	pattern = rest->words.count > word ? rest->words.at[word] : NULL;
	ret = listing_open(&l, o, file, &err);
	if (!ret && own->stats)
		return finish(&l, list_stats(&l, pattern, o->json, &err), &err);
	if (!ret && pattern && list_is_source(pattern))
		return finish(&l, list_lines(&l, pattern, o->json, &err), &err);
	if (!ret)
		ret = listing_find(&l, pattern, &err);
	if (ret)
		return finish(&l, ret, &err);
	if (!kernel_support_probe(&support))
		(void)live_price_here(kernel_attach_kind(&support), &l.price, &err);
	say_what(&l);
	write_rows(&l, o->json);
	return finish(&l, 0, &err);
}

const struct command command_list_places = {
	.name = "list",
	.summary = "what can be probed: functions, with size, price and how their end is seen",
	.usage = "TARGET|FILE [PATTERN]",
	.about =
		"Without a PATTERN the functions of the program itself are listed, with one those "
		"of its libraries too. PATTERN is a place: FUNC, IMAGE:FUNC, a glob, or "
		"/REGEX/; or it is a source file, main.c, of which the lines with code are listed. "
		"FILE may be given instead of a target; it is not started.",
	.groups = { &group_target, &group_list, &group_json },
	.options_size = sizeof(struct list_option),
	.words_most = 2,
	.takes_program = true,
	.examples = { { "sonde list -p 4242 'handle*'", "functions that begin with handle" },
		      { "sonde list /usr/bin/redis-server '*Command'", "of a file" },
		      { "sonde list -p 4242 shop.c", "the lines of shop.c that have code" } },
	.run = run,
};
