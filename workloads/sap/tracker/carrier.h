/* SPDX-License-Identifier: MIT */
/*
 * What carries points from one end to the other: SAP or TCP. First an opening, then the points.
 *
 * The opening tells how many points there are and how far apart; it is sent precisely. So is the first point, in every
 * mode: a wrong first one would have all others discarded. That is ours; the paper does not tell what happens then.
 *
 * TCP carries the same bytes, one behind the other, with TCP_NODELAY: else Nagle's algorithm would keep a point back
 * until the one before is acknowledged.
 */
#ifndef CARRIER_H
#define CARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include "net.h"
#include "report.h"
#include "track.h"

struct opening {
	uint32_t points; /* at least 1 */
	uint64_t interval_ns;
};

/* Of the opening on the wire: "SAPt", version, 0 (3), points (4), 0 (4), interval in ns (8). */
#define OPENING_BYTES 24

void opening_pack(const struct opening *opening, uint8_t to[OPENING_BYTES]);
/* False: none. */
bool opening_unpack(struct opening *opening, const uint8_t *from, size_t length);

/* Where a point is put that has come. */
struct arrival {
	uint64_t number; /* in the trace, from 0 */
	struct track_point point;
};

enum event { EVENT_OPENING, EVENT_POINT, EVENT_END, EVENT_IDLE, EVENT_STOPPED, EVENT_BROKEN };

struct carrier;

/*
 * A carrier ends the program with a message where it cannot be made, or a sender cannot send; a receiver that loses its
 * connection has EVENT_BROKEN.
 */
struct carrier_kind {
	struct carrier *(*connect)(const struct address *to, bool approximate, uint32_t give_up_ms);
	void (*send_opening)(struct carrier *carrier, const struct opening *opening);
	/* After the opening and the first point: waits until both have arrived, if points may be lost from now on. */
	void (*settle)(struct carrier *carrier);
	/* Waits until at_ns (now_ns()), then sends. */
	void (*send_point)(struct carrier *carrier, const struct track_point *point, uint64_t at_ns);
	void (*finish)(struct carrier *carrier); /* waits until the receiver has all that is guaranteed */

	struct carrier *(*listen)(const struct address *at);
	/* Waits for what comes next, idle_ns at most (0: for ever). */
	enum event (*next)(struct carrier *carrier, struct opening *opening, struct arrival *arrival, uint64_t idle_ns);

	void (*report)(const struct carrier *carrier, struct report *report); /* counters; NULL: none */
	void (*close)(struct carrier *carrier);
	const char *name;
};

extern const struct carrier_kind carrier_sap, carrier_tcp;

#endif
