/* SPDX-License-Identifier: MIT */
/*
 * Transport of points: SAP or TCP. An opening comes first, then the points.
 *
 * The opening has the number of points and their interval; it is sent precisely. So is the first point, in every mode:
 * if it were wrong, all others would be discarded. This is our addition; the paper does not discuss that case.
 *
 * TCP carries the same bytes as a stream, with TCP_NODELAY: otherwise Nagle's algorithm would hold back a point until
 * the previous one is acknowledged.
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

/* Wire format of the opening: "SAPt", version (1), 0 (3), points (4), 0 (4), interval in ns (8). */
#define OPENING_BYTES 24

void opening_pack(const struct opening *opening, uint8_t to[OPENING_BYTES]);
/* Returns false if it is not a valid opening. */
bool opening_unpack(struct opening *opening, const uint8_t *from, size_t length);

/* A received point. */
struct arrival {
	uint64_t number; /* in the trace, from 0 */
	struct track_point point;
};

enum event { EVENT_OPENING, EVENT_POINT, EVENT_END, EVENT_IDLE, EVENT_STOPPED, EVENT_BROKEN };

struct carrier;

/*
 * If a carrier cannot be created or a sender cannot send, it exits with a message. A receiver that loses its connection
 * gets EVENT_BROKEN.
 */
struct carrier_kind {
	struct carrier *(*connect)(const struct address *to, bool approximate, uint32_t give_up_ms);
	void (*send_opening)(struct carrier *carrier, const struct opening *opening);
	/* Call it after the first point: waits until that and the opening have arrived, if later points may be lost. */
	void (*settle)(struct carrier *carrier);
	/* Waits until at_ns (now_ns()), then sends. */
	void (*send_point)(struct carrier *carrier, const struct track_point *point, uint64_t at_ns);
	void (*finish)(struct carrier *carrier); /* ends the trace; waits until the receiver has all guaranteed data */

	struct carrier *(*listen)(const struct address *at);
	/* Waits for the next event, for at most idle_ns (0: without limit). */
	enum event (*next)(struct carrier *carrier, struct opening *opening, struct arrival *arrival, uint64_t idle_ns);

	void (*report)(const struct carrier *carrier, struct report *report); /* adds counters; NULL: none */
	void (*close)(struct carrier *carrier);
	const char *name;
};

extern const struct carrier_kind carrier_sap, carrier_tcp;

#endif
