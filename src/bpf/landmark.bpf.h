/*
 * landmark - sites of no probe, where the target's run-time libraries show how calls are
 * left and what is mapped (probe/landmark.h).
 *
 * Their frames go in two steps: an exception looks for who catches it, then each frame
 * with something to clean up is entered from where it was left, runs that, and resumes
 * the flight.  So the calls below are over when one resumes and when one is caught; a
 * watched call that begins in between closes what lies below it as well, by the reason
 * that is noted here.
 */
#ifndef SONDE_BPF_LANDMARK_BPF_H
#define SONDE_BPF_LANDMARK_BPF_H

#include "bpf/foreign.bpf.h"
#include "bpf/goroutine.bpf.h"

static __always_inline void frames_go(struct pt_regs *ctx, __u64 cookie)
{
	__u32 role = COOKIE_ROLE(cookie);
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread_state *t = bpf_task_storage_get(&threads, task, 0, 0);

	if (!t)
		return;
	if (is_foreign(task, t, PT_REGS_SP(ctx))) {
		t->busy = 1;
		at_site(t, ctx, cookie);
		foreign_flight(t, role, PT_REGS_SP(ctx));
		charge_end(t);
		t->busy = 0;
		return;
	}
	if (!t->depth) { /* what was left is closed: what comes is left for its own reason */
		t->leaving = 0;
		return;
	}
	if (stack_is_own(t, PT_REGS_SP(ctx)) != STACK_OWN)
		return;
	t->busy = 1;
	at_site(t, ctx, cookie);
	if (role == SITE_THREAD_END)
		t->leaving = END_EXIT;
	else if (!t->leaving)
		t->leaving = END_THROW;
	if (role == SITE_RESUME || role == SITE_CATCH)
		drop_dead(t, PT_REGS_SP(ctx), bpf_ktime_get_ns());
	if (role == SITE_CATCH && t->leaving == END_THROW)
		t->leaving = 0;
	charge_end(t);
	t->busy = 0;
}

static __always_inline int at_landmark(struct pt_regs *ctx, __u64 cookie)
{
	if (COOKIE_ROLE(cookie) == SITE_LOADER)
		judged_change(bpf_get_current_pid_tgid() >> 32);
	else if (!COOKIE_LAYOUT(cookie))
		frames_go(ctx, cookie);
	else if (control.goroutines)
		goroutine_landmark(ctx, cookie);
	return 0;
}

#endif
