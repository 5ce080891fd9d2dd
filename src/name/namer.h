/*
 * namer - what the frames of a stream are called.
 *
 * It knows images by the stream's ids.  The name of a frame comes from, first
 * to last: the EVENT_SYMBOLs of the stream; the image's file (symbols, and
 * lines within a budget for all images); for a live target the running kernel's
 * own symbols and vdso, and for code made at run time its perf map.  Everything is read at the
 * first question and remembered, so a second question for the same offset costs a table lookup.
 * What is inlined there comes from the stream's EVENT_INLINEs, else from the
 * image's file; what there was no time for is looked for again when asked again.  Symbols of a
 * live target's files are read in the background: until then their functions are not known,
 * and asked for again, too.
 *
 * Functions are called as people write them (elf/demangle.h); those of a kernel
 * module have " [module]" behind; a function without a name is
 * "fn_<address>~<exported name before it>" (elf/symtab.h).
 */
#ifndef SONDE_NAME_NAMER_H
#define SONDE_NAME_NAMER_H

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "elf/images.h"
#include "model/naming.h"
#include "name/ksym.h"
#include "wire/event.h"

/* CPU time for lines and inlined functions: of a target that runs, while it is
 * watched; for its last answer; of a recording. */
#define NAMER_LINE_BUDGET (150 * NSEC_PER_MSEC)
#define NAMER_ANSWER_BUDGET (5 * NSEC_PER_SEC)
/* Bounds: what is beyond is counted by namer_forgotten(). */
#define NAMER_MAX_IMAGES 65536
#define NAMER_MAX_SYMBOLS (4u << 20) /* of EVENT_SYMBOL and EVENT_VARIABLE */
#define NAMER_MAX_TEXT (512u << 20)  /* bytes of names */

struct namer;

/* images as of images_open(); the caller's. */
struct namer *namer_new(struct images *images);
void namer_free(struct namer *n); /* NULL is fine */

/* Names of a live kernel are asked for; without, and where that fails, all are read. */
void namer_ask_kernel(struct namer *n, ksym_ask *ask, void *context);

/*
 * An image of a live target (a checked record).  A file is opened now, by
 * open_path (/proc/PID/map_files/..., /proc/PID/root/...), and stays open: it
 * may be deleted afterwards.  One file descriptor an image.  open_path NULL:
 * there is no file.  That of an IMAGE_JIT is where its perf map is, or may come
 * to be.  Errors leave the image without names from a file:
 * -ESTALE another build, and those of image_open().  An id that is known is
 * not changed.
 */
int namer_image(struct namer *n, const struct event_image *image, const char *open_path,
		struct error *err);

/* Takes EVENT_IMAGE, EVENT_SYMBOL, EVENT_INLINE and EVENT_VARIABLE of a replayed stream,
 * ignores the rest.
 * A file of such an image is looked for by its path when names are missing, and
 * used only if it has the build-id of the record; the running kernel's symbols
 * are never used. */
void namer_event(struct namer *n, const struct event *e);

/* Answers until the namer is freed; strings live as long. */
struct naming namer_naming(struct namer *n);

/* Why an image has no names of its own: a sentence, "" if it has, or nobody
 * has asked yet. */
const char *namer_problem(const struct namer *n, uint32_t image);

/* Why functions that were asked for have no names: the sentence of one image that has none of
 * its own, and how many more such there are.  Nothing if all have. */
void namer_problems(const struct namer *n, struct text *to);

/* How much CPU time lines may take in all, what they took so far included. */
void namer_set_line_budget(struct namer *n, nsec budget);

/* How long questions from now on may wait, in all, for symbols that are being read; for ever,
 * until this is called. */
void namer_set_patience(struct namer *n, nsec time);
/* How many answers were late since then: functions not known because their symbols were being
 * read, also where they are by now. */
uint64_t namer_late(const struct namer *n);
/* The same of answers without file and line, or without what is inlined there: the time for
 * lines was used up. */
uint64_t namer_lineless(const struct namer *n);
/* The file, as the target sees it, whose symbols the last of these is of; "" = there was none.
 */
const char *namer_awaited(const struct namer *n);
/* Late answers from now on are none, for good, and that is the problem of their images. */
void namer_give_up(struct namer *n);

/* Calls each with a record (time 0; valid during the call) for every function,
 * every inlined one and every variable that was asked for, found and not told before, so that
 * a recording carries the names of exactly what is in it; and again for a function whose file
 * and line were found since (the last record of a start counts).  What came from
 * records is not told. */
typedef void (*namer_record)(void *context, const struct event *e);
void namer_each_new_symbol(struct namer *n, namer_record each, void *context);

/* Records that were not kept, because there were too many. */
uint64_t namer_forgotten(const struct namer *n);

#endif
