#include "cmd/coverage.h"

#include "base/log.h"
#include "probe/locate.h"
#include "probe/match.h"
#include "probe/plan.h"

static void add_function(struct coverage *c, const struct ways *ways,
			 const struct plan_request *request)
{
	struct probe_function f = { 0 };
	const char *why = NULL;

	c->functions++;
	if (ways_plan(ways, request, &f, &why) != PLAN_DONE) {
		c->ends[EXIT_NONE]++;
		reasons_add(&c->reasons, why);
	} else {
		struct probe_price price = function_price(&f);

		c->ends[f.exit]++;
		c->dear[f.exit] += price.entry == INSN_STEPPED || price.exit == INSN_STEPPED;
	}
	function_done(&f);
}

void coverage_of(struct code *code, uint32_t image, const struct ways *ways,
		 struct coverage *ret)
{
	struct match_list all = { 0 };
	struct plan_request request = { .decoder = decoder_new(), .image = &code->at[image] };

	*ret = (struct coverage){ 0 };
	match_all(code, image, &all);
	if (all.cut)
		log_warn("%s: more than %u functions; the rest is not counted",
			 code->at[image].name, MATCHES_MAX);
	for (uint32_t i = 0; i < all.count; i++) {
		request.symbol = all.at[i].symbol;
		if (i % 1024 == 0)
			log_progress("%u of %u functions", i, all.count);
		if (locate_is_called(request.image, request.symbol))
			add_function(ret, ways, &request);
	}
	log_progress_done();
	reasons_sort(&ret->reasons);
	array_done(&all);
	decoder_free(request.decoder);
}

void coverage_done(struct coverage *c)
{
	array_done(&c->reasons);
}
