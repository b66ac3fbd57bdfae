/* SPDX-License-Identifier: MIT */
/* TCP segments: read from a packet, and a pure ACK made of one. No sockets, no clock. */
#ifndef WP2PD_SEGMENT_H
#define WP2PD_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEGMENT_BLOCKS 4
/* IPv6, TCP, and the longest options */
#define SEGMENT_PURE_MAX (40 + 60)

enum {
	SEGMENT_FIN = 0x01,
	SEGMENT_SYN = 0x02,
	SEGMENT_RST = 0x04,
	SEGMENT_PSH = 0x08,
	SEGMENT_ACK = 0x10,
	SEGMENT_URG = 0x20,
	SEGMENT_ECE = 0x40,
	SEGMENT_CWR = 0x80,
};

struct segment_end {
	uint8_t address[16]; /* IPv4: the first four bytes, the rest is 0 */
	uint16_t port;
};

struct segment_block {
	uint32_t start, end;
};

struct segment {
	uint8_t version; /* of IP: 4 or 6 */
	uint8_t traffic_class;
	uint8_t hops;
	struct segment_end from, to;
	uint32_t seq, ack;
	uint8_t flags;
	uint16_t window;
	uint32_t payload; /* bytes; of several segments that the kernel has joined, all of theirs */
	bool has_timestamps;
	uint32_t ts_value, ts_echo;
	unsigned int blocks; /* of SACK */
	struct segment_block block[SEGMENT_BLOCKS];
	bool other_options; /* some that are neither timestamps, SACK nor padding: signatures, MPTCP */
};

/* Whether a is after b, in sequence numbers. */
static inline bool segment_after(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0;
}

/*
 * Read an IP packet, of which only the first bytes need to be there. False: it is not a whole TCP segment with valid
 * headers (a fragment, behind extension headers of IPv6, cut off, malformed).
 */
bool segment_read(struct segment *segment, const uint8_t *packet, size_t bytes);

/* Whether its first SACK block reports data that arrived twice (RFC 2883). */
bool segment_reports_duplicate(const struct segment *segment);

/*
 * Make a pure ACK with the acknowledgement, window, timestamps and SACK blocks of a segment, and return its length. A
 * D-SACK block stays behind: it is to be reported once (RFC 2883), and the segment itself follows. So does CWR, and an
 * ECN codepoint, which pure ACKs must not have (RFC 3168 6.1.4).
 */
size_t segment_pure_ack(uint8_t packet[SEGMENT_PURE_MAX], const struct segment *segment, uint32_t seq);

#endif
