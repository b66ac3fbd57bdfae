/* SPDX-License-Identifier: MIT */
/*
 * The sending half: what was taken from the application, until it is acknowledged or sent once.
 *
 * Guaranteed datagrams and FIN have numbers from one sequence and stay in a ring of slots until they are acknowledged.
 * A datagram is taken only if it may be sent at once, so there is no queue: at most one fresh datagram waits to be put
 * on the wire. That keeps the order of sending that of the calls, for both kinds.
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
	uint32_t count;		/* approximate datagrams before it */
	uint64_t sent_ns;	/* when last */
	uint32_t transmissions;
	bool held;		/* the peer has it, by a selective acknowledgement */
	bool lost;		/* to be sent again */
	bool overtaken;		/* found lost by selective acknowledgements, not by the timer */
};

enum sap_fresh {
	SAP_FRESH_NONE,
	SAP_FRESH_GUARANTEED, /* the slot before next */
	SAP_FRESH_APPROXIMATE,
};

struct sap_sender {
	uint32_t payload_bytes;
	uint32_t window;	/* slots in use at most */
	uint32_t mask;		/* slots there are, minus one: a power of two, so that numbers may wrap */
	struct sap_sent *sent;	/* of number n: sent[n & mask], bytes + (n & mask) * payload_bytes */
	uint8_t *bytes;

	uint32_t oldest;	/* first one that is not acknowledged */
	uint32_t next;		/* number of the next guaranteed one */
	uint32_t first_number;
	uint32_t peer_window;	/* what the peer takes, from oldest on */
	enum sap_fresh fresh;

	uint32_t next_approximate;
	struct sap_header approximate; /* the fresh one */
	uint8_t *approximate_bytes;

	struct sap_rtt rtt;
	struct sap_congestion congestion;
	bool recovering;	/* until oldest reaches recovered_at, losses are those of one event */
	uint32_t recovered_at;
	bool send_lost_now;	/* one repetition that the congestion window does not hold back */
	uint64_t timeout_ns;	/* retransmission timer; SAP_NEVER: nothing in flight */
	uint64_t heard_ns;	/* since when the peer has acknowledged nothing */
	uint64_t give_up_after_ns;

	bool fin_wanted;
	bool fin_taken;		/* has a number, the last one */
};

/* Takes its arrays out of memory; sender NULL: only counts (memory.h). */
void sap_sender_init(struct sap_sender *sender, struct sap_memory *memory, const struct sap_core_config *config);

/* The connection is made; the peer has room for so many. */
void sap_sender_open(struct sap_sender *sender, uint32_t peer_window, uint64_t now_ns);

/* Whether one more may be taken now. */
bool sap_sender_takes(const struct sap_sender *sender, bool guaranteed);

/* Takes one datagram; sap_sender_takes() and the lengths are the caller's to check. */
void sap_sender_take(struct sap_sender *sender, const void *data, size_t length, size_t head, bool guaranteed);

/* An ACK or FIN_ACK. False: it acknowledges what was never sent, and nothing was done. */
bool sap_sender_acknowledge(struct sap_sender *sender, const struct sap_header *header, const uint8_t *bitmap,
			    uint64_t now_ns);

/* Runs timers. False: the peer has acknowledged nothing for too long. */
bool sap_sender_tick(struct sap_sender *sender, struct sap_stats *stats, uint64_t now_ns);

/* Writes the next datagram that may be sent, and returns its length; 0: none. connection and token are header's. */
size_t sap_sender_output(struct sap_sender *sender, struct sap_header *header, uint8_t *datagram,
			 struct sap_stats *stats, uint64_t now_ns);

/* When tick or output has something to do; 0: at once. */
uint64_t sap_sender_next_ns(const struct sap_sender *sender);

/* Everything guaranteed, and FIN if it was wanted, is acknowledged. */
bool sap_sender_flushed(const struct sap_sender *sender);

/* Guaranteed ones in flight: sent, not acknowledged, not held for lost. */
uint32_t sap_sender_in_flight(const struct sap_sender *sender);

#endif
