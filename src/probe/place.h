/*
 * place - where the user points, as written on the command line.
 *
 *	[IMAGE:]FUNC             handle_request   c:read   ns::C::f   /usr/lib/x.so:f
 *	[IMAGE:]FUNC(PARAMETERS) one overload: f(int)
 *	[IMAGE:]GLOB             std::*sort*
 *	[IMAGE:]/REGEX/          POSIX extended, searched in the readable name
 *	[IMAGE:]=SYMBOL          the raw name in the file
 *	[IMAGE:]fn_ADDR[~NEAR]   as reports call one that has no name
 *	[IMAGE:]FUNC+OFF         bytes into the function, decimal or 0x
 *	IMAGE:0xADDR             an address of the file
 *
 * The spellings of neighbours mean the same: uprobe:PATH:f (bpftrace), p:c:f and
 * r:c:f (bcc), f%return (perf).  Nothing is looked up here.
 */
#ifndef SONDE_PROBE_PLACE_H
#define SONDE_PROBE_PLACE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum place_kind {
	PLACE_FUNC, /* name, or a name that could also be read as a glob */
	PLACE_REGEX,
	PLACE_SYMBOL,
	PLACE_ADDRESS,
};

struct place {
	enum place_kind kind;
	char *text;	  /* as written */
	char *image;	  /* NULL = any */
	char *name;	  /* without IMAGE and the rest; NULL for an address */
	char *parameters; /* "(int)", NULL = any */
	bool glob;	  /* name holds * ? [ outside of an operator's name */
	bool has_offset;
	uint64_t offset; /* +OFF, or the address */
};

/* -EINVAL with what is wrong; -ENOTSUP for what a later version will have:
 * FILE:LINE, FUNC@FILE:LINE, tp:, usdt:, A..B. */
int place_parse(const char *text, struct place *ret, struct error *err);
void place_done(struct place *p);

/* Is path (of a mapped file) what the user calls image?  Taken are the path
 * itself, its base name, that without "lib" and from ".so" or "-2.31.so" on, and
 * globs of these. */
bool place_is_image(const char *image, const char *path);

#endif
