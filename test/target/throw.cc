/*
 * throw - a C++ program that throws through the frames of functions which a
 * test asks to watch: with a return hook on one of them it would be aborted.
 */
extern "C" {
#include "stage.h"
}

#include <cstdio>
#include <stdexcept>

namespace shop
{
struct tally {
	uint64_t entries = 0, returned = 0, thrown = 0, caught = 0;
};

class Parser
{
      public:
	Parser(const stage &s, tally &t) : stage_(s), tally_(t)
	{
	}
	KEPT uint64_t parse(unsigned i);
	KEPT uint64_t token(unsigned i);

      private:
	const stage &stage_;
	tally &tally_;
};

uint64_t Parser::token(unsigned i)
{
	uint64_t result = spin(stage_.work / 2);

	if (i % 5 == 0)
		throw std::runtime_error("bad token");
	return result;
}

uint64_t Parser::parse(unsigned i)
{
	struct frame {
		tally &t;
		bool whole = false;
		~frame()
		{
			whole ? t.returned++ : t.thrown++;
		}
	} frame{ tally_ };
	uint64_t result;

	tally_.entries++;
	result = spin(stage_.work / 2) ^ token(i);
	frame.whole = true;
	return result;
}
} // namespace shop

int main(int argc, char **argv)
{
	stage s{};
	shop::tally tally;

	s.mode = "";
	s.calls = 500;
	s.work = 20000;
	s.seconds = 20;
	stage_options(&s, argc, argv);
	stage_open(&s);
	shop::Parser parser(s, tally);
	uint64_t next = stage_now();
	for (unsigned i = 0; i < s.calls; i++) {
		try {
			parser.parse(i);
		} catch (const std::exception &) {
			tally.caught++;
		}
		stage_pace(&next, s.rate);
	}
	std::printf("{\"mode\":\"throw\",\"entries\":%llu,\"returned\":%llu,\"thrown\":%llu,"
		    "\"caught\":%llu}\n",
		    (unsigned long long)tally.entries, (unsigned long long)tally.returned,
		    (unsigned long long)tally.thrown, (unsigned long long)tally.caught);
	return 0;
}
