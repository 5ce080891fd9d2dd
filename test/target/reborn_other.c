/*
 * reborn_other - the second reborn_helper() of the program that reborn becomes.
 */
#include "reborn.h"
#include "stage.h"

KEPT static uint64_t reborn_helper(uint64_t rounds)
{
	return spin(rounds) + 2;
}

uint64_t reborn_other(uint64_t rounds)
{
	return reborn_helper(rounds) + 1;
}
