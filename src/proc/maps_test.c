#include "proc/maps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static int parse(const char *text, struct maps *m)
{
	struct error err = { "" };

	return maps_parse(text, strlen(text), m, &err);
}

static void every_kind_is_known(void **state)
{
	static const char text[] =
		"55d0c0000000-55d0c0010000 r--p 00000000 fd:01 1234                       "
		"/usr/bin/a b\n"
		"55d0c0010000-55d0c0020000 r-xp 00010000 fd:01 1234                       "
		"/usr/bin/a b\n"
		"55d0c1000000-55d0c1021000 rw-p 00000000 00:00 0                          "
		"[heap]\n"
		"7f0000000000-7f0000001000 rwxp 00000000 00:00 0 \n"
		"7f0000002000-7f0000003000 r-xs 00002000 103:0a 18446744073709551615 "
		"/tmp/x\\012y (deleted)\n"
		"7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          "
		"[stack]\n"
		"7ffc00022000-7ffc00024000 r-xp 00000000 00:00 0                          "
		"[vdso]\n"
		"7ffffffff000-7ffffffff100 --xp 00000000 00:00 0                          "
		"[uprobes]";
	static const enum map_kind kinds[] = { MAP_KIND_FILE, MAP_KIND_FILE,  MAP_KIND_OTHER,
					       MAP_KIND_JIT,  MAP_KIND_FILE,  MAP_KIND_STACK,
					       MAP_KIND_VDSO, MAP_KIND_PROBES };
	struct maps m = { 0 };

	assert_int_equal(parse(text, &m), 0);
	assert_int_equal(m.count, COUNT_OF(kinds));
	for (unsigned i = 0; i < m.count; i++)
		assert_int_equal(m.at[i].kind, kinds[i]);
	assert_string_equal(m.at[1].path, "/usr/bin/a b");
	assert_true(m.at[1].exec && m.at[1].read && !m.at[1].write && !m.at[1].shared);
	assert_int_equal(m.at[1].offset, 0x10000);
	assert_int_equal(m.at[1].major, 0xfd);
	assert_string_equal(m.at[4].path, "/tmp/x\ny");
	assert_true(m.at[4].deleted && m.at[4].shared);
	assert_true(m.at[4].inode == UINT64_MAX);
	/* /usr/bin/a b, /tmp/x and the vdso; not what can be written, nor the probes' */
	assert_true(maps_code_pages(&m) * sysconf(_SC_PAGESIZE) == 0x10000 + 0x1000 + 0x2000);
	assert_ptr_equal(maps_find(&m, 0x55d0c0010000), &m.at[1]);
	assert_ptr_equal(maps_find(&m, 0x55d0c001ffff), &m.at[1]);
	assert_null(maps_find(&m, 0x55d0c0020000));
	assert_null(maps_find(&m, 0));
	assert_null(maps_find(&m, UINT64_MAX));
	assert_ptr_equal(maps_show(&m, &m.at[0], 0x10010), &m.at[1]);
	assert_null(maps_show(&m, &m.at[0], 0x10)); /* mapped, but not to be executed */
	maps_done(&m);
}

static void a_name_in_brackets_is_a_file_when_it_has_an_inode(void **state)
{
	struct maps m = { 0 };

	assert_int_equal(parse("1000-2000 r-xp 00000000 08:01 7 /x/[vdso]\n", &m), 0);
	assert_int_equal(m.at[0].kind, MAP_KIND_FILE);
	maps_done(&m);
}

static void broken_lines_are_refused(void **state)
{
	static const char *const broken[] = {
		"\n",
		"garbage",
		"1000-2000\n",
		"2000-1000 r-xp 0 08:01 7 /x\n",
		"1000-1000 r-xp 0 08:01 7 /x\n",
		"1000-2000 r-x 0 08:01 7 /x\n",
		"1000-2000 r-xp zz 08:01 7 /x\n",
		"1000-2000 r-xp 0 0801 7 /x\n",
		"1000-3000 r-xp 0 08:01 7 /x\n2000-4000 r-xp 0 08:01 7 /x\n",
		"3000-4000 r-xp 0 08:01 7 /x\n1000-2000 r-xp 0 08:01 7 /x\n",
	};

	for (unsigned i = 0; i < COUNT_OF(broken); i++) {
		struct maps m = { 0 };

		assert_int_equal(parse(broken[i], &m), -EINVAL);
		assert_int_equal(m.count, 0);
	}
}

static void any_cut_or_changed_byte_is_survived(void **state)
{
	char text[] = "1000-2000 r-xp 00000000 08:01 7 /x\\012 (deleted)\n"
		      "7ffc00022000-7ffc00024000 r-xp 00000000 00:00 0 [vdso]\n";
	struct error err;

	for (size_t at = 0; at < sizeof(text) - 1; at++) {
		for (unsigned byte = 0; byte < 256; byte++) {
			struct maps m = { 0 };
			char old = text[at];

			text[at] = byte;
			if (!maps_parse(text, sizeof(text) - 1, &m, &err))
				maps_done(&m);
			if (!maps_parse(text, at, &m, &err))
				maps_done(&m);
			text[at] = old;
		}
	}
}

static void a_very_long_path_is_kept(void **state)
{
	AUTO_FREE char *text = mem_alloc(100000);
	struct maps m = { 0 };

	strcpy(text, "1000-2000 r-xp 00000000 08:01 7 /");
	memset(text + strlen(text), 'a', 90000);
	text[90000] = 0;
	assert_int_equal(parse(text, &m), 0);
	assert_true(strlen(m.at[0].path) > 89000);
	maps_done(&m);
}

/* Maps a file, replaces it by another of the same name, and opens the mapping. */
static void the_mapped_file_is_opened_not_its_successor(void **state)
{
	char name[] = "/tmp/sonde-maps-XXXXXX", other[64], byte = 0;
	int fd = mkstemp(name), next, opened, found;
	AUTO_FREE char *path = NULL;
	struct maps m = { 0 };
	struct error err = { "" };
	const struct map *map;
	void *at;

	assert_int_equal(write(fd, "old", 3), 3);
	at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	snprintf(other, sizeof(other), "%s.new", name);
	next = open(other, O_CREAT | O_RDWR, 0600);
	assert_int_equal(write(next, "new", 3), 3);
	assert_int_equal(rename(other, name), 0);
	assert_int_equal(maps_read(getpid(), &m, &err), 0);
	map = maps_find(&m, (uintptr_t)at);
	assert_non_null(map);
	assert_true(map->deleted);
	found = map_path(map, getpid(), &path, &err);
	if (!found) {
		opened = open(path, O_RDONLY);
		assert_int_equal(read(opened, &byte, 1), 1);
		assert_int_equal(byte, 'o');
		close(opened);
	} else {
		assert_int_equal(found, -ESTALE); /* without the right to map_files */
	}
	maps_done(&m);
	munmap(at, 4096);
	close(fd);
	close(next);
	unlink(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_is_known),
		cmocka_unit_test(a_name_in_brackets_is_a_file_when_it_has_an_inode),
		cmocka_unit_test(broken_lines_are_refused),
		cmocka_unit_test(any_cut_or_changed_byte_is_survived),
		cmocka_unit_test(a_very_long_path_is_kept),
		cmocka_unit_test(the_mapped_file_is_opened_not_its_successor),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
