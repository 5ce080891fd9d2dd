/*
 * inline_bench - how soon the frames of a big program have names and inlined
 * functions.
 *
 *	inline_bench PROGRAM [FUNCTIONS [SEED]]
 *
 * A profile is imitated by 40 (FUNCTIONS) functions picked at random, 50 offsets in
 * each.  Prints the milliseconds from opening the file to the names of all of
 * them, and to the chains of the first and of all.
 */
#include "elf/inline.h"
#include "elf/symtab.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define OFFSETS_EACH 50

struct bench {
	struct image *image;
	const struct symtab *symbols;
	uint64_t seed;
	nsec began;
};

static double since(const struct bench *b)
{
	return (clock_now() - b->began) / 1e6;
}

static const struct symbol *pick(struct bench *b)
{
	const struct symbol *s;

	do {
		b->seed = b->seed * 6364136223846793005ull + 1442695040888963407ull;
		s = symtab_at(b->symbols, (b->seed >> 33) % symtab_count(b->symbols));
	} while (!s->size || s->kind != SYMBOL_FUNC);
	return s;
}

static void chains(struct bench *b, unsigned functions)
{
	struct inline_level levels[INLINE_LEVELS_MAX];
	struct inlines *inlines = inlines_new(b->image);
	uint64_t asked = 0, known = 0, deep = 0;

	inlines_set_budget(inlines, 100 * NSEC_PER_SEC);
	for (unsigned i = 0; i < functions; i++) {
		const struct symbol *s = pick(b);

		for (unsigned k = 0; k < OFFSETS_EACH; k++) {
			int n = inlines_find(inlines, s->offset + s->size * k / OFFSETS_EACH,
					     levels, INLINE_LEVELS_MAX);

			known += n > 0;
			deep += n > 0 ? n : 0;
			if (!asked++)
				printf("first chain          %8.1f ms\n", since(b));
		}
	}
	printf("all chains           %8.1f ms (%.1f ms of CPU)\n", since(b),
	       inlines_spent(inlines) / 1e6);
	printf("%" PRIu64 " offsets, %" PRIu64 " in DWARF, %.2f levels each\n", asked, known,
	       known ? (double)deep / known : 0);
	inlines_free(inlines);
}

int main(int argc, char **argv)
{
	struct bench b = { .began = clock_now(), .seed = argc > 3 ? atoi(argv[3]) : 1 };
	unsigned functions = argc > 2 ? atoi(argv[2]) : 40;
	struct error err;

	if (argc < 2 || image_open(argv[1], argv[1], &b.image, &err)) {
		fprintf(stderr, "inline_bench: %s\n", argc < 2 ? "no program given" : err.text);
		return 1;
	}
	b.symbols = image_symbols(b.image);
	for (unsigned i = 0; i < functions; i++)
		symtab_find(b.symbols, pick(&b)->offset);
	printf("names                %8.1f ms (%u functions in the file)\n", since(&b),
	       symtab_count(b.symbols));
	b.seed = argc > 3 ? atoi(argv[3]) : 1;
	chains(&b, functions);
	image_close(b.image);
	return 0;
}
