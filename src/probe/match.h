/*
 * match - which functions of a target a place could mean.
 */
#ifndef SONDE_PROBE_MATCH_H
#define SONDE_PROBE_MATCH_H

#include "base/text.h"
#include "probe/code.h"
#include "probe/place.h"

struct match {
	uint32_t image; /* index in struct code */
	const struct symbol *symbol;
};

#define MATCHES_MAX 200000

struct match_list {
	ARRAY(struct match);
	bool cut; /* there were more than MATCHES_MAX */
};

/* Adds the functions whose name fits; each address once, .cold parts never.  A
 * plain name also finds templates of that name (f finds f<int>). */
int match_find(struct code *code, const struct place *place, struct match_list *ret,
	       struct error *err);
/* So all functions of an image, by its index. */
void match_all(struct code *code, uint32_t image, struct match_list *ret);

/* A place made ready to be held against many functions. */
struct matcher;
/* NULL: -EINVAL, a wrong regular expression, said in err.  place must outlive it. */
struct matcher *matcher_new(const struct place *place, struct error *err);
bool matcher_fits(struct matcher *m, const struct symbol *s);
void matcher_free(struct matcher *m);

/* May a place mean it?  Not a stub, and not a part of a function that is only jumped to. */
bool match_is_function(const struct symbol *s);
/* The longest run of letters of identifiers in a name or pattern: it is in every raw name
 * that fits, as mangling keeps identifiers whole; "" = nothing is known of raw names. */
#define MATCH_CORE 128
void match_core(const char *name, char core[MATCH_CORE]);

/* Length of a raw name without the suffixes of clones (.isra.0 .part.0 .cold
 * .constprop.0 .llvm.123).  .lto_priv.0 is cut too: it tells apart functions of
 * one name, see match_is_clone(). */
size_t match_base_length(const char *raw);
/* Is it a clone the compiler made of a function (not .lto_priv)? */
bool match_is_clone(const char *raw);
/* A part that is jumped to, never called. */
bool match_is_cold(const char *raw);

/* Adds what a person reads: demangled, without parameters or clone suffix. */
void match_name(const char *raw, struct text *to);
/* With parameters where there are some: f(int). */
void match_full_name(const char *raw, struct text *to);

/* Adds up to three names near the one that was not found: "handle_request,
 * handle_retry"; false: none. */
bool match_near(struct code *code, const struct place *place, struct text *to);

/* Is there an image of that name? */
bool match_knows_image(const struct code *code, const char *image);
/* -ENOENT with the sentence for a place that nothing fits. */
int match_fail_absent(struct code *code, const struct place *place, struct error *err);

#endif
