/*
 * scene_loading - calls while libraries come and go; functions with two names, with a
 * name that the loader fills in, with values in wide registers.
 *
 * The libraries are those of the target newcode.
 */
#include "scene.h"
#include "target/library.h"

#include <dlfcn.h>
#include <stdlib.h>

typedef void (*action)(void);

static void *library_function(void *library, const char *name)
{
	void *address = dlsym(library, name);

	if (!address)
		exit(4);
	return address;
}

/* ------------------------------------------------- a library that does no harm */

KEPT int w_dlopen_call(int (*call)(int), int value);
KEPT int w_dlopen_call(int (*call)(int), int value)
{
	int result;

	scene_entered();
	result = call(value);
	SCENE_STAYS(result);
	return result + 1;
}

KEPT int w_dlopen(int value);
KEPT int w_dlopen(int value)
{
	void *library;
	int (*call)(int), result;

	scene_entered();
	library = library_open("../target/libnewcode_plain.so");
	*(void **)&call = library_function(library, "newcode_plain");
	result = w_dlopen_call(call, value);
	dlclose(library);
	return result;
}

static void play_dlopen(unsigned round)
{
	printf(" %d", w_dlopen((int)round));
}

/* --------------------------------------------- one that throws through the calls */

KEPT uint64_t w_through(action inside)
{
	scene_entered();
	if (inside)
		inside();
	return 1;
}

static void throw_through(void *library, unsigned round)
{
	int (*guard)(uint64_t(*call)(action), action inside);
	action thrower;

	*(void **)&guard = library_function(library, "newcode_guard");
	*(void **)&thrower = library_function(library, "newcode_throw");
	printf(" %d", guard(w_through, round % 3 ? thrower : NULL));
}

/* With it the C++ library comes and goes. */
static void play_throws(unsigned round)
{
	void *library;

	printf(" %d", (int)w_through(NULL));
	library = library_open("../target/libnewcode_throws.so");
	throw_through(library, round);
	dlclose(library);
}

static void play_throws_late(unsigned round)
{
	static void *library;

	printf(" %d", (int)w_through(NULL));
	if (round == 100)
		library = library_open("../target/libnewcode_throws.so");
	if (library)
		throw_through(library, round);
}

/* ------------------------------------------------------- one code, several names */

KEPT unsigned w_alias(unsigned value);
KEPT unsigned w_alias(unsigned value)
{
	scene_entered();
	return value * 3;
}

unsigned w_alias_other(unsigned value) __attribute__((alias("w_alias"), copy(w_alias)));

static void play_alias(unsigned round)
{
	printf(" %u %u", w_alias(round), w_alias_other(round + 1));
}

KEPT static unsigned ifunc_here(unsigned value)
{
	scene_entered();
	return value + 7;
}

static unsigned (*ifunc_choose(void))(unsigned)
{
	return ifunc_here;
}

unsigned w_ifunc(unsigned value) __attribute__((ifunc("ifunc_choose")));

static void play_ifunc(unsigned round)
{
	printf(" %u", w_ifunc(round));
}

/* ---------------------------------------------------------------- wide registers */

typedef double wide __attribute__((vector_size(32)));

/* All vector registers that arguments come in, and the widest that results go out in;
 * what lies below the stack pointer is its own as well. */
__attribute__((target("avx"))) KEPT wide w_vector(wide a, wide b, wide c, wide d, wide e,
						  wide f, wide g, wide h);
__attribute__((target("avx"))) KEPT wide w_vector(wide a, wide b, wide c, wide d, wide e,
						  wide f, wide g, wide h)
{
	volatile wide below = a - b;

	scene_entered();
	return (a + b * c) * (d - e) + (f * g - h) + below;
}

KEPT long double w_vector_long(long double a, double b);
KEPT long double w_vector_long(long double a, double b)
{
	scene_entered();
	return a / b + b;
}

__attribute__((target("avx"))) static void print_wide(unsigned round)
{
	wide v[8], result;

	for (unsigned i = 0; i < 8; i++)
		v[i] = (wide){ round + i, round * 0.5 - i, i * 1.25, round / (i + 1.0) };
	result = w_vector(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
	printf(" %a %a %a %a", result[0], result[1], result[2], result[3]);
}

static void play_vector(unsigned round)
{
	if (__builtin_cpu_supports("avx"))
		print_wide(round);
	printf(" %La", w_vector_long(round, round * 0.125 + 1));
}

static const struct scene scenes[] = {
	{ "dlopen", play_dlopen, 0 },
	{ "throws", play_throws, 0 },
	{ "throws_late", play_throws_late, 0 },
	{ "alias", play_alias, 0 },
	{ "ifunc", play_ifunc, 0 },
	{ "vector", play_vector, 0 },
	{ 0 },
};

int main(int argc, char **argv)
{
	return scene_main(argc, argv, scenes);
}
