/* SPDX-License-Identifier: MIT */
/*
 * How many guaranteed datagrams may be in flight: slow start, congestion avoidance and halving (RFC 5681, counted in
 * datagrams), or always one (stop and wait).
 *
 * Not here: pacing, HyStart, limited transmit, proportional rate reduction, ECN.
 */
#ifndef SAP_CONGESTION_H
#define SAP_CONGESTION_H

#include <stdbool.h>
#include <stdint.h>

struct sap_congestion {
	bool fixed;		/* one in flight */
	uint32_t window;	/* datagrams */
	uint32_t threshold;	/* below it: slow start */
	uint32_t acknowledged;	/* since the window last grew, in congestion avoidance */
};

void sap_congestion_init(struct sap_congestion *congestion, bool fixed);

/* So many datagrams were newly acknowledged while in_flight were out and nothing was being recovered. */
void sap_congestion_acknowledged(struct sap_congestion *congestion, uint32_t count, uint32_t in_flight);

/* A loss was seen by later acknowledgements: once per window of data. */
void sap_congestion_lost(struct sap_congestion *congestion, uint32_t in_flight);

/* The retransmission timeout expired; first: for the first time for this datagram. */
void sap_congestion_timeout(struct sap_congestion *congestion, uint32_t in_flight, bool first);

#endif
