#include "base/helper.h"

#include <signal.h>

int helper_start(pthread_t *ret, const pthread_attr_t *attr, void *(*run)(void *),
		 void *context)
{
	sigset_t all, before;
	int code;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	code = pthread_create(ret, attr, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return code;
}
