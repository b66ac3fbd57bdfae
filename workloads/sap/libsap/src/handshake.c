/* SPDX-License-Identifier: MIT */
#include "handshake.h"

#include <string.h>

#include "bytes.h"
#include "siphash.h"

void sap_handshake_init(struct sap_handshake *handshake, const struct sap_core_config *config, uint64_t now_ns)
{
	*handshake = (struct sap_handshake){
		.listens = config->role == SAP_LISTENS,
		.confirmed = config->role == SAP_LISTENS,
		.started_ns = now_ns,
		.ping_ns = now_ns,
	};
	if (handshake->listens) {
		memcpy(handshake->key, config->random, sizeof(handshake->key));
		handshake->only_from = config->peer;
		handshake->only_connection = config->connection;
	} else {
		handshake->connection = config->connection ? config->connection : sap_get_be(config->random, 8);
		handshake->peer = config->peer;
	}
}

static uint64_t token_of(const struct sap_handshake *handshake, const struct sap_address *from, uint64_t connection)
{
	uint8_t bytes[8 + 1 + sizeof(from->bytes)] = { 0 };
	uint64_t token;

	sap_put_be(bytes, connection, 8);
	bytes[8] = from->length;
	memcpy(bytes + 9, from->bytes, from->length);
	token = sap_siphash(handshake->key, bytes, sizeof(bytes));
	return token ? token : 1; /* 0 means no token */
}

static bool same(const struct sap_address *a, const struct sap_address *b)
{
	return a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

/* Whether a datagram may be from the peer that the listener waits for. */
static bool is_expected(const struct sap_handshake *handshake, const struct sap_address *from,
			const struct sap_header *header)
{
	const struct sap_address *const only = &handshake->only_from;

	if (handshake->only_connection && header->connection != handshake->only_connection)
		return false;
	return from->length >= only->length && memcmp(from->bytes, only->bytes, only->length) == 0;
}

static enum sap_verdict listen_input(struct sap_handshake *handshake, const struct sap_address *from,
				     const struct sap_header *header, bool *opened)
{
	if (!is_expected(handshake, from, header))
		return SAP_FOREIGN;
	if (header->type == SAP_TYPE_PING && header->token == 0) {
		handshake->answer_due = true;
		handshake->answer_to = *from;
		handshake->answer_connection = header->connection;
		return SAP_HANDSHAKE;
	}
	if (header->token != token_of(handshake, from, header->connection))
		return SAP_FOREIGN;
	switch (header->type) {
	case SAP_TYPE_PING:
	case SAP_TYPE_DATA:
	case SAP_TYPE_APPROXIMATE:
	case SAP_TYPE_FIN:
		break;
	default:
		return SAP_FOREIGN; /* a reply, but we have sent nothing */
	}
	handshake->connected = true;
	handshake->answer_due = false;
	handshake->connection = header->connection;
	handshake->token = header->token;
	handshake->peer = *from;
	*opened = true;
	return SAP_OURS;
}

static enum sap_verdict ping_input(struct sap_handshake *handshake, const struct sap_address *from,
				   const struct sap_header *header, uint64_t now_ns)
{
	if (header->type != SAP_TYPE_PING_ACK || header->connection != handshake->connection || !header->token ||
	    !same(from, &handshake->peer))
		return SAP_FOREIGN;
	handshake->connected = true;
	handshake->token = header->token;
	handshake->started_ns = now_ns;
	handshake->ping_ns = now_ns;
	return SAP_OPENED;
}

enum sap_verdict sap_handshake_input(struct sap_handshake *handshake, const struct sap_address *from,
				     const struct sap_header *header, bool *opened, uint64_t now_ns)
{
	*opened = false;
	if (!handshake->connected)
		return handshake->listens ? listen_input(handshake, from, header, opened) :
					    ping_input(handshake, from, header, now_ns);
	if (header->connection != handshake->connection || !same(from, &handshake->peer))
		return SAP_FOREIGN;
	if (handshake->listens && header->type == SAP_TYPE_PING && header->token == 0)
		return SAP_HANDSHAKE; /* a late PING: the peer already has a token */
	if (header->token != handshake->token)
		return SAP_FOREIGN;
	if (!handshake->listens && header->type == SAP_TYPE_PING_ACK)
		return SAP_HANDSHAKE; /* duplicate */
	handshake->confirmed = true;
	return SAP_OURS;
}

bool sap_handshake_output(struct sap_handshake *handshake, struct sap_header *header, struct sap_address *to,
			  uint64_t rto_ns, uint64_t now_ns)
{
	if (handshake->answer_due) {
		handshake->answer_due = false;
		header->type = SAP_TYPE_PING_ACK;
		header->connection = handshake->answer_connection;
		header->token = token_of(handshake, &handshake->answer_to, handshake->answer_connection);
		*to = handshake->answer_to;
		return true;
	}
	if (handshake->confirmed || now_ns < handshake->ping_ns)
		return false;
	handshake->ping_ns = now_ns + rto_ns;
	header->type = SAP_TYPE_PING;
	header->connection = handshake->connection;
	header->token = handshake->token;
	*to = handshake->peer;
	return true;
}

uint64_t sap_handshake_next_ns(const struct sap_handshake *handshake, uint64_t give_up_ns)
{
	const uint64_t end_ns = handshake->started_ns + give_up_ns;

	if (handshake->answer_due)
		return 0;
	if (handshake->confirmed)
		return SAP_NEVER;
	return handshake->ping_ns < end_ns ? handshake->ping_ns : end_ns;
}

bool sap_handshake_failed(const struct sap_handshake *handshake, uint64_t give_up_ns, uint64_t now_ns)
{
	return !handshake->confirmed && now_ns >= handshake->started_ns + give_up_ns;
}
