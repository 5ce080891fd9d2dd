/*
 * wayout - functions that are left in every way a compiler knows, called with
 * arguments that take each of them.  It prints how often each was called and in
 * how many of these calls the work was done inside it; and on stderr how many of
 * those without work lasted as long as half of it, by its own clock: the machine's
 * doing, and never the same twice.
 *
 * With "jumps" one function is called that goes on in another, and is mostly left
 * there by longjmp.
 */
#include "stage.h"

#include <limits.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static uint64_t rounds;

__attribute__((used, visibility("hidden"))) KEPT int work_here(int x)
{
	return spin(rounds) | 1 ? 1 : x;
}

static jmp_buf back;

__attribute__((used, visibility("hidden"))) KEPT void jump_back(void)
{
	longjmp(back, 1);
}

#ifdef __x86_64__
/* clang-format off */
#define BEGIN(name) ".globl " name "\n.type " name ",@function\n.p2align 4\n" name \
	":\n.cfi_startproc\n"
#define END(name) ".cfi_endproc\n.size " name ",.-" name "\n"
#define PUSH "push %rbx\n.cfi_def_cfa_offset 16\n.cfi_offset 3,-16\n"
#define POP "pop %rbx\n.cfi_def_cfa_offset 8\n"
#define PUSHED ".cfi_def_cfa_offset 16\n"

/* Left at once if the condition holds, else after the work. */
#define LEFT_IF(cc) \
	BEGIN("left_" cc) PUSH "mov $0,%eax\n cmp %esi,%edi\n j" cc " 1f\n" \
	"call work_here\n nop\n 1: " POP "ret\n" END("left_" cc)
#define CONDITIONS(DO) \
	DO(o) DO(no) DO(b) DO(ae) DO(e) DO(ne) DO(be) DO(a) \
	DO(s) DO(ns) DO(p) DO(np) DO(l) DO(ge) DO(le) DO(g)
#define LEFT_TEXT(cc) LEFT_IF(#cc)

__asm__(".text\n"
	CONDITIONS(LEFT_TEXT)
	/* as with -fstack-protector: one ret, one tail call, one call that does not return */
	BEGIN("guarded")
	PUSH "mov %edi,%eax\n test %edi,%edi\n je 2f\n call work_here\n cmp $1,%eax\n"
	"jne 3f\n" POP "ret\n"
	"2: " PUSHED POP "xor %eax,%eax\n jmp nothing_here\n"
	"3: " PUSHED "call abort\n" END("guarded")
	BEGIN("nothing_here") "push %rcx\n pop %rcx\n xor %eax,%eax\n ret\n" END("nothing_here")
	/* nothing but a jump: the call begins there, and ends in the other */
	BEGIN("work_apart") PUSH "call work_here\n nop\n" POP "ret\n" END("work_apart")
	BEGIN("forwarded") "jmp work_apart\n" END("forwarded")
	BEGIN("twice_forwarded")
	"test %edi,%edi\n je 1f\n jmp tail_if\n 1: jmp forwarded\n" END("twice_forwarded")
	/* in a circle nothing tells whose call an exit ends: each ends by its jump */
	BEGIN("in_circle")
	"mov $0,%eax\n dec %edi\n jg round_trip\n ret\n" END("in_circle")
	BEGIN("round_trip")
	"mov $0,%eax\n cmp $3,%edi\n jg 1f\n jmp in_circle\n 1: ret\n" END("round_trip")
	BEGIN("tail_by_register")
	"lea work_apart(%rip),%rax\n nop\n jmp *%rax\n" END("tail_by_register")
	BEGIN("tail_if") "mov $0,%eax\n cmp %esi,%edi\n jg work_apart\n ret\n" END("tail_if")
	/* a call before the ret: only the ret is left to probe */
	BEGIN("after_call") PUSH "call work_here\n" POP "ret\n" END("after_call")
	BEGIN("under_sub")
	"sub $8,%rsp\n" PUSHED "call work_here\n add $8,%rsp\n .cfi_def_cfa_offset 8\n ret\n"
	END("under_sub")
	BEGIN("framed")
	"push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset 6,-16\n mov %rsp,%rbp\n"
	".cfi_def_cfa_register 6\n sub $32,%rsp\n call work_here\n jmp 1f\n"
	"1: leave\n .cfi_def_cfa 7,8\n ret\n" END("framed")
	BEGIN("looping")
	"mov $8,%eax\n 1: dec %eax\n jne 1b\n ret\n" END("looping")
	BEGIN("switched")
	"push %rax\n" PUSHED "xor %eax,%eax\n lea 9f(%rip),%rdx\n and $3,%edi\n"
	"movslq (%rdx,%rdi,4),%rcx\n add %rdx,%rcx\n jmp *%rcx\n"
	"4: add $8,%rsp\n .cfi_def_cfa_offset 8\n ret\n"
	"5: " PUSHED "call work_here\n jmp 7f\n"
	"6: call work_here\n"
	"7: nop\n add $8,%rsp\n .cfi_def_cfa_offset 8\n ret\n" END("switched")
	".section .rodata\n .p2align 2\n 9: .long 4b-9b, 5b-9b, 6b-9b, 7b-9b\n .text\n"
	BEGIN("parted")
	PUSH "mov $0,%eax\n test %edi,%edi\n jle parted.cold\n call work_here\n"
	"parted_back: " POP "ret\n" END("parted")
	".section .text.unlikely,\"ax\"\n .type parted.cold,@function\n parted.cold:\n"
	".cfi_startproc\n" PUSHED "test %esi,%esi\n jne parted_back\n call work_here\n" POP
	"ret\n" END("parted.cold") ".text\n"
	/* calls itself: the work is in the innermost, and so in all */
	BEGIN("deeper")
	PUSH "dec %edi\n jle 1f\n call deeper\n jmp 2f\n 1: call work_here\n nop\n"
	"2: " POP "ret\n" END("deeper")
	/* left for good in what it jumped to, if asked so */
	BEGIN("jumps_behind") "jmp jumps_apart\n" END("jumps_behind")
	BEGIN("jumps_apart")
	PUSH "test %edi,%edi\n je 1f\n call jump_back\n 1: call work_here\n nop\n" POP "ret\n"
	END("jumps_apart")
	BEGIN("never_back") "push %rax\n" PUSHED "call abort\n" END("never_back")
);
/* clang-format on */

#define DECLARE(cc) int left_##cc(int a, int b);
#define SHAPE(cc) { "left_" #cc, left_##cc },
CONDITIONS(DECLARE)
int guarded(int a, int b), forwarded(int a, int b), tail_by_register(int a, int b);
int twice_forwarded(int a, int b), in_circle(int a, int b), round_trip(int a, int b);
int tail_if(int a, int b), after_call(int a, int b), under_sub(int a, int b);
int framed(int a, int b), looping(int a, int b), switched(int a, int b);
int parted(int a, int b), never_back(int a, int b);

static struct shape {
	const char *name;
	int (*call)(int a, int b);
	bool works_elsewhere; /* in what it jumps to */
	unsigned entries, inside, held_up;
} shapes[] = {
	CONDITIONS(SHAPE) /* */
	{ "guarded", guarded },
	{ "forwarded", forwarded },
	{ "tail_by_register", tail_by_register, true },
	{ "tail_if", tail_if },
	{ "twice_forwarded", twice_forwarded },
	{ "in_circle", in_circle, true },
	{ "round_trip", round_trip, true },
	{ "after_call", after_call },
	{ "under_sub", under_sub },
	{ "framed", framed },
	{ "looping", looping },
	{ "switched", switched },
	{ "parted", parted },
};
#define NR_SHAPE (sizeof(shapes) / sizeof(shapes[0]))

static const int numbers[] = { 0, 1, -1, 2, 3, 5, INT_MAX, INT_MIN };
#define NR_NUMBER (sizeof(numbers) / sizeof(numbers[0]))

static struct shape *named(const char *name)
{
	for (unsigned i = 0; i < NR_SHAPE; i++)
		if (!strcmp(shapes[i].name, name))
			return &shapes[i];
	abort();
}

/* A function jumps to others of these: calls of them too. */
static void count_others(const struct shape *s, int a, bool worked)
{
	struct shape *circle = named("in_circle"), *trip = named("round_trip");

	if (s == named("twice_forwarded")) {
		struct shape *to = named(a ? "tail_if" : "forwarded");

		to->entries++;
		to->inside += worked;
	}
	for (bool in_trip = s == trip; s == trip || s == circle; in_trip = !in_trip) {
		if (in_trip ? a > 3 : a <= 1)
			return;
		a -= !in_trip;
		(in_trip ? circle : trip)->entries++;
	}
}

static void call(struct shape *s, int a, int b)
{
	uint64_t began = stage_now();
	int worked = s->call(a, b);

	s->held_up += worked != 1 && stage_now() - began >= rounds / 2;
	s->entries++;
	s->inside += worked == 1 && !s->works_elsewhere;
	count_others(s, a, worked == 1);
}

int deeper(int n);
int jumps_behind(int leave);

/* Most calls are left by longjmp, all from one place. */
static int leave_behind(const struct stage *stage)
{
	volatile unsigned left = 0;
	unsigned calls = stage->calls * 500;

	for (volatile unsigned i = 0; i < calls; i++) {
		if (setjmp(back))
			left++;
		else
			jumps_behind(i % 5 != 4);
	}
	printf("{\"mode\":\"jumps\",\"entries\":%u,\"longjmp\":%u}\n", calls, left);
	return 0;
}

int main(int argc, char **argv)
{
	struct stage stage = {
		.mode = "", .calls = 2, .depth = 5, .work = 100000, .seconds = 60
	};

	stage_options(&stage, argc, argv);
	rounds = stage.work;
	if (argc > 100) /* it is there, and nobody calls it */
		never_back(0, 0);
	stage_open(&stage);
	if (!strcmp(stage.mode, "jumps"))
		return leave_behind(&stage);
	for (unsigned n = 0; n < stage.calls; n++)
		for (unsigned i = 0; i < NR_SHAPE * NR_NUMBER * NR_NUMBER; i++)
			call(&shapes[i / NR_NUMBER / NR_NUMBER],
			     numbers[i / NR_NUMBER % NR_NUMBER], numbers[i % NR_NUMBER]);
	for (unsigned n = 0; n < stage.calls; n++)
		deeper(stage.depth);
	printf("{\"mode\":\"wayout\",\"functions\":{");
	for (unsigned i = 0; i < NR_SHAPE; i++)
		printf("\"%s\":{\"entries\":%u,\"inside\":%u},", shapes[i].name,
		       shapes[i].entries, shapes[i].inside);
	printf("\"deeper\":{\"entries\":%u,\"inside\":%u}}}\n", stage.calls * stage.depth,
	       stage.calls * stage.depth);
	for (unsigned i = 0; i < NR_SHAPE; i++)
		fprintf(stderr, "%s\"%s\":%u", i ? "," : "{", shapes[i].name,
			shapes[i].held_up);
	fprintf(stderr, "}\n");
	return 0;
}
#else
int main(void)
{
	fprintf(stderr, "wayout: only for x86-64\n");
	return 77;
}
#endif
