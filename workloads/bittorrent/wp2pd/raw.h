/* SPDX-License-Identifier: MIT */
/* Sockets for the pure ACKs, which do not pass the queue. */
#ifndef WP2PD_RAW_H
#define WP2PD_RAW_H

#include "segment.h"

struct raw {
	int ipv4, ipv6;
};

/* Ends the program if it cannot. */
struct raw raw_open(void);

/*
 * Send the pure ACK of a segment that is about to leave by an interface, by the same one and with its source address, so
 * that the same route is found. False: it could not be sent.
 */
bool raw_send(const struct raw *raw, const struct segment *segment, uint32_t seq, uint32_t interface);

#endif
