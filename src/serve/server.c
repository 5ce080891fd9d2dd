#include "serve/server.h"

#include "serve/listen.h"
#include "serve/page.h"
#include "serve/routes.h"
#include "serve/viewer.h"

#include <errno.h>
#include <libwebsockets.h>
#include <unistd.h>

#define CHUNK 16384	       /* bytes that are written at once */
#define HEADERS_ROOM 2048      /* of an answer */
#define SWALLOW_MOST (1 << 24) /* bytes of a request too long that are read to say so */
#define CLOSE_ROUNDS 1000

/* Nothing from elsewhere, and no script but the page's own. */
#define POLICY                                                                               \
	"default-src 'none'; script-src %s; style-src 'unsafe-inline'; connect-src 'self'; " \
	"img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/* One HTTP request of a connection. */
struct exchange {
	struct text path, body;
	enum request_method method;
	bool begun;
	size_t swallowed;
	struct response answer;
	size_t sent;
};

struct channel {
	struct viewer *viewer;
	struct text heard; /* of a message that is not all there */
	size_t sent;	   /* of the message that is being sent */
};

struct door_way {
	struct server *server;
	struct listen_place place;
	uv_poll_t poll;
	bool polled;
};

struct server {
	struct routes routes;
	uv_loop_t *loop;
	struct lws_context *context;
	struct lws_vhost *vhost;
	ARRAY(struct door_way *) ways;
	ARRAY(struct lws *) viewers;
	uint32_t connections;
};

static struct server *server_of(struct lws *wsi)
{
	return lws_context_user(lws_get_context(wsi));
}

/* ---- requests ---- */

struct headers {
	char host[256], origin[256], token[256];
};

static void copy_header(struct lws *wsi, enum lws_token_indexes token, char *to, int room)
{
	/* one that does not fit is none that would be taken */
	if (lws_hdr_copy(wsi, to, room, token) < 0)
		to[0] = 0;
}

static void read_headers(struct lws *wsi, struct headers *ret)
{
	static const char scheme[] = "Bearer ";
	const char *argument;
	char authorization[256];

	copy_header(wsi, WSI_TOKEN_HOST, ret->host, sizeof(ret->host));
	copy_header(wsi, WSI_TOKEN_ORIGIN, ret->origin, sizeof(ret->origin));
	copy_header(wsi, WSI_TOKEN_HTTP_AUTHORIZATION, authorization, sizeof(authorization));
	if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) >= (int)sizeof(ret->origin))
		strcpy(ret->origin, "too long");
	if (text_starts(authorization, scheme)) {
		strcpy(ret->token, authorization + strlen(scheme));
		return;
	}
	argument = lws_get_urlarg_by_name(wsi, "t=", ret->token, sizeof(ret->token));
	if (!argument)
		ret->token[0] = 0;
	else if (argument != ret->token)
		memmove(ret->token, argument, strlen(argument) + 1);
}

static struct request request_of(struct lws *wsi, const struct headers *h)
{
	const struct door_way *way = lws_get_opaque_user_data(wsi);

	return (struct request){
		.host = h->host,
		.origin = h->origin,
		.token = h->token,
		.trusted = way && way->place.path[0],
	};
}

static bool add_header(struct lws *wsi, const char *name, const char *value, unsigned char **at,
		       unsigned char *end)
{
	return lws_add_http_header_by_name(wsi, (const unsigned char *)name,
					   (const unsigned char *)value, strlen(value), at,
					   end) == 0;
}

static bool write_headers(struct lws *wsi, const struct response *a)
{
	unsigned char room[LWS_PRE + HEADERS_ROOM], *at = room + LWS_PRE, *from = at;
	unsigned char *end = room + sizeof(room) - 1;
	char policy[512];

	snprintf(policy, sizeof(policy), POLICY, page_script);

	return lws_add_http_common_headers(wsi, a->status, a->type, a->body.size, &at, end) ==
		       0 &&
	       (!a->encoding || add_header(wsi, "content-encoding:", a->encoding, &at, end)) &&
	       (a->status != 401 || add_header(wsi, "www-authenticate:", "Bearer", &at, end)) &&
	       add_header(wsi, "content-security-policy:", policy, &at, end) &&
	       add_header(wsi, "x-content-type-options:", "nosniff", &at, end) &&
	       add_header(wsi, "x-frame-options:", "DENY", &at, end) &&
	       add_header(wsi, "referrer-policy:", "no-referrer", &at, end) &&
	       add_header(wsi, "cross-origin-resource-policy:", "same-origin", &at, end) &&
	       add_header(wsi, "cache-control:", "no-store", &at, end) &&
	       lws_finalize_write_http_header(wsi, from, &at, end) == 0;
}

static void exchange_done(struct exchange *x)
{
	text_done(&x->path);
	text_done(&x->body);
	response_done(&x->answer);
	memset(x, 0, sizeof(*x));
}

static int exchange_answer(struct lws *wsi, struct exchange *x)
{
	struct server *s = server_of(wsi);
	struct headers headers;
	struct request q;

	read_headers(wsi, &headers);
	q = request_of(wsi, &headers);
	q.method = x->method;
	q.path = text_string(&x->path);
	q.body = text_string(&x->body);
	q.size = x->body.size;
	q.too_long = x->swallowed > ROUTES_BODY_MOST;
	routes_answer(&s->routes, &q, &x->answer);
	x->begun = true;
	if (!write_headers(wsi, &x->answer))
		return -1;
	lws_callback_on_writable(wsi);
	return 0;
}

static int exchange_begin(struct lws *wsi, struct exchange *x, const char *path)
{
	exchange_done(x);
	text_add(&x->path, path);
	x->method = METHOD_OTHER;
	if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) > 0)
		x->method = METHOD_GET;
	else if (lws_hdr_total_length(wsi, WSI_TOKEN_POST_URI) > 0)
		x->method = METHOD_POST;
	if (x->method != METHOD_POST)
		return exchange_answer(wsi, x);
	/* the body comes next; without one nothing would */
	if (lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH) <= 0)
		return exchange_answer(wsi, x);
	return 0;
}

static int exchange_body(struct exchange *x, const char *bytes, size_t size)
{
	x->swallowed += size;
	if (x->swallowed <= ROUTES_BODY_MOST)
		text_add_part(&x->body, bytes, size);
	return x->swallowed > SWALLOW_MOST ? -1 : 0;
}

static int exchange_write(struct lws *wsi, struct exchange *x)
{
	unsigned char room[LWS_PRE + CHUNK];
	size_t left = x->answer.body.size - x->sent, size = left < CHUNK ? left : CHUNK;
	bool last = size == left;

	if (!x->begun)
		return 0;
	if (size)
		memcpy(room + LWS_PRE, x->answer.body.bytes + x->sent, size);
	if (lws_write(wsi, room + LWS_PRE, size, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) <
	    (int)size)
		return -1;
	x->sent += size;
	if (!last) {
		lws_callback_on_writable(wsi);
		return 0;
	}
	exchange_done(x);
	return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int on_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
		   size_t size)
{
	struct exchange *x = user;

	switch (reason) {
	case LWS_CALLBACK_HTTP:
		return exchange_begin(wsi, x, in);
	case LWS_CALLBACK_HTTP_BODY:
		return exchange_body(x, in, size);
	case LWS_CALLBACK_HTTP_BODY_COMPLETION:
		return x->begun ? 0 : exchange_answer(wsi, x);
	case LWS_CALLBACK_HTTP_WRITEABLE:
		return exchange_write(wsi, x);
	case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
	case LWS_CALLBACK_CLOSED_HTTP:
		if (x)
			exchange_done(x);
		return 0;
	case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
		return -1; /* a WebSocket that does not say which protocol */
	case LWS_CALLBACK_WSI_DESTROY:
		server_of(wsi)->connections--;
		return 0;
	default:
		return 0;
	}
}

/* ---- pages that are open ---- */

static int channel_enter(struct lws *wsi)
{
	struct response why = { 0 };
	struct headers headers;
	struct request q;
	bool enters;

	read_headers(wsi, &headers);
	q = request_of(wsi, &headers);
	enters = routes_enter(&server_of(wsi)->routes, &q, &why);
	response_done(&why);
	return enters ? 0 : -1;
}

static int channel_begin(struct lws *wsi, struct channel *c)
{
	struct server *s = server_of(wsi);

	c->viewer = NEW(struct viewer);
	viewer_init(c->viewer, s->routes.scene);
	array_push(&s->viewers, wsi);
	lws_callback_on_writable(wsi);
	return 0;
}

static void channel_end(struct lws *wsi, struct channel *c)
{
	struct server *s = server_of(wsi);

	for (uint32_t i = 0; i < s->viewers.count; i++) {
		if (s->viewers.at[i] == wsi)
			s->viewers.at[i--] = s->viewers.at[--s->viewers.count];
	}
	if (c->viewer)
		viewer_done(c->viewer);
	free(c->viewer);
	c->viewer = NULL;
	text_done(&c->heard);
}

/* A new answer is looked for at once when something was asked or drawn. */
static int channel_hear(struct lws *wsi, struct channel *c, const char *bytes, size_t size)
{
	struct viewer_round round = { 0 };

	if (c->heard.size + size > VIEWER_MESSAGE_MOST) {
		lws_close_reason(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, NULL, 0);
		return -1;
	}
	text_add_part(&c->heard, bytes, size);
	if (lws_remaining_packet_payload(wsi) || !lws_is_final_fragment(wsi))
		return 0;
	viewer_hears(c->viewer, text_string(&c->heard), c->heard.size);
	text_clear(&c->heard);
	viewer_look(c->viewer, &round, clock_now());
	viewer_round_done(&round);
	if (viewer_message(c->viewer))
		lws_callback_on_writable(wsi);
	return c->viewer->broken ? -1 : 0;
}

static int channel_write(struct lws *wsi, struct channel *c)
{
	unsigned char room[LWS_PRE + CHUNK];
	const struct viewer_message *m = viewer_message(c->viewer);
	size_t left, size;
	int flags;

	if (!m)
		return 0;
	left = m->bytes.size - c->sent;
	size = left < CHUNK ? left : CHUNK;
	memcpy(room + LWS_PRE, m->bytes.bytes + c->sent, size);
	flags = lws_write_ws_flags(m->binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT, !c->sent,
				   size == left);
	if (lws_write(wsi, room + LWS_PRE, size, flags) < (int)size)
		return -1;
	c->sent += size;
	if (size == left) {
		viewer_sent(c->viewer);
		c->sent = 0;
	}
	if (viewer_message(c->viewer))
		lws_callback_on_writable(wsi);
	return 0;
}

static int on_stream(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
		     size_t size)
{
	struct channel *c = user;

	switch (reason) {
	case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
		return channel_enter(wsi);
	case LWS_CALLBACK_ESTABLISHED:
		return channel_begin(wsi, c);
	case LWS_CALLBACK_RECEIVE:
		return channel_hear(wsi, c, in, size);
	case LWS_CALLBACK_SERVER_WRITEABLE:
		return channel_write(wsi, c);
	case LWS_CALLBACK_CLOSED:
		channel_end(wsi, c);
		return 0;
	case LWS_CALLBACK_WSI_DESTROY:
		server_of(wsi)->connections--;
		return 0;
	default:
		return 0;
	}
}

static const struct lws_protocols protocols[] = {
	{ "http", on_http, sizeof(struct exchange), 0 },
	{ "sonde", on_stream, sizeof(struct channel), VIEWER_MESSAGE_MOST },
	{ 0 },
};

void server_look(struct server *s)
{
	struct viewer_round round = { 0 };
	nsec now = clock_now();

	for (uint32_t i = 0; i < s->viewers.count; i++) {
		struct channel *c = lws_wsi_user(s->viewers.at[i]);

		viewer_look(c->viewer, &round, now);
		if (viewer_message(c->viewer))
			lws_callback_on_writable(s->viewers.at[i]);
	}
	viewer_round_done(&round);
}

/* ---- connections ---- */

static void on_connection(uv_poll_t *handle, int status, int events)
{
	struct door_way *way = handle->data;
	struct server *s = way->server;
	lws_sock_file_fd_type fd = { .sockfd = listen_accept(&way->place) };
	struct lws *wsi;

	if (fd.sockfd < 0)
		return;
	if (s->connections >= SERVER_CONNECTIONS_MOST) {
		close(fd.sockfd);
		return;
	}
	wsi = lws_adopt_descriptor_vhost(s->vhost, LWS_ADOPT_SOCKET | LWS_ADOPT_HTTP, fd, NULL,
					 NULL); /* which closes it where it fails */
	if (wsi) {
		s->connections++;
		lws_set_opaque_user_data(wsi, way);
	}
}

static int open_way(struct server *s, const char *where, struct error *err)
{
	struct door_way *way = NEW(struct door_way);
	int code = listen_open(where, &way->place, err);

	if (code) {
		free(way);
		return code;
	}
	way->server = s;
	way->poll.data = way;
	array_push(&s->ways, way);
	code = uv_poll_init(s->loop, &way->poll, way->place.fd);
	if (code == 0) {
		way->polled = true;
		code = uv_poll_start(&way->poll, UV_READABLE, on_connection);
	}
	return code ? error_set(err, -code, "cannot wait for connections: %s",
				uv_strerror(code))
		    : 0;
}

static int open_context(struct server *s, struct error *err)
{
	void *loops[] = { s->loop };
	struct lws_context_creation_info info = {
		.port = CONTEXT_PORT_NO_LISTEN_SERVER,
		.protocols = protocols,
		.gid = -1,
		.uid = -1,
		.options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS,
		.foreign_loops = loops,
		.user = s,
		.server_string = "sonde",
	};

	lws_set_log_level(0, NULL);
	s->context = lws_create_context(&info);
	if (s->context)
		s->vhost = lws_create_vhost(s->context, &info);
	if (!s->vhost)
		return error_set(err, ENOSYS,
				 "libwebsockets does not start; is its part for libuv there "
				 "(Debian's package libwebsockets-evlib-uv)?");
	return 0;
}

int server_open(const struct server_option *option, struct verb_scene *scene, uv_loop_t *loop,
		struct server **ret, struct error *err)
{
	struct server *s = NEW(struct server);
	int code;

	s->loop = loop;
	s->routes.scene = scene;
	code = door_make(&s->routes.door, err);
	if (code == 0)
		code = open_context(s, err);
	if (code == 0 && !option->nr_places)
		code = open_way(s, NULL, err);
	for (uint32_t i = 0; code == 0 && i < option->nr_places; i++)
		code = open_way(s, option->places[i], err);
	if (code) {
		server_close(s);
		return code;
	}
	*ret = s;
	return 0;
}

void server_addresses(const struct server *s, struct text *to)
{
	for (uint32_t i = 0; i < s->ways.count; i++) {
		const struct listen_place *l = &s->ways.at[i]->place;

		if (l->path[0])
			text_format(to, "%s\n", l->path);
		else
			text_format(to, "http://%s:%u/#t=%s\n", l->host, l->port,
				    s->routes.door.token);
	}
}

void server_moved(const struct server *s, struct text *to)
{
	for (uint32_t i = 0; i < s->ways.count; i++) {
		const struct listen_place *l = &s->ways.at[i]->place;

		if (l->moved)
			text_format(to, "port %u is taken, so it is %u", LISTEN_PORT, l->port);
	}
}

static void on_way_closed(uv_handle_t *handle)
{
	free(handle->data);
}

void server_close(struct server *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->ways.count; i++) {
		struct door_way *way = s->ways.at[i];

		if (way->polled)
			uv_poll_stop(&way->poll);
		listen_close(&way->place);
		if (way->polled)
			uv_close((uv_handle_t *)&way->poll, on_way_closed);
		else
			free(way);
	}
	array_done(&s->ways);
	if (s->context)
		lws_context_destroy(s->context); /* its handles are closed by the loop ... */
	for (unsigned i = 0; i < CLOSE_ROUNDS && uv_run(s->loop, UV_RUN_NOWAIT); i++)
		;
	if (s->context)
		lws_context_destroy(s->context); /* ... and then it is */
	array_done(&s->viewers);
	free(s);
}
