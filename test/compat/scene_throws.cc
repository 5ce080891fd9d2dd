/*
 * scene_throws - calls that exceptions pass through, are caught in, are thrown again
 * from; what cleans up on the way throws too.
 */
extern "C" {
#include "scene.h"
}

#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

namespace
{
/* What a frame leaves behind when it is left: each is cleaned up once. */
struct guard {
	unsigned &count;

	explicit guard(unsigned &counter) : count(counter)
	{
	}
	~guard()
	{
		count++;
	}
};

unsigned cleaned;

struct failure : std::runtime_error {
	unsigned round;

	explicit failure(unsigned number)
	    : std::runtime_error("round " + std::to_string(number)), round(number)
	{
	}
};
} // namespace

/* ---------------------------------------------------------- through one and many */

extern "C" KEPT unsigned w_throw(unsigned value, bool falls)
{
	scene_entered();
	if (falls)
		throw failure(value);
	return value + 1;
}

static void play_throw(unsigned round)
{
	try {
		std::printf(" %u", w_throw(round, round % 3 == 0));
	} catch (const failure &f) {
		std::printf(" %s", f.what());
	}
}

extern "C" KEPT unsigned w_throw_many(unsigned depth, unsigned value)
{
	guard frame(cleaned);
	unsigned deeper;

	scene_entered();
	if (!depth)
		throw failure(value);
	deeper = w_throw_many(depth - 1, value);
	SCENE_STAYS(deeper);
	return deeper + 1;
}

static void play_throw_many(unsigned round)
{
	try {
		w_throw_many(50, round);
	} catch (const std::exception &e) {
		std::printf(" %s", e.what());
	}
	std::printf(" %u", cleaned);
}

/* -------------------------------------------------------------- caught on the way */

extern "C" KEPT unsigned w_rethrow(unsigned depth, unsigned value)
{
	scene_entered();
	try {
		if (!depth)
			throw failure(value);
		return w_rethrow(depth - 1, value) + 1;
	} catch (const failure &f) {
		std::printf(" %u", depth);
		if (depth % 2)
			throw;
		throw failure(f.round + 1);
	}
}

static void play_rethrow(unsigned round)
{
	try {
		w_rethrow(4, round);
	} catch (const failure &f) {
		std::printf(" %s", f.what());
	}
}

extern "C" KEPT unsigned w_caught_falls(unsigned value)
{
	guard frame(cleaned);

	scene_entered();
	if (value % 2)
		throw failure(value);
	return value;
}

/* Goes on, and returns, after what it called did not. */
extern "C" KEPT unsigned w_caught(unsigned value)
{
	unsigned sum = 0;

	scene_entered();
	for (unsigned i = 0; i < 5; i++) {
		try {
			sum += w_caught_falls(value + i);
		} catch (const failure &f) {
			sum += 1000 * f.round;
		}
	}
	return sum;
}

static void play_caught(unsigned round)
{
	std::printf(" %u", w_caught(round));
}

static KEPT void falls(unsigned value)
{
	throw failure(value);
}

/* Cleans up by something that throws, and catches it. */
namespace
{
struct careless {
	unsigned value;

	~careless()
	{
		try {
			falls(value);
		} catch (const failure &f) {
			cleaned += f.round;
		}
	}
};
} // namespace

extern "C" KEPT unsigned w_nested(unsigned depth, unsigned value)
{
	careless frame{ value };
	unsigned deeper;

	scene_entered();
	if (!depth)
		throw failure(value);
	try {
		deeper = w_nested(depth - 1, value);
	} catch (const failure &outer) {
		try {
			falls(value + depth);
		} catch (const failure &inner) {
			std::printf(" %u/%u", outer.round, inner.round);
		}
		throw;
	}
	return deeper + 1;
}

static void play_nested(unsigned round)
{
	try {
		w_nested(3, round);
	} catch (const failure &f) {
		std::printf(" %s", f.what());
	}
	std::printf(" %u", cleaned);
}

/* ------------------------------------------------------------ over others' frames */

extern "C" KEPT int w_callback(const void *a, const void *b)
{
	int x = *static_cast<const int *>(a), y = *static_cast<const int *>(b);

	scene_entered();
	if (x == 200 || y == 200)
		throw failure(static_cast<unsigned>(x + y));
	return (x > y) - (x < y);
}

static void play_callback(unsigned round)
{
	int numbers[20];

	for (int i = 0; i < 20; i++)
		numbers[i] = static_cast<int>((round + static_cast<unsigned>(i) * 37) % 100);
	if (round % 5 == 0)
		numbers[round % 20] = 200;
	try {
		std::qsort(numbers, 20, sizeof(numbers[0]), w_callback);
		std::printf(" %d %d", numbers[0], numbers[19]);
	} catch (const failure &f) {
		std::printf(" %s", f.what());
	}
}

extern "C" KEPT unsigned w_carried(unsigned value)
{
	scene_entered();
	if (value % 4 != 3)
		throw failure(value);
	return value;
}

static void play_carried(unsigned round)
{
	std::exception_ptr carried;
	unsigned value = 0;

	std::thread([&] {
		try {
			value = w_carried(round);
		} catch (...) {
			carried = std::current_exception();
		}
	}).join();
	std::printf(" %u", value);
	try {
		if (carried)
			std::rethrow_exception(carried);
	} catch (const std::exception &e) {
		std::printf(" %s", e.what());
	}
}

/* -------------------------------------------------------------------- not allowed */

static void terminated()
{
	try {
		std::rethrow_exception(std::current_exception());
	} catch (const std::exception &e) {
		std::printf(" terminated by %s\n", e.what());
	}
	scene_close();
	std::abort();
}

extern "C" KEPT unsigned w_noexcept_falls(unsigned value, bool falls)
{
	scene_entered();
	if (falls)
		throw failure(value);
	return value + 1;
}

extern "C" KEPT unsigned w_noexcept(unsigned value, bool falls) noexcept
{
	scene_entered();
	return w_noexcept_falls(value, falls) * 2;
}

/* What it does not let out ends the program: in the last round. */
static void play_noexcept(unsigned round)
{
	std::set_terminate(terminated);
	std::printf(" %u", w_noexcept(round, round == 399));
}

static const scene scenes[] = {
	{ "throw", play_throw, 0 },
	{ "throw_many", play_throw_many, 0 },
	{ "rethrow", play_rethrow, 0 },
	{ "caught", play_caught, 0 },
	{ "nested", play_nested, 0 },
	{ "callback", play_callback, 0 },
	{ "carried", play_carried, 0 },
	{ "noexcept", play_noexcept, 0 },
	{},
};

int main(int argc, char **argv)
{
	return scene_main(argc, argv, scenes);
}
