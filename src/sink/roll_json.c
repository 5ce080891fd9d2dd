#include "sink/escape.h"
#include "sink/roll_text.h"
#include "sink/walk.h"
#include "wire/sample_cause.h"

#include <inttypes.h>

static const char *const kinds[] = {
	[FRAME_USER] = "user",	     [FRAME_KERNEL] = "kernel", [FRAME_JIT] = "jit",
	[FRAME_INLINED] = "inlined", [FRAME_PROBE] = "probe",	[FRAME_UNKNOWN] = "unknown",
	[FRAME_OTHER] = "other",     [FRAME_WAIT] = "wait",	[FRAME_HOLDER] = "holder",
};

static void add_frame(struct text *t, const struct picture *p, uint32_t frame)
{
	const struct picture_frame *f = &p->frames.at[frame];

	text_add(t, "{\"name\":");
	escape_json(t, walk_name(p, frame));
	text_add(t, ",\"file\":");
	escape_json(t, picture_text(p, f->at_line ? f->at_file : 0));
	text_format(t, ",\"line\":%u,\"image\":", f->at_line);
	escape_json(t, picture_text(p, f->image_name));
	text_format(t, ",\"address\":%" PRIu64 ",\"kind\":\"%s\"}",
		    f->kind == FRAME_WAIT ? 0 : f->address, kinds[f->kind]);
}

static void add_frames(struct text *t, const struct picture *p, uint32_t node)
{
	bool first = true;

	text_add_char(t, '[');
	for (; node; node = p->nodes.at[node].parent) {
		if (!first)
			text_add_char(t, ',');
		first = false;
		add_frame(t, p, p->nodes.at[node].frame);
	}
	text_add_char(t, ']');
}

static void add_lock(struct text *t, const struct picture *p, const struct hold *h)
{
	text_format(t, ",\"object\":{\"kind\":\"%s\",\"address\":%" PRIu64 ",\"name\":",
		    hold_words[h->kind], h->address);
	if (h->name)
		escape_json(t, picture_text(p, h->name));
	else
		text_add(t, "null");
	text_add_char(t, '}');
}

/* What it waits for, as far as the process knows. */
static void add_object(struct text *t, const struct picture *p, const struct roll_thread *k)
{
	if (k->hold.kind == HOLD_NONE)
		text_add(t, ",\"object\":null");
	else
		add_lock(t, p, &k->hold);
	if (k->owner) {
		text_format(t, ",\"owner_tid\":%u,\"owner_name\":", k->owner);
		escape_json(t, picture_text(p, k->owner_name));
	} else {
		text_add(t, ",\"owner_tid\":null,\"owner_name\":null");
	}
	text_format(t, ",\"owner_ended\":%s,\"confidence\":%s", k->gone ? "true" : "false",
		    k->owner || k->gone ? "\"exact\"" : "null");
}

static void add_thread(struct text *t, const struct roll *r, const struct roll_thread *k)
{
	const struct roll_group *g = k->group == UINT32_MAX ? NULL : &r->groups.at[k->group];

	text_format(t, "{\"tid\":%u,\"pid\":%u,\"name\":", k->tid, k->pid);
	escape_json(t, picture_text(r->picture, k->name));
	text_add(t, ",\"comm\":");
	escape_json(t, picture_text(r->picture, k->comm));
	text_format(t, ",\"state\":\"%s\",\"wait\":",
		    !g			    ? "unseen"
		    : g->cause == CAUSE_CPU ? "running"
					    : "waiting");
	if (g && g->cause != CAUSE_CPU) {
		text_format(t, "{\"kind\":\"%s\",\"since_ns\":", cause_words[g->cause].name);
		if (k->since)
			text_format(t, "%" PRIu64, k->since);
		else
			text_add(t, "null");
		add_object(t, r->picture, k);
		text_add_char(t, '}');
	} else {
		text_add(t, "null");
	}
	text_add(t, ",\"frames\":");
	add_frames(t, r->picture, g ? g->node : 0);
	text_add_char(t, '}');
}

static void add_cycle(struct text *t, const struct roll_cycle *cycle, bool more)
{
	text_add(t, more ? ",[" : "[");
	for (uint32_t i = 0; i < cycle->tids.count; i++)
		text_format(t, "%s%u", i ? "," : "", cycle->tids.at[i]);
	text_add_char(t, ']');
}

void roll_json(const struct roll *r, struct text *to)
{
	text_add(to, "{\"threads\":[");
	for (uint32_t i = 0; i < r->threads.count; i++) {
		if (i)
			text_add(to, ",\n");
		add_thread(to, r, &r->threads.at[i]);
	}
	text_add(to, "],\"deadlocks\":[");
	for (uint32_t i = 0; i < r->deadlocks.count; i++)
		add_cycle(to, &r->deadlocks.at[i], i > 0);
	text_add(to, "]}\n");
}
