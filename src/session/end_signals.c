#include "session/end_signals.h"

#include <stddef.h>

void end_signals_set(const struct sigaction *action)
{
	struct sigaction now;

	sigaction(SIGINT, action, NULL);
	sigaction(SIGTERM, action, NULL);
	if (sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler != SIG_IGN)
		sigaction(SIGHUP, action, NULL);
}
