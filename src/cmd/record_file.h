/*
 * record_file - the recording that a run writes.
 *
 * Events come before it is known whether the target can be attached to, so they go to a
 * file beside the one that was asked for, which takes its place when they can be kept: a
 * run that fails costs nothing that was there before.
 */
#ifndef SONDE_CMD_RECORD_FILE_H
#define SONDE_CMD_RECORD_FILE_H

#include "base/error.h"
#include "wire/stream.h"

struct record_file {
	char *path;   /* owned */
	char *beside; /* owned; NULL: it is written where it is kept (a pipe, "-") */
	int fd;	      /* -1 = none */
	struct stream_writer *writer;
};

/* path: "-" is standard output.  Negative errno with err set; record_file_done() then too. */
int record_file_open(struct record_file *f, const char *path, struct error *err);
/* It takes its place. */
int record_file_keep(struct record_file *f, struct error *err);
/* What was not kept is gone. */
void record_file_done(struct record_file *f);

/* Can the file be written at all?  Asked before ten seconds are spent on what goes there;
 * leaves nothing behind. */
int record_file_try(const char *path, struct error *err);

#endif
