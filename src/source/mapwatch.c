#include "source/mapwatch.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
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
}

/* Copies size bytes at a position of the ring, which may wrap. */
static void ring_copy(const unsigned char *data, uint64_t room, uint64_t at, void *to,
		      size_t size)
{
	unsigned char *bytes = to;

	for (size_t i = 0; i < size; i++)
		bytes[i] = data[(at + i) & (room - 1)];
}

/* One CPU's records (perf_event_open(2), "MMAP layout"). */
static unsigned read_cpu(struct mapwatch *m, struct mapwatch_cpu *c,
			 void (*each)(void *context, uint32_t pid), void *context)
{
	struct perf_event_mmap_page *page = c->ring;
	const unsigned char *data = (const unsigned char *)c->ring + page_size();
	uint64_t room = RING_PAGES * page_size(), tail = page->data_tail;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
	} record;
	unsigned n = 0;

	while (head - tail >= sizeof(record.header)) {
		ring_copy(data, room, tail, &record, sizeof(record));
		if (record.header.size < sizeof(record.header) ||
		    record.header.size > head - tail)
			break;
		if (record.header.type == PERF_RECORD_MMAP2) {
			each(context, record.pid);
			n++;
		} else if (record.header.type == PERF_RECORD_LOST) {
			m->lost++;
		}
		tail += record.header.size;
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	return n;
}

unsigned mapwatch_read(struct mapwatch *m, void (*each)(void *context, uint32_t pid),
		       void *context)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < m->cpus.count; i++)
		n += read_cpu(m, &m->cpus.at[i], each, context);
	return n;
}
