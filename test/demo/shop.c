/*
 * shop-server - the server of `make demo`.  See shop.h.
 *
 *	shop-server [--seconds N] [--rate N] [--threads N] [--durations FILE] [--wait]
 *
 * Runs for N seconds (default 3600) or until SIGINT or SIGTERM, then prints the
 * truth as one line of JSON; SIGUSR1 prints it while running on.
 */
#include "shop.h"
#include "ledger.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define WORKERS_MAX 64
#define MACRO_EVERY 33
#define INDEX_RATE 50
#define INDEX_ROUNDS 56000

struct shop {
	const struct stage *stage;
	atomic_bool closing;
	struct worker workers[WORKERS_MAX];
	struct ledger ledgers[WORKERS_MAX];
	unsigned nr_workers;
};

KEPT void refresh_index(uint64_t *block);

KEPT unsigned handle_request(struct worker *w, struct request *r)
{
	struct entry e = { .began = stage_now(), .planted = r->has_macro };
	uint64_t cpu = stage_cpu();
	unsigned fields, bytes;

	w->expand_cpu = 0;
	fields = parse_request(w, r);
	bytes = render_rows(w, fields);
	log_line(w, r, bytes);
	e.expand_cpu = w->expand_cpu;
	e.cpu = stage_cpu() - cpu;
	e.duration = stage_now() - e.began;
	ledger_add(w->ledger, &e);
	return bytes;
}

/* Requests differ only in their number and, some, in the macro. */
static void request_make(struct request *r, unsigned lane, uint64_t number)
{
	r->number = number;
	r->has_macro = (number + lane * 7) % MACRO_EVERY == 0;
	snprintf(r->text, sizeof(r->text), "GET /shelf?id=%llu&lane=%u&sort=price&page=1%s",
		 (unsigned long long)number, lane, r->has_macro ? "&$all" : "&all=0");
}

static void *worker_run(void *context)
{
	struct worker *w = context;
	struct shop *shop = w->shop;
	uint64_t next = stage_now() + w->lane * 1700000;

	for (uint64_t number = 1; !atomic_load(&shop->closing); number++) {
		struct request request;

		request_make(&request, w->lane, number);
		handle_request(w, &request);
		/* A late worker does not hurry: the rate is a bound. */
		if (next < stage_now())
			next = stage_now();
		stage_pace(&next, shop->stage->rate);
	}
	return NULL;
}

KEPT void refresh_index(uint64_t *block)
{
	mix_block(block, INDEX_ROUNDS / 4);
	mix_block(block, INDEX_ROUNDS - INDEX_ROUNDS / 4);
}

static void *index_run(void *context)
{
	struct shop *shop = context;
	uint64_t block[BLOCK_WORDS] = { 1 }, next = stage_now();

	while (!atomic_load(&shop->closing)) {
		refresh_index(block);
		if (next < stage_now())
			next = stage_now();
		stage_pace(&next, INDEX_RATE);
	}
	return NULL;
}

static pthread_t thread_start(void *(*run)(void *), void *context, const char *name)
{
	pthread_t id;

	if (pthread_create(&id, NULL, run, context))
		exit(4);
	pthread_setname_np(id, name);
	return id;
}

/* Until the time is over or somebody ends us. */
static void shop_attend(struct shop *shop, const sigset_t *signals)
{
	uint64_t end = stage_now() + shop->stage->seconds * 1000000000ull;

	for (;;) {
		uint64_t now = stage_now(), left = end > now ? end - now : 0;
		struct timespec timeout = { .tv_sec = (time_t)(left / 1000000000),
					    .tv_nsec = (long)(left % 1000000000) };
		int number = sigtimedwait(signals, NULL, &timeout);

		if (number != SIGUSR1)
			return;
		ledger_print(shop->ledgers, shop->nr_workers, stdout);
		fflush(stdout);
	}
}

static void shop_run(struct shop *shop, const sigset_t *signals)
{
	pthread_t ids[WORKERS_MAX], indexer;
	char name[16];

	for (unsigned i = 0; i < shop->nr_workers; i++) {
		ledger_init(&shop->ledgers[i]);
		shop->workers[i].shop = shop;
		shop->workers[i].lane = i;
		shop->workers[i].ledger = &shop->ledgers[i];
	}
	for (unsigned i = 0; i < shop->nr_workers; i++) {
		snprintf(name, sizeof(name), "worker-%u", i);
		ids[i] = thread_start(worker_run, &shop->workers[i], name);
	}
	indexer = thread_start(index_run, shop, "indexer");
	shop_attend(shop, signals);
	atomic_store(&shop->closing, true);
	for (unsigned i = 0; i < shop->nr_workers; i++)
		pthread_join(ids[i], NULL);
	pthread_join(indexer, NULL);
}

int main(int argc, char **argv)
{
	struct stage stage = { .mode = "", .threads = 4, .rate = 120, .seconds = 3600 };
	struct shop *shop = calloc(1, sizeof(*shop));
	sigset_t signals;

	stage_options(&stage, argc, argv);
	if (!shop || !stage.rate || !stage.threads || stage.threads > WORKERS_MAX)
		return 2;
	shop->stage = &stage;
	shop->nr_workers = stage.threads;
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	stage_open(&stage);
	shop_run(shop, &signals);
	ledger_print(shop->ledgers, shop->nr_workers, stdout);
	if (stage.durations && ledger_write(shop->ledgers, shop->nr_workers, stage.durations))
		fprintf(stderr, "shop-server: cannot write '%s'\n", stage.durations);
	for (unsigned i = 0; i < shop->nr_workers; i++)
		ledger_done(&shop->ledgers[i]);
	free(shop);
	return 0;
}
