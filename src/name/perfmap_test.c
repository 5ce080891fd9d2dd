#include "name/perfmap.h"

#include "base/clock.h"
#include "base/mem.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

static char *in_folder(const char *name)
{
	return mem_format("%s/%s", folder, name);
}

static void append(const char *path, const char *text)
{
	FILE *f = fopen(path, "a");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static const char *ask(struct perfmap *p, uint64_t address, uint64_t now)
{
	uint64_t start, length;

	return perfmap_find(p, address, now, &start, &length);
}

static void later_lines_hold(void **state)
{
	AUTO_FREE char *path = in_folder("perf-1.map");
	struct perfmap *p = perfmap_new(path);

	append(path,
	       "1000 40 first\n1040 20 second one\nnonsense\n2000 0 empty\n1000 10 newer\n");
	assert_string_equal(ask(p, 0x1008, 1), "newer");
	assert_string_equal(ask(p, 0x1020, 1), "first");
	assert_string_equal(ask(p, 0x105f, 1), "second one");
	assert_null(ask(p, 0x1060, 1));
	assert_null(ask(p, 0x2000, 1));
	perfmap_free(p);
}

static void what_is_appended_is_read_once_a_second(void **state)
{
	AUTO_FREE char *path = in_folder("perf-2.map");
	struct perfmap *p = perfmap_new(path);

	assert_null(ask(p, 0x5000, NSEC_PER_SEC));
	append(path, "5000 10 late\n6000 10 half of a li");
	assert_null(ask(p, 0x5000, NSEC_PER_SEC + 1));
	assert_string_equal(ask(p, 0x5000, 3 * NSEC_PER_SEC), "late");
	append(path, "ne\n");
	assert_string_equal(ask(p, 0x6000, 5 * NSEC_PER_SEC), "half of a line");
	perfmap_free(p);
}

static void a_file_that_is_no_plain_one_is_refused(void **state)
{
	AUTO_FREE char *real = in_folder("real"), *fifo = in_folder("fifo");
	AUTO_FREE char *link_path = in_folder("link"), *twice = in_folder("twice");
	const char *bad[] = { fifo, link_path, twice };

	append(real, "1000 40 f\n");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(symlink(real, link_path), 0);
	assert_int_equal(link(real, twice), 0);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct perfmap *p = perfmap_new(bad[i]);

		assert_null(ask(p, 0x1000, 1));
		assert_non_null(strstr(perfmap_problem(p), "not used"));
		perfmap_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(later_lines_hold),
		cmocka_unit_test(what_is_appended_is_read_once_a_second),
		cmocka_unit_test(a_file_that_is_no_plain_one_is_refused),
	};
	AUTO_FREE char *remove_it = NULL;
	int failed;

	snprintf(folder, sizeof(folder), "/tmp/sonde-perfmap-XXXXXX");
	if (!mkdtemp(folder))
		return 1;
	cmocka_set_message_output(CM_OUTPUT_TAP);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	remove_it = mem_format("rm -r %s", folder);
	return system(remove_it) || failed;
}
