/*
 * picture - the answer to a question, ready to be written or drawn.
 *
 * A picture is complete and self-contained: every string is its own, nothing
 * points back into the model.  A sink writes it, a screen shows it; neither
 * asks the model anything.  Weights are kept per side of the split; without a
 * split everything is on SIDE_IN.
 */
#ifndef SONDE_VIEW_PICTURE_H
#define SONDE_VIEW_PICTURE_H

#include "base/array.h"
#include "base/clock.h"
#include "base/intern.h"
#include "model/side.h"
#include "wire/event.h"

#include <stdbool.h>

/* What makes two frames the same. */
enum fold_by { FOLD_FUNCTION, FOLD_ADDRESS };

enum frame_kind {
	FRAME_USER,
	FRAME_KERNEL,
	FRAME_JIT,
	FRAME_INLINED,
	FRAME_PROBE,   /* the probe machinery: sonde's own cost */
	FRAME_UNKNOWN, /* no name: name is "image+0x1234" or "[unknown]" */
	FRAME_OTHER,   /* made by the view: "all", "(truncated)", "not on a CPU" */
	FRAME_WAIT,    /* where a thread left its CPU: what for */
	FRAME_HOLDER,  /* what another thread did: it had what is waited for, or ended the wait
			*/
};

/* One function of the kernel: what comes in between, and what it does. */
#define FRAME_INTERRUPT "[interrupt]"

/* Beginnings of the names of FRAME_WAITs: what for, if it is known, and who has that. */
#define FRAME_WAITS "[waits: "
#define FRAME_HELD "[held by "
/* And who, or what, ended the wait. */
#define FRAME_WOKEN "[woken by "
#define FRAME_TIMED_OUT "[timed out]"
/* Ends of the names of FRAME_HOLDERs: of one that had it, of one that ended the wait. */
#define FRAME_OF_HOLDER " [holder]"
#define FRAME_OF_WAKER " [waker]"

/* A file of code as an export wants it (pprof Mapping). */
struct picture_image {
	text_id path;
	text_id build_id;	     /* hex, 0 = none */
	uint64_t start, end, offset; /* of its first executable mapping, 0 = not known */
	enum image_kind kind;
};

/* A function, or one address of it when the picture was folded by address. */
struct picture_frame {
	text_id name;	    /* demangled */
	text_id file;	    /* source file, 0 = not known */
	text_id image_name; /* base name: "redis-server", "libc.so.6", "[kernel]" */
	uint32_t image;	    /* index into images, UINT32_MAX = none */
	uint32_t line;
	uint64_t address; /* run-time address when folded by address; else the function's offset
			   */
	enum frame_kind kind;
	/* only when folded by address */
	uint32_t outer;	  /* FRAME_INLINED: the frame it is inlined into, at the same address */
	text_id at_file;  /* where in the source the address is: for what something is */
	uint32_t at_line; /* inlined into, where that is called; 0 = not known */
};

/* What a node is to the functions that are compared. */
enum place_in_span {
	PLACE_OUTER,  /* the root, and callers of what is asked about */
	PLACE_SPAN,   /* the (outermost) frame of the probed function */
	PLACE_WITHIN, /* counted */
	PLACE_AGAIN,  /* counted, but not a function of its own: the probed one again */
};

/* nodes[0] is the root ("all"); a node is younger than its parent. */
struct picture_node {
	uint32_t parent;	     /* of the root: 0 */
	uint32_t frame;		     /* index into frames */
	uint64_t self[NR_SIDE];	     /* samples that end here */
	uint64_t self_nsec[NR_SIDE]; /* their weight */
	text_id site_file;	     /* where in the parent it is called: the place that was */
	uint32_t site_line;	     /* seen first; 0 = not known */
	bool more_sites;	     /* it is called from other lines there, too */
	bool again;		     /* its frame is above it already */
	uint8_t place;		     /* enum place_in_span; all PLACE_OUTER: none compared */
	uint32_t function;	     /* PLACE_WITHIN: index into functions */
};

struct picture_bucket {
	nsec low, high;
	uint64_t count;
};

/* A probe's calls within the window. */
struct picture_span {
	text_id place;	  /* as the user wrote it */
	text_id function; /* what it stands for */
	text_id file;
	uint32_t line, sites;
	uint32_t probe; /* its id in the run */
	bool removed;	/* it was taken away: calls are of the time before */
	enum probe_exit exit;
	uint64_t entries;     /* that began in the window */
	uint64_t calls;	      /* that returned in it, or were over: the distribution is
				 over these */
	uint64_t open;	      /* still running; 0 in the whole of a recording that has ended:
				 calls that were open then are END_DETACHED, each counted */
	uint64_t unaccounted; /* of such a one: calls that began and were not seen to end,
				 or the reverse */
	uint64_t ended[NR_SPAN_END]; /* by reason, discarded ones included */
	double rate;		     /* entries a second */
	double mean_nsec;
	double unsure_nsec; /* by so much more or less, on average, did a bracketed call
			       last; 0 = none is bracketed */
	double probed_nsec; /* what was taken off a duration for the work of probes, on
			       average: its own two, and those met inside */
	/* of the time of calls of which it is known, 0..1: without a CPU, and of all, for
	 * nothing but one; timed: it is */
	double off_share, runnable_share;
	bool timed;
	nsec p50, p90, p95, p99, p999, max;
	uint32_t cost_nsec;		      /* measured price of a call, 0 = not known */
	ARRAY(struct picture_bucket) buckets; /* non-empty ones, ascending */
};

/* One side of the split, as totals. */
struct picture_side {
	uint64_t calls;	  /* from the histogram where the split is a plain threshold */
	bool calls_exact; /* false: counted among sampled calls only */
	uint64_t samples;
	uint64_t weight_nsec;
	double mean_nsec; /* mean duration of these calls, 0 = not known */
};

/* A function called within the span: what it costs a call on each side. */
struct picture_function {
	uint32_t frame;
	uint64_t self_in_nsec, self_rest_nsec;
	uint64_t total_in_nsec, total_rest_nsec; /* recursion counted once */
	uint64_t samples_in, samples_rest;	 /* of total */
	double per_call_in_nsec, per_call_rest_nsec;
	double extra_nsec;  /* per_call_in - per_call_rest */
	double extra_share; /* of the whole extra time a call, 0..1 */
	double extra_error; /* half of the 95 % interval of extra_nsec */
	double z;	    /* extra_nsec over its standard error; |z| < z_least is noise */
	/* of extra_nsec, what a call of IN has beyond one of the rest that is as long: 0 where
	 * everything takes longer alike; and half of the 95 % interval of that */
	double beyond_nsec, beyond_error;
	/* half of the 95 % intervals to tell extra_nsec (as z has it) and beyond_nsec from
	 * chance by: no more than the errors, as a few calls that are much longer than all
	 * others of their side make these wide, and yet are no chance (view/extra.h) */
	double extra_noise, beyond_noise;
	/* as beyond_noise, of what is left of it where others are taken off (view/cause) */
	double left_noise;
	uint32_t caller; /* frame that calls it most on SIDE_IN, UINT32_MAX = the span itself */
	uint32_t depth;	 /* number of frames between it and the span, where it has most time */
};

struct picture_losses {
	uint64_t ring, samples, spans;		      /* see event_loss */
	uint64_t stacks;			      /* user stacks that were asked for */
	uint64_t stacks_truncated, stacks_unreadable; /* of these */
	uint64_t frames, frames_unresolved;	      /* of the samples in the picture */
	uint64_t spans_unmatched;
	uint64_t thinned, throttled;
	uint64_t children, children_unwatched; /* see store_children */
	nsec children_latest;
	uint64_t programs; /* see store_programs */
	nsec programs_latest;
	uint64_t forgotten;  /* samples dropped from the store to stay bounded */
	uint64_t in_probes;  /* samples that fell into sonde's probes; left out */
	uint64_t probe_nsec; /* what the probes cost: calls x their measured price */
	/* and what they cost by the samples in them, the 95 % interval of it; both 0: not known
	 */
	uint64_t probe_low_nsec, probe_high_nsec;
	uint64_t tick_nsec; /* what a tick takes from the call it falls in */
};

/* Stacks that stopped in one image, for one reason. */
struct picture_gap {
	text_id image_name; /* of the outermost frame that was found */
	uint32_t end;	    /* enum stack_end */
	uint64_t samples;
};

struct picture {
	struct intern text;
	/* Pictures with the same number have the same frames and nodes, as far as both go; 0:
	 * it is the only one. */
	uint64_t lineage;
	/* where it comes from */
	text_id host, kernel, comm;
	uint32_t pid, processes, threads;
	bool namesakes; /* all processes are called comm */
	nsec from, to;	/* of the window; monotonic */
	nsec asked;	/* how long it was to be, if it is longer, so that calls and samples are
			   of the same time; else 0 */
	nsec wall;	/* CLOCK_REALTIME at from */
	uint32_t hz, cpus;
	nsec period;	 /* weight of a cpu sample */
	uint64_t causes; /* of its samples, bits (wire/sample_cause.h) */
	enum end_reason ended;
	bool cut; /* the recording has no end: its writer was stopped hard */
	struct picture_losses losses;
	ARRAY(struct picture_gap) gaps; /* most samples first */
	uint64_t samples;		/* in the window, all sides */

	ARRAY(struct picture_span) spans;

	/* two recordings: IN is the newer, REST the older one, scaled to the same
	 * time; sides[].calls are seconds, so "per call" means per second */
	bool compared;

	/* the split; expr 0: none was asked for (a span alone still gives IN and OUT) */
	text_id split_expr;
	uint32_t split_span; /* index into spans, UINT32_MAX = no span at all */
	nsec threshold;	     /* what pNN stood for, 0 = the split has no bound on a time */
	/* what of a difference between IN and REST is lost because the sides of samples are
	 * probabilities (view/odds.h): 0 = nothing, 1 = only how many there are is known */
	double blur;
	nsec clearer; /* a round bound to try instead, where too much is; 0 = none is better */
	struct picture_side sides[NR_SIDE];
	ARRAY(struct picture_function) functions; /* by extra_nsec, largest first */
	struct picture_function itself; /* the span's own code; frame UINT32_MAX: never seen */
	/* of the functions that were sampled often enough to stand out, chance takes one to
	 * this |z| in one picture of a hundred */
	double z_least;
	double off_in_nsec, off_rest_nsec; /* per call: mean duration minus sampled time,
					      where that is more than nothing; 0 where both
					      running and waiting threads were sampled */

	ARRAY(struct picture_image) images;
	ARRAY(struct picture_frame) frames;
	ARRAY(struct picture_node) nodes;
};

struct picture *picture_new(void);
/* Adds a node (not the root), valid until the next one is added. */
struct picture_node *picture_add_node(struct picture *p, uint32_t parent, uint32_t frame);
void picture_free(struct picture *p); /* NULL is fine */
/* Empties it but for text, images, frames, nodes and gaps. */
void picture_clear(struct picture *p);

static inline const char *picture_text(const struct picture *p, text_id id)
{
	return intern_string(&p->text, id);
}

/* The file of code that the process is: the one that is named as it, else (of one process)
 * the one at the lowest address that is no shared library; UINT32_MAX where neither is known.
 */
uint32_t picture_main_image(const struct picture *p);

/* Is a frame about another thread than that whose stack it is in: who it is, or what it did? */
bool picture_is_of_other(const struct picture *p, uint32_t frame);

/* Durations below it cannot be told from none: a sixteenth of what was taken off one for the
 * work of probes, which is known no better on a function that is not sonde's own; 0 where
 * nothing was. */
double picture_shortest(const struct picture_span *s);

/* What the weights of samples are: "CPU time", "time off the CPU", "time". */
const char *picture_time(const struct picture *p);
/* The part of a call that has no samples: "not on a CPU", "on a CPU", "spent otherwise"; NULL:
 * there is none. */
const char *picture_unseen(const struct picture *p);

/* total[node] = self over its subtree, of the sides in the mask (bit = enum side),
 * in samples or nanoseconds.  total has p->nodes.count elements. */
void picture_totals(const struct picture *p, unsigned sides, bool in_nsec, uint64_t *ret_total);

#endif
