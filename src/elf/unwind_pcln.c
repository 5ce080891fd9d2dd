#include "elf/unwind_pcln.h"

/* How rules of one function are made. */
struct run {
	struct rulebook *rules;
	struct pager *pager;
	uint64_t limit;
	bool switches, injected; /* of struct pcln_func */
	bool framed;		 /* has had a frame */
};

void go_rules_init(struct go_rules *g, const struct image *image, struct cfi *cfi)
{
	const struct section *s = pcln_section(image);
	struct pcln_func f;

	*g = (struct go_rules){ 0 };
	if (!s)
		return;
	g->bytes = section_copy(image, s);
	if (!pcln_init(&g->pcln, image, s, g->bytes)) {
		cfi->counts.gaps[UNWIND_BROKEN]++;
		return;
	}
	cfi->sections[cfi->nr_sections] = (struct cfi_section){ .kind = CFI_PCLN };
	for (uint32_t i = 0; i < g->pcln.count; i++) {
		if (pcln_at(&g->pcln, i, &f))
			cfi_add_fde(cfi, (struct fde){ .start = f.start,
						       .end = f.end,
						       .program = i,
						       .section = cfi->nr_sections });
		else
			cfi->counts.gaps[UNWIND_BROKEN]++;
	}
	cfi->nr_sections++;
}

void go_rules_done(struct go_rules *g)
{
	free(g->bytes);
}

static void take(void *store, uint64_t address, int64_t below)
{
	struct run *r = store;
	struct cfi_row row = {
		.cfa_register = RULE_REG_RSP,
		.cfa_offset = below + 8,
		.cfa.how = CFI_OFFSET,
		.rbp = { .how = CFI_OFFSET, .value = -16 },
		.ra = { .how = CFI_OFFSET, .value = -8 },
		.injected = r->injected,
	};
	uint32_t rule = RULE_NONE;

	if (address >= r->limit)
		return;
	if (r->switches && below > 0)
		rule = RULE_SPECIAL_OF(RULE_SWITCH);
	else if (below >= 0)
		rule = rulebook_rule(r->rules, &row);
	r->framed |= below > 0;
	pager_add(r->pager, address, rule);
}

/* The code that a signal handler returns to: the kernel's frame is above it.  Readers
 * look one byte before a return address. */
static bool is_restorer(const char *name)
{
	return !strcmp(name, "runtime.sigreturn__sigaction") ||
	       !strcmp(name, "runtime.sigreturn");
}

static void find_frames(void *store, uint64_t address, int64_t below)
{
	(void)address;
	((struct run *)store)->framed |= below > 0;
}

bool go_rules_run(struct go_rules *g, const struct fde *fde, uint64_t limit,
		  struct rulebook *rules, struct pager *pager)
{
	struct run r = { .rules = rules, .pager = pager, .limit = limit };
	struct pcln_func f;

	if (!pcln_at(&g->pcln, fde->program, &f))
		return false;
	if (f.switches)
		pcln_run(&g->pcln, &f, find_frames, &r);
	if (is_restorer(f.name)) {
		pager_add(pager, f.start - 1, RULE_SPECIAL_OF(RULE_SIGNAL));
	} else if (f.outermost) {
		pager_add(pager, f.start, RULE_SPECIAL_OF(RULE_END));
	} else if (f.switches && !r.framed) {
		pager_add(pager, f.start, RULE_SPECIAL_OF(RULE_SWITCH));
	} else {
		r.switches = f.switches;
		r.injected = f.injected;
		return pcln_run(&g->pcln, &f, take, &r) >= limit;
	}
	return true;
}
