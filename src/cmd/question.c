#include "cmd/question.h"

struct ask question_of(const struct run_option *o, const struct sink *sink)
{
	return (struct ask){
		.split = o->split,
		.last = o->last,
		.ewma = o->ewma,
		.no_user = o->kernel_only,
		.no_kernel = o->user_only,
		.fold = sink ? sink->fold : FOLD_FUNCTION,
	};
}
