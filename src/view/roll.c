#include "view/roll.h"

#include "base/text.h"
#include "view/fold.h"

/* A thread on its way into its group. */
struct called {
	struct roll_thread thread;
	uint32_t node;
	enum sample_cause cause;
	uint8_t user_end;
	uint32_t alike; /* threads in the same group */
	uint32_t rank;	/* of the group: the less, the earlier */
};

#define GONE 0x80000000u /* beyond all numbers of threads */

enum { RANK_FIRST, RANK_OWNER, RANK_OTHER, RANK_UNSEEN };

struct call {
	const struct store *store;
	const struct query *query;
	const struct naming *naming;
	struct roll *roll;
	struct fold fold;
	ARRAY(struct called) threads;
	struct table by_tid; /* -> threads */
	bool unnumbered;     /* some threads have no number */
	nsec now;
};

static text_id call_text(struct call *c, const char *text)
{
	return intern_text(&c->roll->picture->text, text);
}

static bool is_asked_for(const struct query *q, const struct store_thread *t)
{
	return !t->exited && (!q->tid || q->tid == t->tid) && (!q->pid || q->pid == t->pid) &&
	       (!q->thread || text_glob(q->thread, t->name));
}

static void add_threads(struct call *c)
{
	for (uint32_t i = 0; i < c->store->threads.count; i++) {
		const struct store_thread *t = &c->store->threads.at[i];
		const struct store_process *p = store_process(c->store, t->pid);
		struct called *to;

		c->unnumbered |= !t->exited && !t->number;
		if (!is_asked_for(c->query, t))
			continue;
		table_set(&c->by_tid, t->tid, c->threads.count);
		to = array_add(&c->threads);
		to->thread = (struct roll_thread){
			.tid = t->tid,
			.pid = t->pid,
			.name = call_text(c, t->name),
			.comm = call_text(c, p ? p->comm : ""),
			.since = t->ran && t->ran < c->now ? c->now - t->ran : 0,
			.group = UINT32_MAX,
		};
	}
}

/* What it waits for, if that was told of this very wait, and who of its process has it. */
static void find_hold(struct call *c, struct called *t)
{
	const struct store_thread *k = store_thread(c->store, t->thread.tid);
	struct hold *hold = &t->thread.hold;
	const struct store_thread *has;
	struct lock at;

	if (t->cause != CAUSE_LOCK || !k->wait.cause || k->futex.head.time < k->wait.time)
		return;
	*hold = hold_of(c->roll->picture, t->node, &k->futex);
	at = lock_of(&c->store->spaces, k->pid, &k->futex);
	hold->name = hold_variable(hold, c->naming, &at, &c->roll->picture->text);
	if (!hold->owner)
		return;
	has = store_thread_numbered(c->store, k->pid, hold->owner);
	if (!has || has->exited) {
		t->thread.gone = !hold->shared && !c->unnumbered;
		return;
	}
	t->thread.owner = has->tid;
	t->thread.owner_name = call_text(c, has->name);
}

/* The newest sample of each. */
static void place_threads(struct call *c)
{
	const struct samples *samples = &c->store->samples;

	for (uint32_t i = samples->count; i-- > 0;) {
		const struct sample *s = sample_at(samples, i);
		uint32_t at = table_find(&c->by_tid, s->tid);
		struct called *t = at == TABLE_NONE ? NULL : &c->threads.at[at];

		if (!t || t->cause)
			continue;
		t->node = fold_node(&c->fold, s->node);
		t->cause = s->cause;
		t->user_end = s->user_end;
		if (t->cause == CAUSE_CPU)
			t->thread.since = 0;
		else
			find_hold(c, t);
	}
}

/* The kernel's own threads have no space, and are seen only if they run. */
static void drop_kernel_threads(struct call *c)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < c->threads.count; i++) {
		const struct called *t = &c->threads.at[i];

		if (!t->cause && !space_find(&c->store->spaces, t->thread.pid))
			continue;
		table_set(&c->by_tid, t->thread.tid, kept);
		c->threads.at[kept++] = *t;
	}
	c->threads.count = kept;
}

/* Who waits at the same place for the same thread is in one group. */
static uint64_t group_key(const struct called *t)
{
	uint32_t who = t->thread.gone ? GONE | t->thread.hold.owner : t->thread.owner;

	return (uint64_t)t->node << 32 | who;
}

static void lower_rank(struct called *t, uint32_t rank)
{
	if (t->cause && t->rank > rank)
		t->rank = rank;
}

/* Of each thread alone. */
static void rank_threads(struct call *c)
{
	uint32_t first = c->store->processes.count ? c->store->processes.at[0].pid : 0;

	for (uint32_t i = 0; i < c->threads.count; i++) {
		struct called *t = &c->threads.at[i];

		t->rank = t->cause ? RANK_OTHER : RANK_UNSEEN;
	}
	for (uint32_t i = 0; i < c->threads.count; i++) {
		struct called *t = &c->threads.at[i];
		uint32_t owner = table_find(&c->by_tid, t->thread.owner);

		if (t->thread.owner && owner != TABLE_NONE)
			lower_rank(&c->threads.at[owner], RANK_OWNER);
		if (t->thread.tid == first)
			lower_rank(t, RANK_FIRST);
	}
}

/* What threads of one group have in common. */
struct ranking {
	uint32_t count, rank;
};

struct rankings {
	struct table keys;
	ARRAY(struct ranking) list;
};

static struct ranking *ranking_of(struct rankings *r, const struct called *t)
{
	uint32_t at = table_find(&r->keys, group_key(t));

	if (at == TABLE_NONE) {
		at = r->list.count;
		table_set(&r->keys, group_key(t), at);
		array_push(&r->list, ((struct ranking){ .rank = RANK_UNSEEN }));
	}
	return &r->list.at[at];
}

/* How many are alike, and the best of their ranks. */
static void rank_groups(struct call *c)
{
	struct rankings rankings = { .list = { 0 } };

	for (uint32_t i = 0; i < c->threads.count; i++) {
		struct called *t = &c->threads.at[i];
		struct ranking *r = ranking_of(&rankings, t);

		r->count += t->cause != 0;
		r->rank = t->rank < r->rank ? t->rank : r->rank;
	}
	for (uint32_t i = 0; i < c->threads.count; i++) {
		struct called *t = &c->threads.at[i];
		const struct ranking *r = ranking_of(&rankings, t);

		t->alike = r->count;
		if (t->cause)
			t->rank = r->rank;
	}
	table_done(&rankings.keys);
	array_done(&rankings.list);
}

static int order_of(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int called_order(const void *va, const void *vb)
{
	const struct called *a = va, *b = vb;
	int order = order_of(a->rank, b->rank);

	if (!order)
		order = order_of(a->alike, b->alike);
	if (!order && a->cause)
		order = order_of(group_key(a), group_key(b));
	return order ? order : order_of(a->thread.tid, b->thread.tid);
}

/* Each thread waits for one other at most: who is met again on the way is on a cycle. */
static void find_deadlocks(struct call *c)
{
	AUTO_FREE uint32_t *walk = mem_zeroed(c->threads.count + 1, sizeof(*walk));

	for (uint32_t i = 0; i < c->threads.count; i++) {
		uint32_t at = i, from;

		while (at != TABLE_NONE && !walk[at]) {
			walk[at] = i + 1;
			at = table_find(&c->by_tid, c->threads.at[at].thread.owner);
		}
		if (at == TABLE_NONE || walk[at] != i + 1)
			continue;
		from = at;
		(void)array_add(&c->roll->deadlocks);
		do {
			struct roll_cycle *cycle =
				&c->roll->deadlocks.at[c->roll->deadlocks.count - 1];

			array_push(&cycle->tids, c->threads.at[at].thread.tid);
			at = table_find(&c->by_tid, c->threads.at[at].thread.owner);
		} while (at != from);
	}
}

static void write_groups(struct call *c)
{
	struct roll *r = c->roll;

	if (c->threads.count)
		qsort(c->threads.at, c->threads.count, sizeof(*c->threads.at), called_order);
	for (uint32_t i = 0; i < c->threads.count; i++) {
		struct called *t = &c->threads.at[i];
		struct roll_group *g =
			r->groups.count ? &r->groups.at[r->groups.count - 1] : NULL;

		if (t->cause && (!g || group_key(t) != group_key(t - 1))) {
			g = array_add(&r->groups);
			*g = (struct roll_group){
				.node = t->node,
				.cause = t->cause,
				.user_end = t->user_end,
				.first = r->threads.count,
			};
		}
		if (t->cause) {
			t->thread.group = r->groups.count - 1;
			g->count++;
		}
		array_push(&r->threads, t->thread);
	}
}

struct roll *roll_call(const struct store *st, const struct query *q,
		       const struct naming *naming, nsec now)
{
	struct query query = *q;
	struct call c = {
		.store = st,
		.query = &query,
		.naming = naming,
		.roll = NEW(struct roll),
		.now = now,
	};

	query.fold = FOLD_ADDRESS;
	query.no_locks = true;
	c.roll->picture = picture_new();
	fold_init(&c.fold, c.roll->picture, st);
	fold_begin(&c.fold, naming, &query);
	add_threads(&c);
	place_threads(&c);
	drop_kernel_threads(&c);
	rank_threads(&c);
	rank_groups(&c);
	find_deadlocks(&c);
	write_groups(&c);
	fold_done(&c.fold);
	table_done(&c.by_tid);
	array_done(&c.threads);
	return c.roll;
}

void roll_drop_unseen(struct roll *r)
{
	while (r->threads.count && r->threads.at[r->threads.count - 1].group == UINT32_MAX)
		r->threads.count--;
}

void roll_free(struct roll *r)
{
	if (!r)
		return;
	picture_free(r->picture);
	array_done(&r->threads);
	array_done(&r->groups);
	for (uint32_t i = 0; i < r->deadlocks.count; i++)
		array_done(&r->deadlocks.at[i].tids);
	array_done(&r->deadlocks);
	free(r);
}
