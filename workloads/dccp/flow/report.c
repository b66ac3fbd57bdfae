/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <inttypes.h>

#include "tally.h"

static const uint64_t SECOND_NS = 1000000000;

void report_begin(FILE *to, const char *kind, uint64_t t_ns)
{
	fprintf(to, "{\"kind\": \"%s\"", kind);
	report_time(to, "t_s", t_ns);
}

void report_end(FILE *to)
{
	fputs("}\n", to);
}

void report_text(FILE *to, const char *name, const char *text)
{
	fprintf(to, ", \"%s\": \"%s\"", name, text);
}

void report_count(FILE *to, const char *name, uint64_t value)
{
	fprintf(to, ", \"%s\": %" PRIu64, name, value);
}

void report_number(FILE *to, const char *name, int64_t value)
{
	fprintf(to, ", \"%s\": %" PRId64, name, value);
}

void report_real(FILE *to, const char *name, double value)
{
	fprintf(to, ", \"%s\": %.9g", name, value);
}

void report_time(FILE *to, const char *name, uint64_t t_ns)
{
	fprintf(to, ", \"%s\": \"%" PRIu64 ".%09" PRIu64 "\"", name, t_ns / SECOND_NS, t_ns % SECOND_NS);
}

void report_counts(FILE *to, const struct counts *counts)
{
	report_count(to, "packets", counts->packets);
	report_count(to, "bytes", counts->bytes);
	report_number(to, "lost", counts->lost);
	report_count(to, "out_of_order", counts->out_of_order);
	report_count(to, "duplicates", counts->duplicates);
	report_count(to, "damaged", counts->damaged);
	report_count(to, "wrong_bits", counts->wrong_bits);
}

static void nothing(FILE *to, const char *name)
{
	fprintf(to, ", \"%s\": null", name);
}

static void mean(FILE *to, const char *name, double sum, uint64_t count)
{
	if (count)
		report_real(to, name, sum / (double)count);
	else
		nothing(to, name);
}

static void extreme(FILE *to, const char *name, int64_t value, uint64_t count)
{
	if (count)
		report_number(to, name, value);
	else
		nothing(to, name);
}

void report_delays(FILE *to, const struct delays *delays, double jitter_ns)
{
	mean(to, "delay_mean_ns", delays->sum_ns, delays->count);
	extreme(to, "delay_min_ns", delays->min_ns, delays->count);
	extreme(to, "delay_max_ns", delays->max_ns, delays->count);
	mean(to, "delay_change_ns", delays->change_sum_ns, delays->changes);
	report_real(to, "jitter_ns", jitter_ns);
}
