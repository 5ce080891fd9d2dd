#include "proc/access.h"

#include "base/mem.h"

#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct access_rule access_rules[NR_NEED] = {
	[NEED_BPF] = { "load BPF programs", CAP_BPF, CAP_SYS_ADMIN, "CAP_BPF" },
	[NEED_SAMPLES] = { "sample and probe", CAP_PERFMON, CAP_SYS_ADMIN, "CAP_PERFMON" },
	[NEED_OTHERS] = { "look at other users' processes", CAP_SYS_PTRACE, CAP_SYS_PTRACE,
			  "CAP_SYS_PTRACE" },
	[NEED_MEMORY] = { "read files and memory of other users' processes",
			  CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE, "CAP_DAC_READ_SEARCH" },
	[NEED_KERNEL] = { "see the addresses of kernel functions", CAP_SYSLOG, CAP_SYSLOG,
			  "CAP_SYSLOG" },
};

uint64_t access_parse(const char *status)
{
	const char *line = strstr(status, "\nCapEff:");
	unsigned long long set = 0;

	if (!line || sscanf(line, "\nCapEff: %llx", &set) != 1)
		return 0;
	return set;
}

uint64_t access_effective(void)
{
	char text[4096] = "";
	FILE *f = fopen("/proc/self/status", "re");
	size_t n;

	if (!f)
		return 0;
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = 0;
	fclose(f);
	return access_parse(text);
}

bool access_has(uint64_t effective, enum access_need_kind need)
{
	const struct access_rule *rule = &access_rules[need];

	return effective >> rule->capability & 1 || effective >> rule->instead & 1;
}

void access_setcap(struct text *to)
{
	char self[PATH_MAX] = "sonde";
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n > 0)
		self[n] = 0;
	text_add(to, "setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_dac_read_search,"
		     "cap_syslog=ep ");
	text_add_plain(to, self);
}

int access_need(enum access_need_kind need, struct error *err)
{
	AUTO_TEXT struct text setcap = { 0 };

	if (access_has(access_effective(), need))
		return 0;
	access_setcap(&setcap);
	return error_set(err, EPERM,
			 "%s is missing to %s: run sonde with sudo, or give it the right once "
			 "with: sudo %s",
			 access_rules[need].name, access_rules[need].what,
			 text_string(&setcap));
}
