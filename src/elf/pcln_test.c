/* The table of a Go program in each of its formats, and cut, and lying. */
#include "elf/pcln.h"

#include "elf/cfi_build.h"
#include "elf/symtab.h"
#include "elf/unwind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define TEXT BUILD_CODE
#define NR_FUNCS 4

static const struct form {
	uint32_t magic;
	unsigned words;	  /* of the header behind the sizes */
	unsigned address; /* bytes of one */
	unsigned flags;	  /* in an entry, behind its address; 0: it has none */
} forms[] = {
	[PCLN_1_2] = { 0xfffffffb, 1, 8, 0 },
	[PCLN_1_16] = { 0xfffffffa, 7, 8, 33 },
	[PCLN_1_18] = { 0xfffffff0, 8, 4, 33 },
	[PCLN_1_20] = { 0xfffffff1, 8, 4, 37 },
};

static void set(struct build *b, uint64_t at, uint64_t v, unsigned size)
{
	memcpy(b->bytes.at + at, &v, size);
}

/* { by how much SP changes (zigzag), for how many bytes }, from -1 on */
static const uint8_t tables[] = { 0, 2,	 4, 48, 24, 47, 4, 0, /* 0 for 4, 24 for 24, 0 for 4 */
				  2, 32, 0,		      /* 0 for 32 */
				  4, 8,	 0, /* one byte for 8: nonsense */ };
static const struct {
	const char *name;
	uint8_t pcsp, flags;
} funcs[NR_FUNCS] = { { "main.f", 1, 0 },
		      { "runtime.goexit.abi0", 8, 1 },
		      { "runtime.systemstack", 8, 2 },
		      { "runtime.asyncPreempt.abi0", 1, 0 } };

/* Four functions of 64 bytes each, the last 32 of which are padding. */
static struct build table_of(enum pcln_format format, uint64_t text)
{
	const struct form *f = &forms[format];
	bool relative = format >= PCLN_1_18;
	struct build b = { 0 };
	uint64_t names, pctab, functab, base = relative ? 0 : text;

	build_put(&b, f->magic, 4);
	build_put(&b, 0x08010000, 4);
	build_put(&b, NR_FUNCS, 8);
	for (unsigned i = 1; i < f->words; i++)
		build_put(&b, 0, 8);
	functab = b.bytes.count;
	for (unsigned i = 0; i < 2 * NR_FUNCS + 1; i++)
		build_put(&b, base + 64 * (i / 2), f->address);
	pctab = b.bytes.count;
	build_put_bytes(&b, tables, sizeof(tables));
	names = b.bytes.count;
	for (unsigned i = 0; i < NR_FUNCS; i++) {
		uint64_t name = b.bytes.count, entry;

		build_put_bytes(&b, funcs[i].name, strlen(funcs[i].name) + 1);
		entry = b.bytes.count;
		set(&b, functab + f->address * (2 * i + 1),
		    format == PCLN_1_2 ? entry : entry - functab, f->address);
		build_put(&b, base + 64 * i, f->address);
		/* as long as such an entry is: the last one ends the section */
		for (unsigned j = 0; j < (format == PCLN_1_20 ? 10 : 9); j++)
			build_put(&b, 0, 4);
		set(&b, entry + f->address, name - (format == PCLN_1_2 ? 0 : names), 4);
		set(&b, entry + f->address + 12,
		    funcs[i].pcsp + (format == PCLN_1_2 ? pctab : 0), 4);
		if (f->flags)
			set(&b, entry + f->address + f->flags, funcs[i].flags, 1);
	}
	if (format == PCLN_1_2)
		return b;
	if (relative)
		set(&b, 24, text, 8);
	set(&b, 8 * f->words - 16 - 16, names, 8);
	set(&b, 8 * f->words - 8, pctab, 8);
	set(&b, 8 * f->words, functab, 8);
	return b;
}

static struct image *bare_image(void)
{
	struct build none = { 0 };
	struct image *image;
	size_t size;
	uint8_t *file = build_elf(&none, &none, &size);

	assert_int_equal(image_open_memory(file, size, "made", &image, NULL), 0);
	free(file);
	return image;
}

static bool open_table(struct pcln *p, struct build *b, uint32_t size)
{
	struct section s = { .name = ".gopclntab", .size = size };
	struct image *image = bare_image();
	bool good;

	array_push(&b->bytes, 0);
	b->bytes.count--;
	good = pcln_init(p, image, &s, b->bytes.at);
	image_close(image);
	return good;
}

static void note(void *store, uint64_t address, int64_t below)
{
	char *to = store;

	sprintf(to + strlen(to), "%llx:%lld ", (unsigned long long)address, (long long)below);
}

static void every_format_is_read(void **state)
{
	for (unsigned format = 0; format < COUNT_OF(forms); format++) {
		struct build b = table_of(format, TEXT);
		char rows[64] = "";
		struct pcln_func f;
		struct pcln p;

		assert_true(open_table(&p, &b, b.bytes.count));
		assert_int_equal(p.format, format);
		assert_int_equal(p.count, NR_FUNCS);
		assert_true(pcln_at(&p, 0, &f));
		assert_string_equal(f.name, "main.f");
		assert_int_equal(f.start, TEXT);
		assert_int_equal(f.end, TEXT + 32); /* without the padding */
		assert_false(f.outermost || f.switches);
		assert_int_equal(pcln_run(&p, &f, note, rows), TEXT + 32);
		assert_string_equal(rows, "3000:0 3004:24 301c:0 ");
		assert_true(pcln_at(&p, 1, &f));
		assert_string_equal(f.name, "runtime.goexit.abi0");
		assert_int_equal(f.start, TEXT + 64);
		assert_true(f.outermost); /* by its name where there are no flags */
		assert_true(pcln_at(&p, 2, &f));
		assert_int_equal(f.switches, forms[format].flags != 0);
		assert_false(f.injected);
		assert_true(pcln_at(&p, 3, &f));
		assert_true(f.injected);
		array_done(&b.bytes);
	}
}

static void a_table_that_is_cut_is_not_read_past_its_end(void **state)
{
	for (unsigned format = 0; format < COUNT_OF(forms); format++) {
		struct build b = table_of(format, TEXT);

		for (uint32_t size = 0; size < b.bytes.count; size++) {
			struct build cut = { 0 };
			struct pcln_func f;
			struct pcln p;

			build_put_bytes(&cut, b.bytes.at, size);
			if (open_table(&p, &cut, size))
				for (uint32_t i = 0; i < p.count; i++)
					if (pcln_at(&p, i, &f))
						assert_true(strlen(f.name) <= size);
			array_done(&cut.bytes);
		}
		array_done(&b.bytes);
	}
}

/* Go 1.26 writes 0 for where the code begins; this image has nothing that tells. */
static void code_that_nobody_can_place_is_none(void **state)
{
	struct build b = table_of(PCLN_1_20, 0);
	struct pcln p;

	assert_false(open_table(&p, &b, b.bytes.count));
	array_done(&b.bytes);
}

static void work_is_bounded(void **state)
{
	struct build b = table_of(PCLN_1_20, TEXT);
	struct pcln_func f;
	struct pcln p;

	assert_true(open_table(&p, &b, b.bytes.count));
	p.work = 5;
	assert_true(pcln_at(&p, 0, &f)); /* three steps */
	assert_true(pcln_at(&p, 0, &f)); /* two: its end is not reached */
	assert_int_equal(f.end, TEXT + 28);
	assert_int_equal(p.work, 0);
	array_done(&b.bytes);
}

/* From a file to rules and names. */
static void a_file_has_rules_and_names(void **state)
{
	/* at the entry, and with a frame of 24 bytes */
	static const struct rule_exc injected_at[] = {
		{ 7, 0, RULE_RBP_SAME, 1, 8, 0, 0, -8 },
		{ 7, 0, RULE_RBP_AT_CFA, 1, 32, 0, -16, -8 },
	};
	struct build b = table_of(PCLN_1_20, TEXT);
	struct unwind_table t;
	struct symtab *names;
	struct image *image;
	size_t size;
	uint8_t *file = build_elf_go(&b, &size);

	assert_int_equal(image_open_memory(file, size, "made", &image, NULL), 0);
	free(file);
	assert_int_equal(unwind_build(image, &t, NULL), 0);
	assert_int_equal(unwind_find(&t, TEXT), RULE_ENTRY);
	assert_int_equal(unwind_find(&t, TEXT + 4), RULE(RULE_SP, 4, 1));
	assert_int_equal(unwind_find(&t, TEXT + 28), RULE_ENTRY);
	assert_int_equal(unwind_find(&t, TEXT + 32), RULE_NONE); /* padding, but much */
	assert_int_equal(unwind_find(&t, TEXT + 64), RULE_SPECIAL_OF(RULE_END));
	assert_int_equal(unwind_find(&t, TEXT + 128), RULE_SPECIAL_OF(RULE_SWITCH));
	assert_int_equal(unwind_find(&t, TEXT + 192), RULE_EXC_OF(0));
	assert_int_equal(unwind_find(&t, TEXT + 196), RULE_EXC_OF(1));
	assert_memory_equal(&t.excs.at[0], &injected_at[0], sizeof(struct rule_exc));
	assert_memory_equal(&t.excs.at[1], &injected_at[1], sizeof(struct rule_exc));
	unwind_done(&t);
	names = symtab_load(image);
	assert_string_equal(symtab_origin(names), "pclntab");
	assert_int_equal(symtab_count(names), NR_FUNCS);
	assert_string_equal(symtab_at(names, 0)->raw, "main.f");
	assert_int_equal(symtab_at(names, 0)->size, 32);
	symtab_free(names);
	image_close(image);
	array_done(&b.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_format_is_read),
		cmocka_unit_test(a_table_that_is_cut_is_not_read_past_its_end),
		cmocka_unit_test(code_that_nobody_can_place_is_none),
		cmocka_unit_test(work_is_bounded),
		cmocka_unit_test(a_file_has_rules_and_names),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("pcln", tests, NULL, NULL);
}
