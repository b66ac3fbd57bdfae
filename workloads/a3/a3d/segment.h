/* SPDX-License-Identifier: MIT */
/* TCP segments, read from a packet, and packets made ready to be sent again. No sockets, no clock. */
#ifndef A3D_SEGMENT_H
#define A3D_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

enum {
	SEGMENT_TCP = 6, /* IP's numbers of protocols */
	SEGMENT_EXPERIMENT = 253, /* RFC 3692 */
	SEGMENT_DEVICE = 8, /* first bytes of an address that are a device's: it has many of IPv6 (RFC 6177) */
	SEGMENT_OPTION_HEAD = 6, /* bytes of an option before its value */
};

struct segment_end {
	uint8_t address[16]; /* IPv4: the first four bytes, the rest is 0 */
	uint16_t port;
};

struct segment {
	uint8_t version; /* of IP: 4 or 6 */
	uint16_t id; /* of IPv4 */
	struct segment_end from, to;
	uint32_t seq, ack;
	uint8_t flags;
	uint16_t window; /* as it is written */
	bool has_timestamps;
	size_t option; /* bytes of the option of a3d, which comes first; 0: it has none */
	uint32_t stamp, echo;
	uint16_t mss; /* of a SYN; 0: not said */
	bool has_scale, sack_permitted; /* of a SYN */
	uint8_t scale;
	bool foreign; /* it has options that a3d does not know: signatures, MPTCP, data with SYN by TCP Fast Open */

	const uint8_t *packet;
	size_t length; /* of the packet; of several segments that the kernel has joined, of all */
	size_t tcp, payload; /* where these begin */
	bool whole; /* all of it is there to be read */
	bool left_to_card; /* set by who knows: its checksum is only that of the pseudo header, and not made yet */
};

/* Whether a is after b, in sequence numbers. */
static inline bool segment_after(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0;
}

static inline uint32_t segment_payload(const struct segment *segment)
{
	return (uint32_t)(segment->length - segment->payload);
}

/* The sequence number after its last one: SYN and FIN have one each. */
static inline uint32_t segment_next(const struct segment *segment)
{
	return segment->seq + segment_payload(segment) + !!(segment->flags & SEGMENT_SYN) +
	       !!(segment->flags & SEGMENT_FIN);
}

/*
 * Read an IP packet, of which only the first bytes need to be there. False: it is not a whole TCP segment with valid
 * headers (a fragment, behind extension headers of IPv6, malformed).
 */
bool segment_read(struct segment *segment, const uint8_t *packet, size_t bytes);

/* The same, of a packet of another protocol that has a header of TCP in front. */
bool segment_read_as(struct segment *segment, uint8_t protocol, const uint8_t *packet, size_t bytes);

/*
 * Whether a whole one has a valid checksum of TCP, or the kernel has left that to a network card. One of which neither is
 * true was damaged on its way: who made a new checksum for it would hide that.
 */
bool segment_sound(const struct segment *segment);

/*
 * Of a whole one: a hash of its identification, header of TCP and payload. Copies have equal ones. A segment that TCP
 * repeats has another one, if it has timestamps, or IPv4 identifies it; then this is true.
 */
bool segment_identity(const struct segment *segment, uint64_t *identity);

/*
 * Copy a whole one's packet, with its checksums computed: the kernel may have left that to a network card. Returns its
 * length; 0: there is no room.
 */
size_t segment_copy(const struct segment *segment, uint8_t *packet, size_t room);

/*
 * The same with an option of a3d (kind 253, RFC 6994) with this value put first, or with this option taken out. 0 also:
 * the header has no room for it, or the segment is not sound.
 */
size_t segment_with_option(const struct segment *segment, const uint8_t *value, size_t bytes, uint8_t *packet, size_t room);
size_t segment_without_option(const struct segment *segment, uint8_t *packet, size_t room);

/* The value of its option of a3d. */
const uint8_t *segment_option(const struct segment *segment, size_t *bytes);

/* Give a packet of which IP's header is so long another length and protocol. */
void segment_set_ip(uint8_t *packet, size_t header, size_t length, uint8_t protocol);
/* Compute the checksums of a packet whose addresses and headers are there. tcp: where its header begins. */
void segment_sum(uint8_t *packet, size_t length, size_t tcp);

#endif
