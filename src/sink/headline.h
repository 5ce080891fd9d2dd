/*
 * headline - what a picture is of and what was lost, in a line for people.
 *
 * All of them add plain text without a newline; names are already made safe
 * for a terminal.
 */
#ifndef SONDE_SINK_HEADLINE_H
#define SONDE_SINK_HEADLINE_H

#include "base/text.h"
#include "view/picture.h"

/* "shop-server (4242) on web-3". */
void headline_target(struct text *t, const struct picture *p);
/* "10.0 s at 99 Hz of CPU time, 9,604 samples". */
void headline_window(struct text *t, const struct picture *p);
/* "Stacks: 99.9 % whole; 12 stop in libfoo.so (no call frame information, ...)";
 * false and nothing when all are. */
bool headline_gaps(struct text *t, const struct picture *p);
/* ", 12 children watched from at most 8.2 ms after the fork, 1 child not watched, 2 new
 * programs watched from at most 51 ms after the exec" */
void headline_children(struct text *t, const struct picture *p);
/* "0 lost, 2 truncated", and whatever else is not zero. */
void headline_losses(struct text *t, const struct picture *p);
/* "2026-11-21 21:57:08 UTC", nothing when it is not known. */
void headline_date(struct text *t, const struct picture *p);

/* "slower than p95 (1.24 ms)" for a plain threshold, "where EXPR" else. */
void headline_split(struct text *t, const struct picture *p);
/* Whether that is "dur > pNN" alone. */
bool headline_above_percentile(const struct picture *p);
/* " --split 'dur > BOUND'", by the span that is looked into or the first one; against: the same
 * question as now, against calls that are so long.  Nothing where that cannot be written. */
void headline_ask(struct text *t, const struct picture *p, const char *bound, bool against);
/* Are there calls that are on neither side, as the question is against some of the others? */
bool headline_leaves_out(const struct picture *p);
/* "before" of two recordings, else "rest". */
const char *headline_other(const struct picture *p);
/* One word for the calls of SIDE_IN: "slow", "fast" or "in". */
const char *headline_side(const struct picture *p);

/* How long a call of the span lasted; "<373 ns" where it is not known better. */
char *headline_duration(char buf[TEXT_QUANTITY], const struct picture_span *s, double nsec);
/* A line of its own: "  p50 410 µs  p90 580 µs  ..." of the calls that ended. */
void headline_percentiles(struct text *t, const struct picture_span *s);
/* A line of its own, where some calls were counted and not timed: of what part of them the
 * durations are. */
void headline_untimed(struct text *t, const struct picture_span *s);
/* A line of its own: how far the durations of bracketed calls are known; nothing where
 * none is. */
void headline_unsure(struct text *t, const struct picture_span *s);
/* A line of its own: what of the durations was taken off; kept: and what may not have been,
 * where that is a part of them. */
void headline_probed(struct text *t, const struct picture_span *s, double kept);

/* The span that is looked into, NULL = none. */
const struct picture_span *headline_span(const struct picture *p);

/* Why a stack ends where it does (enum stack_end); NULL: there is no more of it. */
const char *headline_gap(uint32_t end);

#endif
