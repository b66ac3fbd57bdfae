/* SPDX-License-Identifier: MIT */
/* Arrival times and statistics of the gaps between them. */
#ifndef APPS_ARRIVALS_H
#define APPS_ARRIVALS_H

#include <stddef.h>
#include <stdint.h>

#include "report.h"

struct arrivals {
	uint64_t *at_ns;
	size_t count, capacity;
};

/* Inter-arrival times. With fewer than two arrivals all are NaN; the variance needs at least two gaps. */
struct gaps {
	size_t count;
	double mean_ns;
	double variance_ns2; /* sample variance: divided by count - 1 */
	double min_ns, max_ns;
	double p50_ns, p90_ns, p95_ns, p99_ns; /* percentiles by nearest rank */
};

/* Records an arrival. Times must not decrease. Exits if out of memory. */
void arrivals_add(struct arrivals *arrivals, uint64_t at_ns);

/* Computes the statistics of the gaps. */
struct gaps arrivals_gaps(const struct arrivals *arrivals);

/* Adds the statistics to a report, as the object "inter_arrival". */
void arrivals_report(const struct arrivals *arrivals, struct report *report);

void arrivals_free(struct arrivals *arrivals);

#endif
