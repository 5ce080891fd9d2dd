#include "session/ask.h"

#include "model/split.h"
#include "view/answer.h"
#include "wire/sample_cause.h"

#include <errno.h>

int ask_check(const struct ask *a, struct error *err)
{
	struct split *split = NULL;
	int code;

	if (!a->split)
		return 0;
	code = split_parse(a->split, &split, err);
	split_free(split);
	return code;
}

static struct query query_of(const struct ask *a, const struct feed *feed)
{
	struct query query = {
		.split = a->split,
		.fold = a->fold,
		.until = a->until,
		.live = feed->live,
		.no_kernel = a->no_kernel,
		.no_user = a->no_user,
		.causes = a->causes,
	};

	if (a->last)
		query.window = (struct window){ .kind = WINDOW_LAST, .length = a->last };
	else if (a->ewma)
		query.window = (struct window){ .kind = WINDOW_EWMA, .length = a->ewma };
	if (!feed->live)
		namer_set_line_budget(feed->namer, NAMER_ANSWER_BUDGET);
	return query;
}

static int check_causes(const struct ask *a, const struct feed *feed, struct error *err)
{
	uint64_t taken = feed->store->causes ? feed->store->causes : CAUSES_ON;

	if (!a->causes || a->causes & taken)
		return 0;
	return error_set(err, ENODATA,
			 "there are samples of %s only: sonde record -e wall takes both",
			 taken & CAUSES_ON ? "running threads" : "waiting threads");
}

int ask_picture(const struct ask *a, struct feed *feed, struct picture **ret, struct error *err)
{
	struct naming naming = namer_naming(feed->namer);
	struct query query = query_of(a, feed);
	int code = check_causes(a, feed, err);

	return code ? code : view_answer(feed->store, &query, &naming, ret, err);
}

int ask_again(const struct ask *a, struct feed *feed, struct picture **ret, struct error *err)
{
	struct naming naming = namer_naming(feed->namer);
	struct query query = query_of(a, feed);
	int code = check_causes(a, feed, err);

	return code ? code
		    : answers_ask(&feed->answers, feed->store, &query, &naming, ret, err);
}
