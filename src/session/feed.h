/*
 * feed - every event of a run, to all that want it: the model, the names, and
 * the recording that is being written.
 */
#ifndef SONDE_SESSION_FEED_H
#define SONDE_SESSION_FEED_H

#include "base/error.h"
#include "model/store.h"
#include "name/namer.h"
#include "view/answer.h"
#include "wire/stream.h"

struct feed {
	struct store *store;
	struct namer *namer;
	struct answers answers;	      /* what is kept of them, for ask_again() */
	struct stream_writer *writer; /* NULL: nothing is recorded */
	bool names;		      /* feed_name() does something */
	uint32_t named, locks;	      /* frames and locks whose names were asked for */
	ARRAY(frame_id) late;	      /* of these, whose names were not known yet */
	ARRAY(frame_id) lineless;     /* there was no time for their lines */
	/* Before the end is recorded; NULL: nothing is to be done. */
	void (*on_end)(void *context);
	void *context;
	bool live;	    /* more events may come: no end is nothing odd */
	uint64_t events;    /* that went through */
	uint64_t samples;   /* of these */
	uint64_t calls;	    /* entries counted, all probes */
	int failed;	    /* negative errno: the recording cannot be written any more */
	struct error error; /* why */
};

/* images as of images_open(); the caller's. */
void feed_init(struct feed *f, struct images *images);
void feed_done(struct feed *f);

/* A source_event function; context is the struct feed. */
void feed_event(void *feed, const struct event *e);
/* Asks the names of all frames that are new, or were late, and records them; waits so long in
 * all for symbols that are being read.  False: some are late. */
bool feed_name(struct feed *f, nsec patience);
/* Looks for lines that there was no time for, and records them; lines may have taken so much
 * CPU time in all then. */
void feed_add_lines(struct feed *f, nsec time);
/* Writes what was gathered: a recording that is cut off keeps all up to here. */
void feed_flush(struct feed *f);
/* Passes on what waits for the reader of a recording that goes into a pipe. */
void feed_pass(struct feed *f);

#endif
