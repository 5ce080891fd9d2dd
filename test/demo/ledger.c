#include "ledger.h"
#include "target/stage.h"

#include <stdlib.h>
#include <string.h>

/* Calls on one side of a limit, as sums. */
struct side_sum {
	uint64_t calls, cpu, duration;
};

void ledger_init(struct ledger *l)
{
	l->entries = calloc(LEDGER_ROOM, sizeof(*l->entries));
	l->count = 0;
	if (!l->entries)
		exit(4);
	/* Touched now, so that no request pays for a page fault. */
	memset(l->entries, 1, LEDGER_ROOM * sizeof(*l->entries));
}

void ledger_done(struct ledger *l)
{
	free(l->entries);
	l->entries = NULL;
}

void ledger_add(struct ledger *l, const struct entry *e)
{
	if (l->count < LEDGER_ROOM)
		l->entries[l->count++] = *e;
}

static void side_add(struct side_sum *s, const struct entry *e)
{
	s->calls++;
	s->cpu += e->cpu;
	s->duration += e->duration;
}

static void side_print(const struct side_sum *s, const struct side_sum *all, const char *name,
		       FILE *out)
{
	fprintf(out,
		",\"%s\":{\"calls\":%llu,\"cpu_ns\":%llu,\"duration_ns\":%llu,\"cpu_share\":%.6f}",
		name, (unsigned long long)s->calls, (unsigned long long)s->cpu,
		(unsigned long long)s->duration, all->cpu ? (double)s->cpu / all->cpu : 0.0);
}

static void all_durations(const struct ledger *ledgers, unsigned nr, struct durations *ret)
{
	unsigned count = 0;

	for (unsigned i = 0; i < nr; i++)
		count += ledgers[i].count;
	durations_init(ret, count ? count : 1);
	for (unsigned i = 0; i < nr; i++)
		for (unsigned k = 0; k < ledgers[i].count; k++)
			durations_add(ret, ledgers[i].entries[k].duration);
}

void ledger_print(const struct ledger *ledgers, unsigned nr, FILE *out)
{
	struct side_sum all = { 0 }, planted = { 0 }, slow = { 0 };
	struct durations durations;
	uint64_t p95, expand = 0;

	all_durations(ledgers, nr, &durations);
	p95 = durations_quantile(&durations, .95);
	for (unsigned i = 0; i < nr; i++) {
		for (unsigned k = 0; k < ledgers[i].count; k++) {
			const struct entry *e = &ledgers[i].entries[k];

			side_add(&all, e);
			expand += e->expand_cpu;
			if (e->planted)
				side_add(&planted, e);
			if (e->duration > p95)
				side_add(&slow, e);
		}
	}
	fprintf(out, "{\"span\":\"handle_request\",\"planted_function\":\"expand_table\",");
	durations_print(&durations, out);
	side_print(&all, &all, "all", out);
	side_print(&planted, &all, "planted", out);
	side_print(&slow, &all, "above_p95", out);
	fprintf(out, ",\"expand_table_cpu_ns\":%llu}\n", (unsigned long long)expand);
	durations_done(&durations);
}

int ledger_write(const struct ledger *ledgers, unsigned nr, const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	for (unsigned i = 0; i < nr; i++) {
		for (unsigned k = 0; k < ledgers[i].count; k++) {
			const struct entry *e = &ledgers[i].entries[k];

			fprintf(f, "%llu %llu %llu %llu %d\n", (unsigned long long)e->began,
				(unsigned long long)e->duration, (unsigned long long)e->cpu,
				(unsigned long long)e->expand_cpu, e->planted);
		}
	}
	return fclose(f);
}
