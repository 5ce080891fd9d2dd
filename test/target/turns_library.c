/*
 * turns_library - one of the two libraries of turns: the name of its function is
 * TURNS_WORK, and nothing else tells them apart.
 */
#include <stdint.h>

uint64_t TURNS_WORK(uint64_t rounds);
uint64_t TURNS_WORK(uint64_t rounds)
{
	uint64_t x = rounds | 1;

	for (uint64_t i = 0; i < rounds; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}
