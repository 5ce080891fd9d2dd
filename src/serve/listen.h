/*
 * listen - the sockets that the page is served on.
 */
#ifndef SONDE_SERVE_LISTEN_H
#define SONDE_SERVE_LISTEN_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

#define LISTEN_PORT 7474 /* where none is asked for; if it is taken, one of the next */
#define LISTEN_PORTS 100

struct listen_place {
	int fd;
	char host[256]; /* as it stands in an address: "127.0.0.1", "[::1]"; "" = a Unix socket
			 */
	uint16_t port;
	bool moved;	/* the port that was to be was taken */
	char path[108]; /* of a Unix socket */
};

/*
 * Listens where it is asked to: NULL (127.0.0.1, some port), "PORT", "ADDRESS",
 * "ADDRESS:PORT", "[::1]:PORT", or "/a/path" for a Unix socket that its owner alone may use.
 * ADDRESS is one of this machine.  A port that is asked for is taken or it fails.  A path that
 * a socket has that nobody listens on is taken over.
 */
int listen_open(const char *where, struct listen_place *ret, struct error *err);
/* A Unix socket's file goes with it. */
void listen_close(struct listen_place *l);
/* The next connection; -1: there is none now. */
int listen_accept(const struct listen_place *l);

#endif
