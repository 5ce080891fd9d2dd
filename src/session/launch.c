#include "session/launch.h"

#include "base/mem.h"

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

/* The child: says by the pipe why exec failed; exec itself closes it. */
static void become(char **argv, int pipe_end)
{
	int code;

	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	execvp(argv[0], argv);
	code = errno;
	if (write(pipe_end, &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

int launch_open(char **argv, uint32_t *ret_pid, struct error *err)
{
	int ends[2], code = 0, status;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_set(err, errno, "cannot make a pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		return error_set(err, errno, "cannot fork: %s", strerror(errno));
	if (!pid)
		become(argv, ends[1]);
	close(ends[1]);
	if (read(ends[0], &code, sizeof(code)) != sizeof(code))
		code = 0;
	close(ends[0]);
	if (waitpid(pid, &status, 0) < 0)
		return error_set(err, errno, "cannot wait for '%s': %s", argv[0],
				 strerror(errno));
	if (code)
		return error_set(err, code, "cannot start '%s': %s", argv[0], strerror(code));
	if (!WIFSTOPPED(status))
		return error_set(err, ECHILD, "'%s' ended before it could be watched", argv[0]);
	*ret_pid = pid;
	return 0;
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
		signal = WSTOPSIG(*status);
		if (signal != SIGTRAP)
			continue;
		if (*status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
			return false;
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

	/* a breakpoint of ours must not outlive us in it */
	if (ptrace(PTRACE_SETOPTIONS, pid, NULL,
		   (void *)(PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC)) < 0)
		return fail_load(pid, status, err);
	do
		loaded = load(pid, &status);
	while (!loaded && status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8));
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
