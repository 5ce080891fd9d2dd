/*
 * diff - compares two recordings.
 */
#include "base/log.h"
#include "cmd/attach_option.h"
#include "cmd/command.h"
#include "cmd/event_option.h"
#include "cmd/output.h"
#include "cmd/question.h"
#include "cmd/recording.h"
#include "view/pair.h"

static int load(const char *path, const struct run_option *o, const struct sink *sink,
		struct picture **ret, struct error *err)
{
	struct ask ask = question_of(o, sink);
	struct feed feed;
	int code = event_causes(&o->events, true, &ask.causes, err);

	if (code)
		return code;
	code = recording_load(path, &feed, err);
	if (code == 0)
		code = recording_ask(&ask, &feed, ret, err);
	feed_done(&feed);
	return code;
}

static int diff(const struct run_option *o, const struct option_rest *rest, struct error *err)
{
	struct picture *before = NULL, *now = NULL, *both = NULL;
	struct output output;
	int code = output_choose(o, false, &output, err);

	for (unsigned i = 0; i < 2 && code == 0; i++)
		code = output_spares(&output, rest->words.at[i], err);
	if (code == 0)
		code = load(rest->words.at[0], o, output.sink, &before, err);
	if (code == 0)
		code = load(rest->words.at[1], o, output.sink, &now, err);
	if (code == 0)
		both = picture_pair(before, now);
	if (code == 0)
		code = output_picture(&output, both, err);
	picture_free(both);
	picture_free(before);
	picture_free(now);
	return code;
}

static int run(void *options, const struct option_rest *rest)
{
	struct error err = { "" };
	int code = diff(options, rest, &err);

	if (code == 0)
		return EXIT_DONE;
	log_error("%s", err.text);
	return attach_status(code);
}

const struct command command_diff = {
	.name = "diff",
	.summary = "compare two recordings",
	.usage = "BEFORE NOW [-o FILE]",
	.about = "Shows what NOW does more and less of than BEFORE, per second of recording: as "
		 "text, or as a flame graph with what grew in red and what shrank in blue.",
	.groups = { &group_events, &group_window, &group_output, &group_json },
	.words_least = 2,
	.words_most = 2,
	.examples = {
		{ "sonde diff monday.sonde tuesday.sonde", "which functions cost more" },
		{ "sonde diff monday.sonde tuesday.sonde -o more.svg", "as a flame graph" },
	},
	.run = run,
};
