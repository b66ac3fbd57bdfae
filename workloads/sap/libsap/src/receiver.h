/* SPDX-License-Identifier: MIT */
/*
 * The receiving half: puts guaranteed datagrams in order, drops what came before, and keeps both kinds until the
 * application takes them.
 *
 * Datagrams lie in slots of one pool. A guaranteed one that came too early waits in a ring; when its turn has come, its
 * slot goes to the queue of those that are ready, as that of an approximate one does at once. Each kind has slots of
 * its own number, so that neither can starve the other.
 */
#ifndef SAP_RECEIVER_H
#define SAP_RECEIVER_H

#include "memory.h"
#include "sap_core.h"
#include "wire.h"

/* Approximate numbers of which is known whether they have come, below the largest. */
#define SAP_SEEN_BITS 1024u

struct sap_receiver {
	uint32_t payload_bytes;
	uint32_t window;	/* guaranteed datagrams kept at most */
	uint32_t queue;		/* approximate ones kept at most */
	uint32_t first_number;

	uint32_t slots;		/* window + queue */
	struct sap_message *messages; /* by slot */
	uint8_t *bytes;		/* by slot, payload_bytes each */
	uint32_t *free;		/* slots, a stack */
	uint32_t free_count;

	uint32_t next;		/* the guaranteed datagram whose turn it is */
	uint32_t end;		/* behind the largest number that has come */
	uint32_t mask;		/* of the ring */
	uint32_t *early;	/* ring of slots by number; SAP_NO_SLOT */
	uint32_t early_count;

	uint32_t *ready;	/* queue of slots, a ring of as many as there are slots */
	uint32_t ready_at, ready_count;
	uint32_t ready_guaranteed;

	uint32_t next_approximate; /* behind the largest number that is known to have been sent */
	uint64_t known_approximate; /* how many are known to have been sent */
	uint64_t came_approximate;
	uint64_t seen[SAP_SEEN_BITS / 64]; /* bit number % SAP_SEEN_BITS: has come */

	bool fin_known;
	uint32_t fin_number;
	bool ended;		/* it was FIN's turn */
	uint32_t offered;	/* window that the peer was told last */
};

#define SAP_NO_SLOT UINT32_MAX

/* Takes its arrays out of memory; receiver NULL: only counts (memory.h). */
void sap_receiver_init(struct sap_receiver *receiver, struct sap_memory *memory,
		       const struct sap_core_config *config);

/* What came, with what is behind its header. Counts it in *stats. */
void sap_receiver_data(struct sap_receiver *receiver, const struct sap_header *header, const uint8_t *payload,
		       struct sap_stats *stats);
void sap_receiver_approximate(struct sap_receiver *receiver, const struct sap_header *header, const uint8_t *payload,
			      struct sap_stats *stats);
void sap_receiver_fin(struct sap_receiver *receiver, const struct sap_header *header, struct sap_stats *stats);

/* Hands the first one over that is ready; SAP_ERR_AGAIN, SAP_ERR_END, SAP_ERR_TOO_SHORT. */
int sap_receiver_take(struct sap_receiver *receiver, void *data, size_t size, struct sap_message *message,
		      struct sap_stats *stats);

/* Fills in type, head, payload, number and count of an acknowledgement, and its bitmap. */
void sap_receiver_acknowledge(struct sap_receiver *receiver, struct sap_header *header,
			      uint8_t bitmap[SAP_BITMAP_BYTES_MAX]);

/* Guaranteed datagrams that have room, from next on. */
uint32_t sap_receiver_window(const struct sap_receiver *receiver);

#endif
