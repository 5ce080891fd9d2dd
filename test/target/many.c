/*
 * many - 10,000 functions, many_0000 to many_9999, called in turn.
 */
#include "stage.h"

#define NR_MANY 10000

/* clang-format off */
#define DIGIT(DO, p) \
	DO(p##0) DO(p##1) DO(p##2) DO(p##3) DO(p##4) DO(p##5) DO(p##6) DO(p##7) DO(p##8) DO(p##9)
#define TENS(DO, p) \
	DIGIT(DO, p##0) DIGIT(DO, p##1) DIGIT(DO, p##2) DIGIT(DO, p##3) DIGIT(DO, p##4) \
	DIGIT(DO, p##5) DIGIT(DO, p##6) DIGIT(DO, p##7) DIGIT(DO, p##8) DIGIT(DO, p##9)
#define HUNDREDS(DO, p) \
	TENS(DO, p##0) TENS(DO, p##1) TENS(DO, p##2) TENS(DO, p##3) TENS(DO, p##4) \
	TENS(DO, p##5) TENS(DO, p##6) TENS(DO, p##7) TENS(DO, p##8) TENS(DO, p##9)
#define THOUSANDS(DO, p) \
	HUNDREDS(DO, p##0) HUNDREDS(DO, p##1) HUNDREDS(DO, p##2) HUNDREDS(DO, p##3) \
	HUNDREDS(DO, p##4) HUNDREDS(DO, p##5) HUNDREDS(DO, p##6) HUNDREDS(DO, p##7) \
	HUNDREDS(DO, p##8) HUNDREDS(DO, p##9)

#define DEFINE(name) \
	KEPT uint64_t name(uint64_t n); \
	KEPT uint64_t name(uint64_t n) { return n * 3 + (n >> 5); }
#define ENTRY(name) name,

THOUSANDS(DEFINE, many_)

static uint64_t (*const all[NR_MANY])(uint64_t) = { THOUSANDS(ENTRY, many_) };
/* clang-format on */

int main(int argc, char **argv)
{
	struct stage stage = { .mode = "", .calls = 10, .seconds = 20 };
	uint64_t x = 1, entries = 0, next;

	stage_options(&stage, argc, argv);
	stage_open(&stage);
	next = stage_now();
	for (unsigned round = 0; round < stage.calls; round++) {
		for (unsigned i = 0; i < NR_MANY; i++, entries++)
			x ^= all[i](x);
		stage_pace(&next, stage.rate);
	}
	printf("{\"mode\":\"many\",\"functions\":%d,\"calls\":%u,\"entries\":%llu,\"result\":%llu}\n",
	       NR_MANY, stage.calls, (unsigned long long)entries, (unsigned long long)x);
	return 0;
}
