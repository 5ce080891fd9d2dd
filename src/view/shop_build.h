/*
 * shop_build - a small program's event stream with a known answer, for tests.
 */
#ifndef SONDE_VIEW_SHOP_BUILD_H
#define SONDE_VIEW_SHOP_BUILD_H

#include "base/text.h"
#include "model/event_build.h"
#include "view/answer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define MS NSEC_PER_MSEC
#define BASE 0x400000ull
#define SHOP 2 /* image */
#define PID 42

/* A program of eight functions of 0x100 bytes each, mapped at BASE. */
enum { MAIN, HANDLE, PARSE, EXPAND, RENDER, LOG, HOT, NR_FUNCTION };

static const char *const names[NR_FUNCTION] = { "main",	  "handle", "parse", "expand",
						"render", "log",    "hot" };

static inline bool find(void *context, uint32_t image, uint64_t offset, struct frame_name *ret)
{
	unsigned i = offset >> 8;

	if (image == IMAGE_KERNEL_ID) {
		*ret = (struct frame_name){ "sys_read", "", 0, 0xffff0000, 0x1000 };
		if (offset >= 0xffff1000)
			*ret = (struct frame_name){ "asm_exc_int3", "", 0, 0xffff1000, 0x1000 };
		if (offset >= 0xffff2000)
			*ret = (struct frame_name){ offset >= 0xffff3000
							    ? "asm_common_interrupt"
							    : "asm_sysvec_apic_timer_interrupt",
						    "", 0, offset & ~0xfffull, 0x1000 };
		return true;
	}
	if (image != SHOP || i >= NR_FUNCTION)
		return false;
	*ret = (struct frame_name){ names[i], "shop.c", 10 * i, offset & ~0xffull, 0x100 };
	return true;
}

static const struct naming naming = { .find = find };

/* A stack from the root to the leaf, as in "main handle parse". */
struct chain {
	unsigned functions[8], count;
};

static const struct chain in_main = { { MAIN }, 1 };
static const struct chain in_hot = { { MAIN, HOT }, 2 };
static const struct chain in_handle = { { MAIN, HANDLE }, 2 };
static const struct chain in_parse = { { MAIN, HANDLE, PARSE }, 3 };
static const struct chain in_expand = { { MAIN, HANDLE, PARSE, EXPAND }, 4 };
static const struct chain in_render = { { MAIN, HANDLE, RENDER }, 3 };

static inline struct store *make_store(const struct store_limit *limit)
{
	struct store *st = store_new(limit);
	struct event_map map = {
		.pid = PID, .image = SHOP, .start = BASE, .end = BASE + 0x1000
	};
	struct event_probe probe = { .probe = 1,
				     .sites = 1,
				     .image = SHOP,
				     .offset = HANDLE << 8,
				     .length = 0x100,
				     .cost = 620 };

	build_target(st, 1000 * MS, 77 * NSEC_PER_SEC, MS);
	build_process(st, PID, "shop-server");
	build_thread(st, 7, PID, "worker");
	build_thread(st, 8, PID, "io");
	build_image(st, SHOP, IMAGE_FILE, "/usr/bin/shop-server");
	build_map(st, 1000 * MS, &map);
	build_probe(st, 1000 * MS, &probe, "handle", "handle");
	return st;
}

static inline void sample(struct store *st, nsec time, uint32_t tid, span_id span,
			  const struct chain *chain)
{
	struct event_sample e = { .pid = PID, .weight = MS, .span = span };
	uint64_t user[16] = { 0 };

	for (unsigned i = 0; i < chain->count; i++)
		user[i] = BASE + (chain->functions[chain->count - 1 - i] << 8) + 0x20;
	build_sample(st, time, tid, &e, (struct build_stack){ NULL, user });
}

/* A call of probe 1 that ends at `time` after `duration`, sampled `count` times. */
static inline void call(struct store *st, span_id id, nsec time, nsec duration,
			const struct chain *const *chains)
{
	struct event_enter enter = {
		.span = id, .began = time - duration, .probe = 1, .pid = PID
	};
	struct event_leave leave = { .span = id, .began = time - duration, .probe = 1 };

	build_enter(st, time - duration, 7, &enter);
	for (unsigned i = 0; chains[i]; i++)
		sample(st, time - duration + i, 7, id, chains[i]);
	build_leave(st, time, 7, &leave);
}

static const struct chain *const slow[] = { &in_expand, &in_expand, &in_expand,
					    &in_expand, &in_render, NULL };
static const struct chain *const fast[] = { &in_render, NULL };

/* 10 calls of 5 ms, each 4 ms in expand and 1 ms in render, and 90 of 1 ms, of
 * which 30 were sampled, in render; 20 ms outside; 1.0 .. 2.0 s, counted every 0.1 s. */
static inline struct store *make_shop(const struct store_limit *limit)
{
	static const uint8_t slow_ends[10] = { 1, 9 };
	static const uint8_t fast_ends[10] = { [2] = 1, [3] = 10, [4] = 10, [5] = 9, [7] = 60 };
	struct store *st = make_store(limit);
	for (unsigned i = 0; i < 10; i++)
		call(st, 1000 + i, (1100 + 10 * i) * MS, 5 * MS, slow);
	for (unsigned i = 0; i < 30; i++)
		call(st, 2000 + i, (1300 + 10 * i) * MS, MS, fast);
	for (unsigned i = 0; i < 20; i++)
		sample(st, (1700 + i) * MS, 8, 0, &in_hot);
	for (unsigned i = 0; i < 10; i++) {
		nsec durations[100], since = (1000 + 100 * i) * MS;
		unsigned n = 0;

		for (unsigned k = 0; k < slow_ends[i]; k++)
			durations[n++] = 5 * MS;
		for (unsigned k = 0; k < fast_ends[i]; k++)
			durations[n++] = MS;
		build_calls(st, since, since + 100 * MS, 1, durations, n);
	}
	build_end(st, 2000 * MS);
	return st;
}

static inline struct picture *ask(const struct store *st, const struct query *q)
{
	struct picture *p = NULL;
	struct error err = { "" };

	if (view_answer(st, q, &naming, &p, &err))
		fail_msg("%s", err.text);
	for (uint32_t n = 1; n < p->nodes.count; n++)
		assert_true(p->nodes.at[n].parent < n);
	return p;
}

static inline struct picture *ask_split(const struct store *st, const char *split)
{
	return ask(st, &(struct query){ .split = split });
}

static inline const struct picture_function *function(const struct picture *p, const char *name)
{
	for (uint32_t i = 0; i < p->functions.count; i++) {
		const struct picture_function *f = &p->functions.at[i];

		if (strcmp(picture_text(p, p->frames.at[f->frame].name), name) == 0)
			return f;
	}
	return NULL;
}

static inline const char *caller(const struct picture *p, const char *name)
{
	uint32_t frame = function(p, name)->caller;

	return frame == UINT32_MAX ? "" : picture_text(p, p->frames.at[frame].name);
}

/* The node of a path as "main/handle/parse"; UINT32_MAX when there is none. */
static inline uint32_t node(const struct picture *p, const char *path)
{
	for (uint32_t n = 1; n < p->nodes.count; n++) {
		struct text t = { 0 };
		uint32_t up[32], depth = 0;
		bool same;

		for (uint32_t at = n; at; at = p->nodes.at[at].parent)
			up[depth++] = at;
		while (depth-- > 0) {
			text_add(&t, t.size ? "/" : "");
			text_add(&t,
				 picture_text(p,
					      p->frames.at[p->nodes.at[up[depth]].frame].name));
		}
		same = strcmp(text_string(&t), path) == 0;
		text_done(&t);
		if (same)
			return n;
	}
	return UINT32_MAX;
}

static inline bool near(double got, double want, double part)
{
	return fabs(got - want) <= part * fabs(want);
}

#endif
