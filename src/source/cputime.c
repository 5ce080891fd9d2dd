#include "source/cputime.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* utime and stime of /proc/PID/stat (proc(5), fields 14 and 15). */
static bool read_cputime(uint32_t pid, nsec *ret)
{
	unsigned long long user, kernel;
	char path[64], line[1024], *end;
	bool ok = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (fgets(line, sizeof(line), f) && (end = strrchr(line, ')')))
		ok = sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu",
			    &user, &kernel) == 2;
	fclose(f);
	if (ok)
		*ret = (user + kernel) * (NSEC_PER_SEC / sysconf(_SC_CLK_TCK));
	return ok;
}

void cputime_add(struct cputime *c, uint32_t pid)
{
	struct cputime_process p = { .pid = pid };

	if (!read_cputime(pid, &p.first))
		return;
	p.last = p.first;
	array_push(&c->processes, p);
}

nsec cputime_used(struct cputime *c)
{
	nsec sum = 0;

	for (uint32_t i = 0; i < c->processes.count; i++) {
		struct cputime_process *p = &c->processes.at[i];
		nsec now;

		if (read_cputime(p->pid, &now) && now > p->last)
			p->last = now;
		sum += p->last - p->first;
	}
	return sum;
}

void cputime_done(struct cputime *c)
{
	array_done(&c->processes);
}

uint64_t cputime_missing(nsec used, nsec period, uint64_t samples)
{
	double due = period ? (double)used / period : 0, chance = 3 * sqrt(due) + due / 10;

	return samples + chance < due ? due - samples : 0;
}
