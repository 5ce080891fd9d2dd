#include "base/log.h"
#include "cmd/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	int status = command_main(argc ? argv + 1 : argv);

	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	log_error("cannot write the answer: %s", strerror(errno));
	return status == EXIT_DONE ? EXIT_FAILED : status;
}
