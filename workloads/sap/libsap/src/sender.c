/* SPDX-License-Identifier: MIT */
#include "sender.h"

#include <string.h>

#include "serial.h"

/* A datagram is lost, not just late, once this many later ones have arrived (RFC 6675, DupThresh). */
enum { DUP_THRESH = 3 };

void sap_sender_init(struct sap_sender *sender, struct sap_memory *memory, const struct sap_core_config *config)
{
	const uint32_t slots = sap_power_of_two(config->window);
	struct sap_sent *const sent = sap_memory_take(memory, slots, sizeof(*sent));
	uint8_t *const bytes = sap_memory_take(memory, slots, config->payload_bytes);
	uint8_t *const approximate_bytes = sap_memory_take(memory, 1, config->payload_bytes);

	if (!sender)
		return;
	*sender = (struct sap_sender){
		.payload_bytes = config->payload_bytes,
		.window = config->window,
		.mask = slots - 1,
		.sent = sent,
		.bytes = bytes,
		.approximate_bytes = approximate_bytes,
		.oldest = config->first_number,
		.next = config->first_number,
		.first_number = config->first_number,
		.next_approximate = config->first_number,
		.peer_window = 1,
		.timeout_ns = SAP_NEVER,
		.give_up_after_ns = config->give_up_ns,
	};
	sap_rtt_init(&sender->rtt, config->control == SAP_STOP_AND_WAIT, config->rto_ns, config->rto_min_ns,
		     config->give_up_ns / 4);
	sap_congestion_init(&sender->congestion, config->control == SAP_STOP_AND_WAIT);
}

void sap_sender_open(struct sap_sender *sender, uint32_t peer_window, uint64_t now_ns)
{
	sender->peer_window = peer_window;
	sender->heard_ns = now_ns;
}

static struct sap_sent *slot(const struct sap_sender *sender, uint32_t number)
{
	return &sender->sent[number & sender->mask];
}

static uint8_t *payload(const struct sap_sender *sender, uint32_t number)
{
	return sender->bytes + (size_t)(number & sender->mask) * sender->payload_bytes;
}

uint32_t sap_sender_in_flight(const struct sap_sender *sender)
{
	uint32_t count = 0;

	for (uint32_t number = sender->oldest; number != sender->next; number++)
		count += !slot(sender, number)->held && !slot(sender, number)->lost;
	return count;
}

/* FlightSize of RFC 5681: datagrams sent and not yet cumulatively acknowledged. */
static uint32_t outstanding(const struct sap_sender *sender)
{
	return sender->next - (sender->fresh == SAP_FRESH_GUARANTEED) - sender->oldest;
}

/* Whether one more guaranteed datagram fits all windows. One is always allowed: it probes a closed window. */
static bool has_room(const struct sap_sender *sender)
{
	const uint32_t used = sender->next - sender->oldest;

	if (used == 0)
		return true;
	return used < sender->window && used < sender->peer_window &&
	       sap_sender_in_flight(sender) < sender->congestion.window;
}

bool sap_sender_takes(const struct sap_sender *sender, bool guaranteed)
{
	return sender->fresh == SAP_FRESH_NONE && (!guaranteed || has_room(sender));
}

static void take_guaranteed(struct sap_sender *sender, enum sap_type type, const void *data, size_t length, size_t head)
{
	*slot(sender, sender->next) = (struct sap_sent){
		.type = type,
		.head = (uint16_t)head,
		.payload = (uint16_t)length,
		.count = sender->next_approximate - sender->first_number,
	};
	if (length)
		memcpy(payload(sender, sender->next), data, length);
	sender->next++;
	sender->fresh = SAP_FRESH_GUARANTEED;
}

void sap_sender_take(struct sap_sender *sender, const void *data, size_t length, size_t head, bool guaranteed)
{
	if (guaranteed) {
		take_guaranteed(sender, SAP_TYPE_DATA, data, length, head);
		return;
	}
	sender->approximate = (struct sap_header){
		.type = SAP_TYPE_APPROXIMATE,
		.head = (uint16_t)head,
		.payload = (uint16_t)length,
		.number = sender->next_approximate++,
		.count = sender->next - sender->first_number,
	};
	if (length)
		memcpy(sender->approximate_bytes, data, length);
	sender->fresh = SAP_FRESH_APPROXIMATE;
}

static bool in_bitmap(const struct sap_header *header, const uint8_t *bitmap, uint32_t index)
{
	return index / 8 < header->payload && bitmap[index / 8] >> index % 8 & 1;
}

/* Whether an ACK covers only datagrams that were sent, and a FIN_ACK a FIN. */
static bool is_valid(const struct sap_sender *sender, const struct sap_header *header, const uint8_t *bitmap)
{
	const uint32_t on_wire = sender->oldest + outstanding(sender);
	const int64_t ahead = sap_ahead(on_wire, header->number);

	if (ahead < 0)
		return false;
	if ((header->type == SAP_TYPE_FIN_ACK) != (sender->fin_taken && header->number == sender->next))
		return false;
	for (uint32_t i = 0; i < header->payload * 8u; i++)
		if (in_bitmap(header, bitmap, i) && (int64_t)i + 1 >= ahead)
			return false;
	return true;
}

/* Marks the datagrams in the bitmap as held by the peer. Returns the number of newly marked ones. */
static uint32_t mark_held(struct sap_sender *sender, const struct sap_header *header, const uint8_t *bitmap)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < header->payload * 8u; i++) {
		struct sap_sent *const sent = slot(sender, header->number + 1 + i);

		if (!in_bitmap(header, bitmap, i) || sent->held)
			continue;
		sent->held = true;
		sent->lost = false;
		count++;
	}
	return count;
}

/* Marks as lost what DUP_THRESH datagrams have overtaken. Retransmissions are left to the timer. */
static bool find_lost(struct sap_sender *sender)
{
	uint32_t later = 0;
	bool found = false;

	for (uint32_t number = sender->next; number != sender->oldest; number--) {
		struct sap_sent *const sent = slot(sender, number - 1);

		if (sent->held) {
			later++;
		} else if (later >= DUP_THRESH && !sent->lost && sent->transmissions == 1) {
			sent->lost = true;
			sent->overtaken = true;
			found = true;
		}
	}
	return found;
}

/* Marks everything that was sent and that the peer does not hold as lost. */
static bool mark_all_lost(struct sap_sender *sender)
{
	bool found = false;

	for (uint32_t number = sender->oldest; number != sender->next; number++) {
		struct sap_sent *const sent = slot(sender, number);

		if (sent->held || !sent->transmissions)
			continue;
		sent->lost = true;
		sent->overtaken = false;
		found = true;
	}
	return found;
}

/*
 * Frees the datagrams before number and measures the round-trip time of the last of them, unless any was retransmitted:
 * it is unknown which transmission was acknowledged (Karn's algorithm), and the others may have waited at the peer for
 * the retransmission. Returns the number of newly acknowledged datagrams.
 */
static uint32_t advance(struct sap_sender *sender, uint32_t number, uint64_t now_ns)
{
	uint32_t count = 0;
	uint64_t sent_ns = SAP_NEVER;
	bool unambiguous = true;

	for (; sender->oldest != number; sender->oldest++) {
		const struct sap_sent *const sent = slot(sender, sender->oldest);

		count += !sent->held; /* held ones have been counted before */
		unambiguous &= sent->transmissions == 1;
		sent_ns = sent->sent_ns;
	}
	if (sent_ns != SAP_NEVER && unambiguous)
		sap_rtt_sample(&sender->rtt, now_ns - sent_ns);
	return count;
}

bool sap_sender_acknowledge(struct sap_sender *sender, const struct sap_header *header, const uint8_t *bitmap,
			    uint64_t now_ns)
{
	const uint32_t in_flight = outstanding(sender);
	const bool was_closed = sender->peer_window == 0;
	const bool progress = header->number != sender->oldest;
	uint32_t count;

	if (!is_valid(sender, header, bitmap))
		return false;
	if (sap_ahead(header->number, sender->oldest) < 0)
		return true; /* out of order: a later ACK has arrived already */
	sender->heard_ns = now_ns;
	count = advance(sender, header->number, now_ns);
	count += mark_held(sender, header, bitmap);
	sender->acknowledged += count;
	sender->peer_window = header->count;
	if (sender->recovering && sap_ahead(sender->oldest, sender->recovered_at) >= 0)
		sender->recovering = false;
	if (progress) {
		sap_rtt_progress(&sender->rtt);
		sender->timeout_ns = now_ns + sap_rtt_timeout_ns(&sender->rtt);
	}
	if (!outstanding(sender))
		sender->timeout_ns = SAP_NEVER;
	if (find_lost(sender) && !sender->recovering) {
		sap_congestion_lost(&sender->congestion, in_flight);
		sender->recovering = true;
		sender->recovered_at = sender->next;
		sender->send_lost_now = true;
	} else if (!sender->recovering && count) {
		sap_congestion_acknowledged(&sender->congestion, count, in_flight);
	}
	/* the window has opened: resend the dropped probe now instead of waiting for the timer */
	if (was_closed && sender->peer_window && !progress && mark_all_lost(sender))
		sender->send_lost_now = true;
	return true;
}

bool sap_sender_tick(struct sap_sender *sender, struct sap_stats *stats, uint64_t now_ns)
{
	if (sender->timeout_ns == SAP_NEVER)
		return true;
	if (now_ns >= sender->heard_ns + sender->give_up_after_ns)
		return false;
	if (now_ns < sender->timeout_ns)
		return true;
	stats->timeouts++;
	sap_congestion_timeout(&sender->congestion, outstanding(sender),
			       slot(sender, sender->oldest)->transmissions == 1);
	sap_rtt_back_off(&sender->rtt);
	mark_all_lost(sender);
	sender->recovering = false; /* slow start from now on */
	sender->timeout_ns = now_ns + sap_rtt_timeout_ns(&sender->rtt);
	return true;
}

/* Finds the first lost datagram, if it may be retransmitted now. */
static bool may_retransmit(const struct sap_sender *sender, uint32_t *number)
{
	if (sap_sender_in_flight(sender) >= sender->congestion.window && !sender->send_lost_now)
		return false;
	for (*number = sender->oldest; *number != sender->next; ++*number)
		if (slot(sender, *number)->lost)
			return true;
	return false;
}

static size_t write_guaranteed(struct sap_sender *sender, uint32_t number, struct sap_header *header,
			       uint8_t *datagram, uint64_t now_ns)
{
	struct sap_sent *const sent = slot(sender, number);

	header->type = sent->type;
	header->head = sent->head;
	header->payload = sent->payload;
	header->number = number;
	header->count = sent->count;
	if (sender->timeout_ns == SAP_NEVER) {
		sender->timeout_ns = now_ns + sap_rtt_timeout_ns(&sender->rtt);
		sender->heard_ns = now_ns; /* give_up counts from here */
	}
	sent->sent_ns = now_ns;
	sent->transmissions++;
	sent->lost = false;
	return sap_wire_write(datagram, header, payload(sender, number));
}

static size_t write_approximate(struct sap_sender *sender, struct sap_header *header, uint8_t *datagram)
{
	const uint64_t connection = header->connection, token = header->token;

	*header = sender->approximate;
	header->connection = connection;
	header->token = token;
	return sap_wire_write(datagram, header, sender->approximate_bytes);
}

static bool fin_is_due(const struct sap_sender *sender)
{
	return sender->fin_wanted && !sender->fin_taken && sender->fresh == SAP_FRESH_NONE && has_room(sender);
}

size_t sap_sender_output(struct sap_sender *sender, struct sap_header *header, uint8_t *datagram,
			 struct sap_stats *stats, uint64_t now_ns)
{
	const enum sap_fresh fresh = sender->fresh;
	uint32_t number;

	if (may_retransmit(sender, &number)) {
		stats->retransmitted++;
		stats->retransmitted_fast += slot(sender, number)->overtaken;
		sender->send_lost_now = false;
		return write_guaranteed(sender, number, header, datagram, now_ns);
	}
	if (fin_is_due(sender)) {
		take_guaranteed(sender, SAP_TYPE_FIN, NULL, 0, 0);
		sender->fin_taken = true;
		sender->fresh = SAP_FRESH_NONE;
		return write_guaranteed(sender, sender->next - 1, header, datagram, now_ns);
	}
	sender->fresh = SAP_FRESH_NONE;
	switch (fresh) {
	case SAP_FRESH_GUARANTEED:
		stats->sent_guaranteed++;
		return write_guaranteed(sender, sender->next - 1, header, datagram, now_ns);
	case SAP_FRESH_APPROXIMATE:
		stats->sent_approximate++;
		return write_approximate(sender, header, datagram);
	case SAP_FRESH_NONE:
		break;
	}
	return 0;
}

uint64_t sap_sender_next_ns(const struct sap_sender *sender)
{
	uint64_t give_up_ns;
	uint32_t number;

	if (sender->fresh != SAP_FRESH_NONE || fin_is_due(sender) || may_retransmit(sender, &number))
		return 0;
	if (sender->timeout_ns == SAP_NEVER)
		return SAP_NEVER;
	give_up_ns = sender->heard_ns + sender->give_up_after_ns;
	return sender->timeout_ns < give_up_ns ? sender->timeout_ns : give_up_ns;
}

bool sap_sender_flushed(const struct sap_sender *sender)
{
	return sender->oldest == sender->next && sender->fin_wanted == sender->fin_taken;
}
