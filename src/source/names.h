/*
 * names - patterns on names of threads, made ready for the kernel half.
 */
#ifndef SONDE_SOURCE_NAMES_H
#define SONDE_SOURCE_NAMES_H

#include "base/error.h"
#include "wire/name_rule.h"

/* A pattern as text_glob() has it.  -EINVAL: it has more than NAME_RULE_ELEMENTS elements. */
int names_rule(const char *glob, struct name_rule *ret, struct error *err);

#endif
