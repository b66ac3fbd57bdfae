/* SPDX-License-Identifier: MIT */
/* Carries points in SAP datagrams, one in each. */
#include <stdlib.h>

#include "carrier.h"
#include "errors.h"

struct carrier {
	sap_sock_t *sock;
	bool approximate;
	uint32_t precise; /* receiver: number of guaranteed points */
	bool opened;
};

static struct carrier *create(void)
{
	struct carrier *carrier = calloc(1, sizeof(*carrier));

	if (!carrier)
		fail("starting", SAP_ERR_MEMORY);
	return carrier;
}

static struct carrier *sap_carrier_connect(const struct address *to, bool approximate, uint32_t give_up_ms)
{
	struct carrier *carrier = create();
	struct sap_options options;

	sap_options_init(&options);
	options.timeout_ms = SAP_WAIT_FOREVER; /* give_up_ms ends it */
	options.give_up_ms = give_up_ms;
	carrier->approximate = approximate;
	must(sap_connect(&carrier->sock, (const struct sockaddr *)&to->storage, to->length, &options), "connecting");
	return carrier;
}

static void send_opening(struct carrier *carrier, const struct opening *opening)
{
	uint8_t bytes[OPENING_BYTES];

	opening_pack(opening, bytes);
	must((int)sap_send(carrier->sock, bytes, sizeof(bytes)), "sending the opening");
}

static void settle(struct carrier *carrier)
{
	if (carrier->approximate) {
		must(sap_flush(carrier->sock), "sending the first point");
		must(sap_set_mode(carrier->sock, SAP_APPROXIMATE), "changing the mode");
	}
}

static void send_point(struct carrier *carrier, const struct track_point *point, uint64_t at_ns)
{
	uint8_t bytes[TRACK_POINT_BYTES];

	must(wait_until(carrier->sock, at_ns), "sending");
	track_point_pack(point, bytes);
	must((int)sap_send(carrier->sock, bytes, sizeof(bytes)), "sending");
}

static void finish(struct carrier *carrier)
{
	must(sap_fin(carrier->sock), "ending");
}

static struct carrier *sap_carrier_listen(const struct address *at)
{
	struct carrier *carrier = create();

	must(sap_listen(&carrier->sock, (const struct sockaddr *)&at->storage, at->length, NULL), "listening");
	return carrier;
}

/* The opening has the guaranteed number 0, guaranteed points follow from 1 on, then approximate ones. */
static enum event decode(struct carrier *carrier, const struct sap_message *message, const uint8_t *data,
			struct opening *opening, struct arrival *arrival)
{
	if (!carrier->opened) {
		if (!message->guaranteed)
			return EVENT_IDLE;
		if (!opening_unpack(opening, data, message->length))
			refuse("the first datagram does not open a trace: another program is sending to this port");
		carrier->opened = true;
		return EVENT_OPENING;
	}
	if (message->length != TRACK_POINT_BYTES)
		return EVENT_IDLE;
	if (message->guaranteed)
		carrier->precise = message->number;
	arrival->number = message->guaranteed ? message->number - 1 : (uint64_t)carrier->precise + message->number;
	arrival->point = track_point_unpack(data);
	return EVENT_POINT;
}

static enum event next(struct carrier *carrier, struct opening *opening, struct arrival *arrival, uint64_t idle_ns)
{
	uint8_t data[SAP_PAYLOAD_BYTES];
	struct sap_message message;
	enum event event = EVENT_IDLE;
	ssize_t got;

	do {
		got = receive(carrier->sock, data, sizeof(data), &message, idle_ns);
		if (got >= 0)
			event = decode(carrier, &message, data, opening, arrival);
	} while (got >= 0 && event == EVENT_IDLE);
	if (got >= 0)
		return event;
	return got == SAP_ERR_END ? EVENT_END : got == SAP_ERR_AGAIN ? EVENT_STOPPED :
	       got == SAP_ERR_TIMEDOUT ? EVENT_IDLE : EVENT_BROKEN;
}

static void report(const struct carrier *carrier, struct report *to)
{
	struct sap_stats stats;

	sap_get_stats(carrier->sock, &stats);
	report_sap(to, &stats);
}

static void close_carrier(struct carrier *carrier)
{
	sap_close(carrier->sock);
	free(carrier);
}

const struct carrier_kind carrier_sap = {
	.connect = sap_carrier_connect,
	.send_opening = send_opening,
	.settle = settle,
	.send_point = send_point,
	.finish = finish,
	.listen = sap_carrier_listen,
	.next = next,
	.report = report,
	.close = close_carrier,
	.name = "sap",
};
