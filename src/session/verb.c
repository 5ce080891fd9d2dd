#include "session/verb.h"

#include "sink/sink.h"

#include <errno.h>
#include <string.h>

/* ---- ask ---- */

struct ask_arguments {
	const char *split, *format, *side;
	nsec last, ewma, until;
	bool no_user, no_kernel;
};
#define AT(member) offsetof(struct ask_arguments, member)

static const struct verb_argument ask_table[] = {
	{ VERB_TEXT, "split", NULL, "an expression with two sides, like dur > p95", AT(split) },
	{ VERB_DURATION, "last", NULL, "only of the last so long, like 10s", AT(last) },
	{ VERB_DURATION, "ewma", NULL, "what is so old counts half, like 30s", AT(ewma) },
	{ VERB_MOMENT, "until", NULL, "nothing later than this window.to_ns of an answer",
	  AT(until) },
	{ VERB_TEXT, "format", NULL, "json, or what report --format takes", AT(format) },
	{ VERB_TEXT, "side", NULL, "what of a split is written: in, rest, open, out, diff, all",
	  AT(side) },
	{ VERB_FLAG, "no_user", NULL, "stacks without user frames", AT(no_user) },
	{ VERB_FLAG, "no_kernel", NULL, "stacks without kernel frames", AT(no_kernel) },
};
#undef AT

static int sink_of(const struct ask_arguments *a, const struct sink **ret,
		   struct sink_option *option, struct error *err)
{
	*ret = sink_find(a->format ? a->format : "json");
	if (!*ret)
		return error_set(err, EINVAL,
				 "there is no format '%s' (sonde report --help lists them)",
				 a->format);
	if (a->side && !write_side_parse(a->side, &option->side))
		return error_set(err, EINVAL,
				 "there is no side '%s': in, rest, open, out, diff, all",
				 a->side);
	return 0;
}

static const char *type_of(const struct sink *sink)
{
	if (text_ends(sink->suffix, ".json"))
		return NULL;
	if (strcmp(sink->suffix, ".svg") == 0)
		return "image/svg+xml";
	return text_ends(sink->suffix, ".gz") ? "application/gzip"
					      : "text/plain; charset=utf-8";
}

static struct ask ask_of(const struct ask_arguments *a)
{
	return (struct ask){
		.split = a->split,
		.last = a->last,
		.ewma = a->ewma,
		.until = a->until,
		.no_user = a->no_user,
		.no_kernel = a->no_kernel,
	};
}

int verb_question(const json_t *arguments, struct ask *ret, struct error *err)
{
	struct ask_arguments a = { NULL };
	int code = verb_arguments(ask_table, COUNT_OF(ask_table), arguments, &a, err);

	*ret = ask_of(&a);
	return code;
}

static int run_ask(struct verb_scene *scene, const void *arguments, struct verb_reply *reply,
		   struct error *err)
{
	const struct ask_arguments *a = arguments;
	struct sink_option option = { .version = SONDE_VERSION };
	struct ask ask = ask_of(a);
	struct picture *p = NULL;
	const struct sink *sink;
	int code = sink_of(a, &sink, &option, err);

	if (code)
		return code;
	ask.fold = sink->fold;
	code = ask_picture(&ask, scene->feed, &p, err);
	if (code)
		return code;
	option.side = sink_side(sink, p, option.side);
	reply->type = type_of(sink);
	code = sink->write(p, &option, &reply->body, err);
	picture_free(p);
	return code;
}

static const struct verb verb_ask = {
	.name = "ask",
	.help = "answers a question of what was gathered, as report --json does",
	.arguments = ask_table,
	.nr_arguments = COUNT_OF(ask_table),
	.run = run_ask,
};

/* ---- find ---- */

#define FIND_ROWS 50
#define FIND_ROWS_MOST 500
#define FIND_TIME (150 * NSEC_PER_MSEC)

struct find_arguments {
	const char *text, *first;
	uint32_t most;
};
#define AT(member) offsetof(struct find_arguments, member)

static const struct verb_argument find_table[] = {
	{ VERB_TEXT, "text", NULL, "words that are in the name, IMAGE:words, or a pattern",
	  AT(text) },
	{ VERB_TEXT, "first", NULL, "names that go first where they fit, one a line",
	  AT(first) },
	{ VERB_NUMBER, "most", NULL, "so many are told, 500 at most; without it 50", AT(most) },
};
#undef AT

/* Lines of a text, in place. */
static uint32_t split_lines(char *text, const char *ret[], uint32_t room)
{
	uint32_t count = 0;
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line && count < room;
	     line = strtok_r(NULL, "\n", &rest))
		ret[count++] = line;
	return count;
}

static int run_find(struct verb_scene *scene, const void *arguments, struct verb_reply *reply,
		    struct error *err)
{
	const struct find_arguments *a = arguments;
	AUTO_FREE char *names = mem_text(a->first ? a->first : "");
	const char *first[SEARCH_FIRST_MOST];
	struct search search = {
		.text = a->text ? a->text : "",
		.first = first,
		.nr_first = split_lines(names, first, COUNT_OF(first)),
		.most = a->most ? a->most : FIND_ROWS,
		.time = FIND_TIME,
	};
	json_t *found;
	char *bytes;
	int code;

	if (search.most > FIND_ROWS_MOST)
		search.most = FIND_ROWS_MOST;
	code = session_find(scene->session, &search, &found, err);
	if (code)
		return code;
	bytes = json_dumps(found, JSON_COMPACT | JSON_ENSURE_ASCII);
	text_add(&reply->body, bytes);
	free(bytes);
	json_decref(found);
	return 0;
}

static const struct verb verb_find_functions = {
	.name = "find",
	.help = "finds functions by parts of their names, and what watching them takes",
	.live = true,
	.arguments = find_table,
	.nr_arguments = COUNT_OF(find_table),
	.run = run_find,
};

/* ---- watch ---- */

struct watch_arguments {
	const char *place;
	unsigned exit;
	bool yes;
};
#define AT(member) offsetof(struct watch_arguments, member)

static const struct verb_argument watch_table[] = {
	{ VERB_TEXT, "place", NULL, "every call of it is a span from now on", AT(place), true },
	{ VERB_CHOICE, "exit", EXIT_WISHES, "how the end of a call is seen", AT(exit) },
	{ VERB_FLAG, "yes", NULL, "also where it costs much", AT(yes) },
};
#undef AT

static int run_watch(struct verb_scene *scene, const void *arguments, struct verb_reply *reply,
		     struct error *err)
{
	const struct watch_arguments *a = arguments;
	uint32_t probe;
	int code = session_watch(scene->session, a->place,
				 a->exit ? (enum exit_wish)a->exit : EXIT_WISH_AUTO, a->yes,
				 &probe, err);

	if (code == 0)
		text_format(&reply->body, "{\"probe\":%u}", probe);
	return code;
}

static const struct verb verb_watch = {
	.name = "watch",
	.help = "watches one more place",
	.acts = true,
	.live = true,
	.arguments = watch_table,
	.nr_arguments = COUNT_OF(watch_table),
	.run = run_watch,
};

/* ---- unwatch ---- */

struct unwatch_arguments {
	uint32_t probe;
};

static const struct verb_argument unwatch_table[] = {
	{ VERB_NUMBER, "probe", NULL, "its number, as watch returned it",
	  offsetof(struct unwatch_arguments, probe), true },
};

static int run_unwatch(struct verb_scene *scene, const void *arguments,
		       struct verb_reply *reply, struct error *err)
{
	const struct unwatch_arguments *a = arguments;
	int code = session_unwatch(scene->session, a->probe, err);

	if (code == 0)
		text_add(&reply->body, "{}");
	return code;
}

static const struct verb verb_unwatch = {
	.name = "unwatch",
	.help = "watches a place no more; what was seen of it can be asked still",
	.acts = true,
	.live = true,
	.arguments = unwatch_table,
	.nr_arguments = COUNT_OF(unwatch_table),
	.run = run_unwatch,
};

/* ---- the table ---- */

static const struct verb *const verbs[] = { &verb_ask, &verb_find_functions, &verb_watch,
					    &verb_unwatch };

const struct verb *verb_at(unsigned i)
{
	return i < COUNT_OF(verbs) ? verbs[i] : NULL;
}

const struct verb *verb_find(const char *name)
{
	for (unsigned i = 0; i < COUNT_OF(verbs); i++) {
		if (strcmp(verbs[i]->name, name) == 0)
			return verbs[i];
	}
	return NULL;
}

static int no_verb(const char *name, struct error *err)
{
	AUTO_TEXT struct text known = { 0 }, plain = { 0 };

	for (unsigned i = 0; i < COUNT_OF(verbs); i++)
		text_format(&known, "%s%s", i ? ", " : "", verbs[i]->name);
	text_add_plain(&plain, name);
	return error_set(err, ENOSYS, "there is no verb '%.60s': %s", text_string(&plain),
			 text_string(&known));
}

/* ---- arguments ---- */

static const char *const kind_words[] = {
	[VERB_TEXT] = "a text",
	[VERB_NUMBER] = "a whole number",
	[VERB_FLAG] = "true or false",
	[VERB_DURATION] = "a time, like \"10s\"",
	[VERB_MOMENT] = "nanoseconds, as an answer's window has them",
};

static bool take_duration(const char *s, nsec *ret)
{
	enum text_unit unit;
	const char *end;
	double value;

	if (!s || !text_to_quantity(s, &end, &value, &unit) || *end || unit != UNIT_TIME ||
	    value < 1 || value > 1e18)
		return false;
	*ret = value;
	return true;
}

static bool take_choice(const char *s, const char *words, unsigned *ret)
{
	size_t length = s ? strlen(s) : 0;
	unsigned number = 1;

	for (const char *at = words; length && at; number++) {
		const char *end = strchrnul(at, '|');

		if ((size_t)(end - at) == length && memcmp(at, s, length) == 0) {
			*ret = number;
			return true;
		}
		at = *end ? end + 1 : NULL;
	}
	return false;
}

static bool take_number(const json_t *value, uint32_t *ret)
{
	json_int_t n = json_integer_value(value);

	*ret = n;
	return json_is_integer(value) && n >= 0 && n <= UINT32_MAX;
}

static bool take_moment(const json_t *value, nsec *ret)
{
	json_int_t n = json_integer_value(value);

	*ret = n;
	return json_is_integer(value) && n > 0;
}

static bool take_value(const struct verb_argument *a, const json_t *value, void *to)
{
	const char *string = json_string_value(value);

	switch (a->kind) {
	case VERB_TEXT:
		*(const char **)to = string;
		/* a NUL within would hide what is behind it */
		return string && strlen(string) == json_string_length(value);
	case VERB_NUMBER:
		return take_number(value, to);
	case VERB_FLAG:
		*(bool *)to = json_is_true(value);
		return json_is_boolean(value);
	case VERB_DURATION:
		return take_duration(string, to);
	case VERB_MOMENT:
		return take_moment(value, to);
	case VERB_CHOICE:
		return take_choice(string, a->words, to);
	}
	return false;
}

static const struct verb_argument *argument_named(const struct verb_argument *arguments,
						  unsigned count, const char *name)
{
	for (unsigned i = 0; i < count; i++) {
		if (strcmp(arguments[i].name, name) == 0)
			return &arguments[i];
	}
	return NULL;
}

static int no_argument(const struct verb_argument *arguments, unsigned count, const char *name,
		       struct error *err)
{
	AUTO_TEXT struct text known = { 0 }, plain = { 0 };

	for (unsigned i = 0; i < count; i++)
		text_format(&known, "%s%s", i ? ", " : "", arguments[i].name);
	text_add_plain(&plain, name);
	return error_set(err, EINVAL, "there is no argument '%.60s': %s", text_string(&plain),
			 count ? text_string(&known) : "it takes none");
}

int verb_arguments(const struct verb_argument *arguments, unsigned count, const json_t *given,
		   void *ret, struct error *err)
{
	const char *name;
	json_t *value;

	if (given && !json_is_object(given))
		return error_set(err, EINVAL,
				 "arguments are an object, like {\"name\": \"value\"}");
	json_object_foreach((json_t *)given, name, value)
	{
		const struct verb_argument *a = argument_named(arguments, count, name);

		if (!a)
			return no_argument(arguments, count, name, err);
		if (!take_value(a, value, (char *)ret + a->offset))
			return error_set(err, EINVAL, "'%s' is to be %s%s", a->name,
					 a->kind == VERB_CHOICE ? "one of " : "",
					 a->kind == VERB_CHOICE ? a->words
								: kind_words[a->kind]);
	}
	for (unsigned i = 0; i < count; i++) {
		if (arguments[i].needed && !json_object_get(given, arguments[i].name))
			return error_set(err, EINVAL, "'%s' is missing: %s", arguments[i].name,
					 arguments[i].help);
	}
	return 0;
}

int verb_run(struct verb_scene *scene, const char *name, const json_t *arguments,
	     struct verb_reply *reply, struct error *err)
{
	max_align_t room[VERB_ARGUMENTS_ROOM / sizeof(max_align_t)] = { 0 };
	const struct verb *v = verb_find(name);
	size_t size = reply->body.size;
	int code;

	if (!v)
		return no_verb(name, err);
	if (v->acts && scene->read_only)
		return error_set(err, EPERM,
				 "'%s' is refused: sonde was started with --read-only", name);
	code = verb_arguments(v->arguments, v->nr_arguments, arguments, room, err);
	if (code == 0 && v->live && !scene->session)
		code = error_set(err, ENOTSUP,
				 "this is a recording: nothing can be watched in it");
	if (code == 0)
		code = v->run(scene, room, reply, err);
	if (code)
		text_cut(&reply->body, size);
	return code;
}

static json_t *argument_json(const struct verb_argument *a)
{
	static const char *const kinds[] = {
		[VERB_TEXT] = "text",	  [VERB_NUMBER] = "number",
		[VERB_FLAG] = "flag",	  [VERB_DURATION] = "duration",
		[VERB_MOMENT] = "moment", [VERB_CHOICE] = "choice",
	};
	json_t *o = json_pack("{s:s, s:s, s:s, s:b}", "name", a->name, "kind", kinds[a->kind],
			      "help", a->help, "needed", a->needed);

	if (a->words)
		json_object_set_new(o, "words", json_string(a->words));
	return o;
}

void verb_list(struct text *to)
{
	json_t *all = json_array();
	char *bytes;

	for (unsigned i = 0; i < COUNT_OF(verbs); i++) {
		const struct verb *v = verbs[i];
		json_t *arguments = json_array();

		for (unsigned k = 0; k < v->nr_arguments; k++)
			json_array_append_new(arguments, argument_json(&v->arguments[k]));
		json_array_append_new(all, json_pack("{s:s, s:s, s:b, s:o}", "name", v->name,
						     "help", v->help, "acts", v->acts,
						     "arguments", arguments));
	}
	bytes = json_dumps(all, JSON_COMPACT | JSON_ENSURE_ASCII);
	text_add(to, bytes);
	free(bytes);
	json_decref(all);
}
