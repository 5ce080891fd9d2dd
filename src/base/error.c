#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *err, int code, const char *format, ...)
{
	va_list ap;

	if (!err)
		return -code;
	va_start(ap, format);
	vsnprintf(err->text, sizeof(err->text), format, ap);
	va_end(ap);
	return -code;
}

void error_prefix(struct error *err, const char *format, ...)
{
	char old[sizeof(err->text)];
	size_t length;
	va_list ap;

	if (!err)
		return;
	memcpy(old, err->text, sizeof(old));
	va_start(ap, format);
	vsnprintf(err->text, sizeof(err->text), format, ap);
	va_end(ap);
	length = strlen(err->text);
	snprintf(err->text + length, sizeof(err->text) - length, ": %.*s",
		 (int)(sizeof(old) - 3), old);
}
