#include "name/ksym.h"

#include <stdlib.h>
#include <string.h>

/* "0x12": what follows it; NULL: it is none. */
static const char *read_hex(const char *at, uint64_t *ret)
{
	char *end;

	if (strncmp(at, "0x", 2) != 0)
		return NULL;
	*ret = strtoull(at, &end, 16);
	return end > at + 2 ? end : NULL;
}

bool ksym_read(const char *text, uint64_t address, struct ksym *ret)
{
	const char *plus = strchr(text, '+'), *at, *close;
	uint64_t into;

	*ret = (struct ksym){ .name = text, .module = "" };
	if (!plus || plus == text)
		return false;
	ret->name_size = plus - text;
	at = read_hex(plus + 1, &into);
	if (!at || *at != '/')
		return false;
	at = read_hex(at + 1, &ret->length);
	if (!at || into >= ret->length || into > address)
		return false;
	ret->start = address - into;
	if (!*at)
		return true;
	close = strchr(at, ']');
	if (strncmp(at, " [", 2) != 0 || !close || close[1])
		return false;
	ret->module = at + 2;
	ret->module_size = close - ret->module;
	return true;
}
