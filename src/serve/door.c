#include "serve/door.h"

#include "base/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

#define HOST_ROOM 256

int door_make(struct door *d, struct error *err)
{
	uint8_t bytes[DOOR_TOKEN / 2];

	*d = (struct door){ "" };
	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return error_set(err, errno ? errno : EIO,
				 "cannot make the token of the page's address: %s",
				 strerror(errno));
	for (unsigned i = 0; i < sizeof(bytes); i++)
		snprintf(d->token + 2 * i, 3, "%02x", bytes[i]);
	if (gethostname(d->name, sizeof(d->name) - 1))
		d->name[0] = 0;
	return 0;
}

/* "[::1]:80" and "localhost:80" without the port; false: that is no host. */
static bool cut_port(const char *host, char ret[HOST_ROOM])
{
	bool brackets = host[0] == '[';
	const char *end = strchr(host, brackets ? ']' : ':');
	const char *port;
	size_t length;

	if (brackets && !end)
		return false;
	host += brackets;
	length = end ? (size_t)(end - host) : strlen(host);
	if (!length || length >= HOST_ROOM)
		return false;
	memcpy(ret, host, length);
	ret[length] = 0;
	port = end ? end + brackets : "";
	if (!*port)
		return true;
	return *port == ':' && strspn(port + 1, "0123456789") == strlen(port + 1);
}

bool door_takes_host(const struct door *d, const char *host)
{
	char name[HOST_ROOM];
	uint8_t address[16];

	if (!cut_port(host, name))
		return false;
	if (host[0] == '[')
		return inet_pton(AF_INET6, name, address) == 1;
	return inet_pton(AF_INET, name, address) == 1 || strcasecmp(name, "localhost") == 0 ||
	       (d->name[0] && strcasecmp(name, d->name) == 0);
}

bool door_takes_origin(const char *origin, const char *host)
{
	static const char scheme[] = "http://";

	if (!*origin)
		return true;
	return text_starts(origin, scheme) && strcasecmp(origin + strlen(scheme), host) == 0;
}

bool door_takes_token(const struct door *d, const char *token)
{
	volatile uint8_t differs = 0;

	if (strlen(token) != DOOR_TOKEN)
		return false;
	for (unsigned i = 0; i < DOOR_TOKEN; i++)
		differs |= d->token[i] ^ token[i];
	return !differs;
}
