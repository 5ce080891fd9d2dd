#include "wire/sample_cause.h"

#include <stddef.h>

const struct cause_word cause_words[NR_SAMPLE_CAUSE] = {
	[0] = { "none", NULL },
	[CAUSE_CPU] = { "cpu", NULL },
	[CAUSE_RUNNABLE] = { "runnable", "[waits: a CPU]" },
	[CAUSE_WAIT] = { "other", "[waits]" },
	[CAUSE_LOCK] = { "lock", "[waits: lock or condition]" },
	[CAUSE_SLEEP] = { "sleep", "[waits: time]" },
	[CAUSE_DISK] = { "disk", "[waits: disk]" },
	[CAUSE_NETWORK] = { "network", "[waits: network]" },
	[CAUSE_PIPE] = { "pipe", "[waits: pipe or terminal]" },
	[CAUSE_FAULT] = { "fault", "[waits: page]" },
	[CAUSE_CHILD] = { "child", "[waits: process]" },
	[CAUSE_POLL] = { "poll", "[waits: any of its files]" },
	[CAUSE_STOPPED] = { "stopped", "[stopped]" },
};

enum sample_cause cause_known(__u32 cause)
{
	return cause && cause < NR_SAMPLE_CAUSE ? cause : CAUSE_WAIT;
}
