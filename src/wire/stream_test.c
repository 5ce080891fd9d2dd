#include "wire/stream.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/table.h"
#include "wire/codec.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define HEAD sizeof(struct stream_head)

/* A recording in memory, and where its blocks end. */
struct recording {
	unsigned char *bytes;
	size_t size;
	size_t borders[64];
	unsigned blocks;
	unsigned per_block;
};

static int new_file(void)
{
	FILE *f = tmpfile();
	int fd = dup(fileno(f));

	fclose(f);
	return fd;
}

/* Event number i: a span that can be told from all others. */
static struct event_leave leave_of(uint64_t i)
{
	return (struct event_leave){ .head = { EVENT_LEAVE, sizeof(struct event_leave), i, i },
				     .span = i * 0x9e3779b97f4a7c15u };
}

static void add_leaves(struct stream_writer *w, uint64_t from, unsigned count)
{
	for (uint64_t i = from; i < from + count; i++) {
		struct event_leave e = leave_of(i);

		assert_int_equal(stream_writer_add(w, &e.head, NULL), 0);
	}
}

static void add_end(struct stream_writer *w)
{
	struct event_end end = { .head = { EVENT_END, sizeof(end), 0, 1 } };

	assert_int_equal(stream_writer_add(w, &end.head, NULL), 0);
}

/* blocks of per_block events each, the last one with an EVENT_END behind them. */
static struct recording record(unsigned blocks, unsigned per_block)
{
	struct recording rec = { .per_block = per_block };
	struct stream_writer *w;
	struct error err;
	int fd = new_file();

	assert_int_equal(stream_writer_new(fd, "test", &w, &err), 0);
	for (unsigned b = 0; b < blocks; b++) {
		add_leaves(w, (uint64_t)b * per_block, per_block);
		if (b + 1 == blocks)
			add_end(w);
		assert_int_equal(stream_writer_flush(w, &err), 0);
		rec.borders[rec.blocks++] = stream_writer_bytes(w);
	}
	rec.size = lseek(fd, 0, SEEK_END);
	assert_int_equal(rec.size, stream_writer_bytes(w));
	rec.bytes = mem_alloc(rec.size);
	assert_int_equal(pread(fd, rec.bytes, rec.size, 0), rec.size);
	stream_writer_free(w);
	close(fd);
	return rec;
}

/* Reads what is left of a recording; every leave must be one that was written,
 * whole, and later than the one before.  Gives how many. */
static unsigned read_leaves(const void *bytes, size_t size, struct stream_tally *ret_tally)
{
	struct stream_reader *r;
	const struct event *e;
	struct error err;
	uint64_t last = 0;
	unsigned count = 0;

	assert_int_equal(stream_reader_memory(bytes, size, "test", &r, &err), 0);
	while (stream_reader_next(r, &e, &err) == 1) {
		struct event_leave expected = leave_of(e->time);

		if (e->kind == EVENT_END)
			continue;
		assert_memory_equal(e, &expected, sizeof(expected));
		assert_true(count == 0 || e->time > last);
		last = e->time;
		count++;
	}
	*ret_tally = *stream_reader_tally(r);
	stream_reader_free(r);
	return count;
}

static void what_was_written_is_read(void **state)
{
	struct recording rec = record(5, 1000);
	struct stream_tally tally;
	AUTO_TEXT struct text words = { 0 };

	assert_int_equal(read_leaves(rec.bytes, rec.size, &tally), 5000);
	assert_int_equal(tally.bytes, rec.size);
	assert_int_equal(tally.blocks, 5);
	assert_int_equal(tally.events, 5001);
	assert_true(tally.ended);
	assert_false(stream_tally_print(&tally, &words));
	assert_string_equal(text_string(&words), "");
	free(rec.bytes);
}

static void full_blocks_are_written_by_themselves(void **state)
{
	unsigned count = 3 * STREAM_BLOCK_MOST / sizeof(struct event_leave);
	struct recording rec = record(1, count);
	struct stream_tally tally;

	assert_int_equal(read_leaves(rec.bytes, rec.size, &tally), count);
	assert_int_equal(tally.blocks, 4);
	free(rec.bytes);
}

static void the_largest_records_fit(void **state)
{
	struct event *e = mem_zeroed(1, EVENT_SIZE_MAX);
	struct stream_writer *w;
	struct stream_reader *r;
	const struct event *got;
	struct error err;
	unsigned count = 0;
	int fd = new_file();

	for (size_t i = sizeof(*e); i < EVENT_SIZE_MAX; i++)
		((unsigned char *)e)[i] = hash_u64(i); /* does not compress */
	e->kind = 1000;
	e->size = EVENT_SIZE_MAX;
	assert_int_equal(stream_writer_new(fd, "test", &w, &err), 0);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(stream_writer_add(w, e, &err), 0);
	assert_int_equal(stream_writer_flush(w, &err), 0);
	stream_writer_free(w);

	lseek(fd, 0, SEEK_SET);
	assert_int_equal(stream_reader_open(fd, "test", &r, &err), 0);
	for (; stream_reader_next(r, &got, &err) == 1; count++)
		assert_memory_equal(got, e, EVENT_SIZE_MAX);
	assert_int_equal(count, 20);
	stream_reader_free(r);
	close(fd);
	free(e);
}

static void a_recording_cut_at_any_byte_gives_its_whole_blocks(void **state)
{
	struct recording rec = record(4, 25);
	struct stream_tally tally;

	for (size_t size = 1; size < rec.size; size++) {
		unsigned whole = 0;
		size_t border;

		while (whole < rec.blocks && rec.borders[whole] <= size)
			whole++;
		border = whole ? rec.borders[whole - 1] : size < HEAD ? 0 : HEAD;
		assert_int_equal(read_leaves(rec.bytes, size, &tally), whole * rec.per_block);
		assert_int_equal(tally.blocks, whole);
		assert_int_equal(tally.bytes_cut, size - border);
		assert_int_equal(tally.blocks_damaged, 0);
		assert_false(tally.ended);
	}
	free(rec.bytes);
}

/* The block in which a byte lies. */
static unsigned block_at(const struct recording *rec, size_t at)
{
	unsigned b = 0;

	while (rec->borders[b] <= at)
		b++;
	return b;
}

static void every_flipped_bit_costs_its_block_and_no_other(void **state)
{
	struct recording rec = record(4, 25);
	struct stream_tally tally;

	for (size_t bit = HEAD * 8; bit < rec.size * 8; bit++) {
		unsigned hit = block_at(&rec, bit / 8);

		rec.bytes[bit / 8] ^= 1u << bit % 8;
		assert_int_equal(read_leaves(rec.bytes, rec.size, &tally), 3 * rec.per_block);
		assert_int_equal(tally.blocks, 3);
		assert_int_equal(tally.blocks_damaged + !!tally.bytes_cut, 1);
		if (hit + 1 < rec.blocks) {
			assert_int_equal(tally.blocks_missing, 1);
			assert_int_equal(tally.bytes_damaged,
					 rec.borders[hit] -
						 (hit ? rec.borders[hit - 1] : HEAD));
			assert_true(tally.ended);
		} else {
			assert_false(tally.ended);
		}
		rec.bytes[bit / 8] ^= 1u << bit % 8;
	}
	free(rec.bytes);
}

static void random_damage_never_gives_a_wrong_record(void **state)
{
	struct recording rec = record(8, 200);
	unsigned char *copy = mem_alloc(rec.size);
	struct stream_tally tally;
	uint64_t seed = 1;

	for (unsigned round = 0; round < 3000; round++) {
		unsigned flips = 1 + round % 20, first = rec.blocks, got;

		memcpy(copy, rec.bytes, rec.size);
		for (unsigned i = 0; i < flips; i++) {
			size_t at = HEAD + (seed = hash_u64(seed)) % (rec.size - HEAD);

			copy[at] ^= 1 + (seed >> 40) % 255;
			if (block_at(&rec, at) < first)
				first = block_at(&rec, at);
		}
		got = read_leaves(copy, rec.size - seed % 3, &tally);
		assert_true(got >= first * rec.per_block || first == rec.blocks);
	}
	free(copy);
	free(rec.bytes);
}

/* A file has to be read in pieces; what is found must not depend on that. */
static void a_file_gives_what_memory_gives(void **state)
{
	struct recording rec = record(60, 4000);
	struct stream_tally tally;
	struct stream_reader *r;
	const struct event *e;
	uint64_t seed = 7;
	int fd = new_file();

	for (unsigned round = 0; round < 20; round++) {
		unsigned count = 0, expected;

		seed = hash_u64(seed);
		rec.bytes[HEAD + seed % (rec.size - HEAD)] ^= 1 + (seed >> 40) % 255;
		expected = read_leaves(rec.bytes, rec.size - round, &tally);
		assert_int_equal(pwrite(fd, rec.bytes, rec.size - round, 0), rec.size - round);
		assert_int_equal(ftruncate(fd, rec.size - round), 0);
		lseek(fd, 0, SEEK_SET);
		assert_int_equal(stream_reader_open(fd, "test", &r, NULL), 0);
		while (stream_reader_next(r, &e, NULL) == 1)
			count += e->kind != EVENT_END;
		assert_int_equal(count, expected);
		assert_memory_equal(stream_reader_tally(r), &tally, sizeof(tally));
		stream_reader_free(r);
	}
	close(fd);
	free(rec.bytes);
}

static void a_missing_block_is_counted(void **state)
{
	struct recording rec = record(4, 25);
	struct stream_tally tally;
	AUTO_TEXT struct text words = { 0 };

	memmove(rec.bytes + rec.borders[0], rec.bytes + rec.borders[2],
		rec.size - rec.borders[2]);
	rec.size -= rec.borders[2] - rec.borders[0];
	assert_int_equal(read_leaves(rec.bytes, rec.size, &tally), 50);
	assert_int_equal(tally.blocks_missing, 2);
	assert_int_equal(tally.blocks_damaged, 0);
	assert_true(stream_tally_print(&tally, &words));
	assert_string_equal(text_string(&words), "2 blocks are missing");
	free(rec.bytes);
}

static void the_second_of_two_recordings_in_one_file_is_left_out(void **state)
{
	struct recording rec = record(2, 25);
	unsigned char *two = mem_alloc(2 * rec.size);
	struct stream_tally tally;

	memcpy(two, rec.bytes, rec.size);
	memcpy(two + rec.size, rec.bytes, rec.size);
	assert_int_equal(read_leaves(two, 2 * rec.size, &tally), 50);
	assert_int_equal(tally.bytes_damaged, rec.size);
	free(two);
	free(rec.bytes);
}

static void expect_refused(const void *bytes, size_t size, int code, const char *word)
{
	struct stream_reader *r;
	struct error err;

	assert_int_equal(stream_reader_memory(bytes, size, "x.sonde", &r, &err), -code);
	assert_non_null(strstr(err.text, word));
	assert_non_null(strstr(err.text, "'x.sonde'"));
}

static void what_is_no_recording_is_refused_with_words(void **state)
{
	struct recording rec = record(1, 5);

	expect_refused("", 0, EINVAL, "empty");
	expect_refused("\x7f"
		       "ELF is something else",
		       20, EINVAL, "not a recording");
	expect_refused("S", 1, EINVAL, "not a recording");
	rec.bytes[8] = 2;
	expect_refused(rec.bytes, rec.size, ENOTSUP, "newer");
	rec.bytes[8] = 0;
	expect_refused(rec.bytes, rec.size, EINVAL, "damaged");
	rec.bytes[8] = 1;
	rec.bytes[12] = 1;
	expect_refused(rec.bytes, rec.size, ENOTSUP, "newer");
	free(rec.bytes);
}

/* A valid stream of one block whose records are the given bytes. */
static size_t pack_raw(const void *raw, size_t size, unsigned char *to)
{
	static const unsigned char zstd_head[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x60 };
	struct stream_head head = { .version = STREAM_VERSION };
	struct stream_block block = { .magic = STREAM_BLOCK_MAGIC, .raw_size = size };
	unsigned char *at = to + sizeof(head) + sizeof(block), *begin = at;
	uint16_t content = size - 256;
	uint32_t last_raw = 1 | size << 3;

	/* RFC 8878: single segment, a content size of 2 bytes, one raw block */
	memcpy(head.magic, STREAM_MAGIC, 8);
	memcpy(to, &head, sizeof(head));
	memcpy(at, zstd_head, 5);
	memcpy(at + 5, &content, 2);
	memcpy(at + 7, &last_raw, 3);
	memcpy(at + 10, raw, size);
	block.packed_size = 10 + size;
	block.checksum = stream_checksum(&block, begin);
	memcpy(to + sizeof(head), &block, sizeof(block));
	return sizeof(head) + sizeof(block) + block.packed_size;
}

static void records_that_make_no_sense_are_left_out(void **state)
{
	struct event_leave raw[8];
	unsigned char stream[1024];
	struct stream_tally tally;

	for (unsigned i = 0; i < 8; i++)
		raw[i] = leave_of(i);
	assert_int_equal(read_leaves(stream, pack_raw(raw, sizeof(raw), stream), &tally), 8);
	raw[3].head.kind = EVENT_MAP; /* of nothing */
	assert_int_equal(read_leaves(stream, pack_raw(raw, sizeof(raw), stream), &tally), 7);
	assert_int_equal(tally.events_refused, 1);
	raw[5].head.size = 12; /* where the next begins is not known: the rest is lost */
	assert_int_equal(read_leaves(stream, pack_raw(raw, sizeof(raw), stream), &tally), 4);
	assert_int_equal(tally.events_refused, 2);
	raw[5].head.size = 0;
	assert_int_equal(read_leaves(stream, pack_raw(raw, sizeof(raw), stream), &tally), 4);
}

static void a_block_that_unpacks_to_another_size_is_left_out(void **state)
{
	struct event_leave raw[8] = { 0 };
	unsigned char stream[1024];
	struct stream_tally tally;
	struct stream_block block;
	size_t size = pack_raw(raw, sizeof(raw), stream);

	for (int off = -8; off <= 8; off += 16) {
		memcpy(&block, stream + HEAD, sizeof(block));
		block.raw_size = sizeof(raw) + off;
		block.checksum = stream_checksum(&block, stream + HEAD + sizeof(block));
		memcpy(stream + HEAD, &block, sizeof(block));
		assert_int_equal(read_leaves(stream, size, &tally), 0);
		assert_int_equal(tally.blocks_damaged, 1);
	}
	block.raw_size = UINT32_MAX; /* a bomb's promise */
	block.checksum = stream_checksum(&block, stream + HEAD + sizeof(block));
	memcpy(stream + HEAD, &block, sizeof(block));
	assert_int_equal(read_leaves(stream, size, &tally), 0);
}

/* Longer than any block has a reason to be, by a skippable frame behind the first
 * (RFC 8878, 3.1.2), and good otherwise. */
static void a_block_that_is_too_long_is_left_out(void **state)
{
	static const uint32_t skipped[] = { 0x184d2a50, STREAM_BLOCK_MOST + 8192 };
	struct event_leave raw[8] = { 0 };
	size_t most = 2 * STREAM_BLOCK_MOST;
	unsigned char *stream = mem_zeroed(most, 1);
	struct stream_tally tally;
	struct stream_block block;
	size_t size = pack_raw(raw, sizeof(raw), stream);

	memcpy(stream + size, skipped, sizeof(skipped));
	size += sizeof(skipped) + skipped[1];
	memcpy(&block, stream + HEAD, sizeof(block));
	block.packed_size = size - HEAD - sizeof(block);
	block.checksum = stream_checksum(&block, stream + HEAD + sizeof(block));
	memcpy(stream + HEAD, &block, sizeof(block));
	assert_int_equal(read_leaves(stream, size, &tally), 0);
	assert_int_equal(tally.bytes_damaged, size - HEAD);
	free(stream);
}

static void a_file_of_block_magics_takes_linear_time(void **state)
{
	size_t count = 16 << 20;
	struct stream_block *blocks = mem_zeroed(count / 32 + 1, sizeof(*blocks));
	struct stream_head *head = (void *)blocks;
	struct stream_tally tally;
	nsec begin = clock_cpu();

	memcpy(head->magic, STREAM_MAGIC, 8);
	head->version = STREAM_VERSION;
	for (size_t i = 0; i < count / 32; i++) {
		struct stream_block b = { .magic = STREAM_BLOCK_MAGIC,
					  .raw_size = 1024,
					  .packed_size = STREAM_BLOCK_MOST };

		memcpy((char *)blocks + HEAD + i * sizeof(b), &b, sizeof(b));
	}
	assert_int_equal(read_leaves(blocks, count, &tally), 0);
	assert_true(clock_cpu() - begin < 5 * NSEC_PER_SEC);
	assert_int_equal(tally.bytes_damaged + tally.bytes_cut, count - HEAD);
	free(blocks);
}

static void a_pipe_is_read_and_written(void **state)
{
	struct recording rec = record(6, 1000);
	struct stream_reader *r;
	const struct event *e;
	struct error err;
	unsigned count = 0;
	int ends[2];
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	child = fork();
	if (child == 0) {
		struct stream_writer *w;

		close(ends[0]);
		if (stream_writer_new(ends[1], "pipe", &w, NULL))
			_exit(1);
		add_leaves(w, 0, 60000);
		_exit(stream_writer_flush(w, NULL) || stream_writer_end(w, NULL));
	}
	close(ends[1]);
	assert_int_equal(stream_reader_open(ends[0], "pipe", &r, &err), 0);
	for (; stream_reader_next(r, &e, &err) == 1; count++)
		assert_int_equal(e->time, count);
	assert_int_equal(count, 60000);
	stream_reader_free(r);
	close(ends[0]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	free(rec.bytes);
}

static void a_disk_that_fills_up_keeps_whole_blocks(void **state)
{
	struct rlimit limit = { 20000, RLIM_INFINITY }, before;
	struct stream_writer *w;
	struct stream_reader *r;
	const struct event *e;
	struct error err;
	unsigned kept = 0;
	uint64_t i = 0;
	int code = 0, fd = new_file();

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(stream_writer_new(fd, "x.sonde", &w, &err), 0);
	for (; !code && i < 1000000; i++) {
		struct event_leave leave = leave_of(i);

		leave.parent = hash_u64(i);
		leave.retval = hash_u64(leave.parent);
		code = stream_writer_add(w, &leave.head, &err);
		if (!code && i % 100 == 99)
			code = stream_writer_flush(w, &err);
	}
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(code, -EFBIG);
	assert_non_null(strstr(err.text, "'x.sonde'"));
	assert_non_null(strstr(err.text, "records are kept"));
	/* there is room again, but what was lost stays lost */
	assert_int_equal(stream_writer_flush(w, &err), -EFBIG);
	assert_int_equal(lseek(fd, 0, SEEK_END), stream_writer_bytes(w));

	lseek(fd, 0, SEEK_SET);
	assert_int_equal(stream_reader_open(fd, "x.sonde", &r, &err), 0);
	while (stream_reader_next(r, &e, &err) == 1)
		kept++;
	assert_true(kept > 0 && kept % 100 == 0);
	assert_int_equal(kept, stream_writer_events(w));
	assert_int_equal(stream_reader_tally(r)->bytes_cut, 0);
	stream_reader_free(r);
	stream_writer_free(w);
	close(fd);
}

static void a_full_disk_is_said_at_once(void **state)
{
	struct stream_writer *w;
	struct error err;
	int fd = open("/dev/full", O_WRONLY);

	assert_int_equal(stream_writer_new(fd, "/dev/full", &w, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "No space left"));
	close(fd);
}

static void a_failing_read_is_an_error(void **state)
{
	struct stream_reader *r;
	struct error err;
	int fd = open("/", O_RDONLY);

	assert_int_equal(stream_reader_open(fd, "/", &r, &err), -EISDIR);
	close(fd);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(full_blocks_are_written_by_themselves),
		cmocka_unit_test(the_largest_records_fit),
		cmocka_unit_test(a_recording_cut_at_any_byte_gives_its_whole_blocks),
		cmocka_unit_test(every_flipped_bit_costs_its_block_and_no_other),
		cmocka_unit_test(random_damage_never_gives_a_wrong_record),
		cmocka_unit_test(a_file_gives_what_memory_gives),
		cmocka_unit_test(a_missing_block_is_counted),
		cmocka_unit_test(the_second_of_two_recordings_in_one_file_is_left_out),
		cmocka_unit_test(what_is_no_recording_is_refused_with_words),
		cmocka_unit_test(records_that_make_no_sense_are_left_out),
		cmocka_unit_test(a_block_that_unpacks_to_another_size_is_left_out),
		cmocka_unit_test(a_block_that_is_too_long_is_left_out),
		cmocka_unit_test(a_file_of_block_magics_takes_linear_time),
		cmocka_unit_test(a_pipe_is_read_and_written),
		cmocka_unit_test(a_disk_that_fills_up_keeps_whole_blocks),
		cmocka_unit_test(a_full_disk_is_said_at_once),
		cmocka_unit_test(a_failing_read_is_an_error),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("stream", tests, NULL, NULL);
}
