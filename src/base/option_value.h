/*
 * option_value - the value of an option, by its kind.  Used by option.c only.
 */
#ifndef SONDE_BASE_OPTION_VALUE_H
#define SONDE_BASE_OPTION_VALUE_H

#include "base/option.h"

/* Whether options of this kind have a value at all. */
bool value_is_taken(const struct option_spec *spec);

/*
 * Stores value (NULL for options that have none) in the spec's member of options.
 * -EINVAL: it is not what the kind or the bounds ask, which err says; written is
 * the option as the user wrote it, "-F" or "--hz".
 */
int value_parse(const struct option_spec *spec, const char *written, const char *value,
		void *options, struct error *err);

#endif
