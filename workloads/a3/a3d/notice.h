/* SPDX-License-Identifier: MIT */
/*
 * Notices: the client's side tells the server's side which requests are for objects that are not on the screen. A notice
 * is an IP packet of protocol 253 (for experiments, RFC 3692) from the client's address to the server's:
 *
 *	a header of TCP, of which only the ports count
 *	bytes 0-1	0xa3 0x02
 *	then 1 to NOTICE_ENTRIES times
 *	byte 0		1: later, 0: first
 *	bytes 1-7	offset of the request, in the client's bytes, the most significant byte first
 *
 * Nobody acknowledges one. If it is lost, the object keeps its class. No sockets.
 */
#ifndef A3D_NOTICE_H
#define A3D_NOTICE_H

#include "segment.h"

enum {
	NOTICE_PROTOCOL = 253,
	NOTICE_ENTRIES = 32,
	NOTICE_LONGEST = 40 + 20 + 2 + 8 * NOTICE_ENTRIES,
};

struct notice {
	uint8_t version; /* of IP */
	struct segment_end client, server;
	unsigned int count;
	struct {
		bool later;
		uint64_t offset;
	} entries[NOTICE_ENTRIES];
};

/* Whether a packet has the protocol of notices, and is not another type of it. */
bool notice_is(const uint8_t *packet, size_t bytes);

/* Read one. False: it is malformed. */
bool notice_read(struct notice *notice, const uint8_t *packet, size_t bytes);

/* Write one; returns its length. */
size_t notice_write(const struct notice *notice, uint8_t packet[NOTICE_LONGEST]);

#endif
