/*
 * cfi_build - images with call frame information made to order, for tests.
 *
 * The image has code (without bytes) at BUILD_CODE, .eh_frame at BUILD_FRAMES
 * and .debug_frame nowhere, as the bytes of each were put.
 */
#ifndef SONDE_ELF_CFI_BUILD_H
#define SONDE_ELF_CFI_BUILD_H

#include "base/array.h"
#include "elf/section.h"

#define BUILD_CODE 0x3000u
#define BUILD_CODE_SIZE 0x6000u
#define BUILD_FRAMES 0xa000u

struct build {
	ARRAY(uint8_t) bytes;
	bool wide; /* 64-bit DWARF */
};

static inline void build_put(struct build *b, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		array_push(&b->bytes, (uint8_t)(v >> 8 * i));
}

static inline void build_put_bytes(struct build *b, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		array_push(&b->bytes, ((const uint8_t *)bytes)[i]);
}

/* Begins an entry; build_end() with the result ends it. */
static inline uint32_t build_begin(struct build *b)
{
	uint32_t at = b->bytes.count;

	build_put(b, b->wide ? UINT32_MAX : 0, 4);
	if (b->wide)
		build_put(b, 0, 8);
	return at;
}

static inline void build_end(struct build *b, uint32_t at)
{
	uint32_t size = b->wide ? 12 : 4, length = b->bytes.count - at - size;

	memcpy(b->bytes.at + at + size - 4 - (b->wide ? 4 : 0), &length, 4);
}

static inline Elf64_Shdr build_section(uint32_t name, uint64_t offset, uint64_t size)
{
	return (Elf64_Shdr){
		.sh_name = name, .sh_type = SHT_PROGBITS, .sh_offset = offset, .sh_size = size
	};
}

/* A whole ELF file in memory; free() it.  Either section may be without bytes. */
static inline uint8_t *build_elf(const struct build *eh, const struct build *debug,
				 size_t *ret_size)
{
	static const char names[32] = "\0.eh_frame\0.debug_frame\0.names";
	struct build file = { 0 };
	Elf64_Ehdr e = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
				      EV_CURRENT },
			 .e_type = ET_DYN,
			 .e_machine = EM_X86_64,
			 .e_phoff = sizeof(e),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 1,
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = 4,
			 .e_shstrndx = 3 };
	Elf64_Phdr p = { .p_type = PT_LOAD,
			 .p_flags = PF_X,
			 .p_vaddr = BUILD_CODE,
			 .p_filesz = BUILD_CODE_SIZE };
	uint64_t at = sizeof(e) + sizeof(p);
	Elf64_Shdr s[4] = {
		[1] = build_section(1, at + sizeof(names), eh->bytes.count),
		[2] = build_section(11, at + sizeof(names) + eh->bytes.count,
				    debug->bytes.count),
		[3] = build_section(24, at, sizeof(names)),
	};

	s[1].sh_addr = BUILD_FRAMES;
	e.e_shoff = s[2].sh_offset + s[2].sh_size;
	build_put_bytes(&file, &e, sizeof(e));
	build_put_bytes(&file, &p, sizeof(p));
	build_put_bytes(&file, names, sizeof(names));
	build_put_bytes(&file, eh->bytes.at, eh->bytes.count);
	build_put_bytes(&file, debug->bytes.at, debug->bytes.count);
	build_put_bytes(&file, s, sizeof(s));
	*ret_size = file.bytes.count;
	return file.bytes.at;
}

/* The same with a Go program's table instead. */
static inline uint8_t *build_elf_go(const struct build *table, size_t *ret_size)
{
	uint8_t *file = build_elf(&(struct build){ 0 }, table, ret_size);

	memcpy(file + sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) + 11, ".gopclntab", 11);
	return file;
}

#endif
