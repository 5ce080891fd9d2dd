/*
 * live - the source that watches this kernel.
 */
#ifndef SONDE_SOURCE_LIVE_H
#define SONDE_SOURCE_LIVE_H

#include "source/source.h"

/* A source_open function: loads the programs. */
int live_open(const struct source_option *option, source_event event, void *context,
	      struct source **ret, struct error *err);

/* What watching costs here, for who watches nothing: loads the programs for it, a few tenths
 * of a second. */
int live_price_here(enum attach_kind attach, struct price *ret, struct error *err);

#endif
