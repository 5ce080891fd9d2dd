/*
 * routes_test - requests, right ones and wrong ones, and what they are answered.
 */
#include "serve/routes.h"

#include "serve/page.h"
#include "session/feed_build.h"

#include <errno.h>

struct scene {
	struct feed feed;
	struct verb_scene scene;
	struct routes routes;
	struct request request;
	struct response response;
};

static int begin(void **state)
{
	struct scene *s = NEW(struct scene);
	struct error err;

	s->feed = make_feed();
	s->scene.feed = &s->feed;
	s->routes.scene = &s->scene;
	if (door_make(&s->routes.door, &err))
		return -1;
	s->request = (struct request){
		.host = "127.0.0.1:7474",
		.origin = "",
		.token = s->routes.door.token,
		.path = "/api/verbs",
	};
	*state = s;
	return 0;
}

static int end(void **state)
{
	struct scene *s = *state;

	response_done(&s->response);
	feed_done(&s->feed);
	free(s);
	return 0;
}

static int send_request(struct scene *s)
{
	response_done(&s->response);
	routes_answer(&s->routes, &s->request, &s->response);
	if (s->response.status != 200) {
		json_t *body = json_loads(text_string(&s->response.body), 0, NULL);

		/* a refusal is a sentence */
		assert_true(json_string_length(json_object_get(body, "error")) > 10);
		json_decref(body);
	}
	return s->response.status;
}

static int post(struct scene *s, const char *path, const char *body)
{
	s->request.method = METHOD_POST;
	s->request.path = path;
	s->request.body = body;
	s->request.size = strlen(body);
	return send_request(s);
}

static int get(struct scene *s, const char *path)
{
	s->request.method = METHOD_GET;
	s->request.path = path;
	return send_request(s);
}

static bool says(const struct scene *s, const char *what)
{
	return strstr(text_string(&s->response.body), what);
}

static void the_page_needs_no_token(void **state)
{
	struct scene *s = *state;

	s->request.token = "";
	assert_int_equal(get(s, "/"), page_size ? 200 : 404);
	assert_int_equal(get(s, "/api/verbs"), 401);
	assert_true(says(s, "#t="));
	assert_int_equal(get(s, "/metrics"), 401);
	assert_int_equal(post(s, "/api/ask", ""), 401);
	s->request.token = "0123456789abcdef0123456789abcdef";
	assert_int_equal(get(s, "/api/verbs"), 401);
	assert_true(says(s, "another one"));
}

static void other_names_and_origins_are_refused(void **state)
{
	struct scene *s = *state;

	s->request.host = "evil.example:7474";
	assert_int_equal(get(s, "/"), 403);
	assert_int_equal(get(s, "/api/verbs"), 403);
	s->request.host = "";
	assert_int_equal(get(s, "/api/verbs"), 403);
	s->request.host = "localhost:7474";
	s->request.origin = "http://evil.example";
	assert_int_equal(post(s, "/api/ask", ""), 403);
	assert_int_equal(get(s, "/"), 403);
	s->request.origin = "http://localhost:7474";
	assert_int_equal(post(s, "/api/ask", ""), 200);
}

static void who_opened_the_socket_needs_no_token(void **state)
{
	struct scene *s = *state;

	s->request.trusted = true;
	s->request.token = "";
	s->request.host = "any.name";
	assert_int_equal(get(s, "/api/verbs"), 200);
}

static void verbs_are_run(void **state)
{
	struct scene *s = *state;

	assert_int_equal(post(s, "/api/ask", "{\"split\": \"dur > 3ms\"}"), 200);
	assert_string_equal(s->response.type, "application/json");
	assert_true(says(s, "\"samples\":100"));
	assert_int_equal(post(s, "/api/ask", "{\"format\": \"folded\"}"), 200);
	assert_string_equal(s->response.type, "text/plain; charset=utf-8");
	assert_int_equal(get(s, "/api/verbs"), 200);
	assert_true(says(s, "\"ask\""));
}

static void wrong_requests_are_answered_with_a_sentence(void **state)
{
	struct scene *s = *state;

	assert_int_equal(post(s, "/api/fly", "{}"), 404);
	assert_int_equal(post(s, "/api/", "{}"), 404);
	assert_int_equal(get(s, "/etc/passwd"), 404);
	assert_int_equal(get(s, ""), 404);
	assert_int_equal(get(s, "/api/ask"), 405);
	assert_int_equal(post(s, "/metrics", ""), 405);
	assert_int_equal(post(s, "/", ""), 405);
	assert_int_equal(post(s, "/api/ask", "{"), 400);
	assert_int_equal(post(s, "/api/ask", "{\"split\": 1}"), 400);
	assert_int_equal(post(s, "/api/ask", "{\"split\": \"dur\", \"split\": \"dur\"}"), 400);
	assert_int_equal(post(s, "/api/ask", "{\"split\": \"nothing.dur > 1ms\"}"), 400);
	assert_int_equal(post(s, "/api/watch", "{\"place\": \"f\"}"), 400);
	s->scene.read_only = true;
	assert_int_equal(post(s, "/api/watch", "{\"place\": \"f\"}"), 403);
	s->request.method = METHOD_OTHER;
	assert_int_equal(send_request(s), 405);
	s->request.too_long = true;
	assert_int_equal(post(s, "/api/ask", ""), 413);
}

static void metrics_are_lines(void **state)
{
	struct scene *s = *state;
	char *line, *rest;

	assert_int_equal(get(s, "/metrics"), 200);
	assert_true(says(s, "\nsonde_samples_total 100\n"));
	assert_true(says(s, "\nsonde_calls_total{place=\"handle\"} 100\n"));
	assert_true(says(s, "\nsonde_lost_total{what=\"ring\"} 0\n"));
	assert_true(says(s, "\nsonde_call_seconds_count{place=\"handle\"} 100\n"));
	rest = s->response.body.bytes;
	while ((line = strsep(&rest, "\n")) && *line) {
		char name[100], tail[100];

		if (line[0] == '#')
			assert_int_equal(sscanf(line, "# %99s %99s", name, tail), 2);
		else
			assert_int_equal(sscanf(line, "%99[^ ] %99[0-9.e+-]", name, tail), 2);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_page_needs_no_token),
		TEST(other_names_and_origins_are_refused),
		TEST(who_opened_the_socket_needs_no_token),
		TEST(verbs_are_run),
		TEST(wrong_requests_are_answered_with_a_sentence),
		TEST(metrics_are_lines),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
