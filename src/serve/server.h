/*
 * server - the page, and all that can be done by it, for browsers and scripts.
 *
 * It works on the loop of the caller: nothing here waits.
 */
#ifndef SONDE_SERVE_SERVER_H
#define SONDE_SERVE_SERVER_H

#include "session/verb.h"

#include <uv.h>

#define SERVER_CONNECTIONS_MOST 256 /* at once; more are closed */

struct server;

struct server_option {
	const char *const *places; /* where to listen, as of listen_open() */
	uint32_t nr_places;	   /* 0: 127.0.0.1 */
};

/* scene outlives the server.  Errors as of listen_open(), door_make(). */
int server_open(const struct server_option *option, struct verb_scene *scene, uv_loop_t *loop,
		struct server **ret, struct error *err);
/* Sends what is new to pages that are open: a few times a second. */
void server_look(struct server *s);
/* The addresses to be opened, a line each: "http://127.0.0.1:7474/#t=...". */
void server_addresses(const struct server *s, struct text *to);
/* A port other than it would have been, "" where none: "port 7474 is taken: 7475". */
void server_moved(const struct server *s, struct text *to);
/* NULL is fine.  Runs the loop until all is closed. */
void server_close(struct server *s);

#endif
