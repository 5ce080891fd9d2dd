#include "cmd/list_match.h"

#include "base/log.h"

#include <errno.h>

int list_match(struct code *code, const char *pattern, struct match_list *ret,
	       struct error *err)
{
	struct place place;
	int failed = place_parse(pattern ? pattern : "*", &place, err);

	if (failed)
		return failed;
	if (place.kind == PLACE_ADDRESS || place.has_offset)
		failed = error_set(err, EINVAL,
				   "'%.200s': list takes a name, a pattern or a /regex/",
				   pattern);
	failed = failed ? failed : match_find(code, &place, ret, err);
	if (!failed && ret->cut)
		log_warn("more than %u functions fit; the rest is left out", MATCHES_MAX);
	if (!failed && !ret->count)
		failed = match_fail_absent(code, &place, err);
	place_done(&place);
	return failed;
}
