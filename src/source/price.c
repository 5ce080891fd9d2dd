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

	ret->hooked = (struct price_kinds){
		.cheap = g[GAUGE_PUSH].more,
		.nop5 = g[GAUGE_NOP5].more,
		.stepped = g[GAUGE_MOV].more,
	};
	ret->plain = (struct price_kinds){
		.cheap = cheap,
		.nop5 = above(cheap, above(g[GAUGE_PUSH].more, g[GAUGE_NOP5].more)),
		.stepped = above(g[GAUGE_EXIT_RET].more, cheap),
	};

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
	static const enum gauge measured[] = { GAUGE_PUSH,     GAUGE_NOP5,     GAUGE_MOV,
					       GAUGE_EXIT_JMP, GAUGE_EXIT_RET, GAUGE_MOV_JMP };

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

static uint32_t price_of(const struct price_kinds *kinds, enum insn_price price)
{
	switch (price) {
	case INSN_EMULATED:
		return kinds->cheap;
	case INSN_NOP5:
		return kinds->nop5;
	case INSN_STEPPED:
		return kinds->stepped;
	case INSN_REFUSED:
		break;
	}
	return 0;
}

uint32_t price_of_call(const struct price *price, const struct probe_function *f)
{
	struct probe_price p = function_price(f);

	if (!f->sites.count)
		return 0;
	if (f->exit == EXIT_HOOK)
		return price_of(&price->hooked, p.entry);
	if (f->exit != EXIT_SITES)
		return price_of(&price->plain, p.entry);
	return price_of(&price->plain, p.entry) + price_of(&price->plain, p.exit);
}
