/*
 * verb_test - verbs by name, with arguments of all kinds and wrong ones.
 */
#include "session/verb.h"

#include "session/feed_build.h"

#include <errno.h>

struct scene {
	struct feed feed;
	struct verb_scene scene;
	struct verb_reply reply;
	struct error err;
};

static int begin(void **state)
{
	struct scene *s = NEW(struct scene);

	s->feed = make_feed();
	s->scene.feed = &s->feed;
	*state = s;
	return 0;
}

static int end(void **state)
{
	struct scene *s = *state;

	text_done(&s->reply.body);
	feed_done(&s->feed);
	free(s);
	return 0;
}

static int run(struct scene *s, const char *name, const char *arguments)
{
	json_t *given = arguments
				? json_loads(arguments, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL)
				: NULL;
	int code;

	text_clear(&s->reply.body);
	s->err.text[0] = 0;
	code = verb_run(&s->scene, name, given, &s->reply, &s->err);
	json_decref(given);
	return code;
}

static void a_question_is_answered(void **state)
{
	struct scene *s = *state;
	json_t *answer;

	assert_int_equal(run(s, "ask", "{\"split\": \"dur > 3ms\"}"), 0);
	assert_null(s->reply.type);
	answer = json_loads(text_string(&s->reply.body), 0, NULL);
	assert_non_null(answer);
	assert_int_equal(json_integer_value(json_object_get(answer, "samples")), 100);
	json_decref(answer);
	assert_int_equal(run(s, "ask", NULL), 0);
	assert_int_equal(run(s, "ask", "{\"last\": \"500ms\", \"no_kernel\": true}"), 0);
}

static void other_formats_are_written(void **state)
{
	struct scene *s = *state;

	assert_int_equal(run(s, "ask", "{\"format\": \"folded\"}"), 0);
	assert_string_equal(s->reply.type, "text/plain; charset=utf-8");
	assert_non_null(strstr(text_string(&s->reply.body), "shop-server"));
	assert_int_equal(run(s, "ask", "{\"format\": \"svg\"}"), 0);
	assert_string_equal(s->reply.type, "image/svg+xml");
	assert_int_equal(run(s, "ask", "{\"format\": \"docx\"}"), -EINVAL);
	assert_non_null(strstr(s->err.text, "docx"));
	assert_int_equal(run(s, "ask", "{\"side\": \"left\"}"), -EINVAL);
}

static void wrong_arguments_are_named(void **state)
{
	static const struct {
		const char *verb, *arguments, *says;
	} wrong[] = {
		{ "ask", "[1]", "an object" },
		{ "ask", "\"dur\"", "an object" },
		{ "ask", "{\"splt\": \"dur > 1ms\"}", "no argument 'splt'" },
		{ "ask", "{\"split\": 3}", "'split' is to be a text" },
		{ "ask", "{\"split\": null}", "'split' is to be a text" },
		{ "ask", "{\"split\": \"a\\u0000b\"}", "'split' is to be a text" },
		{ "ask", "{\"last\": 10}", "'last' is to be a time" },
		{ "ask", "{\"last\": \"10 apples\"}", "'last' is to be a time" },
		{ "ask", "{\"last\": \"-1s\"}", "'last' is to be a time" },
		{ "ask", "{\"last\": \"1e40s\"}", "'last' is to be a time" },
		{ "ask", "{\"until\": \"10s\"}", "'until' is to be nanoseconds" },
		{ "ask", "{\"until\": 0}", "'until' is to be nanoseconds" },
		{ "ask", "{\"until\": -5}", "'until' is to be nanoseconds" },
		{ "ask", "{\"no_user\": 1}", "'no_user' is to be true or false" },
		{ "ask", "{\"split\": \"dur >\"}", "" },
		{ "watch", NULL, "'place' is missing" },
		{ "watch", "{\"place\": \"f\", \"exit\": \"ret|hook\"}", "one of auto|" },
		{ "watch", "{\"place\": \"f\", \"exit\": \"\"}", "one of auto|" },
		{ "unwatch", "{\"probe\": -1}", "a whole number" },
		{ "unwatch", "{\"probe\": 4294967296}", "a whole number" },
		{ "unwatch", "{\"probe\": 1.5}", "a whole number" },
	};
	struct scene *s = *state;

	for (unsigned i = 0; i < COUNT_OF(wrong); i++) {
		if (run(s, wrong[i].verb, wrong[i].arguments) != -EINVAL)
			fail_msg("%s is taken", wrong[i].arguments);
		if (!strstr(s->err.text, wrong[i].says) || !s->err.text[0])
			fail_msg("%s: '%s'", wrong[i].arguments, s->err.text);
		assert_int_equal(s->reply.body.size, 0);
	}
}

static void what_acts_needs_a_session_that_may_be_changed(void **state)
{
	struct scene *s = *state;

	assert_int_equal(run(s, "watch", "{\"place\": \"f\"}"), -ENOTSUP);
	assert_non_null(strstr(s->err.text, "recording"));
	assert_int_equal(run(s, "find", "{\"text\": \"f\"}"), -ENOTSUP);
	assert_non_null(strstr(s->err.text, "recording"));
	assert_int_equal(run(s, "unwatch", "{\"probe\": 1}"), -ENOTSUP);
	s->scene.read_only = true;
	assert_int_equal(run(s, "watch", "{\"place\": \"f\"}"), -EPERM);
	assert_non_null(strstr(s->err.text, "--read-only"));
	assert_int_equal(run(s, "ask", NULL), 0);
}

static void unknown_verbs_are_named(void **state)
{
	struct scene *s = *state;

	assert_int_equal(run(s, "asks", NULL), -ENOSYS);
	assert_string_equal(s->err.text, "there is no verb 'asks': ask, find, watch, unwatch");
	assert_int_equal(run(s, "", NULL), -ENOSYS);
	assert_int_equal(run(s, "\033[2J", NULL), -ENOSYS);
	assert_null(strchr(s->err.text, 033));
}

static void the_list_has_all(void **state)
{
	AUTO_TEXT struct text list = { 0 };
	json_t *all;
	size_t i;
	json_t *verb;

	verb_list(&list);
	all = json_loads(text_string(&list), 0, NULL);
	assert_non_null(all);
	json_array_foreach(all, i, verb)
	{
		const struct verb *v = verb_at(i);

		assert_string_equal(json_string_value(json_object_get(verb, "name")), v->name);
		assert_int_equal(json_array_size(json_object_get(verb, "arguments")),
				 v->nr_arguments);
		assert_ptr_equal(verb_find(v->name), v);
		for (unsigned k = 0; k < v->nr_arguments; k++)
			assert_true(v->arguments[k].offset + sizeof(void *) <=
				    VERB_ARGUMENTS_ROOM);
	}
	assert_null(verb_at(i));
	json_decref(all);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_question_is_answered),
		TEST(other_formats_are_written),
		TEST(wrong_arguments_are_named),
		TEST(what_acts_needs_a_session_that_may_be_changed),
		TEST(unknown_verbs_are_named),
		TEST(the_list_has_all),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
