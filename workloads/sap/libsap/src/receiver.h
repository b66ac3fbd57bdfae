/* SPDX-License-Identifier: MIT */
/*
 * The receiver: puts guaranteed datagrams in order, drops duplicates, and queues datagrams of both kinds until the
 * application takes them.
 *
 * Datagrams are stored in slots of one pool. A guaranteed datagram that arrives out of order waits in a ring until it
 * is its turn; then its slot moves to the ready queue. An approximate datagram goes to the ready queue at once. Each
 * kind has a quota of slots, so that neither can starve the other.
 */
#ifndef SAP_RECEIVER_H
#define SAP_RECEIVER_H

#include "memory.h"
#include "sap_core.h"
#include "wire.h"

/* Size of the duplicate detection window: approximate numbers below the largest known one. */
#define SAP_SEEN_BITS 1024u

struct sap_receiver {
	uint32_t payload_bytes;
	uint32_t window;	/* guaranteed datagrams stored at most */
	uint32_t queue;		/* approximate ones stored at most */
	uint32_t first_number;

	uint32_t slots;		/* window + queue */
	struct sap_message *messages; /* by slot */
	uint8_t *bytes;		/* by slot, payload_bytes each */
	uint32_t *free;		/* stack of free slots */
	uint32_t free_count;

	uint32_t next;		/* the next guaranteed datagram in order */
	uint32_t end;		/* largest received number + 1 */
	uint32_t mask;		/* of the ring */
	uint32_t *early;	/* slots of datagrams received out of order, by number; or SAP_NO_SLOT */
	uint32_t early_count;

	uint32_t *ready;	/* ready queue: a ring buffer of slots */
	uint32_t ready_at, ready_count;
	uint32_t ready_guaranteed;

	uint32_t next_approximate; /* largest number known to have been sent, + 1 */
	uint64_t known_approximate; /* count known to have been sent */
	uint64_t received_approximate;
	uint64_t seen[SAP_SEEN_BITS / 64]; /* bit number % SAP_SEEN_BITS: received */

	bool fin_known;
	uint32_t fin_number;
	bool ended;		/* FIN and all before it have been received */
	uint32_t offered;	/* window in the last ACK */
};

#define SAP_NO_SLOT UINT32_MAX

/* Initializes a receiver with arrays from memory; receiver NULL: only counts bytes (memory.h). */
void sap_receiver_init(struct sap_receiver *receiver, struct sap_memory *memory,
		       const struct sap_core_config *config);

/* Process a received datagram and count it in *stats. */
void sap_receiver_data(struct sap_receiver *receiver, const struct sap_header *header, const uint8_t *payload,
		       struct sap_stats *stats);
void sap_receiver_approximate(struct sap_receiver *receiver, const struct sap_header *header, const uint8_t *payload,
			      struct sap_stats *stats);
void sap_receiver_fin(struct sap_receiver *receiver, const struct sap_header *header, struct sap_stats *stats);

/* Takes the first datagram off the ready queue. Errors: SAP_ERR_AGAIN, SAP_ERR_END, SAP_ERR_TOO_SHORT. */
int sap_receiver_take(struct sap_receiver *receiver, void *data, size_t size, struct sap_message *message,
		      struct sap_stats *stats);

/* Fills in type, head, payload, number and count of an acknowledgement, and its bitmap. */
void sap_receiver_acknowledge(struct sap_receiver *receiver, struct sap_header *header,
			      uint8_t bitmap[SAP_BITMAP_BYTES_MAX]);

/* Returns the receive window: how many guaranteed datagrams, from next on, there is room for. */
uint32_t sap_receiver_window(const struct sap_receiver *receiver);

#endif
