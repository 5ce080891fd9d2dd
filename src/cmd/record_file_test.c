#include "cmd/record_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64], path[128];

static int make_folder(void **state)
{
	strcpy(folder, "/tmp/record_file_test.XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/a.sonde", folder);
	return 0;
}

static int remove_folder(void **state)
{
	unlink(path);
	return rmdir(folder); /* fails when something was left in it */
}

static unsigned count_files(void)
{
	DIR *d = opendir(folder);
	unsigned n = 0;

	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static void write_old(void)
{
	FILE *f = fopen(path, "w");

	fputs("old", f);
	fclose(f);
}

static off_t size(void)
{
	struct stat st;

	return stat(path, &st) < 0 ? -1 : st.st_size;
}

static void it_is_there_once_it_is_kept(void **state)
{
	struct record_file f;
	struct stat st;

	assert_int_equal(record_file_open(&f, path, NULL), 0);
	assert_non_null(f.writer);
	assert_int_equal(size(), -1);
	assert_int_equal(record_file_keep(&f, NULL), 0);
	record_file_done(&f);
	assert_true(size() > 0);
	assert_int_equal(count_files(), 1);
	stat(path, &st);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void what_was_there_stays_where_it_is_not(void **state)
{
	struct record_file f;

	write_old();
	assert_int_equal(record_file_open(&f, path, NULL), 0);
	record_file_done(&f);
	assert_int_equal(size(), 3);
	assert_int_equal(count_files(), 1);

	assert_int_equal(record_file_open(&f, path, NULL), 0);
	assert_int_equal(record_file_keep(&f, NULL), 0);
	record_file_done(&f);
	assert_true(size() > 3);
}

static void pipes_and_links_are_not_replaced(void **state)
{
	char link[160];
	struct record_file f;
	struct stat st;

	snprintf(link, sizeof(link), "%s/link", folder);
	write_old();
	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(record_file_open(&f, link, NULL), 0);
	assert_int_equal(record_file_keep(&f, NULL), 0);
	record_file_done(&f);
	assert_true(size() > 3);
	lstat(link, &st);
	assert_true(S_ISLNK(st.st_mode));
	unlink(link);

	assert_int_equal(record_file_open(&f, "/dev/null", NULL), 0);
	assert_int_equal(record_file_keep(&f, NULL), 0);
	record_file_done(&f);
	stat("/dev/null", &st);
	assert_true(S_ISCHR(st.st_mode));
}

static void an_error_says_which_file(void **state)
{
	struct record_file f;
	struct error err = { "" };

	assert_true(record_file_open(&f, "/nowhere/at/all.sonde", &err) < 0);
	assert_string_equal(err.text,
			    "cannot write '/nowhere/at/all.sonde': No such file or directory");
	record_file_done(&f);
	assert_true(record_file_open(&f, folder, &err) < 0);
	record_file_done(&f);
}

static void a_trial_leaves_nothing(void **state)
{
	assert_int_equal(record_file_try(path, NULL), 0);
	assert_int_equal(size(), -1);
	write_old();
	assert_int_equal(record_file_try(path, NULL), 0);
	assert_int_equal(size(), 3);
	assert_int_equal(record_file_try("/dev/null", NULL), 0);
	assert_true(record_file_try("/nowhere/at/all.svg", NULL) < 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
	static const struct CMUnitTest tests[] = {
		TEST(it_is_there_once_it_is_kept),
		TEST(what_was_there_stays_where_it_is_not),
		TEST(pipes_and_links_are_not_replaced),
		TEST(an_error_says_which_file),
		TEST(a_trial_leaves_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
