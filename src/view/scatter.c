#include "view/scatter.h"

#include <math.h>

/* Of functions, there may be more at every call. */
static void reach(struct scatter *s)
{
	uint32_t room = SCATTER_OF(s->fs->count);

	if (s->room >= room)
		return;
	room += room / 4;
	s->given = mem_resize(s->given, room, sizeof(*s->given));
	s->stamp = mem_resize(s->stamp, room, sizeof(*s->stamp));
	memset(&s->given[s->room], 0, (room - s->room) * sizeof(*s->given));
	memset(&s->stamp[s->room], 0, (room - s->room) * sizeof(*s->stamp));
	s->room = room;
}

static struct scatter_stratum *stratum_at(struct scatter *s, uint32_t stratum)
{
	while (s->strata.count <= stratum)
		(void)array_add(&s->strata);
	return &s->strata.at[stratum];
}

static struct scatter_sum *sum_at(struct scatter_stratum *s, uint32_t at)
{
	struct scatter_sum **page;

	while (s->pages.count <= at / SCATTER_PAGE)
		(void)array_add(&s->pages);
	page = &s->pages.at[at / SCATTER_PAGE];
	if (!*page)
		*page = mem_zeroed(SCATTER_PAGE, sizeof(**page));
	return &(*page)[at % SCATTER_PAGE];
}

static void give(struct scatter *s, uint32_t at, double nsec)
{
	if (s->given[at] == 0)
		array_push(&s->touched, at);
	s->given[at] += nsec;
}

/* Gives a sample to every function it is in, once each. */
static void give_sample(struct scatter *s, const struct strata_entry *e)
{
	const struct functions *fs = s->fs;
	const struct picture *p = fs->picture;
	uint32_t stamp = ++s->stamps;

	s->whole += e->nsec;
	if (functions_itself(fs, e->node))
		give(s, SCATTER_ITSELF, e->nsec);
	for (uint32_t n = e->node; n; n = p->nodes.at[n].parent) {
		uint32_t at = SCATTER_OF(fs->of_frame.at[p->nodes.at[n].frame]);

		if (fs->place.at[n] != PLACE_WITHIN || s->stamp[at] == stamp)
			continue;
		s->stamp[at] = stamp;
		give(s, at, e->nsec);
	}
}

/* Ends a call, or so many alike that gave an equal part each. */
static void close_call(struct scatter *s, struct scatter_stratum *to, double times)
{
	for (uint32_t i = 0; i < s->touched.count; i++) {
		uint32_t at = s->touched.at[i];
		double given = s->given[at];
		struct scatter_sum *sum = sum_at(to, at);

		sum->given += given;
		sum->squares += given * given / times;
		sum->cross += given * s->whole / times;
		s->given[at] = 0;
	}
	array_clear(&s->touched);
	to->calls += times;
	to->whole += s->whole;
	to->whole_squares += s->whole * s->whole / times;
	s->whole = 0;
}

void scatter_add(struct scatter *s, const struct strata_taken *taken, uint32_t count)
{
	struct scatter_stratum *to = stratum_at(s, taken->stratum);

	reach(s);
	for (uint32_t i = 0; i < count; i++) {
		give_sample(s, &taken[i].entry);
		if (!taken[i].call)
			close_call(s, to, fmax(1, taken[i].entry.samples));
	}
	if (taken[0].call)
		close_call(s, to, 1);
}

/* times: its weights. */
static void add_stratum(const struct scatter_stratum *from, double part, double squares_part,
			double times, uint32_t room, struct scatter_side *to)
{
	double squared = squares_part * times * times;

	part *= times;
	to->whole_squares += squared * from->whole_squares;
	for (uint32_t i = 0; i < room; i++) {
		const struct scatter_sum *page = i / SCATTER_PAGE < from->pages.count
							 ? from->pages.at[i / SCATTER_PAGE]
							 : NULL;

		if (!page) {
			i |= SCATTER_PAGE - 1;
			continue;
		}
		to->sums[i].given += part * page[i % SCATTER_PAGE].given;
		to->sums[i].squares += squared * page[i % SCATTER_PAGE].squares;
		to->sums[i].cross += squared * page[i % SCATTER_PAGE].cross;
	}
}

/* What a sampled call of it was sampled for. */
static double length_of(const struct scatter_stratum *st)
{
	return st->calls > 0 ? st->whole / st->calls : 0;
}

struct weighed_length {
	double length, calls;
};

static int by_length(const void *va, const void *vb)
{
	const struct weighed_length *a = va, *b = vb;

	return a->length < b->length ? -1 : a->length > b->length;
}

double scatter_typical(const struct scatter *s, const struct strata *strata, enum side side)
{
	ARRAY(struct weighed_length) list = { 0 };
	double calls = 0, ret = 0;

	for (uint32_t i = 0; i < s->strata.count; i++) {
		const struct scatter_stratum *st = &s->strata.at[i];
		double here = st->calls * strata->list.at[i].chances.part[side];

		if (here <= 0)
			continue;
		array_push(&list, ((struct weighed_length){ length_of(st), here }));
		calls += here;
	}
	if (list.count)
		qsort(list.at, list.count, sizeof(*list.at), by_length);
	for (uint32_t i = 0; i < list.count && calls > 0; i++) {
		ret = list.at[i].length;
		calls -= 2 * list.at[i].calls;
	}
	array_done(&list);
	return ret;
}

bool scatter_has_longer(const struct scatter *s, const struct strata *strata, enum side side,
			double most)
{
	for (uint32_t i = 0; i < s->strata.count; i++) {
		if (strata->list.at[i].chances.part[side] > 0 &&
		    length_of(&s->strata.at[i]) > most)
			return true;
	}
	return false;
}

void scatter_side(const struct scatter *s, const struct strata *strata, enum side side,
		  double net, double most, struct scatter_side *ret)
{
	uint32_t room = SCATTER_OF(s->fs->count);

	*ret = (struct scatter_side){ .sums = mem_zeroed(room, sizeof(*ret->sums)) };
	for (uint32_t i = 0; i < s->strata.count; i++) {
		const struct stratum *st = &strata->list.at[i];
		double part = st->chances.part[side], times = net,
		       length = length_of(&s->strata.at[i]);

		if (part <= 0)
			continue;
		if (length > most)
			times *= most / length;
		ret->whole += times * part * st->judged_nsec;
		add_stratum(&s->strata.at[i], part, st->chances.brief ? part * part : part,
			    times, room, ret);
	}
}

void scatter_forget(struct scatter *s, uint32_t stratum)
{
	struct scatter_stratum *st;

	if (stratum >= s->strata.count)
		return;
	st = &s->strata.at[stratum];
	for (uint32_t i = 0; i < st->pages.count; i++)
		free(st->pages.at[i]);
	array_done(&st->pages);
	*st = (struct scatter_stratum){ 0 };
}

void scatter_done(struct scatter *s)
{
	for (uint32_t i = 0; i < s->strata.count; i++)
		scatter_forget(s, i);
	array_done(&s->strata);
	array_done(&s->touched);
	free(s->given);
	free(s->stamp);
}
