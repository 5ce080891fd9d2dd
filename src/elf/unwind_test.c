/* Entries of either section, and the pages that come of them. */
#include "elf/unwind.h"

#include "elf/cfi_build.h"
#include "elf/symtab.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/auxv.h>

#include <cmocka.h>

#define SP(offset) RULE(RULE_SP, (offset) / 8, 0)
#define PCREL_SDATA4 0x1b

/* What a CIE begins with. */
struct head {
	uint8_t version;
	const char *augmentation; /* 'P' gets an indirect pointer */
	uint8_t encoding;
	uint8_t address_size; /* of version 4 */
};

static const struct head plain = { 1, "zR", PCREL_SDATA4 };
static const struct head plain_debug = { 4, "", 0, 8 };

/* Returns its offset.  CFA = rsp + 8, RA at CFA - 8. */
static uint32_t cie_put(struct build *b, struct head h, bool eh)
{
	static const uint8_t program[] = { 0x0c, 7, 8, 0x90, 1 };
	uint32_t at = build_begin(b), sized;

	build_put(b, eh ? 0 : UINT64_MAX, b->wide && !eh ? 8 : 4);
	build_put(b, h.version, 1);
	build_put_bytes(b, h.augmentation, strlen(h.augmentation) + 1);
	if (!strcmp(h.augmentation, "eh"))
		build_put(b, 0x123456, 8);
	if (h.version == 4)
		build_put(b, h.address_size, 2); /* and segment size 0 */
	build_put(b, 1, 1);
	build_put(b, 0x78, 1);
	build_put(b, 16, 1);
	sized = b->bytes.count;
	if (h.augmentation[0] == 'z')
		build_put(b, 0, 1);
	for (const char *a = h.augmentation; *a; a++) {
		if (*a == 'R')
			build_put(b, h.encoding, 1);
		if (*a == 'L')
			build_put(b, PCREL_SDATA4, 1);
		if (*a == 'P')
			build_put(b, 0x9bull | 0x1234ull << 8, 5);
	}
	if (h.augmentation[0] == 'z')
		b->bytes.at[sized] = b->bytes.count - sized - 1;
	build_put_bytes(b, program, sizeof(program));
	build_end(b, at);
	return at;
}

static unsigned pointer_size(uint8_t encoding)
{
	static const uint8_t sizes[16] = {
		[0] = 8, [2] = 2, [3] = 4, [4] = 8, [0x0a] = 2, [0x0b] = 4, [0x0c] = 8
	};

	return sizes[encoding & 0x0f];
}

/* A function whose CFA is rsp + cfa. */
static void fde_put(struct build *b, uint32_t cie, struct head h, uint64_t start, uint64_t size,
		    uint8_t cfa)
{
	bool eh = strcmp(h.augmentation, "") || h.version != 4;
	uint32_t at = build_begin(b);
	unsigned width = pointer_size(h.encoding);

	build_put(b, eh ? b->bytes.count - cie : cie, b->wide && !eh ? 8 : 4);
	if ((h.encoding & 0x70) == 0x10)
		start -= BUILD_FRAMES + b->bytes.count;
	build_put(b, start, width);
	build_put(b, size, width);
	if (h.augmentation[0] == 'z')
		build_put(b, 0, 1);
	build_put(b, 0x0e | cfa << 8, 2);
	build_end(b, at);
}

static int build_table(const struct build *eh, const struct build *debug,
		       struct unwind_table *ret)
{
	struct error err = { "" };
	struct image *image;
	uint8_t *file;
	size_t size;
	int r;

	file = build_elf(eh, debug, &size);
	assert_int_equal(image_open_memory(file, size, "made", &image, &err), 0);
	r = unwind_build(image, ret, &err);
	image_close(image);
	free(file);
	return r;
}

static void table_of(struct build *eh, struct unwind_table *ret)
{
	assert_int_equal(build_table(eh, &(struct build){ 0 }, ret), 0);
	array_done(&eh->bytes);
}

static uint32_t at(const struct unwind_table *t, uint32_t offset)
{
	return unwind_find(t, BUILD_CODE + offset);
}

static void heads_of_every_kind_are_read(void **state)
{
	static const struct {
		struct head head;
		int gap; /* -1: can be used */
	} cases[] = {
		{ { 1, "zR", PCREL_SDATA4 }, -1 },
		{ { 1, "zPLR", PCREL_SDATA4 }, -1 },
		{ { 1, "zRS", PCREL_SDATA4 }, -1 },
		{ { 3, "zR", PCREL_SDATA4 }, -1 },
		{ { 4, "zR", PCREL_SDATA4, 8 }, -1 },
		{ { 1, "", 0 }, -1 },
		{ { 1, "z", 0 }, -1 },
		{ { 1, "eh", 0 }, -1 },
		{ { 1, "zR", 0x00 }, -1 }, /* absptr */
		{ { 1, "zR", 0x02 }, -1 }, /* udata2 */
		{ { 1, "zR", 0x03 }, -1 },
		{ { 1, "zR", 0x04 }, -1 },
		{ { 1, "zR", 0x0a }, -1 }, /* sdata2 */
		{ { 1, "zR", 0x0b }, -1 },
		{ { 1, "zR", 0x0c }, -1 },
		{ { 1, "zR", 0x10 }, -1 }, /* the same from itself on */
		{ { 1, "zR", 0x1a }, -1 },
		{ { 1, "zR", 0x1c }, -1 },
		{ { 1, "zR", 0x3b }, UNWIND_ENCODING }, /* there is no table here */
		{ { 1, "zR", 0x2b }, UNWIND_ENCODING },
		{ { 1, "zX", PCREL_SDATA4 }, UNWIND_AUGMENTATION },
		{ { 1, "armcc+", 0 }, UNWIND_AUGMENTATION },
		{ { 1, "zRRRRRRRRRRRRRRRR", 0 }, UNWIND_AUGMENTATION },
		{ { 2, "zR", PCREL_SDATA4 }, UNWIND_VERSION },
		{ { 4, "zR", PCREL_SDATA4, 4 }, UNWIND_VERSION },
	};

	for (unsigned i = 0; i < COUNT_OF(cases); i++)
		for (unsigned wide = 0; wide < 2; wide++) {
			struct build b = { .wide = wide };
			struct unwind_table t;
			uint32_t expected = cases[i].gap < 0 ? SP(24) : RULE_NONE;
			uint32_t cie = cie_put(&b, cases[i].head, true);

			fde_put(&b, cie, cases[i].head, BUILD_CODE + 0x10, 0x20, 24);
			table_of(&b, &t);
			if (at(&t, 0x10) != expected || at(&t, 0x2f) != expected ||
			    at(&t, 0x0f) != RULE_NONE || at(&t, 0x30) != RULE_NONE ||
			    t.counts.fdes != (cases[i].gap < 0))
				fail_msg("version %u '%s' %#x", cases[i].head.version,
					 cases[i].head.augmentation, cases[i].head.encoding);
			if (cases[i].gap >= 0)
				assert_int_equal(t.counts.gaps[cases[i].gap], 1);
			unwind_done(&t);
		}
}

static void debug_frame_fills_what_eh_frame_leaves_open(void **state)
{
	for (unsigned wide = 0; wide < 2; wide++) {
		struct build eh = { 0 }, debug = { .wide = wide };
		struct unwind_table t;
		uint32_t cie = cie_put(&eh, plain, true);

		fde_put(&eh, cie, plain, BUILD_CODE + 0x100, 0x100, 16);
		cie = cie_put(&debug, plain_debug, false);
		fde_put(&debug, cie, plain_debug, BUILD_CODE + 0x100, 0x100, 32);
		fde_put(&debug, cie, plain_debug, BUILD_CODE + 0x180, 0x80, 40);
		fde_put(&debug, cie, plain_debug, BUILD_CODE + 0x200, 0x100, 48);
		fde_put(&debug, cie, plain_debug, 0, 0x100, 56); /* of a dropped function */
		assert_int_equal(build_table(&eh, &debug, &t), 0);
		assert_int_equal(at(&t, 0x100), SP(16));
		assert_int_equal(at(&t, 0x1ff), SP(16));
		assert_int_equal(at(&t, 0x200), SP(48));
		assert_int_equal(at(&t, 0x300), RULE_NONE);
		assert_int_equal(t.counts.gaps[UNWIND_OUTSIDE], 1);
		assert_int_equal(t.counts.cies, 2);
		unwind_done(&t);
		array_done(&eh.bytes);
		array_done(&debug.bytes);
	}
}

static void entries_come_in_any_order_and_may_overlap(void **state)
{
	struct build b = { 0 };
	struct unwind_table t;
	uint32_t cie = cie_put(&b, plain, true);

	fde_put(&b, cie, plain, BUILD_CODE + 0x300, 0x100, 48);
	fde_put(&b, cie, plain, BUILD_CODE + 0x100, 0x100, 16);
	fde_put(&b, cie, plain, BUILD_CODE + 0x100, 0x80, 24);	/* again: the first counts */
	fde_put(&b, cie, plain, BUILD_CODE + 0x380, 0x100, 56); /* overlaps: the later counts */
	fde_put(&b, cie, plain, BUILD_CODE + 0x200, 0, 64);	/* empty */
	fde_put(&b, cie, plain, BUILD_CODE + 0x208, 0x8, 32);
	build_put(&b, 0, 4); /* a terminator, and more behind */
	fde_put(&b, cie, plain, BUILD_CODE + BUILD_CODE_SIZE - 0x10, 0x100000, 72);
	table_of(&b, &t);
	assert_int_equal(at(&t, 0xff), RULE_NONE);
	assert_int_equal(at(&t, 0x100), SP(16));
	assert_int_equal(at(&t, 0x1ff), SP(16));
	assert_int_equal(at(&t, 0x200), SP(16)); /* padding */
	assert_int_equal(at(&t, 0x208), SP(32));
	assert_int_equal(at(&t, 0x210), RULE_NONE);
	assert_int_equal(at(&t, 0x300), SP(48));
	assert_int_equal(at(&t, 0x37f), SP(48));
	assert_int_equal(at(&t, 0x380), SP(56));
	assert_int_equal(at(&t, 0x47f), SP(56));
	assert_int_equal(at(&t, 0x480), RULE_NONE);
	assert_int_equal(at(&t, BUILD_CODE_SIZE - 1), SP(72));
	assert_int_equal(at(&t, BUILD_CODE_SIZE), RULE_NONE);
	unwind_done(&t);
}

static void every_page_begins_with_the_rule_in_force(void **state)
{
	struct build b = { 0 };
	struct unwind_table t;
	uint32_t cie = cie_put(&b, plain, true);

	fde_put(&b, cie, plain, BUILD_CODE + 0x800, 0x3000, 24);
	table_of(&b, &t);
	assert_int_equal(t.first_page, BUILD_CODE >> ROW_PAGE_SHIFT);
	assert_int_equal(t.nr_pages, BUILD_CODE_SIZE >> ROW_PAGE_SHIFT);
	assert_int_equal(t.rows.count, t.nr_pages + 2);
	for (uint32_t i = 0; i < t.nr_pages; i++) {
		static const uint32_t first[] = { RULE_NONE, SP(24), SP(24), SP(24) };
		uint32_t expected = i < COUNT_OF(first) ? first[i] : RULE_NONE;

		assert_int_equal(t.pages[i].count, i == 0 || i == 3 ? 2 : 1);
		assert_int_equal(t.rows.at[t.pages[i].first], ROW(0, expected));
	}
	assert_int_equal(t.rows.at[t.pages[3].first + 1], ROW(0x800, RULE_NONE));
	assert_int_equal(unwind_size(&t), t.nr_pages * 8 + t.rows.count * 4);
	unwind_done(&t);
}

static void a_page_with_too_many_rows_is_cut_and_counted(void **state)
{
	struct build b = { 0 };
	struct unwind_table t;
	uint32_t cie = cie_put(&b, plain, true), begin = build_begin(&b);

	build_put(&b, b.bytes.count - cie, 4);
	build_put(&b, BUILD_CODE - (BUILD_FRAMES + b.bytes.count), 4);
	build_put(&b, 0x2000, 4);
	build_put(&b, 0, 1);
	for (unsigned i = 0; i < 0x1800; i++) /* another CFA at every byte */
		build_put(&b, 0x41000e | (16 + i % 2 * 8) << 8, 3);
	build_end(&b, begin);
	table_of(&b, &t);
	assert_int_equal(t.counts.pages_cut, 2);
	assert_int_equal(t.pages[0].count, UNWIND_PAGE_ROWS);
	assert_int_equal(at(&t, UNWIND_PAGE_ROWS - 2), SP(16));
	assert_int_equal(at(&t, UNWIND_PAGE_ROWS - 1), RULE_NONE);
	assert_int_equal(at(&t, 0xfff), RULE_NONE);
	assert_int_equal(at(&t, 0x1000), SP(16));
	assert_int_equal(at(&t, 0x1001), SP(24));
	assert_int_equal(at(&t, 0x2000), RULE_NONE);
	unwind_done(&t);
}

static void files_without_have_an_empty_table_and_broken_ones_say_so(void **state)
{
	struct build none = { 0 }, eh = { 0 };
	struct error err = { "" };
	struct unwind_table t;
	struct image *image;
	Elf64_Shdr s;
	uint8_t *file;
	size_t size;

	assert_int_equal(build_table(&none, &none, &t), 0);
	assert_int_equal(t.counts.fdes, 0);
	assert_int_equal(t.rows.count, t.nr_pages);
	assert_int_equal(at(&t, 0), RULE_NONE);
	unwind_done(&t);
	assert_int_equal(unwind_find(&t, 0), RULE_NONE);

	cie_put(&eh, plain, true);
	file = build_elf(&eh, &none, &size);
	memcpy(&s, file + size - 3 * sizeof(s), sizeof(s));
	s.sh_size = 1 << 20;
	memcpy(file + size - 3 * sizeof(s), &s, sizeof(s));
	assert_int_equal(image_open_memory(file, size, "made", &image, &err), 0);
	assert_int_equal(unwind_build(image, &t, &err), -EINVAL);
	assert_non_null(strstr(err.text, "'.eh_frame' of 'made'"));
	image_close(image);
	free(file);
	array_done(&eh.bytes);
}

/* The section headers are the last thing in it. */
static size_t vdso_size(const uint8_t *vdso)
{
	Elf64_Ehdr e;

	memcpy(&e, vdso, sizeof(e));
	return e.e_shoff + e.e_shnum * e.e_shentsize;
}

static void table_of_memory(const uint8_t *bytes, size_t size, struct unwind_table *ret)
{
	struct image *image;

	assert_int_equal(image_open_memory(bytes, size, "[vdso]", &image, NULL), 0);
	assert_int_equal(unwind_build(image, ret, NULL), 0);
	image_close(image);
}

static void the_vdso_is_read_from_memory_with_and_without_sections(void **state)
{
	const uint8_t *vdso = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	struct unwind_table with, without;
	AUTO_FREE uint8_t *copy = NULL;
	size_t size;
	Elf64_Ehdr e;

	if (!vdso) {
		print_message("# this kernel gives no vdso\n");
		skip();
	}
	size = vdso_size(vdso);
	copy = mem_copy(vdso, size);
	table_of_memory(copy, size, &with);
	memcpy(&e, copy, sizeof(e));
	e.e_shoff = e.e_shnum = 0;
	memcpy(copy, &e, sizeof(e));
	table_of_memory(copy, size, &without);
	assert_true(with.counts.fdes > 0);
	assert_true(with.rows.count > with.nr_pages);
	assert_int_equal(with.counts.fdes, without.counts.fdes);
	assert_int_equal(with.rows.count, without.rows.count);
	assert_memory_equal(with.rows.at, without.rows.at, with.rows.count * sizeof(uint32_t));
	unwind_done(&with);
	unwind_done(&without);
}

static uint64_t address_of(const struct image *image, const char *name)
{
	const struct symbol *s;
	uint64_t address;

	s = symtab_named(image_symbols(image), name);
	assert_non_null(s);
	assert_true(image_to_address(image, s->offset, &address));
	return address;
}

static void this_program_starts_at_the_bottom_of_its_stack(void **state)
{
	struct error err = { "" };
	struct unwind_table t;
	struct image *image;

	assert_int_equal(image_open("/proc/self/exe", "self", &image, &err), 0);
	assert_int_equal(unwind_build(image, &t, &err), 0);
	assert_int_equal(unwind_find(&t, address_of(image, "_start")),
			 RULE_SPECIAL_OF(RULE_END));
	assert_int_equal(unwind_find(&t, address_of(image, "main")), SP(8));
	assert_int_equal(unwind_find(&t, address_of(image, "unwind_build")), SP(8));
	assert_true(t.counts.covered_bytes > 10000);
	assert_int_equal(t.counts.gaps[UNWIND_BROKEN], 0);
	unwind_done(&t);
	image_close(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads_of_every_kind_are_read),
		cmocka_unit_test(debug_frame_fills_what_eh_frame_leaves_open),
		cmocka_unit_test(entries_come_in_any_order_and_may_overlap),
		cmocka_unit_test(every_page_begins_with_the_rule_in_force),
		cmocka_unit_test(a_page_with_too_many_rows_is_cut_and_counted),
		cmocka_unit_test(files_without_have_an_empty_table_and_broken_ones_say_so),
		cmocka_unit_test(the_vdso_is_read_from_memory_with_and_without_sections),
		cmocka_unit_test(this_program_starts_at_the_bottom_of_its_stack),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
