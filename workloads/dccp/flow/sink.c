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
	sink->ended = sink->ended || !sink->options->protocol->connected;
	return true;
}

/* Takes the whole packets at the start of what is held. */
static void take_stream(struct sink *sink)
{
	struct packet packet;
	size_t begin = 0;

	while (sink->held - begin >= PACKET_HEADER_BYTES) {
		if (!packet_unpack(&packet, sink->data + begin))
			refuse("what arrives is not a flow: another program sends to this port");
		if (sink->held - begin < packet.length)
			break;
		take(sink, sink->data + begin, packet.length);
		begin += packet.length;
	}
	memmove(sink->data, sink->data + begin, sink->held - begin);
	sink->held -= begin;
}

/* Reads until the flow has ended, or a signal. Waiting in recv() saves two system calls for each packet. */
static void read_all(struct sink *sink, int fd)
{
	const bool stream = sink->options->protocol->stream;

	while (!sink->ended && !stop_asked()) {
		const ssize_t got = recv(fd, sink->data + sink->held, sizeof(sink->data) - sink->held, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 || (got == 0 && sink->options->protocol->connected)) {
			sink->ended = true; /* a reset ends it, too */
		} else if (stream) {
			sink->held += (size_t)got;
			take_stream(sink);
		} else {
			take(sink, sink->data, (size_t)got);
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

/* Returns the connection of the first sender; -1 if a signal came first. */
static int accept_one(int listening)
{
	for (;;) {
		const int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);

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
