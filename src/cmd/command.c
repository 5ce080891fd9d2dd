#include "cmd/command.h"

#include "base/log.h"

#include <stdio.h>
#include <string.h>

#define NAME_NEAR 2
#define GROUPS_MOST (COMMAND_GROUPS + 2) /* with group_always and the NULL */

extern const struct command command_live;
extern const struct command command_record;
extern const struct command command_report;
extern const struct command command_open;
extern const struct command command_latency;
extern const struct command command_diff;
extern const struct command command_list_places;
extern const struct command command_doctor;
extern const struct command command_stacks;

static const struct command *const commands[] = {
	&command_live, &command_record,	     &command_report, &command_open,   &command_latency,
	&command_diff, &command_list_places, &command_doctor, &command_stacks,
};

/* Of the contract, and not in this version. */
static const char *const planned[] = { "top", "trace" };

const struct command *command_at(unsigned i)
{
	return i < COUNT_OF(commands) ? commands[i] : NULL;
}

const struct command *command_find(const char *name)
{
	const struct command *c;

	for (unsigned i = 0; (c = command_at(i)); i++) {
		if (strcmp(c->name, name) == 0)
			return c;
	}
	return NULL;
}

static bool is_planned(const char *name)
{
	for (unsigned i = 0; i < COUNT_OF(planned); i++) {
		if (strcmp(planned[i], name) == 0)
			return true;
	}
	return false;
}

/* Prints what is wrong with the first word; always wrong use. */
static int refuse_name(const char *name)
{
	const struct command *c, *nearest = NULL;
	unsigned best = NAME_NEAR + 1;

	if (is_planned(name)) {
		log_error("'%s' is not in this version yet (sonde --help lists what is)", name);
		return EXIT_WRONG_USE;
	}
	for (unsigned i = 0; (c = command_at(i)); i++) {
		unsigned d = text_starts(c->name, name)
				     ? 0
				     : text_distance(c->name, name, NAME_NEAR);

		if (d < best) {
			best = d;
			nearest = c;
		}
	}
	if (nearest)
		log_error("no command '%s' (near: %s; sonde --help lists all)", name,
			  nearest->name);
	else
		log_error("no command '%s' (sonde --help lists all)", name);
	return EXIT_WRONG_USE;
}

static void list_groups(const struct command *c, const struct option_group *ret[GROUPS_MOST])
{
	unsigned count = 0;

	while (count < COMMAND_GROUPS && c->groups[count]) {
		ret[count] = c->groups[count];
		count++;
	}
	ret[count++] = &group_always;
	ret[count] = NULL;
}

static int show(struct text *t)
{
	fputs(text_string(t), stdout);
	return EXIT_DONE;
}

static int show_help(const struct command *c)
{
	AUTO_TEXT struct text help = { 0 };

	if (c)
		command_help(c, &help);
	else
		command_overview(&help);
	return show(&help);
}

static int show_version(void)
{
	AUTO_TEXT struct text version = { 0 };

	text_add(&version, "sonde " SONDE_VERSION "\n");
	return show(&version);
}

/* Whether c can do with so many words; prints what is wrong. */
static bool rest_fits(const struct command *c, const struct option_rest *rest)
{
	if (rest->program && !c->takes_program)
		log_error("'sonde %s' starts no program: nothing may stand behind '--'",
			  c->name);
	else if (rest->program && !rest->program[0])
		log_error("a program to start is missing behind '--'");
	else if (rest->words.count > c->words_most)
		log_error("'sonde %s' has no use for '%s'; it goes: sonde %s %s", c->name,
			  rest->words.at[c->words_most], c->name, c->usage);
	else if (rest->words.count < c->words_least)
		log_error("'sonde %s' was not told enough; it goes: sonde %s %s", c->name,
			  c->name, c->usage);
	else
		return true;
	return false;
}

static int act(const struct command *c, void *options, const struct option_rest *rest)
{
	const struct run_option *o = options;

	if (o->help)
		return show_help(c);
	if (o->version)
		return show_version();
	if (o->quiet && o->verbose) {
		log_error("'-q' and '-v' contradict each other; give one of them");
		return EXIT_WRONG_USE;
	}
	if (o->quiet)
		log_set_level(LOG_QUIET);
	else if (o->verbose)
		log_set_level(LOG_DETAIL);
	return rest_fits(c, rest) ? c->run(options, rest) : EXIT_WRONG_USE;
}

int command_run(const struct command *c, char **argv)
{
	const struct option_group *groups[GROUPS_MOST];
	size_t size = c->options_size ? c->options_size : sizeof(struct run_option);
	AUTO_FREE void *options = mem_zeroed(1, size);
	struct option_rest rest = { 0 };
	struct error err;
	int status;

	memcpy(options, c->defaults ? c->defaults : &run_option_defaults,
	       sizeof(struct run_option));
	list_groups(c, groups);
	if (option_parse(groups, argv, options, &rest, &err) == 0) {
		status = act(c, options, &rest);
	} else {
		log_error("%s; see sonde %s --help", err.text, c->name);
		status = EXIT_WRONG_USE;
	}
	option_done(groups, options);
	option_rest_done(&rest);
	return status;
}

/* `sonde help [COMMAND]` */
static int run_help(const char *name)
{
	const struct command *c = name ? command_find(name) : NULL;

	return name && !c ? refuse_name(name) : show_help(c);
}

int command_main(char **argv)
{
	const char *name = argv[0];
	const struct command *c;

	if (!name || strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0)
		return show_help(NULL);
	if (strcmp(name, "--version") == 0)
		return show_version();
	if (strcmp(name, "help") == 0)
		return run_help(argv[1]);
	if (name[0] == '-')
		return command_run(&command_live, argv);
	c = command_find(name);
	return c ? command_run(c, argv + 1) : refuse_name(name);
}
