/*
 * door_test - who is let in and who is not.
 */
#include "serve/door.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void hosts_are_addresses_or_our_own_name(void **state)
{
	static const char *const taken[] = {
		"127.0.0.1:7474", "127.0.0.1", "10.1.2.3:80", "localhost:8080", "LOCALHOST",
		"[::1]:7474",	  "[::1]",     "web-3:7474",  "WEB-3",
	};
	static const char *const refused[] = {
		"",
		"evil.example:7474",
		"localhost.evil.example",
		"127.0.0.1.evil.example",
		":7474",
		"[::1",
		"[localhost]:1",
		"::1",
		"web-3:x",
		"web-3:1x",
		"[]",
		"[::1]x",
		"web-34",
		"127.0.0.1:80@evil",
		"localhost /",
	};
	struct door d;
	struct error err;

	assert_int_equal(door_make(&d, &err), 0);
	strcpy(d.name, "web-3");
	for (unsigned i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		if (!door_takes_host(&d, taken[i]))
			fail_msg("'%s' is refused", taken[i]);
	for (unsigned i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		if (door_takes_host(&d, refused[i]))
			fail_msg("'%s' is taken", refused[i]);
	d.name[0] = 0;
	assert_false(door_takes_host(&d, ""));
}

static void a_long_host_is_refused(void **state)
{
	struct door d = { "" };
	char host[1000];

	memset(host, '1', sizeof(host) - 1);
	host[sizeof(host) - 1] = 0;
	assert_false(door_takes_host(&d, host));
}

static void origins_are_our_own(void **state)
{
	assert_true(door_takes_origin("", "localhost:7474"));
	assert_true(door_takes_origin("http://localhost:7474", "localhost:7474"));
	assert_false(door_takes_origin("http://localhost:7475", "localhost:7474"));
	assert_false(door_takes_origin("https://localhost:7474", "localhost:7474"));
	assert_false(door_takes_origin("http://localhost", "localhost:7474"));
	assert_false(door_takes_origin("null", "localhost:7474"));
	assert_false(door_takes_origin("http://", "localhost:7474"));
}

static void tokens_are_compared_whole(void **state)
{
	struct door d, other;
	struct error err;
	char token[DOOR_TOKEN + 2];

	assert_int_equal(door_make(&d, &err), 0);
	assert_int_equal(door_make(&other, &err), 0);
	assert_int_equal(strlen(d.token), DOOR_TOKEN);
	assert_true(door_takes_token(&d, d.token));
	assert_false(door_takes_token(&d, other.token));
	assert_false(door_takes_token(&d, ""));
	strcpy(token, d.token);
	strcat(token, "0");
	assert_false(door_takes_token(&d, token));
	token[DOOR_TOKEN - 1] ^= 1;
	token[DOOR_TOKEN] = 0;
	assert_false(door_takes_token(&d, token));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_are_addresses_or_our_own_name),
		cmocka_unit_test(a_long_host_is_refused),
		cmocka_unit_test(origins_are_our_own),
		cmocka_unit_test(tokens_are_compared_whole),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
