#include "cmd/command.h"

static const struct command_example overview_examples[] = {
	{ "sonde record -p 4242 -s handle_request -d 10 -o slow.sonde",
	  "sample process 4242 for ten seconds, and watch handle_request" },
	{ "sonde report slow.sonde --split 'dur > p95'",
	  "what do its slowest calls do that the others do not?" },
	{ "sonde latency -p 4242 handle_request", "how long do its calls take, just now?" },
	{ 0 },
};

static void add_examples(struct text *to, const struct command_example *e, unsigned most)
{
	if (!most || !e->line)
		return;
	text_add(to, "\nExamples\n");
	for (; most-- && e->line; e++)
		text_format(to, "  %s\n      %s\n", e->line, e->meaning);
}

void command_help(const struct command *c, struct text *to)
{
	const struct option_group *groups[COMMAND_GROUPS + 2] = { 0 };
	unsigned count = 0;

	text_format(to, "sonde %s: %s\n\nUsage: sonde %s %s [OPTIONS]\n", c->name, c->summary,
		    c->name, c->usage);
	if (c->takes_program)
		text_format(to, "       sonde %s [OPTIONS] -- CMD ARGS\n", c->name);
	if (c->about) {
		text_add_char(to, '\n');
		option_wrap(to, c->about, 0);
	}
	while (count < COMMAND_GROUPS && c->groups[count]) {
		groups[count] = c->groups[count];
		count++;
	}
	groups[count] = &group_always;
	option_help(groups, to);
	add_examples(to, c->examples, COMMAND_EXAMPLES);
}

void command_overview(struct text *to)
{
	const struct command *c;

	text_add(to, "sonde asks a running program why it is slow.\n\n"
		     "Usage: sonde [COMMAND] [TARGET] [OPTIONS]\n\nCommands\n");
	for (unsigned i = 0; (c = command_at(i)); i++)
		text_format(to, "  %-10s %s\n", c->name, c->summary);
	text_format(to, "  %-10s %s\n", "help", "how a command is used: sonde help COMMAND");
	add_examples(to, overview_examples, COUNT_OF(overview_examples));
}
