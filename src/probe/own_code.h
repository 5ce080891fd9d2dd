/*
 * own_code - the running test's own code, for tests that look at functions in it.
 */
#ifndef SONDE_PROBE_OWN_CODE_H
#define SONDE_PROBE_OWN_CODE_H

#include "probe/code.h"
#include "probe/decoder.h"

extern struct code own;
extern struct decoder *decoder;

/* Setup and teardown of a cmocka group. */
int open_own(void **state);
int close_own(void **state);

#endif
