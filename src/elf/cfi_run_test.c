/* What programs of call frame information mean, instruction by instruction. */
#include "elf/cfi_build.h"
#include "elf/unwind.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define SP(offset, slot) RULE(RULE_SP, (offset) / 8, slot)
#define FP(offset, slot) RULE(RULE_FP, (offset) / 8, slot)
#define END RULE_SPECIAL_OF(RULE_END)
#define FUNCTION_SIZE 0x800
#define PROGRAM_MAX 64
#define ANSWERS_MAX 8

struct answer {
	uint32_t offset, rule;
};

/* A function whose CIE says CFA = rsp + 8, RA at CFA - 8. */
struct program_case {
	const char *name;
	uint8_t size;
	uint8_t bytes[PROGRAM_MAX];
	uint8_t count;
	struct answer answers[ANSWERS_MAX];
};

static const struct program_case cases[] = {
	{ "nothing", 0, { 0 }, 2, { { 0, SP(8, 0) }, { FUNCTION_SIZE - 1, SP(8, 0) } } },
	{ "push rbp; mov; leave",
	  12,
	  { 0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x48, 0x0c, 7, 8 },
	  5,
	  { { 0, SP(8, 0) },
	    { 1, SP(16, 1) },
	    { 4, FP(16, 1) },
	    { 11, FP(16, 1) },
	    { 12, SP(8, 0) } } }, /* the slot is below SP */
	{ "advance_loc1, 2, 4, of 1 to 4 bytes",
	  16,
	  { 0x02, 0x80, 0x0e, 16, 0x03, 0x00, 0x02, 0x0e, 24, 0x04, 0x00, 0x01, 0, 0, 0x0e,
	    32 },
	  6,
	  { { 0x7f, SP(8, 0) },
	    { 0x80, SP(16, 0) },
	    { 0x27f, SP(16, 0) },
	    { 0x280, SP(24, 0) },
	    { 0x380, SP(32, 0) },
	    { 0x400, SP(32, 0) } } },
	{ "set_loc is relative to itself",
	  7,
	  /* the operand is at BUILD_FRAMES + 0x28: see program_put() */
	  { 0x01, 0xe8, 0x8f, 0xff, 0xff, 0x0e, 16 },
	  2,
	  { { 0x0f, SP(8, 0) }, { 0x10, SP(16, 0) } } },
	{ "remember and restore",
	  15,
	  { 0x41, 0x0e, 16, 0x86, 2, 0x44, 0x0a, 0x0e, 8, 0xc6, 0x41, 0x0b, 0x41, 0x08, 6 },
	  5,
	  { { 1, SP(16, 1) },
	    { 5, SP(8, 0) },
	    { 6, SP(16, 1) },
	    { 7, SP(16, 0) },
	    { 100, SP(16, 0) } } },
	{ "restore goes back to the CIE",
	  9,
	  { 0x07, 16, 0x41, 0xd0, 0x41, 0x07, 16, 0x41, 0x06 },
	  2,
	  { { 0, END }, { 1, SP(8, 0) } } },
	{ "restore_extended",
	  6,
	  { 0x07, 16, 0x41, 0x06, 16, 0x00 },
	  2,
	  { { 0, END }, { 1, SP(8, 0) } } },
	{ "offsets that are signed and factored",
	  14,
	  { 0x12, 7, 0x7c, 0x41, 0x13, 0x7a, 0x11, 6, 2, 0x41, 0x05, 6, 0x03, 0x00 },
	  3,
	  { { 0, SP(32, 0) }, { 1, SP(48, 1) }, { 2, SP(48, 2) } } },
	{ "negative_offset_extended",
	  6,
	  { 0x0e, 32, 0x2f, 6, 0x7e, 0x00 },
	  1,
	  /* -(126) * -8 is above CFA: no slot */
	  { { 0, RULE_EXC_OF(0) } } },
	{ "RBP below SP was popped", 5, { 0x0e, 64, 0x86, 0x80, 1 }, 1, { { 0, SP(64, 0) } } },
	{ "args_size is read over",
	  6,
	  { 0x2e, 0x90, 0x01, 0x41, 0x0e, 16 },
	  2,
	  { { 0, SP(8, 0) }, { 1, SP(16, 0) } } },
	{ "window_save is ignored", 4, { 0x2d, 0x41, 0x0e, 16 }, 1, { { 1, SP(16, 0) } } },
	{ "RBP in a register is lost", 3, { 0x09, 6, 0 }, 1, { { 0, RULE_EXC_OF(0) } } },
	{ "RBP lost by val_offset", 3, { 0x14, 6, 2 }, 1, { { 0, RULE_EXC_OF(0) } } },
	{ "RA in a register cannot be followed",
	  6,
	  { 0x09, 16, 1, 0x41, 0x90, 1 },
	  2,
	  { { 0, RULE_NONE }, { 1, SP(8, 0) } } },
	{ "other registers are of no interest",
	  12,
	  { 0x83, 2, 0x05, 12, 3, 0x07, 13, 0x10, 3, 2, 0x77, 8 },
	  1,
	  { { 0, SP(8, 0) } } },
	{ "an unknown instruction ends it",
	  5,
	  { 0x41, 0x0e, 16, 0x41, 0x3f },
	  4,
	  { { 0, SP(8, 0) }, { 1, SP(16, 0) }, { 2, RULE_NONE }, { 100, RULE_NONE } } },
	{ "a cut off operand ends it",
	  4,
	  { 0x41, 0x0e, 0x80, 0x80 },
	  2,
	  { { 0, SP(8, 0) }, { 1, RULE_NONE } } },
	{ "restore_state without a state ends it",
	  2,
	  { 0x41, 0x0b },
	  2,
	  { { 0, SP(8, 0) }, { 1, RULE_NONE } } },
	{ "17 remembered states are too many",
	  18,
	  { 0x41, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10 },
	  2,
	  { { 0, SP(8, 0) }, { 1, RULE_NONE } } },
	{ "16 are not",
	  18,
	  { 0x41, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 11 },
	  2,
	  { { 0, SP(8, 0) }, { 1, SP(8, 0) } } },
	{ "what is behind the end does not count",
	  8,
	  { 0x03, 0xff, 0x07, 0x0e, 16, 0x50, 0x0e, 24 },
	  3,
	  { { 0x7fe, SP(8, 0) }, { 0x7ff, SP(16, 0) }, { 0x800, RULE_NONE } } },
	{ "a lazy PLT stub",
	  15,
	  { 0x0e, 16, 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22 },
	  1,
	  { { 0, RULE_SPECIAL_OF(RULE_PLT11) } } },
	{ "one of another length",
	  13,
	  { 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3a, 0x2a, 0x33, 0x24, 0x22 },
	  1,
	  { { 0, RULE_SPECIAL_OF(RULE_PLT10) } } },
	{ "one that is none",
	  13,
	  { 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x39, 0x2a, 0x33, 0x24, 0x22 },
	  1,
	  { { 0, RULE_NONE } } },
	{ "a signal trampoline",
	  18,
	  { 0x0f, 4, 0x77, 0xa0, 1, 0x06, 0x10, 6, 3, 0x77, 0xf8, 0, 0x10, 16, 3, 0x77, 0xa8,
	    1 },
	  1,
	  { { 0, RULE_SPECIAL_OF(RULE_SIGNAL) } } },
	{ "an expression that is cut off",
	  4,
	  { 0x0f, 2, 0x77, 0x80 },
	  1,
	  { { 0, RULE_NONE } } },
	{ "one that says it is longer than the program",
	  4,
	  { 0x0f, 0x7f, 0x77, 0x08 },
	  1,
	  { { 0, RULE_NONE } } },
	{ "CFA in no general register", 3, { 0x0c, 17, 8 }, 1, { { 0, RULE_NONE } } },
	{ "CFA that is too far for a rule",
	  8,
	  { 0x0e, 0x80, 0x80, 0x04, 0x41, 0x0e, 0xf8, 0x07 },
	  2,
	  { { 0, RULE_EXC_OF(0) }, { 1, SP(1016, 0) } } },
	{ "RBP in the last slot and behind",
	  8,
	  { 0x0e, 0xa0, 1, 0x86, 16, 0x41, 0x86, 17 },
	  2,
	  { { 0, SP(160, 15) }, { 1, RULE_EXC_OF(0) } } },
};

static void program_put(struct build *b, const uint8_t *bytes, uint8_t size)
{
	static const uint8_t cie[] = {
		1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1
	};
	uint32_t at = build_begin(b);

	build_put(b, 0, 4);
	build_put_bytes(b, cie, sizeof(cie));
	build_end(b, at);
	at = build_begin(b);
	build_put(b, b->bytes.count, 4);
	build_put(b, BUILD_CODE - (BUILD_FRAMES + b->bytes.count), 4);
	build_put(b, FUNCTION_SIZE, 4);
	build_put(b, 0, 1);
	build_put_bytes(b, bytes, size);
	build_end(b, at);
}

static void table_of(const struct build *b, struct unwind_table *ret)
{
	struct error err = { "" };
	struct image *image;
	uint8_t *file;
	size_t size;

	file = build_elf(b, &(struct build){ 0 }, &size);
	assert_int_equal(image_open_memory(file, size, "made", &image, &err), 0);
	assert_int_equal(unwind_build(image, ret, &err), 0);
	image_close(image);
	free(file);
}

static void table_of_program(const uint8_t *bytes, uint8_t size, struct unwind_table *ret)
{
	struct build b = { 0 };

	program_put(&b, bytes, size);
	table_of(&b, ret);
	array_done(&b.bytes);
}

static void every_instruction_means_what_dwarf_says(void **state)
{
	for (unsigned i = 0; i < COUNT_OF(cases); i++) {
		const struct program_case *c = &cases[i];
		struct unwind_table t;

		table_of_program(c->bytes, c->size, &t);
		for (unsigned n = 0; n < c->count; n++) {
			uint32_t rule = unwind_find(&t, BUILD_CODE + c->answers[n].offset);

			if (rule != c->answers[n].rule)
				fail_msg("%s: at %#x the rule is %#x, not %#x", c->name,
					 c->answers[n].offset, rule, c->answers[n].rule);
		}
		unwind_done(&t);
	}
}

static void what_is_no_plain_rule_is_an_exception(void **state)
{
	static const struct {
		uint8_t size, bytes[PROGRAM_MAX];
		struct rule_exc exc;
	} forms[] = {
		/* GCC's realigned main: CFA = *(rbp - 8), RBP at [rbp] */
		{ 10,
		  { 0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0 },
		  { 6, 1, RULE_RBP_AT_RBP, 0, -8, 0, 0, -8 } },
		/* OpenSSL: CFA = *(rsp + 120) + 8 */
		{ 8,
		  { 0x0f, 6, 0x77, 0xf8, 0, 0x06, 0x23, 8 },
		  { 7, 1, RULE_RBP_SAME, 0, 120, 8, 0, -8 } },
		/* DRAP before the prologue: CFA is r10 */
		{ 3, { 0x0c, 10, 0 }, { 10, 0, RULE_RBP_SAME, 0, 0, 0, 0, -8 } },
		{ 2, { 0x07, 6 }, { 7, 0, RULE_RBP_UNDEFINED, 0, 8, 0, 0, -8 } },
		{ 2, { 0x90, 2 }, { 7, 0, RULE_RBP_SAME, 0, 8, 0, 0, -16 } },
		{ 2, { 0x0e, 20 }, { 7, 0, RULE_RBP_SAME, 0, 20, 0, 0, -8 } },
	};

	for (unsigned i = 0; i < COUNT_OF(forms); i++) {
		struct unwind_table t;
		uint32_t rule;

		table_of_program(forms[i].bytes, forms[i].size, &t);
		rule = unwind_find(&t, BUILD_CODE);
		assert_int_equal(rule, RULE_EXC_OF(0));
		assert_int_equal(t.excs.count, 1);
		assert_memory_equal(&t.excs.at[0], &forms[i].exc, sizeof(struct rule_exc));
		unwind_done(&t);
	}
}

static void what_cannot_be_used_is_counted_by_kind(void **state)
{
	static const struct {
		uint8_t size, bytes[8];
		enum unwind_gap gap;
	} forms[] = {
		{ 3, { 0x41, 0x3f, 0 }, UNWIND_OPCODE },
		{ 2, { 0x41, 0x0b }, UNWIND_BROKEN },
		{ 4, { 0x0f, 2, 0x30, 0x31 }, UNWIND_EXPRESSION },
		{ 3, { 0x0c, 17, 8 }, UNWIND_REGISTER },
		{ 7, { 0x0e, 0xff, 0xff, 0xff, 0xff, 0xff, 1 }, UNWIND_OFFSET },
		{ 3, { 0x09, 16, 1 }, UNWIND_RETURN },
		{ 3, { 0x09, 6, 1 }, UNWIND_RBP },
	};

	for (unsigned i = 0; i < COUNT_OF(forms); i++) {
		struct unwind_table t;

		table_of_program(forms[i].bytes, forms[i].size, &t);
		for (unsigned n = 0; n < NR_UNWIND_GAP; n++)
			if (t.counts.gaps[n] != (n == forms[i].gap))
				fail_msg("form %u: %s is counted %u times", i,
					 unwind_gap_name(n), (unsigned)t.counts.gaps[n]);
		unwind_done(&t);
	}
}

/* Whatever is missing at the end, nothing is read that is not there. */
static void a_section_may_end_anywhere(void **state)
{
	for (unsigned i = 0; i < COUNT_OF(cases); i++) {
		struct build b = { 0 };

		program_put(&b, cases[i].bytes, cases[i].size);
		for (; b.bytes.count; b.bytes.count--) {
			struct unwind_table t;

			table_of(&b, &t);
			unwind_done(&t);
		}
		array_done(&b.bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_instruction_means_what_dwarf_says),
		cmocka_unit_test(what_is_no_plain_rule_is_an_exception),
		cmocka_unit_test(what_cannot_be_used_is_counted_by_kind),
		cmocka_unit_test(a_section_may_end_anywhere),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
