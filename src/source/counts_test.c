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

#define SLOTS 2
#define STRIPES 2
#define USEC 1000

struct scene {
	struct counts counts;
	struct call_counts *kernel; /* its side of the map */
	size_t mapped;
	uint64_t entries, ended[NR_SPAN_END]; /* by all events */
	uint32_t probe;			      /* that the last was of */
};

static int begin(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));
	int fd = memfd_create("calls", 0);
	struct error err;

	s->mapped = SLOTS * STRIPES * sizeof(struct call_counts);
	assert_int_equal(ftruncate(fd, s->mapped), 0);
	s->kernel = mmap(NULL, s->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(s->kernel, MAP_FAILED);
	assert_int_equal(counts_open(&s->counts, fd, SLOTS, STRIPES, &err), 0);
	close(fd);
	counts_begin(&s->counts, 1, 0);
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
		s->probe = calls->probe;
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
	counts_read(&s->counts, 0, sum_up, s);
}

/* What the programs do for a probe: its stripes, NULL when nothing counts. */
static struct call_counts *kernel_counts(struct scene *s, uint32_t probe)
{
	struct call_counts *c = &s->kernel[((probe - 1) & (SLOTS - 1)) * STRIPES];

	return c->probe == probe ? c : NULL;
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

static void ids_are_given_once_and_slots_again(void **state)
{
	struct scene *s = *state;
	struct counts *c = &s->counts;

	assert_int_equal(counts_room(c), 2);
	counts_begin(c, 2, 0);
	assert_int_equal(counts_room(c), 0);
	counts_end(c, 1, 10);
	assert_null(kernel_counts(s, 1));
	assert_int_equal(counts_room(c), 0); /* a program may be on its way still */
	counts_gone(c, 1, sum_up, s);
	assert_int_equal(counts_room(c), 3);
	counts_begin(c, 3, 20);
	assert_int_equal(counts_room(c), 0);
	assert_false(counts_has(c, 1));
	assert_true(counts_has(c, 2) && counts_has(c, 3));
	assert_null(kernel_counts(s, 1));
	assert_non_null(kernel_counts(s, 2));
	assert_non_null(kernel_counts(s, 3));
	counts_end(c, 2, 30);
	counts_gone(c, 2, sum_up, s);
	assert_int_equal(counts_room(c), 4);
}

static void what_is_open_when_a_probe_goes_was_left(void **state)
{
	struct scene *s = *state;
	struct call_counts *kernel = kernel_counts(s, 1);

	kernel[0].entries = 5;
	kernel[1].buckets[bucket_of(3 * USEC)] = 2;
	read_all(s);
	counts_end(&s->counts, 1, 10);
	read_all(s); /* it is not among them */
	assert_int_equal(s->entries, 5);
	kernel[1].buckets[bucket_of(3 * USEC)]++; /* was on its way */
	assert_int_equal(counts_gone(&s->counts, 1, sum_up, s), 10);
	assert_int_equal(s->entries, 5);
	assert_int_equal(s->ended[END_RETURN], 3);
	assert_int_equal(s->ended[END_DETACHED], 2);
}

static void estimated_ends_are_no_open_calls(void **state)
{
	struct scene *s = *state;
	struct call_counts *kernel = kernel_counts(s, 1);

	kernel[0].entries = 4;
	kernel[0].buckets[bucket_of(3 * USEC)] = 3;
	kernel[0].ended[END_BRACKET] = 3;
	counts_end(&s->counts, 1, 10);
	counts_gone(&s->counts, 1, sum_up, s);
	assert_int_equal(s->ended[END_BRACKET], 3);
	assert_int_equal(s->ended[END_DETACHED], 1);
}

static void the_next_one_in_a_slot_begins_at_nothing(void **state)
{
	struct scene *s = *state;

	kernel_counts(s, 1)->entries = 5;
	counts_end(&s->counts, 1, 10);
	counts_gone(&s->counts, 1, sum_up, s);
	counts_begin(&s->counts, 3, 20);
	assert_int_equal(kernel_counts(s, 3)->entries, 0);
	s->entries = 0;
	kernel_counts(s, 3)->entries = 1;
	read_all(s);
	assert_int_equal(s->entries, 1);
	assert_int_equal(s->probe, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(stripes_are_one, begin, finish),
		cmocka_unit_test_setup_teardown(a_bracket_is_no_return, begin, finish),
		cmocka_unit_test_setup_teardown(a_bracket_read_before_its_duration_is_no_return,
						begin, finish),
		cmocka_unit_test_setup_teardown(ids_are_given_once_and_slots_again, begin,
						finish),
		cmocka_unit_test_setup_teardown(what_is_open_when_a_probe_goes_was_left, begin,
						finish),
		cmocka_unit_test_setup_teardown(estimated_ends_are_no_open_calls, begin,
						finish),
		cmocka_unit_test_setup_teardown(the_next_one_in_a_slot_begins_at_nothing, begin,
						finish),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("counts", tests, NULL, NULL);
}
