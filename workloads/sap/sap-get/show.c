/* SPDX-License-Identifier: MIT */
#include "show.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "report.h"

enum { VALUE_BYTES = 1024, FIELDS_MAX = 40 };

struct field {
	const char *name;
	bool is_text;
	char value[VALUE_BYTES]; /* as in JSON, but text without quotes and escapes; "": null */
};

struct fields {
	struct field field[FIELDS_MAX];
	unsigned int count;
};

static struct field *add(struct fields *fields, const char *name)
{
	struct field *const field = &fields->field[fields->count++];

	field->name = name;
	field->is_text = false;
	field->value[0] = '\0';
	return field;
}

static void add_text(struct fields *fields, const char *name, const char *text)
{
	struct field *const field = add(fields, name);

	field->is_text = true;
	snprintf(field->value, sizeof(field->value), "%s", text);
}

/* Negative numbers become null. */
static void add_number(struct fields *fields, const char *name, int64_t number)
{
	struct field *const field = add(fields, name);

	if (number >= 0)
		snprintf(field->value, sizeof(field->value), "%" PRId64, number);
}

/* Adds the time between two moments; null if one of them is unknown. */
static void add_seconds(struct fields *fields, const char *name, int64_t from_ns, int64_t to_ns)
{
	const int64_t ns = to_ns - from_ns;
	struct field *const field = add(fields, name);

	if (from_ns >= 0 && to_ns >= 0)
		snprintf(field->value, sizeof(field->value), "%s%" PRId64 ".%09" PRId64, ns < 0 ? "-" : "",
			 (ns < 0 ? -ns : ns) / 1000000000, (ns < 0 ? -ns : ns) % 1000000000);
}

static void add_moment(struct fields *fields, const char *name, int64_t ns)
{
	struct field *const field = add(fields, name);

	field->is_text = true; /* a JSON reader would round it to a double */
	snprintf(field->value, sizeof(field->value), "%" PRId64 ".%09" PRId64, ns / 1000000000, ns % 1000000000);
}

static const char *transport_name(enum transport transport)
{
	switch (transport) {
	case TRANSPORT_TCP:
		return "tcp";
	case TRANSPORT_SAP_APPROXIMATE:
		return "sap-approximate";
	case TRANSPORT_SAP_PRECISE:
		return "sap-precise";
	}
	return "";
}

static void collect(struct fields *fields, const struct result *result)
{
	const struct sap_stats *const stats = &result->stats;

	fields->count = 0;
	add_text(fields, "url", result->url);
	add_text(fields, "transport", transport_name(result->transport));
	add_number(fields, "http_code", result->http_code);
	add_number(fields, "exit_code", result->exit_code);
	add_text(fields, "error", result->error);
	add_text(fields, "refused", result->refused);
	add_text(fields, "content_type", result->content_type);
	add_number(fields, "port", result->port);
	add_number(fields, "length", result->length);
	add_number(fields, "bytes", result->bytes);
	add_number(fields, "datagrams", (int64_t)result->datagrams);
	add_number(fields, "datagrams_lost", (int64_t)result->datagrams_lost);
	add_number(fields, "datagrams_damaged", result->datagrams_damaged);
	add_number(fields, "bytes_damaged", result->bytes_damaged);
	add_number(fields, "wrong_bytes", result->wrong_bytes);
	add_number(fields, "wrong_bits", result->wrong_bits);
	add_moment(fields, "started", result->started_ns);
	add_seconds(fields, "time_connect_s", result->begin_ns, result->connected_ns);
	add_seconds(fields, "time_request_s", result->begin_ns, result->requested_ns);
	add_seconds(fields, "time_first_byte_s", result->requested_ns, result->first_ns);
	add_seconds(fields, "time_total_s", result->requested_ns, result->end_ns);
	add_number(fields, "sap_received", (int64_t)stats->received);
	add_number(fields, "sap_duplicates", (int64_t)stats->duplicates);
	add_number(fields, "sap_rejected", (int64_t)(stats->rejected_damaged + stats->rejected_foreign +
						     stats->rejected_senseless));
	add_number(fields, "sap_overruns", (int64_t)stats->overruns);
}

void show_json(FILE *to, const struct result *result)
{
	struct fields fields;
	struct report report;

	collect(&fields, result);
	report_begin(&report, to);
	for (unsigned int i = 0; i < fields.count; i++) {
		const struct field *const field = &fields.field[i];

		if (field->is_text)
			report_text(&report, field->name, field->value);
		else
			report_value(&report, field->name, field->value[0] ? field->value : "null");
	}
	report_end(&report);
}

static void put_value(FILE *to, const struct fields *fields, const char *name, size_t length)
{
	for (unsigned int i = 0; i < fields->count; i++) {
		if (strlen(fields->field[i].name) == length && memcmp(fields->field[i].name, name, length) == 0) {
			fputs(fields->field[i].value, to);
			return;
		}
	}
	fprintf(stderr, "sap-get: --write-out: unknown variable %%{%.*s}; --json shows all names\n", (int)length, name);
}

void show_format(FILE *to, const char *format, const struct result *result)
{
	struct fields fields;
	const char *end;

	collect(&fields, result);
	for (const char *c = format; *c; c++) {
		end = c[0] == '%' && c[1] == '{' ? strchr(c, '}') : NULL;
		if (end) {
			put_value(to, &fields, c + 2, (size_t)(end - c - 2));
			c = end;
		} else if (c[0] == '\\' && c[1] && strchr("nrt\\", c[1])) {
			c++;
			fputc(*c == 'n' ? '\n' : *c == 'r' ? '\r' : *c == 't' ? '\t' : '\\', to);
		} else {
			fputc(*c, to);
			c += c[0] == '%' && c[1] == '%';
		}
	}
	fflush(to);
}
