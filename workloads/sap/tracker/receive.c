/* SPDX-License-Identifier: MIT */
/* sap-tracker receive: receives one trace. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "arrivals.h"
#include "carrier.h"
#include "command.h"
#include "errors.h"
#include "tracker.h"

struct receiving {
	const char *at;
	uint16_t port;
	bool tcp, json;
	enum track_gaps gaps;
	uint64_t idle_ns;

	struct opening opening;
	bool opened, complete;
	struct track track;
	struct arrivals arrivals;
	uint64_t start_ns, end_ns; /* arrival of the opening, and of the end or the last point */
};

enum { PORT = 1, TCP, JSON, GAPS, BIND, IDLE };

static const struct option OPTIONS[] = {
	{ "port", 1, NULL, PORT }, { "tcp", 0, NULL, TCP }, { "json", 0, NULL, JSON }, { "gaps", 1, NULL, GAPS },
	{ "bind", 1, NULL, BIND }, { "idle", 1, NULL, IDLE }, { NULL, 0, NULL, 0 }
};

static void set_option(void *context, int option, const char *value)
{
	struct receiving *const receiving = context;

	switch (option) {
	case PORT:
		receiving->port = option_port("port", value);
		break;
	case TCP:
		receiving->tcp = true;
		break;
	case JSON:
		receiving->json = true;
		break;
	case GAPS:
		receiving->gaps = option_choice("gaps", value, "ignored", "counted") ? TRACK_IGNORE_GAPS : TRACK_COUNT_GAPS;
		break;
	case BIND:
		receiving->at = value;
		break;
	case IDLE:
		receiving->idle_ns = option_duration("idle", value);
		break;
	}
}

static enum event run(struct receiving *receiving, const struct carrier_kind *kind, struct carrier *carrier)
{
	struct arrival arrival;
	enum event event;

	for (;;) {
		event = kind->next(carrier, &receiving->opening, &arrival, receiving->opened ? receiving->idle_ns : 0);
		switch (event) {
		case EVENT_OPENING:
			receiving->opened = true;
			receiving->start_ns = receiving->end_ns = now_ns();
			track_init(&receiving->track, (double)receiving->opening.interval_ns / 1e9, receiving->gaps);
			break;
		case EVENT_POINT:
			if (arrival.number >= receiving->opening.points)
				break; /* our sender never does this */
			receiving->end_ns = now_ns();
			arrivals_add(&receiving->arrivals, receiving->end_ns);
			track_update(&receiving->track, arrival.number, &arrival.point);
			break;
		case EVENT_END:
			receiving->complete = receiving->opened;
			receiving->end_ns = now_ns();
			return event;
		default:
			return event;
		}
	}
}

static uint64_t discarded(const struct track *track)
{
	return track->discarded_place + track->discarded_speed + track->discarded_stale;
}

static double average_m_s(const struct track *track)
{
	return track->intervals ? track->average_m_s : NAN;
}

static void print_json(const struct receiving *receiving, const struct carrier_kind *kind, const struct carrier *carrier)
{
	const struct track *track = &receiving->track;
	struct report report;

	report_begin(&report, stdout);
	report_text(&report, "role", "receiver");
	report_text(&report, "transport", kind->name);
	report_text(&report, "gaps", receiving->gaps == TRACK_COUNT_GAPS ? "counted" : "ignored");
	report_flag(&report, "complete", receiving->complete);
	report_enter(&report, "points");
	report_count(&report, "expected", receiving->opening.points);
	report_count(&report, "arrived", receiving->arrivals.count);
	report_count(&report, "lost", receiving->opening.points - receiving->arrivals.count);
	report_count(&report, "discarded", discarded(track));
	report_leave(&report);
	report_enter(&report, "discarded");
	report_count(&report, "place", track->discarded_place);
	report_count(&report, "speed", track->discarded_speed);
	report_count(&report, "stale", track->discarded_stale);
	report_leave(&report);
	report_number(&report, "speed_m_s", average_m_s(track));
	report_number(&report, "distance_m", track->distance_m);
	report_count(&report, "elapsed_ns", receiving->end_ns - receiving->start_ns);
	arrivals_report(&receiving->arrivals, &report);
	if (kind->report)
		kind->report(carrier, &report);
	report_end(&report);
}

static void print_text(const struct receiving *receiving)
{
	const struct track *track = &receiving->track;

	printf("%llu points expected, %zu arrived, %llu discarded\n", (unsigned long long)receiving->opening.points,
	       receiving->arrivals.count, (unsigned long long)discarded(track));
	printf("mean speed %.4f m/s over %.1f m\n", average_m_s(track), track->distance_m);
}

static const char *reason(enum event event)
{
	return event == EVENT_IDLE ? "no more data" : "the connection was lost";
}

int verb_receive(int argc, char **argv)
{
	struct receiving receiving = { .at = "0.0.0.0", .idle_ns = IDLE_NS };
	const struct carrier_kind *kind;
	struct carrier *carrier;
	struct address at;
	enum event ended;

	command_options(argc, argv, OPTIONS, set_option, &receiving);
	if (!receiving.port)
		refuse("--port N is required: the port to listen on");
	kind = receiving.tcp ? &carrier_tcp : &carrier_sap;
	at = address_of(receiving.at, receiving.port);
	stop_on_signals();
	carrier = kind->listen(&at);
	ended = run(&receiving, kind, carrier);
	if (!receiving.opened) {
		kind->close(carrier);
		fprintf(stderr, "%s: no trace was received\n", program);
		return 1;
	}
	if (receiving.json)
		print_json(&receiving, kind, carrier);
	else
		print_text(&receiving);
	fflush(stdout);
	kind->close(carrier);
	arrivals_free(&receiving.arrivals);
	if (receiving.complete || ended == EVENT_STOPPED)
		return 0;
	fprintf(stderr, "%s: the trace is incomplete: %s\n", program, reason(ended));
	return 1;
}
