#include "source/armed.h"

#include "base/mem.h"
#include "base/table.h"
#include "wire/control.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define MAX_CLOSERS 16

/* A process' links; they are closed in the order that attach_done() knows. */
typedef ARRAY(struct attach_links) links_list;

struct armed {
	enum attach_kind kind;
	struct attach_programs programs;
	ARRAY(struct attach_sites) inherited;
	int living, enough; /* map; eventfd that ends the thread */
	struct ring_buffer *ring;
	pthread_t thread;
	bool following;

	pthread_mutex_t lock; /* of what follows */
	struct table by_pid;  /* -> links */
	links_list links;
	ARRAY(uint32_t) unused; /* of links */
	ARRAY(struct armed_child) children;
	uint32_t told;
	links_list closing;
	pthread_t closers[MAX_CLOSERS];
	uint32_t nr_closers, idle_closers;
	pthread_cond_t more_to_close;
	bool last; /* nothing comes to closing any more */
};

struct armed *armed_new(enum attach_kind kind, const struct attach_programs *programs)
{
	struct armed *a = NEW(struct armed);

	a->kind = kind;
	a->programs = *programs;
	a->enough = -1;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->more_to_close, NULL);
	return a;
}

/* With the lock held. */
static void keep_links(struct armed *a, uint32_t pid, struct attach_links *links)
{
	uint32_t at = table_find(&a->by_pid, pid);

	if (at == TABLE_NONE) {
		at = a->unused.count ? a->unused.at[--a->unused.count] : a->links.count;
		if (at == a->links.count)
			array_add(&a->links);
		table_set(&a->by_pid, pid, at);
	}
	for (uint32_t i = 0; i < links->count; i++)
		array_push(&a->links.at[at], links->at[i]);
	array_done(links);
}

int armed_add(struct armed *a, const struct attach_sites *sites, struct error *err)
{
	struct attach_links links = { 0 };
	int code = attach_add(&links, a->kind, &a->programs, sites, err);

	pthread_mutex_lock(&a->lock);
	keep_links(a, sites->pid, &links);
	pthread_mutex_unlock(&a->lock);
	return code;
}

void armed_inherit(struct armed *a, const struct attach_sites *sites)
{
	array_push(&a->inherited, *sites);
}

static void *closer(void *context)
{
	struct armed *a = context;

	pthread_mutex_lock(&a->lock);
	for (;;) {
		struct attach_links links;

		while (!a->closing.count && !a->last) {
			a->idle_closers++;
			pthread_cond_wait(&a->more_to_close, &a->lock);
			a->idle_closers--;
		}
		if (!a->closing.count)
			break;
		links = a->closing.at[--a->closing.count];
		pthread_mutex_unlock(&a->lock);
		attach_done(&links);
		pthread_mutex_lock(&a->lock);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* With the lock held. */
static void close_soon(struct armed *a, struct attach_links *links)
{
	array_push(&a->closing, *links);
	*links = (struct attach_links){ 0 };
	if (a->idle_closers < a->closing.count && a->nr_closers < MAX_CLOSERS &&
	    pthread_create(&a->closers[a->nr_closers], NULL, closer, a) == 0)
		a->nr_closers++;
	pthread_cond_signal(&a->more_to_close);
}

void armed_ended(struct armed *a, uint32_t pid)
{
	uint32_t at;

	pthread_mutex_lock(&a->lock);
	at = table_find(&a->by_pid, pid);
	if (at != TABLE_NONE) {
		table_remove(&a->by_pid, pid);
		close_soon(a, &a->links.at[at]);
		array_push(&a->unused, at);
	}
	pthread_mutex_unlock(&a->lock);
}

static int on_birth(void *context, void *record, size_t size)
{
	struct armed *a = context;
	const struct birth *b = record;
	struct armed_child child = { .pid = b->pid, .born = b->time };
	struct attach_links links = { 0 };
	uint32_t value;
	int code = 0;

	for (uint32_t i = 0; code == 0 && i < a->inherited.count; i++) {
		struct attach_sites sites = a->inherited.at[i];

		sites.pid = b->pid;
		code = attach_add(&links, a->kind, &a->programs, &sites, NULL);
	}
	if (code == 0)
		child.at = clock_now();
	pthread_mutex_lock(&a->lock);
	keep_links(a, b->pid, &links);
	array_push(&a->children, child);
	pthread_mutex_unlock(&a->lock);
	/* what ends from now on is told of when it is kept already */
	if (bpf_map_lookup_elem(a->living, &b->pid, &value))
		armed_ended(a, b->pid);
	return 0;
}

static void *wait_for_births(void *context)
{
	struct armed *a = context;
	struct pollfd files[] = {
		{ .fd = ring_buffer__epoll_fd(a->ring), .events = POLLIN },
		{ .fd = a->enough, .events = POLLIN },
	};

	while (poll(files, COUNT_OF(files), -1) >= 0 || errno == EINTR) {
		if (files[1].revents)
			break;
		ring_buffer__consume(a->ring);
	}
	return NULL;
}

int armed_follow(struct armed *a, int births, int living)
{
	int code;

	a->living = living;
	a->ring = ring_buffer__new(births, on_birth, a, NULL);
	if (!a->ring)
		return -errno;
	a->enough = eventfd(0, EFD_CLOEXEC);
	if (a->enough < 0)
		return -errno;
	code = pthread_create(&a->thread, NULL, wait_for_births, a);
	a->following = code == 0;
	return -code;
}

bool armed_told(struct armed *a, struct armed_child *child)
{
	bool told;

	pthread_mutex_lock(&a->lock);
	told = a->told < a->children.count;
	if (told) {
		*child = a->children.at[a->told++];
	} else {
		array_clear(&a->children);
		a->told = 0;
	}
	pthread_mutex_unlock(&a->lock);
	return told;
}

static void unfollow(struct armed *a)
{
	uint64_t one = 1;

	if (a->following && write(a->enough, &one, sizeof(one)) == sizeof(one))
		pthread_join(a->thread, NULL);
	a->following = false;
}

void armed_clear(struct armed *a)
{
	unfollow(a);
	pthread_mutex_lock(&a->lock);
	for (uint32_t i = 0; i < a->links.count; i++) {
		if (a->links.at[i].count)
			close_soon(a, &a->links.at[i]);
	}
	array_clear(&a->links);
	array_clear(&a->unused);
	table_clear(&a->by_pid);
	a->last = true;
	pthread_cond_broadcast(&a->more_to_close);
	pthread_mutex_unlock(&a->lock);
	closer(a); /* helps, also where no thread could be made */
	for (uint32_t i = 0; i < a->nr_closers; i++)
		pthread_join(a->closers[i], NULL);
	a->nr_closers = 0;
	a->last = false;
}

void armed_free(struct armed *a)
{
	if (!a)
		return;
	armed_clear(a);
	ring_buffer__free(a->ring);
	if (a->enough >= 0)
		close(a->enough);
	array_done(&a->inherited);
	array_done(&a->links);
	array_done(&a->unused);
	array_done(&a->children);
	array_done(&a->closing);
	table_done(&a->by_pid);
	pthread_cond_destroy(&a->more_to_close);
	pthread_mutex_destroy(&a->lock);
	free(a);
}
