/*
 * listen_test - sockets where they are asked for, and nowhere else.
 */
#include "serve/listen.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/listen_test.XXXXXX";

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	return rmdir(folder);
}

static const char *path_of(const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void a_port_is_found(void **state)
{
	struct listen_place first, second;
	struct error err;

	assert_int_equal(listen_open(NULL, &first, &err), 0);
	assert_string_equal(first.host, "127.0.0.1");
	assert_in_range(first.port, LISTEN_PORT, LISTEN_PORT + LISTEN_PORTS - 1);
	assert_int_equal(listen_open("127.0.0.1", &second, &err), 0);
	assert_true(second.port > first.port && second.moved);
	assert_int_equal(listen_accept(&first), -1);
	listen_close(&first);
	listen_close(&second);
}

static void a_port_that_is_asked_for_is_it(void **state)
{
	struct listen_place first, second;
	struct error err;
	char where[64];

	assert_int_equal(listen_open("127.0.0.1:0", &first, &err), 0);
	assert_true(first.port > 0);
	snprintf(where, sizeof(where), "%u", first.port);
	assert_int_equal(listen_open(where, &second, &err), -EADDRINUSE);
	assert_non_null(strstr(err.text, "something else does"));
	listen_close(&first);
	assert_int_equal(listen_open(where, &second, &err), 0);
	assert_int_equal(second.port, first.port);
	listen_close(&second);
	snprintf(where, sizeof(where), "localhost:%u", first.port);
	assert_int_equal(listen_open(where, &second, &err), 0);
	listen_close(&second);
}

static void what_is_no_place_is_said(void **state)
{
	static const char *const wrong[] = {
		"",	      ":80",	       "example:80",
		"127.0.0.1:", "127.0.0.1:x",   "127.0.0.1:65536",
		"7474747",    "[::1",	       "[]:80",
		"1.2.3.4.5",  "127.0.0.1:80x", "::1:80x",
		"-1",	      "65536",
	};

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct error err = { "" };
		struct listen_place l;

		if (listen_open(wrong[i], &l, &err) >= 0)
			fail_msg("'%s' is taken", wrong[i]);
		assert_true(err.text[0] && l.fd < 0);
	}
}

static void a_unix_socket_is_its_owners(void **state)
{
	struct listen_place l, second;
	struct error err;
	struct stat st;

	assert_int_equal(listen_open(path_of("s"), &l, &err), 0);
	assert_int_equal(stat(path_of("s"), &st), 0);
	assert_true(S_ISSOCK(st.st_mode) && (st.st_mode & 0777) == 0600);
	assert_int_equal(listen_open(path_of("s"), &second, &err), -EADDRINUSE);
	listen_close(&l);
	assert_int_equal(stat(path_of("s"), &st), -1);
}

static void a_socket_that_was_left_is_taken_over(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct listen_place l;
	struct error err;

	strcpy(address.sun_path, path_of("left"));
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	assert_int_equal(listen_open(path_of("left"), &l, &err), 0);
	listen_close(&l);
}

static void another_file_is_left_alone(void **state)
{
	FILE *f = fopen(path_of("file"), "w");
	struct listen_place l;
	struct error err;

	fclose(f);
	assert_int_equal(listen_open(path_of("file"), &l, &err), -EADDRINUSE);
	assert_int_equal(unlink(path_of("file")), 0);
	assert_int_equal(listen_open(path_of("no/such/folder"), &l, &err), -ENOENT);
	assert_int_equal(listen_open("/a/path/that/is/longer/than/the/hundred/and/eight/bytes/"
				     "that/a/socket's/address/has/room/for/in/struct/"
				     "sockaddr_un",
				     &l, &err),
			 -ENAMETOOLONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_port_is_found),
		cmocka_unit_test(a_port_that_is_asked_for_is_it),
		cmocka_unit_test(what_is_no_place_is_said),
		cmocka_unit_test(a_unix_socket_is_its_owners),
		cmocka_unit_test(a_socket_that_was_left_is_taken_over),
		cmocka_unit_test(another_file_is_left_alone),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
