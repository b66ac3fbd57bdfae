/* SPDX-License-Identifier: MIT */
/* Retransmission timeout: fixed (stop and wait) or from measured round trips with backoff (RFC 6298). */
#ifndef SAP_RTT_H
#define SAP_RTT_H

#include <stdbool.h>
#include <stdint.h>

struct sap_rtt {
	bool fixed;
	uint64_t srtt_ns;	/* 0: not measured yet */
	uint64_t rttvar_ns;
	uint64_t rto_ns;	/* without backoff */
	uint64_t rto_min_ns;
	uint64_t rto_max_ns;
	unsigned int backoff;	/* how often it was doubled since something was acknowledged */
};

/*
 * rto_max_ns: of timeouts with backoff; no more than 60 s are taken (RFC 6298, 2.5). A quarter of the time after which a
 * peer is given up: so it is asked several times before, and one that answers that it has no room is not taken for
 * silent because it was not asked.
 */
void sap_rtt_init(struct sap_rtt *rtt, bool fixed, uint64_t rto_ns, uint64_t rto_min_ns, uint64_t rto_max_ns);

/* A round trip of a datagram that was sent once. */
void sap_rtt_sample(struct sap_rtt *rtt, uint64_t sample_ns);

/* The timeout has expired: the next is twice as long. */
void sap_rtt_back_off(struct sap_rtt *rtt);

/* Something new was acknowledged: backoff ends. */
void sap_rtt_progress(struct sap_rtt *rtt);

/* The timeout now, with backoff. */
uint64_t sap_rtt_timeout_ns(const struct sap_rtt *rtt);

#endif
