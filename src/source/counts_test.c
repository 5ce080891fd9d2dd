/*
 * counts_test - the kernel's counters, read while it counts.
 */
#include "source/counts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define STRIPES 2
#define USEC 1000

struct scene {
	struct counts counts;
	struct call_counts *kernel; /* its side of the map */
	size_t mapped;
	uint64_t entries, ended[NR_SPAN_END]; /* by all events */
};

static int begin(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));
	int fd = memfd_create("calls", 0);
	struct error err;

	s->mapped = STRIPES * sizeof(struct call_counts);
	assert_int_equal(ftruncate(fd, s->mapped), 0);
	s->kernel = mmap(NULL, s->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(s->kernel, MAP_FAILED);
	assert_int_equal(counts_open(&s->counts, fd, 1, STRIPES, &err), 0);
	close(fd);
	*state = s;
	return 0;
}

static int finish(void **state)
{
	struct scene *s = *state;

	counts_close(&s->counts);
	munmap(s->kernel, s->mapped);
	free(s);
	return 0;
}

static void sum_up(void *context, const struct event *e)
{
	struct scene *s = context;
	const struct event_calls *calls = (const struct event_calls *)e;
	const struct event_ends *ends = (const struct event_ends *)e;
	const struct end_count *more = (const struct end_count *)(ends + 1);

	if (e->kind == EVENT_CALLS) {
		s->entries += calls->entries;
		for (uint32_t r = 0; r < CALLS_ENDED; r++)
			s->ended[r] += calls->ended[r];
	} else if (e->kind == EVENT_ENDS) {
		for (uint32_t i = 0; i < ends->nr_ends; i++)
			s->ended[more[i].reason] += more[i].count;
	}
}

static void read_all(struct scene *s)
{
	counts_read(&s->counts, 1, 0, sum_up, s);
}

static void stripes_are_one(void **state)
{
	struct scene *s = *state;

	for (int i = 0; i < STRIPES; i++) {
		s->kernel[i].entries = 5;
		s->kernel[i].buckets[bucket_of(3 * USEC)] = 3;
		s->kernel[i].ended[END_DETACHED] = 1;
	}
	read_all(s);
	s->kernel[1].entries += 2;
	s->kernel[1].buckets[bucket_of(9 * USEC)] += 2;
	read_all(s);
	assert_int_equal(s->entries, 12);
	assert_int_equal(s->ended[END_RETURN], 8);
	assert_int_equal(s->ended[END_DETACHED], 2);
}

static void a_bracket_is_no_return(void **state)
{
	struct scene *s = *state;

	s->kernel[0].entries = 4;
	s->kernel[0].buckets[bucket_of(3 * USEC)] = 4;
	s->kernel[0].ended[END_BRACKET] = 4;
	read_all(s);
	assert_int_equal(s->ended[END_RETURN], 0);
	assert_int_equal(s->ended[END_BRACKET], 4);
}

static void a_bracket_read_before_its_duration_is_no_return(void **state)
{
	struct scene *s = *state;

	s->kernel[0].entries = 2;
	s->kernel[0].buckets[bucket_of(3 * USEC)] = 1;
	s->kernel[0].ended[END_BRACKET] = 2;
	read_all(s);
	assert_int_equal(s->ended[END_RETURN], 0);
	assert_int_equal(s->ended[END_BRACKET], 1);
	s->kernel[0].buckets[bucket_of(3 * USEC)] = 2;
	read_all(s);
	assert_int_equal(s->ended[END_RETURN], 0);
	assert_int_equal(s->ended[END_BRACKET], 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(stripes_are_one, begin, finish),
		cmocka_unit_test_setup_teardown(a_bracket_is_no_return, begin, finish),
		cmocka_unit_test_setup_teardown(a_bracket_read_before_its_duration_is_no_return,
						begin, finish),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("counts", tests, NULL, NULL);
}
