/*
 * scene_coroutines - coroutines of C++20: functions that return in their middle and
 * are gone on with by whoever comes.
 */
extern "C" {
#include "scene.h"
}

#include <coroutine>
#include <exception>
#include <stdexcept>
#include <utility>

namespace
{
struct numbers {
	struct promise_type {
		unsigned value = 0;
		std::exception_ptr failed;

		numbers get_return_object()
		{
			return numbers{ handle::from_promise(*this) };
		}
		std::suspend_always initial_suspend() noexcept
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		std::suspend_always yield_value(unsigned next) noexcept
		{
			value = next;
			return {};
		}
		void return_void() noexcept
		{
		}
		void unhandled_exception() noexcept
		{
			failed = std::current_exception();
		}
	};
	using handle = std::coroutine_handle<promise_type>;

	handle self;

	explicit numbers(handle h) : self(h)
	{
	}
	numbers(numbers &&from) noexcept : self(std::exchange(from.self, {}))
	{
	}
	~numbers()
	{
		if (self)
			self.destroy();
	}
	/* false at its end; what it throws is thrown here */
	bool next()
	{
		self.resume();
		if (self.promise().failed)
			std::rethrow_exception(std::exchange(self.promise().failed, {}));
		return !self.done();
	}
};
} // namespace

extern "C" KEPT unsigned w_coroutine_step(unsigned value)
{
	scene_entered();
	if (value % 11 == 10)
		throw std::runtime_error("eleventh");
	return value * 3;
}

/* The first part of it, its middle and its clean-up are functions of this name. */
KEPT numbers w_coroutine(unsigned from, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		co_yield w_coroutine_step(from + i);
}

static void play_coroutine(unsigned round)
{
	numbers one = w_coroutine(round, 5), other = w_coroutine(round + 3, 4);

	try {
		while (one.next() && other.next())
			std::printf(" %u %u", one.self.promise().value,
				    other.self.promise().value);
		std::printf(" done");
	} catch (const std::exception &e) {
		std::printf(" %s", e.what());
	}
}

static const scene scenes[] = { { "coroutine", play_coroutine, 0 }, {} };

int main(int argc, char **argv)
{
	return scene_main(argc, argv, scenes);
}
