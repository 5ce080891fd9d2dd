/*
 * access - what the kernel lets this process do, and what is missing.
 *
 * Only the effective capabilities are looked at; whether the kernel really does
 * it is found by experiment (source/calibrate).
 */
#ifndef SONDE_PROC_ACCESS_H
#define SONDE_PROC_ACCESS_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum access_need_kind {
	NEED_BPF,     /* load BPF programs and maps */
	NEED_SAMPLES, /* sample CPUs; probe functions */
	NEED_OTHERS,  /* look at processes of other users */
	NEED_MEMORY,  /* read a target's memory, files in its containers */
	NEED_KERNEL,  /* kernel symbol addresses (kptr_restrict) */
	NR_NEED,
};

struct access_rule {
	const char *what;   /* "load BPF programs" */
	uint8_t capability; /* linux/capability.h */
	uint8_t instead;    /* this one does too; equal to capability where there is none */
	const char *name;   /* "CAP_BPF" */
};

extern const struct access_rule access_rules[NR_NEED];

/* Parses the text of /proc/PID/status for its effective set; 0 if it has none. */
uint64_t access_parse(const char *status);
/* The effective set of this process, as bits 1 << CAP_x. */
uint64_t access_effective(void);
bool access_has(uint64_t effective, enum access_need_kind need);
/* 0, or -EPERM with what is missing and how to get it. */
int access_need(enum access_need_kind need, struct error *err);
/* "setcap cap_bpf,cap_perfmon=ep /usr/bin/sonde": the command that gives this
 * program all it needs.  Adds. */
void access_setcap(struct text *to);

#endif
