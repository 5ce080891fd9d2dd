#include "source/judged.h"

#include <bpf/bpf.h>

struct judged judged_look(const struct judged_maps *m, uint32_t pid)
{
	struct judged j = { 0 };

	bpf_map_update_elem(m->map, &pid, &j, BPF_NOEXIST);
	bpf_map_lookup_elem(m->map, &pid, &j);
	return j;
}

bool judged_tell(const struct judged_maps *m, uint32_t pid, const struct judged *looked,
		 uint64_t pages)
{
	struct judgement_made made = { .pid = pid, .pages = pages, .changes = looked->changes };
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = &made, .ctx_size_in = sizeof(made));

	return bpf_prog_test_run_opts(m->program, &run) == 0 && run.retval == 0;
}

void judged_forget(const struct judged_maps *m, uint32_t pid)
{
	bpf_map_delete_elem(m->map, &pid);
}

bool judged_asks(struct judged_maps *m)
{
	uint32_t asks = *(volatile const uint32_t *)m->asks;
	bool fresh = asks != m->heard;

	m->heard = asks;
	return fresh;
}

void judged_each_asked(const struct judged_maps *m, void (*one)(void *context, uint32_t pid),
		       void *context)
{
	uint32_t pid, *before = NULL;
	struct judged j;

	while (bpf_map_get_next_key(m->map, before, &pid) == 0) {
		if (bpf_map_lookup_elem(m->map, &pid, &j) == 0 && j.asked && j.asked != j.pages)
			one(context, pid);
		before = &pid;
	}
}
