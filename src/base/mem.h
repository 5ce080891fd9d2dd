/*
 * mem - allocation that does not fail.
 *
 * Out of memory ends the program with a message; every store that can grow is
 * therefore bounded by its owner.  Sizes are in bytes.  All results are freed
 * with free(3).
 */
#ifndef SONDE_BASE_MEM_H
#define SONDE_BASE_MEM_H

#include <stddef.h>
#include <stdlib.h>

void *mem_alloc(size_t size);
void *mem_zeroed(size_t count, size_t size);
/* Like realloc(old, count * size), with the product checked. */
void *mem_resize(void *old, size_t count, size_t size);
void *mem_copy(const void *from, size_t size);
char *mem_text(const char *from);
char *mem_text_part(const char *from, size_t length);
char *mem_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A zeroed object of a type: struct tree *t = NEW(struct tree); */
#define NEW(type) ((type *)mem_zeroed(1, sizeof(type)))

/* Frees a local pointer when its scope ends: AUTO_FREE char *path = ...; */
void mem_free_auto(void *pointer_to_pointer);
#define AUTO_FREE __attribute__((cleanup(mem_free_auto)))

/* Closes a local file descriptor (>= 0) when its scope ends. */
void mem_close_auto(int *fd);
#define AUTO_CLOSE __attribute__((cleanup(mem_close_auto)))

#endif
