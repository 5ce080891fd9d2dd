/*
 * svg_bench - how long a flame graph of many distinct stacks takes.
 *
 *	svg_bench [STACKS [OUTPUT]]	100,000 stacks when nothing is said
 *
 * The picture is a random tree with shared callers: stacks of 5 to 40 frames,
 * each branching off an earlier one, weights of one sample and more.  Prints
 * the time to write each format and the peak memory of the whole process (the
 * picture included); fails when the svg misses 0.5 s or 100 MB.
 */
#include "base/clock.h"
#include "sink/sink.h"

#include <stdio.h>
#include <sys/resource.h>

#define SVG_SECONDS 0.5
#define SVG_MEGABYTES 100
#define FUNCTIONS 4000

static uint32_t draw(uint64_t *seed, uint32_t below)
{
	*seed = hash_u64(*seed);
	return *seed % below;
}

static uint32_t node_add(struct picture *p, uint32_t parent, uint32_t frame)
{
	struct picture_node *node = array_add(&p->nodes);

	node->parent = parent;
	node->frame = frame;
	return p->nodes.count - 1;
}

static void frames_fill(struct picture *p)
{
	static const char *const forms[] = {
		"function_%u",
		"shop::Cache<std::string, int>::find_%u(std::string const&)",
		"do_syscall_%u",
		"std::vector<Row>::push_back_%u(Row&&)",
	};

	for (unsigned i = 0; i < FUNCTIONS; i++) {
		struct picture_frame *f = array_add(&p->frames);
		AUTO_TEXT struct text name = { 0 };

		text_format(&name, forms[i % 4], i); /* NOLINT: constant formats */
		f->name = intern_text(&p->text, i ? text_string(&name) : "all");
		f->file = intern_text(&p->text, "source/server.c");
		f->image_name = intern_text(&p->text, "shop-server");
		f->image = UINT32_MAX;
		f->line = i;
		f->kind = i % 4 == 2 ? FRAME_KERNEL : FRAME_USER;
	}
}

/* Each stack leaves an earlier one a few frames before its end. */
static struct picture *picture_make(uint32_t stacks)
{
	struct picture *p = picture_new();
	uint64_t seed = 1;
	uint32_t last = 0, depth = 12;

	frames_fill(p);
	node_add(p, 0, 0);
	for (unsigned i = 0; i < 12; i++)
		last = node_add(p, last, 1 + draw(&seed, FUNCTIONS - 1));
	for (uint32_t i = 0; i < stacks; i++) {
		uint32_t up = draw(&seed, 6), down = 1 + draw(&seed, 5);
		uint64_t samples = 1 + draw(&seed, 4) * draw(&seed, 40);

		if (depth + down > 40)
			up += depth - 16;
		for (; up-- && depth > 4; depth--)
			last = p->nodes.at[last].parent;
		for (; down--; depth++)
			last = node_add(p, last, 1 + draw(&seed, FUNCTIONS - 1));
		p->nodes.at[last].self[SIDE_IN] = samples;
		p->nodes.at[last].self_nsec[SIDE_IN] = samples * 10101010;
		p->samples += samples;
	}
	p->pid = 4242;
	p->to = 10 * NSEC_PER_SEC;
	p->split_span = UINT32_MAX;
	return p;
}

static double memory_megabytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss / 1024.0;
}

static double write_timed(const struct picture *p, const char *name, struct text *out)
{
	const struct sink *sink = sink_find(name);
	struct sink_option option = { .version = "bench" };
	struct error err;
	nsec begin;

	option.side = sink_side(sink, p, WRITE_DEFAULT);
	text_clear(out);
	begin = clock_now();
	if (sink->write(p, &option, out, &err) < 0) {
		fprintf(stderr, "svg_bench: %s: %s\n", name, err.text);
		exit(1);
	}
	return (clock_now() - begin) / 1e9;
}

int main(int argc, char **argv)
{
	static const char *const others[] = { "text", "json", "folded", "speedscope", "pprof" };
	uint64_t stacks = 100000;
	struct text out = { 0 };
	struct picture *p;
	double seconds, megabytes;

	if (argc > 1 && (!text_to_u64(argv[1], &stacks) || !stacks || stacks > 10000000)) {
		fprintf(stderr, "usage: svg_bench [STACKS [OUTPUT]]\n");
		return 2;
	}
	p = picture_make(stacks);
	printf("%u nodes, %.1f MB before writing\n", p->nodes.count, memory_megabytes());
	seconds = write_timed(p, "svg", &out);
	megabytes = memory_megabytes();
	printf("svg         %.3f s  peak %.1f MB  %.2f MB written\n", seconds, megabytes,
	       out.size / 1e6);
	if (argc > 2) {
		FILE *file = fopen(argv[2], "w");

		if (!file || fwrite(out.bytes, 1, out.size, file) != out.size || fclose(file)) {
			perror(argv[2]);
			return 1;
		}
	}
	for (unsigned i = 0; i < COUNT_OF(others); i++) {
		double took = write_timed(p, others[i], &out);

		printf("%-11s %.3f s  peak %.1f MB  %.2f MB written\n", others[i], took,
		       memory_megabytes(), out.size / 1e6);
	}
	text_done(&out);
	picture_free(p);
	return seconds > SVG_SECONDS || megabytes > SVG_MEGABYTES;
}
