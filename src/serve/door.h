/*
 * door - who may come in.
 *
 * sonde runs as root and changes programs, and every page in the person's browser can send
 * requests to this machine.  So: a token of 128 bits that only the printed address has
 * (behind '#', which browsers do not send on); no name in Host that a foreign name server
 * could have made this machine's (DNS rebinding); no request that a page of another origin
 * makes (RFC 6454).
 */
#ifndef SONDE_SERVE_DOOR_H
#define SONDE_SERVE_DOOR_H

#include "base/error.h"

#include <stdbool.h>

#define DOOR_TOKEN 32 /* hexadecimal digits */

struct door {
	char token[DOOR_TOKEN + 1];
	char name[256]; /* of this machine, "" = not known */
};

/* -errno: there are no random bytes. */
int door_make(struct door *d, struct error *err);

/* May a request that came for this host ("127.0.0.1:7474") be answered?  Those are an address,
 * localhost, and this machine's own name, with any port: it may be a tunnel's. */
bool door_takes_host(const struct door *d, const char *host);
/* Does the Origin belong to this host?  "" (no browser sent it) does. */
bool door_takes_origin(const char *origin, const char *host);
/* Takes the same time for all that are wrong. */
bool door_takes_token(const struct door *d, const char *token);

#endif
