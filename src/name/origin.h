/*
 * origin - one image of a stream, and everything that can name its functions.
 *
 * First what the stream itself recorded, then the image's own names: of its
 * file, of the running kernel, of the vdso.  Those are loaded at the first
 * question that needs them.
 */
#ifndef SONDE_NAME_ORIGIN_H
#define SONDE_NAME_ORIGIN_H

#include "base/table.h"
#include "elf/images.h"
#include "name/kallsyms.h"
#include "name/ksym.h"
#include "name/native.h"
#include "name/perfmap.h"
#include "name/recorded.h"
#include "wire/event.h"

/* Who is asked for the running kernel's names; ask NULL: nobody can be. */
struct origin_kernel {
	ksym_ask *ask;
	void *context;
};

struct origin {
	uint32_t image; /* its id */
	enum image_kind kind;
	bool live;	  /* of a target on this machine */
	bool tried;	  /* its own names were loaded, or cannot be */
	const char *path; /* as the target sees it; the owner's */
	struct build_id build_id;
	struct native *native;
	struct kallsyms *kernel;	   /* all names, where it cannot be asked */
	const struct origin_kernel *asked; /* the owner's */
	struct perfmap *perfmap;	   /* of code made at run time */
	struct recorded recorded;
	struct recorded variables; /* also those that were found */
	struct table nameless;	   /* where there is none */
	bool missed;		   /* something was asked for that has no name */
	char *problem; /* why it has no names of its own, NULL = it has, or nobody asked */
	/* the namer's memory */
	struct table offsets;	/* offset asked for: index of the function */
	struct table functions; /* start: index of the function */
};

void origin_done(struct origin *o);
/* Opens the file of a live image, at once, so that it is still the right one when it has
 * been deleted or replaced by the time somebody asks; images as of images_open().  An
 * error is kept as the problem, too. */
int origin_open(struct origin *o, struct images *images, const char *open_path,
		struct error *err);
/* The image's own answers (not the recorded ones).  line_budget is the time that
 * lines may take now.  1; 0: no function there; -EAGAIN: its symbols are still being read. */
int origin_find(struct origin *o, uint64_t offset, nsec line_budget, struct found *ret);
/* Waits for its symbols, so long at most. */
void origin_wait(struct origin *o, nsec time);
/* Its symbols are waited for no longer, which is its problem. */
void origin_give_up(struct origin *o);
/* As inlines_find(); -EAGAIN also as above. */
int origin_expand(struct origin *o, uint64_t offset, nsec line_budget, struct inline_level *ret,
		  unsigned room);
/* As native_variable(). */
bool origin_variable(struct origin *o, uint64_t offset, uint64_t distance,
		     struct data_name *ret);
/* Time spent on lines so far. */
nsec origin_line_spent(const struct origin *o);

#endif
