#include "serve/routes.h"

#include "serve/page.h"
#include "serve/use.h"
#include "session/ask.h"
#include "sink/escape.h"
#include "sink/metrics.h"

#include <errno.h>
#include <string.h>

#define API "/api/"

void response_done(struct response *a)
{
	text_done(&a->body);
}

static void refuse(struct response *ret, int status, const char *sentence)
{
	ret->status = status;
	ret->type = "application/json";
	text_clear(&ret->body);
	text_add(&ret->body, "{\"error\":");
	escape_json(&ret->body, sentence);
	text_add(&ret->body, "}\n");
}

/* HTTP's status for a negative errno of verb_run(). */
static int status_of(int code)
{
	switch (-code) {
	case EPERM:
	case EACCES:
		return 403;
	case ENOENT:
	case ENOSYS:
		return 404;
	case EINVAL:
	case ENOTSUP:
	case ENOTUNIQ:
	case EADDRNOTAVAIL:
		return 400;
	case EEXIST:
	case E2BIG:
	case ESRCH:
	case ESTALE:
		return 409;
	default:
		return 500;
	}
}

static bool host_is_ours(const struct routes *r, const struct request *q, struct response *ret)
{
	if (!q->trusted && !door_takes_host(&r->door, q->host)) {
		refuse(ret, 403,
		       "this name is not one of this machine's: ask by its address or by "
		       "localhost");
		return false;
	}
	if (!door_takes_origin(q->origin, q->host)) {
		refuse(ret, 403, "a page of another origin may not ask");
		return false;
	}
	return true;
}

bool routes_enter(const struct routes *r, const struct request *q, struct response *ret)
{
	if (!host_is_ours(r, q, ret))
		return false;
	if (!q->trusted && !door_takes_token(&r->door, q->token)) {
		refuse(ret, 401,
		       *q->token ? "the token is another one: open the address that this sonde "
				   "printed"
				 : "the token is missing: it is in the address that sonde "
				   "printed, behind #t=");
		return false;
	}
	return true;
}

static void answer_page(struct response *ret)
{
	if (!page_size) {
		refuse(ret, 404,
		       "this sonde was built without the page (npm was not there); GET " API
		       "verbs lists what can be done without it");
		return;
	}
	ret->type = "text/html; charset=utf-8";
	ret->encoding = "gzip";
	text_add_part(&ret->body, (const char *)page_bytes, page_size);
}

static void answer_metrics(struct routes *r, struct response *ret)
{
	const struct use use = use_own();
	const struct metrics_own own = { use.cpu / 1e9, use.peak_bytes };
	const struct ask whole = { NULL };
	struct picture *p = NULL;
	struct error err = { "" };

	if (ask_picture(&whole, r->scene->feed, &p, &err)) {
		refuse(ret, 500, err.text);
		return;
	}
	ret->type = "text/plain; version=0.0.4; charset=utf-8";
	metrics_write(p, &own, &ret->body);
	picture_free(p);
}

static void answer_verb(struct routes *r, const char *name, const struct request *q,
			struct response *ret)
{
	struct verb_reply reply = { { NULL } };
	struct error err = { "" };
	json_error_t where;
	json_t *arguments = NULL;
	int code;

	if (q->too_long) {
		refuse(ret, 413, "the request is longer than 64 KiB");
		return;
	}
	if (q->size) {
		arguments = json_loadb(q->body, q->size, JSON_REJECT_DUPLICATES, &where);
		if (!arguments) {
			error_set(&err, EINVAL, "the body is no JSON: %s at byte %d",
				  where.text, where.position);
			refuse(ret, 400, err.text);
			return;
		}
	}
	code = verb_run(r->scene, name, arguments, &reply, &err);
	if (code) {
		refuse(ret, status_of(code), err.text);
		text_done(&reply.body);
	} else {
		ret->type = reply.type ? reply.type : "application/json";
		ret->body = reply.body;
	}
	json_decref(arguments);
}

/* A known path and the other method. */
static void refuse_method(struct response *ret, const char *right)
{
	AUTO_TEXT struct text sentence = { 0 };

	text_format(&sentence, "this is asked for with %s", right);
	refuse(ret, 405, text_string(&sentence));
}

void routes_answer(struct routes *r, const struct request *q, struct response *ret)
{
	bool is_page = strcmp(q->path, "/") == 0, is_list = strcmp(q->path, API "verbs") == 0;
	bool is_metrics = strcmp(q->path, "/metrics") == 0;
	enum request_method right = is_page || is_list || is_metrics ? METHOD_GET : METHOD_POST;

	*ret = (struct response){ .status = 200, .type = "application/json" };
	if (!(is_page ? host_is_ours(r, q, ret) : routes_enter(r, q, ret)))
		return;
	if (!is_page && !is_list && !is_metrics && !text_starts(q->path, API))
		refuse(ret, 404,
		       "nothing is here: / is the page, " API
		       "verbs lists what can be done, /metrics is for Prometheus");
	else if (q->method != right)
		refuse_method(ret, right == METHOD_GET ? "GET" : "POST");
	else if (is_page)
		answer_page(ret);
	else if (is_list)
		verb_list(&ret->body);
	else if (is_metrics)
		answer_metrics(r, ret);
	else
		answer_verb(r, q->path + strlen(API), q, ret);
}
