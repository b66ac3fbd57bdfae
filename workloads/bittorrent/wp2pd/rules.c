/* SPDX-License-Identifier: MIT */
#include "rules.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail.h"

#define EMPTY                                                           \
	"table inet wp2p {\n"                                            \
	"chain arrived { type filter hook input priority filter; }\n"    \
	"chain sent { type filter hook output priority filter; }\n}\n"   \
	"flush table inet wp2p\n"

/* Let nft read these rules. */
static bool applied(const char *rules)
{
	int ends[2], status;
	size_t length = strlen(rules);
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return false;
	child = fork();
	if (!child) {
		dup2(ends[0], STDIN_FILENO);
		execlp("nft", "nft", "-f", "-", (char *)NULL);
		_exit(127);
	}
	close(ends[0]);
	if (child > 0 && write(ends[1], rules, length) != (ssize_t)length)
		length = 0; /* nft says what it lacks */
	close(ends[1]);
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

void rules_make(uint16_t queue)
{
	char rules[1024];

	snprintf(rules, sizeof(rules),
		 EMPTY "table inet wp2p {\n"
		       "chain arrived { iifname \"lo\" accept; meta l4proto tcp queue flags bypass to %u; }\n"
		       "chain sent { oifname \"lo\" accept; meta mark %u accept; "
		       "meta l4proto tcp queue flags bypass to %u; }\n}\n",
		 queue, RULES_MARK, queue);
	if (!applied(rules))
		refuse("nft does not take the rules for the queue");
}

int rules_empty(void)
{
	pid_t child = fork();

	if (!child)
		_exit(!applied(EMPTY));
	return child > 0 ? pidfd_open(child, 0) : -1;
}
