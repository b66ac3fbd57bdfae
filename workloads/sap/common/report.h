/* SPDX-License-Identifier: MIT */
/* A report as one JSON object on a line, written piece by piece; and the end of a program that cannot go on. */
#ifndef APPS_REPORT_H
#define APPS_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sap.h"

struct report {
	FILE *to;
	bool first; /* of the object that is open */
};

/* Opens the object. */
void report_begin(struct report *report, FILE *to);
/* Closes it and ends the line. */
void report_end(struct report *report);

/* An object inside, until report_leave(). */
void report_enter(struct report *report, const char *name);
void report_leave(struct report *report);

void report_text(struct report *report, const char *name, const char *text); /* text: ASCII without quotes */
void report_flag(struct report *report, const char *name, bool value);
void report_count(struct report *report, const char *name, uint64_t value);
/* 12 significant digits; null where the number is not finite, as a share of nothing is. */
void report_number(struct report *report, const char *name, double value);
void report_null(struct report *report, const char *name);
/* Counters of a socket: an object "sap". */
void report_sap(struct report *report, const struct sap_stats *stats);

/* Prints "program: what: why" and ends the program with status 1. error: of libsap; SAP_ERR_SYSTEM tells errno. */
_Noreturn void fail(const char *what, int error);
/* The same for errno. */
_Noreturn void fail_errno(const char *what);
/* fail() where error is one: below 0. */
void must(int error, const char *what);
/* A mistake of who called the program: prints the sentence and ends it with status 2. */
_Noreturn void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The program's name in messages. */
extern const char *program;

#endif
