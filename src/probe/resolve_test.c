#include "probe/probe.h"

#include "probe/match.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <errno.h>

#define KEPT __attribute__((noinline, noclone, used))

/* What is looked for, in the test's own program. */
KEPT int plain_function(int x);
KEPT int patched_function(int x);
KEPT int overloaded_int(int x) __asm__("_ZN4shop4overEi");
KEPT int overloaded_double(double x) __asm__("_ZN4shop4overEd");
int twin_caller(int x);

int plain_function(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

int patched_function(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 3;
}

int overloaded_int(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 4;
}

int overloaded_double(double x)
{
	__asm__ volatile("" : "+x"(x));
	return x + 5;
}

KEPT static int twin(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static pid_t child;
static struct code code;

static void patch(void *function)
{
	uintptr_t page = (uintptr_t)function & ~4095ul;

	mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
	*(uint8_t *)function ^= 0x55;
}

/* A child of ourselves is the target: sonde does not look at itself. */
static int start(void **state)
{
	int ready[2];
	char byte;
	struct target target = { 0 };
	struct error err = { "" };
	struct process p;

	if (pipe(ready))
		return -1;
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		patch(patched_function);
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(twin(1) + twin_caller(2));
	}
	if (read(ready[0], &byte, 1) != 1 || process_read(child, &p, &err))
		return -1;
	array_push(&target.processes, p);
	if (code_open(&target, NULL, &code, &err)) {
		print_error("%s\n", err.text);
		return -1;
	}
	target_done(&target);
	return 0;
}

static int stop(void **state)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	code_done(&code);
	return 0;
}

static void a_function_is_found_once(void **state)
{
	struct probe p = { 0 };
	struct error err = { "" };

	assert_int_equal(probe_resolve(&code, "plain_function", EXIT_WISH_AUTO, &p, &err), 0);
	assert_int_equal(p.functions.count, 1);
	assert_string_equal(p.functions.at[0].name, "plain_function");
	assert_string_equal(p.function, "plain_function");
	assert_true(p.functions.at[0].checked);
	assert_true(p.functions.at[0].size > 0);
	assert_ptr_equal(p.functions.at[0].image, code.at[0].image);
	assert_null(p.note);
	probe_done(&p);
	assert_int_equal(probe_resolve(&code, "resolve_test:plain_function", EXIT_WISH_AUTO, &p,
				       &err),
			 0);
	probe_done(&p);
}

static void neighbours_spellings_mean_the_same(void **state)
{
	static const char *const same[] = { "=plain_function", "plain_function%return",
					    "plain_f*", "/^plain_func/", "plain_function+0" };
	struct probe first = { 0 };
	struct error err = { "" };

	assert_int_equal(probe_resolve(&code, "plain_function", EXIT_WISH_AUTO, &first, &err),
			 0);
	for (unsigned i = 0; i < COUNT_OF(same); i++) {
		struct probe p = { 0 };

		if (probe_resolve(&code, same[i], EXIT_WISH_AUTO, &p, &err))
			fail_msg("'%s': %s", same[i], err.text);
		assert_int_equal(p.functions.count, 1);
		assert_int_equal(p.functions.at[0].entry, first.functions.at[0].entry);
		probe_done(&p);
	}
	probe_done(&first);
}

static void an_address_names_a_function(void **state)
{
	struct probe p = { 0 }, by_address = { 0 };
	AUTO_FREE char *text = NULL;
	struct error err = { "" };

	assert_int_equal(probe_resolve(&code, "plain_function", EXIT_WISH_AUTO, &p, &err), 0);
	text = mem_format("resolve_test:0x%lx", (unsigned long)p.functions.at[0].address);
	if (probe_resolve(&code, text, EXIT_WISH_AUTO, &by_address, &err))
		fail_msg("%s", err.text);
	assert_int_equal(function_entry(&by_address.functions.at[0])->offset,
			 function_entry(&p.functions.at[0])->offset);
	probe_done(&p);
	probe_done(&by_address);
	assert_int_equal(probe_resolve(&code, "resolve_test:0x1", EXIT_WISH_AUTO, &p, &err),
			 -ENOENT);
}

static void two_functions_of_a_name_are_listed(void **state)
{
	struct probe p = { 0 };
	struct error err = { "" };
	const char *at;

	assert_int_equal(probe_resolve(&code, "twin", EXIT_WISH_AUTO, &p, &err), -ENOTUNIQ);
	assert_true(probe_error_is_use(-ENOTUNIQ));
	assert_non_null(strstr(err.text, "any of 2 functions"));
	/* what is listed can be given back */
	at = strstr(err.text, "resolve_test:0x");
	assert_non_null(at);
	if (at) {
		AUTO_FREE char *text = mem_text_part(at, strcspn(at, " "));

		assert_int_equal(probe_resolve(&code, text, EXIT_WISH_AUTO, &p, &err), 0);
		assert_string_equal(p.functions.at[0].symbol, "twin");
		probe_done(&p);
	}
}

static void an_overload_has_to_be_chosen(void **state)
{
	struct probe p = { 0 };
	struct error err = { "" };

	assert_int_equal(probe_resolve(&code, "shop::over", EXIT_WISH_AUTO, &p, &err),
			 -ENOTUNIQ);
	assert_non_null(strstr(err.text, "shop::over(int)"));
	assert_non_null(strstr(err.text, "shop::over(double)"));
	assert_int_equal(probe_resolve(&code, "shop::over( int )", EXIT_WISH_AUTO, &p, &err),
			 0);
	assert_string_equal(p.functions.at[0].symbol, "_ZN4shop4overEi");
	probe_done(&p);
	assert_int_equal(probe_resolve(&code, "shop::*", EXIT_WISH_AUTO, &p, &err), 0);
	assert_int_equal(p.functions.count, 2);
	assert_non_null(p.note);
	probe_done(&p);
}

static void near_names_are_offered(void **state)
{
	struct probe p = { 0 };
	struct error err = { "" };

	assert_int_equal(probe_resolve(&code, "plain_funktion", EXIT_WISH_AUTO, &p, &err),
			 -ENOENT);
	assert_non_null(strstr(err.text, "no function 'plain_funktion' in resolve_test"));
	assert_non_null(strstr(err.text, "near: plain_function"));
	assert_non_null(strstr(err.text, "sonde list -p "));
	assert_non_null(strstr(err.text, "'plai*'"));
	assert_int_equal(probe_resolve(&code, "nolib:x", EXIT_WISH_AUTO, &p, &err), -ENOENT);
	assert_non_null(strstr(err.text, "no image 'nolib'"));
	assert_int_equal(probe_resolve(&code, "over(int)", EXIT_WISH_AUTO, &p, &err), -ENOENT);
	assert_non_null(strstr(err.text, "shop::over"));
}

static void changed_code_is_not_probed(void **state)
{
	struct probe p = { 0 };
	struct error err = { "" };

	assert_int_equal(probe_resolve(&code, "patched_function", EXIT_WISH_AUTO, &p, &err),
			 -ESTALE);
	assert_non_null(strstr(err.text, "patched at run time"));
}

static void an_ifunc_is_not_picked_from(void **state)
{
	struct probe p = { 0 };
	struct error err = { "" };
	int ret = probe_resolve(&code, "c:memcpy", EXIT_WISH_AUTO, &p, &err);

	if (!ret) { /* a C library without versions of it */
		probe_done(&p);
		skip();
	}
	assert_int_equal(ret, -ENOTSUP);
	assert_non_null(strstr(err.text, "IFUNC"));
}

static void who_keeps_its_return_address_is_not_hooked(void **state)
{
	static const char *const keeping[] = { "resolve_test:_start", "c:vfork", "c:_setjmp",
					       "c:dlsym" };

	for (unsigned i = 0; i < COUNT_OF(keeping); i++) {
		struct probe p = { 0 };
		struct error err = { "" };

		/* a C library may lack one */
		if (probe_resolve(&code, keeping[i], EXIT_WISH_HOOK, &p, &err))
			continue;
		if (p.judgement.exit != EXIT_NONE)
			fail_msg("'%s' would be hooked", keeping[i]);
		assert_false(probe_has_end(&p, &err));
		probe_done(&p);
		if (probe_resolve(&code, keeping[i], EXIT_WISH_AUTO, &p, &err))
			continue;
		if (p.judgement.exit == EXIT_HOOK || p.functions.at[0].exit == EXIT_HOOK)
			fail_msg("'%s' would be hooked by choice", keeping[i]);
		probe_done(&p);
	}
}

static void every_way_to_see_an_end_has_its_words(void **state)
{
	for (unsigned i = 0; i < NR_PROBE_EXIT; i++) {
		assert_non_null(endings[i].name);
		assert_non_null(endings[i].phrase);
		assert_ptr_equal(ending_of(i), &endings[i]);
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(endings[i].name, endings[k].name);
		if (endings[i].wish)
			assert_int_equal(ending_wished(endings[i].wish), i);
	}
	assert_ptr_equal(ending_of(77), &endings[EXIT_NONE]);
	assert_int_equal(ending_wished(EXIT_WISH_UNSET), EXIT_NONE);
	assert_int_equal(ending_wished(EXIT_WISH_AUTO), EXIT_NONE);
}

static void a_wish_is_heard(void **state)
{
	struct probe p = { 0 };
	struct error err = { "" };

	assert_int_equal(probe_resolve(&code, "plain_function", EXIT_WISH_HOOK, &p, &err), 0);
	/* a sanitizer's runtime can throw: then the sentence is the hook's */
	assert_true(p.judgement.exit == EXIT_HOOK || strstr(p.judgement.reason, "return hook"));
	assert_int_equal(p.functions.at[0].sites.count, 1);
	assert_int_equal(function_entry(&p.functions.at[0])->role, SITE_ENTRY);
	probe_done(&p);
	assert_int_equal(probe_resolve(&code, "plain_function", EXIT_WISH_BRACKET, &p, &err),
			 0);
	assert_int_equal(p.judgement.exit, EXIT_BRACKET);
	assert_true(probe_has_end(&p, &err));
	assert_int_equal(p.functions.at[0].sites.count, 1);
	assert_int_equal(function_entry(&p.functions.at[0])->role, SITE_ENTRY);
	probe_done(&p);
}

static void exits_are_sites_behind_the_entry(void **state)
{
	struct probe p = { 0 };
	struct error err = { "" };
	const struct probe_function *f;
	const uint8_t *insn;
	uint32_t exits = 0;

	if (probe_resolve(&code, "plain_function", EXIT_WISH_RET, &p, &err))
		fail_msg("%s", err.text);
	assert_int_equal(p.judgement.exit, EXIT_SITES);
	f = &p.functions.at[0];
	assert_true(f->checked);
	for (uint32_t i = 0; i < f->sites.count; i++) {
		const struct site *s = &f->sites.at[i];

		assert_int_equal(i == 0, s->role != SITE_EXIT);
		assert_true(s->offset >= f->entry && s->offset < f->entry + f->size);
		assert_true(cfa_is_plain(s->cfa));
		/* where the thread goes on is told behind an entry, and of a plain ret */
		insn = (const uint8_t *)plain_function + (s->offset - f->entry);
		if (s->role == SITE_EXIT)
			assert_int_equal(s->length, *insn == 0xc3);
		else
			assert_true(s->length > 0);
		exits += s->role != SITE_ENTRY;
	}
	assert_true(exits > 0);
	probe_done(&p);
	/* its first byte is not what the file says: nor is any exit probed */
	assert_int_equal(probe_resolve(&code, "patched_function", EXIT_WISH_RET, &p, &err),
			 -ESTALE);
	for (unsigned at = 1; at < 8 && !p.functions.count; at++) {
		AUTO_FREE char *text = mem_format("plain_function+%u", at);

		/* into an instruction: refused for that */
		if (probe_resolve(&code, text, EXIT_WISH_RET, &p, &err))
			assert_non_null(strstr(err.text, "start of an instruction"));
	}
	assert_false(probe_has_end(&p, &err));
	assert_non_null(strstr(err.text, "no exits of its own"));
	probe_done(&p);
}

/* Of two C functions, one has a conditional jump before its only ret, one has not. */
static void the_hook_is_for_exits_that_are_dear(void **state)
{
	struct error err = { "" };
	struct probe p = { 0 };
	uint32_t hooked = 0, plain = 0;

	if (probe_resolve(&code, "c:str*", EXIT_WISH_AUTO, &p, &err))
		fail_msg("%s", err.text);
	for (uint32_t i = 0; i < p.functions.count; i++) {
		const struct probe_function *f = &p.functions.at[i];
		struct probe_price price = function_price(f);

		hooked += f->exit == EXIT_HOOK;
		plain += f->exit == EXIT_SITES && price.exit != INSN_STEPPED;
		if (f->exit == EXIT_HOOK && price.entry == INSN_STEPPED) {
			/* then the exits are dearer still, or there are none */
			assert_int_equal(f->sites.count, 1);
			assert_int_equal(f->sites.at[0].role, SITE_ENTRY);
		}
	}
	assert_true(plain > 0);
	/* this program's own runtime may be a sanitizer's, which walks stacks */
	if (p.judgement.exit == EXIT_SITES && p.note && strstr(p.note, "by return hook"))
		assert_true(hooked > 0);
	else
		assert_int_equal(hooked, 0);
	probe_done(&p);
}

static void a_pattern_says_what_it_leaves_out(void **state)
{
	static const enum exit_wish wishes[] = { EXIT_WISH_HOOK, EXIT_WISH_RET };
	struct error err = { "" };

	for (unsigned i = 0; i < COUNT_OF(wishes); i++) {
		struct probe p = { 0 };

		if (probe_resolve(&code, "/^(plain|patched)_function$/", wishes[i], &p, &err))
			fail_msg("%s", err.text);
		assert_int_equal(p.functions.count, 1);
		assert_string_equal(p.left_out,
				    "1 left out: patched_function (its code in memory is not "
				    "what the file holds)");
		probe_done(&p);
	}
	assert_int_equal(probe_resolve(&code, "/^patched_function$/", EXIT_WISH_RET,
				       &(struct probe){ 0 }, &err),
			 -EADDRNOTAVAIL);
	assert_non_null(strstr(err.text, "patched_function"));
}

static void the_middle_of_an_instruction_is_refused(void **state)
{
	struct probe p = { 0 };
	struct error err = { "" };
	unsigned found = 0;

	for (unsigned at = 0; at < 8; at++) {
		AUTO_FREE char *text = mem_format("plain_function+%u", at);
		int ret = probe_resolve(&code, text, EXIT_WISH_AUTO, &p, &err);

		if (ret) {
			assert_int_equal(ret, -EADDRNOTAVAIL);
			continue;
		}
		found++;
		probe_done(&p);
	}
	assert_true(found > 0 && found < 8);
}

static void a_set_numbers_its_probes(void **state)
{
	struct probe_set set = { 0 };
	struct error err = { "" };

	assert_int_equal(probe_set_add(&set, 1, &code, "plain_function", EXIT_WISH_AUTO, &err),
			 0);
	assert_int_equal(probe_set_add(&set, 2, &code, "shop::*", EXIT_WISH_AUTO, &err), 0);
	assert_int_equal(probe_set_add(&set, 3, &code, "shop::*", EXIT_WISH_AUTO, &err),
			 -EEXIST);
	assert_int_equal(set.count, 2);
	assert_int_equal(set.at[1].id, 2);
	/* a function belongs to the first */
	assert_int_equal(probe_set_add(&set, 4, &code, "plain_f*", EXIT_WISH_AUTO, &err),
			 -EEXIST);
	assert_non_null(strstr(err.text, "is watched by 'plain_function'"));
	assert_int_equal(probe_set_add(&set, 5, &code, "/^(plain_function|twin_caller)$/",
				       EXIT_WISH_AUTO, &err),
			 0);
	assert_int_equal(set.at[2].functions.count, 1);
	assert_non_null(strstr(set.at[2].note, "1 belongs to 'plain_function'"));
	probe_set_done(&set);
}

static void a_place_is_looked_up_in_other_code(void **state)
{
	struct probe_set set = { 0 };
	struct code none;
	struct error err = { "" };

	assert_int_equal(code_open_file("/proc/self/exe", &none, &err), 0);
	assert_int_equal(probe_set_add(&set, 7, &code, "plain_function", EXIT_WISH_AUTO, &err),
			 0);
	assert_int_equal(probe_set_extend(&set, 7, &none, &err), 1);
	assert_int_equal(set.at[0].functions.count, 2);
	assert_string_equal(set.at[0].functions.at[1].symbol, "plain_function");
	assert_int_equal(probe_set_extend(&set, 7, &none, &err), 0);
	assert_int_equal(probe_set_extend(&set, 7, &code, &err), 0);
	probe_set_shrink(&set, 7, 1);
	assert_int_equal(set.at[0].functions.count, 1);
	assert_int_equal(probe_set_extend(&set, 7, &none, &err), 1);
	code_done(&none);
	assert_int_equal(code_open_file("/bin/true", &none, &err), 0);
	assert_int_equal(probe_set_extend(&set, 7, &none, &err), -ENOENT);
	assert_int_equal(set.at[0].functions.count, 2);
	code_done(&none);
	probe_set_done(&set);
}

static void clones_are_told_from_their_function(void **state)
{
	assert_int_equal(match_base_length("f.isra.0"), 1);
	assert_int_equal(match_base_length("f.constprop.0.isra.0"), 1);
	assert_int_equal(match_base_length("f.part.12.cold"), 1);
	assert_int_equal(match_base_length("f.lto_priv.0"), 1);
	assert_int_equal(match_base_length("f.c"), 3);
	assert_int_equal(match_base_length(".hidden"), 7);
	assert_int_equal(match_base_length(""), 0);
	assert_true(match_is_clone("f.isra.0"));
	assert_true(match_is_clone("f.lto_priv.0.isra.0"));
	assert_false(match_is_clone("f.lto_priv.0"));
	assert_true(match_is_cold("f.part.0.cold"));
	assert_false(match_is_cold("f.coldness_not"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_is_found_once),
		cmocka_unit_test(neighbours_spellings_mean_the_same),
		cmocka_unit_test(an_address_names_a_function),
		cmocka_unit_test(two_functions_of_a_name_are_listed),
		cmocka_unit_test(an_overload_has_to_be_chosen),
		cmocka_unit_test(near_names_are_offered),
		cmocka_unit_test(changed_code_is_not_probed),
		cmocka_unit_test(an_ifunc_is_not_picked_from),
		cmocka_unit_test(who_keeps_its_return_address_is_not_hooked),
		cmocka_unit_test(every_way_to_see_an_end_has_its_words),
		cmocka_unit_test(a_wish_is_heard),
		cmocka_unit_test(exits_are_sites_behind_the_entry),
		cmocka_unit_test(the_hook_is_for_exits_that_are_dear),
		cmocka_unit_test(a_pattern_says_what_it_leaves_out),
		cmocka_unit_test(the_middle_of_an_instruction_is_refused),
		cmocka_unit_test(a_set_numbers_its_probes),
		cmocka_unit_test(a_place_is_looked_up_in_other_code),
		cmocka_unit_test(clones_are_told_from_their_function),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, start, stop);
}
