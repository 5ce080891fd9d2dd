#include "base/log.h"
#include "cmd/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file that is opened where standard output was closed would get what is said to people.
 * What stands there instead can be neither read nor written, so that it fails as it would. */
static void fill_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			abort();
}

/* Who reads standard output has seen enough (`| head`): no error. */
static bool reader_went(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&out, 1, 0) > 0 && out.revents & (POLLERR | POLLHUP);
}

int main(int argc, char **argv)
{
	int status;

	fill_standard();
	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error with a sentence */
	signal(SIGPIPE, SIG_IGN); /* nor does who reads an answer end what is gathered */
	status = command_main(argc ? argv + 1 : argv);
	if ((fflush(stdout) == 0 && !ferror(stdout)) || reader_went())
		return status;
	log_error("cannot write the answer: %s", strerror(errno));
	return status == EXIT_DONE ? EXIT_FAILED : status;
}
