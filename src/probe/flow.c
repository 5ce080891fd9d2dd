#include "probe/flow.h"

#define TABLE_ENTRIES 1024 /* of one table that are looked at */
#define TABLES_MAX 64	   /* addresses of one function that may be tables */
#define TABLE_REACH 16	   /* instructions between reading an entry and the jump */
#define LOCK_PREFIX_BYTES 1

static void fail(struct flow *f, const char *why)
{
	if (!f->broken)
		f->broken = why;
}

void flow_add_part(struct flow *f, struct decoder *d, struct code_bytes code)
{
	struct flow_part part = { code.address, code.left, f->count, 0 };
	struct insn i;

	if (f->nr_parts == FLOW_PARTS_MAX)
		return fail(f, "it is in more parts than are looked at");
	if (code.left > FLOW_BYTES_MAX)
		return fail(f, "it is larger than 1 MiB");
	while (decoder_next(d, &code, &i)) {
		struct flow_insn *at = array_add(f);

		at->insn = i;
		at->target = at->source = at->next_source = FLOW_NONE;
	}
	if (code.left)
		fail(f, "some of its bytes are no instruction");
	part.count = f->count - part.first;
	f->parts[f->nr_parts++] = part;
}

static const struct flow_part *part_of(const struct flow *f, uint64_t address)
{
	for (uint32_t i = 0; i < f->nr_parts; i++)
		if (address - f->parts[i].address < f->parts[i].size)
			return &f->parts[i];
	return NULL;
}

bool flow_holds(const struct flow *f, uint64_t address)
{
	return part_of(f, address) != NULL;
}

/* Index of the last instruction of the part that does not begin behind address. */
static uint32_t lower(const struct flow *f, const struct flow_part *p, uint64_t address)
{
	uint32_t low = p->first, high = p->first + p->count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (f->at[middle].insn.address <= address)
			low = middle;
		else
			high = middle;
	}
	return low;
}

uint32_t flow_find(const struct flow *f, uint64_t address)
{
	const struct flow_part *p = part_of(f, address);
	uint32_t at;

	if (!p || !p->count)
		return FLOW_NONE;
	at = lower(f, p, address);
	return f->at[at].insn.address == address ? at : FLOW_NONE;
}

/* Where a branch lands.  A program with one thread jumps over the lock prefix
 * (glibc does): the instruction is the same one. */
static uint32_t land(const struct flow *f, uint64_t address)
{
	uint32_t at = flow_find(f, address);

	if (at != FLOW_NONE || !flow_holds(f, address))
		return at;
	at = flow_find(f, address - LOCK_PREFIX_BYTES);
	return at != FLOW_NONE && f->at[at].insn.locked ? at : FLOW_NONE;
}

static void link_branch(struct flow *f, uint32_t from)
{
	struct flow_insn *i = &f->at[from];

	if (!i->insn.has_target || i->insn.is_call || i->restarts ||
	    !flow_holds(f, i->insn.target))
		return;
	i->target = land(f, i->insn.target);
	if (i->target == FLOW_NONE)
		return fail(f, "a branch leads into the middle of an instruction");
	i->next_source = f->at[i->target].source;
	f->at[i->target].source = from;
}

/* Does a part end with something that is not run over?  What is called last does
 * not come back. */
static void check_end(struct flow *f, const struct flow_part *p)
{
	uint32_t last = p->first + p->count;

	while (last > p->first && f->at[last - 1].insn.pads)
		last--;
	if (last == p->first)
		return fail(f, "it has no code");
	if (!f->at[last - 1].insn.ends && !f->at[last - 1].insn.is_call)
		fail(f, "it runs on into what follows it");
}

void flow_link(struct flow *f)
{
	for (uint32_t p = 0; p < f->nr_parts && !f->broken; p++) {
		const struct flow_part *part = &f->parts[p];

		for (uint32_t i = part->first; i < part->first + part->count; i++) {
			f->at[i].falls_in = i > part->first && !f->at[i - 1].insn.ends;
			link_branch(f, i);
		}
		check_end(f, part);
	}
}

struct tables {
	struct flow *flow;
	flow_read read;
	void *context;
	uint64_t looked_at[TABLES_MAX];
	uint32_t nr_looked_at, found;
};

static bool mark(struct flow *f, uint64_t address)
{
	uint32_t at = flow_find(f, address);

	if (at != FLOW_NONE)
		f->at[at].from_table = true;
	return at != FLOW_NONE;
}

/* Of distances from the table itself. */
static bool add_relative(struct tables *t, uint64_t table)
{
	int32_t entries[TABLE_ENTRIES];
	size_t n = t->read(t->context, table, entries, sizeof(entries)) / sizeof(entries[0]);
	size_t i = 0;

	while (i < n && mark(t->flow, table + (uint64_t)(int64_t)entries[i]))
		i++;
	return i > 0;
}

/* Of addresses, in a file that is loaded where it says. */
static bool add_absolute(struct tables *t, uint64_t table)
{
	uint64_t entries[TABLE_ENTRIES];
	size_t n = t->read(t->context, table, entries, sizeof(entries)) / sizeof(entries[0]);
	size_t i = 0;

	while (i < n && mark(t->flow, entries[i]))
		i++;
	return i > 0;
}

static bool is_new(struct tables *t, uint64_t table)
{
	for (uint32_t i = 0; i < t->nr_looked_at; i++)
		if (t->looked_at[i] == table)
			return false;
	if (t->nr_looked_at == TABLES_MAX)
		return false;
	t->looked_at[t->nr_looked_at++] = table;
	return true;
}

/* Is it a jump by an entry that was read shortly before? */
static bool jumps_by_distance(const struct flow *f, uint32_t at)
{
	for (uint32_t n = 0; n < TABLE_REACH && at > 0; n++) {
		if (!f->at[at].falls_in)
			return false;
		if (f->at[--at].insn.relative)
			return true;
	}
	return false;
}

void flow_add_tables(struct flow *f, flow_read read, void *context)
{
	struct tables t = { .flow = f, .read = read, .context = context };
	uint32_t jumps = 0;

	for (uint32_t i = 0; i < f->count && !f->broken; i++) {
		struct flow_insn *at = &f->at[i];

		if (at->insn.scaled && at->insn.has_address)
			at->by_table = add_absolute(&t, at->insn.target);
		else if (at->insn.indirect)
			jumps += jumps_by_distance(f, i);
	}
	if (!jumps || f->broken)
		return;
	for (uint32_t i = 0; i < f->count; i++) {
		const struct insn *insn = &f->at[i].insn;

		if (insn->has_address && !insn->indirect && is_new(&t, insn->target))
			t.found += add_relative(&t, insn->target);
	}
	/* fewer tables than jumps: some was not found, and none knows whose */
	for (uint32_t i = 0; i < f->count && t.found >= jumps; i++)
		if (f->at[i].insn.indirect && !f->at[i].by_table)
			f->at[i].by_table = jumps_by_distance(f, i);
}

/* A walk over what follows what: push, then visit until empty. */
static void walk_begin(struct flow *f)
{
	while (f->seen.count < f->count)
		array_push(&f->seen, 0);
	f->walks++;
	array_clear(&f->walk);
}

static void walk_push(struct flow *f, uint32_t index)
{
	if (index == FLOW_NONE || f->seen.at[index] == f->walks)
		return;
	f->seen.at[index] = f->walks;
	array_push(&f->walk, index);
}

static void walk_on(struct flow *f, uint32_t index)
{
	const struct flow_insn *i = &f->at[index];

	walk_push(f, i->target);
	if (!i->insn.ends && index + 1 < f->count && f->at[index + 1].falls_in)
		walk_push(f, index + 1);
	for (uint32_t k = 0; i->by_table && k < f->count; k++)
		if (f->at[k].from_table)
			walk_push(f, k);
}

void flow_reach(struct flow *f)
{
	walk_begin(f);
	if (f->count)
		walk_push(f, 0);
	while (f->walk.count) {
		uint32_t at = f->walk.at[--f->walk.count];

		f->at[at].reached = true;
		walk_on(f, at);
	}
}

bool flow_in_loop(struct flow *f, uint32_t index)
{
	walk_begin(f);
	walk_on(f, index);
	while (f->walk.count) {
		uint32_t at = f->walk.at[--f->walk.count];

		if (at == index)
			return true;
		walk_on(f, at);
	}
	return false;
}

void flow_done(struct flow *f)
{
	array_done(f);
	array_done(&f->walk);
	array_done(&f->seen);
}
