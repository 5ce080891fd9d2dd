/*
 * output - where an answer goes and in which format: -o, --format, --json.
 */
#ifndef SONDE_CMD_OUTPUT_H
#define SONDE_CMD_OUTPUT_H

#include "base/error.h"
#include "cmd/run_option.h"
#include "sink/sink.h"

struct output {
	const char *path;	 /* NULL or "-": standard output */
	const struct sink *sink; /* NULL: a recording */
	struct sink_option option;
};

/* Decides; records says whether a recording (.sonde) is possible here.  What
 * neither suffix nor --format tells is text.  -EINVAL with the formats there are. */
int output_choose(const struct run_option *o, bool records, struct output *ret,
		  struct error *err);
/* -EINVAL when the answer would be written over the recording it comes from. */
int output_spares(const struct output *output, const char *input, struct error *err);
/* Writes the picture; says where it went.  A file that was there stays when it could not be
 * written whole. */
int output_picture(const struct output *output, const struct picture *p, struct error *err);

/* Writes what is in the output's format already, as output_picture() does. */
int output_bytes(const struct output *output, const struct text *bytes, struct error *err);

/* Text for people to standard output, as the terminal can show it; _wrapped: in lines that
 * are no longer than it is wide. */
void output_text(const struct text *t);
void output_wrapped(const struct text *t);

#endif
