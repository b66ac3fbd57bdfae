/* SPDX-License-Identifier: MIT */
/* Retransmission timeout: fixed (stop and wait), or from measured round-trip times with backoff (RFC 6298). */
#ifndef SAP_RTT_H
#define SAP_RTT_H

#include <stdbool.h>
#include <stdint.h>

struct sap_rtt {
	bool fixed;
	uint64_t srtt_ns;	/* smoothed RTT; 0: not measured yet */
	uint64_t rttvar_ns;	/* RTT variation */
	uint64_t rto_ns;	/* without backoff */
	uint64_t rto_min_ns;
	uint64_t rto_max_ns;
	unsigned int backoff;	/* number of doublings since the last new acknowledgement */
};

/*
 * rto_max_ns: upper bound with backoff, reduced to 60 s if larger (RFC 6298, 2.5). Callers pass a quarter of the time
 * after which they give up. So the peer is probed several times before, and one that keeps its window closed is not
 * mistaken for dead merely because it was not probed.
 */
void sap_rtt_init(struct sap_rtt *rtt, bool fixed, uint64_t rto_ns, uint64_t rto_min_ns, uint64_t rto_max_ns);

/* Adds the measured round-trip time of a datagram that was sent once. */
void sap_rtt_sample(struct sap_rtt *rtt, uint64_t sample_ns);

/* The timeout expired: doubles it. */
void sap_rtt_back_off(struct sap_rtt *rtt);

/* New data was acknowledged: ends the backoff. */
void sap_rtt_progress(struct sap_rtt *rtt);

/* Returns the current timeout, including backoff. */
uint64_t sap_rtt_timeout_ns(const struct sap_rtt *rtt);

#endif
