/* SPDX-License-Identifier: MIT */
/* Inter-arrival times. */
#include "arrivals.h"

#include <math.h>
#include <stdlib.h>

#include "errors.h"

void arrivals_add(struct arrivals *arrivals, uint64_t at_ns)
{
	if (arrivals->count == arrivals->capacity) {
		size_t capacity = arrivals->capacity ? 2 * arrivals->capacity : 1024;
		uint64_t *larger = realloc(arrivals->at_ns, capacity * sizeof(*larger));

		if (!larger)
			fail("recording arrivals", SAP_ERR_MEMORY);
		arrivals->at_ns = larger;
		arrivals->capacity = capacity;
	}
	arrivals->at_ns[arrivals->count++] = at_ns;
}

static int by_size(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Nearest rank: the ceil(percent / 100 * count)-th of the sorted values. */
static double percentile(const double *sorted, size_t count, unsigned int percent)
{
	return sorted[(count * percent + 99) / 100 - 1];
}

struct gaps arrivals_gaps(const struct arrivals *arrivals)
{
	struct gaps gaps = { 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
	double squares = 0, total;
	double *sorted;

	if (arrivals->count < 2)
		return gaps;
	gaps.count = arrivals->count - 1;
	sorted = malloc(gaps.count * sizeof(*sorted));
	if (!sorted)
		fail("sorting arrivals", SAP_ERR_MEMORY);
	for (size_t i = 0; i < gaps.count; i++)
		sorted[i] = (double)(arrivals->at_ns[i + 1] - arrivals->at_ns[i]);
	total = (double)(arrivals->at_ns[gaps.count] - arrivals->at_ns[0]);
	gaps.mean_ns = total / (double)gaps.count;
	for (size_t i = 0; i < gaps.count; i++)
		squares += (sorted[i] - gaps.mean_ns) * (sorted[i] - gaps.mean_ns);
	if (gaps.count > 1)
		gaps.variance_ns2 = squares / (double)(gaps.count - 1);
	qsort(sorted, gaps.count, sizeof(*sorted), by_size);
	gaps.min_ns = sorted[0];
	gaps.max_ns = sorted[gaps.count - 1];
	gaps.p50_ns = percentile(sorted, gaps.count, 50);
	gaps.p90_ns = percentile(sorted, gaps.count, 90);
	gaps.p95_ns = percentile(sorted, gaps.count, 95);
	gaps.p99_ns = percentile(sorted, gaps.count, 99);
	free(sorted);
	return gaps;
}

void arrivals_report(const struct arrivals *arrivals, struct report *report)
{
	const struct gaps gaps = arrivals_gaps(arrivals);

	report_enter(report, "inter_arrival");
	report_count(report, "count", gaps.count);
	report_number(report, "mean_ns", gaps.mean_ns);
	report_number(report, "variance_ns2", gaps.variance_ns2);
	report_number(report, "min_ns", gaps.min_ns);
	report_number(report, "p50_ns", gaps.p50_ns);
	report_number(report, "p90_ns", gaps.p90_ns);
	report_number(report, "p95_ns", gaps.p95_ns);
	report_number(report, "p99_ns", gaps.p99_ns);
	report_number(report, "max_ns", gaps.max_ns);
	report_leave(report);
}

void arrivals_free(struct arrivals *arrivals)
{
	free(arrivals->at_ns);
	*arrivals = (struct arrivals){ 0 };
}
