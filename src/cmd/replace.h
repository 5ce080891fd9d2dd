/*
 * replace - a file that takes its place when it is good.
 *
 * It is written beside the one that was asked for (without a name, where the file system
 * can), which stays as it was until then.  Pipes, devices and what a link points to are
 * written where they are; so is a file in a folder where nothing can be made.
 */
#ifndef SONDE_CMD_REPLACE_H
#define SONDE_CMD_REPLACE_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

struct replace {
	char *path;   /* owned */
	char *beside; /* owned; NULL: it is written where it is kept */
	bool unnamed; /* it has no name until it is kept, and so leaves nothing behind */
	int fd;	      /* -1 = none */
};

enum replace_whose {
	REPLACE_NAMED,	/* a person said where: links are followed */
	REPLACE_CHOSEN, /* sonde did: a plain file, or none yet; a link may lead anywhere */
};

/* mode: of a new file.  Where others may read it, one that is replaced hands on its own mode
 * and owner; else it is always the caller's alone.  Negative errno with err set;
 * replace_done() then too. */
int replace_open(struct replace *r, const char *path, mode_t mode, enum replace_whose whose,
		 struct error *err);
/* It takes its place. */
int replace_keep(struct replace *r, struct error *err);
/* What was not kept is gone. */
void replace_done(struct replace *r);

/* Can it be written at all?  Asked before ten seconds are spent on what goes there; leaves
 * nothing behind. */
int replace_try(const char *path, struct error *err);

#endif
