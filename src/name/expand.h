/*
 * expand - the inner side of the namer, and how it finds what is inlined.  Used
 * by namer.c and expand.c only.
 */
#ifndef SONDE_NAME_EXPAND_H
#define SONDE_NAME_EXPAND_H

#include "base/intern.h"
#include "name/chain.h"
#include "name/namer.h"
#include "name/origin.h"

struct function {
	uint64_t start, length;
	uint32_t image;
	text_id name, file;
	uint32_t line;
	bool recorded;
	bool late; /* file and line were not looked for */
};

/* A variable that was found, in an image's variables too. */
struct variable_name {
	uint64_t start, length; /* as in event_variable */
	uint32_t image;
	text_id name;
};

struct namer {
	struct images *images; /* the caller's */
	struct origin_kernel kernel;
	struct intern text;
	ARRAY(struct origin) origins;
	struct table ids; /* image id: index into origins */
	ARRAY(struct function) functions;
	uint32_t told;			       /* functions before this one were told */
	ARRAY(uint32_t) sharper;	       /* of these, they have got file and line since */
	ARRAY(struct variable_name) variables; /* that were found, not told yet */
	struct text scratch;
	uint32_t nr_symbols;
	uint64_t forgotten;
	struct chains chains;
	struct table readable; /* a raw name by its address: the id of the demangled one */
	nsec line_budget, line_spent;
	nsec patience; /* left */
	uint64_t late, lineless;
	const char *awaited;
	bool gave_up;
};

/* NULL: no such image. */
struct origin *origin_of(const struct namer *n, uint32_t image);
/* What is left of the time for the lines of an image. */
nsec line_budget(const struct namer *n, const struct origin *o);

/* The functions of struct naming; context is the namer. */
bool namer_find(void *context, uint32_t image, uint64_t offset, struct frame_name *ret);
unsigned namer_expand(void *context, uint32_t image, uint64_t offset, struct frame_name *ret,
		      unsigned room);

#endif
