#include "elf/image.h"

#include "base/mem.h"
#include "base/text.h"
#include "elf/images.h"
#include "elf/symtab.h"
#include "elf/unwind.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* What a command prints, "" if it cannot be run. */
static char *output_of(const char *format, const char *path)
{
	AUTO_FREE char *command = mem_format(format, path);
	struct text t = { 0 };
	char part[4096];
	FILE *f = popen(command, "r");
	size_t n;

	while (f && (n = fread(part, 1, sizeof(part), f)))
		text_add_part(&t, part, n);
	if (f)
		pclose(f);
	text_add(&t, "");
	return t.bytes;
}

static struct image *open_self(void)
{
	struct error err = { "" };
	struct image *image;

	if (image_open("/proc/self/exe", "self", &image, &err))
		fail_msg("%s", err.text);
	return image;
}

static char *self_path(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(n > 0);
	return mem_text_part(path, n);
}

static void only_regular_elf_files_of_this_machine_are_opened(void **state)
{
	static const struct {
		const char *path;
		int code;
	} cases[] = {
		{ "/proc/self/exe", 0 },
		{ "/dev/zero", -EINVAL },
		{ "/", -EINVAL },
		{ "/etc/passwd", -EINVAL },
		{ "/nowhere/at/all", -ENOENT },
		{ "/dev/null", -EINVAL },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct image *image = NULL;
		struct error err = { "" };

		assert_int_equal(image_open(cases[i].path, "x", &image, &err), cases[i].code);
		assert_int_equal(image != NULL, cases[i].code == 0);
		assert_int_equal(err.text[0] != 0, cases[i].code != 0);
		image_close(image);
	}
}

static void a_fifo_does_not_hang_it(void **state)
{
	char path[] = "/tmp/sonde-image-XXXXXX";
	struct error err = { "" };
	struct image *image;

	assert_non_null(mkdtemp(path));
	AUTO_FREE char *fifo = mem_format("%s/fifo", path);

	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(image_open(fifo, fifo, &image, &err), -EINVAL);
	assert_non_null(strstr(err.text, "is not a regular file"));
	unlink(fifo);
	rmdir(path);
}

static void code_for_another_machine_is_named_so(void **state)
{
	Elf64_Ehdr e = { .e_type = ET_DYN };
	struct error err = { "" };
	struct image *image;

	memcpy(e.e_ident, ELFMAG, SELFMAG);
	e.e_ident[EI_CLASS] = ELFCLASS64;
	e.e_ident[EI_DATA] = ELFDATA2LSB;
	e.e_machine = EM_RISCV;
	assert_int_equal(image_open_memory(&e, sizeof(e), "x", &image, &err), -ENOTSUP);
	assert_non_null(strstr(err.text, "another kind of machine"));
	e.e_ident[EI_CLASS] = ELFCLASS32;
	e.e_machine = EM_386;
	assert_int_equal(image_open_memory(&e, sizeof(e), "x", &image, &err), -ENOTSUP);
}

static void offsets_and_addresses_convert_as_the_loader_maps(void **state)
{
	AUTO_FREE char *path = self_path();
	AUTO_FREE char *headers = output_of("readelf -lW '%s' 2>/dev/null", path);
	struct image *image = open_self();
	unsigned loads = 0, code = 0;

	for (const char *at = headers; at && (at = strstr(at, "  LOAD ")); at++) {
		uint64_t offset, address, physical, size, memory, got;
		char flags[8];

		assert_int_equal(sscanf(at, " LOAD %lx %lx %lx %lx %lx %7[RWE ]", &offset,
					&address, &physical, &size, &memory, flags),
				 6);
		loads++;
		code += strchr(flags, 'E') != NULL;
		assert_true(image_to_address(image, offset, &got));
		assert_int_equal(got, address);
		assert_true(image_to_address(image, offset + size - 1, &got));
		assert_int_equal(got, address + size - 1);
		assert_true(image_to_offset(image, address + size / 2, &got));
		assert_int_equal(got, offset + size / 2);
		assert_int_equal(image_is_code(image, offset), strchr(flags, 'E') != NULL);
	}
	if (!loads)
		skip();
	assert_int_equal(code, 1);
	image_close(image);
}

static void what_no_segment_loads_has_no_address(void **state)
{
	struct image *image = open_self();
	uint64_t got = 42;

	assert_false(image_to_address(image, UINT64_MAX, &got));
	assert_false(image_to_offset(image, UINT64_MAX, &got));
	assert_false(image_is_code(image, 0));
	assert_int_equal(got, 42);
	assert_int_equal(image_read(image, UINT64_MAX, &got, 8), 0);
	image_close(image);
}

static void the_build_id_is_the_one_readelf_shows(void **state)
{
	AUTO_FREE char *path = self_path();
	AUTO_FREE char *notes = output_of("readelf -nW '%s' 2>/dev/null", path);
	const char *at = strstr(notes, "Build ID: ");
	struct image *image = open_self();
	const struct build_id *id = image_build_id(image);
	AUTO_TEXT struct text hex = { 0 };

	if (!at)
		skip();
	for (unsigned i = 0; i < id->size; i++)
		text_format(&hex, "%02x", id->bytes[i]);
	assert_true(id->size >= 8);
	assert_true(text_starts(at + 10, text_string(&hex)));
	image_close(image);
}

int exported_for_the_test(void);

int exported_for_the_test(void)
{
	return 1;
}

static void imports_definitions_and_libraries_are_found(void **state)
{
	struct image *image = open_self();

	assert_true(image_imports(image, "pread*"));
	assert_true(image_imports(image, "__cxa_finalize"));
	assert_false(image_imports(image, "__cxa_throw"));
	assert_false(image_imports(image, "image_open"));
	assert_true(image_defines(image, "image_open"));
	assert_true(image_defines(image, "exported_for_*"));
	assert_false(image_defines(image, "exported_for_the"));
	assert_false(image_defines(image, "__cxa_throw"));
	assert_true(image_has_section(image, ".text"));
	assert_false(image_has_section(image, ".gopclntab"));
	for (unsigned i = 0;; i++) {
		const char *needed = image_needed(image, i);

		assert_non_null(needed); /* libc must come */
		if (text_starts(needed, "libc.so"))
			break;
	}
	assert_null(image_needed(image, 1000));
	image_close(image);
}

/* The dynamic linker needs no section headers, so a file without them must not
 * look as if it imported nothing. */
static void imports_are_found_without_section_headers(void **state)
{
	struct image *image = open_self(), *bare;
	AUTO_FREE char *bytes = mem_zeroed(1, 64 << 20);
	size_t size = image_read(image, 0, bytes, 64 << 20);
	Elf64_Ehdr e;

	memcpy(&e, bytes, sizeof(e));
	e.e_shoff = e.e_shnum = e.e_shstrndx = 0;
	memcpy(bytes, &e, sizeof(e));
	assert_int_equal(image_open_memory(bytes, size, "bare", &bare, NULL), 0);
	assert_false(image_has_section(bare, ".dynsym"));
	assert_true(image_imports(bare, "pread*"));
	assert_non_null(image_needed(bare, 0));
	image_close(bare);
	image_close(image);
}

static void copy_self(const char *to)
{
	AUTO_FREE char *self = self_path();
	AUTO_FREE char *command = mem_format("cp '%s' '%s'", self, to);

	assert_int_equal(system(command), 0);
}

static struct image *open_shared(struct images *all, const char *path)
{
	struct image *image;

	assert_int_equal(images_open(all, path, "shared", &image, NULL), 0);
	return image;
}

static void a_file_is_opened_and_read_once(void **state)
{
	struct images *all = images_new();
	AUTO_FREE char *self = self_path();
	struct image *first = open_shared(all, self);
	struct image *second = open_shared(all, "/proc/self/exe");

	assert_ptr_equal(first, second);
	assert_int_equal(images_count(all), 1);
	assert_ptr_equal(image_symbols(first), image_symbols(second));
	assert_ptr_equal(image_unwind(first), image_unwind(second));
	image_close(first);
	images_free(all);
	assert_non_null(symtab_named(image_symbols(second), "main"));
	assert_true(image_unwind(second)->rows.count > 0);
	image_close(second);
}

static void a_file_that_was_changed_is_another_one(void **state)
{
	struct timespec later[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = 1000 } };
	struct images *all = images_new();
	char path[] = "/tmp/sonde-image-XXXXXX";
	struct image *before, *after, *replaced;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	copy_self(path);
	before = open_shared(all, path);
	assert_int_equal(utimensat(AT_FDCWD, path, later, 0), 0);
	after = open_shared(all, path);
	unlink(path);
	copy_self(path);
	replaced = open_shared(all, path);
	unlink(path);
	assert_int_equal(images_count(all), 3);
	images_free(all);
	assert_non_null(symtab_named(image_symbols(before), "main"));
	image_close(before);
	assert_non_null(symtab_named(image_symbols(after), "main"));
	image_close(after);
	assert_non_null(symtab_named(image_symbols(replaced), "main"));
	image_close(replaced);
}

static void what_cannot_be_opened_is_not_kept(void **state)
{
	struct images *all = images_new();
	struct image *image;
	struct error err = { "" };

	assert_int_equal(images_open(all, "/nowhere/at/all", "gone", &image, &err), -ENOENT);
	assert_int_equal(images_open(all, "/dev/null", "null", &image, &err), -EINVAL);
	assert_int_equal(images_open(all, "/etc/passwd", "text", &image, &err), -EINVAL);
	assert_int_equal(images_count(all), 0);
	images_free(all);
}

static void nothing_is_shared_without_images(void **state)
{
	struct image *first = open_shared(NULL, "/proc/self/exe");
	struct image *second = open_shared(NULL, "/proc/self/exe");

	assert_ptr_not_equal(first, second);
	image_close(first);
	image_close(second);
}

static void a_file_cut_anywhere_gives_no_more_than_an_error(void **state)
{
	struct image *image = open_self(), *cut;
	AUTO_FREE char *bytes = mem_zeroed(1, 64 << 20);
	size_t size = image_read(image, 0, bytes, 64 << 20);

	for (size_t at = 0; at < size; at += at < 4096 ? 61 : size / 50) {
		struct error err = { "" };

		if (image_open_memory(bytes, at, "cut", &cut, &err)) {
			assert_int_not_equal(err.text[0], 0);
			continue;
		}
		image_imports(cut, "*x*");
		image_defines(cut, "nothing*");
		image_needed(cut, 0);
		image_close(cut);
	}
	image_close(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_regular_elf_files_of_this_machine_are_opened),
		cmocka_unit_test(a_fifo_does_not_hang_it),
		cmocka_unit_test(code_for_another_machine_is_named_so),
		cmocka_unit_test(offsets_and_addresses_convert_as_the_loader_maps),
		cmocka_unit_test(what_no_segment_loads_has_no_address),
		cmocka_unit_test(the_build_id_is_the_one_readelf_shows),
		cmocka_unit_test(imports_definitions_and_libraries_are_found),
		cmocka_unit_test(imports_are_found_without_section_headers),
		cmocka_unit_test(a_file_is_opened_and_read_once),
		cmocka_unit_test(a_file_that_was_changed_is_another_one),
		cmocka_unit_test(what_cannot_be_opened_is_not_kept),
		cmocka_unit_test(nothing_is_shared_without_images),
		cmocka_unit_test(a_file_cut_anywhere_gives_no_more_than_an_error),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
