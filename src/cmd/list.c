/*
 * list - what can be probed in a target or a file, and at what price.
 */
#include "base/log.h"
#include "cmd/command.h"
#include "elf/line.h"
#include "probe/locate.h"
#include "probe/match.h"
#include "proc/access.h"
#include "proc/target.h"
#include "source/calibrate.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAME_WIDTH_MAX 44
#define LINES_BUDGET (NSEC_PER_SEC / 2) /* per image; what is not known by then stays blank */

struct list_row {
	struct code_image *image;
	const struct symbol *symbol;
	char *name; /* with parameters and clone suffix, made plain */
	const char *file; /* "" = not known; lives as long as the image's lines */
	uint32_t line;
	struct site_choice choice;
};

struct list {
	struct code code;
	struct verdict verdict;
	struct cost cost;
	ARRAY(struct list_row) rows;
	struct lines **lines; /* by image, NULL until needed */
};

static const char *const price_names[] = { "cheap", "cheap", "stepped", "refused" };
static const char *const exit_names[] = { "hook", "exits", "bracket", "none" };

static enum probe_exit row_exit(const struct list *l, const struct list_row *row)
{
	if (row->choice.refused || !row->choice.sp_is_entry ||
	    row->symbol->kind == SYMBOL_IFUNC)
		return EXIT_NONE;
	return l->verdict.exit;
}

static const char *row_reason(const struct list *l, const struct list_row *row)
{
	if (row->symbol->kind == SYMBOL_IFUNC)
		return "chosen among several versions when the program starts (IFUNC)";
	if (row->choice.refused)
		return row->choice.refused;
	if (!row->choice.sp_is_entry)
		return "not the entry of a function";
	return l->verdict.reason;
}

/* Nanoseconds a watched call takes more, 0 = not known. */
static double row_cost(const struct list *l, const struct list_row *row)
{
	double entry = row->choice.price == INSN_NOP5	    ? l->cost.nop5 :
		       row->choice.price == INSN_EMULATED ? l->cost.emulated :
		       row->choice.price == INSN_STEPPED  ? l->cost.stepped :
							      0;

	return entry && row_exit(l, row) == EXIT_HOOK ? entry + l->cost.hook : entry;
}

static int open_code(const struct run_option *o, const char *file, struct list *l,
		     struct error *err)
{
	struct target_query query = {
		.pids = o->pids.at,
		.nr_pids = o->pids.count,
		.tids = o->tids.at,
		.nr_tids = o->tids.count,
		.name = o->name,
		.all = o->all_processes,
	};
	struct target target = { 0 };
	int ret;

	if (file)
		return code_open_file(file, &l->code, err);
	ret = target_find(&query, &target, err);
	if (ret)
		return ret;
	ret = code_open(&target, &l->code, err);
	target_done(&target);
	return ret;
}

static char *plain_name(const struct symbol *s)
{
	struct text full = { 0 }, plain = { 0 };
	char *name;

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

static void find_line(struct list *l, uint32_t image, struct list_row *row)
{
	const char *slash;

	row->file = "";
	if (!l->lines[image])
		l->lines[image] = lines_new(row->image->image, LINES_BUDGET);
	if (!lines_find(l->lines[image], row->symbol->offset, &row->file, &row->line))
		return;
	slash = strrchr(row->file, '/');
	row->file = slash ? slash + 1 : row->file;
}

static int row_compare(const void *a, const void *b)
{
	const struct list_row *left = a, *right = b;
	int by_name = strcmp(left->name, right->name);

	if (by_name)
		return by_name;
	return left->symbol->offset < right->symbol->offset ? -1 : 1;
}

/* Without a pattern: the functions of the executables themselves. */
static void add_rows(struct list *l, const struct match_list *all, bool only_main)
{
	struct site_finder *finder = site_finder_new();

	l->lines = mem_zeroed(l->code.count, sizeof(struct lines *));
	for (uint32_t i = 0; i < all->count; i++) {
		struct code_image *image = &l->code.at[all->at[i].image];
		struct list_row *row;

		if (only_main && !image->is_main)
			continue;
		row = array_add(&l->rows);
		row->image = image;
		row->symbol = all->at[i].symbol;
		row->name = plain_name(row->symbol);
		locate_choose(finder, image, row->symbol, NULL, &row->choice);
		/* a part of a function that was moved away: nobody calls it */
		if (row->symbol->kind == SYMBOL_UNNAMED && !row->choice.sp_is_entry) {
			free(row->name);
			l->rows.count--;
			continue;
		}
		find_line(l, all->at[i].image, row);
		if (i % 1024 == 0)
			log_progress("%u of %u functions", i, all->count);
	}
	log_progress_done();
	site_finder_free(finder);
	if (l->rows.count)
		qsort(l->rows.at, l->rows.count, sizeof(*l->rows.at), row_compare);
}

static int find_rows(struct list *l, const char *pattern, struct error *err)
{
	struct match_list all = { 0 };
	struct place place;
	int ret = place_parse(pattern ? pattern : "*", &place, err);

	if (ret)
		return ret;
	if (place.kind == PLACE_ADDRESS || place.has_offset)
		ret = error_set(err, EINVAL,
				"'%.200s': list takes a name, a pattern or a /regex/", pattern);
	ret = ret ? ret : match_find(&l->code, &place, &all, err);
	if (!ret && all.cut)
		log_warn("more than %u functions fit; the rest is not shown", MATCHES_MAX);
	if (!ret && !all.count)
		ret = match_fail_absent(&l->code, &place, err);
	if (!ret)
		add_rows(l, &all, !pattern);
	array_done(&all);
	place_done(&place);
	return ret;
}

/* Names of a foreign file may hold anything; JSON is UTF-8. */
static json_t *json_plain(const char *s)
{
	AUTO_TEXT struct text plain = { 0 };

	text_add_plain(&plain, s);
	return json_string(text_string(&plain));
}

static void write_json_row(const struct list *l, const struct list_row *row, struct text *to)
{
	uint64_t address = 0;
	bool is_ifunc = row->symbol->kind == SYMBOL_IFUNC;
	json_t *o = json_object();
	char *line;

	image_to_address(row->image->image, row->symbol->offset, &address);
	json_object_set_new(o, "place", json_plain(row->name));
	json_object_set_new(o, "image", json_plain(row->image->path));
	json_object_set_new(o, "address", json_integer(address));
	json_object_set_new(o, "size", json_integer(row->symbol->size));
	json_object_set_new(o, "file", json_plain(row->file));
	json_object_set_new(o, "line", json_integer(row->line));
	json_object_set_new(
		o, "price",
		json_string(is_ifunc ? "refused" : price_names[row->choice.price]));
	json_object_set_new(o, "price_ns", json_integer(row_cost(l, row) + 0.5));
	json_object_set_new(o, "exit", json_string(exit_names[row_exit(l, row)]));
	json_object_set_new(o, "reason", json_plain(row_reason(l, row)));
	json_object_set_new(o, "symbol", json_plain(row->symbol->raw));
	line = json_dumps(o, JSON_COMPACT);
	text_add(to, line);
	text_add_char(to, '\n');
	free(line);
	json_decref(o);
}

static const char *entry_word(const struct list_row *row)
{
	if (row->choice.refused || row->symbol->kind == SYMBOL_IFUNC)
		return "-";
	if (row->choice.price == INSN_STEPPED)
		return "stepped";
	return row->choice.moved ? "moved" : row->choice.insn;
}

static void write_text_row(const struct list *l, const struct list_row *row, int width,
			   struct text *to)
{
	char price[TEXT_QUANTITY] = "-", where[80] = "";
	enum probe_exit end = row_exit(l, row);
	double cost = row_cost(l, row);

	if (row->line)
		snprintf(where, sizeof(where), "%.60s:%u", row->file, row->line);
	text_format(to, "%-*s  %-20s %7" PRIu64 "   %-8s", width, row->name, where,
		    row->symbol->size, entry_word(row));
	if (row->choice.refused || row->symbol->kind == SYMBOL_IFUNC) {
		text_format(to, "not probed: %s\n", row_reason(l, row));
		return;
	}
	if (cost > 0)
		text_duration(price, cost);
	text_format(to, "%-8s  %s\n", exit_names[end], price);
}

static void write_rows(const struct list *l, bool json)
{
	AUTO_TEXT struct text out = { 0 };
	size_t width = 0;

	for (uint32_t i = 0; i < l->rows.count; i++) {
		size_t length = strlen(l->rows.at[i].name);

		width = length > width ? length : width;
	}
	width = width > NAME_WIDTH_MAX ? NAME_WIDTH_MAX : width;
	if (!json)
		text_format(&out, "%-*s  %-20s %7s   %-8s%-8s  %s\n", (int)width, "", "", "size",
			    "entry", "ends", "price");
	for (uint32_t i = 0; i < l->rows.count; i++) {
		if (json)
			write_json_row(l, &l->rows.at[i], &out);
		else
			write_text_row(l, &l->rows.at[i], width, &out);
		if (out.size > 65536) {
			fwrite(out.bytes, 1, out.size, stdout);
			text_clear(&out);
		}
	}
	fwrite(text_string(&out), 1, out.size, stdout);
	fflush(stdout);
}

static void list_done(struct list *l)
{
	for (uint32_t i = 0; i < l->rows.count; i++)
		free(l->rows.at[i].name);
	array_done(&l->rows);
	for (uint32_t i = 0; l->lines && i < l->code.count; i++)
		lines_free(l->lines[i]);
	free(l->lines);
	code_done(&l->code);
}

static bool has_target(const struct run_option *o)
{
	return o->pids.count || o->tids.count || o->name || o->all_processes;
}

static void say_what(const struct list *l)
{
	char count[TEXT_QUANTITY];

	log_say("%s: %s function%s; ends: %s (%s)", l->code.name,
		text_count(count, l->rows.count), l->rows.count == 1 ? "" : "s",
		exit_names[l->verdict.exit], l->verdict.reason);
}

static int run(void *options, const struct option_rest *rest)
{
	const struct run_option *o = options;
	const char *file = rest->program ? rest->program[0] : NULL;
	uint32_t word = 0;
	struct list l = { 0 };
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
	ret = open_code(o, file, &l, &err);
	if (!ret)
		ret = find_rows(&l, rest->words.count > word ? rest->words.at[word] : NULL, &err);
	if (ret) {
		log_error("%s", err.text);
		list_done(&l);
		return probe_error_is_use(ret) ? EXIT_WRONG_USE : EXIT_FAILED;
	}
	exit_judge(&l.code, &l.verdict);
	if (!kernel_support_probe(&support))
		cost_measure(&support, &l.cost);
	say_what(&l);
	write_rows(&l, o->json);
	list_done(&l);
	return ferror(stdout) ? EXIT_FAILED : EXIT_DONE;
}

const struct command command_list_places = {
	.name = "list",
	.summary = "what can be probed: functions, with size, price and how their end is seen",
	.usage = "TARGET|FILE [PATTERN]",
	.about = "Without a PATTERN the functions of the program itself are listed, with one those "
		 "of its libraries too. PATTERN is a place: FUNC, IMAGE:FUNC, a glob, or "
		 "/REGEX/. FILE may be given instead of a target; it is not started.",
	.groups = { &group_target, &group_json },
	.words_most = 2,
	.takes_program = true,
	.examples = { { "sonde list -p 4242 'handle*'", "functions that begin with handle" },
		      { "sonde list /usr/bin/redis-server '*Command'", "of a file" } },
	.run = run,
};
