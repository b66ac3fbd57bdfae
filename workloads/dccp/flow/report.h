/* SPDX-License-Identifier: MIT */
/* Prints the lines of a report: a JSON object each. Times are seconds since 1970, with nine decimals. */
#ifndef FLOW_REPORT_H
#define FLOW_REPORT_H

#include <stdint.h>
#include <stdio.h>

struct counts;
struct delays;

/* Begins a line of that kind. Members follow; report_end() ends it. */
void report_begin(FILE *to, const char *kind, uint64_t t_ns);
void report_end(FILE *to);

void report_text(FILE *to, const char *name, const char *text); /* plain words only: nothing is escaped */
void report_count(FILE *to, const char *name, uint64_t value);
void report_number(FILE *to, const char *name, int64_t value);
void report_real(FILE *to, const char *name, double value); /* finite; nine significant digits */
void report_time(FILE *to, const char *name, uint64_t t_ns);
void report_counts(FILE *to, const struct counts *counts);
/* Means and extremes are null if there is nothing to take them of. */
void report_delays(FILE *to, const struct delays *delays, double jitter_ns);

#endif
