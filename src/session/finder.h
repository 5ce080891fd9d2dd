/*
 * finder - the functions of a target for someone who types, each with what watching it takes.
 */
#ifndef SONDE_SESSION_FINDER_H
#define SONDE_SESSION_FINDER_H

#include "probe/search.h"
#include "session/listing.h"

/* Zero is valid: nothing is open. */
struct finder {
	struct code code; /* as it was mapped when it was looked at last */
	struct listing listing;
};

/*
 * Searches what the target's processes map now; images as of images_open().  *ret, a new
 * reference, has the rows as row_json() and in each "name", for people, "function", as stacks
 * have it, and "main", whether it is of the program itself; a place that would mean several of
 * the rows is written so that it means one.  Beside them "fit", how many there are, kept or
 * not; "looked", at how many functions; "cut" when the time was over before all were; "pattern"
 * when the text is one. Errors as of search_functions() and code_open().
 */
int finder_find(struct finder *f, const struct target *target, struct images *images,
		const struct price *price, const struct search *search, json_t **ret,
		struct error *err);
void finder_done(struct finder *f);

#endif
