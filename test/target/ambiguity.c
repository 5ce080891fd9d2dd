/* The other one of ambiguous.c. */
#include "stage.h"

KEPT uint64_t other_turn(uint64_t rounds);

static KEPT uint64_t turn(uint64_t rounds)
{
	return spin(rounds / 2) + 2;
}

KEPT uint64_t other_turn(uint64_t rounds)
{
	return turn(rounds);
}
