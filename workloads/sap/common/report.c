/* SPDX-License-Identifier: MIT */
/* JSON reports. */
#include "report.h"

#include <inttypes.h>
#include <math.h>

static void key(struct report *report, const char *name)
{
	fprintf(report->to, "%s\"%s\": ", report->first ? "" : ", ", name);
	report->first = false;
}

/* Returns the length of the UTF-8 sequence that text starts with; 0: invalid. */
static size_t sequence(const unsigned char *text)
{
	const size_t length = text[0] < 0x80 ? 1 : text[0] >= 0xc2 && text[0] < 0xe0 ? 2 :
			      (text[0] & 0xf0) == 0xe0 ? 3 : text[0] >= 0xf0 && text[0] < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	}
	return length;
}

/* Prints a JSON string. Bytes that are not valid UTF-8 become U+FFFD. */
static void put_string(FILE *to, const char *text)
{
	const unsigned char *c = (const unsigned char *)text;
	size_t length;

	fputc('"', to);
	for (; *c; c += length) {
		length = sequence(c);
		if (!length) {
			fputs("\\ufffd", to);
			length = 1;
		} else if (*c == '"' || *c == '\\') {
			fprintf(to, "\\%c", *c);
		} else if (*c < 0x20 || *c == 0x7f) {
			fprintf(to, "\\u%04x", *c);
		} else {
			fwrite(c, 1, length, to);
		}
	}
	fputc('"', to);
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
	put_string(report->to, text);
}

void report_value(struct report *report, const char *name, const char *value)
{
	key(report, name);
	fputs(value, report->to);
}

void report_flag(struct report *report, const char *name, bool value)
{
	report_value(report, name, value ? "true" : "false");
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
	report_value(report, name, "null");
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
