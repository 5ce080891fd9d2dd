#include "source/armed.h"

#include "base/apart.h"
#include "base/crew.h"
#include "base/helper.h"
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

/* Threads that attach and close; at most that many of them close. */
#define CREW 24
#define CLOSERS 16
/* Into so many links the sites of a file are cut for a child. */
#define PARTS 4
/* While so many links are on their way, in or out, children wait for theirs: most of many
 * end before it is their turn. */
#define LINKS_MOST 256

struct link {
	int fd;
	uint32_t probe;
};

struct links {
	ARRAY(struct link);
};

struct carrier {
	uint32_t pid; /* 0: not used */
	struct links links;
};

/* A probe that was removed. */
struct leaving {
	uint32_t probe;
	uint32_t left; /* links that are not closed, and parts that may make some */
};

struct armed {
	enum attach_kind kind;
	struct attach_programs programs;
	int living, enough; /* map; eventfd that ends the thread */
	uint32_t *grown;    /* shared with the kernel */
	struct ring_buffer *ring;
	pthread_t thread;
	bool following;
	struct crew *crew; /* given jobs without the lock: it may do them at once */

	pthread_mutex_t lock; /* of what follows */
	ARRAY(struct attach_sites) inherited;
	struct table by_pid; /* -> carriers */
	ARRAY(struct carrier) carriers;
	ARRAY(uint32_t) unused;	    /* of carriers */
	ARRAY(struct part *) parts; /* that are being attached */
	ARRAY(struct leaving) leaving;
	ARRAY(struct newborn *) waiting;
	uint32_t begun;	  /* so many of the waiting have had their turn */
	uint32_t closing; /* links that are being closed */
	ARRAY(struct armed_child) children;
	uint32_t told;
	bool clearing;
};

/* A child that is getting its probes; freed with its last part. */
struct newborn {
	struct armed *armed;
	struct armed_child child;
	uint32_t parts; /* not done yet */
	int code;
};

struct part {
	struct newborn *of;
	struct attach_sites sites;
	bool removed; /* its probe */
};

/* A link that is being taken away. */
struct closing {
	struct armed *armed;
	struct link link;
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

static uint32_t probe_of(const struct attach_sites *sites)
{
	return COOKIE_PROBE(sites->cookies[0]);
}

/* With the lock held, here and in what follows.  NULL: it has ended. */
static struct carrier *find_carrier(struct armed *a, uint32_t pid)
{
	uint32_t at = table_find(&a->by_pid, pid);

	return at == TABLE_NONE ? NULL : &a->carriers.at[at];
}

static void add_carrier(struct armed *a, uint32_t pid)
{
	uint32_t at;

	if (find_carrier(a, pid))
		return;
	at = a->unused.count ? a->unused.at[--a->unused.count] : a->carriers.count;
	if (at == a->carriers.count)
		array_add(&a->carriers);
	a->carriers.at[at].pid = pid;
	table_set(&a->by_pid, pid, at);
}

static struct leaving *find_leaving(struct armed *a, uint32_t probe)
{
	for (uint32_t i = 0; i < a->leaving.count; i++)
		if (a->leaving.at[i].probe == probe)
			return &a->leaving.at[i];
	return NULL;
}

/* Gives a process its links; those of one that has ended go to unwanted. */
static void keep_links(struct armed *a, uint32_t pid, uint32_t probe,
		       struct attach_links *fresh, struct links *unwanted)
{
	struct carrier *p = find_carrier(a, pid);
	struct links *to = p ? &p->links : unwanted;

	for (uint32_t i = 0; i < fresh->count; i++) {
		struct link link = { fresh->at[i], probe };

		array_push(to, link);
	}
	array_done(fresh);
}

static void pump(struct armed *a);

static void close_one(void *context)
{
	struct closing *c = context;
	struct armed *a = c->armed;
	struct leaving *l;

	apart_close(c->link.fd);
	pthread_mutex_lock(&a->lock);
	l = find_leaving(a, c->link.probe);
	if (l)
		l->left--;
	a->closing--;
	pthread_mutex_unlock(&a->lock);
	free(c);
	pump(a);
}

/* Without the lock.  Each link alone: together they take as long as one. */
static void close_soon(struct armed *a, struct links *links)
{
	pthread_mutex_lock(&a->lock);
	a->closing += links->count;
	pthread_mutex_unlock(&a->lock);
	for (uint32_t i = 0; i < links->count; i++) {
		struct closing *c = NEW(struct closing);

		*c = (struct closing){ a, links->at[i] };
		crew_do_later(a->crew, close_one, c);
	}
	array_done(links);
}

void armed_process(struct armed *a, uint32_t pid)
{
	pthread_mutex_lock(&a->lock);
	add_carrier(a, pid);
	pthread_mutex_unlock(&a->lock);
}

static int attach_to(struct armed *a, uint32_t pid, struct attach_sites sites,
		     struct error *err)
{
	struct attach_links fresh = { 0 };
	struct links unwanted = { 0 };
	int code;

	sites.pid = pid;
	code = attach_add(&fresh, a->kind, &a->programs, &sites, err);
	pthread_mutex_lock(&a->lock);
	keep_links(a, pid, probe_of(&sites), &fresh, &unwanted);
	pthread_mutex_unlock(&a->lock);
	close_soon(a, &unwanted);
	return code;
}

uint32_t armed_only(struct armed *a)
{
	uint32_t only = 0, count = 0;

	pthread_mutex_lock(&a->lock);
	for (uint32_t i = 0; i < a->carriers.count; i++) {
		if (!a->carriers.at[i].pid)
			continue;
		only = a->carriers.at[i].pid;
		count++;
	}
	pthread_mutex_unlock(&a->lock);
	return count == 1 ? only : 0;
}

int armed_watch(struct armed *a, const struct attach_sites *sites, struct error *err)
{
	ARRAY(uint32_t) pids = { 0 };
	uint32_t taken = 0;
	int code = error_set(err, ESRCH, "no process of the target is left");

	pthread_mutex_lock(&a->lock);
	if (a->following)
		array_push(&a->inherited, *sites);
	for (uint32_t i = 0; i < a->carriers.count; i++)
		if (a->carriers.at[i].pid)
			array_push(&pids, a->carriers.at[i].pid);
	pthread_mutex_unlock(&a->lock);
	for (uint32_t i = 0; i < pids.count; i++) {
		code = attach_to(a, pids.at[i], *sites, err);
		if (code && code != -ESRCH)
			break;
		taken += code == 0;
	}
	array_done(&pids);
	return taken && code == -ESRCH ? 0 : code;
}

static void remove_inherited(struct armed *a, uint32_t probe)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < a->inherited.count; i++)
		if (probe_of(&a->inherited.at[i]) != probe)
			a->inherited.at[kept++] = a->inherited.at[i];
	a->inherited.count = kept;
}

/* Moves the links of a probe. */
static void move_links(struct links *from, uint32_t probe, struct links *to)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < from->count; i++)
		if (from->at[i].probe == probe)
			array_push(to, from->at[i]);
		else
			from->at[kept++] = from->at[i];
	from->count = kept;
}

void armed_remove(struct armed *a, uint32_t probe)
{
	struct links unwanted = { 0 };
	struct leaving *l;

	pthread_mutex_lock(&a->lock);
	remove_inherited(a, probe);
	for (uint32_t i = 0; i < a->carriers.count; i++)
		move_links(&a->carriers.at[i].links, probe, &unwanted);
	l = array_add(&a->leaving);
	*l = (struct leaving){ probe, unwanted.count };
	for (uint32_t i = 0; i < a->parts.count; i++) {
		struct part *p = a->parts.at[i];

		if (probe_of(&p->sites) == probe && !p->removed) {
			p->removed = true;
			l->left++;
		}
	}
	pthread_mutex_unlock(&a->lock);
	close_soon(a, &unwanted);
}

uint32_t armed_gone(struct armed *a)
{
	uint32_t probe = 0;

	pthread_mutex_lock(&a->lock);
	for (uint32_t i = 0; i < a->leaving.count && !probe; i++)
		if (!a->leaving.at[i].left) {
			probe = a->leaving.at[i].probe;
			a->leaving.at[i] = a->leaving.at[--a->leaving.count];
		}
	pthread_mutex_unlock(&a->lock);
	return probe;
}

void armed_ended(struct armed *a, uint32_t pid)
{
	struct links unwanted = { 0 };
	uint32_t at;

	pthread_mutex_lock(&a->lock);
	at = table_find(&a->by_pid, pid);
	if (at != TABLE_NONE) {
		table_remove(&a->by_pid, pid);
		unwanted = a->carriers.at[at].links;
		a->carriers.at[at] = (struct carrier){ 0 };
		array_push(&a->unused, at);
	}
	for (uint32_t i = a->begun; i < a->waiting.count; i++)
		if (a->waiting.at[i]->child.pid == pid)
			a->waiting.at[i]->code = -ESRCH;
	pthread_mutex_unlock(&a->lock);
	close_soon(a, &unwanted);
}

static bool is_over(const struct armed *a, uint32_t pid)
{
	uint32_t value;

	return bpf_map_lookup_elem(a->living, &pid, &value) != 0;
}

/* What ends from now on is told of when it is known already. */
static void end_if_over(struct armed *a, uint32_t pid)
{
	if (is_over(a, pid))
		armed_ended(a, pid);
}

/* Its calls count from here on. */
static void watch_from_now(struct armed *a, uint32_t pid)
{
	const uint32_t watched = TARGET_WATCHED;

	bpf_map_update_elem(a->living, &pid, &watched, BPF_EXIST);
}

/* Young no more. */
static void count_grown(const struct armed *a)
{
	__atomic_fetch_add(a->grown, 1, __ATOMIC_RELEASE);
}

static void grown(struct newborn *n)
{
	struct armed *a = n->armed;

	if (n->code == 0) {
		watch_from_now(a, n->child.pid);
		n->child.at = clock_now();
	}
	if (n->code == 0 || is_over(a, n->child.pid))
		count_grown(a);
	pthread_mutex_lock(&a->lock);
	array_push(&a->children, n->child);
	pthread_mutex_unlock(&a->lock);
	end_if_over(a, n->child.pid);
	free(n);
}

static void forget_part(struct armed *a, const struct part *p)
{
	for (uint32_t i = 0; i < a->parts.count; i++)
		if (a->parts.at[i] == p) {
			a->parts.at[i] = a->parts.at[--a->parts.count];
			return;
		}
}

/* Its probe was removed meanwhile: it counts as one of that one's links. */
static void undo_part(struct armed *a, uint32_t probe, struct attach_links *fresh)
{
	attach_done(fresh);
	pthread_mutex_lock(&a->lock);
	find_leaving(a, probe)->left--;
	pthread_mutex_unlock(&a->lock);
}

static void attach_part(void *context)
{
	struct part *p = context;
	struct newborn *n = p->of;
	struct armed *a = n->armed;
	uint32_t probe = probe_of(&p->sites), left;
	struct attach_links fresh = { 0 };
	struct links unwanted = { 0 };
	bool removed;
	int code;

	pthread_mutex_lock(&a->lock);
	code = a->clearing ? -ECANCELED : n->code;
	removed = p->removed;
	pthread_mutex_unlock(&a->lock);
	if (code == 0 && !removed)
		code = attach_add(&fresh, a->kind, &a->programs, &p->sites, NULL);
	pthread_mutex_lock(&a->lock);
	forget_part(a, p);
	removed = p->removed;
	if (!removed)
		keep_links(a, n->child.pid, probe, &fresh, &unwanted);
	if (!removed && code)
		n->code = code;
	left = --n->parts;
	pthread_mutex_unlock(&a->lock);
	free(p);
	if (left == 0)
		grown(n);
	if (removed)
		undo_part(a, probe, &fresh);
	close_soon(a, &unwanted);
	pump(a);
}

static void add_part(struct newborn *n, const struct attach_sites *sites, uint32_t from,
		     uint32_t to)
{
	struct part *p = NEW(struct part);

	p->of = n;
	p->sites = *sites;
	p->sites.pid = n->child.pid;
	p->sites.offsets += from;
	p->sites.cookies += from;
	p->sites.count = to - from;
	array_push(&n->armed->parts, p);
	n->parts++;
}

/* Cuts what it inherits into parts. */
static void add_parts(struct newborn *n)
{
	const struct armed *a = n->armed;
	uint64_t all = 0;

	for (uint32_t i = 0; i < a->inherited.count; i++)
		all += a->inherited.at[i].count;
	for (uint32_t i = 0; i < a->inherited.count; i++) {
		const struct attach_sites *sites = &a->inherited.at[i];
		uint32_t parts = (PARTS * sites->count + all - 1) / all;

		parts = parts < sites->count ? parts : sites->count;
		for (uint32_t k = 0; k < parts; k++)
			add_part(n, sites, (uint64_t)sites->count * k / parts,
				 (uint64_t)sites->count * (k + 1) / parts);
	}
}

/* Its turn has come. */
static void begin(struct newborn *n)
{
	struct armed *a = n->armed;
	uint32_t pid = n->child.pid, first;
	ARRAY(struct part *) mine = { 0 };

	if (n->code || is_over(a, pid)) {
		n->code = -ESRCH;
		grown(n);
		return;
	}
	pthread_mutex_lock(&a->lock);
	first = a->parts.count;
	add_parts(n);
	for (uint32_t i = first; i < a->parts.count; i++)
		array_push(&mine, a->parts.at[i]);
	pthread_mutex_unlock(&a->lock);
	if (!mine.count) {
		watch_from_now(a, pid);
		count_grown(a);
		end_if_over(a, pid);
		free(n);
	}
	for (uint32_t i = 0; i < mine.count; i++)
		crew_do(a->crew, attach_part, mine.at[i]);
	array_done(&mine);
}

/* The next whose turn has come, NULL: none. */
static struct newborn *take_turn(struct armed *a)
{
	struct newborn *n = a->begun < a->waiting.count ? a->waiting.at[a->begun] : NULL;

	if (!n || (!n->code && a->closing + a->parts.count >= LINKS_MOST))
		return NULL;
	if (++a->begun == a->waiting.count) {
		array_clear(&a->waiting);
		a->begun = 0;
	}
	return n;
}

/* Begins with those whose turn has come. */
static void pump(struct armed *a)
{
	struct newborn *n;

	do {
		pthread_mutex_lock(&a->lock);
		n = take_turn(a);
		pthread_mutex_unlock(&a->lock);
		if (n)
			begin(n);
	} while (n);
}

static int on_birth(void *context, void *record, size_t size)
{
	struct armed *a = context;
	const struct birth *b = record;
	struct newborn *n = NEW(struct newborn);

	*n = (struct newborn){ .armed = a, .child = { .pid = b->pid, .born = b->time } };
	pthread_mutex_lock(&a->lock);
	add_carrier(a, b->pid);
	array_push(&a->waiting, n);
	pthread_mutex_unlock(&a->lock);
	pump(a);
	return 0;
}

static void *wait_for_births(void *context)
{
	struct armed *a = context;
	struct pollfd files[] = {
		{ .fd = ring_buffer__epoll_fd(a->ring), .events = POLLIN },
		{ .fd = a->enough, .events = POLLIN },
	};

	helper_hurry(-5); /* a child may be over soon */
	while (poll(files, COUNT_OF(files), -1) >= 0 || errno == EINTR) {
		if (files[1].revents)
			break;
		ring_buffer__consume(a->ring);
	}
	return NULL;
}

int armed_follow(struct armed *a, int births, int living, uint32_t *grown)
{
	int code;

	a->living = living;
	a->grown = grown;
	a->ring = ring_buffer__new(births, on_birth, a, NULL);
	if (!a->ring)
		return -errno;
	a->enough = eventfd(0, EFD_CLOEXEC);
	if (a->enough < 0)
		return -errno;
	code = helper_start(&a->thread, NULL, wait_for_births, a);
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
	struct links unwanted = { 0 };

	unfollow(a);
	pthread_mutex_lock(&a->lock);
	a->clearing = true;
	for (; a->begun < a->waiting.count; a->begun++) {
		array_push(&a->children, a->waiting.at[a->begun]->child);
		free(a->waiting.at[a->begun]);
	}
	for (uint32_t i = 0; i < a->carriers.count; i++) {
		struct links *links = &a->carriers.at[i].links;

		for (uint32_t k = 0; k < links->count; k++)
			array_push(&unwanted, links->at[k]);
		array_done(links);
	}
	array_clear(&a->carriers);
	array_clear(&a->unused);
	table_clear(&a->by_pid);
	pthread_mutex_unlock(&a->lock);
	close_soon(a, &unwanted);
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
	array_done(&a->carriers);
	array_done(&a->unused);
	array_done(&a->parts);
	array_done(&a->leaving);
	array_done(&a->waiting);
	array_done(&a->children);
	table_done(&a->by_pid);
	crew_free(a->crew);
	pthread_mutex_destroy(&a->lock);
	free(a);
}
