#include "source/price.h"

static double above(double whole, double part)
{
	return whole > part ? whole - part : 0;
}

static void settle(const struct price_trial *trial, struct price *ret)
{
	const struct gauge_trial *g = trial->gauges;
	struct probe_prices *taken = &ret->taken;
	double cheap = g[GAUGE_EXIT_JMP].more / 2, hook = g[GAUGE_PUSH].more / 2;

	ret->hooked = (struct price_pair){ g[GAUGE_PUSH].more, g[GAUGE_MOV].more };
	ret->plain = (struct price_pair){ cheap, above(g[GAUGE_EXIT_RET].more, cheap) };

	taken->own[0][TRAP_EMULATED] = g[GAUGE_EXIT_JMP].measured;
	taken->own[0][TRAP_STEPPED] = g[GAUGE_EXIT_RET].measured;
	taken->own[0][TRAP_RETURN] = g[GAUGE_PUSH].measured;
	taken->own[1][TRAP_EMULATED] = g[GAUGE_MOV_JMP].measured;
	taken->own[1][TRAP_STEPPED] =
		g[GAUGE_MOV_JMP].measured +
		above(g[GAUGE_EXIT_RET].measured, g[GAUGE_EXIT_JMP].measured);
	taken->own[1][TRAP_RETURN] = g[GAUGE_MOV].measured;

	taken->entry[0] = taken->end[TRAP_EMULATED] = cheap;
	taken->entry[1] = above(g[GAUGE_MOV_JMP].more, cheap);
	taken->end[TRAP_STEPPED] = ret->plain.stepped;
	taken->hooked[0] = taken->end[TRAP_RETURN] = hook;
	taken->hooked[1] = above(g[GAUGE_MOV].more, hook);
}

void price_measure(struct attach_links *links, enum attach_kind kind,
		   const struct attach_programs *programs, const volatile __u64 *sum,
		   struct price_trial *trial, struct price *ret)
{
	static const enum gauge measured[] = { GAUGE_PUSH, GAUGE_MOV, GAUGE_EXIT_JMP,
					       GAUGE_EXIT_RET, GAUGE_MOV_JMP };

	*trial = (struct price_trial){ 0 };
	for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++)
		gauge_watch(links, kind, programs, measured[i], sum,
			    &trial->gauges[measured[i]]);
	settle(trial, ret);
}

void price_again(struct price_trial *trial, struct price *ret)
{
	for (int i = 0; i < NR_GAUGE; i++)
		gauge_again(&trial->gauges[i]);
	settle(trial, ret);
}
