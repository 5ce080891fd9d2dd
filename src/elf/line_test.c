#include "elf/line.h"

#include "base/mem.h"
#include "base/text.h"
#include "elf/symtab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct built {
	char folder[64];
	struct image *image;
	struct symtab *symbols;
	struct lines *lines;
};

static const char source[] =
	"#include <string>\n"
	"namespace ns { struct C { __attribute__((noinline)) int\n"
	"f(int x) { return x * 3 + (x > 7 ? sizeof(std::string) : 2); } }; }\n"
	"\n"
	"extern \"C\" int top(int x)\n"
	"{ ns::C c; return c.f(x); }\n";

static bool build(struct built *b, const char *commands)
{
	AUTO_FREE char *line = NULL, *file = NULL, *path = NULL;
	FILE *f;

	memset(b, 0, sizeof(*b));
	strcpy(b->folder, "/tmp/sonde-line-XXXXXX");
	assert_non_null(mkdtemp(b->folder));
	file = mem_format("%s/lib.cc", b->folder);
	path = mem_format("%s/lib.so", b->folder);
	line = mem_format("cd %s && { %s; } >/dev/null 2>&1", b->folder, commands);
	f = fopen(file, "w");
	fputs(source, f);
	fclose(f);
	if (system(line) || image_open(path, "lib.so", &b->image, NULL))
		return false;
	b->symbols = symtab_load(b->image);
	b->lines = lines_new(b->image, 10 * NSEC_PER_SEC);
	return true;
}

static void demolish(struct built *b)
{
	AUTO_FREE char *line = mem_format("rm -rf %s", b->folder);

	lines_free(b->lines);
	symtab_free(b->symbols);
	image_close(b->image);
	assert_int_equal(system(line), 0);
}

/* The line of a function's name, 0: not known. */
static uint32_t line_of(struct built *b, const char *raw)
{
	const struct symbol *s = symtab_named(b->symbols, raw);
	const char *file = "";
	uint32_t line = 0;

	assert_non_null(s);
	if (!lines_find(b->lines, s->offset, &file, &line))
		return 0;
	assert_true(text_ends(file, "lib.cc"));
	/* inside a function there is no definition */
	assert_false(lines_find(b->lines, s->offset + 1, &file, &line));
	return line;
}

static void definitions_are_found_in_every_form_of_dwarf(void **state)
{
	static const char *const commands[] = {
		"c++ -g -gdwarf-5 -O1 -shared -fPIC -o lib.so lib.cc",
		"c++ -g -gdwarf-4 -O1 -shared -fPIC -o lib.so lib.cc",
		"c++ -g -gz -O1 -shared -fPIC -o lib.so lib.cc",
		"c++ -g -O1 -ffunction-sections -shared -fPIC -o lib.so lib.cc",
		"c++ -g -O1 -shared -fPIC -o lib.so lib.cc && "
		"objcopy --only-keep-debug lib.so lib.debug && strip -g lib.so && "
		"objcopy --add-gnu-debuglink=lib.debug lib.so",
	};

	for (unsigned i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		struct built b;

		if (!build(&b, commands[i])) {
			demolish(&b);
			skip();
		}
		assert_int_equal(line_of(&b, "top"), 5);
		assert_int_equal(line_of(&b, "_ZN2ns1C1fEi"), 3);
		demolish(&b);
	}
}

static void a_file_without_dwarf_has_no_lines(void **state)
{
	struct built b;

	if (!build(&b, "c++ -g0 -O1 -shared -fPIC -o lib.so lib.cc")) {
		demolish(&b);
		skip();
	}
	assert_int_equal(line_of(&b, "top"), 0);
	demolish(&b);
}

/* The file names its .dwo; whoever made it could name a FIFO. */
static void no_path_of_the_file_is_opened(void **state)
{
	struct built b;

	if (!build(&b, "c++ -g -gsplit-dwarf -O1 -shared -fPIC -o lib.so lib.cc && "
		       "for i in *.dwo; do rm $i && mkfifo $i; done")) {
		demolish(&b);
		skip();
	}
	assert_int_equal(line_of(&b, "top"), 0);
	demolish(&b);
}

static void a_budget_of_nothing_is_kept(void **state)
{
	const struct symbol *s;
	const char *file;
	uint32_t line;
	struct built b;

	if (!build(&b, "c++ -g -O1 -shared -fPIC -o lib.so lib.cc")) {
		demolish(&b);
		skip();
	}
	lines_free(b.lines);
	b.lines = lines_new(b.image, 0);
	s = symtab_named(b.symbols, "top");
	for (unsigned i = 0; i < 3; i++)
		lines_find(b.lines, s->offset, &file, &line);
	assert_false(lines_find(b.lines, s->offset, &file, &line));
	assert_true(lines_spent(b.lines) < NSEC_PER_SEC);
	demolish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(definitions_are_found_in_every_form_of_dwarf),
		cmocka_unit_test(a_file_without_dwarf_has_no_lines),
		cmocka_unit_test(no_path_of_the_file_is_opened),
		cmocka_unit_test(a_budget_of_nothing_is_kept),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
