/* SPDX-License-Identifier: MIT */
/* sap-tracker send, average. */
#include <stdio.h>
#include <stdlib.h>

#include "carrier.h"
#include "command.h"
#include "errors.h"
#include "trace.h"
#include "tracker.h"

struct sending {
	const char *to, *trace;
	uint16_t port;
	bool approximate, mode_given, tcp, json;
	uint64_t every_ns; /* 0: interval of the trace */
	uint64_t count;	   /* 0: all */
	uint32_t give_up_ms;
};

enum { TO = 1, PORT, TRACE, MODE, TCP, EVERY, COUNT, GIVE_UP, JSON };

static const struct option OPTIONS[] = {
	{ "to", 1, NULL, TO }, { "port", 1, NULL, PORT }, { "trace", 1, NULL, TRACE }, { "mode", 1, NULL, MODE },
	{ "tcp", 0, NULL, TCP }, { "every", 1, NULL, EVERY }, { "count", 1, NULL, COUNT },
	{ "give-up", 1, NULL, GIVE_UP }, { "json", 0, NULL, JSON }, { NULL, 0, NULL, 0 }
};

static void set_option(void *context, int option, const char *value)
{
	struct sending *const sending = context;

	switch (option) {
	case TO:
		sending->to = value;
		break;
	case PORT:
		sending->port = option_port("port", value);
		break;
	case TRACE:
		sending->trace = value;
		break;
	case MODE:
		sending->approximate = !option_choice("mode", value, "precise", "approximate");
		sending->mode_given = true;
		break;
	case TCP:
		sending->tcp = true;
		break;
	case EVERY:
		sending->every_ns = option_duration("every", value);
		break;
	case COUNT:
		sending->count = option_number("count", value, 2, UINT32_MAX);
		break;
	case GIVE_UP:
		sending->give_up_ms = option_duration_ms("give-up", value);
		break;
	case JSON:
		sending->json = true;
		break;
	}
}

static struct sending parse(int argc, char **argv)
{
	struct sending sending = { .approximate = true, .give_up_ms = 10000 };

	command_options(argc, argv, OPTIONS, set_option, &sending);
	if (!sending.trace)
		refuse("--trace CSV is required: the points to send");
	return sending;
}

/* The reference: the result of a receiver that gets all points unchanged. */
static struct track reference(const struct trace *trace, size_t count)
{
	struct track track;

	track_init(&track, (double)trace->interval_ns / 1e9, TRACK_COUNT_GAPS);
	for (size_t i = 0; i < count; i++)
		track_update(&track, i, &trace->points[i]);
	return track;
}

static void print_report(const struct sending *sending, const struct carrier_kind *kind, const struct carrier *carrier,
		 const struct trace *trace, size_t count, uint64_t elapsed_ns)
{
	const char *mode = sending->approximate && !sending->tcp ? "approximate" : "precise";
	struct report report;

	if (!sending->json) {
		printf("%zu points over %s, %s, in %.3f s\n", count, kind->name, mode,
		       (double)elapsed_ns / (double)SAP_NS_PER_S);
		return;
	}
	report_begin(&report, stdout);
	report_text(&report, "role", "sender");
	report_text(&report, "transport", kind->name);
	report_text(&report, "mode", mode);
	report_count(&report, "points", count);
	report_number(&report, "speed_m_s", reference(trace, count).average_m_s);
	report_count(&report, "elapsed_ns", elapsed_ns);
	if (kind->report)
		kind->report(carrier, &report);
	report_end(&report);
}

static void send_points(const struct carrier_kind *kind, struct carrier *carrier, const struct trace *trace,
			size_t count, uint64_t every_ns)
{
	uint64_t start_ns = now_ns(), settled_ns;

	kind->send_point(carrier, &trace->points[0], start_ns);
	kind->settle(carrier);
	settled_ns = now_ns();
	if (settled_ns > start_ns + every_ns)
		start_ns = settled_ns - every_ns; /* keep the interval from here on; do not catch up */
	for (size_t i = 1; i < count; i++)
		kind->send_point(carrier, &trace->points[i], start_ns + i * every_ns);
}

int verb_send(int argc, char **argv)
{
	const struct sending sending = parse(argc, argv);
	const struct carrier_kind *kind = sending.tcp ? &carrier_tcp : &carrier_sap;
	struct trace trace = trace_load(sending.trace);
	const size_t count = sending.count && sending.count < trace.count ? (size_t)sending.count : trace.count;
	const struct opening opening = { (uint32_t)count, trace.interval_ns };
	struct carrier *carrier;
	struct address to;
	uint64_t every_ns, start_ns;

	if (!sending.to || !sending.port)
		refuse("--to HOST and --port N are required: where to send");
	if (sending.tcp && sending.mode_given && sending.approximate)
		refuse("--tcp --mode approximate: TCP is always precise; remove one of the two");
	every_ns = sending.every_ns ? sending.every_ns : trace.interval_ns;
	to = address_of(sending.to, sending.port);
	carrier = kind->connect(&to, sending.approximate, sending.give_up_ms);
	kind->send_opening(carrier, &opening);
	start_ns = now_ns();
	send_points(kind, carrier, &trace, count, every_ns);
	kind->finish(carrier);
	print_report(&sending, kind, carrier, &trace, count, now_ns() - start_ns);
	kind->close(carrier);
	trace_free(&trace);
	return 0;
}

int verb_average(int argc, char **argv)
{
	const struct sending sending = parse(argc, argv);
	struct trace trace = trace_load(sending.trace);
	const struct track track = reference(&trace, trace.count);

	printf("%zu points, %.1f m, mean speed %.9f m/s, %llu points discarded\n", trace.count, track.distance_m,
	       track.average_m_s, (unsigned long long)(trace.count - track.taken));
	trace_free(&trace);
	return 0;
}
