#include "probe/site.h"

#include "base/array.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define START 0x401000

#define BYTES(...) ((const uint8_t[]){ __VA_ARGS__ }), sizeof((const uint8_t[]){ __VA_ARGS__ })

static struct insn judge(const uint8_t *bytes, size_t size)
{
	return insn_judge(bytes, size, START);
}

static void the_kernel_emulates_these(void **state)
{
	assert_int_equal(judge(BYTES(0x55)).price, INSN_EMULATED);	 /* push %rbp */
	assert_int_equal(judge(BYTES(0x41, 0x57)).price, INSN_EMULATED); /* push %r15 */
	assert_int_equal(judge(BYTES(0x90)).price, INSN_EMULATED);	 /* nop */
	assert_int_equal(judge(BYTES(0xf3, 0x90)).price, INSN_EMULATED); /* pause */
	assert_int_equal(judge(BYTES(0x0f, 0x1f, 0x40, 0)).price, INSN_EMULATED);
	assert_int_equal(judge(BYTES(0x0f, 0x1f, 0x44, 0, 0)).price, INSN_NOP5);
	assert_int_equal(judge(BYTES(0x0f, 0x1f, 0x44, 0, 8)).price, INSN_NOP5);
	assert_int_equal(judge(BYTES(0xe8, 0, 0, 0, 0)).price, INSN_EMULATED); /* call */
	assert_int_equal(judge(BYTES(0xeb, 0)).price, INSN_EMULATED);	       /* jmp */
	assert_int_equal(judge(BYTES(0xf2, 0xe9, 0, 0, 0, 0)).price, INSN_EMULATED);
	assert_int_equal(judge(BYTES(0x74, 0)).price, INSN_EMULATED); /* je */
	assert_int_equal(judge(BYTES(0x0f, 0x85, 0, 0, 0, 0)).price, INSN_EMULATED);
}

static void the_kernel_steps_these(void **state)
{
	assert_int_equal(judge(BYTES(0xf3, 0x0f, 0x1e, 0xfa)).price,
			 INSN_STEPPED); /* endbr64 */
	assert_int_equal(judge(BYTES(0x89, 0xf8)).price, INSN_STEPPED);
	assert_int_equal(judge(BYTES(0x48, 0x83, 0xec, 8)).price, INSN_STEPPED); /* sub */
	assert_int_equal(judge(BYTES(0xc3)).price, INSN_STEPPED);
	assert_int_equal(judge(BYTES(0xff, 0x25, 0, 0, 0, 0)).price, INSN_STEPPED);
	assert_int_equal(judge(BYTES(0x6a, 5)).price, INSN_STEPPED); /* push $5 */
	assert_int_equal(judge(BYTES(0x64, 0x48, 0x8b, 4, 0x25, 0x28, 0, 0, 0)).price,
			 INSN_STEPPED); /* mov %fs:0x28 */
	assert_int_equal(judge(BYTES(0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0)).price,
			 INSN_STEPPED);
}

static void these_carry_no_probe(void **state)
{
	assert_int_equal(judge(BYTES(0xcc)).price, INSN_REFUSED);
	assert_int_equal(judge(BYTES(0xf4)).price, INSN_REFUSED);
	assert_int_equal(judge(BYTES(0x0f, 0x05)).price, INSN_REFUSED); /* syscall */
	assert_int_equal(judge(BYTES(0x0f, 0x0b)).price, INSN_REFUSED); /* ud2 */
	assert_int_equal(judge(BYTES(0xc5, 0xfd, 0xeb, 0xc1)).price, INSN_REFUSED); /* vpor */
	assert_int_equal(judge(BYTES(0xc5, 0xf8, 0x77)).price, INSN_REFUSED); /* vzeroupper */
	assert_int_equal(judge(BYTES(0xc4, 0xe2, 0x79, 0x18, 0x07)).price, INSN_REFUSED);
	assert_int_equal(judge(BYTES(0x62, 0xf1, 0x7d, 0x48, 0xeb, 0xc1)).price, INSN_REFUSED);
	assert_int_equal(judge(BYTES(0xf0, 0x0f, 0xc1, 0x02)).price, INSN_REFUSED); /* lock */
	assert_int_equal(judge(BYTES(0x3e, 0xff, 0xe0)).price, INSN_REFUSED); /* notrack */
	assert_int_equal(judge(BYTES(0x66, 0xe8, 0, 0)).price, INSN_REFUSED);
	assert_int_equal(judge(BYTES(0xe4, 0)).price, INSN_REFUSED); /* in */
}

static void branches_are_followed(void **state)
{
	struct insn i = judge(BYTES(0x75, 0xfe));

	assert_true(i.jumps && i.has_target && !i.ends);
	assert_int_equal(i.target, START);
	i = judge(BYTES(0xe9, 0x10, 0, 0, 0));
	assert_true(i.ends && !i.is_call);
	assert_int_equal(i.target, START + 5 + 16);
	i = judge(BYTES(0xe8, 0xfb, 0xff, 0xff, 0xff));
	assert_true(i.is_call);
	assert_int_equal(i.target, START);
	assert_true(judge(BYTES(0xff, 0xe0)).indirect);			  /* jmp *%rax */
	assert_true(judge(BYTES(0xff, 0x24, 0xc5, 0, 0, 0, 0)).indirect); /* table */
	assert_false(judge(BYTES(0xff, 0x25, 1, 0, 0, 0)).indirect);	  /* jmp *slot(%rip) */
	assert_true(judge(BYTES(0xff, 0xd0)).is_call);
	/* VEX with the opcode byte of a jump is none */
	assert_false(judge(BYTES(0xc5, 0xfd, 0xeb, 0xc1)).jumps);
}

static struct site_choice entry(const uint8_t *bytes, size_t size)
{
	struct decoder *d = decoder_new();
	struct function_code c = { .bytes = bytes, .size = size, .address = START };
	struct site_choice s;

	assert_non_null(d);
	site_entry(d, &c, &s);
	decoder_free(d);
	return s;
}

static void a_dear_entry_is_moved_to_a_cheap_one(void **state)
{
	/* endbr64; push %rbx; mov %edi,%eax; pop %rbx; ret */
	struct site_choice s =
		entry(BYTES(0xf3, 0x0f, 0x1e, 0xfa, 0x53, 0x89, 0xf8, 0x5b, 0xc3));

	assert_int_equal(s.offset, 4);
	assert_true(s.moved && s.decoded && s.sp_is_entry && !s.refused);
	assert_int_equal(s.price, INSN_EMULATED);
	/* test %rdi,%rdi; je 1f; mov %edi,%eax; ret; 1: xor %eax,%eax; ret */
	s = entry(BYTES(0x48, 0x85, 0xff, 0x74, 3, 0x89, 0xf8, 0xc3, 0x31, 0xc0, 0xc3));
	assert_int_equal(s.offset, 3);
	assert_string_equal(s.insn, "jcc");
	/* push first: stays */
	s = entry(BYTES(0x53, 0x89, 0xf8, 0x5b, 0xc3));
	assert_int_equal(s.offset, 0);
	assert_false(s.moved);
}

static void an_unwinder_s_way_out_is_no_jump_to_anywhere(void **state)
{
	/* endbr64; push %rbp; rdsspq %rax; incsspq %rax; pop %rcx; jmp *%rcx */
	struct site_choice s =
		entry(BYTES(0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0xf3, 0x48, 0x0f, 0x1e, 0xc8, 0xf3,
			    0x48, 0x0f, 0xae, 0xe8, 0x59, 0xff, 0xe1));

	assert_int_equal(s.offset, 4);
	assert_true(s.decoded);
	/* pop %rcx; jmp *%rdx; and by REX %r9, not %rcx */
	s = entry(BYTES(0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x59, 0xff, 0xe2));
	assert_int_equal(s.offset, 0);
	s = entry(BYTES(0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x59, 0x41, 0xff, 0xe1));
	assert_int_equal(s.offset, 0);
}

static void it_is_not_moved_where_sp_changes(void **state)
{
	/* sub $8,%rsp; call +0; add $8,%rsp; ret */
	struct site_choice s =
		entry(BYTES(0x48, 0x83, 0xec, 8, 0xe8, 0, 0, 0, 0, 0x48, 0x83, 0xc4, 8, 0xc3));

	assert_int_equal(s.offset, 0);
	assert_int_equal(s.price, INSN_STEPPED);
	/* lea -8(%rsp),%rsp; push %rbx */
	s = entry(BYTES(0x48, 0x8d, 0x64, 0x24, 0xf8, 0x53, 0xc3));
	assert_int_equal(s.offset, 0);
	/* and $-32,%rsp */
	s = entry(BYTES(0x48, 0x83, 0xe4, 0xe0, 0x53, 0xc3));
	assert_int_equal(s.offset, 0);
	/* push $5 (stepped, and it changes SP); push %rbx */
	s = entry(BYTES(0x6a, 5, 0x53, 0xc3));
	assert_int_equal(s.offset, 0);
}

static void it_is_not_moved_past_a_branch_target(void **state)
{
	/* mov %edi,%eax; 1: dec %eax; jne 1b; ret: jne runs once a turn */
	struct site_choice s = entry(BYTES(0x89, 0xf8, 0xff, 0xc8, 0x75, 0xfc, 0xc3));

	assert_int_equal(s.offset, 0);
	assert_false(s.moved);
	assert_null(s.refused);
	/* mov; push; jmp *%rax: who knows where it goes */
	s = entry(BYTES(0x89, 0xf8, 0x53, 0x5b, 0xff, 0xe0));
	assert_int_equal(s.offset, 0);
	/* mov; push; pop; jmp *slot(%rip): to another function */
	s = entry(BYTES(0x89, 0xf8, 0x53, 0x5b, 0xff, 0x25, 0, 0, 0, 0));
	assert_int_equal(s.offset, 2);
	/* mov; push; undecodable */
	s = entry(BYTES(0x89, 0xf8, 0x53, 0x06, 0x06));
	assert_int_equal(s.offset, 0);
	assert_false(s.decoded);
}

static void the_cold_part_counts_too(void **state)
{
	static const uint8_t code[] = { 0x89, 0xf8, 0x53, 0x5b,
					0xc3 }; /* mov; push; pop; ret */
	/* jmp to code + 2, from 0x100 behind */
	static const uint8_t cold[] = { 0xe9, 0xfd, 0xfe, 0xff, 0xff };
	struct decoder *d = decoder_new();
	struct function_code c = { .bytes = code, .size = sizeof(code), .address = START };
	struct site_choice s;

	site_entry(d, &c, &s);
	assert_int_equal(s.offset, 2);
	c.cold = cold;
	c.cold_size = sizeof(cold);
	c.cold_address = START + 0x100;
	site_entry(d, &c, &s);
	assert_int_equal(s.offset, 0);
	decoder_free(d);
}

static void a_loop_over_the_entry_is_refused(void **state)
{
	/* 1: dec %edi; jne 1b; ret */
	struct site_choice s = entry(BYTES(0xff, 0xcf, 0x75, 0xfc, 0xc3));

	assert_non_null(s.refused);
	assert_int_equal(s.price, INSN_REFUSED);
	/* recursion is no loop: push; call self; pop; ret */
	s = entry(BYTES(0x53, 0xe8, 0xfa, 0xff, 0xff, 0xff, 0x5b, 0xc3));
	assert_null(s.refused);
}

static void a_dangerous_entry_is_stepped_over_or_refused(void **state)
{
	/* vpor %ymm1,%ymm0,%ymm0; mov %edi,%eax; ret: the mov carries it */
	struct site_choice s = entry(BYTES(0xc5, 0xfd, 0xeb, 0xc1, 0x89, 0xf8, 0xc3));

	assert_int_equal(s.offset, 4);
	assert_int_equal(s.price, INSN_STEPPED);
	assert_null(s.refused);
	/* syscall; ret: nothing does */
	s = entry(BYTES(0x0f, 0x05, 0xc3));
	assert_non_null(s.refused);
	s = entry(BYTES(0x0f));
	assert_non_null(s.refused);
	s = entry((const uint8_t *)"", 0);
	assert_non_null(s.refused);
}

static void an_exact_offset_must_be_an_instruction(void **state)
{
	/* endbr64; push %rbx; mov %edi,%eax; pop %rbx; ret */
	static const uint8_t code[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x53, 0x89, 0xf8, 0x5b, 0xc3 };
	static const uint8_t starts[] = { 1, 0, 0, 0, 1, 1, 0, 1, 1 };
	struct function_code c = { .bytes = code, .size = sizeof(code), .address = START };
	struct decoder *d = decoder_new();
	struct site_choice s;

	for (uint64_t at = 0; at < sizeof(code) + 3; at++) {
		site_exact(d, &c, at, &s);
		assert_int_equal(!s.refused, at < sizeof(code) && starts[at]);
		if (!s.refused)
			assert_int_equal(s.sp_is_entry, at <= 4);
	}
	decoder_free(d);
}

static void any_bytes_are_survived(void **state)
{
	struct decoder *d = decoder_new();
	uint32_t seed = 1;

	for (unsigned n = 0; n < 20000; n++) {
		uint8_t code[24];
		struct function_code c = { .bytes = code, .size = n % 25, .address = START };
		struct site_choice s;

		for (unsigned i = 0; i < sizeof(code); i++)
			code[i] = (seed = seed * 1103515245 + 12345) >> 16;
		site_entry(d, &c, &s);
		assert_true(s.refused || s.offset < c.size);
		assert_true(s.refused || s.price != INSN_REFUSED);
	}
	decoder_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_emulates_these),
		cmocka_unit_test(the_kernel_steps_these),
		cmocka_unit_test(these_carry_no_probe),
		cmocka_unit_test(branches_are_followed),
		cmocka_unit_test(a_dear_entry_is_moved_to_a_cheap_one),
		cmocka_unit_test(an_unwinder_s_way_out_is_no_jump_to_anywhere),
		cmocka_unit_test(it_is_not_moved_where_sp_changes),
		cmocka_unit_test(it_is_not_moved_past_a_branch_target),
		cmocka_unit_test(the_cold_part_counts_too),
		cmocka_unit_test(a_loop_over_the_entry_is_refused),
		cmocka_unit_test(a_dangerous_entry_is_stepped_over_or_refused),
		cmocka_unit_test(an_exact_offset_must_be_an_instruction),
		cmocka_unit_test(any_bytes_are_survived),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
