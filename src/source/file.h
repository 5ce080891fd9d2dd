/*
 * file - a recording as a source of events.
 */
#ifndef SONDE_SOURCE_FILE_H
#define SONDE_SOURCE_FILE_H

#include "base/error.h"
#include "source/source.h"
#include "wire/stream.h"

/*
 * Hands every event of the recording at path ("-": standard input) to each, in
 * the order of the file.  A recording that is cut or damaged gives what is whole;
 * *ret_tally (which may be NULL) says what is not.  0, or negative errno when it
 * cannot be opened, is no recording, is of a newer version, or reading failed;
 * events may have been handed over before that.
 */
int file_replay(const char *path, source_event each, void *context,
		struct stream_tally *ret_tally, struct error *err);

#endif
