/*
 * fuzz_model - any run of records, then any question.
 *
 * The first byte is how long the expression is that follows; the rest are
 * records.  The store is small, so that forgetting happens.
 *
 * sources: src/model/*.c src/view/*.c src/base/*.c src/wire/sample_cause.c src/wire/span_end.c
 * libraries: -lm
 */
#include "base/mem.h"
#include "model/join.h"
#include "view/answer.h"
#include "view/pair.h"

#include <math.h>
#include <string.h>

static void require(bool promise)
{
	if (!promise)
		__builtin_trap();
}

static void join_records(struct store *st, const unsigned char *bytes, size_t size)
{
	while (size >= sizeof(struct event)) {
		struct event head;
		struct event *e;
		size_t length;

		memcpy(&head, bytes, sizeof(head));
		length = head.size & 0x7f8; /* mostly small, so that there are many */
		if (length < sizeof(head))
			length = sizeof(head);
		if (length > size)
			length = size & ~(size_t)7;
		e = mem_copy(bytes, length); /* its own, so that reading past it is seen */
		e->size = length;
		e->kind %= EVENT_CAUSES + 1;
		join_event(st, e);
		free(e);
		bytes += length;
		size -= length;
	}
}

static bool has_waits(const struct store *st)
{
	for (uint32_t i = 0; i < st->samples.count; i++)
		if (sample_at(&st->samples, i)->cause != CAUSE_CPU)
			return true;
	return st->cube.samples > 0;
}

static struct picture *check_answer(const struct store *st, const struct query *q)
{
	struct picture *p = NULL;
	struct error err;
	uint64_t samples = 0;

	if (view_answer(st, q, NULL, &p, &err)) {
		require(!p && strlen(err.text) > 0);
		return NULL;
	}
	for (uint32_t n = 1; n < p->nodes.count; n++)
		require(p->nodes.at[n].parent < n && p->nodes.at[n].frame < p->frames.count);
	for (unsigned s = 0; s < NR_SIDE; s++)
		samples += p->sides[s].samples;
	/* of waits there are parts, that of every side is rounded */
	if (q->window.kind != WINDOW_EWMA && !has_waits(st))
		require(samples == p->samples);
	else if (q->window.kind != WINDOW_EWMA)
		require(fabs((double)samples - p->samples) <= NR_SIDE + 1e-5 * p->samples);
	for (uint32_t i = 0; i < p->functions.count; i++) {
		const struct picture_function *f = &p->functions.at[i];

		require(f->frame < p->frames.count && f->z == f->z && f->extra_error >= 0);
		require(f->samples_in <= p->sides[SIDE_IN].samples);
	}
	return p;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
	const struct store_limit small = {
		.samples = 20, .spans = 8, .nodes = 60, .cells = 30
	};
	AUTO_FREE char *text = NULL;
	struct picture *plain, *split, *both;
	struct store *st;
	size_t length;

	if (!size)
		return 0;
	length = bytes[0] < size - 1 ? bytes[0] : size - 1;
	text = mem_text_part((const char *)bytes + 1, length);
	st = store_new(&small);
	join_records(st, bytes + 1 + length, size - 1 - length);
	plain = check_answer(st, &(struct query){ .fold = length % 2 });
	split = check_answer(st, &(struct query){ .split = text });
	picture_free(check_answer(st, &(struct query){ .split = text,
						       .window = { WINDOW_EWMA, 1 + size } }));
	picture_free(check_answer(st, &(struct query){ .split = "dur > p95 && tid != 3" }));
	picture_free(
		check_answer(st, &(struct query){ .tid = 3, .window = { WINDOW_LAST, 99 } }));
	if (split) {
		both = picture_pair(plain, split);
		picture_free(both);
	}
	picture_free(plain);
	picture_free(split);
	store_free(st);
	return 0;
}
