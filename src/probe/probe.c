#include "probe/probe.h"

#include "probe/locate.h"

#include <string.h>

void probe_done(struct probe *p)
{
	for (uint32_t i = 0; i < p->functions.count; i++)
		function_done(&p->functions.at[i]);
	array_done(&p->functions);
	free(p->place);
	free(p->function);
	free(p->note);
	*p = (struct probe){ 0 };
}

bool probe_has_end(const struct probe *p, struct error *err)
{
	if (p->verdict.exit != EXIT_NONE)
		return true;
	error_set(err, ENOTSUP, "the end of '%.200s' cannot be seen without harm: %s", p->place,
		  p->verdict.reason);
	return false;
}

enum insn_price probe_price(const struct probe *p)
{
	enum insn_price worst = INSN_EMULATED;

	for (uint32_t i = 0; i < p->functions.count; i++) {
		enum insn_price price = function_entry(&p->functions.at[i])->choice.price;

		if (price == INSN_STEPPED || price == INSN_REFUSED)
			return price;
		worst = price;
	}
	return worst;
}

int probe_set_add(struct probe_set *set, struct code *code, const char *place,
		  enum exit_wish wish, struct error *err)
{
	struct probe p;
	int ret;

	for (uint32_t i = 0; i < set->count; i++)
		if (!strcmp(set->at[i].place, place))
			return error_set(err, EEXIST, "'%.200s' is asked for twice", place);
	ret = probe_resolve(code, place, wish, &p, err);
	if (ret)
		return ret;
	p.id = set->count + 1;
	array_push(set, p);
	return 0;
}

void probe_set_done(struct probe_set *set)
{
	for (uint32_t i = 0; i < set->count; i++)
		probe_done(&set->at[i]);
	array_done(set);
}
