/*
 * gauge - functions of sonde's own on which the price of watching is measured.
 */
#ifndef SONDE_SOURCE_GAUGE_H
#define SONDE_SOURCE_GAUGE_H

#include "source/attach.h"

/* By their first instruction; those with an exit begin with one that is emulated. */
enum gauge {
	GAUGE_PUSH,	  /* emulated by the kernel */
	GAUGE_PUSH_AGAIN, /* the same, once more: links on one function add up */
	GAUGE_NOP5,	  /* emulated; from kernel 6.18 on a call without a trap */
	GAUGE_MOV,	  /* single-stepped */
	GAUGE_EXIT_JMP,	  /* entry and exit are plain sites; its exit is emulated */
	GAUGE_EXIT_RET,	  /* the same; its exit is single-stepped */
	NR_GAUGE,
};

/* Nanoseconds that a call takes more when it is watched by these programs, for probe
 * 0; 0 = it cannot be watched.  The link stays in links: taking it away is what would
 * take time. */
double gauge_watched(struct attach_links *links, enum attach_kind kind,
		     const struct attach_programs *programs, enum gauge which);

#endif
