/* SPDX-License-Identifier: MIT */
/* Writes a report, one JSON object on one line, member by member. */
#ifndef APPS_REPORT_H
#define APPS_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sap.h"

struct report {
	FILE *to;
	bool first; /* the current object has no members yet */
};

/* Starts the report. */
void report_begin(struct report *report, FILE *to);
/* Ends the report and the line, and flushes the file. */
void report_end(struct report *report);

/* Starts a nested object; report_leave() ends it. */
void report_enter(struct report *report, const char *name);
void report_leave(struct report *report);

void report_text(struct report *report, const char *name, const char *text); /* bytes that are not UTF-8: U+FFFD */
void report_value(struct report *report, const char *name, const char *value); /* without quotes: a number, for example */
void report_flag(struct report *report, const char *name, bool value);
void report_count(struct report *report, const char *name, uint64_t value);
/* Writes 12 significant digits, or null if value is not finite, such as 0/0. */
void report_number(struct report *report, const char *name, double value);
void report_null(struct report *report, const char *name);
/* Writes the counters of a socket, as the object "sap". */
void report_sap(struct report *report, const struct sap_stats *stats);

#endif
