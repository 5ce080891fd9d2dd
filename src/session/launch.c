#include "session/launch.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child: says by the pipe why exec failed; exec itself closes it. */
static void become(char **argv, int pipe_end)
{
	int code;

	signal(SIGPIPE, SIG_DFL);
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
