#include "base/crew.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>

#include <cmocka.h>

/* Jobs that wait for one another: they end only where so many run at once. */
struct meeting {
	struct crew *crew;
	pthread_barrier_t all;
	atomic_uint done;
};

static void meet(void *context)
{
	struct meeting *m = context;

	pthread_barrier_wait(&m->all);
	m->done++;
}

static void jobs_run_at_once(void **state)
{
	struct meeting m = { .crew = crew_new(8, 3) };

	pthread_barrier_init(&m.all, NULL, 8);
	for (unsigned i = 0; i < 32; i++)
		crew_do(m.crew, meet, &m);
	crew_finish(m.crew);
	assert_int_equal(m.done, 32);
	pthread_barrier_destroy(&m.all);
	crew_free(m.crew);
}

static void what_can_wait_takes_only_its_part(void **state)
{
	struct meeting patient = { .crew = crew_new(4, 2) }, urgent = { .crew = patient.crew };

	/* two wait for the third, which can only be us; of four two are left */
	pthread_barrier_init(&patient.all, NULL, 3);
	pthread_barrier_init(&urgent.all, NULL, 3);
	for (unsigned i = 0; i < 4; i++)
		crew_do_later(patient.crew, meet, &patient);
	crew_do(urgent.crew, meet, &urgent);
	crew_do(urgent.crew, meet, &urgent);
	pthread_barrier_wait(&urgent.all);
	pthread_barrier_wait(&patient.all);
	pthread_barrier_wait(&patient.all);
	crew_finish(patient.crew);
	assert_int_equal(patient.done, 4);
	assert_int_equal(urgent.done, 2);
	pthread_barrier_destroy(&patient.all);
	pthread_barrier_destroy(&urgent.all);
	crew_free(patient.crew);
}

struct chain {
	struct crew *crew;
	unsigned left, done;
};

static void next(void *context)
{
	struct chain *c = context;

	c->done++;
	if (c->left-- > 1)
		(c->left % 2 ? crew_do : crew_do_later)(c->crew, next, c);
}

static void jobs_of_jobs_are_done_and_it_can_begin_again(void **state)
{
	struct chain c = { .crew = crew_new(3, 1) };

	for (unsigned round = 0; round < 3; round++) {
		c.left = 1000;
		crew_do(c.crew, next, &c);
		crew_finish(c.crew);
		assert_int_equal(c.done, 1000 * (round + 1));
	}
	crew_free(c.crew);
	crew_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_run_at_once),
		cmocka_unit_test(what_can_wait_takes_only_its_part),
		cmocka_unit_test(jobs_of_jobs_are_done_and_it_can_begin_again),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("crew", tests, NULL, NULL);
}
