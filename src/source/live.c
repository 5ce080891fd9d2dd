#include "source/live.h"

#include "base/clock.h"
#include "base/mem.h"
#include "source/armed.h"
#include "source/counts.h"
#include "source/cputime.h"
#include "source/names.h"
#include "source/others.h"
#include "source/pricer.h"
#include "source/rounds.h"
#include "source/ticker.h"
#include "wire/control.h"

#include "sonde.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <unistd.h>

#define COUNTER_BYTES (32u << 20) /* what the call counters may take */

struct live {
	struct source source; /* first */
	struct source_option option;
	source_event event;
	void *context;
	struct sonde_bpf *bpf;
	struct ring_buffer *ring;
	struct counts counts;
	struct ticker ticker;
	struct rounds *rounds;
	ARRAY(uint32_t) processes; /* that were added before the start */
	struct armed *armed;
	struct pricer pricer;
	bool priced;
	bool counting; /* the counters are mapped */
	bool started;
	uint32_t probes; /* that counted then */
	nsec counted;	 /* when the calls were delivered last, 0 = they do not count now */
	struct cputime cputime;
	struct tables_need need;
	struct judged_maps judged;
};

static struct live *live_of(struct source *s)
{
	return (struct live *)s;
}

static bool has_spans(const struct live *l)
{
	return l->option.probes || l->option.more;
}

static int live_brackets(struct source *s, struct error *err);

static int take_record(void *context, void *record, size_t size)
{
	struct live *l = context;
	const struct event *e = record;

	if (size < sizeof(*e) || e->size > size)
		return 0;
	if (e->kind == EVENT_LEAVE && e->size >= sizeof(struct event_leave) && l->counting)
		counts_leave(&l->counts, record);
	l->event(l->context, e);
	return 0;
}

/* As many copies of the counters as there are CPUs, unless that is too much. */
static uint32_t stripes_for(uint32_t slots)
{
	uint32_t cpus = libbpf_num_possible_cpus(), stripes = 1;

	while (stripes < cpus && stripes < 16 &&
	       (uint64_t)slots * stripes * 2 * sizeof(struct call_counts) <= COUNTER_BYTES)
		stripes *= 2;
	return stripes;
}

/* One slot at least: the map has to have some. */
static uint32_t slots_for(const struct source_option *o)
{
	uint32_t slots = 1;

	while (slots < o->probes + o->more)
		slots *= 2;
	return slots;
}

/* No more of each map than this run can fill: the kernel lays out all entries at once, and
 * room for 65,536 threads alone is 5 MiB. */
static void fit_maps(struct live *l, uint32_t calls)
{
	const struct source_option *o = &l->option;
	struct sonde_bpf *b = l->bpf;

	bpf_map__set_max_entries(b->maps.calls, calls);
	if (!o->by_thread)
		bpf_map__set_max_entries(b->maps.tids, 1);
	if (!o->goroutines && !o->more)
		bpf_map__set_max_entries(b->maps.layout_by_pid, 1);
	if (!has_spans(l)) {
		bpf_map__set_max_entries(b->maps.foreign_calls, 1);
		bpf_map__set_max_entries(b->maps.judged, 1);
	}
	if (!o->tables)
		return;
	l->need = tables_need(o->tables);
	bpf_map__set_max_entries(b->maps.rows, l->need.chunks);
	bpf_map__set_max_entries(b->maps.excs, l->need.excs);
	bpf_map__set_max_entries(b->maps.spaces, l->need.spaces);
}

static int configure(struct live *l, uint32_t slots, uint32_t stripes, struct error *err)
{
	const struct source_option *o = &l->option;
	bool spans = has_spans(l);
	struct sonde_bpf *b = l->bpf;
	unsigned type = attach_program_type(o->attach);
	int code = o->names ? names_rule(o->names, &b->rodata->names, err) : 0;

	if (code)
		return code;

	b->rodata->control = (struct control){
		.period = o->hz ? NSEC_PER_SEC / o->hz : 0,
		.brief = o->hz ? residue_brief(NSEC_PER_SEC / o->hz) : 0,
		.stripe_mask = stripes - 1,
		.slot_mask = slots - 1,
		.want_user = o->user,
		.want_kernel = o->kernel,
		.follow = o->follow,
		.every = o->every,
		.by_thread = o->by_thread,
		.by_name = o->names != NULL,
		.rounds = o->waiting,
		.wakes = o->waiting && !o->seen,
		.seen = o->seen,
		.spans = spans,
		.times = spans && o->waiting,
		.brackets = o->brackets || o->more,
		.goroutines = o->goroutines || o->more,
		.self = getpid(),
	};
	fit_maps(l, slots * stripes);
	bpf_program__set_expected_attach_type(b->progs.call_session, type);
	bpf_program__set_expected_attach_type(b->progs.call_entry, type);
	bpf_program__set_expected_attach_type(b->progs.call_return, type);
	bpf_program__set_expected_attach_type(b->progs.call_site, attach_plain_type(o->attach));
	bpf_program__set_autoload(b->progs.call_site, spans);
	bpf_program__set_autoload(b->progs.call_session, spans && o->attach == ATTACH_SESSION);
	bpf_program__set_autoload(b->progs.judge, spans && o->attach == ATTACH_SESSION);
	bpf_program__set_autoload(b->progs.call_entry, spans && o->attach != ATTACH_SESSION);
	bpf_program__set_autoload(b->progs.call_return, spans && o->attach != ATTACH_SESSION);
	bpf_program__set_autoload(b->progs.forget, spans);
	bpf_program__set_autoload(b->progs.open_spans, spans);
	bpf_program__set_autoload(b->progs.known_threads, spans);
	bpf_program__set_autoload(b->progs.clock_tick, o->hz > 0 && o->running);
	bpf_program__set_autoload(b->progs.look_round, o->hz > 0 && o->waiting);
	bpf_program__set_autoattach(b->progs.look_round, false);
	bpf_program__set_autoload(b->progs.wake_up, b->rodata->control.wakes && o->hz > 0);
	bpf_program__set_autoload(b->progs.away_switch, spans && o->waiting);
	bpf_program__set_autoload(b->progs.bracket_switch, o->brackets || o->more);
	bpf_program__set_autoattach(b->progs.bracket_switch, false);
	bpf_program__set_autoattach(b->progs.open_spans, false);
	bpf_program__set_autoattach(b->progs.known_threads, false);
	return 0;
}

static int load_error(const struct live *l, int code, struct error *err)
{
	if (code == EPERM)
		return error_set(
			err, EPERM,
			"not allowed to load BPF programs: run as root, or with CAP_BPF and "
			"CAP_PERFMON (see sonde doctor)");
	return error_set(
		err, code,
		"the kernel does not take sonde's BPF programs: %s (see sonde doctor%s)",
		strerror(code),
		l->option.waiting ? "; to look at threads that wait needs Linux 5.18, "
				    "-e cpu does not"
				  : "");
}

static int give_tables(struct live *l, struct error *err)
{
	struct tables_maps maps = {
		.rows = bpf_map__fd(l->bpf->maps.rows),
		.excs = bpf_map__fd(l->bpf->maps.excs),
		.spaces = bpf_map__fd(l->bpf->maps.spaces),
		.space_of = bpf_map__fd(l->bpf->maps.space_of),
		.size = l->need,
	};

	return l->option.tables ? tables_load(l->option.tables, &maps, err) : 0;
}

static struct attach_programs programs_of(const struct live *l)
{
	return (struct attach_programs){
		.session = bpf_program__fd(l->bpf->progs.call_session),
		.entry = bpf_program__fd(l->bpf->progs.call_entry),
		.ret = bpf_program__fd(l->bpf->progs.call_return),
		.site = bpf_program__fd(l->bpf->progs.call_site),
	};
}

static int follow_children(struct live *l, struct error *err)
{
	struct attach_programs programs = programs_of(l);
	int code = 0;

	l->armed = armed_new(l->option.attach, &programs);
	if (l->option.follow && has_spans(l))
		code = armed_follow(l->armed, bpf_map__fd(l->bpf->maps.births),
				    bpf_map__fd(l->bpf->maps.targets), &l->bpf->bss->grown);
	if (code)
		error_set(err, -code, "cannot wait for children of the target: %s",
			  strerror(-code));
	return code;
}

static int load(struct live *l, struct error *err)
{
	uint32_t slots = slots_for(&l->option);
	uint32_t stripes = stripes_for(slots);
	int code;

	libbpf_set_print(NULL); /* what a person should know is in err */
	l->bpf = sonde_bpf__open();
	if (!l->bpf)
		return load_error(l, errno, err);
	code = configure(l, slots, stripes, err);
	if (code)
		return code;
	code = sonde_bpf__load(l->bpf);
	if (code)
		return load_error(l, -code, err);
	code = sonde_bpf__attach(l->bpf); /* the tracepoints; the rest has no place yet */
	if (code)
		return load_error(l, -code, err);
	l->ring = ring_buffer__new(bpf_map__fd(l->bpf->maps.ring), take_record, l, NULL);
	if (!l->ring)
		return load_error(l, errno, err);
	code = counts_open(&l->counts, bpf_map__fd(l->bpf->maps.calls), slots, stripes, err);
	if (code)
		return code;
	l->counts.rule.brief = l->bpf->rodata->control.brief;
	l->counting = true;
	l->judged = (struct judged_maps){
		.map = bpf_map__fd(l->bpf->maps.judged),
		.program = bpf_program__fd(l->bpf->progs.judge),
		.asks = &l->bpf->bss->asks,
	};
	code = give_tables(l, err);
	if (code == 0)
		code = follow_children(l, err);
	if (code == 0 && l->option.brackets)
		code = live_brackets(&l->source, err);
	return code;
}

static void live_close(struct source *s)
{
	struct live *l = live_of(s);

	pricer_enough(&l->pricer);
	rounds_close(l->rounds);
	armed_free(l->armed);
	pricer_end(&l->pricer);
	ticker_close(&l->ticker);
	if (l->counting)
		counts_close(&l->counts);
	ring_buffer__free(l->ring);
	sonde_bpf__destroy(l->bpf);
	cputime_done(&l->cputime);
	array_done(&l->processes);
	free(l);
}

static int add_key(struct bpf_map *map, uint32_t key, const char *what, struct error *err)
{
	uint32_t one = 1;

	if (bpf_map_update_elem(bpf_map__fd(map), &key, &one, BPF_ANY) == 0)
		return 0;
	return error_set(err, errno, "cannot look at %s %u: %s", what, key,
			 errno == E2BIG ? "too many at once" : strerror(errno));
}

static int live_add_process(struct source *s, uint32_t pid, struct error *err)
{
	struct live *l = live_of(s);

	if (!l->started)
		array_push(&l->processes, pid);
	if (!l->option.by_thread) /* whose time that of the process is not */
		cputime_add(&l->cputime, pid);
	if (has_spans(l))
		armed_process(l->armed, pid);
	return add_key(l->bpf->maps.targets, pid, "process", err);
}

static int live_add_thread(struct source *s, uint32_t tid, struct error *err)
{
	return add_key(live_of(s)->bpf->maps.tids, tid, "thread", err);
}

static struct judged_maps *live_judged(struct source *s)
{
	return &live_of(s)->judged;
}

static const char *live_kernel_symbol(struct source *s, uint64_t address)
{
	struct live *l = live_of(s);
	LIBBPF_OPTS(bpf_test_run_opts, run);

	l->bpf->bss->symbol_at = address;
	if (bpf_prog_test_run_opts(bpf_program__fd(l->bpf->progs.symbol), &run) ||
	    (int)run.retval <= 0 || run.retval > sizeof(l->bpf->bss->symbol_said))
		return NULL;
	return l->bpf->bss->symbol_said;
}

static struct price live_price(struct source *s)
{
	struct live *l = live_of(s);
	struct attach_programs programs = programs_of(l);

	if (!l->priced) {
		pricer_begin(&l->pricer, l->option.attach, &programs, &l->bpf->bss->gauge_nsec,
			     &l->bpf->bss->prices);
	}
	l->priced = true;
	return pricer_price(&l->pricer);
}

static struct price live_price_look(struct source *s)
{
	(void)live_price(s);
	return pricer_look(&live_of(s)->pricer);
}

static void live_layouts(struct source *s, const struct goroutine_layout *layouts,
			 uint32_t count)
{
	struct live *l = live_of(s);

	for (uint32_t i = 0; i < count && i < MAX_LAYOUTS; i++)
		l->bpf->bss->layouts[i] = layouts[i];
}

static int live_watch(struct source *s, const struct attach_sites *sites, struct error *err)
{
	struct live *l = live_of(s);
	struct attach_programs programs = programs_of(l);
	uint32_t probe = COOKIE_PROBE(sites->cookies[0]);
	int code = others_check(sites, armed_only(l->armed), &programs, err);

	if (code)
		return code;

	/* before the start nothing counts */
	if (probe && !l->started)
		counts_begin(&l->counts, probe, clock_now());
	code = armed_watch(l->armed, sites, err);
	/* somebody may have come at the same time */
	return code ? code : others_check(sites, armed_only(l->armed), &programs, err);
}

static uint32_t live_room(struct source *s)
{
	return counts_room(&live_of(s)->counts);
}

static void live_count(struct source *s, uint32_t probe)
{
	counts_begin(&live_of(s)->counts, probe, clock_now());
}

static void live_unwatch(struct source *s, uint32_t probe)
{
	struct live *l = live_of(s);

	l->bpf->bss->unwatched = 1;
	if (counts_has(&l->counts, probe))
		counts_end(&l->counts, probe, clock_now());
	armed_remove(l->armed, probe);
}

/* The program is for sessions that are told so at the start. */
static int live_brackets(struct source *s, struct error *err)
{
	struct live *l = live_of(s);

	if (l->bpf->bss->brackets)
		return 0;
	l->bpf->links.bracket_switch = bpf_program__attach(l->bpf->progs.bracket_switch);
	if (!l->bpf->links.bracket_switch)
		return error_set(err, errno, "cannot see threads leave their CPU: %s",
				 strerror(errno));
	l->bpf->bss->brackets = 1;
	return 0;
}

static void live_ended(struct source *s, uint32_t pid)
{
	armed_ended(live_of(s)->armed, pid);
}

/* Of children that were forked since the last call. */
static void tell_armed(struct live *l)
{
	struct armed_child child;

	while (armed_told(l->armed, &child)) {
		struct event_armed e = {
			.head = { .kind = EVENT_ARMED, .size = sizeof(e) },
			.since = child.born,
			.pid = child.pid,
		};

		e.head.time = child.at ? child.at : child.born;
		l->event(l->context, &e.head);
	}
}

/* Calls are counted in steps; to read a probe's counters takes some 20 us. */
#define STEP_LEAST (100 * NSEC_PER_MSEC)
#define STEP_A_PROBE (10 * NSEC_PER_MSEC)
#define STEP_EARLY (25 * NSEC_PER_MSEC) /* as good as over: who polls comes by seldom */

static int consume(struct live *l)
{
	return ring_buffer__consume(l->ring);
}

/* Delivers what was counted until now. */
static void count_calls(struct live *l, nsec now)
{
	l->probes = counts_read(&l->counts, now, l->event, l->context);
	l->counted = now;
}

static bool is_step_over(const struct live *l, nsec now)
{
	nsec step = l->probes * STEP_A_PROBE;

	return l->counted &&
	       now - l->counted >= (step > STEP_LEAST ? step : STEP_LEAST) - STEP_EARLY;
}

/* No program runs for the probe any more. */
static void tell_gone(struct live *l, uint32_t probe)
{
	struct probe_gone gone = { .probe = probe };
	struct event_unprobe e = {
		.head = { .kind = EVENT_UNPROBE, .size = sizeof(e) },
		.probe = probe,
	};
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = &gone, .ctx_size_in = sizeof(gone));

	bpf_prog_test_run_opts(bpf_program__fd(l->bpf->progs.forget), &run);
	if (!counts_has(&l->counts, probe))
		return;
	e.head.time = counts_gone(&l->counts, probe, l->event, l->context);
	l->event(l->context, &e.head);
}

static void tell_all_gone(struct live *l)
{
	uint32_t probe;

	while ((probe = armed_gone(l->armed)))
		tell_gone(l, probe);
}

static int live_poll(struct source *s)
{
	struct live *l = live_of(s);
	int records = consume(l);
	nsec now = clock_now();

	tell_all_gone(l);
	if (is_step_over(l, now))
		count_calls(l, now);
	return records;
}

/* Runs a program for every thread of the machine. */
static void each_thread(struct live *l, const struct bpf_program *program)
{
	int link = bpf_link_create(bpf_program__fd(program), 0, BPF_TRACE_ITER, NULL);
	int fd;
	char byte;

	if (link < 0)
		return;
	fd = bpf_iter_create(link);
	if (fd >= 0) {
		while (read(fd, &byte, 1) > 0)
			consume(l);
		close(fd);
	}
	close(link);
}

#define TICK_PART 8
#define TICK_SLOWEST 2 /* times what one takes on average: of one that had to wait */

/* Rather too little is taken off: what a tick took besides is learned from the calls, of
 * what would be less than nothing is not known how much. */
static void set_tick(struct live *l)
{
	uint32_t cost = ticker_cost();

	l->bpf->bss->tick_nsec = cost - cost / TICK_PART;
	l->bpf->bss->landing_nsec = TICK_SLOWEST * cost;
	residue_guess(&l->counts.rule.residue, residue_spread(l->bpf->bss->tick_nsec));
}

static int start_rounds(struct live *l, struct error *err)
{
	struct rounds_shared shared = { &l->bpf->bss->round_weight,
					&l->bpf->bss->round_children,
					&l->bpf->bss->round_is_first,
					&l->bpf->bss->round_is_last };

	return rounds_open(bpf_program__fd(l->bpf->progs.look_round), l->option.hz,
			   l->processes.at, l->option.every ? 0 : l->processes.count, shared,
			   &l->rounds, err);
}

static int live_start(struct source *s, struct error *err)
{
	struct live *l = live_of(s);
	struct event_start start = {
		.head = { .kind = EVENT_START, .size = sizeof(start) },
	};

	if (has_spans(l)) {
		live_price(s); /* so that it can be taken off */
		each_thread(l, l->bpf->progs.known_threads);
		if (l->option.hz)
			set_tick(l);
	}
	/* from here on calls and samples count */
	start.head.time = l->counted = clock_now();
	l->event(l->context, &start.head);
	counts_again(&l->counts, start.head.time);
	l->started = true;
	l->bpf->bss->phase = PHASE_STEADY;
	if (l->option.hz && l->option.waiting) {
		int code = start_rounds(l, err);

		if (code)
			return code;
	}
	if (!l->option.hz || !l->option.running)
		return 0;
	return ticker_open(&l->ticker, l->option.hz, bpf_program__fd(l->bpf->progs.clock_tick),
			   err);
}

/* How often a program could not run because another one did, on its CPU. */
static uint64_t misses_of(const struct bpf_program *program)
{
	struct bpf_prog_info info = { 0 };
	uint32_t size = sizeof(info);
	int fd = bpf_program__fd(program);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size))
		return 0;
	return info.recursion_misses;
}

static void send_loss(struct live *l)
{
	const struct kernel_loss *k = &l->bpf->bss->loss;
	struct event_loss e = {
		.head = { .kind = EVENT_LOSS, .size = sizeof(e), .time = clock_now() },
		.ring = k->samples + k->spans + k->others,
		.samples = k->samples,
		.spans = k->spans,
		.unmatched = k->unmatched,
		.stacks = k->stacks,
		.throttled = !l->option.running
				     ? 0
				     : cputime_missing(
					       cputime_used(&l->cputime),
					       l->option.hz ? NSEC_PER_SEC / l->option.hz : 0,
					       l->bpf->bss->ticks),
	};

	if (l->bpf->bss->ticks)
		e.tick_nsec = k->ticked / l->bpf->bss->ticks;
	e.nested = misses_of(l->bpf->progs.clock_tick) + misses_of(l->bpf->progs.call_session) +
		   misses_of(l->bpf->progs.call_entry) + misses_of(l->bpf->progs.call_return) +
		   misses_of(l->bpf->progs.call_site);
	l->event(l->context, &e.head);
}

static void live_tick(struct source *s)
{
	struct live *l = live_of(s);

	consume(l);
	tell_all_gone(l);
	tell_armed(l);
	count_calls(l, clock_now());
	send_loss(l);
}

static void live_stop(struct source *s, enum end_reason reason, int status)
{
	struct live *l = live_of(s);
	struct event_end end = {
		.head = { .kind = EVENT_END, .size = sizeof(end) },
		.reason = reason,
		.status = status,
	};

	/* No span begins from here on: this is the end, however long it takes to get away. */
	l->bpf->bss->phase = PHASE_CLOSING;
	end.head.time = clock_now();
	l->counted = 0;
	ticker_close(&l->ticker);
	rounds_close(l->rounds);
	l->rounds = NULL;
	pricer_enough(&l->pricer); /* ends while the links are closed */
	armed_clear(l->armed);
	/* nothing opens or closes a span now but the end of a thread */
	if (has_spans(l))
		each_thread(l,
			    l->bpf->progs.open_spans); /* the records come through the ring */
	consume(l);
	tell_all_gone(l);
	tell_armed(l);
	count_calls(l, end.head.time);
	send_loss(l);
	l->event(l->context, &end.head);
}

static const struct source_operations operations = {
	.close = live_close,
	.add_process = live_add_process,
	.add_thread = live_add_thread,
	.layouts = live_layouts,
	.watch = live_watch,
	.room = live_room,
	.brackets = live_brackets,
	.count = live_count,
	.unwatch = live_unwatch,
	.ended = live_ended,
	.judged = live_judged,
	.kernel_symbol = live_kernel_symbol,
	.price = live_price,
	.price_look = live_price_look,
	.start = live_start,
	.poll = live_poll,
	.tick = live_tick,
	.stop = live_stop,
};

int live_open(const struct source_option *option, source_event event, void *context,
	      struct source **ret, struct error *err)
{
	struct live *l;
	int code;

	if (option->hz > ticker_limit())
		return error_set(err, EINVAL,
				 "%u samples a second are more than this kernel allows (%u, "
				 "kernel.perf_event_max_sample_rate)",
				 option->hz, ticker_limit());
	l = NEW(struct live);
	l->source.operations = &operations;
	l->option = *option;
	l->event = event;
	l->context = context;
	code = load(l, err);
	if (code) {
		live_close(&l->source);
		return code;
	}
	*ret = &l->source;
	return 0;
}

static void ignore(void *context, const struct event *e)
{
	(void)context;
	(void)e;
}

int live_price_here(enum attach_kind attach, struct price *ret, struct error *err)
{
	const struct source_option option = { .probes = 1, .attach = attach };
	struct source *s;
	int code = live_open(&option, ignore, NULL, &s, err);

	*ret = (struct price){ 0 };
	if (code)
		return code;
	*ret = live_price(s);
	live_close(s);
	return 0;
}
