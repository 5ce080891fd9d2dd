#include "sink/golden_build.h"
#include "view/toll.h"

#include <math.h>

static const struct golden_frame shop_frames[] = {
	{ "all", "", "", 0, FRAME_OTHER },
	{ "start_thread", "", "libc.so.6", 0, FRAME_USER },
	{ "worker", "shop.c", "shop-server", 402, FRAME_USER },
	{ "handle_request", "shop.c", "shop-server", 310, FRAME_USER },
	{ "parse_request", "parse.c", "shop-server", 55, FRAME_USER },
	{ "expand_table", "macro.c", "shop-server", 88, FRAME_USER },
	{ "mix_block", "mix.c", "shop-server", 12, FRAME_INLINED },
	{ "render_rows", "row.c", "shop-server", 17, FRAME_USER },
	{ "shop::Cache::find(std::string const&)", "cache.cc", "shop-server", 71, FRAME_USER },
	{ "write", "", "libc.so.6", 0, FRAME_USER },
	{ "ksys_write", "", "[kernel]", 0, FRAME_KERNEL },
	{ "tcp_sendmsg", "", "[kernel]", 0, FRAME_KERNEL },
	{ "refresh_prices", "price.c", "shop-server", 9, FRAME_USER },
	{ "uprobe_notify_resume", "", "[kernel]", 0, FRAME_PROBE },
	{ "answer_from_cache", "cache.cc", "shop-server", 140, FRAME_USER },
	{ "py::render", "", "[jit]", 0, FRAME_JIT },
};

#define HANDLE "start_thread;worker;handle_request"

static const struct golden_stack shop_stacks[] = {
	{ HANDLE, { 8, 151, 0, 0, 2 } },
	{ HANDLE ";parse_request", { 46, 1070, 1, 0, 3 } },
	{ HANDLE ";parse_request;expand_table", { 12, 0, 0, 0, 0 } },
	{ HANDLE ";parse_request;expand_table;mix_block", { 1203, 0, 2, 0, 0 } },
	{ HANDLE ";render_rows", { 244, 4630, 4, 0, 9 } },
	{ HANDLE ";render_rows;shop::Cache::find(std::string const&)", { 60, 1228, 0, 0, 4 } },
	{ HANDLE ";render_rows;py::render", { 14, 260, 0, 0, 0 } },
	{ HANDLE ";answer_from_cache", { 0, 310, 0, 0, 0 } },
	{ HANDLE ";write;ksys_write", { 6, 120, 0, 0, 0 } },
	{ HANDLE ";write;ksys_write;tcp_sendmsg", { 9, 160, 0, 0, 1 } },
	{ HANDLE ";uprobe_notify_resume", { 0, 6, 0, 0, 0 } },
	{ "start_thread;refresh_prices;expand_table;mix_block", { 0, 0, 0, 840, 12 } },
	{ "start_thread;refresh_prices", { 0, 0, 0, 61, 1 } },
	{ "", { 0, 0, 0, 2, 0 } },
};

struct picture *golden_samples(void)
{
	struct picture *p = picture_new();

	p->host = intern_text(&p->text, "web-3");
	p->kernel = intern_text(&p->text, "6.18.0");
	p->comm = intern_text(&p->text, "shop-server");
	p->pid = 4242;
	p->processes = 1;
	p->threads = 12;
	p->from = 5 * NSEC_PER_SEC;
	p->to = 15 * NSEC_PER_SEC;
	p->wall = 1795298228ull * NSEC_PER_SEC;
	p->hz = 990;
	p->cpus = 4;
	p->period = GOLDEN_PERIOD;
	p->losses.stacks_truncated = 2;
	p->losses.frames = 61200;
	p->losses.frames_unresolved = 190;
	p->losses.children = 13;
	p->losses.children_unwatched = 1;
	p->losses.children_latest = 8200000;
	p->losses.programs = 2;
	p->losses.programs_latest = 51000000;
	p->split_span = UINT32_MAX;
	golden_image_add(p, "/usr/lib/x86_64-linux-gnu/libc.so.6", "c0ffee", 0x7f0000001000,
			 IMAGE_FILE);
	golden_image_add(p, "/srv/shop/shop-server", "0badcafe12345678", 0x401000, IMAGE_FILE);
	golden_image_add(p, "[kernel]", "", 0xffffffff81000000, IMAGE_KERNEL);
	for (unsigned i = 0; i < COUNT_OF(shop_frames); i++)
		golden_frame_add(p, &shop_frames[i]);
	array_add(&p->nodes);
	for (unsigned i = 0; i < COUNT_OF(shop_stacks); i++)
		golden_stack_add(p, &shop_stacks[i]);
	return p;
}

static void bucket_add(struct picture_span *s, nsec low, nsec high, uint64_t count)
{
	struct picture_bucket *b = array_add(&s->buckets);

	*b = (struct picture_bucket){ low, high, count };
}

/* Two humps on a logarithmic scale: 18,061 calls at 0.4 ms, 951 at 1.7 ms. */
static void buckets_fill(struct picture_span *s)
{
	double low = 200e3;

	while (low < 4e6) {
		double high = low * 1.03, middle = log(low * high) / 2;
		double fast = (middle - log(400e3)) / 0.14, slow = (middle - log(1.7e6)) / 0.09;
		uint64_t count = lround(18061 * 0.0843 * exp(-fast * fast / 2) +
					951 * 0.1310 * exp(-slow * slow / 2));

		if (count)
			bucket_add(s, low, high, count);
		low = high;
	}
	bucket_add(s, 11.7e6, 11.9e6, 1);
}

struct picture_span *golden_span_add(struct picture *p)
{
	struct picture_span *s = array_add(&p->spans);

	s->place = s->function = intern_text(&p->text, "handle_request");
	s->file = intern_text(&p->text, "shop.c");
	s->line = 310;
	s->sites = 1;
	s->exit = EXIT_HOOK;
	s->entries = 19012;
	s->calls = 19008;
	s->open = 3;
	s->ended[END_RETURN] = 19008;
	s->ended[END_LONGJMP] = 1;
	s->rate = 1901.2;
	s->mean_nsec = 465500;
	s->p50 = 410000;
	s->p90 = 580000;
	s->p95 = 1240000;
	s->p99 = 2930000;
	s->p999 = 3400000;
	s->max = 11800000;
	s->cost_nsec = 620;
	p->losses.probe_nsec = s->cost_nsec * s->entries;
	p->losses.in_probes = 41;
	toll_by_samples(&p->losses, 41, GOLDEN_PERIOD);
	buckets_fill(s);
	p->split_span = 0;
	return s;
}

/* Moves a side's numbers onto another. */
static void side_move(struct picture *p, enum side from, enum side to)
{
	for (uint32_t i = 0; i < p->nodes.count; i++) {
		struct picture_node *node = &p->nodes.at[i];

		node->self[to] += node->self[from];
		node->self_nsec[to] += node->self_nsec[from];
		node->self[from] = node->self_nsec[from] = 0;
	}
	p->sides[to].samples += p->sides[from].samples;
	p->sides[to].weight_nsec += p->sides[from].weight_nsec;
	p->sides[from] = (struct picture_side){ 0 };
}

struct picture *golden_plain(void)
{
	struct picture *p = golden_samples();

	for (unsigned side = SIDE_REST; side < NR_SIDE; side++)
		side_move(p, side, SIDE_IN);
	return p;
}

struct picture *golden_span(void)
{
	struct picture *p = golden_samples();

	golden_span_add(p);
	side_move(p, SIDE_REST, SIDE_IN);
	p->sides[SIDE_IN].calls = 19008;
	p->sides[SIDE_IN].calls_exact = true;
	p->sides[SIDE_IN].mean_nsec = 465500;
	return p;
}

static int extra_order(const void *left, const void *right)
{
	const struct picture_function *a = left, *b = right;

	return (a->extra_nsec < b->extra_nsec) - (a->extra_nsec > b->extra_nsec);
}

/* What samples in a place come to, a call. */
static void function_compare(const struct picture *p, struct picture_function *f)
{
	const struct picture_side *sides = p->sides;
	double in = sides[SIDE_IN].calls, rest = sides[SIDE_REST].calls, error;

	f->per_call_in_nsec = f->total_in_nsec / in;
	f->per_call_rest_nsec = f->total_rest_nsec / rest;
	f->extra_nsec = f->per_call_in_nsec - f->per_call_rest_nsec;
	f->extra_share =
		f->extra_nsec / (sides[SIDE_IN].mean_nsec - sides[SIDE_REST].mean_nsec);
	error = GOLDEN_PERIOD * sqrt(f->samples_in / in / in + f->samples_rest / rest / rest);
	f->extra_error = 1.96 * error;
	f->z = error > 0 ? f->extra_nsec / error : 0;
	f->beyond_nsec = f->per_call_in_nsec - (double)f->total_rest_nsec /
						       sides[SIDE_REST].weight_nsec *
						       sides[SIDE_IN].weight_nsec / in;
	f->beyond_error = f->extra_noise = f->beyond_noise = f->left_noise = f->extra_error;
}

/* No function of the shop recurs, and each has one caller within the span. */
static void function_fill(struct picture *p, struct picture_function *f, uint32_t node)
{
	uint64_t total[4][64];

	picture_totals(p, SIDE_BIT(SIDE_IN), true, total[0]);
	picture_totals(p, SIDE_BIT(SIDE_REST), true, total[1]);
	picture_totals(p, SIDE_BIT(SIDE_IN), false, total[2]);
	picture_totals(p, SIDE_BIT(SIDE_REST), false, total[3]);
	f->self_in_nsec = p->nodes.at[node].self_nsec[SIDE_IN];
	f->self_rest_nsec = p->nodes.at[node].self_nsec[SIDE_REST];
	f->total_in_nsec = total[0][node];
	f->total_rest_nsec = total[1][node];
	f->samples_in = total[2][node];
	f->samples_rest = total[3][node];
	function_compare(p, f);
}

static void itself_fill(struct picture *p, uint32_t span)
{
	struct picture_function *f = &p->itself;

	f->frame = span;
	for (uint32_t i = 1; i < p->nodes.count; i++) {
		const struct picture_node *node = &p->nodes.at[i];

		if (node->frame != span)
			continue;
		f->total_in_nsec += node->self_nsec[SIDE_IN];
		f->total_rest_nsec += node->self_nsec[SIDE_REST];
		f->samples_in += node->self[SIDE_IN];
		f->samples_rest += node->self[SIDE_REST];
	}
	function_compare(p, f);
}

/* A frame of the shop is one function. */
static void nodes_place(struct picture *p, uint32_t span)
{
	for (uint32_t i = 1; i < p->nodes.count; i++) {
		struct picture_node *node = &p->nodes.at[i];

		node->place = node->frame == span		? PLACE_SPAN
			      : p->nodes.at[node->parent].place ? PLACE_WITHIN
								: PLACE_OUTER;
		for (uint32_t k = 0; k < p->functions.count && node->place; k++)
			if (p->functions.at[k].frame == node->frame)
				node->function = k;
	}
}

void golden_functions_add(struct picture *p)
{
	uint32_t span = golden_frame_find(p, "handle_request", strlen("handle_request"));

	for (uint32_t i = 1; i < p->nodes.count; i++) {
		uint32_t depth = 0, at = p->nodes.at[i].parent;
		struct picture_function *f;

		while (at && p->nodes.at[at].frame != span) {
			at = p->nodes.at[at].parent;
			depth++;
		}
		if (!at)
			continue;
		f = array_add(&p->functions);
		f->frame = p->nodes.at[i].frame;
		f->depth = depth;
		f->caller = depth ? p->nodes.at[p->nodes.at[i].parent].frame : UINT32_MAX;
		function_fill(p, f, i);
	}
	itself_fill(p, span);
	qsort(p->functions.at, p->functions.count, sizeof(*p->functions.at), extra_order);
	nodes_place(p, span);
}

struct picture *golden_split(void)
{
	struct picture *p = golden_samples();
	struct picture_side *in = &p->sides[SIDE_IN], *rest = &p->sides[SIDE_REST];

	golden_span_add(p);
	p->split_expr = intern_text(&p->text, "dur > p95");
	p->threshold = 1240000;
	in->calls = 951;
	in->mean_nsec = 1710000;
	rest->calls = 18057;
	rest->mean_nsec = 440000;
	p->sides[SIDE_OPEN].calls = 3;
	in->calls_exact = rest->calls_exact = true;
	golden_functions_add(p);
	p->off_in_nsec = in->mean_nsec - (double)in->weight_nsec / in->calls;
	p->off_rest_nsec = rest->mean_nsec - (double)rest->weight_nsec / rest->calls;
	return p;
}
