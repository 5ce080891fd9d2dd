#include "source/names.h"

#include "base/text.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Behind '[': how long the choice is, with both brackets; 0: it does not end, and so is a
 * plain '['. */
static size_t choice_length(const char *at)
{
	size_t i = 1;

	if (at[i] == '!' || at[i] == '^')
		i++;
	if (at[i] == ']')
		i++;
	while (at[i] && at[i] != ']') {
		if (at[i] == '[' && at[i + 1] && strchr(":.=", at[i + 1])) {
			const char ends[] = { at[i + 1], ']', 0 };
			const char *end = strstr(at + i + 2, ends);

			i = end ? (size_t)(end + 2 - at) : i + 1;
		} else {
			i += at[i] == '\\' && at[i + 1] ? 2 : 1;
		}
	}
	return at[i] ? i + 1 : 0;
}

static size_t element_length(const char *at)
{
	size_t choice = *at == '[' ? choice_length(at) : 0;

	if (choice)
		return choice;
	return *at == '\\' && at[1] ? 2 : 1;
}

static void add_element(struct name_rule *rule, const char *at, size_t length)
{
	AUTO_TEXT struct text element = { 0 };

	text_add_part(&element, at, length);
	for (unsigned c = 1; c < 256; c++) {
		const char name[] = { (char)c, 0 };

		if (text_glob(text_string(&element), name))
			rule->accepts[c] |= 1ull << rule->count;
	}
}

int names_rule(const char *glob, struct name_rule *ret, struct error *err)
{
	struct name_rule rule = { .count = 0 };
	bool star = false;
	size_t length;

	for (const char *at = glob; *at; at += length) {
		length = element_length(at);
		if (star && *at == '*')
			continue;
		if (rule.count == NAME_RULE_ELEMENTS)
			return error_set(
				err, EINVAL,
				"the pattern '%s' is too long: names of threads have no "
				"more than %u letters",
				glob, NAME_RULE_BYTES - 1);
		star = *at == '*';
		if (star)
			rule.stars |= 1ull << rule.count;
		else
			add_element(&rule, at, length);
		rule.count++;
	}
	*ret = rule;
	return 0;
}
