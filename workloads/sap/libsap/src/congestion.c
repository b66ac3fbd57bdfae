/* SPDX-License-Identifier: MIT */
#include "congestion.h"

enum {
	INITIAL_WINDOW = 10, /* RFC 6928 */
	LEAST_THRESHOLD = 2, /* RFC 5681, equation 4 */
};

void sap_congestion_init(struct sap_congestion *congestion, bool fixed)
{
	*congestion = (struct sap_congestion){
		.fixed = fixed,
		.window = fixed ? 1 : INITIAL_WINDOW,
		.threshold = UINT32_MAX,
	};
}

static uint32_t half(uint32_t in_flight)
{
	return in_flight / 2 > LEAST_THRESHOLD ? in_flight / 2 : LEAST_THRESHOLD;
}

void sap_congestion_acknowledged(struct sap_congestion *congestion, uint32_t count, uint32_t in_flight)
{
	/* do not grow a window that the application does not use: it is not validated (RFC 7661) */
	if (congestion->fixed || in_flight < congestion->window)
		return;
	if (congestion->window < congestion->threshold) {
		congestion->window += count;
		return;
	}
	congestion->acknowledged += count;
	if (congestion->acknowledged >= congestion->window) {
		congestion->acknowledged -= congestion->window;
		congestion->window++;
	}
}

void sap_congestion_lost(struct sap_congestion *congestion, uint32_t in_flight)
{
	if (congestion->fixed)
		return;
	congestion->threshold = half(in_flight);
	congestion->window = congestion->threshold;
	congestion->acknowledged = 0;
}

void sap_congestion_timeout(struct sap_congestion *congestion, uint32_t in_flight, bool first)
{
	if (congestion->fixed)
		return;
	if (first)
		congestion->threshold = half(in_flight);
	congestion->window = 1;
	congestion->acknowledged = 0;
}
