#include "name/namer.h"

#include "base/array.h"
#include "base/text.h"
#include "elf/section.h"
#include "elf/symtab.h"
#include "name/recorded.h"
#include "wire/codec.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* A program in a folder of its own, with one function per name. */
struct built {
	char folder[64];
	char path[128];
};

static bool build(struct built *b, const char *function)
{
	AUTO_FREE char *line = NULL;

	strcpy(b->folder, "/tmp/sonde-namer-XXXXXX");
	assert_non_null(mkdtemp(b->folder));
	snprintf(b->path, sizeof(b->path), "%s/lib.so", b->folder);
	line = mem_format(
		"cd %s && { echo 'int %s(int x) { return x * 3; }' >lib.c && cc -g -O1 "
		"-Wl,--build-id=sha1 -shared -fPIC -o lib.so lib.c; } >/dev/null 2>&1",
		b->folder, function);
	return system(line) == 0;
}

static void demolish(const struct built *b)
{
	AUTO_FREE char *line = mem_format("rm -rf %s", b->folder);

	assert_int_equal(system(line), 0);
}

/* Offset and build-id as whoever looks at the target first would know them. */
static uint64_t look(const char *path, const char *function, struct build_id *ret)
{
	const struct symtab *symbols;
	struct image *image;
	uint64_t offset;

	assert_int_equal(image_open(path, path, &image, NULL), 0);
	symbols = image_symbols(image);
	offset = symtab_named(symbols, function)->offset;
	*ret = *image_build_id(image);
	image_close(image);
	return offset;
}

static const struct event_image *image_record(struct event_room *room, uint32_t id,
					      enum image_kind kind, const char *path,
					      const struct build_id *build_id)
{
	struct event_image e = { .image = id, .kind = kind };

	if (build_id) {
		e.build_id_size = build_id->size;
		memcpy(e.build_id, build_id->bytes, build_id->size);
	}
	return (const struct event_image *)event_make_image(room, &e, path);
}

static void record_symbol(struct namer *n, const struct event_symbol *fixed, const char *name)
{
	struct event_room room;

	namer_event(n, event_make_symbol(&room, fixed, name, "a.c"));
}

/* "" when it has no name. */
static const char *name_of(struct namer *n, uint32_t image, uint64_t offset)
{
	struct naming naming = namer_naming(n);
	struct frame_name f;

	return naming.find(naming.context, image, offset, &f) ? f.function : "";
}

static void a_deleted_file_is_still_named(void **state)
{
	struct namer *n = namer_new(NULL);
	struct event_room room;
	struct build_id id;
	struct frame_name f;
	struct naming naming = namer_naming(n);
	struct built b;
	uint64_t offset;

	if (!build(&b, "gone_soon"))
		skip();
	offset = look(b.path, "gone_soon", &id);
	assert_int_equal(namer_image(n, image_record(&room, 7, IMAGE_FILE, b.path, &id), b.path,
				     NULL),
			 0);
	demolish(&b);
	assert_true(naming.find(naming.context, 7, offset + 1, &f));
	assert_string_equal(f.function, "gone_soon");
	assert_true(text_ends(f.file, "lib.c"));
	assert_int_equal(f.line, 1);
	assert_int_equal(f.start, offset);
	assert_true(f.length > 1);
	assert_string_equal(name_of(n, 7, 1), "");
	assert_string_equal(name_of(n, 8, offset), "");
	namer_free(n);
}

static void another_build_is_not_used(void **state)
{
	struct error err = { "" };
	struct event_room room;
	struct namer *n = namer_new(NULL);
	struct build_id id;
	struct built b, other;
	uint64_t offset;

	if (!build(&b, "old_one") || !build(&other, "new_one"))
		skip();
	offset = look(b.path, "old_one", &id);
	assert_int_equal(rename(other.path, b.path), 0);
	assert_int_equal(namer_image(n, image_record(&room, 2, IMAGE_FILE, b.path, &id), b.path,
				     &err),
			 -ESTALE);
	assert_non_null(strstr(err.text, "another build"));
	assert_string_equal(namer_problem(n, 2), err.text);
	assert_string_equal(name_of(n, 2, offset), "");
	/* a replay looks by itself, and must not fall for it either */
	namer_event(n, &image_record(&room, 3, IMAGE_FILE, b.path, &id)->head);
	assert_string_equal(name_of(n, 3, offset), "");
	assert_non_null(strstr(namer_problem(n, 3), "another build"));
	/* and without a build-id nothing can be told */
	namer_event(n, &image_record(&room, 4, IMAGE_FILE, b.path, NULL)->head);
	assert_string_equal(name_of(n, 4, offset), "");
	look(b.path, "new_one", &id);
	namer_event(n, &image_record(&room, 5, IMAGE_FILE, b.path, &id)->head);
	assert_string_equal(name_of(n, 5, offset), "new_one");
	assert_string_equal(namer_problem(n, 5), "");
	demolish(&b);
	demolish(&other);
	namer_free(n);
}

/* Of a variable so far behind where an offset is mapped: "name+into", "" = it is not known. */
static const char *variable_of(struct namer *n, uint32_t image, uint64_t offset,
			       uint64_t distance)
{
	static char buf[64];
	struct data_name data = { .size = 0 };
	struct naming naming = namer_naming(n);

	buf[0] = 0;
	if (naming.variable(naming.context, image, offset, distance, &data))
		snprintf(buf, sizeof(buf), "%s+%u", text_string(&data.name),
			 (unsigned)data.into);
	text_done(&data.name);
	return buf;
}

static void keep_variable(void *to, const struct event *e)
{
	if (e->kind == EVENT_VARIABLE)
		namer_event(to, e);
}

static uint64_t value, size, code;

/* What another reader says of `numbers`, and of where its code is mapped. */
static void ask_readelf(const char *path)
{
	AUTO_FREE char *command =
		mem_format("readelf -sWl %s | awk '$8 == \"numbers\" { print $2, $3; exit } "
			   "$1 == \"LOAD\" && / E / { print substr($2, 3), substr($3, 3) }'",
			   path);
	FILE *from = popen(command, "r");
	uint64_t offset, address;

	assert_non_null(from);
	assert_int_equal(fscanf(from, "%lx %lx", &offset, &address), 2);
	assert_int_equal(offset, address); /* as the linker has it here */
	assert_int_equal(fscanf(from, "%lx %lu", &value, &size), 2);
	pclose(from);
	code = address;
}

static void variables_are_told_and_found_without_the_file(void **state)
{
	struct namer *n = namer_new(NULL), *again = namer_new(NULL);
	struct event_room room;
	struct build_id id;
	struct built b;

	if (!build(&b, "work; int numbers[10] = { 1 }; int more"))
		skip();
	ask_readelf(b.path);
	assert_int_equal(size, 40);
	look(b.path, "more", &id);
	namer_image(n, image_record(&room, 2, IMAGE_FILE, b.path, &id), b.path, NULL);
	namer_event(again, &image_record(&room, 2, IMAGE_FILE, "/gone", &id)->head);
	for (unsigned i = 0; i < 2; i++) { /* the second time from memory */
		assert_string_equal(variable_of(n, 2, code, value - code), "numbers+0");
		assert_string_equal(variable_of(n, 2, code, value + 39 - code), "numbers+39");
		assert_string_equal(variable_of(n, 2, code, value - 1 - code), "");
		assert_string_equal(variable_of(n, 2, code, 1ull << 40), "");
		assert_string_equal(variable_of(n, 7, code, value - code), "");
	}
	assert_string_equal(variable_of(again, 2, code, value - code), "");
	namer_each_new_symbol(n, keep_variable, again);
	assert_string_equal(variable_of(again, 2, code, value + 4 - code), "numbers+4");
	assert_string_equal(variable_of(again, 2, code, value - 1 - code), "");
	demolish(&b);
	namer_free(n);
	namer_free(again);
}

static void recorded_names_go_first_and_the_newer_holds(void **state)
{
	struct namer *n = namer_new(NULL);
	struct event_room room;

	namer_event(n, &image_record(&room, 2, IMAGE_JIT, "[anon]", NULL)->head);
	assert_string_equal(name_of(n, 2, 0x1010), "");
	record_symbol(n, &(struct event_symbol){ .image = 2, .offset = 0x1000, .length = 32 },
		      "a");
	record_symbol(n, &(struct event_symbol){ .image = 2, .offset = 0x900, .length = 8 },
		      "b");
	assert_string_equal(name_of(n, 2, 0x1010), "a");
	assert_string_equal(name_of(n, 2, 0x1020), "");
	assert_string_equal(name_of(n, 2, 0x907), "b");
	record_symbol(n, &(struct event_symbol){ .image = 2, .offset = 0x1000, .length = 48 },
		      "c");
	assert_string_equal(name_of(n, 2, 0x1010), "c");
	assert_string_equal(name_of(n, 2, 0x1020), "c");
	/* one inside another: the smaller */
	record_symbol(n, &(struct event_symbol){ .image = 2, .offset = 0x1008, .length = 4 },
		      "d");
	assert_string_equal(name_of(n, 2, 0x1009), "d");
	assert_string_equal(name_of(n, 2, 0x1010), "c");
	/* of an image that nobody told of */
	record_symbol(n, &(struct event_symbol){ .image = 9, .offset = 1, .length = 4 }, "e");
	assert_int_equal(namer_forgotten(n), 1);
	namer_free(n);
}

struct told {
	unsigned count;
	char names[8][64];
	uint64_t offsets[8];
};

static void tell(void *context, const struct event *e)
{
	const struct event_symbol *symbol = (const void *)e;
	struct told *t = context;

	assert_true(event_check(e, e->size));
	if (e->kind != EVENT_SYMBOL)
		return;
	assert_true(t->count < 8);
	snprintf(t->names[t->count], 64, "%s", event_text(&symbol->head, 0));
	t->offsets[t->count++] = symbol->offset;
}

static void what_was_asked_for_is_told_once(void **state)
{
	struct namer *n = namer_new(NULL), *replay = namer_new(NULL);
	struct told told = { 0 };
	struct event_room room;
	struct build_id id;
	uint64_t offset;
	struct built b;

	if (!build(&b, "seen"))
		skip();
	offset = look(b.path, "seen", &id);
	assert_int_equal(namer_image(n, image_record(&room, 2, IMAGE_FILE, b.path, &id), b.path,
				     NULL),
			 0);
	namer_each_new_symbol(n, tell, &told);
	assert_int_equal(told.count, 0);
	name_of(n, 2, offset);
	name_of(n, 2, offset + 1);
	name_of(n, 2, 3);
	namer_each_new_symbol(n, tell, &told);
	namer_each_new_symbol(n, tell, &told);
	assert_int_equal(told.count, 1);
	assert_string_equal(told.names[0], "seen");
	assert_int_equal(told.offsets[0], offset);
	demolish(&b);

	/* elsewhere, later: the record is all there is */
	namer_event(replay, &image_record(&room, 2, IMAGE_FILE, b.path, &id)->head);
	record_symbol(replay,
		      &(struct event_symbol){ .image = 2, .offset = offset, .length = 4 },
		      "seen");
	assert_string_equal(name_of(replay, 2, offset + 3), "seen");
	namer_each_new_symbol(replay, tell, &told);
	assert_int_equal(told.count, 1);
	namer_free(replay);
	namer_free(n);
}

/* Records of a namer go to another one, as through a file. */
static void replay(void *to, const struct event *e)
{
	assert_true(event_check(e, e->size));
	namer_event(to, e);
}

/* The first offset from `offset` on where something is inlined. */
static unsigned expand_some(struct namer *n, uint32_t image, uint64_t *offset,
			    struct frame_name ret[NAMING_LEVELS])
{
	struct naming naming = namer_naming(n);

	for (uint64_t end = *offset + 64; *offset < end; ++*offset) {
		unsigned count =
			naming.expand(naming.context, image, *offset, ret, NAMING_LEVELS);

		if (count > 1)
			return count;
	}
	return 0;
}

/* What was told without a line is told again with it. */
static void lines_are_told_once_they_are_known(void **state)
{
	struct namer *n = namer_new(NULL), *elsewhere = namer_new(NULL);
	struct naming naming = namer_naming(n), later = namer_naming(elsewhere);
	struct frame_name found;
	struct event_room room;
	struct build_id id;
	struct built b;
	uint64_t offset;

	if (!build(&b, "dull"))
		skip();
	offset = look(b.path, "dull", &id);
	assert_int_equal(namer_image(n, image_record(&room, 2, IMAGE_FILE, b.path, &id), b.path,
				     NULL),
			 0);
	demolish(&b);
	namer_event(elsewhere, &image_record(&room, 2, IMAGE_FILE, b.path, &id)->head);
	namer_set_line_budget(n, 0);
	assert_string_equal(name_of(n, 2, offset), "dull");
	assert_int_equal(namer_lineless(n), 1);
	namer_each_new_symbol(n, replay, elsewhere);

	namer_set_line_budget(n, 10 * NSEC_PER_SEC);
	namer_set_patience(n, 0);
	assert_true(naming.find(naming.context, 2, offset, &found));
	assert_int_equal(namer_lineless(n), 0);
	assert_int_equal(found.line, 1);
	namer_each_new_symbol(n, replay, elsewhere);
	assert_true(later.find(later.context, 2, offset, &found));
	assert_true(text_ends(found.file, "lib.c"));
	assert_int_equal(found.line, 1);
	namer_free(n);
	namer_free(elsewhere);
}

static void what_is_inlined_goes_with_the_recording(void **state)
{
	struct namer *n = namer_new(NULL), *elsewhere = namer_new(NULL);
	struct frame_name here[NAMING_LEVELS], there[NAMING_LEVELS];
	struct event_room room;
	struct build_id id;
	uint64_t offset;
	struct built b;

	if (!build(&b, "first(int x) { return x / 7; } static inline "
		       "__attribute__((always_inline)) int twice(int y) "
		       "{ return first(y) * first(y + 1); } "
		       "int outer(int z) { return twice(z); } int rest"))
		skip();
	offset = look(b.path, "outer", &id);
	assert_int_equal(namer_image(n, image_record(&room, 2, IMAGE_FILE, b.path, &id), b.path,
				     NULL),
			 0);
	demolish(&b);
	/* no time: nothing, and it may be asked again */
	namer_set_line_budget(n, 0);
	assert_int_equal(expand_some(n, 2, &(uint64_t){ offset }, here), 0);
	namer_set_line_budget(n, 10 * NSEC_PER_SEC);
	assert_true(expand_some(n, 2, &offset, here) >= 2);
	assert_string_equal(here[1].function, "outer");
	assert_true(text_ends(here[0].at_file, "lib.c"));
	assert_int_equal(here[0].at_line, 1);

	namer_event(elsewhere, &image_record(&room, 2, IMAGE_FILE, b.path, &id)->head);
	namer_each_new_symbol(n, replay, elsewhere);
	assert_int_equal(namer_forgotten(elsewhere), 0);
	assert_true(expand_some(elsewhere, 2, &offset, there) >= 2);
	assert_string_equal(there[0].function, here[0].function);
	assert_string_equal(there[1].function, "outer");
	assert_int_equal(there[1].at_line, here[1].at_line);
	assert_int_equal(there[1].start, here[1].start);
	namer_free(n);
	namer_free(elsewhere);
}

/* A file of image 7 of which nothing can be read while it is locked here. */
struct held {
	struct images *images;
	struct namer *namer;
	struct image *image;
	struct built built;
	uint64_t offset; /* of its function */
};

/* Locked; skips where nothing can be built. */
static void held_begin(struct held *h, const char *function)
{
	struct event_room room;
	struct build_id id;

	if (!build(&h->built, function))
		skip();
	h->images = images_new();
	h->namer = namer_new(h->images);
	h->offset = look(h->built.path, function, &id);
	assert_int_equal(images_open(h->images, h->built.path, "late", &h->image, NULL), 0);
	assert_int_equal(namer_image(h->namer,
				     image_record(&room, 7, IMAGE_FILE, h->built.path, &id),
				     h->built.path, NULL),
			 0);
	image_lock(h->image);
}

/* Unlocked before. */
static void held_end(struct held *h)
{
	image_close(h->image);
	demolish(&h->built);
	namer_free(h->namer);
	images_free(h->images);
}

static void symbols_that_are_being_read_are_waited_for(void **state)
{
	struct held h;

	held_begin(&h, "comes_late");
	for (unsigned i = 0; i < 2; i++) {
		namer_set_patience(h.namer, i * NSEC_PER_MSEC);
		assert_int_equal(namer_late(h.namer), 0);
		assert_string_equal(name_of(h.namer, 7, h.offset), "");
		assert_string_equal(name_of(h.namer, 7, h.offset + 1), "");
		assert_int_equal(namer_late(h.namer), 2);
		assert_string_equal(namer_awaited(h.namer), h.built.path);
		assert_string_equal(namer_problem(h.namer, 7), "");
	}
	image_unlock(h.image);
	namer_set_patience(h.namer, UINT64_MAX);
	assert_string_equal(name_of(h.namer, 7, h.offset), "comes_late");
	assert_int_equal(namer_late(h.namer), 0);
	held_end(&h);
}

static void symbols_that_are_not_waited_for_are_a_problem(void **state)
{
	AUTO_TEXT struct text problems = { 0 };
	struct held h;

	held_begin(&h, "too_late");
	namer_set_patience(h.namer, 0);
	namer_give_up(h.namer);
	assert_string_equal(name_of(h.namer, 7, h.offset), "");
	assert_string_equal(name_of(h.namer, 7, h.offset), "");
	image_unlock(h.image);
	namer_problems(h.namer, &problems);
	assert_non_null(strstr(text_string(&problems), "were still being read"));
	held_end(&h);
}

static void levels_that_do_not_fit_are_not_taken(void **state)
{
	struct event_inline e = { .image = 2, .offset = 9, .levels = 2, .level = 1 };
	struct frame_name levels[NAMING_LEVELS];
	struct namer *n = namer_new(NULL);
	struct naming naming = namer_naming(n);
	struct event_room room;

	namer_event(n, &image_record(&room, 2, IMAGE_FILE, "/nowhere/x", NULL)->head);
	namer_event(n, event_make_inline(&room, &e, "late", "", ""));
	assert_int_equal(namer_forgotten(n), 1);
	e.level = 0;
	namer_event(n, event_make_inline(&room, &e, "inner", "", ""));
	assert_int_equal(naming.expand(naming.context, 2, 9, levels, NAMING_LEVELS), 0);
	namer_event(n, event_make_inline(&room, &e, "inner", "", ""));
	e.level = 1;
	namer_event(n, event_make_inline(&room, &e, "outer", "", ""));
	assert_int_equal(naming.expand(naming.context, 2, 9, levels, NAMING_LEVELS), 2);
	assert_string_equal(levels[0].function, "inner");
	assert_string_equal(levels[1].function, "outer");
	namer_free(n);
}

static void the_kernel_of_a_recording_is_not_this_one(void **state)
{
	struct namer *n = namer_new(NULL), *live = namer_new(NULL);
	uint64_t address = 0;
	struct event_room room;
	char line[4096], name[4000] = "";
	FILE *f = fopen("/proc/kallsyms", "r");

	while (f && !address && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx T %3999s", &address, name) != 2 ||
		    !strstr(name, "vfs_read"))
			address = 0;
	if (f)
		fclose(f);
	if (!address)
		skip();
	namer_event(
		n, &image_record(&room, IMAGE_KERNEL_ID, IMAGE_KERNEL, "[kernel]", NULL)->head);
	assert_string_equal(name_of(n, IMAGE_KERNEL_ID, address), "");
	assert_string_not_equal(namer_problem(n, IMAGE_KERNEL_ID), "");
	assert_int_equal(namer_image(live,
				     image_record(&room, IMAGE_KERNEL_ID, IMAGE_KERNEL,
						  "[kernel]", NULL),
				     NULL, NULL),
			 0);
	assert_string_equal(name_of(live, IMAGE_KERNEL_ID, address + 1), name);
	namer_free(n);
	namer_free(live);
}

static const char *say_kernel(void *context, uint64_t address)
{
	unsigned *asked = context;

	++*asked;
	return address < 0x1000 ? "0x10" : "vfs_write.part.0+0x10/0x40 [overlay]";
}

static void a_kernel_that_can_be_asked_is_asked(void **state)
{
	struct namer *n = namer_new(NULL);
	struct event_room room;
	unsigned asked = 0;

	namer_ask_kernel(n, say_kernel, &asked);
	assert_int_equal(namer_image(n,
				     image_record(&room, IMAGE_KERNEL_ID, IMAGE_KERNEL,
						  "[kernel]", NULL),
				     NULL, NULL),
			 0);
	assert_string_equal(name_of(n, IMAGE_KERNEL_ID, 0x100010),
			    "vfs_write [.part.0] [overlay]");
	assert_string_equal(name_of(n, IMAGE_KERNEL_ID, 0x10), "");
	assert_int_equal(asked, 2);
	assert_string_equal(name_of(n, IMAGE_KERNEL_ID, 0x100010),
			    "vfs_write [.part.0] [overlay]");
	assert_int_equal(asked, 2);
	assert_string_equal(namer_problem(n, IMAGE_KERNEL_ID), "");
	namer_free(n);
}

/* The vdso's functions lie somewhere in its first two pages; the clock is one. */
static void the_vdso_has_its_clock(void **state)
{
	struct namer *n = namer_new(NULL);
	struct event_room room;
	bool found = false;

	if (!getauxval(AT_SYSINFO_EHDR))
		skip();
	assert_int_equal(namer_image(n, image_record(&room, 3, IMAGE_VDSO, "[vdso]", NULL),
				     NULL, NULL),
			 0);
	for (uint64_t offset = 0; offset < 8192 && !found; offset += 16)
		found = strstr(name_of(n, 3, offset), "clock_gettime");
	assert_true(found);
	namer_free(n);
}

static void a_file_that_cannot_be_opened_says_why(void **state)
{
	struct namer *n = namer_new(NULL);
	struct error err = { "" };
	struct event_room room;

	assert_int_equal(namer_image(n, image_record(&room, 2, IMAGE_FILE, "/bin/x", NULL),
				     "/nowhere/x", &err),
			 -ENOENT);
	assert_non_null(strstr(err.text, "'/bin/x'"));
	assert_string_equal(name_of(n, 2, 0x1000), "");
	assert_string_equal(namer_problem(n, 2), err.text);
	/* known already: the first one stays */
	assert_int_equal(namer_image(n, image_record(&room, 2, IMAGE_FILE, "/bin/x", NULL),
				     "/proc/self/exe", &err),
			 0);
	assert_string_equal(name_of(n, 2, 0x1000), "");
	namer_free(n);
	namer_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_deleted_file_is_still_named),
		cmocka_unit_test(another_build_is_not_used),
		cmocka_unit_test(variables_are_told_and_found_without_the_file),
		cmocka_unit_test(recorded_names_go_first_and_the_newer_holds),
		cmocka_unit_test(what_was_asked_for_is_told_once),
		cmocka_unit_test(lines_are_told_once_they_are_known),
		cmocka_unit_test(what_is_inlined_goes_with_the_recording),
		cmocka_unit_test(symbols_that_are_being_read_are_waited_for),
		cmocka_unit_test(symbols_that_are_not_waited_for_are_a_problem),
		cmocka_unit_test(levels_that_do_not_fit_are_not_taken),
		cmocka_unit_test(the_kernel_of_a_recording_is_not_this_one),
		cmocka_unit_test(a_kernel_that_can_be_asked_is_asked),
		cmocka_unit_test(the_vdso_has_its_clock),
		cmocka_unit_test(a_file_that_cannot_be_opened_says_why),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
