/*
 * attach_option - what a command asks of a session, from its options.
 */
#ifndef SONDE_CMD_ATTACH_OPTION_H
#define SONDE_CMD_ATTACH_OPTION_H

#include "cmd/run_option.h"
#include "session/session.h"

/* Room for the command line as one string. */
struct attach_option {
	struct session_option session;
	struct text command;
	ARRAY(const char *) places;
};

/* sampling: false leaves the clock out.  words are further places (latency PLACE).
 * -EINVAL for what this version does not do (-C, -w, other events). */
int attach_option_make(struct attach_option *a, const struct run_option *o,
		       const struct option_rest *rest, bool sampling, struct error *err);
void attach_option_done(struct attach_option *a);

/* The first lines of a run: what was attached, at what price. */
void attach_say(struct session *s);

/* What the probes took altogether, where that is more than the budget: it is watched, not
 * enforced.  p: of the whole run; may be NULL. */
void attach_say_price(const struct session *s, const struct picture *p,
		      const struct run_option *o);

/* The end of a command: says the error if code is one, closes all, and gives the
 * exit status (that of the command that was started, if it was let run). */
int attach_end(struct attach_option *a, struct session *s, int code, const struct error *err);
/* Exit status for an error of session_open: 2 for wrong use, else 1. */
int attach_status(int code);

#endif
