#include "name/kallsyms.h"

#include "base/array.h"
#include "base/clock.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int load(const char *content, struct kallsyms **ret, struct error *err)
{
	char path[] = "/tmp/sonde-kallsyms-XXXXXX";
	int fd = mkstemp(path), r;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, strlen(content)), strlen(content));
	close(fd);
	r = kallsyms_load(path, ret, err);
	unlink(path);
	return r;
}

static void check(const struct kallsyms *k, uint64_t address, const char *name,
		  const char *module, uint64_t start, uint64_t length)
{
	uint64_t got_start, got_length;
	const char *got_module,
		*got = kallsyms_find(k, address, &got_start, &got_length, &got_module);

	assert_non_null(got);
	assert_string_equal(got, name);
	assert_string_equal(got_module, module);
	assert_int_equal(got_start, start);
	assert_int_equal(got_length, length);
}

static void functions_are_found_by_address(void **state)
{
	uint64_t start, length;
	struct error err = { "" };
	const char *module;
	struct kallsyms *k;

	assert_int_equal(load("ffffffffc0201000 t nft_do_chain\t[nf_tables]\n"
			      "ffffffff81000000 T _stext\n"
			      "ffffffff81000000 t startup\n"
			      "ffffffff81000100 t local_one\n"
			      "ffffffff81000100 T __global_one\n"
			      "ffffffff81000100 W weak_one\n"
			      "ffffffff81000180 d not_code\n"
			      "ffffffff81000200 T last_one\n"
			      "ffffffffc0201040 t nft_other\t[nf_tables]\n"
			      "ffffffffc0301000 t other\t[second]",
			      &k, &err),
			 0);
	assert_int_equal(kallsyms_count(k), 6);
	check(k, 0xffffffff81000000, "_stext", "", 0xffffffff81000000, 0x100);
	check(k, 0xffffffff810001ff, "__global_one", "", 0xffffffff81000100, 0x100);
	check(k, 0xffffffff81000200, "last_one", "", 0xffffffff81000200, KALLSYMS_SIZE_MAX);
	check(k, 0xffffffffc020103f, "nft_do_chain", "nf_tables", 0xffffffffc0201000, 0x40);
	check(k, 0xffffffffc0201040, "nft_other", "nf_tables", 0xffffffffc0201040, 0xfffc0);
	check(k, 0xffffffffc0301000, "other", "second", 0xffffffffc0301000, KALLSYMS_SIZE_MAX);
	/* the gap between the kernel and its modules is nobody's */
	assert_null(kallsyms_find(k, 0xffffffff90000000, &start, &length, &module));
	assert_null(kallsyms_find(k, 0, &start, &length, &module));
	assert_null(kallsyms_find(k, UINT64_MAX, &start, &length, &module));
	kallsyms_free(k);
}

static void hidden_addresses_are_said_with_the_way_out(void **state)
{
	struct error err = { "" };
	struct kallsyms *k;

	assert_int_equal(load("0000000000000000 T _stext\n0000000000000000 t a\n", &k, &err),
			 -EPERM);
	assert_non_null(strstr(err.text, "kernel.kptr_restrict"));
	assert_non_null(strstr(err.text, "CAP_SYSLOG"));
	assert_int_equal(kallsyms_load("/nowhere/kallsyms", &k, &err), -ENOENT);
	assert_int_equal(load("", &k, &err), -EINVAL);
}

static void broken_lines_are_passed_over(void **state)
{
	static const char *const lines[] = {
		"\n\n\n",
		"zz T a\n",
		"ffffffff81000000\n",
		"ffffffff81000000 T\n",
		"ffffffff81000000 T \n",
		"ffffffff81000000 T \t[m]\n",
		"fffffffffffffffffffff T a",
		"ffffffff81000000 d a\n",
		" ",
	};

	for (unsigned i = 0; i < COUNT_OF(lines); i++) {
		struct kallsyms *k;

		assert_true(load(lines[i], &k, NULL) < 0);
	}
}

static void a_broken_module_is_no_module(void **state)
{
	struct kallsyms *k;

	assert_int_equal(load("10 t a\t[\n20 t b\t[]\n30 t c\t[m\n40 t d\t[m]\n50 t e\t[m]x\n",
			      &k, NULL),
			 0);
	check(k, 0x10, "a", "", 0x10, 0x10);
	check(k, 0x20, "b", "", 0x20, 0x10);
	check(k, 0x30, "c", "", 0x30, 0x10);
	check(k, 0x40, "d", "m", 0x40, 0x10);
	check(k, 0x50, "e", "m", 0x50, KALLSYMS_SIZE_MAX);
	kallsyms_free(k);
}

/* Every function of the running kernel is found where its file says. */
static void the_running_kernel_is_read(void **state)
{
	FILE *f = fopen(KALLSYMS_PATH, "r");
	unsigned compared = 0;
	struct error err = { "" };
	struct kallsyms *k;
	char line[4096];
	int r = kallsyms_load(KALLSYMS_PATH, &k, &err);

	if (!f || r) {
		print_message("# %s\n", err.text);
		skip();
	}
	while (fgets(line, sizeof(line), f)) {
		uint64_t address, start, length;
		const char *module;
		char name[4000], type;

		if (sscanf(line, "%lx %c %3999s", &address, &type, name) != 3 ||
		    !strchr("tT", type) || strstr(line, "[bpf]") || strstr(line, "[__builtin"))
			continue; /* programs come and go meanwhile */
		assert_non_null(kallsyms_find(k, address, &start, &length, &module));
		assert_int_equal(start, address);
		compared++;
	}
	fclose(f);
	assert_true(compared > 10000);
	kallsyms_free(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_found_by_address),
		cmocka_unit_test(hidden_addresses_are_said_with_the_way_out),
		cmocka_unit_test(broken_lines_are_passed_over),
		cmocka_unit_test(a_broken_module_is_no_module),
		cmocka_unit_test(the_running_kernel_is_read),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
