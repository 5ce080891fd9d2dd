#include "session/feed.h"

#include "model/join.h"

void feed_init(struct feed *f, struct images *images)
{
	*f = (struct feed){ .store = store_new(NULL), .namer = namer_new(images) };
}

void feed_done(struct feed *f)
{
	answers_done(&f->answers);
	store_free(f->store);
	namer_free(f->namer);
	*f = (struct feed){ 0 };
}

static void feed_write(void *feed, const struct event *e)
{
	struct feed *f = feed;

	if (f->writer && !f->failed)
		f->failed = stream_writer_add(f->writer, e, &f->error);
}

void feed_name(struct feed *f)
{
	struct naming naming = namer_naming(f->namer);
	struct frame_name name, levels[NAMING_LEVELS];

	if (!f->writer)
		return;
	for (; f->named < f->store->frames.list.count; f->named++) {
		struct frame frame = frame_at(&f->store->frames, f->named);

		naming.find(naming.context, frame.image, frame.offset, &name);
		naming.expand(naming.context, frame.image, frame.offset, levels, NAMING_LEVELS);
	}
	namer_each_new_symbol(f->namer, feed_write, f);
}

void feed_event(void *feed, const struct event *e)
{
	struct feed *f = feed;

	f->events++;
	if (e->kind == EVENT_END)
		feed_name(f); /* the end is the last record of a stream */
	if (e->kind == EVENT_SAMPLE)
		f->samples++;
	else if (e->kind == EVENT_CALLS)
		f->calls += ((const struct event_calls *)e)->entries;
	join_event(f->store, e);
	namer_event(f->namer, e);
	feed_write(f, e);
}

void feed_flush(struct feed *f)
{
	if (!f->writer || f->failed)
		return;
	f->failed = stream_writer_flush(f->writer, &f->error);
}

void feed_pass(struct feed *f)
{
	if (f->writer && !f->failed)
		f->failed = stream_writer_pass(f->writer, &f->error);
}
