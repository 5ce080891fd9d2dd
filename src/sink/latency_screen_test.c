#include "sink/latency_screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void add(struct picture_span *s, nsec low, nsec high, double count)
{
	array_push(&s->buckets, ((struct picture_bucket){ low, high, count }));
	s->calls += count;
}

/* The rows alone, without what is above them. */
static const char *rows(struct picture_span *s, unsigned lines, struct text *t)
{
	struct picture *p = picture_new();
	struct latency_now now = { 0 };
	const char *at, *took;

	text_clear(t);
	s->function = intern_text(&p->text, "serve");
	latency_draw(p, s, &now, 60, lines, t);
	picture_free(p);
	at = strstr(text_string(t), "max");
	took = strstr(at, "probes took");
	return strchr(took ? took : at, '\n') + 1;
}

static unsigned count(const char *s, const char *part)
{
	unsigned n = 0;

	for (; (s = strstr(s, part)); s += strlen(part))
		n++;
	return n;
}

static void rows_say_from_where_to_where(void **state)
{
	struct picture_span s = { .p50 = 600000 };
	AUTO_TEXT struct text t = { 0 };
	const char *drawn;

	add(&s, 600000, 610000, 80);
	add(&s, 800000, 820000, 40);
	add(&s, 1200000, 1210000, 1);
	drawn = rows(&s, 0, &t);
	assert_int_equal(count(drawn, "\n"), 3);
	assert_non_null(strstr(drawn, "  524–786 µs │█████"));
	assert_non_null(strstr(drawn, "80 ← p50\n"));
	assert_non_null(strstr(drawn, " 786–1049 µs │"));
	assert_non_null(strstr(drawn, "1.05–1.57 ms │"));
	array_done(&s.buckets);
}

static void many_empty_rows_are_one_line(void **state)
{
	struct picture_span s = { 0 };
	AUTO_TEXT struct text t = { 0 };
	const char *drawn;

	add(&s, 1000, 1010, 5);
	add(&s, 3000, 3010, 5);
	add(&s, 5000000, 5010000, 5);
	drawn = rows(&s, 0, &t);
	/* 768 ns, two empty ones, 2.05 µs, a run, 4.19 ms */
	assert_int_equal(count(drawn, "\n"), 6);
	assert_int_equal(count(drawn, "┊"), 1);
	array_done(&s.buckets);
}

static void rows_are_merged_until_they_fit(void **state)
{
	AUTO_TEXT struct text t = { 0 };

	for (unsigned lines = 6; lines < 40; lines++) {
		struct picture_span s = { 0 };

		for (nsec low = 1; low < NSEC_PER_SEC; low *= 2)
			add(&s, low, low + low / 4, 3);
		rows(&s, lines, &t);
		assert_true(count(text_string(&t), "\n") <= lines);
		assert_true(count(text_string(&t), "\n") * 2 + 4 >= lines);
		array_done(&s.buckets);
	}
}

static void what_is_not_told_from_none_is_one_row(void **state)
{
	struct picture_span s = { .probed_nsec = 16 * 400 };
	AUTO_TEXT struct text t = { 0 };
	const char *drawn;

	add(&s, 0, 1, 100);
	add(&s, 300, 310, 20);
	add(&s, 600, 610, 7);
	drawn = rows(&s, 0, &t);
	assert_int_equal(count(drawn, "\n"), 2);
	assert_non_null(strstr(drawn, "<512 ns │"));
	assert_non_null(strstr(drawn, " 120 ← p50"));
	assert_non_null(strstr(text_string(&t), "p50 <400 ns"));
	array_done(&s.buckets);
}

static void none_has_ended_is_not_none_was_seen(void **state)
{
	struct picture *p = picture_new();
	struct picture_span s = { .function = intern_text(&p->text, "serve") };
	struct latency_now now = { 0 };
	AUTO_TEXT struct text t = { 0 };

	latency_draw(p, &s, &now, 80, 0, &t);
	assert_non_null(strstr(text_string(&t), "no call was seen"));
	text_clear(&t);
	s.entries = s.open = 1;
	latency_draw(p, &s, &now, 80, 0, &t);
	assert_non_null(strstr(text_string(&t), "no call has ended yet"));
	picture_free(p);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_say_from_where_to_where),
		cmocka_unit_test(many_empty_rows_are_one_line),
		cmocka_unit_test(rows_are_merged_until_they_fit),
		cmocka_unit_test(what_is_not_told_from_none_is_one_row),
		cmocka_unit_test(none_has_ended_is_not_none_was_seen),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
