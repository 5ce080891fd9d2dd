/*
 * turns_library - one of the two libraries of turns: the name of its function is
 * TURNS_WORK, and nothing else tells them apart.
 */
#include "churn.h"

uint64_t TURNS_WORK(uint64_t rounds);
uint64_t TURNS_WORK(uint64_t rounds)
{
	return churn(rounds);
}
