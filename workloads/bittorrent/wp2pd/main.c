/* SPDX-License-Identifier: MIT */
/*
 * wp2pd: sends new acknowledgements that ride on data as pure ACKs as well, while the connection is young (age.h).
 *
 *	wp2pd [--young-below BYTES] [--dupacks all|thin] [--queue NUMBER] [--every-ms MS]
 *
 * It sees all TCP packets of its host, IPv4 and IPv6, except for those of the loopback. It changes none: packets pass as
 * they are, in their order, with a pure ACK before some. It prints a line of JSON per interval. SIGTERM and SIGINT end
 * it; if it is killed, its rules stay, and packets pass.
 *
 * Not modelled: a retransmission timer for the pure ACKs (an acknowledgement that is lost twice is not repeated a third
 * time), extension headers of IPv6 (such segments pass).
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "age.h"
#include "fail.h"
#include "queue.h"
#include "raw.h"
#include "rules.h"

#define SECOND_NS UINT64_C(1000000000)

struct options {
	struct age_settings settings;
	uint16_t queue;
	uint64_t every_ns;
};

struct daemon {
	struct options options;
	int queue;
	struct raw raw;
	struct age age;
	uint64_t segments, errors; /* pure ACKs that could not be sent */
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

static uint64_t number(const char *option, const char *text, uint64_t most)
{
	uint64_t value;
	char *rest;

	errno = 0;
	value = strtoull(text, &rest, 10);
	if (errno || rest == text || *rest || *text == '-' || value > most)
		refuse("%s %s: must be a whole number up to %" PRIu64, option, text, most);
	return value;
}

static void read_options(struct options *options, int argc, char **argv)
{
	*options = (struct options){ .settings = { .young_below = 9000 }, .queue = 9000, .every_ns = SECOND_NS };
	for (int i = 1; i < argc; i += 2) {
		const char *name = argv[i], *value = argv[i + 1];

		if (!value)
			refuse("%s has no value", name);
		if (!strcmp(name, "--young-below"))
			options->settings.young_below = number(name, value, UINT32_MAX);
		else if (!strcmp(name, "--dupacks") && (!strcmp(value, "all") || !strcmp(value, "thin")))
			options->settings.thin_duplicates = *value == 't';
		else if (!strcmp(name, "--queue"))
			options->queue = (uint16_t)number(name, value, UINT16_MAX);
		else if (!strcmp(name, "--every-ms"))
			options->every_ns = number(name, value, 3600 * 1000) * (SECOND_NS / 1000);
		else
			refuse("%s %s is not valid; there are --young-below BYTES, --dupacks all|thin, "
			       "--queue NUMBER, --every-ms MS",
			       name, value);
	}
	if (!options->every_ns)
		refuse("--every-ms must be at least 1");
}

/* Decide on one packet. */
static void handle(struct daemon *daemon, const struct queue_packet *packet)
{
	enum age_verdict verdict = AGE_PASS;
	struct segment segment;
	uint32_t seq;

	if (packet->bytes && segment_read(&segment, packet->bytes, packet->length)) {
		daemon->segments++;
		if (packet->sending)
			verdict = age_sending(&daemon->age, &segment, time_ns(CLOCK_MONOTONIC), &seq);
		else
			age_received(&daemon->age, &segment, time_ns(CLOCK_MONOTONIC));
	}
	if (verdict == AGE_ACK_FIRST) /* if it cannot be sent, the segment has the same acknowledgement */
		daemon->errors += !raw_send(&daemon->raw, &segment, seq, packet->interface);
	queue_verdict(daemon->queue, daemon->options.queue, packet, verdict != AGE_DROP);
}

/* Handle all packets that wait. */
static void drain(struct daemon *daemon)
{
	static struct queue_messages messages;
	struct queue_packet packet;

	while (queue_receive(daemon->queue, &messages))
		while (queue_next(&messages, &packet))
			handle(daemon, &packet);
}

static void report(const struct daemon *daemon)
{
	const struct age_counts *counts = &daemon->age.counts;
	uint64_t now_ns = time_ns(CLOCK_REALTIME), monotonic_ns = time_ns(CLOCK_MONOTONIC);
	uint64_t every_ns = daemon->options.every_ns;
	struct pollfd output = { .fd = STDOUT_FILENO, .events = POLLOUT };
	unsigned int young, mature;

	if (poll(&output, 1, 0) < 1) /* its reader has stopped: packets must not wait for it */
		return;
	age_census(&daemon->age, monotonic_ns > every_ns ? monotonic_ns - every_ns : 0, &young, &mature);
	printf("{\"t_s\": \"%" PRIu64 ".%09" PRIu64 "\", \"young\": %u, \"mature\": %u, \"segments\": %" PRIu64
	       ", \"added\": %" PRIu64 ", \"left_alone\": %" PRIu64 ", \"refused\": %" PRIu64 ", \"duplicates\": %" PRIu64
	       ", \"dropped\": %" PRIu64 ", \"errors\": %" PRIu64 "}\n",
	       now_ns / SECOND_NS, now_ns % SECOND_NS, young, mature, daemon->segments, counts->added,
	       counts->left_alone, counts->refused, counts->duplicates, counts->dropped, daemon->errors);
	fflush(stdout);
}

/*
 * Serve the queue until a signal ends it, and while its rules are removed: packets that waited for that would be overtaken.
 * Signals arrive only while it waits.
 */
static void serve(struct daemon *daemon, const sigset_t *while_waiting)
{
	struct pollfd waits[] = { { .fd = daemon->queue, .events = POLLIN }, { .fd = -1, .events = POLLIN } };
	uint64_t next_ns = time_ns(CLOCK_MONOTONIC) + daemon->options.every_ns;

	while (!waits[1].revents) {
		uint64_t now_ns = time_ns(CLOCK_MONOTONIC), left_ns;
		struct timespec left;

		if (now_ns >= next_ns) {
			report(daemon);
			next_ns += ((now_ns - next_ns) / daemon->options.every_ns + 1) * daemon->options.every_ns;
		}
		left_ns = next_ns - now_ns;
		left = (struct timespec){ .tv_sec = (time_t)(left_ns / SECOND_NS),
					  .tv_nsec = (long)(left_ns % SECOND_NS) };
		if (ppoll(waits, 2, &left, while_waiting) < 0 && errno != EINTR)
			fail_errno("waiting for packets");
		drain(daemon);
		if (ending && waits[1].fd < 0) {
			waits[1].fd = rules_empty();
			if (waits[1].fd < 0)
				break;
		}
	}
}

int main(int argc, char **argv)
{
	static struct daemon daemon;
	const struct sigaction on_end = { .sa_handler = end }, ignored = { .sa_handler = SIG_IGN };
	sigset_t blocked, before;

	read_options(&daemon.options, argc, argv);
	daemon.age.settings = daemon.options.settings;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigaddset(&blocked, SIGINT);
	daemon.raw = raw_open();
	daemon.queue = queue_open(daemon.options.queue);
	rules_make(daemon.options.queue);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	sigaction(SIGTERM, &on_end, NULL);
	sigaction(SIGINT, &on_end, NULL);
	sigaction(SIGTSTP, &ignored, NULL); /* a terminal must not stop it, since packets would wait */
	sigaction(SIGTTOU, &ignored, NULL);
	report(&daemon);
	serve(&daemon, &before);
	report(&daemon);
	return 0;
}
