#include "elf/inline_list.h"

#include "base/mem.h"
#include "base/text.h"
#include "elf/debugfile.h"
#include "elf/symtab.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define NR_PC 1500
#define LIBC "/lib/x86_64-linux-gnu/libc.so.6"

struct built {
	char folder[64];
	struct image *image;
	struct symtab *symbols;
	struct inlines *inlines;
};

static const char source[] =
	"#include <algorithm>\n"
	"#include <functional>\n"
	"#include <map>\n"
	"#include <numeric>\n"
	"#include <string>\n"
	"#include <unordered_map>\n"
	"#include <vector>\n"
	"namespace shop {\n"
	"namespace {\n"
	"template <class T> T mix(T a, T b) { return (a * 31) ^ (b << 3); }\n"
	"struct Hidden { int v; int twist(int x) { return mix(x, v) + mix(v, x); } };\n"
	"int loop(Hidden &h, int n) { int s = 0; for (int i = 0; i < n; i++)\n"
	"	s += h.twist(i); return s; }\n"
	"}\n"
	"template <int N> struct Fold { template <class F> static int run(F f, int x)\n"
	"	{ return f(Fold<N - 1>::run(f, x + N)); } };\n"
	"template <> struct Fold<0> { template <class F> static int run(F f, int x)\n"
	"	{ return f(x); } };\n"
	"class Cache {\n"
	"	std::unordered_map<std::string, std::vector<int>> m;\n"
	"public:\n"
	"	std::vector<int> &find(const std::string &k) { return m[k]; }\n"
	"};\n"
	"int work(int n)\n"
	"{\n"
	"	Cache c; Hidden h{n}; std::vector<int> v(n);\n"
	"	std::iota(v.begin(), v.end(), 1);\n"
	"	std::sort(v.begin(), v.end(), [](int a, int b) { return mix(a, 7) < mix(b, 7); });\n"
	"	std::map<int, std::string> names;\n"
	"	for (int x : v) { names[x % 97] += std::to_string(x);\n"
	"		c.find(names[x % 97]).push_back(x); }\n"
	"	struct Local { int k; int go(int z) { return mix(k, z); } } l{n};\n"
	"	int r = Fold<9>::run([&](int x) { return x * 3 + n; }, n) + loop(h, n);\n"
	"	for (int i = 0; i < n; i++) r += l.go(i);\n"
	"	return r;\n"
	"}\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	std::function<int(int)> f = [&](int x) { return x < 2 ? x : f(x - 1); };\n"
	"	return shop::work(argc) + f(20);\n"
	"}\n"
	"static inline __attribute__((always_inline)) int step(volatile int *p)\n"
	"{ return *p += 1; }\n"
	"extern \"C\" int three(volatile int *p)\n"
	"{\n"
	"	return step(p) - step(p) * step(p);\n"
	"}\n";

static bool have(const char *program)
{
	AUTO_FREE char *line = mem_format("command -v %s >/dev/null 2>&1", program);

	return !system(line);
}

static void load(struct built *b, const char *path)
{
	assert_int_equal(image_open(path, "prog", &b->image, NULL), 0);
	b->symbols = symtab_load(b->image);
	b->inlines = inlines_new(b->image);
	inlines_set_budget(b->inlines, 60 * NSEC_PER_SEC);
}

/* False: it does not compile here. */
static bool build(struct built *b, const char *commands)
{
	AUTO_FREE char *line = NULL, *file = NULL, *path = NULL;
	FILE *f;

	memset(b, 0, sizeof(*b));
	strcpy(b->folder, "/tmp/sonde-inline-XXXXXX");
	assert_non_null(mkdtemp(b->folder));
	file = mem_format("%s/prog.cc", b->folder);
	path = mem_format("%s/prog", b->folder);
	line = mem_format("cd %s && { %s; } >/dev/null 2>&1", b->folder, commands);
	f = fopen(file, "w");
	fputs(source, f);
	fclose(f);
	if (system(line))
		return false;
	load(b, path);
	return true;
}

static void demolish(struct built *b)
{
	AUTO_FREE char *line = mem_format("rm -rf %s", b->folder);

	inlines_free(b->inlines);
	symtab_free(b->symbols);
	image_close(b->image);
	assert_int_equal(system(line), 0);
}

/* File offsets all over the functions, the same at every run. */
static uint64_t pick(const struct built *b, uint64_t *seed)
{
	const struct symbol *s;

	do {
		*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
		s = symtab_at(b->symbols, (*seed >> 33) % symtab_count(b->symbols));
	} while (!s->size || s->kind != SYMBOL_FUNC);
	return s->offset + (*seed >> 13) % s->size;
}

/* What llvm-symbolizer says of a level. */
struct said {
	char *name, *file;
	uint32_t line;
};

static bool read_level(FILE *f, struct said *to)
{
	char *line = NULL, *colon;
	size_t room = 0;
	ssize_t n = getline(&line, &room, f);

	if (n <= 1) {
		free(line);
		return false;
	}
	line[n - 1] = 0;
	to->name = line;
	line = NULL;
	n = getline(&line, &room, f);
	assert_true(n > 1);
	*strrchr(line, ':') = 0; /* the column */
	colon = strrchr(line, ':');
	*colon = 0;
	to->file = line;
	to->line = atoi(colon + 1);
	return true;
}

/* llvm-symbolizer calls the function as the symbol table does, if it can. */
static bool is_symbol(const struct built *b, const char *name, uint64_t offset)
{
	size_t length = strcspn(name, "@");

	for (uint32_t i = 0; i < symtab_count(b->symbols); i++) {
		const struct symbol *s = symtab_at(b->symbols, i);

		if (offset - s->offset < s->size && strlen(s->raw) == length &&
		    !strncmp(s->raw, name, length))
			return true;
	}
	return false;
}

static bool names_agree(const struct built *b, const struct inline_level *own,
			const struct said *said, uint64_t offset)
{
	AUTO_FREE char *bare = NULL;

	const char *name = *own->raw ? own->raw : own->name;

	if (!strcmp(*name ? name : "??", said->name))
		return true;
	/* without a linkage name it gives the bare one */
	bare = mem_format("::%s", said->name);
	if (text_ends(own->name, bare))
		return true;
	return offset != UINT64_MAX && is_symbol(b, said->name, offset);
}

static void compare_one(struct built *b, uint64_t offset, FILE *answers)
{
	struct inline_level own[INLINE_LEVELS_MAX];
	int count = inlines_find(b->inlines, offset, own, INLINE_LEVELS_MAX), levels = 0;
	struct said said;

	assert_true(count >= 0);
	for (; read_level(answers, &said); levels++) {
		if (!count) { /* no unit has it: the name is a symbol's */
			assert_int_equal(levels, 0);
			assert_int_equal(said.line, 0);
		} else {
			if (levels >= count || own[levels].at_line != said.line ||
			    (said.line && strcmp(own[levels].at_file, said.file)) ||
			    !names_agree(b, &own[levels], &said,
					 levels + 1 == count ? offset : UINT64_MAX))
				fail_msg("0x%" PRIx64
					 " level %d of %d: %s%s %s:%u, not %s %s:%u",
					 offset, levels, count, own[levels].raw,
					 own[levels].name, own[levels].at_file,
					 own[levels].at_line, said.name, said.file, said.line);
		}
		free(said.name);
		free(said.file);
	}
	assert_int_equal(levels, count ? count : 1);
}

static void compare(struct built *b, const char *path, unsigned count)
{
	AUTO_FREE char *line = mem_format("llvm-symbolizer --obj=%s --functions=linkage "
					  "--no-demangle --inlines --output-style=LLVM",
					  path);
	AUTO_FREE char *in = mem_format("%s/pcs", b->folder);
	AUTO_FREE char *command = mem_format("%s <%s 2>/dev/null", line, in);
	uint64_t seed = 1, address, offset;
	FILE *f = fopen(in, "w");

	for (unsigned i = 0; i < count; i++) {
		assert_true(image_to_address(b->image, pick(b, &seed), &address));
		fprintf(f, "0x%" PRIx64 "\n", address);
	}
	fclose(f);
	f = popen(command, "r");
	seed = 1;
	for (unsigned i = 0; i < count; i++) {
		offset = pick(b, &seed);
		compare_one(b, offset, f);
	}
	assert_int_equal(pclose(f), 0);
}

static void chains_are_those_of_llvm_symbolizer(void **state)
{
	static const struct {
		const char *compiler, *commands;
	} forms[] = {
		{ "c++", "c++ -O2 -gdwarf-5 -o prog prog.cc" },
		{ "c++",
		  "c++ -O2 -gdwarf-4 -o prog prog.cc && strip --strip-debug -o bare prog &&"
		  "objcopy --only-keep-debug prog prog.debug && "
		  "objcopy --add-gnu-debuglink=prog.debug bare && mv bare prog" },
		{ "c++", "c++ -O2 -gdwarf-5 -gz -ffunction-sections -Wl,--gc-sections "
			 "-o prog prog.cc" },
		{ "clang++", "clang++ -O2 -gdwarf-5 -o prog prog.cc" },
	};

	if (!have("llvm-symbolizer") || !have("c++")) {
		print_message("# llvm-symbolizer (package llvm) and c++ are needed\n");
		skip();
	}
	for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		AUTO_FREE char *path = NULL;
		struct built b;

		if (!have(forms[i].compiler))
			continue;
		assert_true(build(&b, forms[i].commands));
		path = mem_format("%s/prog", b.folder);
		compare(&b, path, NR_PC);
		demolish(&b);
	}
}

static void chains_of_the_system_library_are_too(void **state)
{
	struct built b = { .folder = "/tmp/sonde-inline-XXXXXX" };
	struct image *image;
	bool has_debug;

	if (image_open(LIBC, LIBC, &image, NULL))
		skip();
	has_debug = image_debug_file(image);
	image_close(image);
	if (!has_debug || !have("llvm-symbolizer")) {
		print_message("# llvm-symbolizer and libc6-dbg are needed\n");
		skip();
	}
	assert_non_null(mkdtemp(b.folder));
	load(&b, LIBC);
	compare(&b, LIBC, NR_PC);
	demolish(&b);
}

/* Offset of a function's first byte that is in a chain of at least so many. */
static uint64_t deep_offset(struct built *b, const char *raw, int least,
			    struct inline_level *ret, int *ret_count)
{
	const struct symbol *s = symtab_named(b->symbols, raw);

	assert_non_null(s);
	for (uint64_t i = 0; i < s->size; i++) {
		*ret_count = inlines_find(b->inlines, s->offset + i, ret, INLINE_LEVELS_MAX);
		if (*ret_count >= least)
			return s->offset + i;
	}
	fail_msg("%s has nothing inlined", raw);
	return 0;
}

static void names_have_their_namespaces(void **state)
{
	struct inline_level levels[INLINE_LEVELS_MAX];
	bool mix = false, twist = false;
	const struct symbol *s;
	struct built b;

	if (!build(&b, "c++ -O2 -g -o prog prog.cc"))
		skip();
	s = symtab_named(b.symbols, "_ZN4shop4workEi");
	assert_non_null(s);
	for (uint64_t i = 0; i < s->size; i++) {
		int n = inlines_find(b.inlines, s->offset + i, levels, INLINE_LEVELS_MAX);

		assert_true(n > 0);
		assert_string_equal(levels[n - 1].raw, "_ZN4shop4workEi");
		assert_int_equal(levels[n - 1].line, 24);
		assert_true(text_ends(levels[n - 1].file, "/prog.cc"));
		for (int k = 0; k < n; k++) {
			mix |= !strcmp(levels[k].name, "shop::(anonymous namespace)::mix<int>");
			twist |= !strcmp(levels[k].name,
					 "shop::(anonymous namespace)::Hidden::twist");
		}
	}
	assert_true(mix && twist);
	demolish(&b);
}

static void little_room_keeps_the_innermost_and_the_function(void **state)
{
	struct inline_level all[INLINE_LEVELS_MAX], few[3];
	struct built b;
	uint64_t at;
	int count = 0;

	if (!build(&b, "c++ -O2 -g -o prog prog.cc"))
		skip();
	at = deep_offset(&b, "_ZN4shop4workEi", 5, all, &count);
	assert_int_equal(inlines_find(b.inlines, at, few, 3), 3);
	assert_ptr_equal(few[0].name, all[0].name);
	assert_ptr_equal(few[1].raw, all[1].raw);
	assert_string_equal(few[2].raw, "_ZN4shop4workEi");
	assert_int_equal(few[2].at_line, all[count - 1].at_line);
	demolish(&b);
}

static void copies_are_counted_over_all_units(void **state)
{
	struct built b;

	if (!build(&b, "c++ -O2 -g -o prog prog.cc"))
		skip();
	assert_int_equal(inlines_copies(b.inlines, "_ZL4stepPVi", "step"), 3);
	assert_int_equal(inlines_copies(b.inlines, "three", "three"), 0);
	assert_int_equal(inlines_copies(b.inlines, "", ""), 0);
	demolish(&b);
}

static void lines_with_code_are_listed(void **state)
{
	struct source_lines lines = { 0 }, none = { 0 };
	bool step = false;
	struct built b;

	if (!build(&b, "c++ -O2 -g -o prog prog.cc"))
		skip();
	assert_int_equal(inlines_lines(b.inlines, "rog.cc", &none), 0);
	assert_int_equal(none.count, 0);
	assert_int_equal(inlines_lines(b.inlines, "prog.cc", &lines), 0);
	assert_true(lines.count > 10 && lines.count < 50);
	for (uint32_t i = 0; i < lines.count; i++) {
		struct inline_level at[INLINE_LEVELS_MAX];

		assert_true(!i || lines.at[i - 1].line < lines.at[i].line);
		assert_true(text_ends(lines.at[i].file, "/prog.cc"));
		/* what the line's first instruction says of itself */
		assert_true(inlines_find(b.inlines, lines.at[i].offset, at, 3) > 0);
		step |= lines.at[i].line == 43 && lines.at[i].sites >= 3;
		assert_int_not_equal(lines.at[i].line, 7); /* a bracket of a namespace */
	}
	assert_true(step);
	array_done(&lines);
	demolish(&b);
}

static void without_time_nothing_is_said(void **state)
{
	struct inline_level levels[INLINE_LEVELS_MAX];
	const struct symbol *s;
	struct built b;

	if (!build(&b, "c++ -O2 -g -o prog prog.cc"))
		skip();
	s = symtab_named(b.symbols, "main");
	inlines_set_budget(b.inlines, 0);
	assert_int_equal(inlines_find(b.inlines, s->offset, levels, 2), -EAGAIN);
	inlines_set_budget(b.inlines, 1); /* too little for the first step */
	assert_int_equal(inlines_find(b.inlines, s->offset, levels, 2), -EAGAIN);
	inlines_set_budget(b.inlines, 10 * NSEC_PER_SEC);
	assert_true(inlines_find(b.inlines, s->offset, levels, 2) > 0);
	assert_string_equal(levels[0].name, "main");
	demolish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_are_those_of_llvm_symbolizer),
		cmocka_unit_test(chains_of_the_system_library_are_too),
		cmocka_unit_test(names_have_their_namespaces),
		cmocka_unit_test(little_room_keeps_the_innermost_and_the_function),
		cmocka_unit_test(copies_are_counted_over_all_units),
		cmocka_unit_test(lines_with_code_are_listed),
		cmocka_unit_test(without_time_nothing_is_said),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
