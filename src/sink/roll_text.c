#include "sink/roll_text.h"

#include "base/columns.h"
#include "base/table.h"
#include "sink/fit.h"
#include "sink/headline.h"
#include "sink/walk.h"
#include "wire/sample_cause.h"

#include <stdio.h>

#define COLUMNS_LEAST 40
#define COLUMNS_DEFAULT 80
#define NAMED_MOST 8	  /* threads of a group whose numbers are shown */
#define PLACE_MOST_PART 2 /* a place has at most so much of a line: a half */

struct sheet {
	const struct roll *r;
	const struct sink_option *option;
	struct text *out;
	unsigned columns, name; /* of a line, and of the names of frames */
	uint32_t processes;
};

static const struct picture *picture_of(const struct sheet *s)
{
	return s->r->picture;
}

static const struct roll_thread *thread_at(const struct sheet *s, uint32_t i)
{
	return &s->r->threads.at[i];
}

static void add_words(struct sheet *s, const struct text *words, unsigned indent)
{
	AUTO_TEXT struct text lines = { 0 };

	columns_wrap(&lines, text_string(words), s->columns, indent);
	text_add(s->out, text_string(&lines));
}

/* "worker (4250)" */
static void add_one(const struct sheet *s, struct text *t, uint32_t tid, text_id name)
{
	const char *text = picture_text(picture_of(s), name);

	text_add_plain(t, *text ? text : "thread");
	text_format(t, " (%u)", tid);
}

/* Of one of a cycle: it waits for the next. */
static text_id name_of(const struct sheet *s, uint32_t tid)
{
	for (uint32_t i = 0; i < s->r->threads.count; i++)
		if (thread_at(s, i)->tid == tid)
			return thread_at(s, i)->name;
	return 0;
}

/* Of a group that waits at the same place. */
static bool same_lock(const struct sheet *s, const struct roll_group *g)
{
	for (uint32_t i = g->first; i < g->first + g->count; i++)
		if (thread_at(s, i)->hold.address != thread_at(s, g->first)->hold.address)
			return false;
	return true;
}

/* "mutex cache_mu held by worker (4250)" */
static void add_hold(const struct sheet *s, struct text *t, const struct roll_group *g)
{
	const struct roll_thread *first = thread_at(s, g->first);
	const struct hold *h = &first->hold;

	if (h->kind == HOLD_THREAD && first->owner) {
		text_add(t, "the end of ");
		add_one(s, t, first->owner, first->owner_name);
		return;
	}
	text_add(t, hold_words[h->kind]);
	if (same_lock(s, g) && h->name) {
		text_add_char(t, ' ');
		text_add_plain(t, picture_text(picture_of(s), h->name));
	}
	if (first->owner) {
		text_add(t, " held by ");
		add_one(s, t, first->owner, first->owner_name);
	} else if (first->gone) {
		text_format(t, " held by thread %u, which has ended", h->owner);
	}
}

/* "waits: disk", "runs" */
static void add_state(const struct sheet *s, struct text *t, const struct roll_group *g)
{
	const char *frame = cause_words[g->cause].frame;

	if (!frame) {
		text_add(t, "runs");
	} else if (thread_at(s, g->first)->hold.kind > HOLD_FUTEX ||
		   thread_at(s, g->first)->hold.name) {
		text_add(t, "waits: ");
		add_hold(s, t, g);
	} else {
		text_add_part(t, frame + 1, strlen(frame) - 2);
	}
}

/* How long ago they ran last: "for 2.13 s", "for 1.02 s to 2.13 s". */
static void add_since(const struct sheet *s, struct text *t, const struct roll_group *g)
{
	char buf[2][TEXT_QUANTITY];
	nsec least = UINT64_MAX, most = 0;

	for (uint32_t i = g->first; i < g->first + g->count; i++) {
		nsec since = thread_at(s, i)->since;

		if (!since)
			return;
		least = since < least ? since : least;
		most = since > most ? since : most;
	}
	text_format(t, ", for %s", text_duration(buf[0], least));
	if (strcmp(text_duration(buf[1], most), buf[0]) != 0)
		text_format(t, " to %s", buf[1]);
}

static bool same_name(const struct sheet *s, uint32_t a, uint32_t b)
{
	return thread_at(s, a)->name == thread_at(s, b)->name &&
	       thread_at(s, a)->pid == thread_at(s, b)->pid;
}

/* " of shop", where that is in question. */
static void add_process(const struct sheet *s, struct text *t, uint32_t i)
{
	const struct roll_thread *k = thread_at(s, i);

	if (s->processes < 2 || k->comm == k->name)
		return;
	text_add(t, " of ");
	text_add_plain(t, picture_text(picture_of(s), k->comm));
}

/* "worker (4250, 4251), main (4242), 3 more" */
static void add_threads(const struct sheet *s, struct text *t, uint32_t first, uint32_t count)
{
	uint32_t shown = count <= NAMED_MOST + 1 ? count : NAMED_MOST;

	for (uint32_t i = first; i < first + shown; i++) {
		bool again = i > first && same_name(s, i, i - 1);
		bool more = i + 1 < first + shown && same_name(s, i + 1, i);

		if (i > first)
			text_add(t, ", ");
		if (!again) {
			text_add_plain(t, picture_text(picture_of(s), thread_at(s, i)->name));
			text_add(t, " (");
		}
		text_format(t, "%u", thread_at(s, i)->tid);
		if (!more) {
			text_add_char(t, ')');
			add_process(s, t, i);
		}
	}
	if (shown < count)
		text_format(t, ", %u more", count - shown);
}

static void add_place(const struct sheet *s, const struct picture_frame *f, unsigned columns,
		      struct text *to)
{
	const char *path = picture_text(picture_of(s), f->at_line ? f->at_file : f->image_name);
	const char *base = strrchr(path, '/');
	char line[16] = "";

	if (!*path)
		return;
	if (f->at_line)
		snprintf(line, sizeof(line), ":%u", f->at_line);
	fit_name(to, base ? base + 1 : path, columns - strlen(line));
	text_add(to, line);
}

/* What is waited for is in the heading. */
static bool is_shown(const struct picture_frame *f)
{
	return f->kind != FRAME_WAIT;
}

static void add_frame(struct sheet *s, uint32_t frame)
{
	const struct picture_frame *f = &picture_of(s)->frames.at[frame];
	size_t from = s->out->size;

	if (!is_shown(f))
		return;
	text_add(s->out, "  ");
	fit_name(s->out, walk_name(picture_of(s), frame), s->name - 2);
	fit_pad(s->out, from, s->name);
	text_add(s->out, "  ");
	fit_style(s->out, s->option->colour, FIT_DIM);
	add_place(s, f, s->columns - s->name - 2, s->out);
	fit_style(s->out, s->option->colour, FIT_PLAIN);
	text_add_char(s->out, '\n');
}

static void add_stack(struct sheet *s, const struct roll_group *g)
{
	const struct picture *p = picture_of(s);
	const char *reason = headline_gap(g->user_end);

	for (uint32_t n = g->node; n; n = p->nodes.at[n].parent)
		add_frame(s, p->nodes.at[n].frame);
	if (reason)
		text_format(s->out, "  (%s)\n", reason);
}

static void add_group(struct sheet *s, const struct roll_group *g)
{
	AUTO_TEXT struct text line = { 0 };

	text_add_char(s->out, '\n');
	if (g->count > 1)
		text_format(&line, "%u threads: ", g->count);
	else
		add_threads(s, &line, g->first, 1);
	if (g->count == 1)
		text_add_char(&line, ' ');
	add_state(s, &line, g);
	add_since(s, &line, g);
	fit_style(s->out, s->option->colour, FIT_BOLD);
	add_words(s, &line, 4);
	fit_style(s->out, s->option->colour, FIT_PLAIN);
	if (g->count > 1) {
		text_clear(&line);
		add_threads(s, &line, g->first, g->count);
		add_words(s, &line, 4);
	}
	add_stack(s, g);
}

static uint32_t count_seen(const struct roll *r)
{
	const struct roll_group *last =
		r->groups.count ? &r->groups.at[r->groups.count - 1] : NULL;

	return last ? last->first + last->count : 0;
}

static uint32_t count_running(const struct roll *r)
{
	uint32_t running = 0;

	for (uint32_t i = 0; i < r->groups.count; i++)
		if (r->groups.at[i].cause == CAUSE_CPU)
			running += r->groups.at[i].count;
	return running;
}

static uint32_t count_processes(const struct roll *r)
{
	struct table pids = { 0 };
	uint32_t count;

	for (uint32_t i = 0; i < r->threads.count; i++)
		table_set(&pids, r->threads.at[i].pid, 1);
	count = pids.count;
	table_done(&pids);
	return count;
}

static void add_heading(struct sheet *s)
{
	const struct roll *r = s->r;
	uint32_t seen = count_seen(r), running = count_running(r);
	AUTO_TEXT struct text line = { 0 };

	if (s->processes > 1)
		text_format(&line, "%u processes", s->processes);
	else if (r->threads.count)
		text_add_plain(&line, picture_text(r->picture, r->threads.at[0].comm));
	text_format(&line, ": %u thread%s, %u run%s, %u wait%s", r->threads.count,
		    r->threads.count == 1 ? "" : "s", running, running == 1 ? "s" : "",
		    seen - running, seen - running == 1 ? "s" : "");
	add_words(s, &line, 4);
	if (seen == r->threads.count)
		return;
	text_clear(&line);
	text_format(&line,
		    "%u not seen, as they ran for moments only: ", r->threads.count - seen);
	add_threads(s, &line, seen, r->threads.count - seen);
	add_words(s, &line, 4);
}

/* The widest name and place of all frames share a line. */
static void fit_frames(struct sheet *s)
{
	const struct picture *p = picture_of(s);
	unsigned place = 0;

	for (uint32_t i = 1; i < p->frames.count; i++) {
		AUTO_TEXT struct text at = { 0 };
		unsigned name = 2 + fit_natural(walk_name(p, i)), columns;

		if (!is_shown(&p->frames.at[i]))
			continue;
		add_place(s, &p->frames.at[i], 1000, &at);
		columns = columns_of(text_string(&at));
		s->name = name > s->name ? name : s->name;
		place = columns > place ? columns : place;
	}
	if (place > s->columns / PLACE_MOST_PART)
		place = s->columns / PLACE_MOST_PART;
	if (s->name > s->columns - place - 2)
		s->name = s->columns - place - 2;
	if (s->name < 6)
		s->name = 6;
}

static void add_deadlocks(struct sheet *s)
{
	for (uint32_t i = 0; i < s->r->deadlocks.count; i++) {
		const struct roll_cycle *cycle = &s->r->deadlocks.at[i];
		AUTO_TEXT struct text line = { 0 };

		text_add(&line, "Deadlock: ");
		for (uint32_t k = 0; k < cycle->tids.count; k++) {
			add_one(s, &line, cycle->tids.at[k], name_of(s, cycle->tids.at[k]));
			text_add(&line, " waits for ");
		}
		if (cycle->tids.count == 1)
			text_add(&line, "itself");
		else
			add_one(s, &line, cycle->tids.at[0], name_of(s, cycle->tids.at[0]));
		fit_style(s->out, s->option->colour, FIT_MORE);
		add_words(s, &line, 4);
		fit_style(s->out, s->option->colour, FIT_PLAIN);
	}
}

void roll_text(const struct roll *r, const struct sink_option *option, struct text *to)
{
	struct sheet s = { .r = r, .option = option, .out = to };

	s.columns = !option->columns		      ? COLUMNS_DEFAULT
		    : option->columns < COLUMNS_LEAST ? COLUMNS_LEAST
						      : option->columns;
	s.processes = count_processes(r);
	fit_frames(&s);
	add_heading(&s);
	add_deadlocks(&s);
	for (uint32_t i = 0; i < r->groups.count; i++)
		add_group(&s, &r->groups.at[i]);
}
