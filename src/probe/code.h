/*
 * code - the images of a target, opened so that places can be looked up.
 *
 * One entry per file, however many processes map it.  Symbols are read when they
 * are first needed.
 */
#ifndef SONDE_PROBE_CODE_H
#define SONDE_PROBE_CODE_H

#include "base/table.h"
#include "elf/images.h"
#include "elf/symtab.h"
#include "probe/cfa.h"
#include "proc/maps.h"
#include "proc/target.h"

struct code_image {
	char *path;		  /* as the target sees it */
	const char *name;	  /* base name of path */
	uint32_t pid;		  /* a process that maps it, 0 = just a file */
	struct map map;		  /* its first executable mapping; zero for just a file.
				     map.path is path */
	ARRAY(struct map) ranges; /* all executable mappings of it in that process */
	struct image *image;	  /* NULL: could not be opened, see why */
	char *why;
	const struct symtab *symbols;	   /* through code_symbols() */
	struct table cold;		   /* hash of FUNC -> index of the symbol FUNC.cold */
	struct table callers;		   /* through callers_count() */
	struct goroutine_code *goroutines; /* through goroutine_code() */
	bool goroutines_read;
	int failed;	       /* negative errno of opening it; -EINVAL: it is no ELF file */
	char alias[COMM_SIZE]; /* of a main image: what its process is called */
	bool is_main;	       /* a process's own executable */
};

struct code {
	ARRAY(struct code_image);
	uint32_t processes; /* that run it, 0: just a file */
	uint64_t pages; /* maps_code_pages() and the sum of maps_code_key() of all processes */
	uint64_t key;
	char *name;   /* what messages call it: "shop-server" */
	char *option; /* how a command line names it: "-p 4242", "-- FILE" */
};

/* The images of all processes of a target; those that cannot be opened are kept
 * with the reason.  images as of images_open().  Fails only if no image at all could be opened.
 */
int code_open(const struct target *target, struct images *images, struct code *ret,
	      struct error *err);
/* One file, not running. */
int code_open_file(const char *path, struct code *ret, struct error *err);
void code_done(struct code *c);

/* Does the user's IMAGE mean this one?  As place_is_image(), or its process's name. */
bool code_is_image(const struct code_image *image, const char *name);

/* NULL only if the image could not be opened. */
const struct symtab *code_symbols(struct code_image *image);
/* The function that contains an address of the file, NULL: none.  Its symbols must have been
 * read. */
const struct symbol *code_function_at(const struct code_image *image, uint64_t address);
/* The image must be open. */
const struct unwind_table *code_cfa(struct code_image *image);
/* The part of a function that the compiler moved away (FUNC.cold, FUNC.cold.0),
 * NULL if there is none. */
const struct symbol *code_cold_part(struct code_image *image, const struct symbol *function);
/* Is the file offset mapped, to be executed, in the process? */
bool code_is_mapped(const struct code_image *image, uint64_t offset);
/* Reads the bytes a process has at a file offset of the image: how many, 0 if it
 * may not be read. */
size_t code_read_memory(const struct code_image *image, uint64_t offset, void *to, size_t size);

#endif
