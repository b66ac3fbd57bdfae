/* SPDX-License-Identifier: MIT */
/*
 * What is in a packet of a flow: a header, and a pattern that both ends know.
 *
 * Over TCP, which has no packets, the stream consists of these, one after the other. The header, big-endian: "flow",
 * type (2 bytes), length of the packet (2), number (8), start of the flow (8) and time of sending (8), both in ns of
 * CLOCK_REALTIME. The last packets say that the flow has ended; their number is that of the data packets sent.
 */
#ifndef FLOW_PACKET_H
#define FLOW_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PACKET_HEADER_BYTES = 32, PACKET_BYTES_MAX = 65000 };

#define PACKET_NUMBER_MAX ((UINT64_C(1) << 48) - 1)
#define PACKET_TIME_MAX_NS ((UINT64_C(1) << 62) - 1) /* in the year 2116; differences of such times fit int64_t */

/* Over datagrams, the last packet is sent several times, this long after each other, since it can be lost. */
enum { PACKET_ENDS = 10, PACKET_ENDS_NS = 10000000 };

enum packet_type { PACKET_DATA = 1, PACKET_END = 2 };

struct packet {
	enum packet_type type;
	uint16_t length; /* of all of it, in bytes */
	uint64_t number; /* from 0 */
	uint64_t start_ns, sent_ns;
};

/* Writes the header. to: PACKET_HEADER_BYTES. */
void packet_pack(const struct packet *packet, uint8_t *to);

/* Reads a header. False: it is not a header, or its length, its number or a time is impossible. */
bool packet_unpack(struct packet *packet, const uint8_t *from);

/* Whether a packet can begin with these bytes, of which there may be fewer than a header has. */
bool packet_begins(const uint8_t *from, size_t length);

/* Fills the bytes behind the header, which depend on the number alone. */
void packet_fill(uint64_t number, uint8_t *to, size_t length);

/* Returns how many bits behind the header are not as packet_fill() made them. */
uint64_t packet_wrong_bits(uint64_t number, const uint8_t *from, size_t length);

#endif
