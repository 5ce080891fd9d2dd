#include "elf/filepool.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MANY 20

static char folder[] = "/tmp/filepool.XXXXXX";
static struct pooled_file *files[MANY];

static void name_of(int i, char path[64])
{
	snprintf(path, 64, "%s/%d", folder, i);
}

static int open_new(int i)
{
	char path[64], text[16];
	int fd, n = snprintf(text, sizeof(text), "file %d", i);

	name_of(i, path);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, n), n);
	return fd;
}

static void remove_it(int i)
{
	char path[64];

	name_of(i, path);
	unlink(path);
}

static bool is_right(struct pooled_file *file, int i)
{
	char is[16] = "", wanted[16];
	int fd = pooled_file_pin(file);
	ssize_t n = pread(fd, is, sizeof(is) - 1, 0);

	snprintf(wanted, sizeof(wanted), "file %d", i);
	pooled_file_unpin(file);
	return n > 0 && !strcmp(is, wanted);
}

static void assert_is(struct pooled_file *file, int i)
{
	assert_true(is_right(file, i));
}

/* Does this machine let us open what we have mapped? */
static bool can_reopen(void)
{
	return access("/proc/self/map_files", R_OK) == 0 && geteuid() == 0;
}

static struct filepool *pool_of_many(uint32_t most)
{
	struct filepool *pool = filepool_new(most);

	for (int i = 0; i < MANY; i++) {
		files[i] = pooled_file_new(pool, open_new(i));
		/* what happens to its name does not matter */
		remove_it(i);
	}
	return pool;
}

static void close_many(void)
{
	for (int i = 0; i < MANY; i++)
		pooled_file_close(files[i]);
}

static void few_are_open_and_all_can_be_read(void **state)
{
	struct filepool *pool = pool_of_many(4);
	uint32_t open = can_reopen() ? 4 : MANY;

	assert_int_equal(filepool_open(pool), open);
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < MANY; i++) {
			assert_is(files[i * 7 % MANY], i * 7 % MANY);
			assert_int_equal(filepool_open(pool), open);
		}
	close_many();
	assert_int_equal(filepool_open(pool), 0);
	filepool_free(pool);
}

static void what_is_pinned_stays(void **state)
{
	struct filepool *pool = pool_of_many(2);
	int pinned[3];

	for (int i = 0; i < 3; i++) {
		pinned[i] = pooled_file_pin(files[i]);
		assert_int_equal(pooled_file_pin(files[i]), pinned[i]);
	}
	for (int i = 0; i < MANY; i++)
		assert_is(files[i], i);
	for (int i = 0; i < 3; i++) {
		pooled_file_unpin(files[i]);
		assert_int_equal(pooled_file_pin(files[i]), pinned[i]); /* still once */
		pooled_file_unpin(files[i]);
	}
	if (can_reopen())
		assert_int_equal(filepool_open(pool), 5);
	for (int i = 0; i < 3; i++)
		pooled_file_unpin(files[i]);
	if (can_reopen())
		assert_int_equal(filepool_open(pool), 2);
	close_many();
	filepool_free(pool);
}

static void *read_all(void *wrong)
{
	for (int round = 0; round < 200; round++)
		for (int i = 0; i < MANY; i++)
			if (!is_right(files[(i * 7 + round) % MANY], (i * 7 + round) % MANY))
				++*(int *)wrong;
	return NULL;
}

static void several_threads_read(void **state)
{
	struct filepool *pool = pool_of_many(4);
	uint32_t open = can_reopen() ? 4 : MANY;
	pthread_t threads[4];
	int wrong[4] = { 0 };

	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, read_all, &wrong[i]), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(wrong[i], 0);
	}
	assert_int_equal(filepool_open(pool), open);
	close_many();
	filepool_free(pool);
}

/* A file that shrinks to nothing while only its page is held. */
static void a_file_may_shrink(void **state)
{
	struct filepool *pool = filepool_new(1);
	struct pooled_file *first = pooled_file_new(pool, open_new(0)), *second;
	char byte, path[64];
	int fd;

	second = pooled_file_new(pool, open_new(1));
	name_of(0, path);
	assert_int_equal(truncate(path, 0), 0);
	fd = pooled_file_pin(first);
	assert_int_equal(pread(fd, &byte, 1, 0), 0);
	pooled_file_unpin(first);
	assert_is(second, 1);
	remove_it(0);
	remove_it(1);
	/* its files outlive it */
	filepool_free(pool);
	assert_is(second, 1);
	pooled_file_close(first);
	pooled_file_close(second);
}

static void without_a_pool_it_stays_open(void **state)
{
	int fd = open_new(3);
	struct pooled_file *file = pooled_file_new(NULL, fd);

	remove_it(3);
	assert_int_equal(pooled_file_pin(file), fd);
	pooled_file_unpin(file);
	assert_int_equal(pooled_file_pin(file), fd);
	pooled_file_unpin(file);
	pooled_file_close(file);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	pooled_file_close(NULL);
}

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_are_open_and_all_can_be_read),
		cmocka_unit_test(what_is_pinned_stays),
		cmocka_unit_test(several_threads_read),
		cmocka_unit_test(a_file_may_shrink),
		cmocka_unit_test(without_a_pool_it_stays_open),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
