// SPDX-License-Identifier: MIT
/*
 * pause: the first process of a container. Keeps its namespaces alive and reaps orphaned processes.
 */
#include <signal.h>
#include <sys/wait.h>

int main(void)
{
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, 0);
	for (;;) {
		if (sigwait(&set, &number))
			return 1;
		if (number == SIGTERM)
			return 0;
		while (waitpid(-1, 0, WNOHANG) > 0)
			continue;
	}
}
