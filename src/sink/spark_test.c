#include "sink/spark.h"

#include "view/span_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void a_line_has_its_width(void **state)
{
	struct picture_span s = { 0 };
	AUTO_TEXT struct text t = { 0 };
	struct picture_bucket one = { 5, 6, 1 };

	spark_line(&t, &s, 40);
	assert_int_equal(t.size, 0);
	array_push(&s.buckets, one);
	spark_line(&t, &s, 1);
	assert_string_equal(text_string(&t), "█");
	text_clear(&t);
	add_bell(&s, 400e3, 20000, 0.2);
	spark_line(&t, &s, 10);
	assert_non_null(strstr(text_string(&t), "█"));
	array_done(&s.buckets);
}

/* What cannot be told from none is its first column. */
static void a_line_begins_at_what_is_told_from_none(void **state)
{
	struct picture_span s = { .probed_nsec = 16 * 5000 };
	AUTO_TEXT struct text t = { 0 };

	add_bell(&s, 1500, 9000, 0.1);
	add_bell(&s, 3500, 9000, 0.1);
	add_bell(&s, 400e3, 2000, 0.1);
	spark_line(&t, &s, 20);
	assert_int_equal(strncmp(text_string(&t), "█ ", strlen("█ ")), 0);
	array_done(&s.buckets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_its_width),
		cmocka_unit_test(a_line_begins_at_what_is_told_from_none),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
