/*
 * viewer_test - a page that asks, draws, hides, and one that sends nonsense.
 */
#include "serve/viewer.h"

#include "serve/drawing_read.h"
#include "session/feed_build.h"

struct scene {
	struct feed feed;
	struct verb_scene scene;
	struct viewer viewer;
	struct reader reader;
	nsec now;
};

static int begin(void **state)
{
	struct scene *s = NEW(struct scene);

	s->feed = make_feed();
	s->scene.feed = &s->feed;
	viewer_init(&s->viewer, &s->scene);
	s->now = NSEC_PER_SEC;
	*state = s;
	return 0;
}

static int end(void **state)
{
	struct scene *s = *state;

	viewer_done(&s->viewer);
	feed_done(&s->feed);
	free(s);
	return 0;
}

static void hears(struct scene *s, const char *message)
{
	viewer_hears(&s->viewer, message, strlen(message));
}

/* How many messages were made. */
static uint32_t look(struct scene *s)
{
	struct viewer_round round = { 0 };
	uint32_t before = s->viewer.queue.count;

	viewer_look(&s->viewer, &round, s->now);
	viewer_round_done(&round);
	return s->viewer.queue.count - before;
}

/* Takes the first message, which is a drawing. */
static void draws(struct scene *s)
{
	const struct viewer_message *m = viewer_message(&s->viewer);

	assert_non_null(m);
	assert_true(m->binary);
	read_drawing(&s->reader, &m->bytes);
	viewer_sent(&s->viewer);
}

static void acks(struct scene *s)
{
	char message[64];

	snprintf(message, sizeof(message), "{\"drawn\":%u}", s->reader.seq);
	hears(s, message);
	assert_null(viewer_message(&s->viewer));
}

/* Takes the first message, which is text and has this in it. */
static void is_told(struct scene *s, const char *what)
{
	const struct viewer_message *m = viewer_message(&s->viewer);

	assert_non_null(m);
	assert_false(m->binary);
	if (!strstr(text_string(&m->bytes), what))
		fail_msg("'%s' is not in %s", what, text_string(&m->bytes));
	viewer_sent(&s->viewer);
}

/* More came in. */
static void gathers(struct scene *s)
{
	sample(s->feed.store, 1999 * MS, 8, 0, &in_hot);
	s->feed.events++;
}

static void it_is_sent_everything_first(void **state)
{
	struct scene *s = *state;
	json_t *scene, *picture;

	assert_int_equal(look(s), 1);
	draws(s);
	scene = json_loads(s->reader.scene, 0, NULL);
	assert_non_null(scene);
	picture = json_object_get(scene, "picture");
	assert_int_equal(json_integer_value(json_object_get(picture, "samples")), 100);
	assert_true(json_is_true(json_object_get(scene, "live")));
	json_decref(scene);
}

static void the_next_comes_when_the_last_was_drawn(void **state)
{
	struct scene *s = *state;

	look(s);
	draws(s);
	gathers(s);
	s->now += NSEC_PER_SEC;
	assert_int_equal(look(s), 0);
	acks(s);
	assert_int_equal(look(s), 1);
	draws(s);
	assert_int_equal(s->reader.changes, 1);
	acks(s);
	gathers(s);
	assert_int_equal(look(s), 0); /* too soon */
	s->now += 3600 * NSEC_PER_SEC;
	assert_int_equal(look(s), 1);
}

static void without_news_nothing_is_sent(void **state)
{
	struct scene *s = *state;

	look(s);
	draws(s);
	acks(s);
	s->now += NSEC_PER_SEC;
	assert_int_equal(look(s), 0);
}

static void a_page_that_is_hidden_is_sent_nothing(void **state)
{
	struct scene *s = *state;

	look(s);
	draws(s);
	acks(s);
	hears(s, "{\"hidden\":true}");
	gathers(s);
	s->now += NSEC_PER_SEC;
	assert_int_equal(look(s), 0);
	hears(s, "{\"hidden\":false}");
	assert_int_equal(look(s), 1);
}

static void another_question_is_answered_at_once(void **state)
{
	struct scene *s = *state;

	look(s);
	draws(s);
	hears(s, "{\"id\":1,\"show\":{\"split\":\"dur > 3ms\"}}");
	is_told(s, "{\"id\":1,\"reply\":{}}");
	assert_int_equal(look(s), 0); /* the first is not drawn */
	hears(s, "{\"id\":2,\"show\":{\"split\":\"dur > 9ms\"}}");
	is_told(s, "\"id\":2");
	acks(s);
	assert_int_equal(look(s), 1); /* the newest of them */
	draws(s);
	assert_non_null(strstr(s->reader.scene, "dur > 9ms"));
}

static void what_cannot_be_asked_leaves_the_question(void **state)
{
	struct scene *s = *state;

	look(s);
	draws(s);
	acks(s);
	hears(s, "{\"id\":1,\"show\":{\"split\":\"dur >\"}}");
	is_told(s, "\"id\":1,\"error\":");
	hears(s, "{\"id\":2,\"show\":[]}");
	is_told(s, "\"error\":");
	assert_int_equal(look(s), 0);
	hears(s, "{\"id\":3,\"show\":{\"split\":\"nothing.dur > 1ms\"}}");
	is_told(s, "\"id\":3,\"reply\":{}");
	assert_int_equal(look(s), 1);
	is_told(s, "{\"failed\":\"");
	assert_int_equal(look(s), 0);
	hears(s, "{\"show\":{}}");
	assert_int_equal(look(s), 1);
	draws(s);
}

static void verbs_are_answered(void **state)
{
	struct scene *s = *state;

	hears(s, "{\"id\":5,\"verb\":\"ask\",\"arguments\":{\"split\":\"dur > 3ms\"}}");
	is_told(s, "{\"id\":5,\"reply\":{");
	hears(s, "{\"id\":6,\"verb\":\"watch\",\"arguments\":{\"place\":\"f\"}}");
	is_told(s, "{\"id\":6,\"error\":\"this is a recording");
	hears(s, "{\"id\":7,\"verb\":\"fly\"}");
	is_told(s, "no verb 'fly'");
	hears(s, "{\"id\":8,\"verb\":\"ask\",\"arguments\":{\"format\":\"svg\"}}");
	is_told(s, "only JSON");
}

static void nonsense_is_answered_with_a_sentence(void **state)
{
	static const char *const wrong[] = {
		"",
		"{",
		"[]",
		"3",
		"null",
		"{}",
		"{\"a\":1}",
		"{\"drawn\":1}",
		"{\"drawn\":\"x\"}",
		"{\"hidden\":1}",
		"{\"verb\":3}",
		"\xff\xfe",
		"{\"drawn\":-1}",
		"{\"drawn\":99999999999}",
	};
	struct scene *s = *state;

	for (unsigned i = 0; i < COUNT_OF(wrong); i++) {
		hears(s, wrong[i]);
		is_told(s, "\"error\":\"");
		assert_null(viewer_message(&s->viewer));
	}
	assert_int_equal(look(s), 1);
}

static void who_does_not_listen_is_given_up(void **state)
{
	struct scene *s = *state;

	for (unsigned i = 0; i <= VIEWER_QUEUE_MOST; i++) {
		assert_false(s->viewer.broken);
		hears(s, "nonsense");
	}
	assert_true(s->viewer.broken);
	assert_int_equal(look(s), 0);
}

static void pages_with_one_question_share_the_answer(void **state)
{
	struct viewer_round round = { 0 };
	struct scene *s = *state;
	struct viewer other;

	viewer_init(&other, &s->scene);
	viewer_hears(&other, "{\"show\":{}}", 11);
	viewer_look(&s->viewer, &round, s->now);
	viewer_look(&other, &round, s->now);
	assert_int_equal(round.answers.count, 2); /* {} is not the same text as nothing */
	hears(s, "{\"show\":{}}");
	draws(s);
	acks(s);
	viewer_look(&s->viewer, &round, s->now);
	assert_int_equal(round.answers.count, 2);
	viewer_round_done(&round);
	viewer_done(&other);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(it_is_sent_everything_first),
		TEST(the_next_comes_when_the_last_was_drawn),
		TEST(without_news_nothing_is_sent),
		TEST(a_page_that_is_hidden_is_sent_nothing),
		TEST(another_question_is_answered_at_once),
		TEST(what_cannot_be_asked_leaves_the_question),
		TEST(verbs_are_answered),
		TEST(nonsense_is_answered_with_a_sentence),
		TEST(who_does_not_listen_is_given_up),
		TEST(pages_with_one_question_share_the_answer),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
