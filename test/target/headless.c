/*
 * headless - a process whose main thread has ended (pthread_exit) while another works on.
 */
#include "stage.h"

#include <pthread.h>
#include <stdlib.h>

static struct stage stage = { .calls = 2000, .work = 500000, .seconds = 30 };
static pthread_t head;

KEPT uint64_t headless_work(uint64_t rounds)
{
	return spin(rounds);
}

static void *live_on(void *unused)
{
	uint64_t began;

	pthread_join(head, NULL);
	stage_open(&stage);
	began = stage_cpu();
	for (unsigned i = 0; i < stage.calls; i++)
		headless_work(stage.work);
	printf("{\"calls\":%u,\"cpu_ns\":%lu}\n", stage.calls, stage_cpu() - began);
	exit(0);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	stage_options(&stage, argc, argv);
	head = pthread_self();
	if (pthread_create(&thread, NULL, live_on, NULL))
		return 5;
	pthread_exit(NULL);
}
