/*
 * reborn - what its two programs share.
 */
#ifndef SONDE_TEST_REBORN_H
#define SONDE_TEST_REBORN_H

#include <stdint.h>

/* Calls another reborn_helper(), of its own file. */
uint64_t reborn_other(uint64_t rounds);

#endif
