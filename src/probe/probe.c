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
	free(p->left_out);
	*p = (struct probe){ 0 };
}

bool probe_has_end(const struct probe *p, struct error *err)
{
	if (p->judgement.exit != EXIT_NONE)
		return true;
	error_set(err, ENOTSUP, "the end of '%.200s' cannot be seen without harm: %s", p->place,
		  p->judgement.reason);
	return false;
}

static void add_price(enum insn_price *worst, enum insn_price price)
{
	if (price > *worst)
		*worst = price;
}

struct probe_price function_price(const struct probe_function *f)
{
	struct probe_price worst = { INSN_EMULATED, INSN_EMULATED };

	for (uint32_t i = 0; i < f->sites.count; i++)
		add_price(f->sites.at[i].role == SITE_EXIT ? &worst.exit : &worst.entry,
			  f->sites.at[i].price);
	return worst;
}

static uint64_t function_key(const struct probe_function *f)
{
	return hash_bytes(&f->image, sizeof(f->image), f->entry);
}

/* Two probes on one function would each count its calls, and hide each other's
 * samples. */
static int drop_known(const struct probe_set *set, struct probe *p, struct error *err)
{
	uint32_t kept = 0, count = p->functions.count, who = TABLE_NONE;

	for (uint32_t i = 0; i < count; i++) {
		struct probe_function *f = &p->functions.at[i];
		uint32_t owner = table_find(&set->owners, function_key(f));

		if (owner == TABLE_NONE) {
			p->functions.at[kept++] = *f;
			continue;
		}
		function_done(f);
		who = owner;
	}
	p->functions.count = kept;
	if (!kept)
		return error_set(err, EEXIST,
				 "all that '%.200s' stands for is watched by '%.200s'",
				 p->place, probe_set_find(set, who)->place);
	if (kept < count) {
		char *note = mem_format("%s%s%u belong%s to '%.200s'", p->note ? p->note : "",
					p->note ? "; " : "", count - kept,
					count - kept == 1 ? "s" : "",
					probe_set_find(set, who)->place);

		free(p->note);
		p->note = note;
	}
	return 0;
}

int probe_set_add(struct probe_set *set, uint32_t id, struct code *code, const char *place,
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
	ret = drop_known(set, &p, err);
	if (ret) {
		probe_done(&p);
		return ret;
	}
	for (uint32_t i = 0; i < p.functions.count; i++)
		table_set(&set->owners, function_key(&p.functions.at[i]), id);
	p.id = id;
	array_push(set, p);
	return 0;
}

struct probe *probe_set_find(const struct probe_set *set, uint32_t id)
{
	for (uint32_t i = 0; i < set->count; i++)
		if (set->at[i].id == id)
			return &set->at[i];
	return NULL;
}

int probe_set_extend(struct probe_set *set, uint32_t id, struct code *code, struct error *err)
{
	struct probe *p = probe_set_find(set, id), more;
	uint32_t before = p->functions.count;
	int failed = probe_resolve(code, p->place, p->wish, &more, err);

	if (failed)
		return failed;
	if (!probe_has_end(&more, err)) {
		probe_done(&more);
		return -EPERM;
	}
	for (uint32_t i = 0; i < more.functions.count; i++) {
		struct probe_function *f = &more.functions.at[i];

		if (table_find(&set->owners, function_key(f)) != TABLE_NONE) {
			function_done(f);
			continue;
		}
		table_set(&set->owners, function_key(f), id);
		array_push(&p->functions, *f);
	}
	array_clear(&more.functions);
	probe_done(&more);
	return p->functions.count - before;
}

void probe_set_shrink(struct probe_set *set, uint32_t id, uint32_t count)
{
	struct probe *p = probe_set_find(set, id);

	while (p->functions.count > count) {
		struct probe_function *f = &p->functions.at[--p->functions.count];

		table_remove(&set->owners, function_key(f));
		function_done(f);
	}
}

void probe_set_remove(struct probe_set *set, uint32_t id)
{
	struct probe *p = probe_set_find(set, id);

	if (!p)
		return;
	probe_set_shrink(set, id, 0);
	probe_done(p);
	memmove(p, p + 1, (set->at + --set->count - p) * sizeof(*p));
}

void probe_set_done(struct probe_set *set)
{
	for (uint32_t i = 0; i < set->count; i++)
		probe_done(&set->at[i]);
	table_done(&set->owners);
	array_done(set);
}
