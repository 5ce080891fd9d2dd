#include "source/names.h"

#include "base/text.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int fits(const char *glob, const char *name)
{
	char bytes[NAME_RULE_BYTES + 1] = "";
	struct name_rule rule;

	assert_int_equal(names_rule(glob, &rule, NULL), 0);
	strncpy(bytes, name, NAME_RULE_BYTES);
	return name_rule_fits(&rule, bytes);
}

static void patterns_are_as_ever(void **state)
{
	static const char *const globs[] = {
		"worker",  "work*",
		"*er",	   "*",
		"**",	   "",
		"w?rker",  "w[ao]rker",
		"w[!a]*",  "[^w]*",
		"[]w]*",   "[",
		"[w",	   "a[",
		"\\*",	   "\\w*",
		"work\\",  "*-[0-9]",
		"pool-*",  "*o*e*",
		"[a-]*",   "[[:alpha:]]*",
		"???????", "*[[:digit:]]",
		"[[:nix]", "*****r",
		"[w-o]*",  "w*r",
		"worker*", "*worker*",
	};
	static const char *const names[] = {
		"worker", "",	    "w",	   "warker",	"worker-1",
		"pool-7", "*",	    "[",	   "[w",	"a[",
		"]x",	  "-",	    "thread name", "w\xffrker", "123456789012345",
		"rrrrr",  "work\\", "er",
	};

	for (size_t g = 0; g < sizeof(globs) / sizeof(*globs); g++)
		for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++)
			if (fits(globs[g], names[n]) != text_glob(globs[g], names[n]))
				fail_msg("'%s' and '%s'", globs[g], names[n]);
}

static void so_are_random_ones(void **state)
{
	static const char letters[] = "ab*?[]-!\\";
	unsigned seed = 1, matched = 0;

	for (int round = 0; round < 200000; round++) {
		char glob[8] = "", name[8] = "";
		int length = rand_r(&seed) % 7, size = rand_r(&seed) % 6;

		for (int i = 0; i < length; i++)
			glob[i] = letters[rand_r(&seed) % (sizeof(letters) - 1)];
		for (int i = 0; i < size; i++)
			name[i] = letters[rand_r(&seed) % 3];
		matched += text_glob(glob, name);
		if (fits(glob, name) != text_glob(glob, name))
			fail_msg("'%s' and '%s'", glob, name);
	}
	assert_true(matched > 1000);
}

static void too_long_ones_are_refused(void **state)
{
	char glob[80];
	struct name_rule rule;
	struct error err = { "" };

	memset(glob, 'x', sizeof(glob));
	glob[NAME_RULE_ELEMENTS] = 0;
	assert_int_equal(names_rule(glob, &rule, &err), 0);
	glob[NAME_RULE_ELEMENTS] = 'x';
	glob[NAME_RULE_ELEMENTS + 1] = 0;
	assert_int_equal(names_rule(glob, &rule, &err), -EINVAL);
	assert_non_null(strstr(err.text, "too long"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_are_as_ever),
		cmocka_unit_test(so_are_random_ones),
		cmocka_unit_test(too_long_ones_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
