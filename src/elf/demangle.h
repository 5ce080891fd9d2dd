/*
 * demangle - the name a person reads.
 */
#ifndef SONDE_ELF_DEMANGLE_H
#define SONDE_ELF_DEMANGLE_H

#include "base/text.h"

enum demangle_form {
	DEMANGLE_NAME, /* ns::C::f : without parameters, return type, template arguments kept */
	DEMANGLE_FULL, /* ns::C::f(int) const */
};

/* Adds the readable form of a raw symbol (C++ Itanium ABI, Rust legacy and v0);
 * a name that is not mangled, or too deep or long to demangle, is added as it
 * is.  Suffixes of clones (.isra.0 .part.0 .cold .constprop.0 .lto_priv.0) are
 * kept as " [.cold]" behind it, "@VERSION" is dropped. */
void demangle(const char *raw, enum demangle_form form, struct text *out);

#endif
