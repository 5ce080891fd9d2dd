#include "source/price.h"

#include "base/clock.h"

#include <stdio.h>
#include <unistd.h>

#define BATCHES 9
#define CHEAP_CALLS 100
#define STEPPED_CALLS 10

/* Not static and not inlined: they need an address of their own. */
__attribute__((noinline, noclone, used)) int price_call_cheap(int x);
__attribute__((noinline, noclone, used)) int price_call_stepped(int x);

#if defined(__x86_64__)
/* push first / mov first */
__asm__(".text\n.globl price_call_cheap\n.type price_call_cheap,@function\n"
	"price_call_cheap:\n\tpush %rbx\n\tmov %edi,%eax\n\tpop %rbx\n\tret\n"
	".size price_call_cheap,.-price_call_cheap\n"
	".globl price_call_stepped\n.type price_call_stepped,@function\n"
	"price_call_stepped:\n\tmov %edi,%eax\n\tadd $1,%eax\n\tret\n"
	".size price_call_stepped,.-price_call_stepped\n");
#else
int price_call_cheap(int x)
{
	__asm__ volatile("" ::: "memory");
	return x;
}

int price_call_stepped(int x)
{
	__asm__ volatile("" ::: "memory");
	return x + 1;
}
#endif

/* File offset of an address of this program; false when it is in no file. */
static bool own_offset(unsigned long at, uint64_t *ret)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long start, end, offset;
	bool found = false;
	char line[512];

	while (f && !found && fgets(line, sizeof(line), f)) {
		found = sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
			at >= start && at < end;
	}
	if (f)
		fclose(f);
	if (found)
		*ret = at - start + offset;
	return found;
}

/* The least of several batches: what disturbs a batch only adds. */
static double call_nsec(int (*call)(int), int calls)
{
	volatile int x = 0;
	nsec best = UINT64_MAX;

	x = call(x);
	for (int b = 0; b < BATCHES; b++) {
		nsec t = clock_now();

		for (int i = 0; i < calls; i++)
			x = call(x);
		t = clock_now() - t;
		best = t < best ? t : best;
	}
	return (double)best / calls;
}

void price_measure(struct attach_links *links, enum attach_kind kind,
		   const struct attach_programs *programs, struct price *ret)
{
	uint64_t offsets[2], cookies[2] = { 0, 0 }; /* probe 0: counted nowhere */
	struct attach_sites sites = { "/proc/self/exe", getpid(), offsets, cookies, 2 };
	double cheap, stepped;

	*ret = (struct price){ 0 };
	if (!own_offset((unsigned long)price_call_cheap, &offsets[0]) ||
	    !own_offset((unsigned long)price_call_stepped, &offsets[1]))
		return;
	cheap = call_nsec(price_call_cheap, CHEAP_CALLS);
	stepped = call_nsec(price_call_stepped, CHEAP_CALLS);
	if (attach_add(links, kind, programs, &sites, NULL))
		return;
	ret->cheap = call_nsec(price_call_cheap, CHEAP_CALLS) - cheap;
	ret->stepped = call_nsec(price_call_stepped, STEPPED_CALLS) - stepped;
}
