/* SPDX-License-Identifier: MIT */
/* sap-streamer receive: receives one stream. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "arrivals.h"
#include "command.h"
#include "errors.h"
#include "net.h"
#include "report.h"
#include "stream.h"
#include "streamer.h"

struct receiving {
	const char *at, *output;
	uint16_t port;
	bool json;
	uint64_t idle_ns;
	uint64_t bytes_max; /* of the output file */

	FILE *file;
	struct stream_opening opening;
	bool opened;   /* the opening has been received */
	bool complete; /* the end has been received too */
	struct stream_tally tally;
	struct arrivals arrivals; /* of the datagrams after the opening */
	uint64_t start_ns, end_ns; /* arrival of the opening, and of the end or the last datagram */
};

enum { PORT = 1, JSON, OUTPUT, BIND, IDLE, MAX_BYTES };

/* Anyone can announce a stream: without --max-bytes, its file has at most this length. */
static const uint64_t BYTES_MAX = UINT64_C(1) << 30;

static const struct option OPTIONS[] = {
	{ "port", 1, NULL, PORT }, { "json", 0, NULL, JSON }, { "output", 1, NULL, OUTPUT }, { "bind", 1, NULL, BIND },
	{ "idle", 1, NULL, IDLE }, { "max-bytes", 1, NULL, MAX_BYTES }, { NULL, 0, NULL, 0 }
};

static void set_option(void *context, int option, const char *value)
{
	struct receiving *const receiving = context;

	switch (option) {
	case PORT:
		receiving->port = option_port("port", value);
		break;
	case JSON:
		receiving->json = true;
		break;
	case OUTPUT:
		receiving->output = value;
		break;
	case BIND:
		receiving->at = value;
		break;
	case IDLE:
		receiving->idle_ns = option_duration("idle", value);
		break;
	case MAX_BYTES:
		receiving->bytes_max = option_bytes("max-bytes", value);
		break;
	}
}

/* Handles the opening. The output file gets its full length at once; lost bytes stay 0. */
static void begin(struct receiving *receiving, const uint8_t *data, size_t length)
{
	if (!stream_opening_unpack(&receiving->opening, data, length))
		refuse("the first datagram does not open a stream: another program is sending to this port");
	receiving->opened = true;
	receiving->start_ns = receiving->end_ns = now_ns();
	if (!receiving->output) {
		if (receiving->opening.content == STREAM_FILE)
			refuse("the sender sends a file; use --output FILE to save it");
		return;
	}
	if (receiving->opening.bytes > receiving->bytes_max)
		refuse("the sender announces %llu bytes; to save them, use --max-bytes %llu",
		       (unsigned long long)receiving->opening.bytes, (unsigned long long)receiving->opening.bytes);
	receiving->file = fopen(receiving->output, "wb");
	if (!receiving->file || fseeko(receiving->file, (off_t)receiving->opening.bytes - 1, SEEK_SET) ||
	    fputc(0, receiving->file) == EOF)
		fail_errno(receiving->output);
}

static void take_datagram(struct receiving *receiving, const struct sap_message *message, const uint8_t *data)
{
	uint64_t index;

	if (!stream_index(&receiving->opening, message, &index)) {
		receiving->tally.foreign++;
		return;
	}
	receiving->end_ns = now_ns();
	arrivals_add(&receiving->arrivals, receiving->end_ns);
	stream_count(&receiving->tally, &receiving->opening, index, data, message->length);
	if (receiving->file &&
	    (fseeko(receiving->file, (off_t)(index * receiving->opening.payload), SEEK_SET) ||
	     fwrite(data, 1, message->length, receiving->file) != message->length))
		fail_errno(receiving->output);
}

/* Receives until the end, a silence, or a signal. Returns the libsap error that ended it. */
static int run(struct receiving *receiving, sap_sock_t *sock)
{
	uint8_t data[SAP_PAYLOAD_BYTES_MAX];
	struct sap_message message;
	ssize_t got;

	for (;;) {
		got = receive(sock, data, sizeof(data), &message, receiving->opened ? receiving->idle_ns : 0);
		if (got == SAP_ERR_END) {
			receiving->complete = receiving->opened;
			receiving->end_ns = now_ns();
		}
		if (got < 0)
			return (int)got;
		if (receiving->opened)
			take_datagram(receiving, &message, data);
		else if (message.guaranteed)
			begin(receiving, data, (size_t)got);
	}
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : NAN;
}

static void print_text(const struct receiving *receiving)
{
	const struct stream_tally *tally = &receiving->tally;
	const uint64_t expected = stream_datagrams(&receiving->opening);

	printf("%llu datagrams expected, %llu arrived, %llu lost\n", (unsigned long long)expected,
	       (unsigned long long)tally->arrived, (unsigned long long)(expected - tally->arrived));
	if (receiving->opening.content != STREAM_PATTERN)
		return;
	printf("%llu arrived damaged, %llu bits wrong", (unsigned long long)tally->damaged,
	       (unsigned long long)tally->wrong_bits);
	if (tally->damaged)
		printf(", bit error rate of damaged datagrams %.3g", share(tally->wrong_bits, tally->damaged_bits));
	printf("\n%.4f %% of the bits that arrived are correct\n",
	       100 * share(tally->bits - tally->wrong_bits, tally->bits));
}

/* Reports bit errors; they are known for a pattern only, not for a file. */
static void report_bits(const struct stream_tally *tally, bool known, struct report *report)
{
	report_enter(report, "bits");
	report_count(report, "arrived", tally->bits);
	if (known)
		report_count(report, "wrong", tally->wrong_bits);
	else
		report_null(report, "wrong");
	report_leave(report);
	report_number(report, "ber_damaged", known ? share(tally->wrong_bits, tally->damaged_bits) : NAN);
	report_number(report, "right_share", known ? share(tally->bits - tally->wrong_bits, tally->bits) : NAN);
}

static void print_json(const struct receiving *receiving, sap_sock_t *sock)
{
	const struct stream_tally *tally = &receiving->tally;
	const struct stream_opening *opening = &receiving->opening;
	const bool known = opening->content == STREAM_PATTERN;
	struct report report;
	struct sap_stats stats;

	sap_get_stats(sock, &stats);
	report_begin(&report, stdout);
	report_text(&report, "role", "receiver");
	report_text(&report, "content", known ? "pattern" : "file");
	report_flag(&report, "complete", receiving->complete);
	report_count(&report, "seed", opening->seed);
	report_count(&report, "bytes", opening->bytes);
	report_count(&report, "payload_bytes", opening->payload);
	report_enter(&report, "datagrams");
	report_count(&report, "expected", stream_datagrams(opening));
	report_count(&report, "precise", opening->precise);
	report_count(&report, "arrived", tally->arrived);
	report_count(&report, "lost", stream_datagrams(opening) - tally->arrived);
	if (known)
		report_count(&report, "damaged", tally->damaged);
	else
		report_null(&report, "damaged");
	report_count(&report, "foreign", tally->foreign);
	report_leave(&report);
	report_bits(tally, known, &report);
	report_count(&report, "elapsed_ns", receiving->end_ns - receiving->start_ns);
	arrivals_report(&receiving->arrivals, &report);
	report_sap(&report, &stats);
	report_end(&report);
}

int verb_receive(int argc, char **argv)
{
	struct receiving receiving = { .at = "0.0.0.0", .idle_ns = IDLE_NS, .bytes_max = BYTES_MAX };
	struct sap_options options;
	struct address at;
	sap_sock_t *sock;
	int ended;

	command_options(argc, argv, OPTIONS, set_option, &receiving);
	if (!receiving.port)
		refuse("--port N is required: the port to listen on");
	sap_options_init(&options);
	options.payload_bytes = SAP_PAYLOAD_BYTES_MAX; /* the sender decides */
	at = address_of(receiving.at, receiving.port);
	stop_on_signals();
	ended = sap_listen(&sock, (const struct sockaddr *)&at.storage, at.length, &options);
	if (ended)
		fail("listening", ended);
	ended = run(&receiving, sock);
	if (receiving.file && fclose(receiving.file))
		fail_errno(receiving.output);
	if (!receiving.opened && ended == SAP_ERR_AGAIN) {
		sap_close(sock);
		fprintf(stderr, "%s: no stream was received\n", program);
		return 1;
	}
	if (!receiving.opened)
		fail("waiting for a stream", ended);
	if (receiving.json)
		print_json(&receiving, sock);
	else
		print_text(&receiving);
	fflush(stdout);
	sap_close(sock);
	arrivals_free(&receiving.arrivals);
	if (!receiving.complete && ended != SAP_ERR_AGAIN)
		fail("the stream is incomplete", ended);
	return 0;
}
