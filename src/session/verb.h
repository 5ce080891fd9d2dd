/*
 * verb - every act by name: the one table that the page, HTTP and scripts share.
 *
 *	static const struct verb_argument arguments[] = {
 *		{ VERB_TEXT, "place", NULL, "what to watch", AT(place), true },
 *	};
 *
 * Arguments come as one JSON object and are checked against the table before a verb runs;
 * the answer is a JSON value, or what a sink writes.
 */
#ifndef SONDE_SESSION_VERB_H
#define SONDE_SESSION_VERB_H

#include "base/text.h"
#include "session/ask.h"
#include "session/session.h"

#include <jansson.h>

enum verb_kind {		/* type of the member it is stored in */
		 VERB_TEXT,	/* const char *, lives as long as the JSON */
		 VERB_NUMBER,	/* uint32_t */
		 VERB_FLAG,	/* bool */
		 VERB_DURATION, /* nsec: "10s", "500ms" */
		 VERB_MOMENT,	/* nsec of the window of an answer */
		 VERB_CHOICE,	/* unsigned: "a|b|c"; a is 1; 0 = not given */
};

struct verb_argument {
	enum verb_kind kind;
	const char *name;
	const char *words; /* of a choice */
	const char *help;  /* one sentence, lower case, no full stop */
	size_t offset;
	bool needed;
};

#define VERB_ARGUMENTS_ROOM 128 /* bytes of a verb's struct of arguments */

/* What verbs act on. */
struct verb_scene {
	struct feed *feed;
	struct session *session; /* NULL: a recording, where nothing can be watched */
	bool read_only;		 /* verbs that act are refused */
};

struct verb_reply {
	struct text body;
	const char *type; /* MIME; NULL: application/json */
};

struct verb {
	const char *name, *help;
	bool acts; /* changes what is watched: needs that it may */
	bool live; /* needs a session */
	const struct verb_argument *arguments;
	unsigned nr_arguments;
	/* 0, or negative errno with err set */
	int (*run)(struct verb_scene *scene, const void *arguments, struct verb_reply *reply,
		   struct error *err);
};

/* The i-th, NULL behind the last. */
const struct verb *verb_at(unsigned i);
const struct verb *verb_find(const char *name);

/*
 * Runs the verb of that name.  arguments is an object, or NULL for none.  Errors: -ENOSYS no
 * such verb; -EINVAL an argument is missing, unknown, or of the wrong kind; -EPERM it acts, and
 * the scene is read-only; else the verb's own.  On an error the reply is left as it was.
 */
int verb_run(struct verb_scene *scene, const char *name, const json_t *arguments,
	     struct verb_reply *reply, struct error *err);

/* The question that arguments of the verb ask (NULL: none) put; its texts are theirs. */
int verb_question(const json_t *arguments, struct ask *ret, struct error *err);

/* All of them with their arguments, as JSON. */
void verb_list(struct text *to);

/* Fills a struct by a table of arguments, as of verb_run(). */
int verb_arguments(const struct verb_argument *arguments, unsigned count, const json_t *given,
		   void *ret, struct error *err);

#endif
