#include "elf/reader.h"

#include "base/array.h"
#include "elf/images.h"
#include "elf/symtab.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define OWN "/proc/self/exe"
#define LONG_ENOUGH (60 * NSEC_PER_SEC)

static struct image *open_own(void)
{
	struct image *image;

	assert_int_equal(image_open(OWN, "own", &image, NULL), 0);
	return image;
}

static void symbols_come_while_others_go_on(void **state)
{
	struct reader *r = reader_new();
	struct image *image = open_own();

	assert_false(image_symbols_are_read(image));
	reader_has(r, image);
	assert_true(reader_wait(r, image, LONG_ENOUGH));
	assert_true(image_symbols_are_read(image));
	assert_true(reader_has(r, image));
	assert_non_null(symtab_named(image_symbols(image), "reader_new"));
	reader_free(r);
	image_close(image);
}

/* Its owner does not need it any more: the reader still does. */
static void what_is_closed_is_read_to_its_end(void **state)
{
	struct reader *r = reader_new();
	struct image *other = open_own();

	for (unsigned i = 0; i < 20; i++) {
		struct image *image = open_own();

		reader_has(r, image);
		image_close(image);
	}
	assert_true(reader_wait(r, other, LONG_ENOUGH));
	reader_free(r);
	image_close(other);
}

/* It does not wait for what was asked for. */
static void it_can_be_freed_while_it_reads(void **state)
{
	for (unsigned i = 0; i < 20; i++) {
		struct reader *r = reader_new();
		struct image *image = open_own();

		reader_has(r, image);
		image_close(image);
		reader_free(r);
	}
	reader_free(reader_new());
	reader_free(NULL);
}

static void *ask(void *image)
{
	return (void *)image_symbols(image);
}

/* Whoever cannot go on without them waits for the one that reads them. */
static void several_may_ask_at_once(void **state)
{
	struct reader *r = reader_new();
	struct image *image = open_own();
	pthread_t threads[4];
	void *found;

	reader_has(r, image);
	assert_true(image_defines(image, "reader_n*"));
	assert_false(image_defines(image, "there_is_no_such_function"));
	for (unsigned i = 0; i < COUNT_OF(threads); i++)
		pthread_create(&threads[i], NULL, ask, image);
	for (unsigned i = 0; i < COUNT_OF(threads); i++) {
		pthread_join(threads[i], &found);
		assert_ptr_equal(found, image_symbols(image));
	}
	assert_non_null(symtab_named(image_symbols(image), "reader_new"));
	reader_free(r);
	image_close(image);
}

static void files_of_a_run_have_one(void **state)
{
	struct images *all = images_new();
	struct image *image;

	assert_null(images_reader(NULL));
	assert_int_equal(images_open(all, OWN, "own", &image, NULL), 0);
	assert_true(reader_wait(images_reader(all), image, LONG_ENOUGH));
	image_close(image);
	images_free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_come_while_others_go_on),
		cmocka_unit_test(what_is_closed_is_read_to_its_end),
		cmocka_unit_test(it_can_be_freed_while_it_reads),
		cmocka_unit_test(several_may_ask_at_once),
		cmocka_unit_test(files_of_a_run_have_one),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("reader", tests, NULL, NULL);
}
