/*
 * fuzz_name - any bytes as a mangled name: the result is bounded, and soon there.
 *
 * sources: src/elf/demangle.c src/base/mem.c src/base/text.c
 * libraries: -liberty -lm
 */
#include "base/mem.h"
#include "base/text.h"
#include "elf/demangle.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	AUTO_FREE char *raw = mem_text_part((const char *)bytes, size);
	AUTO_TEXT struct text name = { 0 };

	demangle(raw, DEMANGLE_NAME, &name);
	demangle(raw, DEMANGLE_FULL, &name);
	assert(name.size <= 2 * size + 2 * (16 << 10) + 16);
	return 0;
}
