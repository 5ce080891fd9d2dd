#include "model/store.h"

#include "base/mem.h"
#include "model/profile.h"

#include <math.h>

#define DEFAULT_SAMPLES (1u << 20)
#define DEFAULT_SPANS (1u << 18)
#define DEFAULT_NODES (4u << 20)
#define DEFAULT_CELLS (1u << 20)

struct store *store_new(const struct store_limit *limit)
{
	struct store *st = NEW(struct store);

	if (limit)
		st->limit = *limit;
	st->limit.samples = st->limit.samples ? st->limit.samples : DEFAULT_SAMPLES;
	st->limit.spans = st->limit.spans ? st->limit.spans : DEFAULT_SPANS;
	st->limit.nodes = st->limit.nodes ? st->limit.nodes : DEFAULT_NODES;
	st->limit.cells = st->limit.cells ? st->limit.cells : DEFAULT_CELLS;
	st->text.limit = STORE_MAX_TEXT;
	frames_init(&st->frames, st->limit.nodes / 4 + 1);
	tree_init(&st->tree, st->limit.nodes);
	spans_init(&st->spans, st->limit.spans);
	samples_init(&st->samples, st->limit.samples);
	cube_init(&st->cube, st->limit.cells);
	st->stacks = mem_zeroed(STACK_CACHE, sizeof(*st->stacks));
	return st;
}

void store_free(struct store *st)
{
	if (!st)
		return;
	for (uint32_t i = 0; i < st->probes.count; i++)
		timeline_done(&st->probes.at[i].calls);
	array_done(&st->probes);
	array_done(&st->images);
	array_done(&st->processes);
	array_done(&st->threads);
	table_done(&st->probe_ids);
	table_done(&st->image_ids);
	table_done(&st->pids);
	table_done(&st->tids);
	table_done(&st->numbers);
	locks_done(&st->locks);
	holders_done(&st->holders);
	array_done(&st->due);
	frames_done(&st->frames);
	tree_done(&st->tree);
	spans_done(&st->spans);
	samples_done(&st->samples);
	spaces_done(&st->spaces);
	cube_done(&st->cube);
	intern_done(&st->text);
	free(st->stacks);
	free(st);
}

const struct store_probe *store_probe(const struct store *st, uint32_t id)
{
	uint32_t i = table_find(&st->probe_ids, id);

	return i == TABLE_NONE ? NULL : &st->probes.at[i];
}

static void count_timelines(struct store *st)
{
	st->intervals = st->buckets = 0;
	for (uint32_t i = 0; i < st->probes.count; i++) {
		st->intervals += st->probes.at[i].calls.all.count;
		st->buckets += st->probes.at[i].calls.nr_bucket;
	}
}

static bool timelines_fit(const struct store *st)
{
	return st->intervals <= STORE_MAX_INTERVALS && st->buckets <= STORE_MAX_BUCKETS;
}

void store_bound_timelines(struct store *st, uint32_t nr_bucket)
{
	st->intervals++;
	st->buckets += nr_bucket;
	if (!timelines_fit(st))
		count_timelines(st);
	while (!timelines_fit(st)) {
		for (uint32_t i = 0; i < st->probes.count; i++)
			timeline_coarsen(&st->probes.at[i].calls);
		count_timelines(st);
	}
}

const struct store_probe *store_main_probe(const struct store *st)
{
	const struct store_probe *newest = NULL;

	for (uint32_t i = 0; i < st->probes.count; i++) {
		const struct store_probe *p = &st->probes.at[i];

		if (!p->removed)
			return p;
		if (!newest || p->removed >= newest->removed)
			newest = p;
	}
	return newest;
}

bool store_probe_watched(const struct store_probe *p, nsec time)
{
	return time >= p->armed && (!p->removed || time <= p->removed);
}

const struct store_image *store_image(const struct store *st, uint32_t id)
{
	uint32_t i = table_find(&st->image_ids, id);

	return i == TABLE_NONE ? NULL : &st->images.at[i];
}

const struct store_process *store_process(const struct store *st, uint32_t pid)
{
	uint32_t i = table_find(&st->pids, pid);

	return i == TABLE_NONE ? NULL : &st->processes.at[i];
}

const struct store_thread *store_thread(const struct store *st, uint32_t tid)
{
	uint32_t i = table_find(&st->tids, tid);

	return i == TABLE_NONE ? NULL : &st->threads.at[i];
}

const char *store_thread_name(const struct store *st, uint32_t tid)
{
	const struct store_thread *t = store_thread(st, tid);

	return t ? t->name : "";
}

/* Index of id in an array of count elements: count itself when it is to be
 * added there, TABLE_NONE when there is no room. */
static uint32_t store_index(struct table *ids, uint32_t id, uint32_t count, uint32_t limit)
{
	uint32_t i = table_find(ids, id);

	if (i != TABLE_NONE)
		return i;
	if (count >= limit)
		return TABLE_NONE;
	table_set(ids, id, count);
	return count;
}

struct store_probe *store_get_probe(struct store *st, uint32_t id)
{
	uint32_t i = store_index(&st->probe_ids, id, st->probes.count, STORE_MAX_PROBES);

	if (i == TABLE_NONE)
		return NULL;
	if (i == st->probes.count)
		((struct store_probe *)array_add(&st->probes))->id = id;
	return &st->probes.at[i];
}

static void store_forget_probe(struct store *st, uint32_t at)
{
	struct store_probe *p = &st->probes.at[at];

	cube_forget(&st->cube, p->id);
	timeline_done(&p->calls);
	table_remove(&st->probe_ids, p->id);
	memmove(p, p + 1, (--st->probes.count - at) * sizeof(*p));
	for (uint32_t i = at; i < st->probes.count; i++)
		table_set(&st->probe_ids, st->probes.at[i].id, i);
}

void store_remove_probe(struct store *st, uint32_t id, nsec time)
{
	uint32_t removed = 0, oldest = 0;

	store_get_probe(st, id)->removed = time;
	for (uint32_t i = 0; i < st->probes.count; i++) {
		nsec since = st->probes.at[i].removed;

		if (!since)
			continue;
		if (!removed++ || since < st->probes.at[oldest].removed)
			oldest = i;
	}
	if (removed > STORE_MAX_REMOVED)
		store_forget_probe(st, oldest);
}

struct store_image *store_get_image(struct store *st, uint32_t id)
{
	uint32_t i = store_index(&st->image_ids, id, st->images.count, STORE_MAX_IMAGES);

	if (i == TABLE_NONE)
		return NULL;
	if (i == st->images.count)
		((struct store_image *)array_add(&st->images))->id = id;
	return &st->images.at[i];
}

struct store_process *store_get_process(struct store *st, uint32_t pid)
{
	uint32_t i = store_index(&st->pids, pid, st->processes.count, STORE_MAX_PROCESSES);

	if (i == TABLE_NONE)
		return NULL;
	if (i == st->processes.count)
		((struct store_process *)array_add(&st->processes))->pid = pid;
	return &st->processes.at[i];
}

static uint64_t number_key(uint32_t pid, uint32_t number)
{
	return (uint64_t)pid << 32 | number;
}

const struct store_thread *store_thread_numbered(const struct store *st, uint32_t pid,
						 uint32_t number)
{
	uint32_t tid = table_find(&st->numbers, number_key(pid, number));
	const struct store_thread *t = store_thread(st, tid == TABLE_NONE ? number : tid);

	/* where numbers are not told, they are those of all processes */
	return t && t->pid == pid && (tid != TABLE_NONE || !t->number) ? t : NULL;
}

static void forget_number(struct store *st, const struct store_thread *t)
{
	uint64_t key = number_key(t->pid, t->number);

	if (t->number && table_find(&st->numbers, key) == t->tid)
		table_remove(&st->numbers, key);
}

void store_number_thread(struct store *st, struct store_thread *t, uint32_t number)
{
	if (t->number != number)
		forget_number(st, t);
	t->number = number; /* the same one may be of another process by now */
	if (number)
		table_set(&st->numbers, number_key(t->pid, number), t->tid);
}

/* Programs can start threads without end, so here the oldest one gives way. */
struct store_thread *store_get_thread(struct store *st, uint32_t tid)
{
	uint32_t i = store_index(&st->tids, tid, st->threads.count, STORE_MAX_THREADS);

	if (i == TABLE_NONE) {
		i = st->threads_seen++ % STORE_MAX_THREADS;
		table_remove(&st->tids, st->threads.at[i].tid);
		forget_number(st, &st->threads.at[i]);
		st->threads.at[i] = (struct store_thread){ .tid = tid };
		table_set(&st->tids, tid, i);
	} else if (i == st->threads.count) {
		((struct store_thread *)array_add(&st->threads))->tid = tid;
		st->threads_seen++;
	}
	return &st->threads.at[i];
}

const struct span *store_enclosing(const struct store *st, span_id inner, uint32_t probe,
				   bool *ret_broken)
{
	const struct span *outermost = NULL, *span;
	unsigned steps = 0;

	*ret_broken = false;
	for (; inner; inner = span->parent) {
		span = span_find(&st->spans, inner);
		if (!span || !span->probe || ++steps > SPAN_MAX_NESTED) {
			*ret_broken = true;
			break;
		}
		if (span->probe == probe)
			outermost = span;
	}
	return outermost;
}

/* The bucket of a sample for one probe; CUBE_BEFORE + 1 when it is outside. */
static uint32_t store_cube_bucket(const struct store *st, const struct sample *s,
				  const struct store_probe *probe, bool *ret_broken)
{
	const struct span *call = store_enclosing(st, s->span, probe->id, ret_broken);

	if (call)
		return span_finished(call) ? bucket_of(span_age(call, 0)) : CUBE_OPEN;
	return s->time < probe->armed ? CUBE_BEFORE : CUBE_BEFORE + 1;
}

/* Outside every call and younger than every probe: needs no walk over them. */
static bool store_sample_is_plain(const struct store *st, const struct sample *s)
{
	return !s->span && s->time >= st->last_armed;
}

static void store_to_cube(struct store *st, const struct sample *s)
{
	struct cube_cell cell = {
		.node = s->node,
		.samples = whole_number(fmax(sample_moments(s, st->origin.period), 1)),
		.weight = s->weight,
	};
	uint32_t nr_probe = store_sample_is_plain(st, s) ? 0 : st->probes.count;
	bool broken = false;

	if (s->time > st->cube.newest)
		st->cube.newest = s->time;
	if (nr_probe)
		store_cube_bucket(st, s, &st->probes.at[0], &broken);
	if (broken || !cube_has_room(&st->cube, 1 + nr_probe)) {
		st->cube.refused++;
		return;
	}
	cube_add(&st->cube, &cell);
	st->cube.samples++;
	for (uint32_t i = 0; i < nr_probe; i++) {
		const struct store_probe *probe = &st->probes.at[i];

		cell.probe = probe->id;
		cell.bucket = store_cube_bucket(st, s, probe, &broken);
		if (cell.bucket <= CUBE_BEFORE && probe->id <= CUBE_MAX_PROBE)
			cube_add(&st->cube, &cell);
	}
}

static void store_drop_sample(struct store *st)
{
	store_to_cube(st, sample_at(&st->samples, 0));
	sample_drop(&st->samples);
}

struct sample *store_add_sample(struct store *st)
{
	if (samples_full(&st->samples))
		store_drop_sample(st);
	return sample_add(&st->samples);
}

/* Samples of an ended span leave before it does, so that the cube knows how
 * long their call took.  One that never ended has nothing to tell. */
struct span *store_get_span(struct store *st, span_id id)
{
	struct span *span = span_find(&st->spans, id);

	if (span || !spans_full(&st->spans))
		return span ? span : span_get(&st->spans, id);
	span = spans_oldest(&st->spans);
	while (span->over && st->samples.count && st->samples.dropped < span->last_sample)
		store_drop_sample(st);
	span_forget(&st->spans, span);
	return span_get(&st->spans, id);
}
