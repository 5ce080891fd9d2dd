/*
 * record_file - the recording that a run writes.
 *
 * Events come before it is known whether the target can be attached to, so they go to a file
 * that takes its place (cmd/replace.h) when they can be kept: a run that fails costs nothing
 * that was there before.
 */
#ifndef SONDE_CMD_RECORD_FILE_H
#define SONDE_CMD_RECORD_FILE_H

#include "cmd/replace.h"
#include "wire/stream.h"

struct record_file {
	struct replace file;
	struct stream_writer *writer;
};

/* path: "-" is standard output.  Negative errno with err set; record_file_done() then too. */
int record_file_open(struct record_file *f, const char *path, enum replace_whose whose,
		     struct error *err);
/* It takes its place. */
int record_file_keep(struct record_file *f, struct error *err);
/* Waits until who reads a pipe has taken all, and says so.  -EPIPE: it has gone. */
int record_file_end(const struct record_file *f, struct error *err);
/* What was not kept is gone. */
void record_file_done(struct record_file *f);

#endif
