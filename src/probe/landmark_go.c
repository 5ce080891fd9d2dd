#include "probe/landmark_go.h"

#include "probe/body.h"
#include "probe/exits.h"
#include "probe/goroutine.h"
#include "probe/locate.h"

#include <string.h>

/*
 * runtime/panic.go and runtime/proc.go, by names kept since Go 1.4: every panic begins in
 * gopanic, one that was recovered goes on in recovery, by gogo; Goexit runs what was
 * deferred and then comes to goexit1, as each goroutine does in the end.
 */
static const struct {
	const char *symbol;
	const char *call; /* the site is where it calls this, NULL: where its calls begin */
	enum site_role role;
} known[] = {
	{ "runtime.gopanic", NULL, SITE_THROW },
	{ "runtime.Goexit", NULL, SITE_THREAD_END },
	{ "runtime.recovery", "runtime.gogo", SITE_CATCH },
	{ "runtime.goexit1", NULL, SITE_GOROUTINE_END },
};

static bool calls(const struct code_image *image, const struct insn *i, const char *name)
{
	size_t n = strlen(name);
	const struct symbol *s =
		i->is_call && i->has_target ? code_function_at(image, i->target) : NULL;

	return s && !strncmp(s->raw, name, n) && (!s->raw[n] || s->raw[n] == '.');
}

static bool find_call(const struct code_image *image, const struct flow *flow, const char *name,
		      struct exit_site *ret)
{
	for (uint32_t i = 0; i < flow->count; i++) {
		if (!calls(image, &flow->at[i].insn, name))
			continue;
		*ret = (struct exit_site){ .insn = flow->at[i].insn };
		return true;
	}
	return false;
}

static bool find_entry(struct code_image *image, struct flow *flow, struct exit_site *ret)
{
	struct exit_plan plan = { 0 };
	bool found;

	exits_plan(flow, code_cfa(image), ENTRY_ONLY, &plan);
	found = !plan.refused && plan.count == 1;
	if (found)
		*ret = plan.at[0];
	exits_done(&plan);
	return found;
}

/* A panic is not made slower for the sake of a name: none is single-stepped. */
static bool place(struct code_image *image, struct decoder *d, const struct symbol *s,
		  const char *call, struct site *ret)
{
	struct flow flow = { 0 };
	struct exit_site site;
	bool found;

	body_read(d, image, s, &flow);
	found = !flow.broken &&
		(call ? find_call(image, &flow, call, &site) : find_entry(image, &flow, &site));
	flow_done(&flow);
	if (!found || site.insn.price == INSN_STEPPED || site.insn.price == INSN_REFUSED)
		return false;
	ret->condition = site.condition;
	ret->price = site.insn.price;
	ret->insn = site.insn.name;
	return image_to_offset(image->image, site.insn.address, &ret->offset);
}

static bool is_in_memory(const struct code_image *image, const struct symbol *symbol,
			 const struct site *site)
{
	struct code_part part = { symbol->offset, symbol->size };
	struct probe_function f;
	struct error ignored;
	bool same;

	function_init(image, symbol, &f);
	array_push(&f.sites, *site);
	array_push(&f.parts, part);
	same = !locate_check_memory(image, &f, &ignored);
	function_done(&f);
	return same;
}

void landmarks_find_go(struct code_image *image, struct decoder *decoder, struct landmarks *ret)
{
	const struct goroutine_code *g = goroutine_code(image);

	for (unsigned i = 0; g && !g->refused && i < COUNT_OF(known); i++) {
		const struct symbol *s = symtab_named(code_symbols(image), known[i].symbol);
		struct landmark l = {
			.image = image->image,
			.path = image->path,
			.site.role = known[i].role,
			.layout = g->layout,
		};

		if (s && place(image, decoder, s, known[i].call, &l.site) &&
		    is_in_memory(image, s, &l.site))
			array_push(ret, l);
	}
}
