#include "cmd/attach_option.h"

#include "base/log.h"
#include "cmd/command.h"
#include "cmd/event_option.h"
#include "view/toll.h"
#include "wire/sample_cause.h"

#include <errno.h>
#include <stdio.h>

static int check_options(const struct run_option *o, bool sampling, struct error *err)
{
	if (o->captures.count)
		return error_set(err, EINVAL, "captures (-C) are not in this version yet");
	if (o->where)
		return error_set(err, EINVAL,
				 "a filter on calls (-w) is not in this version yet: ask "
				 "afterwards with --split");
	if (sampling && o->user_only && o->kernel_only)
		return error_set(err, EINVAL, "-U and -K together leave no stack to take");
	return 0;
}

static void join_command(struct text *to)
{
	AUTO_FREE char *all = NULL;
	size_t room = 0;
	FILE *f = fopen("/proc/self/cmdline", "re");
	ssize_t n = f ? getdelim(&all, &room, EOF, f) : 0;

	if (f)
		fclose(f);
	for (ssize_t i = 0; i + 1 < n; i++)
		text_add_char(to, all[i] ? all[i] : ' ');
}

int attach_option_make(struct attach_option *a, const struct run_option *o,
		       const struct option_rest *rest, bool sampling, struct error *err)
{
	int code = check_options(o, sampling, err);
	uint64_t causes = 0;

	*a = (struct attach_option){ 0 };
	if (code == 0)
		code = event_causes(&o->events, false, &causes, err);
	if (code)
		return code;
	for (uint32_t i = 0; i < o->spans.count; i++)
		array_push(&a->places, o->spans.at[i]);
	for (uint32_t i = 0; i < rest->words.count; i++)
		array_push(&a->places, rest->words.at[i]);
	join_command(&a->command);
	a->session = (struct session_option){
		.query = target_query_of(o),
		.program = rest->program,
		.hz = sampling ? o->hz : 0,
		.causes = !sampling ? 0
			  : causes  ? causes
				    : CAUSES_ON,
		.user = !o->kernel_only,
		.kernel = !o->user_only,
		.places = a->places.at,
		.nr_places = a->places.count,
		.exit = o->exit,
		.dry_run = o->dry_run,
		.accept_dear = o->yes,
		.duration = o->duration,
		.interval = o->interval ? o->interval : NSEC_PER_SEC,
		.command = text_string(&a->command),
	};
	return 0;
}

void attach_option_done(struct attach_option *a)
{
	text_done(&a->command);
	array_done(&a->places);
}

void attach_say(struct session *s)
{
	AUTO_TEXT struct text lines = { 0 };
	char *end;

	if (s->option.dry_run)
		text_add(&lines, "would be attached: ");
	session_describe(s, &lines);
	for (char *at = lines.bytes; at; at = end) {
		end = strchr(at, '\n');
		if (end)
			*end++ = 0;
		log_say("%s", at);
	}
	if (s->watch.layouts.count && s->option.causes & CAUSES_OFF)
		log_warn(
			"a call of a Go program waits as its goroutine, which has no thread then: "
			"what calls there wait for is not seen");
	if (s->target.refused)
		log_warn("%u process%s may not be looked at, and %s: %s", s->target.refused,
			 s->target.refused == 1 ? "" : "es",
			 s->target.all		  ? "what runs there has no names"
			 : s->target.refused == 1 ? "is left out"
						  : "are left out",
			 s->target.denied.text);
}

void attach_say_price(const struct session *s, const struct picture *p,
		      const struct run_option *o)
{
	double share = p ? toll_least(&p->losses) / (double)(clock_now() - s->began) : 0;

	if (share > o->budget)
		log_warn(
			"the probes took about %.1f %% of a core, more than the budget of %.1f %% "
			"(--budget): the target was slowed down by as much",
			100 * share, 100 * o->budget);
}

static void warn_of_names(const struct session *s)
{
	AUTO_TEXT struct text problems = { 0 };

	if (s->described)
		namer_problems(s->feed.namer, &problems);
	if (problems.size)
		log_warn("%s", text_string(&problems));
}

int attach_end(struct attach_option *a, struct session *s, int code, const struct error *err)
{
	int status = EXIT_DONE;

	if (code) {
		log_error("%s", err->text);
		status = attach_status(code);
	} else if (s->child && !s->held) {
		status = session_child_status(s);
	}
	if (!code && s->unhooked.text[0])
		log_warn("the target has loaded new code, since when returns were not hooked: "
			 "%s",
			 s->unhooked.text);
	if (!code && s->unwatched.text[0])
		log_warn("the target has begun another program, in which not all is watched: "
			 "%s",
			 s->unwatched.text);
	if (!code)
		warn_of_names(s);
	session_close(s);
	attach_option_done(a);
	return status;
}

int attach_status(int code)
{
	return probe_error_is_use(code) ? EXIT_WRONG_USE : EXIT_FAILED;
}
