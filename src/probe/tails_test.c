#include "probe/tails.h"

#include "base/text.h"
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
/* f_N goes on in f_N+1 */
#define CHAIN(n, next) BEGIN("chain_" #n) "nop\n jmp chain_" #next "\n" END("chain_" #n)

__asm__(".text\n"
	BEGIN("last") "mov %edi,%eax\n ret\n" END("last")
	BEGIN("cheap_last") "push %rax\n pop %rax\n xor %eax,%eax\n nop\n ret\n" END("cheap_last")
	BEGIN("one") "nop\n jmp cheap_last\n" END("one")
	BEGIN("two") "test %edi,%edi\n je one\n nop\n jmp last\n" END("two")
	BEGIN("by_table") "nop\n jmp *8f(%rip)\n" END("by_table")
	".data\n .p2align 3\n 8: .quad last\n .text\n"
	BEGIN("into_circle") "nop\n jmp circle_a\n" END("into_circle")
	BEGIN("circle_a") "test %edi,%edi\n jne circle_b\n ret\n" END("circle_a")
	BEGIN("circle_b") "dec %edi\n jmp circle_a\n" END("circle_b")
	BEGIN("own_loop") "test %edi,%edi\n je own_loop\n ret\n" END("own_loop")
	BEGIN("no_exit") "push %rax\n .cfi_def_cfa_offset 16\n call abort\n" END("no_exit")
	BEGIN("into_no_exit") "nop\n jmp no_exit\n" END("into_no_exit")
	BEGIN("into_middle_of") "nop\n jmp last+2\n" END("into_middle_of")
	BEGIN("popular") "nop\n ret\n" END("popular")
	BEGIN("into_popular") "nop\n jmp popular\n" END("into_popular")
	BEGIN("many_callers") ".rept 70\n call popular\n .endr\n ret\n" END("many_callers")
	BEGIN("dear") "push %rax\n call last\n pop %rax\n ret\n" END("dear")
	BEGIN("into_dear") "nop\n jmp dear\n" END("into_dear")
	BEGIN("dear_callers") ".rept 20\n call dear\n .endr\n ret\n" END("dear_callers")
	CHAIN(0, 1) CHAIN(1, 2) CHAIN(2, 3) CHAIN(3, 4) CHAIN(4, 5) CHAIN(5, 6) CHAIN(6, 7)
	CHAIN(7, 8) CHAIN(8, 9) CHAIN(9, 10) CHAIN(10, 11) CHAIN(11, 12) CHAIN(12, 13)
	CHAIN(13, 14) CHAIN(14, 15) CHAIN(15, 16)
	BEGIN("chain_16") "nop\n ret\n" END("chain_16")
);
/* clang-format on */

static void tell(const struct tails *t, struct text *to)
{
	for (uint32_t i = 0; i < t->count; i++)
		text_format(to, "%s%s %u+%u+%u", i ? ", " : "", t->at[i].symbol->raw,
			    t->at[i].plan.returns, t->at[i].plan.tail_calls,
			    t->at[i].plan.followed);
}

/* "function returns+tail calls+followed, ..." */
static void expect(const char *name, const char *functions)
{
	struct plan_request request = {
		.decoder = decoder,
		.image = &own.at[0],
		.symbol = symtab_named(code_symbols(&own.at[0]), name),
	};
	AUTO_TEXT struct text told = { 0 };
	struct tails t = { 0 };

	assert_non_null(request.symbol);
	tails_plan(&request, &t);
	tell(&t, &told);
	tails_done(&t);
	assert_string_equal(text_string(&told), functions);
}

static void what_is_jumped_to_is_followed(void **state)
{
	expect("last", "last 1+0+0");
	expect("one", "one 0+0+1, cheap_last 1+0+0");
	expect("two", "two 0+0+2, one 0+0+1, last 1+0+0, cheap_last 1+0+0");
}

static void what_is_not_known_is_not(void **state)
{
	expect("by_table", "by_table 0+1+0");
	expect("into_no_exit", "into_no_exit 0+1+0");
	expect("into_middle_of", "into_middle_of 0+1+0");
}

/* Whoever asks: a jump within a circle ends the calls of all that led there. */
static void circles_are_left_by_their_jumps(void **state)
{
	expect("circle_a", "circle_a 1+1+0");
	expect("circle_b", "circle_b 0+1+0");
	expect("into_circle", "into_circle 0+0+1, circle_a 1+1+0");
	expect("own_loop", "own_loop 1+0+0");
}

static void what_many_call_is_left_alone(void **state)
{
	expect("into_popular", "into_popular 0+1+0");
	expect("into_dear", "into_dear 0+1+0");
}

/* All or none, so that those at the end of the chain agree with its head. */
static void what_is_too_much_is_not_followed_at_all(void **state)
{
	expect("chain_0", "chain_0 0+1+0");
	expect("chain_14", "chain_14 0+0+1, chain_15 0+0+1, chain_16 1+0+0");
	expect("chain_1",
	       "chain_1 0+0+1, chain_2 0+0+1, chain_3 0+0+1, chain_4 0+0+1, chain_5 0+0+1, "
	       "chain_6 0+0+1, chain_7 0+0+1, chain_8 0+0+1, chain_9 0+0+1, chain_10 0+0+1, "
	       "chain_11 0+0+1, chain_12 0+0+1, chain_13 0+0+1, chain_14 0+0+1, "
	       "chain_15 0+0+1, chain_16 1+0+0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_jumped_to_is_followed),
		cmocka_unit_test(what_is_not_known_is_not),
		cmocka_unit_test(circles_are_left_by_their_jumps),
		cmocka_unit_test(what_many_call_is_left_alone),
		cmocka_unit_test(what_is_too_much_is_not_followed_at_all),
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
