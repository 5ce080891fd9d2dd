#include "probe/exits.h"

#include "probe/body.h"
#include "probe/own_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#ifdef __x86_64__
/* clang-format off */
#define BEGIN(name) ".globl " name "\n.type " name ",@function\n.p2align 4\n" name \
	":\n.cfi_startproc\n"
#define END(name) ".cfi_endproc\n.size " name ",.-" name "\n"
#define PUSH "push %rbx\n.cfi_def_cfa_offset 16\n"
#define POP "pop %rbx\n.cfi_def_cfa_offset 8\n"

__asm__(".text\n"
	BEGIN("other") "push %rax\n pop %rax\n ret\n" END("other")
	BEGIN("protected")
	PUSH "test %rdi,%rdi\n je 2f\n call other\n xor %eax,%eax\n"
	"sub %fs:0x28,%rdx\n"
	"jne 3f\n"
	".cfi_remember_state\n" POP "ret\n"
	"2: .cfi_restore_state\n .cfi_remember_state\n" POP
	"jmp other\n"
	"3: .cfi_restore_state\n call abort\n" END("protected")
	BEGIN("after_call")
	PUSH "call other\n" POP "ret\n" END("after_call")
	BEGIN("looping")
	"mov %edi,%eax\n 1: dec %eax\n jne 1b\n ret\n" END("looping")
	BEGIN("early")
	"test %rdi,%rdi\n je 1f\n mov %edi,%eax\n ret\n 1: xor %eax,%eax\n ret\n"
	END("early")
	BEGIN("switching")
	"push %rax\n .cfi_def_cfa_offset 16\n lea 9f(%rip),%rdx\n cmp $2,%edi\n ja 8f\n"
	"movslq (%rdx,%rdi,4),%rax\n add %rdx,%rax\n jmp *%rax\n"
	"4: add $8,%rsp\n .cfi_def_cfa_offset 8\n ret\n"
	"5: .cfi_def_cfa_offset 16\n add $1,%eax\n jmp 7f\n"
	"6: call other\n"
	"7: nop\n add $8,%rsp\n .cfi_def_cfa_offset 8\n ret\n"
	"8: .cfi_def_cfa_offset 16\n call abort\n" END("switching")
	".section .rodata\n .p2align 2\n 9: .long 4b-9b, 5b-9b, 6b-9b\n .long 0x7fffffff\n .text\n"
	BEGIN("parted")
	PUSH "test %rdi,%rdi\n je parted.cold\n"
	"parted_back:" POP "ret\n" END("parted")
	".section .text.unlikely\n .type parted.cold,@function\n parted.cold:\n .cfi_startproc\n"
	".cfi_def_cfa_offset 16\n test %esi,%esi\n jne parted_back\n call other\n"
	POP "ret\n" END("parted.cold") ".text\n"
	BEGIN("tail_if")
	"test %rdi,%rdi\n jne other\n xor %eax,%eax\n ret\n" END("tail_if")
	BEGIN("tail_by_register")
	"mov %rdi,%rax\n nop\n mov %rsi,%rdi\n jmp *%rax\n" END("tail_by_register")
	BEGIN("goes_anywhere")
	PUSH "jmp *%rax\n nop\n" POP "ret\n" END("goes_anywhere")
	BEGIN("never")
	"push %rax\n .cfi_def_cfa_offset 16\n call abort\n" END("never")
	BEGIN("framed")
	"push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset 6,-16\nmov %rsp,%rbp\n.cfi_def_cfa_register 6\n"
	"sub $32,%rsp\n call other\n jmp 1f\n"
	"1: leave\n .cfi_def_cfa 7,8\n ret\n" END("framed")
	BEGIN("under_sub")
	"sub $8,%rsp\n .cfi_def_cfa_offset 16\n call other\n add $8,%rsp\n"
	".cfi_def_cfa_offset 8\n ret\n" END("under_sub")
	BEGIN("into_middle")
	"push %rax\n .byte 0xeb,0x01\n mov $0xc3c3c3c3,%eax\n pop %rax\n ret\n" END("into_middle")
	BEGIN("over_lock")
	PUSH "je 1f+1\n 1: lock incl (%rdi)\n jmp 2f\n 2:" POP "ret\n"
	END("over_lock")
	BEGIN("in_kernel")
	"mov $39,%eax\n syscall\n ret\n" END("in_kernel")
	BEGIN("runtime.morestack_noctxt") "ret\n" END("runtime.morestack_noctxt")
	BEGIN("grows")
	"0: cmp 16(%r14),%rsp\n jbe 9f\n"
	PUSH "call other\n" POP "ret\n"
	"9: mov %rax,8(%rsp)\n call runtime.morestack_noctxt\n mov 8(%rsp),%rax\n jmp 0b\n"
	END("grows")
	BEGIN("grows_much")
	"0: mov %rsp,%r12\n sub $0x10000,%r12\n jb 9f\n cmp 16(%r14),%r12\n jbe 9f\n"
	"nop\n ret\n"
	"9: call runtime.morestack_noctxt\n jmp 0b\n" END("grows_much")
	BEGIN("grows_and_returns")
	"0: cmp 16(%r14),%rsp\n jbe 9f\n ret\n"
	"9: call runtime.morestack_noctxt\n jmp 0b\n" END("grows_and_returns")
	BEGIN("grows_or_panics")
	"0: cmp 16(%r14),%rsp\n jbe 9f\n test %rdi,%rdi\n je 8f\n nop\n ret\n"
	"8: call abort\n 9: call runtime.morestack_noctxt\n jmp 0b\n"
	END("grows_or_panics")
	BEGIN("loops")
	"0: cmp 16(%r14),%rsp\n jbe 9f\n nop\n ret\n"
	"9: call other\n jmp 0b\n" END("loops")
	BEGIN("falls") "push %rax\n pop %rax\n" END("falls")
	"ret\n"
);
/* clang-format on */
#define CC_E INSN_CONDITION(0x74)
#define CC_NE INSN_CONDITION(0x75)
#define CC_A INSN_CONDITION(0x77)

struct plan_of {
	struct flow flow;
	struct exit_plan plan;
};

static void plan(const char *name, struct plan_of *ret)
{
	struct code_image *image = &own.at[0];
	const struct symbol *s = symtab_named(code_symbols(image), name);

	assert_non_null(s);
	*ret = (struct plan_of){ 0 };
	body_read(decoder, image, s, &ret->flow);
	exits_plan(&ret->flow, code_cfa(image), EXITS_AND_ENTRY, &ret->plan);
}

static void plan_done(struct plan_of *p)
{
	exits_done(&p->plan);
	flow_done(&p->flow);
}

/* What it is, and where from the CFA lies: "jcc exit if ne SP+2". */
static void tell_site(const struct exit_site *s, struct text *to)
{
	text_format(to, "%s%s%s", s->insn.name, s->is_entry ? " entry" : "",
		    s->is_exit ? " exit" : "");
	if (s->condition)
		text_format(to, " if %s",
			    s->condition == CC_E    ? "e"
			    : s->condition == CC_NE ? "ne"
			    : s->condition == CC_A  ? "a"
						    : "?");
	text_format(to, " %s+%u", RULE_TYPE(s->cfa) == RULE_SP ? "SP" : "FP",
		    RULE_VALUE(s->cfa));
}

/* Its sites in order of address, those of a part that was moved away behind. */
static void tell(const struct plan_of *p, struct text *to)
{
	for (int moved = 0; moved < 2; moved++)
		for (uint32_t i = 0; i < p->plan.count; i++) {
			const struct exit_site *s = &p->plan.at[i];

			if ((s->insn.address - p->flow.parts[0].address >=
			     p->flow.parts[0].size) != moved)
				continue;
			text_add(to, moved ? "; moved: " : to->size ? "; " : "");
			tell_site(s, to);
		}
}

static void expect(const char *name, const char *sites, enum insn_price price)
{
	AUTO_TEXT struct text told = { 0 };
	struct plan_of p;

	plan(name, &p);
	if (p.plan.refused)
		fail_msg("%s: %s", name, p.plan.refused);
	tell(&p, &told);
	assert_string_equal(text_string(&told), sites);
	assert_int_equal(p.plan.exit_price, price);
	plan_done(&p);
}

static void expect_refusal(const char *name, const char *part)
{
	struct plan_of p;

	plan(name, &p);
	assert_non_null(p.plan.refused);
	if (!strstr(p.plan.refused, part))
		fail_msg("%s: '%s' lacks '%s'", name, p.plan.refused, part);
	plan_done(&p);
}

static void a_cheap_instruction_before_the_ret_is_found(void **state)
{
	expect("protected", "push entry SP+1; jcc exit if e SP+2; jmp exit SP+1",
	       INSN_EMULATED);
	expect("framed", "push entry SP+1; jmp exit FP+2", INSN_EMULATED);
	expect("over_lock", "push entry SP+1; jmp exit SP+2", INSN_EMULATED);
}

static void a_branch_both_of_whose_ways_leave_is_one_exit(void **state)
{
	expect("early", "jcc entry exit SP+1", INSN_EMULATED);
	expect("tail_if", "jcc entry exit SP+1", INSN_EMULATED);
}

static void time_of_calls_is_not_passed_over(void **state)
{
	expect("after_call", "push entry SP+1; ret exit SP+1", INSN_STEPPED);
	expect("in_kernel", "other entry SP+1; ret exit SP+1", INSN_STEPPED);
	expect("under_sub", "call entry SP+2; ret exit SP+1", INSN_STEPPED);
}

static void what_runs_often_is_not_probed_for_what_runs_once(void **state)
{
	expect("looping", "other entry SP+1; ret exit SP+1", INSN_STEPPED);
}

static void tables_of_switches_are_followed(void **state)
{
	expect("switching", "push entry SP+1; ret exit SP+1; nop exit SP+2", INSN_STEPPED);
}

static void the_part_moved_away_is_part_of_it(void **state)
{
	expect("parted",
	       "push entry SP+1; jcc exit if ne SP+2; moved: jcc exit if ne SP+2; moved: ret exit SP+1",
	       INSN_STEPPED);
}

static void jumps_to_other_functions_are_exits(void **state)
{
	struct plan_of p;

	expect("tail_by_register", "nop entry exit SP+1", INSN_EMULATED);
	plan("protected", &p);
	assert_int_equal(p.plan.returns, 1);
	assert_int_equal(p.plan.tail_calls, 1);
	plan_done(&p);
}

static void where_a_jump_may_lead_anywhere_only_the_ret_is_sure(void **state)
{
	expect("goes_anywhere", "push entry SP+1; ret exit SP+1", INSN_STEPPED);
}

static void a_call_begins_where_its_stack_is_large_enough(void **state)
{
	expect("grows", "jcc entry if a SP+1; ret exit SP+1", INSN_STEPPED);
	expect("grows_much", "jcc entry if a SP+1; nop exit SP+1", INSN_EMULATED);
	expect("grows_and_returns", "jcc entry if a SP+1; ret exit SP+1", INSN_STEPPED);
	expect("grows_or_panics", "jcc entry if a SP+1; nop exit SP+1", INSN_EMULATED);
	expect_refusal("loops", "head of a loop");
}

static void what_cannot_be_seen_is_refused(void **state)
{
	expect_refusal("never", "do not come back");
	expect_refusal("into_middle", "middle of an instruction");
	expect_refusal("falls", "runs on");
}

/* No bytes whatever lead out of the arrays, and what is planned is decoded. */
static void any_bytes_are_survived(void **state)
{
	uint32_t seed = 7;

	for (unsigned n = 0; n < 50000; n++) {
		uint8_t code[48];
		struct plan_of p = { 0 };

		for (unsigned i = 0; i < sizeof(code); i++) {
			seed = seed * 1103515245 + 12345;
			/* mostly what branches and ends */
			code[i] = seed & 0x10000
					  ? seed >> 20
					  : "\x53\xc3\x74\x03\xeb\x01\xe8\x90"[seed >> 20 & 7];
		}
		flow_add_part(&p.flow, decoder,
			      (struct code_bytes){ code, n % sizeof(code), 0x401000 });
		flow_link(&p.flow);
		flow_reach(&p.flow);
		exits_plan(&p.flow, code_cfa(&own.at[0]), EXITS_AND_ENTRY, &p.plan);
		assert_true(p.plan.refused || p.plan.count);
		plan_done(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cheap_instruction_before_the_ret_is_found),
		cmocka_unit_test(a_branch_both_of_whose_ways_leave_is_one_exit),
		cmocka_unit_test(time_of_calls_is_not_passed_over),
		cmocka_unit_test(what_runs_often_is_not_probed_for_what_runs_once),
		cmocka_unit_test(tables_of_switches_are_followed),
		cmocka_unit_test(the_part_moved_away_is_part_of_it),
		cmocka_unit_test(jumps_to_other_functions_are_exits),
		cmocka_unit_test(where_a_jump_may_lead_anywhere_only_the_ret_is_sure),
		cmocka_unit_test(a_call_begins_where_its_stack_is_large_enough),
		cmocka_unit_test(what_cannot_be_seen_is_refused),
		cmocka_unit_test(any_bytes_are_survived),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, open_own, close_own);
}
#else
int main(void)
{
	return 77; /* of another processor: skipped */
}
#endif
