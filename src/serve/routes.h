/*
 * routes - what is answered to an HTTP request.
 *
 *	GET  /			the page
 *	GET  /api/verbs		all verbs with their arguments, as JSON
 *	POST /api/VERB		runs a verb; its arguments are a JSON object
 *	GET  /metrics		in the text format of Prometheus
 *
 * All but the page ask for the token: "Authorization: Bearer TOKEN", or ?t=TOKEN.  What is
 * refused is answered with {"error": "what, and what to do"}.
 */
#ifndef SONDE_SERVE_ROUTES_H
#define SONDE_SERVE_ROUTES_H

#include "serve/door.h"
#include "session/verb.h"

#define ROUTES_BODY_MOST 65536 /* bytes of a request */

enum request_method { METHOD_GET, METHOD_POST, METHOD_OTHER };

struct request {
	enum request_method method;
	const char *path;	   /* without what is behind '?' */
	const char *host, *origin; /* "": not sent */
	const char *token;	   /* "": none */
	bool trusted;		   /* came through a socket that its owner alone can open */
	bool too_long;		   /* the body is not all there */
	const char *body;
	size_t size;
};

struct response {
	int status;
	const char *type;     /* MIME */
	const char *encoding; /* NULL: none */
	struct text body;
};

struct routes {
	struct door door;
	struct verb_scene *scene;
};

/* May what only the token opens be had?  Else the answer says why not. */
bool routes_enter(const struct routes *r, const struct request *q, struct response *ret);
void routes_answer(struct routes *r, const struct request *q, struct response *ret);
void response_done(struct response *a);

#endif
