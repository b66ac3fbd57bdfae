/* SPDX-License-Identifier: MIT */
/* flow sink: receives one flow, and prints what arrived in each interval. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "fail.h"
#include "flow.h"
#include "report.h"
#include "tally.h"

struct sink {
	const struct sink_options *options;
	struct tally tally;
	bool ended, counted; /* the flow has ended; the sender said how many packets it sent */
	uint64_t sent, foreign;
	uint8_t data[PACKET_BYTES_MAX]; /* of a stream: what arrived of the current packet */
	size_t held;
};

/* Takes one packet. False: it is not a packet of a flow. */
static bool take(struct sink *sink, const uint8_t *data, size_t length)
{
	struct packet packet;

	if (length < PACKET_HEADER_BYTES || !packet_unpack(&packet, data) || packet.length != length) {
		sink->foreign++;
		return false;
	}
	if (packet.type == PACKET_DATA) {
		tally_packet(&sink->tally, &packet, data + PACKET_HEADER_BYTES, now_ns());
		return true;
	}
	sink->sent = packet.number;
	sink->counted = true;
	return true;
}

/* Whether all of a flow has arrived; only a connection shows its end. */
static bool is_complete(const struct sink *sink)
{
	const struct tally *tally = &sink->tally;

	return !sink->options->protocol->connected && sink->counted &&
	       tally->all.packets + tally->now.packets >= sink->sent;
}

/* From now on recv() waits at most that long. */
static void wait_at_most(int fd, long us)
{
	const struct timeval time = { .tv_usec = us };

	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)))
		fail_errno("SO_RCVTIMEO");
}

/* Takes the whole packets at the start of what is held. */
static void take_stream(struct sink *sink)
{
	struct packet packet;
	size_t begin = 0;

	while (sink->held > begin) {
		const size_t left = sink->held - begin;
		const bool whole = left >= PACKET_HEADER_BYTES;

		if (!packet_begins(sink->data + begin, left) || (whole && !packet_unpack(&packet, sink->data + begin)))
			refuse("what arrives is not a flow: another program sends to this port");
		if (!whole || left < packet.length)
			break;
		take(sink, sink->data + begin, packet.length);
		begin += packet.length;
	}
	memmove(sink->data, sink->data + begin, sink->held - begin);
	sink->held -= begin;
}

/*
 * Takes a datagram; after the first, only those of the same sender. The last one may have overtaken some, which
 * get the time in which it is repeated.
 */
static void take_datagram(struct sink *sink, int fd, size_t length, const struct sockaddr *from, socklen_t from_length)
{
	const bool bound = sink->tally.began || sink->counted || sink->options->protocol->connected;
	const bool counted = sink->counted;

	if (take(sink, sink->data, length) && !bound && connect(fd, from, from_length))
		fail_errno("binding to the first sender");
	if (sink->counted && !counted && !sink->options->protocol->connected)
		wait_at_most(fd, PACKET_ENDS * PACKET_ENDS_NS / 1000);
}

/* Reads until the flow has ended, or a signal. Waiting in recv() saves two system calls for each packet. */
static void read_all(struct sink *sink, int fd)
{
	const bool stream = sink->options->protocol->stream;
	struct sockaddr_storage from;

	while (!sink->ended && !is_complete(sink) && !stop_asked()) {
		socklen_t from_length = sizeof(from);
		const ssize_t got = recvfrom(fd, sink->data + sink->held, sizeof(sink->data) - sink->held, 0,
					     (struct sockaddr *)&from, &from_length);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 || (got == 0 && sink->options->protocol->connected)) {
			sink->ended = true; /* a reset ends it, too, or silence after the last packet */
		} else if (stream) {
			sink->held += (size_t)got;
			take_stream(sink);
		} else {
			take_datagram(sink, fd, (size_t)got, (const struct sockaddr *)&from, from_length);
		}
	}
}

static void print_end(struct sink *sink)
{
	FILE *const to = stdout;
	const struct tally *tally = &sink->tally;

	report_begin(to, "end", now_ns());
	report_text(to, "role", "sink");
	report_text(to, "protocol", sink->options->protocol->name);
	report_counts(to, &tally->all);
	report_delays(to, &tally->delay_all, tally->jitter_ns);
	if (sink->counted)
		report_count(to, "sent", sink->sent);
	if (tally->began) {
		report_time(to, "start_s", tally->start_ns);
		report_time(to, "first_s", tally->first_ns);
		report_time(to, "last_s", tally->last_ns);
		report_count(to, "pause_ns", tally->pause_ns);
	}
	report_count(to, "foreign", sink->foreign);
	report_end(to);
}

/* Returns the connection of the first sender, and refuses others; -1 if a signal came first. */
static int accept_one(int listening)
{
	for (;;) {
		const int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);

		if (fd >= 0)
			close(listening);
		if (fd >= 0 || stop_asked())
			return fd;
		if (errno != EINTR && errno != ECONNABORTED)
			fail_errno("accept");
	}
}

int sink_run(const struct sink_options *options)
{
	static struct sink sink; /* too large for a stack */
	int fd;

	stop_on_signals();
	sink.options = options;
	sink.tally.every_ns = options->every_ns;
	sink.tally.to = stdout;
	sink.tally.compare = options->compare;
	fd = protocol_listen(options->protocol, &options->settings);
	report_begin(stdout, "listening", now_ns());
	report_text(stdout, "protocol", options->protocol->name);
	report_count(stdout, "port", options->settings.port);
	report_end(stdout);
	fflush(stdout);
	if (options->protocol->connected)
		fd = accept_one(fd);
	if (fd >= 0)
		read_all(&sink, fd);
	if (sink.counted)
		tally_sent(&sink.tally, sink.sent);
	tally_end(&sink.tally, now_ns());
	print_end(&sink);
	return 0;
}
