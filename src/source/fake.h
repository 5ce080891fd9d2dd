/*
 * fake - a source for tests: it writes down what is asked of it, and its events are the
 * test's.
 */
#ifndef SONDE_SOURCE_FAKE_H
#define SONDE_SOURCE_FAKE_H

#include "base/text.h"
#include "source/source.h"

struct fake {
	struct source source; /* first */
	/* set by the test before it is opened; may be zero */
	const char *refuses; /* the operation that fails, -EIO: "open", "start", ... */
	void (*on_start)(struct fake *f);
	void (*on_tick)(struct fake *f);
	void *test; /* its own */
	/* what came */
	struct source_option option;
	source_event event;
	void *context;
	struct text did; /* "open add_process start tick stop close": each once in a row */
	unsigned ticks;
	uint32_t added; /* ids given to probes that came since */
	uint32_t sites; /* that are watched, in all processes */
	enum end_reason reason;
};

/* What a source_open function does, for a fake that is the test's. */
int fake_open(struct fake *f, const struct source_option *option, source_event event,
	      void *context, struct source **ret, struct error *err);
/* Hands an event over. */
void fake_send(struct fake *f, const struct event *e);
/* After the source was closed. */
void fake_done(struct fake *f);

#endif
