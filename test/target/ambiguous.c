/*
 * ambiguous - two different functions called turn: a test sees that sonde lists
 * both and picks none.
 */
#include "stage.h"

KEPT uint64_t other_turn(uint64_t rounds);

static KEPT uint64_t turn(uint64_t rounds)
{
	return spin(rounds) + 1;
}

int main(int argc, char **argv)
{
	struct stage stage = { .mode = "", .calls = 100, .work = 20000, .seconds = 20 };
	uint64_t x = 0, next;

	stage_options(&stage, argc, argv);
	stage_open(&stage);
	next = stage_now();
	for (unsigned i = 0; i < stage.calls; i++) {
		x ^= turn(stage.work) ^ other_turn(stage.work);
		stage_pace(&next, stage.rate);
	}
	printf("{\"mode\":\"ambiguous\",\"calls\":%u,\"result\":%llu}\n", stage.calls,
	       (unsigned long long)x);
	return 0;
}
