/* SPDX-License-Identifier: MIT */
/*
 * Congestion window, the number of guaranteed datagrams that may be in flight: slow start, congestion avoidance and
 * halving (RFC 5681, in datagrams), or a fixed window of one (stop and wait).
 *
 * Not implemented: pacing, HyStart, limited transmit, proportional rate reduction, ECN.
 */
#ifndef SAP_CONGESTION_H
#define SAP_CONGESTION_H

#include <stdbool.h>
#include <stdint.h>

struct sap_congestion {
	bool fixed;		/* always one in flight */
	uint32_t window;	/* datagrams */
	uint32_t threshold;	/* slow start below it */
	uint32_t acknowledged;	/* congestion avoidance: datagrams since the window last grew */
};

void sap_congestion_init(struct sap_congestion *congestion, bool fixed);

/* count datagrams were newly acknowledged, outside of loss recovery; in_flight: number in flight before that. */
void sap_congestion_acknowledged(struct sap_congestion *congestion, uint32_t count, uint32_t in_flight);

/* Acknowledgements revealed a loss. Call it once per window of data. */
void sap_congestion_lost(struct sap_congestion *congestion, uint32_t in_flight);

/* The retransmission timeout expired; first: for the first time for this datagram. */
void sap_congestion_timeout(struct sap_congestion *congestion, uint32_t in_flight, bool first);

#endif
