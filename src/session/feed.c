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
	array_done(&f->late);
	array_done(&f->lineless);
	*f = (struct feed){ 0 };
}

static void feed_write(void *feed, const struct event *e)
{
	struct feed *f = feed;

	if (f->writer && !f->failed)
		f->failed = stream_writer_add(f->writer, e, &f->error);
}

/* False: it is late. */
static bool name_frame(struct feed *f, frame_id id)
{
	struct naming naming = namer_naming(f->namer);
	struct frame frame = frame_at(&f->store->frames, id);
	struct frame_name name, levels[NAMING_LEVELS];
	uint64_t late = namer_late(f->namer), lineless = namer_lineless(f->namer);

	naming.find(naming.context, frame.image, frame.offset, &name);
	naming.expand(naming.context, frame.image, frame.offset, levels, NAMING_LEVELS);
	if (namer_late(f->namer) != late)
		return false;
	if (namer_lineless(f->namer) != lineless)
		array_push(&f->lineless, id);
	return true;
}

/* Of what lies where threads wait. */
static void name_locks(struct feed *f)
{
	struct naming naming = namer_naming(f->namer);
	struct data_name data = { .size = 0 };

	for (; f->locks < f->store->locks.list.count; f->locks++) {
		const struct lock *l = &f->store->locks.list.at[f->locks];

		text_clear(&data.name);
		if (l->image)
			naming.variable(naming.context, l->image, l->offset, l->distance,
					&data);
	}
	text_done(&data.name);
}

bool feed_name(struct feed *f, nsec patience)
{
	uint32_t kept = 0;

	namer_set_patience(f->namer, patience);
	if (!f->names)
		return true;
	for (uint32_t i = 0; i < f->late.count; i++)
		if (!name_frame(f, f->late.at[i]))
			f->late.at[kept++] = f->late.at[i];
	f->late.count = kept;
	for (; f->named < f->store->frames.list.count; f->named++)
		if (!name_frame(f, f->named))
			array_push(&f->late, f->named);
	name_locks(f);
	namer_each_new_symbol(f->namer, feed_write, f);
	return !f->late.count;
}

void feed_add_lines(struct feed *f, nsec time)
{
	uint32_t count = f->lineless.count;

	namer_set_line_budget(f->namer, time);
	/* those that stay so are put where those before them were */
	f->lineless.count = 0;
	for (uint32_t i = 0; i < count; i++)
		name_frame(f, f->lineless.at[i]);
	namer_each_new_symbol(f->namer, feed_write, f);
}

void feed_event(void *feed, const struct event *e)
{
	struct feed *f = feed;

	f->events++;
	if (e->kind == EVENT_END && f->on_end)
		f->on_end(f->context); /* the end is the last record of a stream */
	if (e->kind == EVENT_SAMPLE || e->kind == EVENT_WAIT)
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
