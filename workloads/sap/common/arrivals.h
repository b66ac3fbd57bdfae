/* SPDX-License-Identifier: MIT */
/* When things arrived, and how evenly. */
#ifndef APPS_ARRIVALS_H
#define APPS_ARRIVALS_H

#include <stddef.h>
#include <stdint.h>

#include "report.h"

struct arrivals {
	uint64_t *at_ns;
	size_t count, room;
};

/* Inter-arrival times; all NaN where fewer than two things arrived, the variance also with one gap only. */
struct gaps {
	size_t count;
	double mean_ns;
	double variance_ns2; /* of the sample: divided by count - 1 */
	double min_ns, max_ns;
	double p50_ns, p90_ns, p95_ns, p99_ns; /* nearest rank: the least gap that so many percent do not exceed */
};

/* Notes one; stamps never decrease. Ends the program where memory does. */
void arrivals_add(struct arrivals *arrivals, uint64_t at_ns);

/* What can be said of the gaps. */
struct gaps arrivals_gaps(const struct arrivals *arrivals);

/* An object "inter_arrival" of a report. */
void arrivals_report(const struct arrivals *arrivals, struct report *report);

void arrivals_free(struct arrivals *arrivals);

#endif
