#include "serve/viewer.h"

#include "serve/use.h"
#include "sink/escape.h"
#include "sink/sinks.h"

#include <errno.h>
#include <inttypes.h>

#define REST_TIMES 20 /* of the CPU time that an answer took: a 20th of a core at most */
#define REST_LEAST (100 * NSEC_PER_MSEC) /* between two drawings of the same question */
#define FUNCTIONS_MOST 200		 /* of those that are compared, in a scene */

struct viewer_answer {
	char *key;		 /* the question, as text */
	struct picture *picture; /* the feed's; good while nothing else made one of it */
	uint64_t asked;
	struct text scene;
	nsec took; /* CPU time */
};

void viewer_init(struct viewer *v, struct verb_scene *scene)
{
	*v = (struct viewer){ .scene = scene, .asked = true };
}

void viewer_done(struct viewer *v)
{
	json_decref(v->question);
	drawing_done(&v->drawing);
	for (uint32_t i = 0; i < v->queue.count; i++)
		text_done(&v->queue.at[i].bytes);
	array_done(&v->queue);
}

void viewer_round_done(struct viewer_round *r)
{
	for (uint32_t i = 0; i < r->answers.count; i++) {
		free(r->answers.at[i].key);
		text_done(&r->answers.at[i].scene);
	}
	array_done(&r->answers);
}

static struct text *queue(struct viewer *v, bool binary)
{
	struct viewer_message *m = array_add(&v->queue);

	m->binary = binary;
	if (v->queue.count > VIEWER_QUEUE_MOST)
		v->broken = true;
	return &m->bytes;
}

const struct viewer_message *viewer_message(const struct viewer *v)
{
	return v->queue.count ? &v->queue.at[0] : NULL;
}

void viewer_sent(struct viewer *v)
{
	text_done(&v->queue.at[0].bytes);
	memmove(v->queue.at, v->queue.at + 1, --v->queue.count * sizeof(*v->queue.at));
}

/* What a page shows beside the tree. */
static int write_scene(const struct verb_scene *scene, const struct picture *p, struct text *to,
		       struct error *err)
{
	const struct sink_option option = { .side = WRITE_DIFF,
					    .version = SONDE_VERSION,
					    .functions = FUNCTIONS_MOST };
	const struct use use = use_own();

	text_format(to,
		    "{\"live\":%s,\"recording\":%s,\"read_only\":%s,\"cpu_ns\":%" PRIu64
		    ",\"picture\":",
		    scene->feed->live ? "true" : "false", scene->session ? "false" : "true",
		    scene->read_only ? "true" : "false", use.cpu);
	if (sink_json.write(p, &option, to, err))
		return -EINVAL;
	text_add(to, "}");
	return 0;
}

static int find_answer(struct viewer_round *r, const struct verb_scene *scene,
		       const json_t *question, const struct viewer_answer **ret,
		       struct error *err)
{
	AUTO_FREE char *key =
		question ? json_dumps(question, JSON_COMPACT | JSON_SORT_KEYS) : mem_text("");
	struct viewer_answer a = { NULL };
	nsec began = clock_cpu();
	struct ask ask;
	int code;

	for (uint32_t i = 0; i < r->answers.count; i++) {
		*ret = &r->answers.at[i];
		if (strcmp((*ret)->key, key) == 0 &&
		    answers_hold(&scene->feed->answers, (*ret)->picture, (*ret)->asked))
			return 0;
	}
	code = verb_question(question, &ask, err);
	if (code == 0)
		code = ask_again(&ask, scene->feed, &a.picture, err);
	if (code == 0)
		code = write_scene(scene, a.picture, &a.scene, err);
	if (code) {
		text_done(&a.scene);
		return code;
	}
	a.key = mem_text(key);
	a.asked = scene->feed->answers.asked;
	a.took = clock_cpu() - began;
	array_push(&r->answers, a);
	*ret = &r->answers.at[r->answers.count - 1];
	return 0;
}

static int draw(struct viewer *v, struct viewer_round *round, nsec now, struct error *err)
{
	const struct viewer_answer *a;
	int code = find_answer(round, v->scene, v->question, &a, err);

	if (code)
		return code;
	drawing_write(&v->drawing, a->picture, text_string(&a->scene), queue(v, true));
	v->asked = false;
	v->events = v->scene->feed->events;
	v->next = now + (a->took * REST_TIMES > REST_LEAST ? a->took * REST_TIMES : REST_LEAST);
	return 0;
}

void viewer_look(struct viewer *v, struct viewer_round *round, nsec now)
{
	struct error err = { "" };

	if (v->hidden || v->broken || v->failed || v->drawn != v->drawing.seq)
		return;
	if (!v->asked && (v->events == v->scene->feed->events || now < v->next))
		return;
	v->failed = draw(v, round, now, &err) != 0;
	if (v->failed) {
		struct text *to = queue(v, false);

		text_add(to, "{\"failed\":");
		escape_json(to, err.text);
		text_add(to, "}");
	}
}

/* {"id": 7, "reply": {...}}, or with an error; without an id nobody waits for it. */
static void reply(struct viewer *v, const json_t *message, const char *body, int code,
		  const struct error *err)
{
	const json_t *id = json_object_get(message, "id");
	struct text *to;

	if (!json_is_integer(id) && !code)
		return;
	to = queue(v, false);
	text_format(to, "{\"id\":%" JSON_INTEGER_FORMAT ",",
		    json_is_integer(id) ? json_integer_value(id) : (json_int_t)-1);
	if (code) {
		text_add(to, "\"error\":");
		escape_json(to, err->text);
	} else {
		text_format(to, "\"reply\":%s", body);
	}
	text_add(to, "}");
}

/* Is answered at once, so that what cannot be is known to whom asks. */
static void show(struct viewer *v, const json_t *message, const json_t *question)
{
	struct error err = { "" };
	struct ask ask;
	int code = verb_question(question, &ask, &err);

	if (code == 0)
		code = ask_check(&ask, &err);
	if (code == 0) {
		json_decref(v->question);
		v->question = json_deep_copy(question);
		v->asked = true;
		v->failed = false;
	}
	reply(v, message, "{}", code, &err);
}

static void run_verb(struct viewer *v, const json_t *message, const char *name)
{
	struct verb_reply r = { { NULL } };
	struct error err = { "" };
	int code = verb_run(v->scene, name, json_object_get(message, "arguments"), &r, &err);

	if (code == 0 && r.type)
		code = error_set(&err, EINVAL, "over this line only JSON is sent: POST it");
	reply(v, message, text_string(&r.body), code, &err);
	text_done(&r.body);
}

static void refuse_message(struct viewer *v, const char *sentence)
{
	struct error err;

	error_set(&err, EINVAL, "%s", sentence);
	reply(v, NULL, NULL, -EINVAL, &err);
}

/* Out of order it would be drawn that was never sent. */
static void hear_drawn(struct viewer *v, const json_t *drawn)
{
	json_int_t n = json_integer_value(drawn);

	if (json_is_integer(drawn) && n >= v->drawn && n <= v->drawing.seq)
		v->drawn = n;
	else
		refuse_message(v, "no such message was sent to be drawn");
}

void viewer_hears(struct viewer *v, const char *bytes, size_t size)
{
	json_t *message = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, NULL);
	const json_t *drawn = json_object_get(message, "drawn"),
		     *question = json_object_get(message, "show"),
		     *hidden = json_object_get(message, "hidden");
	const char *name = json_string_value(json_object_get(message, "verb"));

	if (!json_is_object(message))
		refuse_message(v, "a message is a JSON object");
	else if (name)
		run_verb(v, message, name);
	else if (question)
		show(v, message, question);
	else if (drawn)
		hear_drawn(v, drawn);
	else if (json_is_boolean(hidden))
		v->hidden = json_is_true(hidden);
	else
		refuse_message(v, "a message has verb, show, drawn or hidden");
	json_decref(message);
}
