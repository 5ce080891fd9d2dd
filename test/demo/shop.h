/*
 * shop - a small server with a slow tail, and the truth about it.
 *
 * Worker threads answer made-up requests at a bounded rate.  Three of a hundred
 * requests carry a macro, and expanding it takes many rounds of mix_block.  The
 * index thread uses mix_block far more, outside of all requests, so that a plain
 * profile shows it as hot everywhere.  All work is counted in rounds, not timed.
 */
#ifndef SONDE_DEMO_SHOP_H
#define SONDE_DEMO_SHOP_H

#include "target/stage.h"

#include <stdbool.h>
#include <stdint.h>

#define BLOCK_WORDS 256

struct request {
	uint64_t number;
	char text[160];
	bool has_macro; /* planted: this one will be slow */
};

struct shop;

/* One worker thread's own state. */
struct worker {
	struct shop *shop;
	unsigned lane;
	uint64_t page[BLOCK_WORDS];
	char journal[512];
	struct ledger *ledger;
	uint64_t expand_cpu; /* of this request, in expand_table */
};

/* shop.c: a request from its begin to its end; the function to watch */
KEPT unsigned handle_request(struct worker *w, struct request *r);
/* parse.c */
KEPT unsigned parse_request(struct worker *w, struct request *r);
/* macro.c: what makes slow requests slow */
KEPT void expand_table(struct worker *w, const struct request *r);
/* mix.c: also what the index thread does all day */
KEPT void mix_block(uint64_t *block, unsigned rounds);
/* row.c */
KEPT unsigned render_rows(struct worker *w, unsigned fields);
/* journal.c */
KEPT void log_line(struct worker *w, const struct request *r, unsigned rows);

#endif
