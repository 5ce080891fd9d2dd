/*
 * bucket - the log-linear scale on which durations are counted.
 *
 * Values below 32 have a bucket each; above, every octave has 32 of equal
 * width, so a bucket is at most 1/32 (3.1 %) of its lower bound wide and its
 * middle at most 1.6 % off.  2^45 ns (9.8 hours) and more share the last one.
 * The same scale as HdrHistogram's with 5 significant bits.
 */
#ifndef SONDE_WIRE_BUCKET_H
#define SONDE_WIRE_BUCKET_H

#include <linux/types.h>

#define BUCKET_BITS 5
#define BUCKET_SUB (1u << BUCKET_BITS)
#define BUCKET_TOP 45
#define NR_BUCKET ((BUCKET_TOP - BUCKET_BITS + 1) * BUCKET_SUB) /* 1312 */

/* Index of the highest set bit; v > 0. */
static inline __attribute__((always_inline)) __u32 bucket_log2(__u64 v)
{
	__u32 r = 0;

	if (v >> 32) {
		r += 32;
		v >>= 32;
	}
	if (v >> 16) {
		r += 16;
		v >>= 16;
	}
	if (v >> 8) {
		r += 8;
		v >>= 8;
	}
	if (v >> 4) {
		r += 4;
		v >>= 4;
	}
	if (v >> 2) {
		r += 2;
		v >>= 2;
	}
	return r + (v >> 1);
}

static inline __attribute__((always_inline)) __u32 bucket_of(__u64 v)
{
	__u32 shift;

	if (v < BUCKET_SUB)
		return v;
	if (v >> BUCKET_TOP)
		return NR_BUCKET - 1;
	shift = bucket_log2(v) - BUCKET_BITS;
	return (shift << BUCKET_BITS) + (__u32)(v >> shift);
}

/* Smallest value of a bucket; bucket_low(NR_BUCKET) is the end of the scale. */
static inline __u64 bucket_low(__u32 bucket)
{
	__u32 shift;

	if (bucket < 2 * BUCKET_SUB)
		return bucket;
	shift = (bucket >> BUCKET_BITS) - 1;
	return (__u64)(bucket - (shift << BUCKET_BITS)) << shift;
}

#endif
