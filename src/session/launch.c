#include "session/launch.h"

#include "base/mem.h"
#include "session/end_signals.h"
#include "session/files.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define BREAKPOINT 0xcc /* int3 */
#define BREAKPOINT_SIZE 1

/* The child: waits until it is traced, and says why exec failed; exec itself closes both. */
static void become(char **argv, int held, int why)
{
	char go;
	int code;

	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	files_allow_as_before();
	if (read(held, &go, 1) != 1)
		_exit(127);
	execvp(argv[0], argv);
	code = errno;
	if (write(why, &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

static bool is_event(int status, int event)
{
	return WIFSTOPPED(status) && status >> 16 == event;
}

/* What a stopped tracee is told to go on with: the signal it was stopped by, which for an
 * event is none. */
static int signal_of(int status)
{
	return status >> 16 ? 0 : WSTOPSIG(status);
}

/* Lets it run up to its exec; false: it ended before. */
static bool run_to_exec(pid_t pid, int held, int *status)
{
	/* held from here on, and ended with us: it must not run unwatched, nor keep a
	 * breakpoint of ours */
	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)(PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC)) <
		    0 ||
	    write(held, "", 1) != 1)
		return false;
	for (;;) {
		if (waitpid(pid, status, 0) < 0)
			return false;
		if (!WIFSTOPPED(*status) || is_event(*status, PTRACE_EVENT_EXEC))
			return WIFSTOPPED(*status);
		if (ptrace(PTRACE_CONT, pid, NULL, (void *)(long)signal_of(*status)) < 0)
			return false;
	}
}

static int hold(pid_t pid, const char *name, int held, int why, struct error *err)
{
	int status = SIGSTOP << 8 | 0x7f /* stopped */, code = 0;
	bool stands = run_to_exec(pid, held, &status);
	int failed = stands ? 0 : errno;

	if (stands)
		return 0;
	if (WIFEXITED(status) && read(why, &code, sizeof(code)) == sizeof(code))
		return error_set(err, code, "cannot start '%s': %s", name, strerror(code));
	if (WIFEXITED(status) || WIFSIGNALED(status))
		return error_set(err, ECHILD, "'%s' ended before it could be watched", name);
	launch_abandon(pid);
	return error_set(err, failed, "cannot hold '%s' before it begins (ptrace): %s", name,
			 strerror(failed));
}

int launch_open(char **argv, uint32_t *ret_pid, struct error *err)
{
	int held[2], why[2], code;
	pid_t pid;

	if (pipe2(held, O_CLOEXEC) < 0)
		return error_set(err, errno, "cannot make a pipe: %s", strerror(errno));
	if (pipe2(why, O_CLOEXEC) < 0) {
		code = error_set(err, errno, "cannot make a pipe: %s", strerror(errno));
		close(held[0]);
		close(held[1]);
		return code;
	}
	pid = fork();
	if (!pid) {
		close(held[1]);
		become(argv, held[0], why[1]);
	}
	code = errno;
	close(held[0]);
	close(why[1]);
	code = pid < 0 ? error_set(err, code, "cannot fork: %s", strerror(code))
		       : hold(pid, argv[0], held[1], why[0], err);
	close(held[1]);
	close(why[0]);
	if (code == 0)
		*ret_pid = pid;
	return code;
}

/* Where the kernel lets the program begin once its loader is done: getauxval(3). */
static uint64_t find_entry(pid_t pid)
{
	AUTO_FREE char *path = mem_format("/proc/%d/auxv", pid);
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_auxv_t v[64];
	ssize_t size = fd < 0 ? -1 : read(fd, v, sizeof(v));

	for (ssize_t i = 0; i < size / (ssize_t)sizeof(v[0]); i++)
		if (v[i].a_type == AT_ENTRY)
			return v[i].a_un.a_val;
	return 0;
}

/* Runs it until it stands at address, which has a breakpoint; false: it ended, or is
 * now another program. */
static bool run_to(pid_t pid, uint64_t address, int *status)
{
	int signal = 0;

	for (;;) {
		struct user_regs_struct regs;

		if (ptrace(PTRACE_CONT, pid, NULL, (void *)(long)signal) < 0 ||
		    waitpid(pid, status, 0) < 0 || !WIFSTOPPED(*status))
			return false;
		signal = signal_of(*status);
		if (is_event(*status, PTRACE_EVENT_EXEC))
			return false;
		if (signal != SIGTRAP)
			continue;
		if (ptrace(PTRACE_GETREGS, pid, NULL, &regs) < 0 ||
		    regs.rip != address + BREAKPOINT_SIZE)
			continue;
		regs.rip = address;
		return ptrace(PTRACE_SETREGS, pid, NULL, &regs) == 0;
	}
}

/* true: it stands at its entry, its code as it was. */
static bool load(pid_t pid, int *status)
{
	uint64_t entry = find_entry(pid);
	long word, trap;

	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, pid, (void *)entry, NULL);
	if (!entry || errno)
		return false;
	trap = (word & ~0xffL) | BREAKPOINT;
	if (ptrace(PTRACE_POKETEXT, pid, (void *)entry, (void *)trap) < 0)
		return false;
	return run_to(pid, entry, status) &&
	       ptrace(PTRACE_POKETEXT, pid, (void *)entry, (void *)word) == 0;
}

static int fail_load(pid_t pid, int status, struct error *err)
{
	if (WIFEXITED(status))
		return error_set(err, ECHILD,
				 "the command ended with status %d while it loaded its "
				 "libraries",
				 WEXITSTATUS(status));
	if (WIFSIGNALED(status))
		return error_set(err, ECHILD,
				 "the command was ended by signal %d while it loaded its "
				 "libraries",
				 WTERMSIG(status));
	launch_abandon(pid);
	return error_set(err, ECHILD, "cannot let the command load its libraries: %s",
			 strerror(errno));
}

int launch_load(uint32_t pid, struct error *err)
{
	int status = SIGTRAP << 8 | 0x7f; /* stopped */
	bool loaded;

	do
		loaded = load(pid, &status);
	while (!loaded && is_event(status, PTRACE_EVENT_EXEC));
	return loaded ? 0 : fail_load(pid, status, err);
}

int launch_go(uint32_t pid, struct error *err)
{
	if (ptrace(PTRACE_DETACH, pid, NULL, NULL) == 0)
		return 0;
	return error_set(err, errno, "cannot let process %u run: %s", pid, strerror(errno));
}

void launch_abandon(uint32_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* The command a signal is handed on to: a handler has no other way to know. */
static volatile pid_t waited;

static void hand_on(int number, siginfo_t *info, void *context)
{
	int kept = errno;

	if (info->si_code != SI_KERNEL && waited > 0)
		kill(waited, number);
	errno = kept;
}

void launch_hand_on(uint32_t pid)
{
	const struct sigaction once = { .sa_sigaction = hand_on,
					.sa_flags = SA_SIGINFO | SA_RESTART | SA_RESETHAND };

	waited = pid;
	end_signals_set(&once);
}

int launch_wait(uint32_t pid)
{
	const struct sigaction ends = { .sa_handler = SIG_DFL };
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	end_signals_set(&ends);
	waited = 0;
	return status;
}
