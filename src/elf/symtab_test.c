#include "elf/symtab.h"

#include "base/mem.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct loaded {
	struct image *image;
	struct symtab *symbols;
};

/* The tools run in processes of their own, for which /proc/self is another. */
static char *self_path(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(n > 0);
	return mem_text_part(path, n);
}

static bool load(const char *path, struct loaded *ret)
{
	struct error err = { "" };

	if (image_open(path, path, &ret->image, &err))
		return false;
	ret->symbols = symtab_load(ret->image);
	return true;
}

static void unload(struct loaded *l)
{
	symtab_free(l->symbols);
	image_close(l->image);
}

static const struct symbol *find_alias(const struct loaded *l, uint64_t offset,
				       const char *name)
{
	uint32_t i = symtab_lower(l->symbols, offset);
	const struct symbol *s;

	for (; (s = symtab_at(l->symbols, i)) && s->offset == offset; i++)
		if (!strcmp(s->raw, name))
			return s;
	return NULL;
}

/* Every function that readelf lists must be there, at its place and size. */
static unsigned compare_with_readelf(const char *path, const char *option)
{
	AUTO_FREE char *command = mem_format("readelf %s -W '%s' 2>/dev/null", option, path);
	FILE *lines = popen(command, "r");
	struct loaded l;
	unsigned compared = 0;
	char line[8192];

	if (!lines || !load(path, &l))
		return 0;
	while (fgets(line, sizeof(line), lines)) {
		char type[16], bind[16], see[16], section[16], name[8000];
		uint64_t address, offset;
		const struct symbol *s;
		char size[24];

		if (sscanf(line, " %*d: %lx %23s %15s %15s %15s %15s %7999s", &address, size,
			   type, bind, see, section, name) != 7 ||
		    (strcmp(type, "FUNC") && strcmp(type, "IFUNC")) || !strcmp(section, "UND"))
			continue;
		name[strcspn(name, "@")] = 0;
		assert_true(image_to_offset(l.image, address, &offset));
		s = find_alias(&l, offset, name);
		if (!s)
			fail_msg("%s: no '%s' at %lx", path, name, offset);
		assert_true(s->size >= strtoull(size, NULL, 0));
		assert_int_equal(s->kind == SYMBOL_IFUNC, !strcmp(type, "IFUNC"));
		s = symtab_find(l.symbols, offset + s->size - 1);
		assert_non_null(s);
		compared++;
	}
	pclose(lines);
	unload(&l);
	return compared;
}

static void all_functions_of_readelf_are_there(void **state)
{
	static const char *const libraries[] = {
		"/usr/lib/x86_64-linux-gnu/libc.so.6",
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/usr/bin/redis-server",
		"/usr/bin/sqlite3",
	};
	AUTO_FREE char *self = self_path();
	unsigned compared = compare_with_readelf(self, "-s");

	if (!compared)
		skip(); /* no readelf */
	assert_true(compared > 50);
	for (unsigned i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		compared += compare_with_readelf(libraries[i], "--dyn-syms");
	print_message("# %u functions compared\n", compared);
}

/* objdump names stubs "<f@plt>:" from the relocations, in its own way. */
static void stubs_are_called_as_objdump_calls_them(void **state)
{
	AUTO_FREE char *self = self_path();
	AUTO_FREE char *command =
		mem_format("objdump -d -j .plt -j .plt.sec '%s' 2>/dev/null", self);
	FILE *lines = popen(command, "r");
	unsigned compared = 0;
	struct loaded l;
	char line[4096];

	assert_true(load(self, &l));
	while (fgets(line, sizeof(line), lines)) {
		char name[4000];
		uint64_t address, offset;

		if (sscanf(line, "%lx <%3999[^>]>:", &address, name) != 2 ||
		    !text_ends(name, "@plt") || !image_to_offset(l.image, address, &offset))
			continue;
		if (!find_alias(&l, offset, name))
			fail_msg("no '%s' at %lx", name, offset);
		compared++;
	}
	pclose(lines);
	if (!compared)
		skip();
	assert_true(compared > 10);
	unload(&l);
}

/* Compiles a library in a folder of its own: false where there is no compiler. */
struct built {
	char folder[64];
	char path[128];
};

static bool run(const struct built *b, const char *command)
{
	AUTO_FREE char *line =
		mem_format("cd %s && { %s; } >/dev/null 2>&1", b->folder, command);

	return system(line) == 0;
}

static bool build(struct built *b, const char *flags)
{
	static const char source[] =
		"volatile int n;\n"
		"__attribute__((noinline)) static int hidden(int x)"
		"{ for (int i = 0; i < x; i++) n += i; return n; }\n"
		"int shown(int x) { return hidden(x) * 3; }\n"
		"int also_shown(int x) __attribute__((alias(\"shown\")));\n"
		"int __weak_one(int x) { return x + n; }\n"
		"int weak_one(int x) __attribute__((weak, alias(\"__weak_one\")));\n"
		"__asm__(\".text\\n.globl bare\\nbare: nop\\nnop\\nret\\n\");\n";
	AUTO_FREE char *command = mem_format("cc %s -O1 -shared -fPIC -o lib.so lib.c", flags);
	AUTO_FREE char *file = NULL;
	FILE *f;

	strcpy(b->folder, "/tmp/sonde-symtab-XXXXXX");
	assert_non_null(mkdtemp(b->folder));
	snprintf(b->path, sizeof(b->path), "%s/lib.so", b->folder);
	file = mem_format("%s/lib.c", b->folder);
	f = fopen(file, "w");
	fputs(source, f);
	fclose(f);
	return run(b, command);
}

static void demolish(const struct built *b)
{
	AUTO_FREE char *line = mem_format("rm -rf %s", b->folder);

	assert_int_equal(system(line), 0);
}

static void aliases_are_kept_with_the_preferred_name_first(void **state)
{
	const struct symbol *s;
	struct built b;
	struct loaded l;

	if (!build(&b, "")) {
		demolish(&b);
		skip();
	}
	assert_true(load(b.path, &l));
	assert_string_equal(symtab_origin(l.symbols), "symtab");
	s = symtab_find(l.symbols, symtab_named(l.symbols, "also_shown")->offset + 1);
	assert_string_equal(s->raw, "shown");
	assert_false(s->alias);
	assert_true(symtab_named(l.symbols, "also_shown")->alias);
	/* global beats weak, even with underscores */
	s = symtab_find(l.symbols, symtab_named(l.symbols, "weak_one")->offset);
	assert_string_equal(s->raw, "__weak_one");
	assert_false(symtab_named(l.symbols, "hidden")->global);
	/* an assembler routine has neither type nor size */
	s = symtab_named(l.symbols, "bare");
	assert_non_null(s);
	assert_true(s->size >= 3);
	assert_ptr_equal(symtab_find(l.symbols, s->offset + 2), s);
	assert_null(symtab_named(l.symbols, "nothing"));
	unload(&l);
	demolish(&b);
}

static void a_stripped_file_has_functions_from_its_unwind_table(void **state)
{
	struct loaded whole, stripped;
	const struct symbol *was, *is;
	AUTO_FREE char *name = NULL;
	uint64_t address;
	struct built b;

	if (!build(&b, "") || !run(&b, "cp lib.so whole.so && strip lib.so")) {
		demolish(&b);
		skip();
	}
	assert_true(load(b.path, &stripped));
	strcpy(strrchr(b.path, '/'), "/whole.so");
	assert_true(load(b.path, &whole));
	assert_string_equal(symtab_origin(stripped.symbols), "dynsym");
	was = symtab_named(whole.symbols, "hidden");
	is = symtab_find(stripped.symbols, was->offset + was->size - 1);
	assert_int_equal(is->kind, SYMBOL_UNNAMED);
	assert_int_equal(is->offset, was->offset);
	assert_int_equal(is->size, was->size);
	assert_true(image_to_address(whole.image, was->offset, &address));
	name = mem_format("fn_%lx", address);
	assert_string_equal(is->raw, name);
	/* what is exported keeps its name and its size */
	was = symtab_named(whole.symbols, "shown");
	is = symtab_find(stripped.symbols, was->offset);
	assert_string_equal(is->raw, "shown");
	assert_int_equal(is->size, was->size);
	unload(&whole);
	unload(&stripped);
	demolish(&b);
}

static void check_debug_file(const char *flags, const char *spoil, const char *origin)
{
	struct loaded l;
	struct built b;

	if (!build(&b, flags) ||
	    !run(&b, "mkdir .debug && objcopy --only-keep-debug lib.so .debug/lib.debug && "
		     "strip lib.so && objcopy --add-gnu-debuglink=.debug/lib.debug lib.so") ||
	    !run(&b, spoil)) {
		demolish(&b);
		skip();
	}
	assert_true(load(b.path, &l));
	assert_string_equal(symtab_origin(l.symbols), origin);
	assert_int_equal(symtab_named(l.symbols, "hidden") != NULL,
			 !strcmp(origin, "debug file"));
	unload(&l);
	demolish(&b);
}

static void a_debug_file_counts_only_if_it_is_the_right_one(void **state)
{
	check_debug_file("-Wl,--build-id=sha1", "true", "debug file");
	check_debug_file("-Wl,--build-id=none", "true", "debug file");
	/* without build-ids the checksum decides, with them they do */
	check_debug_file("-Wl,--build-id=none", "printf x >>.debug/lib.debug", "dynsym");
	check_debug_file("-Wl,--build-id=sha1", "printf x >>.debug/lib.debug", "debug file");
	check_debug_file("-Wl,--build-id=sha1",
			 "cc -Wl,--build-id=0x1234567890 -O1 -shared -fPIC -o .debug/lib.debug "
			 "lib.c",
			 "dynsym");
	check_debug_file("-Wl,--build-id=none",
			 "rm .debug/lib.debug && mkfifo .debug/lib.debug", "dynsym");
}

static void every_function_is_found_from_inside(void **state)
{
	struct loaded l;

	assert_true(load("/proc/self/exe", &l));
	for (uint32_t i = 0; i < symtab_count(l.symbols); i++) {
		const struct symbol *s = symtab_at(l.symbols, i);
		const struct symbol *first = symtab_find(l.symbols, s->offset);
		const struct symbol *last = symtab_find(l.symbols, s->offset + s->size - 1);

		assert_true(s->size > 0);
		assert_non_null(first);
		assert_int_equal(first->offset, s->offset);
		assert_false(first->alias);
		assert_true(last->offset >= s->offset);
		if (i)
			assert_true(s[-1].offset <= s->offset);
	}
	assert_null(symtab_find(l.symbols, 0));
	assert_null(symtab_find(l.symbols, UINT64_MAX));
	assert_null(symtab_at(l.symbols, symtab_count(l.symbols)));
	unload(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_functions_of_readelf_are_there),
		cmocka_unit_test(stubs_are_called_as_objdump_calls_them),
		cmocka_unit_test(aliases_are_kept_with_the_preferred_name_first),
		cmocka_unit_test(a_stripped_file_has_functions_from_its_unwind_table),
		cmocka_unit_test(a_debug_file_counts_only_if_it_is_the_right_one),
		cmocka_unit_test(every_function_is_found_from_inside),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
