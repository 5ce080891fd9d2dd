/*
 * probe - a place that is being watched, with everything needed to attach it.
 *
 *	struct code code = { 0 };
 *	struct probe probe = { 0 };
 *
 *	code_open(&target, NULL, &code, &err);
 *	probe_resolve(&code, "handle_request", EXIT_WISH_AUTO, &probe, &err);
 *	if (!probe_has_end(&probe, &err))
 *		... a span cannot be measured, err says why
 *	for each of probe.functions: uprobes on .image at the .offset of its .sites
 *
 * A probe is complete: it does not point into the code it was found in.
 */
#ifndef SONDE_PROBE_PROBE_H
#define SONDE_PROBE_PROBE_H

#include "base/table.h"
#include "probe/ending.h"
#include "probe/insn.h"
#include "probe/place.h"
#include "wire/control.h"

#include <errno.h>

#define FUNCTIONS_MAX 20000

/* One address that is probed. */
struct site {
	enum site_role role;
	uint8_t condition; /* of the flags, with which it is an exit, 0 = always */
	uint32_t cfa;	   /* rule that leads to the call's CFA; of a return hook 0 */
	uint64_t offset;   /* file offset of the instruction */
	uint8_t length;	   /* of the instruction, if the thread goes on behind it, or, of an
			      exit, if it returns; else 0 */
	enum insn_price price;
	const char *insn; /* name of the instruction; static */
};

/* A run of a function's code. */
struct code_part {
	uint64_t offset, size; /* in the file */
};

/* One compiled copy of a function that a probe stands for. */
struct probe_function {
	struct image *image;	  /* the very file that is mapped; its own reference */
	char *image_path;	  /* as the target sees it */
	uint64_t entry;		  /* file offset of its first instruction */
	uint64_t size;		  /* bytes */
	uint64_t address;	  /* of the entry, in the file's own numbers */
	char *symbol;		  /* raw name */
	char *name;		  /* readable, with parameters and clone suffix */
	enum probe_exit exit;	  /* how its calls are seen to end */
	ARRAY(struct site) sites; /* the first is its entry's; none: it cannot be watched */
	ARRAY(struct code_part) parts;	/* that were judged to find the sites */
	bool tails;			/* may end by a jump to another function, whose time
					   is then not in its calls */
	uint32_t followed;		/* other functions in which its calls go on after
					   a jump: their exits are among the sites */
	char *followed_names;		/* "g, h and 3 more", NULL = none */
	struct goroutine_layout layout; /* whose calls these are, of a function in Go; else
					   zero */
	bool checked;			/* the parts were compared with the target's memory */
};

static inline const struct site *function_entry(const struct probe_function *f)
{
	return &f->sites.at[0];
}

/* Of the dearest of its entries, and of its exits (none: INSN_EMULATED). */
struct probe_price {
	enum insn_price entry, exit;
};
struct probe_price function_price(const struct probe_function *f);

struct probe {
	uint32_t id;	/* from 1; in a set no other has it */
	char *place;	/* as written */
	char *function; /* readable name; of several functions, the place */
	ARRAY(struct probe_function) functions;
	enum exit_wish wish;
	struct judgement judgement; /* how most of them are seen to end, and why so */
	char *note;	/* what should be said aloud ("3 clones: ..."), NULL = nothing */
	char *left_out; /* "2 left out: f, g (...)", NULL = no function was */
};

struct probe_set {
	ARRAY(struct probe);
	struct table owners; /* hash of a function -> id of its probe */
};

/*
 * Finds what a place means in a target.  Errors: -EINVAL and -ENOTSUP as of
 * place_parse(); -ENOENT nothing there (near names are offered); -ENOTUNIQ
 * several, which are listed (commands exit with 2); -EADDRNOTAVAIL only places
 * where no probe may stand; -ESTALE the target's memory is not what the file
 * says; -EPERM the ends of none of a pattern's functions can be seen.
 */
int probe_resolve(struct code *code, const char *place, enum exit_wish wish, struct probe *ret,
		  struct error *err);
void probe_done(struct probe *p);
/* Can the end of its calls be seen?  false: err has the judgement's sentence. */
bool probe_has_end(const struct probe *p, struct error *err);

/* Resolves and adds under a new id.  A function belongs to the first probe that
 * stands for it; -EEXIST: the place was added, or nothing is left of it. */
int probe_set_add(struct probe_set *set, uint32_t id, struct code *code, const char *place,
		  enum exit_wish wish, struct error *err);
/* Looks the place of a probe up in other code.  What it stands for there and belongs to no
 * probe is added behind its functions: how many.  Errors as of probe_resolve(). */
int probe_set_extend(struct probe_set *set, uint32_t id, struct code *code, struct error *err);
/* Only so many of its functions, the first, are left. */
void probe_set_shrink(struct probe_set *set, uint32_t id, uint32_t count);
/* NULL: there is none. */
struct probe *probe_set_find(const struct probe_set *set, uint32_t id);
/* Its functions belong to none then.  The others keep their order. */
void probe_set_remove(struct probe_set *set, uint32_t id);
void probe_set_done(struct probe_set *set);

/* Exit status of a command for an error of the above: 2 for wrong use. */
static inline bool probe_error_is_use(int error)
{
	return error == -EINVAL || error == -ENOTSUP || error == -ENOTUNIQ || error == -EEXIST;
}

#endif
