// SPDX-License-Identifier: MIT
/* Sends readings to a collector, ten per second. Usage: sensor ADDRESS PORT COUNT */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PERIOD_MS = 100, PATIENCE_MS = 1000 };

static void wait_ms(int ms)
{
	struct timespec span = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&span, NULL);
}

/* Whether it can be read or written in time. */
static int is_ready(int fd, short event)
{
	struct pollfd one = { fd, event, 0 };

	return poll(&one, 1, PATIENCE_MS) == 1;
}

/* A connection, or -1. */
static int connect_to(const struct sockaddr_in *collector)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), error = 0;
	socklen_t length = sizeof(error);

	if (fd < 0)
		return -1;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	if (connect(fd, (const struct sockaddr *)collector, sizeof(*collector)) == 0)
		return fd;
	if (errno == EINPROGRESS && is_ready(fd, POLLOUT) &&
	    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0)
		return fd;
	close(fd);
	return -1;
}

/* Send a reading; whether the whole answer, a line, has come. */
static int is_acknowledged(int fd, int number)
{
	char line[32], byte;
	int length = snprintf(line, sizeof(line), "%d %d\n", number, 20 + number % 5);

	if (send(fd, line, length, MSG_NOSIGNAL) != length)
		return 0;
	while (is_ready(fd, POLLIN) && recv(fd, &byte, 1, 0) == 1)
		if (byte == '\n')
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_in collector = { .sin_family = AF_INET };
	int acknowledged = 0, connections = 0, count;

	if (argc != 4 || inet_pton(AF_INET, argv[1], &collector.sin_addr) != 1) {
		fprintf(stderr, "sensor ADDRESS PORT COUNT\n");
		return 2;
	}
	collector.sin_port = htons(atoi(argv[2]));
	count = atoi(argv[3]);
	while (acknowledged < count) {
		int fd = connect_to(&collector);

		if (fd < 0) {
			wait_ms(PERIOD_MS);
			continue;
		}
		connections++;
		while (acknowledged < count && is_acknowledged(fd, acknowledged)) {
			acknowledged++;
			wait_ms(PERIOD_MS);
		}
		close(fd);
	}
	printf("acknowledged %d connections %d\n", acknowledged, connections);
	return 0;
}
