/*
 * unwind_bench - what unwind tables cost: time to build and bytes.
 *
 *	unwind_bench FILE|FOLDER ...
 *
 * Prints a line for each FILE, and one for each FOLDER: all the ELF files in it
 * that are code (not those in folders below).  Every file is built five times
 * and the fastest counts, so it is read from memory; a folder is built in turn,
 * and its fastest turn counts.  At the end of a line is what could not be used,
 * by kind (enum unwind_gap).
 */
#include "base/clock.h"
#include "elf/unwind.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#define TURNS 5

struct cost {
	uint64_t files, build_ns, size_bytes, rows, excs;
	struct unwind_counts counts;
};

typedef ARRAY(char *) paths;

static void counts_add(struct unwind_counts *to, const struct unwind_counts *from)
{
	to->fdes += from->fdes;
	to->cies += from->cies;
	to->excs += from->excs;
	to->covered_bytes += from->covered_bytes;
	to->ignored += from->ignored;
	to->pages_cut += from->pages_cut;
	for (unsigned i = 0; i < NR_UNWIND_GAP; i++)
		to->gaps[i] += from->gaps[i];
}

static void measure_file(struct cost *c, const char *path)
{
	struct unwind_table table;
	uint64_t begin = clock_now();
	struct image *image;

	if (image_open(path, path, &image, NULL))
		return;
	if (!unwind_build(image, &table, NULL)) {
		c->build_ns += clock_now() - begin;
		c->files++;
		c->size_bytes += unwind_size(&table);
		c->rows += table.rows.count;
		c->excs += table.excs.count;
		counts_add(&c->counts, &table.counts);
		unwind_done(&table);
	}
	image_close(image);
}

static struct cost measure(const paths *all)
{
	struct cost best = { 0 };

	for (unsigned turn = 0; turn < TURNS; turn++) {
		struct cost c = { 0 };

		for (uint32_t i = 0; i < all->count; i++)
			measure_file(&c, all->at[i]);
		if (!turn || c.build_ns < best.build_ns)
			best = c;
	}
	return best;
}

static void cost_print(const struct cost *c, const char *name)
{
	printf("%-40s %4" PRIu64 " %8" PRIu64 " %9" PRIu64 " %10" PRIu64 " %8.2f %5" PRIu64,
	       name, c->files, c->counts.fdes, c->rows, c->size_bytes, c->build_ns / 1e6,
	       c->excs);
	for (unsigned i = 0; i < NR_UNWIND_GAP; i++)
		if (c->counts.gaps[i])
			printf(" %s=%" PRIu64, unwind_gap_name(i), c->counts.gaps[i]);
	if (c->counts.pages_cut)
		printf(" pages cut=%" PRIu64, c->counts.pages_cut);
	printf("\n");
}

/* Regular files only: a library's other names are links. */
static void folder_read(const char *folder, paths *ret)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_type == DT_REG)
			array_push(ret, mem_format("%s/%s", folder, e->d_name));
	if (d)
		closedir(d);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: unwind_bench FILE|FOLDER ...\n");
		return 2;
	}
	printf("%-40s %4s %8s %9s %10s %8s %5s\n", "", "file", "FDEs", "rows", "bytes", "ms",
	       "excs");
	for (int i = 1; i < argc; i++) {
		paths all = { 0 };
		struct stat st;
		struct cost c;

		if (stat(argv[i], &st)) {
			perror(argv[i]);
			return 1;
		}
		if (S_ISDIR(st.st_mode))
			folder_read(argv[i], &all);
		else
			array_push(&all, mem_text(argv[i]));
		c = measure(&all);
		cost_print(&c, argv[i]);
		for (uint32_t n = 0; n < all.count; n++)
			free(all.at[n]);
		array_done(&all);
	}
	return 0;
}
