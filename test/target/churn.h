/*
 * churn - work that calls nothing and refers to nothing: it can be compiled into a library of
 * its own, and its code copied to anywhere.  What else works takes spin() (stage.h).
 */
#ifndef SONDE_TEST_CHURN_H
#define SONDE_TEST_CHURN_H

#include <stdint.h>

static inline __attribute__((always_inline)) uint64_t churn(uint64_t rounds)
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

#endif
