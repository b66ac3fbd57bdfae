/* SPDX-License-Identifier: MIT */
/* One end of a connection: combines the handshake, the sender and the receiver. */
#include "sap_core.h"

#include <string.h>

#include "handshake.h"
#include "memory.h"
#include "receiver.h"
#include "sender.h"
#include "wire.h"

static const uint64_t MS = UINT64_C(1000000);
/* Eleven days: upper bound of durations, so that adding them to any clock does not overflow. */
static const uint64_t LONGEST_NS = UINT64_C(1000000000000000);

struct sap_core {
	struct sap_handshake handshake;
	struct sap_sender sender;
	struct sap_receiver receiver;
	struct sap_stats stats;
	uint64_t rto_ns;
	uint64_t give_up_ns;
	uint64_t linger_ns;
	uint64_t linger_until_ns; /* SAP_NEVER: not lingering */
	uint64_t linger_most_ns; /* no FIN lets it linger beyond; SAP_NEVER: none has arrived */
	size_t size_min;	/* of the buffer for output */
	bool ack_due;
	bool failed;
};

void sap_core_config_init(struct sap_core_config *config)
{
	*config = (struct sap_core_config){
		.control = SAP_STOP_AND_WAIT,
		.payload_bytes = SAP_PAYLOAD_BYTES,
		.window = 64,
		.approximate_queue = 256,
		.rto_ns = 50 * MS,
		.rto_min_ns = 200 * MS,
		.give_up_ns = 10000 * MS,
		.linger_ns = 200 * MS,
	};
}

static bool within(uint64_t value, uint64_t least, uint64_t most)
{
	return value >= least && value <= most;
}

static bool is_valid(const struct sap_core_config *config)
{
	return (config->role == SAP_CONNECTS || config->role == SAP_LISTENS) &&
	       (config->control == SAP_STOP_AND_WAIT || config->control == SAP_WINDOW) &&
	       config->peer.length <= sizeof(config->peer.bytes) &&
	       within(config->payload_bytes, 1, SAP_PAYLOAD_BYTES_MAX) && within(config->window, 1, SAP_WINDOW_MAX) &&
	       within(config->approximate_queue, 1, 65536) && within(config->rto_ns, 1, LONGEST_NS) &&
	       within(config->rto_min_ns, 1, LONGEST_NS) && within(config->give_up_ns, 1, LONGEST_NS) &&
	       config->linger_ns <= LONGEST_NS;
}

size_t sap_core_bytes(const struct sap_core_config *config)
{
	struct sap_memory memory = { 0 };

	if (!is_valid(config))
		return 0;
	sap_memory_take(&memory, 1, sizeof(struct sap_core));
	sap_sender_init(NULL, &memory, config);
	sap_receiver_init(NULL, &memory, config);
	return memory.used;
}

struct sap_core *sap_core_init(void *memory, size_t bytes, const struct sap_core_config *config, uint64_t now_ns)
{
	const size_t needed = sap_core_bytes(config);
	struct sap_memory pieces = { .start = memory };
	struct sap_core *core;

	if (!needed || bytes < needed)
		return NULL;
	core = sap_memory_take(&pieces, 1, sizeof(*core));
	*core = (struct sap_core){
		.rto_ns = config->rto_ns,
		.give_up_ns = config->give_up_ns,
		.linger_ns = config->linger_ns,
		.linger_until_ns = SAP_NEVER,
		.linger_most_ns = SAP_NEVER,
		.size_min = SAP_HEADER_BYTES + (config->payload_bytes > SAP_BITMAP_BYTES_MAX ?
							  config->payload_bytes : SAP_BITMAP_BYTES_MAX),
	};
	sap_handshake_init(&core->handshake, config, now_ns);
	sap_sender_init(&core->sender, &pieces, config);
	sap_receiver_init(&core->receiver, &pieces, config);
	return core;
}

/*
 * The peer's FIN, or a retransmission because our FIN_ACK was lost: starts lingering again. A peer that gives up as we
 * do repeats it for no longer than give_up_ns; one that repeats it forever must not keep the program.
 */
static void linger(struct sap_core *core, uint64_t now_ns)
{
	const uint64_t until_ns = now_ns + core->linger_ns;

	if (core->linger_most_ns == SAP_NEVER)
		core->linger_most_ns = until_ns + core->give_up_ns;
	if (now_ns < core->linger_most_ns)
		core->linger_until_ns = until_ns < core->linger_most_ns ? until_ns : core->linger_most_ns;
}

static void count_control(struct sap_core *core, bool valid)
{
	if (valid)
		core->stats.control++;
	else
		core->stats.rejected_senseless++;
}

/* Handles a datagram of this connection. */
static void handle_datagram(struct sap_core *core, const struct sap_header *header, const uint8_t *payload,
			    uint64_t now_ns)
{
	switch (header->type) {
	case SAP_TYPE_PING:
		count_control(core, core->handshake.listens);
		core->ack_due |= core->handshake.listens;
		break;
	case SAP_TYPE_PING_ACK:
		count_control(core, false);
		break;
	case SAP_TYPE_DATA:
		sap_receiver_data(&core->receiver, header, payload, &core->stats);
		core->ack_due = true;
		break;
	case SAP_TYPE_APPROXIMATE:
		sap_receiver_approximate(&core->receiver, header, payload, &core->stats);
		break;
	case SAP_TYPE_ACK:
	case SAP_TYPE_FIN_ACK:
		count_control(core, sap_sender_acknowledge(&core->sender, header, payload, now_ns));
		break;
	case SAP_TYPE_FIN:
		sap_receiver_fin(&core->receiver, header, &core->stats);
		core->ack_due = true;
		break;
	}
	if (core->receiver.ended && core->ack_due)
		linger(core, now_ns);
}

void sap_core_input(struct sap_core *core, const struct sap_address *from, const uint8_t *datagram, size_t length,
		    uint64_t now_ns)
{
	struct sap_header header;
	bool opened;

	core->stats.received++;
	if (!sap_wire_read(&header, datagram, length)) {
		core->stats.rejected_damaged++;
		return;
	}
	if (core->failed || from->length > sizeof(from->bytes)) {
		core->stats.rejected_foreign++;
		return;
	}
	switch (sap_handshake_input(&core->handshake, from, &header, &opened, now_ns)) {
	case SAP_FOREIGN:
		core->stats.rejected_foreign++;
		break;
	case SAP_OPENED:
		core->stats.control++;
		sap_sender_open(&core->sender, header.count, now_ns);
		break;
	case SAP_HANDSHAKE:
		core->stats.control++;
		break;
	case SAP_OURS:
		/* the peer's window is in PING; after anything else assume one datagram until the first ACK */
		if (opened)
			sap_sender_open(&core->sender, header.type == SAP_TYPE_PING ? header.count : 1, now_ns);
		handle_datagram(core, &header, datagram + SAP_HEADER_BYTES, now_ns);
		break;
	}
}

static void run_timers(struct sap_core *core, uint64_t now_ns)
{
	if (sap_handshake_failed(&core->handshake, core->give_up_ns, now_ns) ||
	    !sap_sender_tick(&core->sender, &core->stats, now_ns))
		core->failed = true;
	if (core->linger_until_ns != SAP_NEVER && now_ns >= core->linger_until_ns)
		core->linger_until_ns = SAP_NEVER;
}

bool sap_core_output(struct sap_core *core, uint8_t *datagram, size_t size, struct sap_output *out, uint64_t now_ns)
{
	uint8_t bitmap[SAP_BITMAP_BYTES_MAX];
	struct sap_header header = { 0 };

	if (size < core->size_min || core->failed)
		return false;
	run_timers(core, now_ns);
	if (core->failed)
		return false;
	if (sap_handshake_output(&core->handshake, &header, &out->to, core->rto_ns, now_ns)) {
		header.count = sap_receiver_window(&core->receiver);
		out->length = sap_wire_write(datagram, &header, NULL);
	} else {
		header.connection = core->handshake.connection;
		header.token = core->handshake.token;
		out->to = core->handshake.peer;
		if (core->ack_due) {
			core->ack_due = false;
			sap_receiver_acknowledge(&core->receiver, &header, bitmap);
			out->length = sap_wire_write(datagram, &header, bitmap);
		} else {
			out->length = sap_sender_output(&core->sender, &header, datagram, &core->stats, now_ns);
		}
	}
	out->precise = SAP_HEADER_BYTES + (size_t)header.head;
	core->stats.sent += out->length > 0;
	return out->length > 0;
}

uint64_t sap_core_next_ns(const struct sap_core *core)
{
	const uint64_t times_ns[] = {
		sap_handshake_next_ns(&core->handshake, core->give_up_ns),
		sap_sender_next_ns(&core->sender),
		core->linger_until_ns,
	};
	uint64_t next_ns = core->ack_due ? 0 : SAP_NEVER;

	if (core->failed)
		return SAP_NEVER;
	for (size_t i = 0; i < sizeof(times_ns) / sizeof(*times_ns); i++)
		if (times_ns[i] < next_ns)
			next_ns = times_ns[i];
	return next_ns;
}

/* Returns an error if nothing can be sent now. */
static int check_sendable(const struct sap_core *core)
{
	if (core->failed)
		return SAP_ERR_UNREACHED;
	if (core->handshake.connected)
		return SAP_OK;
	return core->handshake.listens ? SAP_ERR_UNCONNECTED : SAP_ERR_AGAIN;
}

int sap_core_send(struct sap_core *core, const void *data, size_t length, size_t head, bool guaranteed)
{
	const int error = check_sendable(core);

	if (head > length || (guaranteed && length && !head))
		return SAP_ERR_ARGUMENT;
	if (length > core->sender.payload_bytes)
		return SAP_ERR_TOO_LONG;
	if (core->sender.fin_wanted && !core->failed)
		return SAP_ERR_CLOSED;
	if (error)
		return error;
	if (!sap_sender_takes(&core->sender, guaranteed))
		return SAP_ERR_AGAIN;
	sap_sender_take(&core->sender, data, length, head, guaranteed);
	return SAP_OK;
}

int sap_core_receive(struct sap_core *core, void *data, size_t size, struct sap_message *message)
{
	const int error = sap_receiver_take(&core->receiver, data, size, message, &core->stats);

	if (error == SAP_ERR_AGAIN && core->failed)
		return SAP_ERR_UNREACHED;
	/* the last ACK closed the window, and the peer waits for an update */
	if (!error && core->receiver.offered == 0 && sap_receiver_window(&core->receiver) && !core->failed)
		core->ack_due = true;
	return error;
}

int sap_core_fin(struct sap_core *core)
{
	const int error = check_sendable(core);

	if (!error)
		core->sender.fin_wanted = true;
	return error;
}

unsigned int sap_core_ready(const struct sap_core *core, bool guaranteed)
{
	const bool connected = core->handshake.connected, ended = core->receiver.ended;
	const bool flushed = connected && sap_sender_flushed(&core->sender);
	const bool finished = flushed && (ended || core->sender.fin_taken) && core->linger_until_ns == SAP_NEVER;
	unsigned int ready = 0;

	if (core->failed)
		ready |= SAP_FAILED;
	if (connected)
		ready |= SAP_CONNECTED;
	if (core->receiver.ready_count || ended)
		ready |= SAP_READABLE;
	if (connected && !core->failed && !core->sender.fin_wanted && sap_sender_takes(&core->sender, guaranteed))
		ready |= SAP_WRITABLE;
	if (flushed)
		ready |= SAP_FLUSHED;
	if (ended)
		ready |= SAP_ENDED;
	if (finished || core->failed)
		ready |= SAP_DONE;
	return ready;
}

struct sap_address sap_core_peer(const struct sap_core *core)
{
	return core->handshake.peer;
}

void sap_core_get_stats(const struct sap_core *core, struct sap_stats *stats)
{
	*stats = core->stats;
	stats->acknowledged = core->sender.acknowledged;
	stats->waiting = (uint64_t)core->receiver.ready_count + core->receiver.early_count;
	stats->lost_approximate = core->receiver.known_approximate - core->receiver.received_approximate;
}

void sap_core_get_estimates(const struct sap_core *core, struct sap_core_estimates *estimates)
{
	*estimates = (struct sap_core_estimates){
		.in_flight = sap_sender_in_flight(&core->sender),
		.congestion_window = core->sender.congestion.window,
		.rto_ns = sap_rtt_timeout_ns(&core->sender.rtt),
		.srtt_ns = core->sender.rtt.srtt_ns,
	};
}
