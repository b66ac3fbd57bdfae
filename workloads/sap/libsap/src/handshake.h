/* SPDX-License-Identifier: MIT */
/*
 * One side of the handshake.
 *
 *	connects                              listens
 *	PING, token 0             ->
 *	                          <-          PING_ACK with a token: a keyed hash of address and connection ID
 *	PING with the token       ->          checks the token; keeps state for the peer only from here on
 *	                          <-          ACK
 *
 * The connecting side may send data right after PING_ACK: any datagram with the right token connects the listener. It
 * repeats each PING until it is answered, so both sides learn that they are connected even if the listener sends first.
 */
#ifndef SAP_HANDSHAKE_H
#define SAP_HANDSHAKE_H

#include "sap_core.h"
#include "wire.h"

struct sap_handshake {
	bool listens;
	uint8_t key[16];
	uint64_t connection;
	uint64_t token;
	struct sap_address only_from; /* listening side: who may connect; see struct sap_core_config */
	uint64_t only_connection;
	bool connected;
	bool confirmed;		/* connecting side: the listener is known to be connected too */
	uint64_t started_ns;
	uint64_t ping_ns;	/* connecting side, not confirmed: when the next PING is due */
	struct sap_address peer;

	bool answer_due;	/* listening side: a PING_ACK is due, for the most recent PING only */
	struct sap_address answer_to;
	uint64_t answer_connection;
};

void sap_handshake_init(struct sap_handshake *handshake, const struct sap_core_config *config, uint64_t now_ns);

enum sap_verdict {
	SAP_FOREIGN,	/* of another connection, or forged */
	SAP_HANDSHAKE,	/* part of the handshake; nothing else to do */
	SAP_OPENED,	/* part of the handshake, which is now complete */
	SAP_OURS,	/* of this connection: process it. *opened: it has just connected the listener */
};

/* Classifies a received datagram. */
enum sap_verdict sap_handshake_input(struct sap_handshake *handshake, const struct sap_address *from,
				     const struct sap_header *header, bool *opened, uint64_t now_ns);

/* Fills in *header and *to if a PING or PING_ACK is due; otherwise returns false. */
bool sap_handshake_output(struct sap_handshake *handshake, struct sap_header *header, struct sap_address *to,
			  uint64_t rto_ns, uint64_t now_ns);

/* Returns when sap_handshake_output() or the timeout is due; 0: now; or SAP_NEVER. */
uint64_t sap_handshake_next_ns(const struct sap_handshake *handshake, uint64_t give_up_ns);

/* Whether the peer has not answered for give_up_ns. */
bool sap_handshake_failed(const struct sap_handshake *handshake, uint64_t give_up_ns, uint64_t now_ns);

#endif
