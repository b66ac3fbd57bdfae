// SPDX-License-Identifier: MIT
/*
 * nudge SOCKET INTERVAL-MS: asks a daemon of Open vSwitch for its version again and again, over its control socket.
 *
 * The answer is not what matters: the request makes its main loop turn. ovs-vswitchd notes in one of its other
 * threads that a MAC address has moved to another port, but only the main loop tells the revalidators, and nothing
 * wakes it for that. On a busy machine something always does; in a lab where nothing else happens it may sleep for
 * seconds, with the cached flows still pointing at the access point that a station has left.
 *
 * Protocol: JSON-RPC on a stream (ovs-appctl(8)).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char request[] = "{\"id\":0,\"method\":\"version\",\"params\":[]}";

static void die(const char *what)
{
	perror(what);
	exit(1);
}

int main(int argc, char **argv)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct timespec interval;
	char answer[4096];
	int fd, ms;

	if (argc != 3 || strlen(argv[1]) >= sizeof(address.sun_path) || (ms = atoi(argv[2])) < 1) {
		fprintf(stderr, "nudge SOCKET INTERVAL-MS\n");
		return 2;
	}
	strcpy(address.sun_path, argv[1]);
	interval.tv_sec = ms / 1000;
	interval.tv_nsec = ms % 1000 * 1000000L;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		die(argv[1]);
	for (;;) {
		if (send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) < 0 || recv(fd, answer, sizeof(answer), 0) <= 0)
			die("ovs-vswitchd is gone");
		nanosleep(&interval, NULL);
	}
}
