#include "shop.h"

KEPT void mix_block(uint64_t *block, unsigned rounds)
{
	KEEP_FRAME();
	for (unsigned i = 0; i < rounds; i++) {
		for (unsigned k = 0; k < BLOCK_WORDS; k++) {
			uint64_t x = block[k] + i;

			x ^= x >> 12;
			x ^= x << 25;
			block[k] = x ^ x >> 27;
		}
	}
}
