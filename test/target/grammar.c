/*
 * grammar - a program whose every legal stack is known: what test/live/grammar.py
 * checks whole stacks against.
 *
 *	main, g_thread -> g_round -> g_down_a -> b -> c -> a ... 5 to 31 -> g_bottom -> an act
 *			  g_round -> g_deep_a -> b -> c -> d -> a ... 1000 -> g_leaf
 *
 * Acts are what makes stacks hard to walk: frames of changing and of large size,
 * realigned ones, callbacks through the C library, lazily bound calls, the vdso,
 * system calls, a call that never returns as a function's last instruction.
 * Anything of it is interrupted by two signals, one handled on a stack of its own
 * (g_signal -> g_leaf).  Built without frame pointers.
 *
 * --variant dlopen: instead, once told to go, loads libz and compresses in it
 * (g_load -> libz).
 */
#include "stage.h"

#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define DEEP 1000
#define SHALLOWEST 5
#define DEEPEST 31
#define ALTSTACK (64 << 10)

static volatile sig_atomic_t done;
static _Thread_local uint64_t seed;
static _Thread_local jmp_buf back;
static uint64_t handled, rounds;

static inline unsigned draw(unsigned below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(seed >> 33) % below;
}

/* Touches no stack but for its return address. */
KEPT uint64_t g_leaf(uint64_t n)
{
	uint64_t x = n | 1;

	for (unsigned i = 0; i < 200; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

KEPT uint64_t g_alloca(uint64_t n)
{
	size_t size = 16 + draw(2000);
	char *room = alloca(size);

	memset(room, (int)n, size);
	__asm__ volatile("" : : "r"(room) : "memory");
	return g_leaf(n) + (uint64_t)room[size / 2];
}

/* A stack pointer rounded down to 64: the caller's cannot be computed from it. */
KEPT uint64_t g_aligned(uint64_t n)
{
	_Alignas(64) volatile uint64_t lanes[16];

	for (unsigned i = 0; i < 16; i++)
		lanes[i] = n + i;
	return g_leaf(lanes[n & 15]) + lanes[(n >> 4) & 15];
}

/* Rounded and of changing size, with arguments on the caller's stack: gcc keeps
 * the address of those (DRAP) in a register, then in the frame. */
KEPT uint64_t g_drap(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
		     uint64_t g)
{
	_Alignas(64) volatile uint64_t lanes[8] = { a, b, c, d, e, f, g, 0 };
	size_t size = 16 + (a & 511);
	char *room = alloca(size);

	memset(room, (int)g, size);
	__asm__ volatile("" : : "r"(room) : "memory");
	return g_leaf(lanes[a & 7]) + g + (uint64_t)room[size / 2];
}

KEPT uint64_t g_wide(uint64_t n)
{
	volatile char room[3072];

	room[n % sizeof(room)] = (char)n;
	return g_leaf(n) + (uint64_t)room[n % sizeof(room)];
}

KEPT int g_order(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y) + 0 * (int)g_leaf(x);
}

KEPT uint64_t g_sort(uint64_t n)
{
	uint64_t values[24];

	for (unsigned i = 0; i < 24; i++)
		values[i] = draw(1000);
	qsort(values, 24, sizeof(*values), g_order);
	return values[n % 24];
}

/* The library's functions by name, each through its own stub. */
KEPT uint64_t g_lazy(uint64_t n)
{
	unsigned state = (unsigned)n;
	uint64_t sum = 0;

	for (unsigned i = 0; i < 40; i++) {
		sum += (uint64_t)rand_r(&state);
		sum += (uint64_t)lrand48();
	}
	return sum;
}

KEPT uint64_t g_clock(uint64_t n)
{
	struct timespec t;

	for (unsigned i = 0; i < 20; i++)
		clock_gettime(CLOCK_MONOTONIC, &t);
	return n + (uint64_t)t.tv_nsec;
}

KEPT uint64_t g_syscall(uint64_t n)
{
	for (unsigned i = 0; i < 5; i++)
		n += (uint64_t)syscall(SYS_getppid);
	return n;
}

KEPT uint64_t g_copy(uint64_t n)
{
	char from[2048], to[2048];

	memset(from, (int)n, sizeof(from));
	for (unsigned i = 0; i < 4; i++) {
		memcpy(to, from, sizeof(to));
		__asm__ volatile("" : : "r"(to) : "memory");
	}
	return n + (uint64_t)to[n % sizeof(to)];
}

KEPT _Noreturn void g_fatal(uint64_t n)
{
	longjmp(back, (int)(g_leaf(n) & 1) + 1);
}

/* Ends in the call: its return address is already another function's. */
KEPT _Noreturn void g_jump(uint64_t n)
{
	g_fatal(n + g_leaf(n));
}

KEPT uint64_t g_catch(uint64_t n)
{
	if (!setjmp(back))
		g_jump(n);
	return n;
}

KEPT uint64_t g_bottom(uint64_t n)
{
	switch (draw(10)) {
	case 0:
		return g_alloca(n) + 1;
	case 1:
		return g_aligned(n) + 1;
	case 2:
		return g_drap(n, 2, 3, 4, 5, n + 6, n + 7) + 1;
	case 3:
		return g_wide(n) + 1;
	case 4:
		return g_sort(n) + 1;
	case 5:
		return g_lazy(n) + 1;
	case 6:
		return g_clock(n) + 1;
	case 7:
		return g_syscall(n) + 1;
	case 8:
		return g_copy(n) + 1;
	default:
		return g_catch(n) + 1;
	}
}

/* Cycles of three and four names: a frame that is left out shows. */
#define DOWN(name, next)                                                    \
	KEPT uint64_t name(unsigned left, uint64_t n)                       \
	{                                                                   \
		return (left ? next(left - 1, n + left) : g_bottom(n)) + n; \
	}

KEPT uint64_t g_down_a(unsigned left, uint64_t n);
DOWN(g_down_c, g_down_a)
DOWN(g_down_b, g_down_c)
DOWN(g_down_a, g_down_b)

#define DEEPER(name, next)                                         \
	KEPT uint64_t name(unsigned left, uint64_t n)              \
	{                                                          \
		return (left ? next(left - 1, n) : g_leaf(n)) + n; \
	}

KEPT uint64_t g_deep_a(unsigned left, uint64_t n);
DEEPER(g_deep_d, g_deep_a)
DEEPER(g_deep_c, g_deep_d)
DEEPER(g_deep_b, g_deep_c)
DEEPER(g_deep_a, g_deep_b)

#define HANDLER_LEAVES 40

KEPT void g_signal(int number)
{
	uint64_t sum = (uint64_t)number;

	/* long enough that ticks are sure to fall into it */
	for (unsigned i = 0; i < HANDLER_LEAVES; i++)
		sum += g_leaf(sum);
	__atomic_add_fetch(&handled, sum ? 1 : 0, __ATOMIC_RELAXED);
}

KEPT uint64_t g_round(void)
{
	unsigned depth = SHALLOWEST + draw(DEEPEST - SHALLOWEST + 1);
	uint64_t sum = g_down_a(depth - 1, draw(1000));

	if (!draw(50))
		sum += g_deep_a(DEEP - 1, sum);
	__atomic_add_fetch(&rounds, 1, __ATOMIC_RELAXED);
	return sum;
}

static void on_end(int number)
{
	done = 1;
}

/* SIGUSR2 is handled on a stack of this thread's own. */
static void prepare(uint64_t start)
{
	struct sigevent tell = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2 };
	struct itimerspec often = { { 0, 1700000 }, { 0, 1700000 } };
	stack_t stack = { .ss_sp = malloc(ALTSTACK), .ss_size = ALTSTACK };
	timer_t timer;

	seed = start;
	if (!stack.ss_sp || sigaltstack(&stack, NULL) ||
	    timer_create(CLOCK_THREAD_CPUTIME_ID, &tell, &timer) ||
	    timer_settime(timer, 0, &often, NULL))
		exit(4);
}

static void *g_thread(void *start)
{
	prepare((uint64_t)start);
	while (!done)
		g_round();
	return NULL;
}

static void set_signals(void)
{
	struct itimerval often = { { 0, 2300 }, { 0, 2300 } };
	struct sigaction plain = { .sa_handler = g_signal, .sa_flags = SA_RESTART };
	struct sigaction apart = { .sa_handler = g_signal,
				   .sa_flags = SA_RESTART | SA_ONSTACK };
	struct sigaction end = { .sa_handler = on_end };

	sigaddset(&plain.sa_mask, SIGUSR2);
	sigaddset(&apart.sa_mask, SIGPROF);
	if (sigaction(SIGPROF, &plain, NULL) || sigaction(SIGUSR2, &apart, NULL) ||
	    sigaction(SIGINT, &end, NULL) || sigaction(SIGTERM, &end, NULL) ||
	    setitimer(ITIMER_PROF, &often, NULL))
		exit(4);
}

static void all_acts(const struct stage *s)
{
	uint64_t until = stage_now() + s->seconds * 1000000000ull;
	pthread_t threads[16];

	/* first: a thread's timer may go off before this one runs again */
	set_signals();
	for (unsigned i = 1; i < s->threads && i < 16; i++) {
		if (pthread_create(&threads[i], NULL, g_thread, (void *)(uintptr_t)(i + 1)))
			exit(4);
	}
	prepare(1);
	while (!done && !(s->calls && rounds >= s->calls)) {
		g_round();
		if (rounds % 64 == 0 && stage_now() > until)
			break;
	}
	done = 1;
	for (unsigned i = 1; i < s->threads && i < 16; i++)
		pthread_join(threads[i], NULL);
}

typedef int (*squeeze)(uint8_t *to, unsigned long *size, const uint8_t *from, unsigned long n);

/* libz's compress(), found at run time. */
KEPT uint64_t g_load(squeeze compress)
{
	static uint8_t from[1 << 16], to[1 << 17];
	unsigned long size = sizeof(to);

	for (unsigned i = 0; i < sizeof(from); i++)
		from[i] = (uint8_t)(i * i >> 7);
	return compress(to, &size, from, sizeof(from)) ? 0 : size;
}

static void load_late(const struct stage *s)
{
	uint64_t until = stage_now() + s->seconds * 1000000000ull;
	void *library = dlopen("libz.so.1", RTLD_LAZY);
	squeeze compress = library ? (squeeze)dlsym(library, "compress") : NULL;

	if (!compress)
		exit(77);
	sigaction(SIGINT, &(struct sigaction){ .sa_handler = on_end }, NULL);
	while (!done && stage_now() < until) {
		if (!g_load(compress))
			exit(4);
		rounds++;
	}
}

int main(int argc, char **argv)
{
	struct stage s = { .mode = "", .threads = 2, .seconds = 10 };

	stage_options(&s, argc, argv);
	stage_open(&s);
	if (s.variant && !strcmp(s.variant, "dlopen"))
		load_late(&s);
	else
		all_acts(&s);
	printf("{\"rounds\":%llu,\"signals\":%llu}\n", (unsigned long long)rounds,
	       (unsigned long long)handled);
	return 0;
}
