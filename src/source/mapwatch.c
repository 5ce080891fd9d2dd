#include "source/mapwatch.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RING_PAGES 8 /* of records; a power of two */

static size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

static int open_cpu(struct mapwatch *m, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.mmap = 1, /* of code; data is mmap_data */
		.mmap2 = 1,
		.sample_type = PERF_SAMPLE_TIME, /* at the end of each record */
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = 1,
	};
	struct mapwatch_cpu *c;
	void *ring;
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno == ENODEV ? 0 : -errno;
	ring = mmap(NULL, (1 + RING_PAGES) * page_size(), PROT_READ | PROT_WRITE, MAP_SHARED,
		    fd, 0);
	if (ring == MAP_FAILED) {
		close(fd);
		return -errno;
	}
	c = array_add(&m->cpus);
	*c = (struct mapwatch_cpu){ .fd = fd, .ring = ring };
	return 0;
}

int mapwatch_open(struct mapwatch *m, struct error *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (int cpu = 0; cpu < cpus; cpu++) {
		int code = open_cpu(m, cpu);

		if (code) {
			mapwatch_close(m);
			return error_set(err, -code, "cannot hear of new mappings: %s",
					 strerror(-code));
		}
	}
	return 0;
}

void mapwatch_close(struct mapwatch *m)
{
	for (uint32_t i = 0; i < m->cpus.count; i++) {
		munmap(m->cpus.at[i].ring, (1 + RING_PAGES) * page_size());
		close(m->cpus.at[i].fd);
	}
	array_done(&m->cpus);
	array_done(&m->fresh);
}

/* Copies size bytes at a position of the ring, which may wrap. */
static void ring_copy(const unsigned char *data, uint64_t room, uint64_t at, void *to,
		      size_t size)
{
	unsigned char *bytes = to;

	for (size_t i = 0; i < size; i++)
		bytes[i] = data[(at + i) & (room - 1)];
}

/* perf_event_open(2), PERF_RECORD_MMAP2; a name follows, and at the end the time. */
struct mmap_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t address, length, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
};

static void add_mapping(struct mapwatch *m, const unsigned char *data, uint64_t room,
			uint64_t at)
{
	struct mapwatch_mapping *fresh = array_add(&m->fresh);
	struct mmap_record r;

	ring_copy(data, room, at, &r, sizeof(r));
	ring_copy(data, room, at + r.header.size - sizeof(nsec), &fresh->time, sizeof(nsec));
	fresh->pid = r.pid;
	fresh->map = (struct map){
		.start = r.address,
		.end = r.address + r.length,
		.offset = r.offset,
		.inode = r.inode,
		.major = r.major,
		.minor = r.minor,
		.kind = r.inode ? MAP_KIND_FILE : MAP_KIND_JIT,
		.exec = true,
		.path = "",
	};
}

static void read_cpu(struct mapwatch *m, struct mapwatch_cpu *c)
{
	struct perf_event_mmap_page *page = c->ring;
	const unsigned char *data = (const unsigned char *)c->ring + page_size();
	uint64_t room = RING_PAGES * page_size(), tail = page->data_tail;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	struct perf_event_header header;

	while (head - tail >= sizeof(header)) {
		ring_copy(data, room, tail, &header, sizeof(header));
		if (header.size < sizeof(header) || header.size > head - tail)
			break;
		if (header.type == PERF_RECORD_MMAP2 &&
		    header.size >= sizeof(struct mmap_record) + sizeof(nsec))
			add_mapping(m, data, room, tail);
		else if (header.type == PERF_RECORD_LOST)
			m->lost++;
		tail += header.size;
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
}

static int by_time(const void *a, const void *b)
{
	const struct mapwatch_mapping *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

unsigned mapwatch_read(struct mapwatch *m, mapwatch_each each, void *context)
{
	array_clear(&m->fresh);
	for (uint32_t i = 0; i < m->cpus.count; i++)
		read_cpu(m, &m->cpus.at[i]);
	if (m->fresh.count > 1)
		qsort(m->fresh.at, m->fresh.count, sizeof(*m->fresh.at), by_time);
	for (uint32_t i = 0; i < m->fresh.count; i++)
		each(context, &m->fresh.at[i]);
	return m->fresh.count;
}
