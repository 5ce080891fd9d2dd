#include "probe/place.h"

#include "base/array.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

struct wanted {
	const char *text;
	enum place_kind kind;
	const char *image, *name, *parameters;
	bool glob, has_offset;
	uint64_t offset;
};

static const struct wanted good[] = {
	{ "handle", PLACE_FUNC, NULL, "handle" },
	{ "c:read", PLACE_FUNC, "c", "read" },
	{ "/usr/lib/libx.so.1:read", PLACE_FUNC, "/usr/lib/libx.so.1", "read" },
	{ "../bin/x:f", PLACE_FUNC, "../bin/x", "f" },
	{ "ns::C::f", PLACE_FUNC, NULL, "ns::C::f" },
	{ "img:ns::C::f", PLACE_FUNC, "img", "ns::C::f" },
	{ "f(int)", PLACE_FUNC, NULL, "f", "(int)" },
	{ "C::f(ns::T*, void (*)(int)) const", PLACE_FUNC, NULL, "C::f",
	  "(ns::T*, void (*)(int)) const" },
	{ "C::operator()", PLACE_FUNC, NULL, "C::operator()" },
	{ "C::operator()(int)", PLACE_FUNC, NULL, "C::operator()", "(int)" },
	{ "(anonymous namespace)::f", PLACE_FUNC, NULL, "(anonymous namespace)::f" },
	{ "C::operator*", PLACE_FUNC, NULL, "C::operator*" },
	{ "C::operator[]", PLACE_FUNC, NULL, "C::operator[]" },
	{ "C::operator+", PLACE_FUNC, NULL, "C::operator+" },
	{ "std::*sort*", PLACE_FUNC, NULL, "std::*sort*", NULL, true },
	{ "x:handle_?", PLACE_FUNC, "x", "handle_?", NULL, true },
	{ "/^ha.*le$/", PLACE_REGEX, NULL, "^ha.*le$" },
	{ "/a:b/", PLACE_REGEX, NULL, "a:b" },
	{ "c:/^re/", PLACE_REGEX, "c", "^re" },
	{ "=_ZN1C1fEv", PLACE_SYMBOL, NULL, "_ZN1C1fEv" },
	{ "c:=read", PLACE_SYMBOL, "c", "read" },
	{ "f+16", PLACE_FUNC, NULL, "f", NULL, false, true, 16 },
	{ "x:f+0x1f", PLACE_FUNC, "x", "f", NULL, false, true, 31 },
	{ "x:0x401000", PLACE_ADDRESS, "x", NULL, NULL, false, false, 0x401000 },
	{ "uprobe:/bin/x:f", PLACE_FUNC, "/bin/x", "f" },
	{ "uretprobe:/bin/x:f", PLACE_FUNC, "/bin/x", "f" },
	{ "r:c:f", PLACE_FUNC, "c", "f" },
	{ "p:c:f", PLACE_FUNC, "c", "f" },
	{ "r:f", PLACE_FUNC, "r", "f" },
	{ "f%return", PLACE_FUNC, NULL, "f" },
	{ "fn_96890~ngx_http_write_filter", PLACE_FUNC, NULL, "fn_96890" },
	{ "nginx:fn_96890~std::f(int)", PLACE_FUNC, "nginx", "fn_96890" },
	{ "fn_96890", PLACE_FUNC, NULL, "fn_96890" },
	{ "fn_96890~near+16", PLACE_FUNC, NULL, "fn_96890", NULL, false, true, 16 },
	{ "fn_C::~fn_C", PLACE_FUNC, NULL, "fn_C::~fn_C" },
	{ "fn_add~", PLACE_FUNC, NULL, "fn_add" },
	{ "fn_save", PLACE_FUNC, NULL, "fn_save" },
};

static void same(const char *a, const char *b)
{
	if (a && b)
		assert_string_equal(a, b);
	else
		assert_true(a == b);
}

static void places_are_understood(void **state)
{
	for (unsigned i = 0; i < COUNT_OF(good); i++) {
		const struct wanted *w = &good[i];
		struct place p = { 0 };
		struct error err = { "" };

		if (place_parse(w->text, &p, &err))
			fail_msg("'%s': %s", w->text, err.text);
		if (p.kind != w->kind || p.glob != w->glob || p.has_offset != w->has_offset ||
		    p.offset != w->offset)
			fail_msg("'%s': kind %d glob %d offset %d %lu", w->text, p.kind, p.glob,
				 p.has_offset, (unsigned long)p.offset);
		same(p.image, w->image);
		same(p.name, w->name);
		same(p.parameters, w->parameters);
		place_done(&p);
	}
}

static void what_comes_later_is_said_so(void **state)
{
	static const char *const later[] = {
		"main.cc:1312",
		"recv@main.cc:1312",
		"tp:sched:sched_switch",
		"usdt:libc:setjmp",
		"a..b",
		"kprobe:vfs_read",
		"tracepoint:x:y",
	};

	for (unsigned i = 0; i < COUNT_OF(later); i++) {
		struct place p;
		struct error err = { "" };

		assert_int_equal(place_parse(later[i], &p, &err), -ENOTSUP);
		assert_non_null(strstr(err.text, "not in this version yet"));
		assert_non_null(strstr(err.text, later[i]));
	}
}

static void nonsense_is_refused(void **state)
{
	static const char *const bad[] = { "",	   ":f",     "c:",   "=",      "c:=",
					   "x:0x", "x:0xzz", "f*+4", "x:0x1g", "//" };

	for (unsigned i = 0; i < COUNT_OF(bad); i++) {
		struct place p;
		struct error err = { "" };
		int ret = place_parse(bad[i], &p, &err);

		if (ret != -EINVAL)
			fail_msg("'%s' gives %d", bad[i], ret);
		assert_true(strlen(err.text) > 0);
	}
}

static void any_short_text_is_survived(void **state)
{
	static const char letters[] = "f:/+=*(0)x.@ ";
	char text[6] = "";

	for (unsigned n = 0; n < 13 * 13 * 13 * 13 * 13; n++) {
		struct place p;
		struct error err;

		for (unsigned i = 0, v = n; i < 5; i++, v /= 13)
			text[i] = letters[v % 13];
		if (!place_parse(text, &p, &err))
			place_done(&p);
	}
}

static void images_are_known_by_short_names(void **state)
{
	assert_true(place_is_image("c", "/lib/x86_64-linux-gnu/libc.so.6"));
	assert_true(place_is_image("libc", "/lib/libc.so.6"));
	assert_true(place_is_image("libc.so.6", "/lib/libc.so.6"));
	assert_true(place_is_image("c", "/lib/libc-2.31.so"));
	assert_true(place_is_image("/lib/libc.so.6", "/lib/libc.so.6"));
	assert_true(place_is_image("redis-server", "/usr/bin/redis-server"));
	assert_true(place_is_image("lib*", "/lib/libm.so.6"));
	assert_true(place_is_image("libz.so.1", "/lib/libz.so.1.2.13"));
	assert_true(place_is_image("libz.so.1.2", "/lib/libz.so.1.2.13"));
	assert_true(place_is_image("libz.so", "/lib/libz.so.1.2.13"));
	assert_false(place_is_image("libz.so.1.", "/lib/libz.so.1.2.13"));
	assert_false(place_is_image("libz.so.2", "/lib/libz.so.1.2.13"));
	assert_false(place_is_image("libz.s", "/lib/libz.so.1.2.13"));
	assert_false(place_is_image("c", "/lib/libcrypto.so.3"));
	assert_false(place_is_image("c", "/usr/bin/c2"));
	assert_false(place_is_image("/lib/libc.so", "/lib/libc.so.6"));
	assert_false(place_is_image("redis", "/usr/bin/redis-server"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_understood),
		cmocka_unit_test(what_comes_later_is_said_so),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(any_short_text_is_survived),
		cmocka_unit_test(images_are_known_by_short_names),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
