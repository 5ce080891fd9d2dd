/*
 * plan - where the probes of one function stand, for each way to see its calls end.
 *
 * The rows of probe/ending; what they find goes into the function's sites, and the
 * code they judged by into its parts, to be compared with the target's memory.
 */
#ifndef SONDE_PROBE_PLAN_H
#define SONDE_PROBE_PLAN_H

#include "probe/probe.h"

struct plan_request {
	struct decoder *decoder;
	struct code_image *image; /* open, its symbols read */
	const struct symbol *symbol;
	const uint64_t *exact; /* bytes from its start, NULL = the best equal of its entry */
};

/* One site, its return is hooked. */
enum plan_result plan_hook(const struct plan_request *request, struct probe_function *ret,
			   const char **ret_why);
/* An entry and every exit; not done half. */
enum plan_result plan_exits(const struct plan_request *request, struct probe_function *ret,
			    const char **ret_why);
/* One site, its end is estimated. */
enum plan_result plan_bracket(const struct plan_request *request, struct probe_function *ret,
			      const char **ret_why);
/* One site, nothing is known of the end. */
enum plan_result plan_entry(const struct plan_request *request, struct probe_function *ret,
			    const char **ret_why);

#endif
