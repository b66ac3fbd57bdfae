/* SPDX-License-Identifier: MIT */
/* JSON reports and error messages. */
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *program = "sap";

static void key(struct report *report, const char *name)
{
	fprintf(report->to, "%s\"%s\": ", report->first ? "" : ", ", name);
	report->first = false;
}

void report_begin(struct report *report, FILE *to)
{
	report->to = to;
	report->first = true;
	fputc('{', to);
}

void report_end(struct report *report)
{
	fputs("}\n", report->to);
	fflush(report->to);
}

void report_enter(struct report *report, const char *name)
{
	key(report, name);
	fputc('{', report->to);
	report->first = true;
}

void report_leave(struct report *report)
{
	fputc('}', report->to);
	report->first = false;
}

void report_text(struct report *report, const char *name, const char *text)
{
	key(report, name);
	fprintf(report->to, "\"%s\"", text);
}

void report_flag(struct report *report, const char *name, bool value)
{
	key(report, name);
	fputs(value ? "true" : "false", report->to);
}

void report_count(struct report *report, const char *name, uint64_t value)
{
	key(report, name);
	fprintf(report->to, "%" PRIu64, value);
}

void report_number(struct report *report, const char *name, double value)
{
	if (!isfinite(value)) {
		report_null(report, name);
		return;
	}
	key(report, name);
	fprintf(report->to, "%.12g", value);
}

void report_null(struct report *report, const char *name)
{
	key(report, name);
	fputs("null", report->to);
}

void report_sap(struct report *report, const struct sap_stats *stats)
{
	report_enter(report, "sap");
	report_count(report, "sent", stats->sent);
	report_count(report, "retransmitted", stats->retransmitted);
	report_count(report, "timeouts", stats->timeouts);
	report_count(report, "received", stats->received);
	report_count(report, "duplicates", stats->duplicates);
	report_count(report, "late", stats->late);
	report_count(report, "overruns", stats->overruns);
	report_count(report, "rejected_damaged", stats->rejected_damaged);
	report_leave(report);
}

void fail(const char *what, int error)
{
	const char *why = error == SAP_ERR_SYSTEM ? strerror(errno) : sap_strerror(error);

	fprintf(stderr, "%s: %s: %s\n", program, what, why);
	exit(1);
}

void must(int error, const char *what)
{
	if (error < 0)
		fail(what, error);
}

void fail_errno(const char *what)
{
	fail(what, SAP_ERR_SYSTEM);
}

void refuse(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: ", program);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(2);
}
