/*
 * live_page - the page of a target that is watched: `sonde live`, and sonde without a command.
 */
#include "base/log.h"
#include "cmd/attach_option.h"
#include "cmd/command.h"
#include "cmd/page_option.h"

#define TICK (250 * NSEC_PER_MSEC) /* new counts for the page */
#define PROBES_MORE 64		   /* places that can be watched besides -s */

static void look(void *context, struct session *s)
{
	server_look(context);
}

static void say_end(enum end_reason reason)
{
	if (reason == ENDED_BY_TARGET)
		log_say("the target ended; the page stays, with all that was gathered, until "
			"Ctrl-C");
}

static int serve(struct session *s, const struct page_option *o, struct error *err)
{
	struct verb_scene scene = { &s->feed, s, o->read_only };
	struct server *server = NULL;
	enum end_reason reason;
	int code = session_arm(s, err);

	if (code)
		return code;
	attach_say(s);
	if (o->run.dry_run)
		return 0;
	code = page_open(o, &scene, &s->loop.uv, &server, err);
	if (code)
		return code;
	session_observe(s, (struct session_observer){ .on_poll = look, .context = server });
	page_say_address(server);
	reason = session_run(s);
	say_end(reason);
	if (reason == ENDED_BY_TARGET && !s->failed)
		session_linger(s);
	server_close(server);
	if (s->failed)
		*err = s->error;
	return s->failed;
}

static int run(void *options, const struct option_rest *rest)
{
	const struct page_option *o = options;
	struct session session = { 0 };
	struct attach_option attach;
	struct error err = { "" };
	int code = attach_option_make(&attach, &o->run, rest, true, &err);

	attach.session.interval = TICK;
	attach.session.more = PROBES_MORE;
	if (code == 0)
		code = session_open(&session, &attach.session, &err);
	if (code == 0)
		code = serve(&session, o, &err);
	return attach_end(&attach, &session, code, &err);
}

const struct command command_live = {
	.name = "live",
	.summary = "serve the live page of a target (the default); prints its address",
	.usage = "TARGET [-s PLACE]... [--listen WHERE]",
	.about = "Samples the target and serves what is gathered while it runs: as a page for "
		 "the browser, and to scripts. Functions are measured and left there. The "
		 "address that is printed holds a token without which nothing is answered. "
		 "Ends after -d or at Ctrl-C; when the target ends all can be asked still.",
	.groups = { &group_target, &group_samples, &group_spans, &group_page, &group_duration,
		    &group_care },
	.options_size = sizeof(struct page_option),
	.takes_program = true,
	.examples = {
		{ "sonde -p 4242", "the same as sonde live -p 4242" },
		{ "sonde live -n shop-server -s handle_request", "with a span from the start" },
		{ "sonde live -p 4242 --listen /run/sonde.sock", "for scripts that may open it" },
	},
	.run = run,
};
