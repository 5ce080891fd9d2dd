/*
 * open - a recording in the same page as a target that is watched.
 */
#include "base/log.h"
#include "cmd/attach_option.h"
#include "cmd/command.h"
#include "cmd/page_option.h"
#include "cmd/recording.h"
#include "session/files.h"
#include "session/loop.h"

static int serve(const struct page_option *o, struct feed *feed, struct error *err)
{
	struct verb_scene scene = { .feed = feed };
	struct server *server = NULL;
	struct loop loop;
	int code;

	loop_init(&loop, NULL);
	code = page_open(o, &scene, &loop.uv, &server, err);
	if (code == 0) {
		page_say_address(server);
		loop_run(&loop, 0, NSEC_PER_SEC);
		server_close(server);
	}
	loop_done(&loop);
	return code;
}

static int run(void *options, const struct option_rest *rest)
{
	struct error err = { "" };
	struct feed feed;
	int code = recording_load(rest->words.at[0], &feed, &err);

	if (code == 0)
		code = files_allow_many(&err);
	if (code == 0)
		code = serve(options, &feed, &err);
	feed_done(&feed);
	if (code == 0)
		return EXIT_DONE;
	log_error("%s", err.text);
	return attach_status(code);
}

const struct command command_open = {
	.name = "open",
	.summary = "open a recording in the same page as live; prints its address",
	.usage = "RECORDING [--listen WHERE]",
	.about = "Serves what a recording holds: as a page for the browser, and to scripts. Any "
		 "split can be chosen there. The address that is printed holds a token without "
		 "which nothing is answered. Ends at Ctrl-C.",
	.groups = { &group_listen },
	.options_size = sizeof(struct page_option),
	.words_least = 1,
	.words_most = 1,
	.examples = {
		{ "sonde open slow.sonde", "in a browser: open the address that is printed" },
		{ "sonde open slow.sonde --listen /tmp/slow.sock", "for scripts" },
	},
	.run = run,
};
