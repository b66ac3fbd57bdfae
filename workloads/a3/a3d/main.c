/* SPDX-License-Identifier: MIT */
/*
 * a3d: the daemon of A3, next to a mobile device (--side client) or in front of servers (--side server).
 *
 *	a3d --side client|server [--hook forward|host] [--queue NUMBER] [--every-ms MS]
 *
 * It sees packets of the ports of CIFS, SMTP and HTTP that this node forwards, or those of this host. With no element on,
 * it passes them as they are. It prints a line of JSON per interval. SIGTERM and SIGINT end it; if it is killed, its rules
 * stay, and packets pass.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fail.h"
#include "queue.h"
#include "rules.h"

#define SECOND_NS UINT64_C(1000000000)

enum side {
	SIDE_NONE,
	SIDE_CLIENT,
	SIDE_SERVER,
};

enum {
	HEADERS = 128, /* bytes of a packet: those of IP and TCP, with all options */
};

static const uint16_t ports[] = { 445, 139, 25, 587, 80 };

struct options {
	enum side side;
	enum rules_hook hook;
	uint16_t queue;
	uint64_t every_ns;
};

struct daemon {
	struct options options;
	struct queue *queue;
	uint64_t packets, bytes;
};

static volatile sig_atomic_t ending;

static void end(int number)
{
	(void)number;
	ending = 1;
}

static uint64_t time_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static uint64_t number(const char *option, const char *text, uint64_t least, uint64_t most)
{
	uint64_t value;
	char *rest;

	errno = 0;
	value = strtoull(text, &rest, 10);
	if (errno || rest == text || *rest || *text == '-' || value < least || value > most)
		refuse("%s %s: must be a whole number from %" PRIu64 " to %" PRIu64, option, text, least, most);
	return value;
}

/* Which of two words it is: 0 or 1. */
static unsigned int word(const char *option, const char *text, const char *first, const char *second)
{
	if (strcmp(text, first) && strcmp(text, second))
		refuse("%s %s: must be %s or %s", option, text, first, second);
	return !strcmp(text, second);
}

static void read_options(struct options *options, int argc, char **argv)
{
	*options = (struct options){ .queue = 9100, .every_ns = SECOND_NS };
	for (int i = 1; i < argc; i += 2) {
		const char *name = argv[i], *value = argv[i + 1];

		if (!value)
			refuse("%s has no value", name);
		if (!strcmp(name, "--side"))
			options->side = word(name, value, "client", "server") ? SIDE_SERVER : SIDE_CLIENT;
		else if (!strcmp(name, "--hook"))
			options->hook = word(name, value, "forward", "host") ? RULES_HOST : RULES_FORWARD;
		else if (!strcmp(name, "--queue"))
			options->queue = (uint16_t)number(name, value, 0, UINT16_MAX - 1);
		else if (!strcmp(name, "--every-ms"))
			options->every_ns = number(name, value, 1, 3600 * 1000) * (SECOND_NS / 1000);
		else
			refuse("%s is not an option; there are --side client|server, --hook forward|host, --queue NUMBER, "
			       "--every-ms MS",
			       name);
	}
	if (options->side == SIDE_NONE)
		refuse("--side is missing: write --side client or --side server");
}

/* Decide on one packet. */
static void handle(struct daemon *daemon, const struct queue_packet *packet)
{
	daemon->packets++;
	daemon->bytes += packet->length;
	queue_accept(daemon->queue, packet);
}

/* Handle all packets that wait. */
static void drain(struct daemon *daemon)
{
	struct queue_packet packet;

	while (queue_receive(daemon->queue)) {
		while (queue_next(daemon->queue, &packet))
			handle(daemon, &packet);
		queue_flush(daemon->queue);
	}
}

static void report(const struct daemon *daemon)
{
	uint64_t now_ns = time_ns(CLOCK_REALTIME);

	printf("{\"t_s\": \"%" PRIu64 ".%09" PRIu64 "\", \"packets\": %" PRIu64 "}\n", now_ns / SECOND_NS,
	       now_ns % SECOND_NS, daemon->packets);
	fflush(stdout);
}

/* Serve the queues until a signal ends it. Signals arrive only while it waits. */
static void serve(struct daemon *daemon, const sigset_t *while_waiting)
{
	struct pollfd waits = { .fd = queue_descriptor(daemon->queue), .events = POLLIN };
	uint64_t next_ns = time_ns(CLOCK_MONOTONIC) + daemon->options.every_ns;

	while (!ending) {
		uint64_t now_ns = time_ns(CLOCK_MONOTONIC), left_ns;
		struct timespec left;

		if (now_ns >= next_ns) {
			report(daemon);
			next_ns += ((now_ns - next_ns) / daemon->options.every_ns + 1) * daemon->options.every_ns;
		}
		left_ns = next_ns - now_ns;
		left = (struct timespec){ .tv_sec = (time_t)(left_ns / SECOND_NS),
					  .tv_nsec = (long)(left_ns % SECOND_NS) };
		if (ppoll(&waits, 1, &left, while_waiting) < 0 && errno != EINTR)
			fail_errno("waiting for packets");
		drain(daemon);
	}
}

int main(int argc, char **argv)
{
	static struct daemon daemon;
	const struct sigaction on_end = { .sa_handler = end };
	sigset_t blocked, before;

	read_options(&daemon.options, argc, argv);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigaddset(&blocked, SIGINT);
	daemon.queue = queue_open(daemon.options.queue, HEADERS);
	rules_make(daemon.options.queue, daemon.options.hook, ports, sizeof(ports) / sizeof(*ports));
	sigprocmask(SIG_BLOCK, &blocked, &before);
	sigaction(SIGTERM, &on_end, NULL);
	sigaction(SIGINT, &on_end, NULL);
	report(&daemon);
	serve(&daemon, &before);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	rules_remove();
	drain(&daemon);
	report(&daemon);
	return 0;
}
