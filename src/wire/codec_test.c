#include "wire/codec.h"

#include "wire/bucket.h"
#include "wire/span_end.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct full_sample {
	struct event_sample fixed;
	uint64_t frames[5];
};

static struct full_sample sample_of(unsigned nr_kernel, unsigned nr_user)
{
	struct full_sample s = { .fixed = { .head = { EVENT_SAMPLE, sizeof(s), 7, 100 } } };

	s.fixed.nr_kernel = nr_kernel;
	s.fixed.nr_user = nr_user;
	return s;
}

static void a_head_must_be_possible(void **state)
{
	struct event e = { .kind = 999, .size = sizeof(e) };

	assert_true(event_fits(&e, sizeof(e)));
	assert_false(event_fits(&e, sizeof(e) - 1));
	e.size = 8;
	assert_false(event_fits(&e, sizeof(e)));
	e.size = 20;
	assert_false(event_fits(&e, 24));
	e.size = 24;
	assert_false(event_fits(&e, 16));
}

static void a_kind_that_is_not_known_passes(void **state)
{
	struct event e = { .kind = 999, .size = sizeof(e) };

	assert_true(event_check(&e, sizeof(e)));
	e.kind = 0;
	assert_true(event_check(&e, sizeof(e)));
	e.kind = EVENT_QUEUED + 1;
	assert_true(event_check(&e, sizeof(e)));
}

static void a_known_kind_has_its_least_size(void **state)
{
	static const uint16_t kinds[] = {
		EVENT_SAMPLE, EVENT_ENTER,  EVENT_LEAVE,  EVENT_FORK,	  EVENT_EXEC,
		EVENT_EXIT,   EVENT_THREAD, EVENT_OPEN,	  EVENT_TARGET,	  EVENT_PROCESS,
		EVENT_IMAGE,  EVENT_MAP,    EVENT_SYMBOL, EVENT_VARIABLE, EVENT_PROBE,
		EVENT_CALLS,  EVENT_LOSS,   EVENT_END,	  EVENT_WAIT,	  EVENT_STILL,
		EVENT_CAUSES, EVENT_WAKE
	};

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct event e = { .kind = kinds[i], .size = sizeof(e) };

		assert_false(event_check(&e, sizeof(e)));
	}
}

static void a_name_of_a_waker_ends(void **state)
{
	struct event_wake e = { .head = { .kind = EVENT_WAKE, .size = sizeof(e) } };

	memset(e.name, 'x', sizeof(e.name));
	assert_false(event_check(&e, sizeof(e)));
	e.name[15] = 0;
	assert_true(event_check(&e, sizeof(e)));
	e.nr_user = 1;
	assert_false(event_check(&e, sizeof(e)));
}

static void frames_lie_within_a_sample(void **state)
{
	struct full_sample s = sample_of(2, 3);

	assert_true(event_check(&s, sizeof(s)));
	s = sample_of(3, 3);
	assert_false(event_check(&s, sizeof(s)));
	s = sample_of(0, 6);
	assert_false(event_check(&s, sizeof(s)));
	s = sample_of(UINT16_MAX, UINT16_MAX);
	assert_false(event_check(&s, sizeof(s)));
	s = sample_of(1, 1);
	s.fixed.user_end = NR_STACK_END;
	assert_false(event_check(&s, sizeof(s)));
	s = sample_of(2, 3);
	s.fixed.head.kind = EVENT_WAIT;
	assert_true(event_check(&s, sizeof(s)));
	s.fixed.nr_kernel = 3;
	assert_false(event_check(&s, sizeof(s)));
}

static void enums_are_known_ones(void **state)
{
	struct event_leave leave = { .head = { EVENT_LEAVE, sizeof(leave), 1, 1 } };
	struct event_end end = { .head = { EVENT_END, sizeof(end), 0, 1 } };
	struct event_thread thread = { .head = { EVENT_THREAD, sizeof(thread), 1, 1 } };
	struct event_map map = { .head = { EVENT_MAP, sizeof(map), 0, 1 },
				 .start = 1,
				 .end = 2 };

	/* a newer sonde knows more of these */
	leave.reason = NR_SPAN_END;
	assert_true(event_check(&leave, sizeof(leave)));
	assert_int_equal(span_end_known(leave.reason), END_LOST);
	assert_int_equal(span_end_known(NR_SPAN_END - 1), NR_SPAN_END - 1);
	end.reason = ENDED_BY_TARGET + 1;
	assert_false(event_check(&end, sizeof(end)));
	assert_true(event_check(&thread, sizeof(thread)));
	memset(thread.name, 'x', sizeof(thread.name));
	assert_false(event_check(&thread, sizeof(thread)));
	assert_true(event_check(&map, sizeof(map)));
	map.end = map.start;
	assert_false(event_check(&map, sizeof(map)));
}

static void texts_end_within_their_record(void **state)
{
	struct event_room room;
	struct event_symbol fixed = { .image = 3 };
	const struct event *e = event_make_symbol(&room, &fixed, "parse", "parse.c");

	assert_int_equal(e->size, sizeof(fixed) + 16); /* 6 + 8, padded */
	assert_true(event_check(e, e->size));
	memset(room.bytes + sizeof(fixed) + 6, 'x', 10);
	assert_false(event_check(e, e->size));
	memset(room.bytes + sizeof(fixed), 'x', 16);
	assert_false(event_check(e, e->size));
}

static void levels_are_counted_from_the_innermost(void **state)
{
	struct event_room room;
	struct event_inline fixed = { .image = 2, .levels = 3, .level = 2, .at_line = 8 };
	const struct event *e = event_make_inline(&room, &fixed, "f", "f.h", "g.c");

	assert_true(event_check(e, e->size));
	assert_string_equal(event_text(e, 2), "g.c");
	fixed.level = 3;
	e = event_make_inline(&room, &fixed, "f", "f.h", "g.c");
	assert_false(event_check(e, e->size));
	fixed.levels = INLINE_LEVELS + 1;
	e = event_make_inline(&room, &fixed, "f", "f.h", "g.c");
	assert_false(event_check(e, e->size));
}

static void texts_come_back(void **state)
{
	struct event_room room;
	struct event_probe probe = { .probe = 4, .cost = 620, .line = 310, .exit = EXIT_HOOK };
	struct event_target target = { .wall = 5, .hz = 99, .cpus = 2 };
	struct event_process process = { .pid = 42 };
	struct event_image image = { .image = 9, .build_id_size = 20 };
	const struct event *e;

	e = event_make_probe(&room, &probe, "handle*", "handle_request", NULL);
	assert_true(event_check(e, e->size));
	assert_int_equal(e->kind, EVENT_PROBE);
	assert_int_equal(((const struct event_probe *)e)->cost, 620);
	assert_string_equal(event_text(e, 0), "handle*");
	assert_string_equal(event_text(e, 1), "handle_request");
	assert_string_equal(event_text(e, 2), "");
	assert_string_equal(event_text(e, 3), "");
	e = event_make_target(&room, &target, "web-3", "6.18", "sonde record");
	assert_true(event_check(e, e->size));
	assert_string_equal(event_text(e, 2), "sonde record");
	e = event_make_process(&room, &process, "1234567");
	assert_int_equal(e->size, sizeof(process) + 8);
	assert_string_equal(event_text(e, 0), "1234567");
	e = event_make_image(&room, &image, "/usr/bin/x");
	assert_true(event_check(e, e->size));
	image.build_id_size = 21;
	e = event_make_image(&room, &image, "/usr/bin/x");
	assert_false(event_check(e, e->size));
}

static void long_texts_are_cut_between_characters(void **state)
{
	struct event_room room;
	struct event_symbol fixed = { 0 };
	char name[10001];
	const struct event *e;

	memset(name, 'n', 10000);
	name[10000] = 0;
	e = event_make_symbol(&room, &fixed, name, name);
	assert_true(event_check(e, e->size));
	assert_int_equal(strlen(event_text(e, 0)), EVENT_TEXT_MOST - 1);
	assert_int_equal(strlen(event_text(e, 1)), EVENT_TEXT_MOST - 1);

	memcpy(name + EVENT_TEXT_MOST - 3, "\xe2\x82\xac", 3); /* a euro sign on the border */
	e = event_make_symbol(&room, &fixed, name, "");
	assert_int_equal(strlen(event_text(e, 0)), EVENT_TEXT_MOST - 3);

	name[EVENT_TEXT_MOST - 1] = 0; /* exactly fits */
	memset(name, 'n', EVENT_TEXT_MOST - 1);
	e = event_make_symbol(&room, &fixed, name, "");
	assert_int_equal(strlen(event_text(e, 0)), EVENT_TEXT_MOST - 1);
}

static void buckets_lie_within_a_record_and_the_scale(void **state)
{
	static struct call_bucket buckets[NR_BUCKET];
	struct event_room room;
	struct event_calls fixed = { .probe = 1, .nr_buckets = NR_BUCKET };
	struct event_calls *c;

	for (unsigned i = 0; i < NR_BUCKET; i++)
		buckets[i] = (struct call_bucket){ i, i + 1 };
	c = (void *)event_make_calls(&room, &fixed, buckets);
	assert_int_equal(c->head.size, sizeof(fixed) + sizeof(buckets));
	assert_true(event_check(c, c->head.size));
	assert_memory_equal(c->buckets, buckets, sizeof(buckets));
	c->buckets[7].bucket = NR_BUCKET;
	assert_false(event_check(c, c->head.size));
	c->buckets[7].bucket = 7;
	c->nr_buckets++;
	assert_false(event_check(c, c->head.size));
	c->nr_buckets = UINT32_MAX;
	assert_false(event_check(c, c->head.size));
}

static void ends_lie_within_their_record(void **state)
{
	struct {
		struct event_ends ends;
		struct end_count counts[2];
	} e = { .ends = { .head = { EVENT_ENDS, sizeof(e), 0, 1 }, .nr_ends = 2 } };

	assert_true(event_check(&e, sizeof(e)));
	e.counts[1].reason = UINT32_MAX; /* not known is not wrong */
	assert_true(event_check(&e, sizeof(e)));
	e.ends.nr_ends = 3;
	assert_false(event_check(&e, sizeof(e)));
	e.ends.nr_ends = UINT32_MAX;
	assert_false(event_check(&e, sizeof(e)));
	e.ends.head.size = sizeof(e.ends) - 8;
	assert_false(event_check(&e, sizeof(e)));
}

static void every_end_has_a_word(void **state)
{
	for (unsigned i = 0; i < NR_SPAN_END; i++) {
		assert_non_null(span_end_words[i].name);
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(span_end_words[i].name, span_end_words[k].name);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_head_must_be_possible),
		cmocka_unit_test(a_kind_that_is_not_known_passes),
		cmocka_unit_test(a_known_kind_has_its_least_size),
		cmocka_unit_test(a_name_of_a_waker_ends),
		cmocka_unit_test(frames_lie_within_a_sample),
		cmocka_unit_test(enums_are_known_ones),
		cmocka_unit_test(texts_end_within_their_record),
		cmocka_unit_test(levels_are_counted_from_the_innermost),
		cmocka_unit_test(texts_come_back),
		cmocka_unit_test(long_texts_are_cut_between_characters),
		cmocka_unit_test(buckets_lie_within_a_record_and_the_scale),
		cmocka_unit_test(ends_lie_within_their_record),
		cmocka_unit_test(every_end_has_a_word),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("codec", tests, NULL, NULL);
}
