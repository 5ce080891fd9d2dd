#include "source/fake.h"

#include "base/clock.h"

#include <errno.h>
#include <string.h>

static struct fake *fake_of(struct source *s)
{
	return (struct fake *)s;
}

/* Once, however often it is done in a row. */
static int note(struct fake *f, const char *what, struct error *err)
{
	size_t size = strlen(what);
	const char *did = text_string(&f->did);

	if (f->did.size < size || strcmp(did + f->did.size - size, what) != 0)
		text_format(&f->did, "%s%s", f->did.size ? " " : "", what);
	if (f->refuses && !strcmp(f->refuses, what))
		return error_set(err, EIO, "the fake refuses to %s", what);
	return 0;
}

static void fake_close(struct source *s)
{
	note(fake_of(s), "close", NULL);
}

static int fake_add_process(struct source *s, uint32_t pid, struct error *err)
{
	(void)pid;
	return note(fake_of(s), "add_process", err);
}

static int fake_add_thread(struct source *s, uint32_t tid, struct error *err)
{
	(void)tid;
	return note(fake_of(s), "add_thread", err);
}

static void fake_layouts(struct source *s, const struct goroutine_layout *layouts,
			 uint32_t count)
{
	(void)s;
	(void)layouts;
	(void)count;
}

static int fake_watch(struct source *s, const struct attach_sites *sites, struct error *err)
{
	fake_of(s)->sites += sites->count;
	return note(fake_of(s), "watch", err);
}

static uint32_t fake_room(struct source *s)
{
	struct fake *f = fake_of(s);

	return f->added < f->option.more ? f->option.probes + ++f->added : 0;
}

static int fake_brackets(struct source *s, struct error *err)
{
	return note(fake_of(s), "brackets", err);
}

static void fake_count(struct source *s, uint32_t probe)
{
	(void)probe;
	note(fake_of(s), "count", NULL);
}

static void fake_unwatch(struct source *s, uint32_t probe)
{
	struct event_unprobe e = {
		.head = { .kind = EVENT_UNPROBE, .size = sizeof(e), .time = clock_now() },
		.probe = probe,
	};

	note(fake_of(s), "unwatch", NULL);
	fake_send(fake_of(s), &e.head);
}

static void fake_ended(struct source *s, uint32_t pid)
{
	(void)pid;
	note(fake_of(s), "ended", NULL);
}

static struct judged_maps *fake_judged(struct source *s)
{
	(void)s;
	return NULL; /* nothing is hooked where nothing is attached */
}

static const char *fake_kernel_symbol(struct source *s, uint64_t address)
{
	(void)s;
	(void)address;
	return NULL;
}

static struct price fake_price(struct source *s)
{
	(void)s;
	return (struct price){ 0 };
}

static int fake_start(struct source *s, struct error *err)
{
	struct fake *f = fake_of(s);
	struct event_start start = {
		.head = { .kind = EVENT_START, .size = sizeof(start), .time = clock_now() },
	};
	int code = note(f, "start", err);

	if (code)
		return code;
	fake_send(f, &start.head);
	if (f->on_start)
		f->on_start(f);
	return 0;
}

static int fake_poll(struct source *s)
{
	(void)s;
	return 0;
}

static void fake_tick(struct source *s)
{
	struct fake *f = fake_of(s);

	f->ticks++;
	note(f, "tick", NULL);
	if (f->on_tick)
		f->on_tick(f);
}

static void fake_stop(struct source *s, enum end_reason reason, int status)
{
	struct fake *f = fake_of(s);
	struct event_end end = {
		.head = { .kind = EVENT_END, .size = sizeof(end), .time = clock_now() },
		.reason = reason,
		.status = status,
	};

	note(f, "stop", NULL);
	f->reason = reason;
	fake_send(f, &end.head);
}

int fake_open(struct fake *f, const struct source_option *option, source_event event,
	      void *context, struct source **ret, struct error *err)
{
	static const struct source_operations operations = {
		.close = fake_close,
		.add_process = fake_add_process,
		.add_thread = fake_add_thread,
		.layouts = fake_layouts,
		.watch = fake_watch,
		.room = fake_room,
		.brackets = fake_brackets,
		.count = fake_count,
		.unwatch = fake_unwatch,
		.ended = fake_ended,
		.judged = fake_judged,
		.kernel_symbol = fake_kernel_symbol,
		.price = fake_price,
		.price_look = fake_price,
		.start = fake_start,
		.poll = fake_poll,
		.tick = fake_tick,
		.stop = fake_stop,
	};
	int code = note(f, "open", err);

	if (code)
		return code;
	f->source.operations = &operations;
	f->option = *option;
	f->event = event;
	f->context = context;
	*ret = &f->source;
	return 0;
}

void fake_send(struct fake *f, const struct event *e)
{
	f->event(f->context, e);
}

void fake_done(struct fake *f)
{
	text_done(&f->did);
}
