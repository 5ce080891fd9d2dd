/*
 * list - what can be probed in a target or a file, and at what price.
 */
#include "base/columns.h"
#include "base/log.h"
#include "base/notice.h"
#include "base/terminal.h"
#include "cmd/command.h"
#include "cmd/list_line.h"
#include "cmd/list_match.h"
#include "cmd/list_stats.h"
#include "cmd/output.h"
#include "session/listing.h"
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

static void write_json_row(const struct listing *l, const struct list_row *row, struct text *to)
{
	json_t *o = row_json(l, row);
	char *line = json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII);

	text_add(to, line);
	text_add_char(to, '\n');
	free(line);
	json_decref(o);
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
	text_format(&line, " %7" PRIu64 "   %-8s", row->symbol->size, row_entry(row));
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
	text_format(&says, "%s: %s function%s", l->code->name, text_count(count, l->rows.count),
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

/* Opens the target, or file when it is not NULL. */
static int open_code(const struct run_option *o, const char *file, struct code *ret,
		     struct error *err)
{
	struct target_query query = target_query_of(o);
	struct target target = { 0 };
	int code;

	if (file)
		return code_open_file(file, ret, err);
	code = target_find(&query, &target, err);
	if (code)
		return code;
	code = code_open(&target, NULL, ret, err);
	target_done(&target);
	return code;
}

static void add_rows(struct listing *l, const struct match_list *all, bool only_main)
{
	for (uint32_t i = 0; i < all->count; i++) {
		struct list_row *row;

		if (only_main && !l->code->at[all->at[i].image].is_main)
			continue;
		row = listing_add(l, &all->at[i]);
		if (row && !only_main) /* a pattern was given: what it names is worth a look */
			listing_count_copies(l, row);
		if (i % 1024 == 1023)
			log_progress("%u of %u functions", i, all->count);
	}
	log_progress_done();
	listing_sort(l);
}

static int list_functions(struct listing *l, const char *pattern, bool json, struct error *err)
{
	struct match_list all = { 0 };
	int code;

	notice_begin("reading symbols");
	code = list_match(l->code, pattern, &all, err);
	notice_end();
	if (!code) {
		notice_begin("looking how calls end");
		add_rows(l, &all, !pattern);
		notice_end();
		(void)live_price_here(kernel_attach_kind(), &l->price, err);
		say_what(l);
		write_rows(l, json);
	}
	array_done(&all);
	return code;
}

static int list(struct code *code, const char *pattern, const struct list_option *o,
		struct error *err)
{
	struct listing l;
	int failed;

	if (o->stats)
		return list_stats(code, pattern, o->run.json, err);
	listing_init(&l, code);
	failed = pattern && list_is_source(pattern)
			 ? list_lines(&l, pattern, o->run.json, err)
			 : list_functions(&l, pattern, o->run.json, err);
	listing_done(&l);
	return failed;
}

static int run(void *options, const struct option_rest *rest)
{
	const struct list_option *o = options;
	const char *file = rest->program ? rest->program[0] : NULL, *pattern;
	uint32_t word = 0;
	struct code code = { 0 };
	struct error err = { "" };
	int failed;

	/* without a target the first word is a file */
	if (!file && !has_target(&o->run) && rest->words.count)
		file = rest->words.at[word++];
	else if (file && rest->program[1])
		log_warn("only the file is looked at, it is not started");
	if (rest->words.count > word + 1) {
		log_error("one pattern at a time: '%s' is too much", rest->words.at[word + 1]);
		return EXIT_WRONG_USE;
	}
	pattern = rest->words.count > word ? rest->words.at[word] : NULL;
	failed = open_code(&o->run, file, &code, &err);
	if (!failed)
		failed = list(&code, pattern, o, &err);
	code_done(&code);
	if (failed) {
		log_error("%s", err.text);
		return probe_error_is_use(failed) ? EXIT_WRONG_USE : EXIT_FAILED;
	}
	return EXIT_DONE;
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
