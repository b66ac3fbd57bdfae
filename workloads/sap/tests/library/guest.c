/* SPDX-License-Identifier: MIT */
/* Runs all tests as the first process of a guest: "ok NAME" or "not ok NAME" of each, then "done". */
#define _DEFAULT_SOURCE /* reboot, struct ifreq */
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "tests.h"

static void loopback_up(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	const int sock = socket(AF_INET, SOCK_DGRAM, 0);

	CHECK(sock >= 0 && ioctl(sock, SIOCSIFFLAGS, &request) == 0);
	close(sock);
}

static bool passes(const struct test *test)
{
	const pid_t child = fork();
	int status;

	CHECK(child >= 0);
	if (child == 0) {
		test->run();
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child);
	return status == 0;
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	loopback_up();
	for (const struct test *const *table = tables; *table; table++)
		for (const struct test *test = *table; test->name; test++)
			printf("%s %s\n", passes(test) ? "ok" : "not ok", test->name);
	puts("done");
	reboot(RB_POWER_OFF);
	return 1;
}
