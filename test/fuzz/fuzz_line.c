/*
 * fuzz_line - any bytes as a file with DWARF: where its functions are defined.
 *
 * DWARF is read by libdw, which the sanitizers see only where it calls libc;
 * what is tested is that our checks keep it from harm.
 *
 * sources: src/elf/*.c src/base/*.c
 */
#include "base/mem.h"
#include "elf/line.h"
#include "elf/symtab.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ASKED 200

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void ask(const struct image *image)
{
	struct lines *lines = lines_new(image, NSEC_PER_SEC);
	const struct symtab *symbols = image_symbols(image);
	const char *file;
	uint32_t line;

	for (uint32_t i = 0; i < symtab_count(symbols) && i < ASKED; i++)
		if (lines_find(lines, symtab_at(symbols, i)->offset, &file, &line))
			assert(line && strlen(file) < UINT32_MAX);
	lines_free(lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	AUTO_FREE char *path = mem_format("/proc/self/fd/%d", fd);
	struct image *image;

	if (write(fd, bytes, size) == (ssize_t)size &&
	    !image_open(path, "fuzz", &image, NULL)) {
		ask(image);
		image_close(image);
	}
	close(fd);
	return 0;
}
