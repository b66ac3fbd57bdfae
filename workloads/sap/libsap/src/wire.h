/* SPDX-License-Identifier: MIT */
/*
 * Wire format of a datagram: a header of SAP_HEADER_BYTES, big endian, then the payload.
 *
 *	bytes	field
 *	0-1	magic, 0x5341 ("SA")
 *	2	version, 1
 *	3	type
 *	4-5	head: number of leading payload bytes that are precise
 *	6-7	payload: its length; must match the length of the datagram
 *	8-11	number; see enum sap_type
 *	12-15	count; see enum sap_type
 *	16-23	connection: random number of the connecting side, or agreed on beforehand
 *	24-31	token: keyed hash from the listening side; 0 until the connecting side has received it
 *	32-35	CRC-32C over bytes 0 to 31 and the head
 *
 * UDP-Lite's checksum covers its own header, this one and the head. But its 16 bits miss one in 65 536 randomly
 * damaged headers, and in approximate mode damaged frames are common: hence the CRC.
 */
#ifndef SAP_WIRE_H
#define SAP_WIRE_H

#include "sap_types.h"

/*
 * A PING with token 0 requests a token; a PING with a token confirms its receipt. Guaranteed datagrams and FIN share
 * one number sequence, approximate ones have their own.
 */
enum sap_type {
	/*			   number			count			payload */
	SAP_TYPE_PING = 1,	/* 0				window			- */
	SAP_TYPE_PING_ACK = 2,	/* 0				window			- */
	SAP_TYPE_DATA = 3,	/* its own			approximate before it	precise or mixed */
	SAP_TYPE_APPROXIMATE = 4, /* its own			guaranteed before it	approximate */
	SAP_TYPE_ACK = 5,	/* next guaranteed expected	window from there on	bitmap */
	SAP_TYPE_FIN = 6,	/* its own			approximate before it	- */
	SAP_TYPE_FIN_ACK = 7,	/* as ACK; FIN has been received			bitmap */
};

/* Bit i of byte j of an ACK's bitmap: datagram number + 1 + 8 * j + i has been received. No trailing zero bytes. */
#define SAP_BITMAP_BYTES_MAX (SAP_WINDOW_MAX / 8)

struct sap_header {
	enum sap_type type;
	uint16_t head;
	uint16_t payload;
	uint32_t number;
	uint32_t count;
	uint64_t connection;
	uint64_t token;
};

/* Writes the header and header->payload bytes of payload. Returns the length of the datagram. */
size_t sap_wire_write(uint8_t *datagram, const struct sap_header *header, const uint8_t *payload);

/* Reads a header. Returns false if it is damaged or not SAP; then *header is undefined. */
bool sap_wire_read(struct sap_header *header, const uint8_t *datagram, size_t length);

#endif
