#include "source/source.h"

void source_close(struct source *s)
{
	if (s)
		s->operations->close(s);
}

int source_add_process(struct source *s, uint32_t pid, struct error *err)
{
	return s->operations->add_process(s, pid, err);
}

int source_add_thread(struct source *s, uint32_t tid, struct error *err)
{
	return s->operations->add_thread(s, tid, err);
}

void source_layouts(struct source *s, const struct goroutine_layout *layouts, uint32_t count)
{
	s->operations->layouts(s, layouts, count);
}

int source_watch(struct source *s, const struct attach_sites *sites, struct error *err)
{
	return s->operations->watch(s, sites, err);
}

uint32_t source_room(struct source *s)
{
	return s->operations->room(s);
}

int source_brackets(struct source *s, struct error *err)
{
	return s->operations->brackets(s, err);
}

void source_count(struct source *s, uint32_t probe)
{
	s->operations->count(s, probe);
}

void source_unwatch(struct source *s, uint32_t probe)
{
	s->operations->unwatch(s, probe);
}

void source_ended(struct source *s, uint32_t pid)
{
	s->operations->ended(s, pid);
}

struct judged_maps *source_judged(struct source *s)
{
	return s->operations->judged(s);
}

const char *source_kernel_symbol(struct source *s, uint64_t address)
{
	return s->operations->kernel_symbol(s, address);
}

struct price source_price(struct source *s)
{
	return s->operations->price(s);
}

struct price source_price_look(struct source *s)
{
	return s->operations->price_look(s);
}

int source_start(struct source *s, struct error *err)
{
	return s->operations->start(s, err);
}

int source_poll(struct source *s)
{
	return s->operations->poll(s);
}

void source_tick(struct source *s)
{
	s->operations->tick(s);
}

void source_stop(struct source *s, enum end_reason reason, int status)
{
	s->operations->stop(s, reason, status);
}
