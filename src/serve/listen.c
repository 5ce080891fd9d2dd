#include "serve/listen.h"

#include "base/mem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 64

/* "[::1]:80" in its parts; the port is "" where none is said. */
static bool split_place(const char *where, char *host, size_t room, char port[6])
{
	const char *colon = strrchr(where, ':'), *end;
	bool brackets = where[0] == '[';

	port[0] = 0;
	host[0] = 0;
	if (*where && strspn(where, "0123456789") == strlen(where)) {
		snprintf(host, room, "127.0.0.1");
		return snprintf(port, 6, "%s", where) < 6;
	}
	end = brackets ? strchr(where, ']') : colon ? colon : where + strlen(where);
	where += brackets;
	if (!end || end == where || (size_t)(end - where) >= room)
		return false;
	memcpy(host, where, end - where);
	host[end - where] = 0;
	end += brackets;
	if (!*end)
		return true;
	return *end == ':' && end[1] && strspn(end + 1, "0123456789") == strlen(end + 1) &&
	       snprintf(port, 6, "%s", end + 1) < 6;
}

static int bind_port(const struct addrinfo *at, unsigned port)
{
	struct sockaddr_storage address = { 0 };
	int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
	int code;

	if (fd < 0)
		return -errno;
	memcpy(&address, at->ai_addr, at->ai_addrlen);
	if (at->ai_family == AF_INET)
		((struct sockaddr_in *)&address)->sin_port = htons(port);
	else
		((struct sockaddr_in6 *)&address)->sin6_port = htons(port);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&address, at->ai_addrlen) || listen(fd, BACKLOG)) {
		code = -errno;
		close(fd);
		return code;
	}
	return fd;
}

static unsigned port_of(int fd)
{
	struct sockaddr_storage address;
	socklen_t size = sizeof(address);

	if (getsockname(fd, (struct sockaddr *)&address, &size))
		return 0;
	return ntohs(address.ss_family == AF_INET
			     ? ((struct sockaddr_in *)&address)->sin_port
			     : ((struct sockaddr_in6 *)&address)->sin6_port);
}

static int bind_some_port(const struct addrinfo *at, bool *ret_moved)
{
	int fd = -EADDRINUSE;

	for (unsigned i = 0; i < LISTEN_PORTS && fd == -EADDRINUSE; i++) {
		*ret_moved = i > 0;
		fd = bind_port(at, LISTEN_PORT + i);
	}
	return fd;
}

static int listen_tcp(const char *where, struct listen_place *ret, struct error *err)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_PASSIVE,
					.ai_socktype = SOCK_STREAM };
	struct addrinfo *at = NULL;
	char host[200], port[6];

	if (!split_place(where, host, sizeof(host), port))
		return error_set(err, EINVAL,
				 "cannot listen on '%.100s': say PORT, ADDRESS:PORT or /PATH",
				 where);
	if (getaddrinfo(strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, NULL, &hints, &at))
		return error_set(err, EINVAL,
				 "cannot listen on '%.100s': '%.100s' is no address "
				 "(like 127.0.0.1, or 0.0.0.0 for all of this machine)",
				 where, host);
	if (*port && (unsigned)atoi(port) > UINT16_MAX)
		ret->fd = -ERANGE;
	else
		ret->fd = *port ? bind_port(at, atoi(port)) : bind_some_port(at, &ret->moved);
	snprintf(ret->host, sizeof(ret->host), at->ai_family == AF_INET6 ? "[%s]" : "%s", host);
	freeaddrinfo(at);
	if (ret->fd < 0)
		return error_set(err, -ret->fd, "cannot listen on '%.100s': %s", where,
				 ret->fd == -EADDRINUSE ? "something else does"
							: strerror(-ret->fd));
	ret->port = port_of(ret->fd);
	return 0;
}

/* A socket that was left by one that was killed; not a file that is something else. */
static void take_over(const struct sockaddr_un *address)
{
	AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct stat st;

	if (fd < 0 || lstat(address->sun_path, &st) || !S_ISSOCK(st.st_mode))
		return;
	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) &&
	    errno == ECONNREFUSED)
		unlink(address->sun_path);
}

static int listen_unix(const char *path, struct listen_place *ret, struct error *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	mode_t before;
	int code = 0;

	if (strlen(path) >= sizeof(address.sun_path))
		return error_set(
			err, ENAMETOOLONG,
			"cannot listen on '%.200s': a socket's path has at most %zu bytes",
			path, sizeof(address.sun_path) - 1);
	strcpy(address.sun_path, path);
	take_over(&address);
	ret->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	before = umask(0177);
	if (ret->fd < 0 || bind(ret->fd, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(ret->fd, BACKLOG))
		code = errno;
	umask(before);
	if (code) {
		if (ret->fd >= 0)
			close(ret->fd);
		ret->fd = -1;
		return error_set(err, code, "cannot listen on '%.200s': %s", path,
				 code == EADDRINUSE ? "it is there already" : strerror(code));
	}
	strcpy(ret->path, path);
	return 0;
}

int listen_open(const char *where, struct listen_place *ret, struct error *err)
{
	*ret = (struct listen_place){ .fd = -1 };
	if (where && strchr(where, '/'))
		return listen_unix(where, ret, err);
	return listen_tcp(where ? where : "127.0.0.1", ret, err);
}

void listen_close(struct listen_place *l)
{
	if (l->fd >= 0)
		close(l->fd);
	if (l->path[0])
		unlink(l->path);
	l->fd = -1;
	l->path[0] = 0;
}

int listen_accept(const struct listen_place *l)
{
	return accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}
