/* SPDX-License-Identifier: MIT */
#include "rtt.h"

static const uint64_t RTO_MAX_NS = UINT64_C(60000000000);

static uint64_t minimum(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void sap_rtt_init(struct sap_rtt *rtt, bool fixed, uint64_t rto_ns, uint64_t rto_min_ns, uint64_t rto_max_ns)
{
	*rtt = (struct sap_rtt){
		.fixed = fixed,
		.rto_ns = rto_ns,
		.rto_min_ns = rto_min_ns,
		.rto_max_ns = rto_max_ns < rto_min_ns ? rto_min_ns : minimum(rto_max_ns, RTO_MAX_NS),
	};
}

/* RFC 6298, 2.2 and 2.3. The clock granularity G is 1 ns, far below rto_min_ns, and ignored. */
void sap_rtt_sample(struct sap_rtt *rtt, uint64_t sample_ns)
{
	uint64_t error_ns;

	sample_ns = minimum(sample_ns, RTO_MAX_NS);
	if (sample_ns == 0)
		sample_ns = 1;
	if (rtt->srtt_ns == 0) {
		rtt->srtt_ns = sample_ns;
		rtt->rttvar_ns = sample_ns / 2;
	} else {
		error_ns = sample_ns > rtt->srtt_ns ? sample_ns - rtt->srtt_ns : rtt->srtt_ns - sample_ns;
		rtt->rttvar_ns = (3 * rtt->rttvar_ns + error_ns) / 4;
		rtt->srtt_ns = (7 * rtt->srtt_ns + sample_ns) / 8;
		if (rtt->srtt_ns == 0)
			rtt->srtt_ns = 1;
	}
	if (rtt->fixed)
		return;
	rtt->rto_ns = rtt->srtt_ns + 4 * rtt->rttvar_ns;
	if (rtt->rto_ns < rtt->rto_min_ns)
		rtt->rto_ns = rtt->rto_min_ns;
}

void sap_rtt_back_off(struct sap_rtt *rtt)
{
	if (!rtt->fixed && sap_rtt_timeout_ns(rtt) < rtt->rto_max_ns)
		rtt->backoff++;
}

void sap_rtt_progress(struct sap_rtt *rtt)
{
	rtt->backoff = 0;
}

uint64_t sap_rtt_timeout_ns(const struct sap_rtt *rtt)
{
	uint64_t timeout_ns = rtt->rto_ns;

	if (rtt->fixed)
		return timeout_ns;
	for (unsigned int i = 0; i < rtt->backoff && timeout_ns < rtt->rto_max_ns; i++)
		timeout_ns *= 2;
	return minimum(timeout_ns, rtt->rto_max_ns);
}
