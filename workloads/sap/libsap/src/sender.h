/* SPDX-License-Identifier: MIT */
/*
 * The sender: keeps datagrams from the application until they are acknowledged, or sent if approximate.
 *
 * Guaranteed datagrams and FIN share one number sequence and stay in a ring of slots until they are acknowledged. A
 * datagram is accepted only if it may be sent at once, so there is no queue: at most one fresh datagram waits to be
 * sent. This way datagrams of both kinds are sent in the order of the calls.
 */
#ifndef SAP_SENDER_H
#define SAP_SENDER_H

#include "congestion.h"
#include "memory.h"
#include "rtt.h"
#include "sap_core.h"
#include "wire.h"

struct sap_sent {
	enum sap_type type;	/* DATA or FIN */
	uint16_t head;
	uint16_t payload;
	uint32_t count;		/* approximate datagrams sent before it */
	uint64_t sent_ns;	/* last transmission */
	uint32_t transmissions;
	bool held;		/* selectively acknowledged */
	bool lost;		/* to be retransmitted */
	bool overtaken;		/* loss detected from selective acknowledgements, not by the timer */
};

enum sap_fresh {
	SAP_FRESH_NONE,
	SAP_FRESH_GUARANTEED, /* in the slot before next */
	SAP_FRESH_APPROXIMATE,
};

struct sap_sender {
	uint32_t payload_bytes;
	uint32_t window;	/* maximum number of slots in use */
	uint32_t mask;		/* number of slots - 1; a power of two, so that numbers may wrap */
	struct sap_sent *sent;	/* number n: sent[n & mask], bytes + (n & mask) * payload_bytes */
	uint8_t *bytes;

	uint32_t oldest;	/* oldest unacknowledged number */
	uint32_t next;		/* number of the next guaranteed datagram */
	uint32_t first_number;
	uint32_t peer_window;	/* the peer's receive window, from oldest on */
	enum sap_fresh fresh;

	uint32_t next_approximate;
	struct sap_header approximate; /* the fresh one */
	uint8_t *approximate_bytes;

	uint64_t acknowledged;	/* all so far, cumulatively or selectively */

	struct sap_rtt rtt;
	struct sap_congestion congestion;
	bool recovering;	/* loss recovery, until oldest reaches recovered_at */
	uint32_t recovered_at;
	bool send_lost_now;	/* allows one retransmission beyond the congestion window */
	uint64_t timeout_ns;	/* retransmission timer; SAP_NEVER: nothing in flight */
	uint64_t heard_ns;	/* last acknowledgement, or when we began to wait for one */
	uint64_t give_up_after_ns;

	bool fin_wanted;
	bool fin_taken;		/* FIN has been given a number, the last one */
};

/* Initializes a sender with arrays from memory; sender NULL: only counts bytes (memory.h). */
void sap_sender_init(struct sap_sender *sender, struct sap_memory *memory, const struct sap_core_config *config);

/* The connection is established; peer_window: the peer's initial receive window. */
void sap_sender_open(struct sap_sender *sender, uint32_t peer_window, uint64_t now_ns);

/* Whether one more datagram of this kind is accepted now. */
bool sap_sender_takes(const struct sap_sender *sender, bool guaranteed);

/* Accepts a datagram. The caller has checked sap_sender_takes() and the lengths. */
void sap_sender_take(struct sap_sender *sender, const void *data, size_t length, size_t head, bool guaranteed);

/* Processes an ACK or FIN_ACK. Returns false and does nothing if it acknowledges what was never sent. */
bool sap_sender_acknowledge(struct sap_sender *sender, const struct sap_header *header, const uint8_t *bitmap,
			    uint64_t now_ns);

/* Runs the timers. Returns false if the peer has acknowledged nothing for give_up_after_ns. */
bool sap_sender_tick(struct sap_sender *sender, struct sap_stats *stats, uint64_t now_ns);

/* Writes the next datagram that may be sent. The caller sets header's connection and token. Returns its length or 0. */
size_t sap_sender_output(struct sap_sender *sender, struct sap_header *header, uint8_t *datagram,
			 struct sap_stats *stats, uint64_t now_ns);

/* Returns when tick or output is due; 0: now; or SAP_NEVER. */
uint64_t sap_sender_next_ns(const struct sap_sender *sender);

/* Whether all guaranteed datagrams are acknowledged, and FIN if requested. */
bool sap_sender_flushed(const struct sap_sender *sender);

/* Returns the number of guaranteed datagrams in flight: sent, not acknowledged, not considered lost. */
uint32_t sap_sender_in_flight(const struct sap_sender *sender);

#endif
