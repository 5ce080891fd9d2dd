#include "session/files.h"

#include <errno.h>
#include <sys/resource.h>

/* A property of the whole program; rlim_max 0: not changed. */
static struct rlimit before;

int files_allow_many(struct error *err)
{
	struct rlimit now;

	if (getrlimit(RLIMIT_NOFILE, &now) < 0)
		return 0;
	if (now.rlim_max < FILES_LEAST)
		return error_set(
			err, EMFILE,
			"only %llu files may be open at once, and sonde needs %u: ulimit "
			"-n 1024",
			(unsigned long long)now.rlim_max, FILES_LEAST);
	if (now.rlim_cur == now.rlim_max)
		return 0;
	before = now;
	now.rlim_cur = now.rlim_max;
	setrlimit(RLIMIT_NOFILE, &now);
	return 0;
}

void files_allow_as_before(void)
{
	if (before.rlim_max)
		setrlimit(RLIMIT_NOFILE, &before);
}
