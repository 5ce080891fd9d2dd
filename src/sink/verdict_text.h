/*
 * verdict_text - a verdict in words.
 */
#ifndef SONDE_SINK_VERDICT_TEXT_H
#define SONDE_SINK_VERDICT_TEXT_H

#include "base/text.h"
#include "view/verdict.h"

/* Adds it as sentences. */
void verdict_words(struct text *t, const struct picture *p, const struct verdict *v);
/* What a frame says that a thread waits for, who has it, or who ended the wait: "mutex
 * cache_mu", "refresher"; NULL: it does not ("[waits]").  The caller's. */
char *verdict_wait(const struct picture *p, uint32_t frame);
/* Is it of the last kind?  Does it say that the wait's time was over? */
bool verdict_is_woken(const struct picture *p, uint32_t frame);
bool verdict_timed_out(const struct picture *p, uint32_t frame);
/* The name of a frame, of what a holder or waker does without saying so.  The caller's. */
char *verdict_holder(const struct picture *p, uint32_t frame);
/* The same with a way to go on, wrapped at columns, with newline. */
void verdict_print(struct text *t, const struct picture *p, unsigned columns);

/* Of a span that was not split: how to, with newline; nothing where that cannot be written. */
void verdict_print_first(struct text *t, const struct picture *p, unsigned columns);

#endif
