/*
 * viewer - one page that is open: what it asks, and what it is sent.
 *
 * A page sends JSON:
 *	{"id": 7, "verb": "watch", "arguments": {...}}	answered by {"id": 7, "reply": ...} or
 *							{"id": 7, "error": "..."}
 *	{"id": 8, "show": {"split": ..., "last": ...}}	the question whose answer it is sent
 *							from now on, like a verb; on an error
 *							the one before stays
 *	{"drawn": 3}					it has drawn message 3
 *	{"hidden": true}				nobody looks
 * is told {"failed": "..."} when its question cannot be answered any more,
 * and is sent drawings (serve/drawing.h) as binary messages.  The next one is made when the
 * last was drawn: a slow page gets fewer, never late ones.  How often also depends on how long
 * the answer takes to find, so that sonde uses little of a CPU for that.
 */
#ifndef SONDE_SERVE_VIEWER_H
#define SONDE_SERVE_VIEWER_H

#include "base/clock.h"
#include "serve/drawing.h"
#include "session/verb.h"

#define VIEWER_MESSAGE_MOST 65536 /* bytes of one that a page sends */
#define VIEWER_QUEUE_MOST 64	  /* answers that wait to be sent */

struct viewer_message {
	struct text bytes;
	bool binary;
};

/* The same question of several pages is answered once a round.  Zero is a new round. */
struct viewer_round {
	ARRAY(struct viewer_answer) answers;
};

struct viewer {
	struct verb_scene *scene;
	json_t *question; /* arguments of show; NULL: everything */
	bool asked;	  /* it was not answered yet */
	bool failed;	  /* it cannot be answered any more */
	bool hidden;
	bool broken; /* it sends what is no message, or does not take what it is sent */
	uint32_t drawn;
	nsec next;	 /* when it may be sent news */
	uint64_t events; /* how many were gathered when it was sent a drawing last */
	struct drawing drawing;
	ARRAY(struct viewer_message) queue;
};

void viewer_init(struct viewer *v, struct verb_scene *scene);
void viewer_done(struct viewer *v);

/* A whole message came. */
void viewer_hears(struct viewer *v, const char *bytes, size_t size);
/* Queues a drawing if it is time for one.  now: a monotonic clock's. */
void viewer_look(struct viewer *v, struct viewer_round *round, nsec now);
/* The message to be sent first; NULL: there is none. */
const struct viewer_message *viewer_message(const struct viewer *v);
/* It was sent. */
void viewer_sent(struct viewer *v);

/* Answers of a round are forgotten. */
void viewer_round_done(struct viewer_round *r);

#endif
