/*
 * command - what `sonde COMMAND` can be.
 *
 * A command is one file with one const struct command and one line in the list
 * of command.c.  Its --help is made from this struct and its option tables.
 *
 *	static int run(void *options, const struct option_rest *rest)
 *	{
 *		const struct run_option *o = options;
 *		...
 *		return EXIT_DONE;
 *	}
 *	const struct command command_record = {
 *		.name = "record",
 *		.summary = "sample a target for a while; write a recording or a picture",
 *		.usage = "TARGET [-s PLACE] [-o FILE]",
 *		.groups = { &group_target, &group_samples, &group_spans },
 *		.takes_program = true,
 *		.examples = { { "sonde record -p 4242 -d 10", "ten seconds of a process" } },
 *		.run = run,
 *	};
 */
#ifndef SONDE_CMD_COMMAND_H
#define SONDE_CMD_COMMAND_H

#include "base/option.h"
#include "cmd/run_option.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_WRONG_USE = 2 };

#define COMMAND_GROUPS 12
#define COMMAND_EXAMPLES 5
#define COMMAND_MANY_WORDS 1000

struct command_example {
	const char *line, *meaning;
};

struct command {
	const char *name;
	const char *summary; /* one line, lower case */
	const char *usage;   /* behind the name, without [OPTIONS] */
	const char *about;   /* paragraphs for --help, wrapped when shown; NULL = none */
	/* Option groups, NULL at the end; group_always is added to all. */
	const struct option_group *groups[COMMAND_GROUPS];
	size_t options_size; /* 0: struct run_option; else of a struct that begins with one */
	/* NULL: run_option_defaults.  Members behind struct run_option begin as zero. */
	const struct run_option *defaults;
	unsigned words_least, words_most; /* how many words that are no options */
	bool takes_program;		  /* `-- CMD ARGS` */
	struct command_example examples[COMMAND_EXAMPLES];
	/* options is of options_size and freed by the caller.  An exit status (of the
	 * three above, or of CMD); the command prints its own errors. */
	int (*run)(void *options, const struct option_rest *rest);
};

/* The commands in the order of the help; NULL when i is behind the last. */
const struct command *command_at(unsigned i);
const struct command *command_find(const char *name);

/* The help of one command, and of sonde itself (command_help.c). */
void command_help(const struct command *c, struct text *to);
void command_overview(struct text *to);

/* Parses argv (behind the command's name, NULL at its end), acts on the options
 * of group_always and runs c.  An exit status. */
int command_run(const struct command *c, char **argv);
/* The same for a whole command line, argv[0] being the first word behind "sonde". */
int command_main(char **argv);

#endif
