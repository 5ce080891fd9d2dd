#include "session/watch.h"

#include "base/log.h"

#include <unistd.h>

#define LOOKS_MORE 250 /* at a price over WATCH_DEAR_NSEC */
#define LOOKS_SILENT 50
#define LOOK_USEC 10000

const struct probe_function *watch_dearest(const struct probe *p, uint32_t from,
					   const struct price *price)
{
	const struct probe_function *dearest = &p->functions.at[from];

	for (uint32_t i = from + 1; i < p->functions.count; i++) {
		const struct probe_function *f = &p->functions.at[i];

		if (price_of_call(price, f) > price_of_call(price, dearest))
			dearest = f;
	}
	return dearest;
}

/* What of the function has to be single-stepped, NULL: nothing. */
static const char *what_is_stepped(const struct probe_function *f)
{
	struct probe_price dearest = function_price(f);

	if (dearest.entry == INSN_STEPPED)
		return dearest.exit == INSN_STEPPED
			       ? "its first instruction and one of its exits have"
			       : "its first instruction has";
	return dearest.exit == INSN_STEPPED ? "one of its exits has" : NULL;
}

/* A machine is slow for a while and then fast again: one price of 9.8 us was 29 us in one of
 * twenty runs.  What seems dear is looked at for up to three seconds, so that it hardly
 * depends on when it was asked. */
static uint32_t settled_cost(const char *place, const struct probe_function *f,
			     struct source *source)
{
	struct price price = source_price(source);

	for (unsigned i = 0; i < LOOKS_MORE && price_of_call(&price, f) > WATCH_DEAR_NSEC;
	     i++) {
		if (i == LOOKS_SILENT)
			log_progress("'%s' seems to cost %.1f us a call: looking again", place,
				     price_of_call(&price, f) / 1e3);
		usleep(LOOK_USEC);
		price = source_price_look(source);
	}
	log_progress_done();
	return price_of_call(&price, f);
}

/* cost: of the dearest of the functions from that one on. */
static int check_cost(const struct probe *p, uint32_t from,
		      const struct probe_function *dearest, uint32_t cost, struct error *err)
{
	const char *or_guess = function_price(dearest).exit == INSN_STEPPED
				       ? ", --exit bracket to estimate its ends"
				       : "";

	if (p->functions.count - from > WATCH_DEAR_SITES)
		return error_set(err, EINVAL,
				 "'%s' stands for %u functions: each call of any of them would "
				 "be paid for (--yes to do it, --dry-run to see the price)",
				 p->place, p->functions.count - from);
	if (what_is_stepped(dearest) && cost > WATCH_DEAR_NSEC)
		return error_set(err, EINVAL,
				 "'%s' would cost %.1f us a call here, since %s to be "
				 "single-stepped (--yes to accept that%s)",
				 p->place, cost / 1e3, what_is_stepped(dearest), or_guess);
	return 0;
}

int watch_price(struct watch *w, uint32_t only, struct source *source, struct error *err)
{
	struct price price = source_price(source);
	int code = 0;

	for (uint32_t i = 0; i < w->set.count && !code; i++) {
		const struct probe *p = &w->set.at[i];
		const struct probe_function *dearest = watch_dearest(p, 0, &price);
		uint32_t cost = 0;

		if (only && p->id != only)
			continue;
		if (what_is_stepped(dearest))
			cost = settled_cost(p->place, dearest, source);
		code = check_cost(p, 0, dearest, cost, err);
	}
	return code;
}

int watch_price_more(const struct probe *p, uint32_t from, struct source *source,
		     struct error *err)
{
	struct price price = source_price(source);
	const struct probe_function *dearest = watch_dearest(p, from, &price);

	return check_cost(p, from, dearest, price_of_call(&price, dearest), err);
}
