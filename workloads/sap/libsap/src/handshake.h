/* SPDX-License-Identifier: MIT */
/*
 * The handshake, one side of it.
 *
 *	connects                              listens
 *	PING, token 0             ->
 *	                          <-          PING_ACK with a token, which is a keyed hash of address and connection
 *	PING with the token       ->          checks the token: only now it keeps something of the peer
 *	                          <-          ACK
 *
 * Who connects may send after PING_ACK already: any datagram with the right token connects the listener. It repeats
 * either PING until it is answered; so both sides know in the end, also if the listener is the first to send.
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
	bool connected;
	bool confirmed;		/* connects: the listener is known to be connected too */
	uint64_t started_ns;
	uint64_t ping_ns;	/* connects, not confirmed: when the next PING is due */
	struct sap_address peer;

	bool answer_due;	/* listens: a PING_ACK, to whom and for which connection. Only the last is kept */
	struct sap_address answer_to;
	uint64_t answer_connection;
};

void sap_handshake_init(struct sap_handshake *handshake, const struct sap_core_config *config, uint64_t now_ns);

enum sap_verdict {
	SAP_FOREIGN,	/* of another connection, or forged */
	SAP_HANDSHAKE,	/* part of the handshake; nothing else is to be done */
	SAP_OPENED,	/* part of the handshake, and now it is connected */
	SAP_OURS,	/* of this connection, to be looked at; *opened: and now it is connected */
};

/* Judges where a datagram belongs. */
enum sap_verdict sap_handshake_input(struct sap_handshake *handshake, const struct sap_address *from,
				     const struct sap_header *header, bool *opened, uint64_t now_ns);

/* Fills in a PING or PING_ACK that is due, and *to. False: none is. */
bool sap_handshake_output(struct sap_handshake *handshake, struct sap_header *header, struct sap_address *to,
			  uint64_t rto_ns, uint64_t now_ns);

/* When something is due; 0: at once; SAP_NEVER. */
uint64_t sap_handshake_next_ns(const struct sap_handshake *handshake, uint64_t give_up_ns);

/* The other side has not answered for give_up_ns. */
bool sap_handshake_failed(const struct sap_handshake *handshake, uint64_t give_up_ns, uint64_t now_ns);

#endif
