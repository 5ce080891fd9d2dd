#include "cmd/replace.h"

#include <dirent.h>
#include <errno.h>
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
	strcpy(folder, "/tmp/replace_test.XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/a.svg", folder);
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

static mode_t mode_of_file(void)
{
	struct stat st;

	return stat(path, &st) < 0 ? 0 : st.st_mode & 07777;
}

static int open_and_write(struct replace *r, mode_t mode)
{
	int code = replace_open(r, path, mode, REPLACE_NAMED, NULL);

	return code ? code : write(r->fd, "new file", 8) - 8;
}

static void it_is_there_once_it_is_kept(void **state)
{
	struct replace r;

	umask(022);
	assert_int_equal(open_and_write(&r, 0666), 0);
	assert_int_equal(size(), -1);
	assert_int_equal(replace_keep(&r, NULL), 0);
	replace_done(&r);
	assert_int_equal(size(), 8);
	assert_int_equal(count_files(), 1);
	assert_int_equal(mode_of_file(), 0644);
}

static void what_was_there_stays_where_it_is_not(void **state)
{
	struct replace r;

	write_old();
	assert_int_equal(open_and_write(&r, 0644), 0);
	replace_done(&r);
	assert_int_equal(size(), 3);
	assert_int_equal(count_files(), 1);
	assert_int_equal(open_and_write(&r, 0644), 0);
	assert_int_equal(replace_keep(&r, NULL), 0);
	replace_done(&r);
	assert_int_equal(size(), 8);
}

static void its_mode_is_handed_on_unless_it_is_private(void **state)
{
	struct replace r;

	write_old();
	chmod(path, 0640);
	assert_int_equal(open_and_write(&r, 0644), 0);
	assert_int_equal(replace_keep(&r, NULL), 0);
	replace_done(&r);
	assert_int_equal(mode_of_file(), 0640);
	assert_int_equal(open_and_write(&r, 0600), 0);
	assert_int_equal(replace_keep(&r, NULL), 0);
	replace_done(&r);
	assert_int_equal(mode_of_file(), 0600);
}

static void pipes_and_links_are_not_replaced(void **state)
{
	char link[160];
	struct replace r;
	struct stat st;

	snprintf(link, sizeof(link), "%s/link", folder);
	write_old();
	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(replace_open(&r, link, 0644, REPLACE_NAMED, NULL), 0);
	assert_int_equal(replace_keep(&r, NULL), 0);
	replace_done(&r);
	assert_int_equal(size(), 0);
	lstat(link, &st);
	assert_true(S_ISLNK(st.st_mode));
	unlink(link);

	assert_int_equal(replace_open(&r, "/dev/null", 0644, REPLACE_NAMED, NULL), 0);
	assert_int_equal(replace_keep(&r, NULL), 0);
	replace_done(&r);
	stat("/dev/null", &st);
	assert_true(S_ISCHR(st.st_mode) && st.st_uid == 0);
}

/* Whoever can make files where sonde runs must not choose what it writes over. */
static void a_name_that_sonde_chose_leads_nowhere_else(void **state)
{
	char other[160];
	struct replace r;
	struct error err = { "" };

	snprintf(other, sizeof(other), "%s/other", folder);
	assert_int_equal(symlink(other, path), 0);
	assert_int_equal(replace_open(&r, path, 0600, REPLACE_CHOSEN, &err), -EEXIST);
	assert_non_null(strstr(err.text, "-o FILE"));
	replace_done(&r);
	assert_int_equal(access(other, F_OK), -1);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0); /* and does not wait for a reader */
	assert_int_equal(replace_open(&r, path, 0600, REPLACE_CHOSEN, &err), -EEXIST);
	replace_done(&r);
	unlink(path);
	write_old();
	assert_int_equal(replace_open(&r, path, 0600, REPLACE_CHOSEN, &err), 0);
	assert_int_equal(replace_keep(&r, NULL), 0);
	replace_done(&r);
}

static void an_error_says_which_file(void **state)
{
	struct replace r;
	struct error err = { "" };

	assert_true(replace_open(&r, "/nowhere/at/all.svg", 0644, REPLACE_NAMED, &err) < 0);
	assert_string_equal(err.text,
			    "cannot write '/nowhere/at/all.svg': No such file or directory");
	replace_done(&r);
	assert_true(replace_open(&r, folder, 0644, REPLACE_NAMED, &err) < 0);
	replace_done(&r);
}

static void a_trial_leaves_nothing(void **state)
{
	assert_int_equal(replace_try(path, NULL), 0);
	assert_int_equal(size(), -1);
	write_old();
	assert_int_equal(replace_try(path, NULL), 0);
	assert_int_equal(size(), 3);
	assert_int_equal(count_files(), 1);
	assert_int_equal(replace_try("/dev/null", NULL), 0);
	assert_true(replace_try(folder, NULL) < 0);
	assert_true(replace_try("/nowhere/at/all.svg", NULL) < 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
	static const struct CMUnitTest tests[] = {
		TEST(it_is_there_once_it_is_kept),
		TEST(what_was_there_stays_where_it_is_not),
		TEST(its_mode_is_handed_on_unless_it_is_private),
		TEST(pipes_and_links_are_not_replaced),
		TEST(a_name_that_sonde_chose_leads_nowhere_else),
		TEST(an_error_says_which_file),
		TEST(a_trial_leaves_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
