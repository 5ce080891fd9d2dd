#include "source/file.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define EVENTS 3000

/* A file that is removed when the test ends; path is written. */
static int new_file(char path[32])
{
	strcpy(path, "/tmp/file_test.XXXXXX");
	return mkstemp(path);
}

static void record(int fd)
{
	struct stream_writer *w;
	struct event_end end = { .head = { EVENT_END, sizeof(end), 0, EVENTS } };

	assert_int_equal(stream_writer_new(fd, "test", &w, NULL), 0);
	for (unsigned i = 0; i < EVENTS; i++) {
		struct event_exit e = { .head = { EVENT_EXIT, sizeof(e), i, i }, .pid = i };

		assert_int_equal(stream_writer_add(w, &e.head, NULL), 0);
		if (i % 1000 == 999)
			assert_int_equal(stream_writer_flush(w, NULL), 0);
	}
	assert_int_equal(stream_writer_add(w, &end.head, NULL), 0);
	assert_int_equal(stream_writer_flush(w, NULL), 0);
	stream_writer_free(w);
}

/* Events come in their order, with nothing left out before the last one seen. */
static void count(void *context, const struct event *e)
{
	unsigned *n = context;

	assert_int_equal(e->time, *n);
	++*n;
}

static void a_recording_is_replayed_in_order(void **state)
{
	struct stream_tally tally;
	struct error err;
	unsigned n = 0;
	char path[32];
	int fd = new_file(path);

	record(fd);
	assert_int_equal(file_replay(path, count, &n, &tally, &err), 0);
	assert_int_equal(n, EVENTS + 1);
	assert_true(tally.ended);
	assert_int_equal(tally.blocks, 4);
	n = 0;
	assert_int_equal(file_replay(path, count, &n, NULL, &err), 0);
	assert_int_equal(n, EVENTS + 1);
	unlink(path);
	close(fd);
}

static void a_cut_recording_gives_what_is_whole(void **state)
{
	struct stream_tally tally;
	struct error err;
	AUTO_TEXT struct text words = { 0 };
	unsigned n = 0;
	char path[32];
	int fd = new_file(path);

	record(fd);
	assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_END) - 10), 0);
	assert_int_equal(file_replay(path, count, &n, &tally, &err), 0);
	assert_int_equal(n, EVENTS);
	assert_false(tally.ended);
	assert_true(stream_tally_print(&tally, &words));
	assert_non_null(strstr(text_string(&words), "has no end"));
	unlink(path);
	close(fd);
}

static void standard_input_is_a_recording_too(void **state)
{
	struct error err;
	unsigned n = 0;
	char path[32];
	int fd = new_file(path), before = dup(STDIN_FILENO);

	record(fd);
	lseek(fd, 0, SEEK_SET);
	dup2(fd, STDIN_FILENO);
	assert_int_equal(file_replay("-", count, &n, NULL, &err), 0);
	dup2(before, STDIN_FILENO);
	assert_int_equal(n, EVENTS + 1);
	unlink(path);
	close(fd);
	close(before);
}

static void what_cannot_be_read_is_said(void **state)
{
	struct error err;
	unsigned n = 0;

	assert_int_equal(file_replay("/no/such.sonde", count, &n, NULL, &err), -ENOENT);
	assert_string_equal(err.text,
			    "cannot open '/no/such.sonde': No such file or directory");
	assert_int_equal(file_replay("/", count, &n, NULL, &err), -EISDIR);
	assert_int_equal(file_replay("/dev/null", count, &n, NULL, &err), -EINVAL);
	assert_string_equal(err.text, "'/dev/null' is empty");
	assert_int_equal(file_replay("/dev/zero", count, &n, NULL, &err), -EINVAL);
	assert_string_equal(err.text, "'/dev/zero' is not a recording of sonde");
	assert_int_equal(n, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recording_is_replayed_in_order),
		cmocka_unit_test(a_cut_recording_gives_what_is_whole),
		cmocka_unit_test(standard_input_is_a_recording_too),
		cmocka_unit_test(what_cannot_be_read_is_said),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
