#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void *mem_checked(void *p, size_t size)
{
	if (p || !size)
		return p;
	fprintf(stderr, "sonde: out of memory (%zu bytes asked for)\n", size);
	exit(1);
}

void *mem_alloc(size_t size)
{
	return mem_checked(malloc(size), size);
}

void *mem_zeroed(size_t count, size_t size)
{
	return mem_checked(calloc(count, size), size);
}

void *mem_resize(void *old, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		return mem_checked(NULL, SIZE_MAX);
	return mem_checked(realloc(old, count * size), count * size);
}

void *mem_copy(const void *from, size_t size)
{
	void *to = mem_alloc(size);

	if (size)
		memcpy(to, from, size);
	return to;
}

char *mem_text(const char *from)
{
	return mem_text_part(from, strlen(from));
}

char *mem_text_part(const char *from, size_t length)
{
	char *to = mem_alloc(length + 1);

	memcpy(to, from, length);
	to[length] = 0;
	return to;
}

char *mem_format(const char *format, ...)
{
	va_list ap;
	char *to;
	int n;

	va_start(ap, format);
	n = vasprintf(&to, format, ap);
	va_end(ap);
	return n < 0 ? mem_checked(NULL, 1) : to;
}

void mem_free_auto(void *pointer_to_pointer)
{
	free(*(void **)pointer_to_pointer);
}

void mem_close_auto(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}
