#include "sink/golden_build.h"

#include "view/picture_build.h"

uint32_t golden_frame_add(struct picture *p, const struct golden_frame *from)
{
	struct picture_frame *f = array_add(&p->frames);

	f->name = intern_text(&p->text, from->name);
	f->file = intern_text(&p->text, from->file);
	f->image_name = intern_text(&p->text, from->image);
	f->line = from->line;
	f->kind = from->kind;
	f->image = UINT32_MAX;
	for (uint32_t i = 0; i < p->images.count; i++) {
		const char *path = picture_text(p, p->images.at[i].path);
		const char *base = strrchr(path, '/');

		if (strcmp(base ? base + 1 : path, from->image) == 0)
			f->image = i;
	}
	f->address = 0x401000 + 0x100 * p->frames.count;
	return p->frames.count - 1;
}

void golden_image_add(struct picture *p, const char *path, const char *build_id, uint64_t start,
		      enum image_kind kind)
{
	struct picture_image *image = array_add(&p->images);

	image->path = intern_text(&p->text, path);
	image->build_id = intern_text(&p->text, build_id);
	image->start = start;
	image->end = start + 0x20000;
	image->offset = 0x1000;
	image->kind = kind;
}

uint32_t golden_frame_find(const struct picture *p, const char *name, size_t length)
{
	for (uint32_t i = 0; i < p->frames.count; i++) {
		const char *has = picture_text(p, p->frames.at[i].name);

		if (strlen(has) == length && memcmp(has, name, length) == 0)
			return i;
	}
	return 0;
}

void golden_stack_add(struct picture *p, const struct golden_stack *stack)
{
	uint32_t node = 0;

	for (const char *at = stack->frames; *at;) {
		size_t n = strcspn(at, ";");

		node = build_child(p, node, golden_frame_find(p, at, n));
		at += n + (at[n] == ';');
	}
	for (unsigned i = 0; i < NR_SIDE; i++) {
		p->nodes.at[node].self[i] += stack->samples[i];
		p->nodes.at[node].self_nsec[i] += (uint64_t)stack->samples[i] * GOLDEN_PERIOD;
		p->sides[i].samples += stack->samples[i];
		p->sides[i].weight_nsec += (uint64_t)stack->samples[i] * GOLDEN_PERIOD;
		p->samples += stack->samples[i];
	}
}

/* A template name of some 10 kB. */
static char *long_name(void)
{
	char *name = mem_alloc(10241), *to = name;

	to = stpcpy(to, "std::map<");
	while (to - name < 10100)
		to = stpcpy(to, "std::pair<std::vector<int>, char const*>, ");
	stpcpy(to, "void>::find(void*)");
	return name;
}

struct picture *golden_hostile(void)
{
	AUTO_FREE char *longest = long_name();
	const char *names[] = {
		"a;b",
		"\"quoted\" 'single' \\back",
		"<script>alert(1)</script>&amp;",
		"]]> --> <![CDATA[",
		"tab\tnew\nline\rbell\a\x1b[31mred\x1b[0m\x7f",
		"bad \xff\xc3( \xed\xa0\x80 \xf4\x90\x80\x80 cut \xe2\x82",
		"right-to-left \xe2\x80\xae override \xef\xbb\xbf mark \xef\xbf\xbe none",
		longest,
		"operator() 12",
		"",
		"\xd1\x84\xd1\x83\xd0\xbd\xd0\xba\xd1\x86\xd0\xb8\xd1\x8f \xe5\x87\xbd",
		"%s%n %d",
	};
	struct picture *p = golden_samples();

	p->comm = intern_text(&p->text, "<b>\x01;\"\xff");
	p->host = intern_text(&p->text, "h\nost\"}");
	for (unsigned i = 0; i < COUNT_OF(names); i++) {
		struct golden_frame frame = { names[i], names[i], names[i], i, FRAME_USER };
		uint32_t node = build_child(p, i % 3 ? p->nodes.count - 1 : 0,
					    golden_frame_add(p, &frame));

		p->nodes.at[node].self[SIDE_IN] = 100 + i;
		p->nodes.at[node].self_nsec[SIDE_IN] = (100 + i) * (uint64_t)GOLDEN_PERIOD;
		p->samples += 100 + i;
	}
	golden_span_add(p)->place = intern_text(&p->text, names[2]);
	p->spans.at[0].function = intern_text(&p->text, names[4]);
	p->split_expr = intern_text(&p->text, names[3]);
	p->sides[SIDE_IN].calls = 951;
	p->sides[SIDE_REST].calls = 18061;
	golden_functions_add(p);
	return p;
}

struct picture *golden_empty(void)
{
	struct picture *p = picture_new();
	struct golden_frame all = { "all", "", "", 0, FRAME_OTHER };

	p->split_span = UINT32_MAX;
	golden_frame_add(p, &all);
	array_add(&p->nodes);
	return p;
}
