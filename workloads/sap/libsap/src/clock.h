/* SPDX-License-Identifier: MIT */
/* Times in nanoseconds. Needs clock_gettime(): define _GNU_SOURCE or _POSIX_C_SOURCE before any header. */
#ifndef SAP_CLOCK_H
#define SAP_CLOCK_H

#include <stdint.h>
#include <time.h>

#define SAP_NS_PER_MS INT64_C(1000000)
#define SAP_NS_PER_S INT64_C(1000000000)

static inline int64_t sap_clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * SAP_NS_PER_S + now.tv_nsec;
}

/* Converts a time that is not negative. */
static inline struct timespec sap_timespec(int64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / SAP_NS_PER_S), .tv_nsec = (long)(ns % SAP_NS_PER_S) };
}

#endif
