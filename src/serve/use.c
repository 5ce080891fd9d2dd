#include "serve/use.h"

#include <sys/resource.h>

static nsec nsec_of(struct timeval t)
{
	return t.tv_sec * NSEC_PER_SEC + t.tv_usec * 1000;
}

struct use use_own(void)
{
	struct rusage r = { 0 };

	getrusage(RUSAGE_SELF, &r);
	return (struct use){
		.cpu = nsec_of(r.ru_utime) + nsec_of(r.ru_stime),
		.peak_bytes = (uint64_t)r.ru_maxrss * 1024,
	};
}
