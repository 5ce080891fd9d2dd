#include "source/armed.h"

#include "base/crew.h"
#include "base/mem.h"
#include "base/table.h"
#include "wire/control.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

/* Threads that attach and close; at most that many of them close. */
#define CREW 24
#define CLOSERS 16
/* Into so many links the sites of a file are cut for a child. */
#define PARTS 4

struct armed {
	enum attach_kind kind;
	struct attach_programs programs;
	ARRAY(struct attach_sites) inherited;
	int living, enough; /* map; eventfd that ends the thread */
	struct ring_buffer *ring;
	pthread_t thread;
	bool following;
	struct crew *crew;

	pthread_mutex_t lock; /* of what follows */
	struct table by_pid;  /* -> links */
	ARRAY(struct attach_links) links;
	ARRAY(uint32_t) unused; /* of links */
	ARRAY(struct armed_child) children;
	uint32_t told;
	bool clearing;
};

/* A child that is getting its probes; freed with its last part. */
struct newborn {
	struct armed *armed;
	struct armed_child child;
	struct attach_links links;
	uint32_t parts; /* not done yet */
	int code;
};

struct part {
	struct newborn *of;
	struct attach_sites sites;
};

struct armed *armed_new(enum attach_kind kind, const struct attach_programs *programs)
{
	struct armed *a = NEW(struct armed);

	a->kind = kind;
	a->programs = *programs;
	a->enough = -1;
	a->crew = crew_new(CREW, CLOSERS);
	pthread_mutex_init(&a->lock, NULL);
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

static void take_away(void *context)
{
	struct attach_links *links = context;

	attach_done(links);
	free(links);
}

/* With the lock held.  Each link alone: together they take as long as one. */
static void close_soon(struct armed *a, struct attach_links *links)
{
	for (uint32_t i = 0; i < links->count; i++) {
		struct attach_links *one = NEW(struct attach_links);

		array_push(one, links->at[i]);
		crew_do_later(a->crew, take_away, one);
	}
	array_done(links);
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

static void grown(struct newborn *n)
{
	struct armed *a = n->armed;
	uint32_t value;

	if (n->code == 0)
		n->child.at = clock_now();
	pthread_mutex_lock(&a->lock);
	keep_links(a, n->child.pid, &n->links);
	array_push(&a->children, n->child);
	pthread_mutex_unlock(&a->lock);
	/* what ends from now on is told of when it is kept already */
	if (bpf_map_lookup_elem(a->living, &n->child.pid, &value))
		armed_ended(a, n->child.pid);
	free(n);
}

static void attach_part(void *context)
{
	struct part *p = context;
	struct newborn *n = p->of;
	struct armed *a = n->armed;
	struct attach_links links = { 0 };
	uint32_t left;
	int code;

	pthread_mutex_lock(&a->lock);
	code = a->clearing ? -ECANCELED : n->code;
	pthread_mutex_unlock(&a->lock);
	if (code == 0)
		code = attach_add(&links, a->kind, &a->programs, &p->sites, NULL);
	free(p);
	pthread_mutex_lock(&a->lock);
	if (code)
		n->code = code;
	for (uint32_t i = 0; i < links.count; i++)
		array_push(&n->links, links.at[i]);
	left = --n->parts;
	pthread_mutex_unlock(&a->lock);
	array_done(&links);
	if (left == 0)
		grown(n);
}

static void attach_slice(struct newborn *n, const struct attach_sites *sites, uint32_t from,
			 uint32_t to)
{
	struct part *p = NEW(struct part);

	p->of = n;
	p->sites = *sites;
	p->sites.pid = n->child.pid;
	p->sites.offsets += from;
	p->sites.cookies += from;
	p->sites.count = to - from;
	crew_do(n->armed->crew, attach_part, p);
}

static uint32_t parts_of(const struct attach_sites *sites)
{
	return sites->count < PARTS ? sites->count : PARTS;
}

static int on_birth(void *context, void *record, size_t size)
{
	struct armed *a = context;
	const struct birth *b = record;
	struct newborn *n = NEW(struct newborn);

	*n = (struct newborn){ .armed = a, .child = { .pid = b->pid, .born = b->time } };
	for (uint32_t i = 0; i < a->inherited.count; i++)
		n->parts += parts_of(&a->inherited.at[i]);
	for (uint32_t i = 0; i < a->inherited.count; i++) {
		const struct attach_sites *sites = &a->inherited.at[i];
		uint32_t parts = parts_of(sites);

		for (uint32_t k = 0; k < parts; k++)
			attach_slice(n, sites, (uint64_t)sites->count * k / parts,
				     (uint64_t)sites->count * (k + 1) / parts);
	}
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

/* Some descriptors a child.  Not those of a command, which has been forked by now. */
static void allow_many_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

int armed_follow(struct armed *a, int births, int living)
{
	int code;

	allow_many_files();
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
	a->clearing = true;
	for (uint32_t i = 0; i < a->links.count; i++)
		close_soon(a, &a->links.at[i]);
	array_clear(&a->links);
	array_clear(&a->unused);
	table_clear(&a->by_pid);
	pthread_mutex_unlock(&a->lock);
	crew_finish(a->crew);
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
	table_done(&a->by_pid);
	crew_free(a->crew);
	pthread_mutex_destroy(&a->lock);
	free(a);
}
