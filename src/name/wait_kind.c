#include "name/wait_kind.h"

#include "base/mem.h"
#include "model/frame.h"

#include <string.h>
#include <sys/syscall.h>

/*
 * Names of functions of Linux 4.18 to 6.18 in which a thread waits, or their beginnings, where
 * a '*' follows.  The first that is met, from the scheduler outward, tells; io_schedule waits
 * for a page or block too, but whether that is a fault is told by what is further out.
 */
static const struct {
	const char *function;
	enum sample_cause cause;
} places[] = {
	{ "futex_*", CAUSE_LOCK },
	{ "__futex_*", CAUSE_LOCK },
	{ "do_futex", CAUSE_LOCK },
	{ "__mutex_lock*", CAUSE_LOCK },
	{ "rwsem_down_*", CAUSE_LOCK },
	{ "rt_mutex_*", CAUSE_LOCK },
	{ "__rt_mutex_*", CAUSE_LOCK },
	{ "__down*", CAUSE_LOCK },
	{ "percpu_rwsem_wait", CAUSE_LOCK },
	{ "locks_lock_inode_wait", CAUSE_LOCK },
	{ "flock_lock_inode_wait", CAUSE_LOCK },
	{ "fcntl_setlk*", CAUSE_LOCK },
	{ "do_lock_file_wait", CAUSE_LOCK },
	{ "do_semtimedop", CAUSE_LOCK },
	{ "__do_semtimedop", CAUSE_LOCK },
	{ "do_nanosleep", CAUSE_SLEEP },
	{ "hrtimer_nanosleep", CAUSE_SLEEP },
	{ "timerfd_read*", CAUSE_SLEEP },
	{ "ep_poll", CAUSE_POLL },
	{ "do_poll*", CAUSE_POLL },
	{ "do_sys_poll", CAUSE_POLL },
	{ "do_select", CAUSE_POLL },
	{ "io_cqring_wait", CAUSE_POLL },
	{ "io_schedule*", CAUSE_DISK },
	{ "jbd2_*", CAUSE_DISK },
	{ "xlog_*", CAUSE_DISK },
	{ "xfs_*", CAUSE_DISK },
	{ "btrfs_*", CAUSE_DISK },
	{ "ext4_*", CAUSE_DISK },
	{ "f2fs_*", CAUSE_DISK },
	{ "submit_bio_wait", CAUSE_DISK },
	{ "blk_*", CAUSE_DISK },
	{ "folio_wait_*", CAUSE_DISK },
	{ "wait_on_page_*", CAUSE_DISK },
	{ "balance_dirty_pages*", CAUSE_DISK },
	{ "request_wait_answer", CAUSE_DISK },
	{ "rpc_wait_*", CAUSE_NETWORK },
	{ "p9_client_rpc", CAUSE_DISK },
	{ "vfs_fsync_range", CAUSE_DISK },
	{ "pipe_*", CAUSE_PIPE },
	{ "anon_pipe_*", CAUSE_PIPE },
	{ "fifo_open", CAUSE_PIPE },
	{ "wait_for_partner", CAUSE_PIPE },
	{ "eventfd_read", CAUSE_PIPE },
	{ "n_tty_*", CAUSE_PIPE },
	{ "tty_*", CAUSE_PIPE },
	{ "tcp_*", CAUSE_NETWORK },
	{ "udp_*", CAUSE_NETWORK },
	{ "inet_*", CAUSE_NETWORK },
	{ "unix_*", CAUSE_NETWORK },
	{ "sk_*", CAUSE_NETWORK },
	{ "__skb_*", CAUSE_NETWORK },
	{ "skb_*", CAUSE_NETWORK },
	{ "netlink_*", CAUSE_NETWORK },
	{ "packet_*", CAUSE_NETWORK },
	{ "vsock_*", CAUSE_NETWORK },
	{ "__sys_accept*", CAUSE_NETWORK },
	{ "__sys_recv*", CAUSE_NETWORK },
	{ "__sys_send*", CAUSE_NETWORK },
	{ "do_wait", CAUSE_CHILD },
	{ "do_wait_pid", CAUSE_CHILD },
	{ "kernel_wait4", CAUSE_CHILD },
	{ "wait_for_vfork_done", CAUSE_CHILD },
	{ "kernel_clone", CAUSE_CHILD },
	{ "_do_fork", CAUSE_CHILD },
	{ "do_signal_stop", CAUSE_STOPPED },
	{ "ptrace_stop*", CAUSE_STOPPED },
	{ "__refrigerator", CAUSE_STOPPED },
	{ "handle_userfault", CAUSE_FAULT },
	{ "migration_entry_wait*", CAUSE_FAULT },
	{ "throttle_cfs_rq_work", CAUSE_RUNNABLE },
};

static const char *const faults[] = { "handle_mm_fault", "__handle_mm_fault",
				      "do_user_addr_fault", "do_page_fault" };

static const struct {
	int call;
	enum sample_cause cause;
} calls[] = {
	{ SYS_futex, CAUSE_LOCK },
	{ SYS_flock, CAUSE_LOCK },
	{ SYS_semtimedop, CAUSE_LOCK },
	{ SYS_nanosleep, CAUSE_SLEEP },
	{ SYS_clock_nanosleep, CAUSE_SLEEP },
	{ SYS_epoll_pwait, CAUSE_POLL },
	{ SYS_ppoll, CAUSE_POLL },
	{ SYS_pselect6, CAUSE_POLL },
#ifdef SYS_poll
	{ SYS_epoll_wait, CAUSE_POLL },
	{ SYS_poll, CAUSE_POLL },
	{ SYS_select, CAUSE_POLL },
#endif
	{ SYS_fsync, CAUSE_DISK },
	{ SYS_fdatasync, CAUSE_DISK },
	{ SYS_sync_file_range, CAUSE_DISK },
	{ SYS_msync, CAUSE_DISK },
	{ SYS_pread64, CAUSE_DISK },
	{ SYS_pwrite64, CAUSE_DISK },
	{ SYS_accept, CAUSE_NETWORK },
	{ SYS_accept4, CAUSE_NETWORK },
	{ SYS_connect, CAUSE_NETWORK },
	{ SYS_recvfrom, CAUSE_NETWORK },
	{ SYS_recvmsg, CAUSE_NETWORK },
	{ SYS_recvmmsg, CAUSE_NETWORK },
	{ SYS_sendto, CAUSE_NETWORK },
	{ SYS_sendmsg, CAUSE_NETWORK },
	{ SYS_wait4, CAUSE_CHILD },
	{ SYS_waitid, CAUSE_CHILD },
};

static bool is_named(const char *function, const char *pattern)
{
	size_t length = strlen(pattern);

	if (pattern[length - 1] == '*')
		return strncmp(function, pattern, length - 1) == 0;
	return strcmp(function, pattern) == 0;
}

static enum sample_cause cause_in(const char *function)
{
	for (unsigned i = 0; i < COUNT_OF(places); i++)
		if (is_named(function, places[i].function))
			return places[i].cause;
	return CAUSE_WAIT;
}

static bool is_fault(const char *function)
{
	for (unsigned i = 0; i < COUNT_OF(faults); i++)
		if (strcmp(function, faults[i]) == 0)
			return true;
	return false;
}

static enum sample_cause cause_of_call(int call)
{
	for (unsigned i = 0; i < COUNT_OF(calls); i++)
		if (calls[i].call == call)
			return calls[i].cause;
	return CAUSE_WAIT;
}

enum sample_cause wait_kind(const struct naming *naming, const struct event_wait *wait)
{
	enum sample_cause cause = wait->cause;

	if (cause != CAUSE_WAIT)
		return cause;
	for (uint32_t i = 0; i < wait->nr_kernel; i++) {
		struct frame_name name;

		if (!naming->find(naming->context, IMAGE_KERNEL_ID,
				  wait->frames[i] - (i && wait->frames[i] ? 1 : 0), &name))
			continue;
		if (cause == CAUSE_WAIT)
			cause = cause_in(name.function);
		if ((cause == CAUSE_WAIT || cause == CAUSE_DISK) && is_fault(name.function))
			return CAUSE_FAULT;
	}
	return cause == CAUSE_WAIT ? cause_of_call(wait->call) : cause;
}
