/*
 * cost - what a watched call costs here, on functions of our own.
 */
#include "source/calibrate.h"

#include "base/mem.h"
#include "source/gauge.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>

/* r0 = result; exit.  An entry program of a session that returns 1 asks for no
 * hook of the return. */
static int load_result(unsigned attach_type, int result)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = result },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = attach_type);

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "sonde_cost", "GPL", program, 2, &options);
}

static double watched(struct attach_links *links, enum attach_kind kind,
		      const struct attach_programs *programs, enum gauge which)
{
	struct gauge_trial trial;

	gauge_watch(links, kind, programs, which, NULL, &trial);
	return trial.more;
}

static void measure(const struct kernel_support *support, struct attach_links *links,
		    struct cost *ret)
{
	enum attach_kind kind = kernel_attach_kind(support);
	unsigned type = attach_program_type(kind);
	AUTO_CLOSE int entry = load_result(type, kind == ATTACH_SESSION);
	AUTO_CLOSE int both = load_result(type, 0);

	const struct attach_programs one = { entry, entry, entry, -1 },
				     two = { both, both, both, -1 };

	if (entry < 0 || both < 0)
		return;
	ret->emulated = watched(links, kind, &one, GAUGE_PUSH);
	ret->nop5 = watched(links, kind, &one, GAUGE_NOP5);
	ret->stepped = watched(links, kind, &one, GAUGE_MOV);
	/* the other kinds of links always see the return: it is in the above */
	if (kind == ATTACH_SESSION && ret->emulated > 0)
		ret->hook = watched(links, kind, &two, GAUGE_PUSH_AGAIN) - ret->emulated;
	if (ret->hook < 0)
		ret->hook = 0;
}

void cost_measure(const struct kernel_support *support, struct cost *ret)
{
	struct attach_links links = { 0 };

	*ret = (struct cost){ 0 };
	if (support->load_bpf)
		measure(support, &links, ret);
	attach_done(&links);
}
