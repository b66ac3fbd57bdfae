/* SPDX-License-Identifier: MIT */
/*
 * The datagram on the wire: SAP_HEADER_BYTES of header, big endian, then the payload.
 *
 *	bytes	field
 *	0-1	magic, 0x5341 ("SA")
 *	2	version, 1
 *	3	type
 *	4-5	head: the first so many bytes of the payload are precise
 *	6-7	payload: its length, which is all that follows the header
 *	8-11	number; see enum sap_type
 *	12-15	count; see enum sap_type
 *	16-23	connection: random number of the side that connects
 *	24-31	token: keyed hash of the side that listens; 0 while the other side does not know it
 *	32-35	CRC-32C over bytes 0 to 31 and the head
 *
 * UDP-Lite's checksum covers its own header, this one and the head. Its 16 bits alone let one in 65 536 randomly
 * damaged headers pass, and in approximate mode damaged frames are daily bread: hence the CRC.
 */
#ifndef SAP_WIRE_H
#define SAP_WIRE_H

#include "sap_types.h"

/*
 * A PING with token 0 asks for a token; with a token it confirms that it came. Guaranteed datagrams and FIN are
 * numbered together, approximate ones by themselves.
 */
enum sap_type {
	/*			   number			count			payload */
	SAP_TYPE_PING = 1,	/* 0				window			- */
	SAP_TYPE_PING_ACK = 2,	/* 0				window			- */
	SAP_TYPE_DATA = 3,	/* its own			approximate before it	precise or mixed */
	SAP_TYPE_APPROXIMATE = 4, /* its own			guaranteed before it	approximate */
	SAP_TYPE_ACK = 5,	/* next guaranteed expected	window from there on	bitmap */
	SAP_TYPE_FIN = 6,	/* its own			approximate before it	- */
	SAP_TYPE_FIN_ACK = 7,	/* as ACK, and FIN has been reached			bitmap */
};

/* Bit i of byte j of an ACK's bitmap: number + 1 + 8 * j + i has been received. Trailing zero bytes are left out. */
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

/* Writes header and payload (header->payload bytes) and returns how many bytes that were. */
size_t sap_wire_write(uint8_t *datagram, const struct sap_header *header, const uint8_t *payload);

/* Reads a header. False: damaged, or not SAP; then *header is undefined. */
bool sap_wire_read(struct sap_header *header, const uint8_t *datagram, size_t length);

#endif
