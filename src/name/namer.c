#include "name/expand.h"

#include "wire/codec.h"

#include <errno.h>

/* Offsets remembered an image; then all are forgotten and found again. */
#define OFFSETS_MAX (1u << 20)
/* In origin.offsets: asked for, and not known. */
#define UNKNOWN (TABLE_NONE - 1)
/* Never in there: not known yet. */
#define LATE (TABLE_NONE - 2)

struct namer *namer_new(struct images *images)
{
	struct namer *n = NEW(struct namer);

	n->images = images;
	n->text.limit = NAMER_MAX_TEXT;
	n->line_budget = NAMER_LINE_BUDGET;
	n->patience = UINT64_MAX;
	n->awaited = "";
	return n;
}

void namer_free(struct namer *n)
{
	if (!n)
		return;
	for (uint32_t i = 0; i < n->origins.count; i++)
		origin_done(&n->origins.at[i]);
	array_done(&n->origins);
	array_done(&n->functions);
	array_done(&n->sharper);
	array_done(&n->variables);
	table_done(&n->ids);
	table_done(&n->readable);
	chains_done(&n->chains);
	intern_done(&n->text);
	text_done(&n->scratch);
	free(n);
}

void namer_ask_kernel(struct namer *n, ksym_ask *ask, void *context)
{
	n->kernel = (struct origin_kernel){ ask, context };
}

struct origin *origin_of(const struct namer *n, uint32_t image)
{
	uint32_t i = table_find(&n->ids, image);

	return i == TABLE_NONE ? NULL : &n->origins.at[i];
}

/* NULL: it is known already, or there are too many. */
static struct origin *origin_add(struct namer *n, const struct event_image *e, bool live)
{
	const char *path = event_text(&e->head, 0);
	struct origin *o;

	if (origin_of(n, e->image))
		return NULL;
	if (n->origins.count >= NAMER_MAX_IMAGES) {
		n->forgotten++;
		return NULL;
	}
	o = array_add(&n->origins);
	table_set(&n->ids, e->image, n->origins.count - 1);
	o->image = e->image;
	o->kind = e->kind;
	o->asked = &n->kernel;
	o->live = live;
	o->path = intern_string(&n->text, intern_text(&n->text, path));
	if (e->build_id_size <= sizeof(o->build_id.bytes))
		o->build_id.size = e->build_id_size;
	memcpy(o->build_id.bytes, e->build_id, o->build_id.size);
	return o;
}

int namer_image(struct namer *n, const struct event_image *image, const char *open_path,
		struct error *err)
{
	struct origin *o = origin_add(n, image, true);

	if (o && o->kind == IMAGE_JIT && open_path && !o->perfmap)
		o->perfmap = perfmap_new(open_path);
	if (!o || o->kind != IMAGE_FILE || !open_path)
		return 0;
	return origin_open(o, n->images, open_path, err);
}

/* Of an image that may get a name more; else NULL. */
static struct origin *origin_with_room(struct namer *n, uint32_t image)
{
	struct origin *o = origin_of(n, image);

	if (!o || n->nr_symbols >= NAMER_MAX_SYMBOLS) {
		n->forgotten++;
		return NULL;
	}
	n->nr_symbols++;
	return o;
}

static void add_recorded(struct namer *n, const struct event_symbol *e)
{
	struct origin *o = origin_with_room(n, e->image);
	struct recorded_symbol s = {
		.start = e->offset,
		.length = e->length,
		.line = e->line,
	};

	if (!o)
		return;
	s.name = intern_text(&n->text, event_text(&e->head, 0));
	s.file = intern_text(&n->text, event_text(&e->head, 1));
	recorded_add(&o->recorded, &s);
	if (!o->offsets.count)
		return;
	/* what was answered so far may be wrong now */
	table_clear(&o->offsets);
	table_clear(&o->functions);
}

static void add_variable(struct namer *n, const struct event_variable *e)
{
	struct origin *o = origin_with_room(n, e->image);

	if (!o)
		return;
	recorded_add(&o->variables,
		     &(struct recorded_symbol){
			     .start = e->offset,
			     .length = e->length,
			     .name = intern_text(&n->text, event_text(&e->head, 0)),
		     });
	table_clear(&o->nameless);
}

void namer_event(struct namer *n, const struct event *e)
{
	if (e->kind == EVENT_IMAGE)
		origin_add(n, (const struct event_image *)e, false);
	else if (e->kind == EVENT_SYMBOL)
		add_recorded(n, (const struct event_symbol *)e);
	else if (e->kind == EVENT_INLINE)
		chains_take(&n->chains, &n->text, (const struct event_inline *)e);
	else if (e->kind == EVENT_VARIABLE)
		add_variable(n, (const struct event_variable *)e);
}

void namer_set_line_budget(struct namer *n, nsec budget)
{
	n->line_budget = budget;
}

void namer_set_patience(struct namer *n, nsec time)
{
	n->patience = time;
	n->late = n->lineless = 0;
	n->awaited = "";
}

uint64_t namer_late(const struct namer *n)
{
	return n->late;
}

uint64_t namer_lineless(const struct namer *n)
{
	return n->lineless;
}

const char *namer_awaited(const struct namer *n)
{
	return n->awaited;
}

void namer_give_up(struct namer *n)
{
	n->gave_up = true;
}

static void wait_for(struct namer *n, struct origin *o)
{
	nsec before = clock_now(), took;

	origin_wait(o, n->patience);
	took = clock_now() - before;
	if (n->patience != UINT64_MAX)
		n->patience -= took < n->patience ? took : n->patience;
}

nsec line_budget(const struct namer *n, const struct origin *o)
{
	nsec budget = o->live ? n->line_budget : NAMER_ANSWER_BUDGET;

	return n->line_spent < budget ? budget - n->line_spent : 0;
}

static uint32_t function_add(struct namer *n, struct origin *o, struct function f)
{
	uint32_t known = table_find(&o->functions, f.start);

	if (known != TABLE_NONE)
		return known;
	f.image = o->image;
	array_push(&n->functions, f);
	table_set(&o->functions, f.start, n->functions.count - 1);
	return n->functions.count - 1;
}

/* From the image's own names, as origin_find(); f->name is the namer's scratch. */
static int origin_ask(struct namer *n, struct origin *o, uint64_t offset, struct found *f)
{
	nsec before = origin_line_spent(o);
	int r;

	*f = (struct found){ .name = n->scratch };
	r = origin_find(o, offset, line_budget(n, o), f);
	if (r == -EAGAIN && n->patience) {
		wait_for(n, o);
		r = origin_find(o, offset, line_budget(n, o), f);
	}
	n->line_spent += origin_line_spent(o) - before;
	n->scratch = f->name;
	return r;
}

/* The symbols that would tell are being read. */
static uint32_t function_late(struct namer *n, struct origin *o)
{
	n->late++;
	n->awaited = o->path;
	if (!n->gave_up)
		return LATE;
	origin_give_up(o);
	return UNKNOWN;
}

/* Index of the function, UNKNOWN or LATE. */
static uint32_t function_ask(struct namer *n, struct origin *o, uint64_t offset)
{
	struct found f;
	int r = origin_ask(n, o, offset, &f);

	if (r <= 0)
		return r == -EAGAIN ? function_late(n, o) : UNKNOWN;
	return function_add(n, o,
			    (struct function){
				    .start = f.start,
				    .length = f.length,
				    .name = intern_text(&n->text, text_string(&f.name)),
				    .file = intern_text(&n->text, f.file),
				    .line = f.line,
				    .late = f.late,
			    });
}

/* Looks for file and line again. */
static void function_sharpen(struct namer *n, struct origin *o, struct function *f)
{
	struct found found;

	if (!line_budget(n, o) || origin_ask(n, o, f->start, &found) <= 0 || found.late)
		return;
	f->file = intern_text(&n->text, found.file);
	f->line = found.line;
	f->late = false;
	if (f - n->functions.at < n->told)
		array_push(&n->sharper, f - n->functions.at);
}

static uint32_t function_find(struct namer *n, struct origin *o, uint64_t offset)
{
	const struct recorded_symbol *r = recorded_find(&o->recorded, offset);

	if (!r)
		return function_ask(n, o, offset);
	return function_add(n, o,
			    (struct function){
				    .start = r->start,
				    .length = r->length,
				    .name = r->name,
				    .file = r->file,
				    .line = r->line,
				    .recorded = true,
			    });
}

bool namer_find(void *context, uint32_t image, uint64_t offset, struct frame_name *ret)
{
	struct namer *n = context;
	struct origin *o = origin_of(n, image);
	struct function *f;
	uint32_t at;

	if (!o)
		return false;
	at = table_find(&o->offsets, offset);
	if (at == TABLE_NONE) {
		at = function_find(n, o, offset);
		if (at == LATE)
			return false;
		if (o->offsets.count >= OFFSETS_MAX)
			table_clear(&o->offsets);
		if (at != UNKNOWN || !o->perfmap) /* its name may be written yet */
			table_set(&o->offsets, offset, at);
	}
	if (at == UNKNOWN) {
		o->missed = true;
		return false;
	}
	f = &n->functions.at[at];
	if (f->late)
		function_sharpen(n, o, f);
	n->lineless += f->late;
	*ret = (struct frame_name){
		.function = intern_string(&n->text, f->name),
		.file = intern_string(&n->text, f->file),
		.line = f->line,
		.start = f->start,
		.length = f->length,
	};
	return true;
}

/* From the image's own names; remembered, as each question goes through whole tables. */
static const struct recorded_symbol *variable_ask(struct namer *n, struct origin *o,
						  uint64_t offset, uint64_t distance)
{
	struct data_name data = { .size = 0 };
	bool found = origin_variable(o, offset, distance, &data);
	struct variable_name v;

	if (found) {
		v = (struct variable_name){
			.start = offset + distance - data.into,
			.length = data.size,
			.image = o->image,
			.name = intern_text(&n->text, text_string(&data.name)),
		};
		array_push(&n->variables, v);
		recorded_add(&o->variables, &(struct recorded_symbol){ .start = v.start,
								       .length = v.length,
								       .name = v.name });
	} else if (o->nameless.count < OFFSETS_MAX) {
		table_set(&o->nameless, offset + distance, 0);
	}
	text_done(&data.name);
	return found ? recorded_find(&o->variables, offset + distance) : NULL;
}

static bool namer_variable(void *context, uint32_t image, uint64_t offset, uint64_t distance,
			   struct data_name *ret)
{
	struct namer *n = context;
	struct origin *o = origin_of(n, image);
	uint64_t at = offset + distance;
	const struct recorded_symbol *known = o ? recorded_find(&o->variables, at) : NULL;

	if (!known && o && table_find(&o->nameless, at) == TABLE_NONE)
		known = variable_ask(n, o, offset, distance);
	if (!known)
		return false;
	text_add(&ret->name, intern_string(&n->text, known->name));
	ret->into = at - known->start;
	ret->size = known->length;
	return true;
}

struct naming namer_naming(struct namer *n)
{
	return (struct naming){
		.find = namer_find,
		.expand = namer_expand,
		.variable = namer_variable,
		.context = n,
	};
}

const char *namer_problem(const struct namer *n, uint32_t image)
{
	const struct origin *o = origin_of(n, image);

	return o && o->problem ? o->problem : "";
}

static const char *problem_of(const struct origin *o)
{
	const char *problem = o->perfmap ? perfmap_problem(o->perfmap) : o->problem;

	return o->missed && problem ? problem : "";
}

void namer_problems(const struct namer *n, struct text *to)
{
	uint32_t more = 0;

	for (uint32_t i = 0; i < n->origins.count; i++) {
		const char *problem = problem_of(&n->origins.at[i]);

		if (*problem && !to->size)
			text_format(to, "some functions have no names: %s", problem);
		else if (*problem)
			more++;
	}
	if (more)
		text_format(to, "; nor have those of %u file%s more", more,
			    more == 1 ? "" : "s");
}

static void tell(struct namer *n, const struct function *f, struct event_room *room,
		 namer_record each, void *context)
{
	struct event_symbol e = {
		.offset = f->start,
		.length = f->length,
		.image = f->image,
		.line = f->line,
	};
	const char *name = intern_string(&n->text, f->name);
	const char *file = intern_string(&n->text, f->file);

	if (!f->recorded)
		each(context, event_make_symbol(room, &e, name, file));
}

static void tell_variable(struct namer *n, const struct variable_name *v,
			  struct event_room *room, namer_record each, void *context)
{
	struct event_variable e = { .offset = v->start,
				    .length = v->length,
				    .image = v->image };

	each(context, event_make_variable(room, &e, intern_string(&n->text, v->name)));
}

void namer_each_new_symbol(struct namer *n, namer_record each, void *context)
{
	AUTO_FREE struct event_room *room = NEW(struct event_room);

	for (uint32_t i = 0; i < n->sharper.count; i++)
		tell(n, &n->functions.at[n->sharper.at[i]], room, each, context);
	n->sharper.count = 0;
	for (; n->told < n->functions.count; n->told++)
		tell(n, &n->functions.at[n->told], room, each, context);
	for (uint32_t i = 0; i < n->variables.count; i++)
		tell_variable(n, &n->variables.at[i], room, each, context);
	n->variables.count = 0;
	chains_each_new(&n->chains, &n->text, each, context);
}

uint64_t namer_forgotten(const struct namer *n)
{
	return n->forgotten + n->chains.forgotten + n->text.refused;
}
