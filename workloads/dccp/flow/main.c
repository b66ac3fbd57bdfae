/* SPDX-License-Identifier: MIT */
/* flow: sends and receives flows of TCP, UDP and DCCP, and prints what happened to them in one format. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "fail.h"
#include "flow.h"
#include "packet.h"

static const char USAGE[] =
	"usage: flow sink --protocol tcp|udp|dccp --port N [options]\n"
	"       flow send --protocol tcp|udp|dccp --to HOST --port N [options]\n"
	"Both print a JSON object on each line; t_s is the end of an interval, in seconds since 1970.\n"
	"  --every-ms N          length of an interval; default: 1000\n"
	"  --buffer-bytes N      SO_SNDBUF or SO_RCVBUF, which the kernel doubles\n"
	"  --service N           DCCP: service code, default: 1\n"
	"  --coverage N          DCCP: what the checksum covers (RFC 4340 9.2): 0 all, 1 the headers, 2 and 4 bytes more,\n"
	"                        …, 15 and 56 bytes; default: 0. The sink accepts no less than it says\n"
	"sink:\n"
	"  --bind HOST           default: any address of IPv4; ::, any of both\n"
	"  --compare             compare what arrives with what was sent, bit by bit\n"
	"send:\n"
	"  --duration-ms N       default: 10000\n"
	"  --packet-bytes N      of payload, 32 to 65000; default: 1424\n"
	"  --rate-bit-s N        of payload; default: as fast as the transport takes it\n"
	"  --per-packet-ns N     what a slow processor takes for each packet, and\n"
	"  --per-byte-ns N       for each byte; default: 0\n"
	"  --state-ms N          sample the state of congestion control; default: never\n"
	"  --congestion NAME     TCP: congestion control; default: the system's\n"
	"  --segment-bytes N     TCP: longest segment (TCP_MAXSEG); default: what the path allows\n"
	"  --ccid 2|3            DCCP: default: 2\n";

enum option_name {
	PROTOCOL = 1, TO, BIND, PORT, EVERY, BUFFER, SERVICE, COVERAGE, COMPARE, DURATION, PACKET, RATE, PER_PACKET,
	PER_BYTE, STATE, CONGESTION, SEGMENT, CCID, HELP
};

static const struct option SINK_OPTIONS[] = {
	{ "protocol", 1, NULL, PROTOCOL }, { "bind", 1, NULL, BIND },
	{ "port", 1, NULL, PORT }, { "every-ms", 1, NULL, EVERY },
	{ "buffer-bytes", 1, NULL, BUFFER }, { "service", 1, NULL, SERVICE },
	{ "coverage", 1, NULL, COVERAGE }, { "compare", 0, NULL, COMPARE },
	{ "help", 0, NULL, HELP }, { NULL, 0, NULL, 0 }
};

static const struct option SEND_OPTIONS[] = {
	{ "protocol", 1, NULL, PROTOCOL }, { "to", 1, NULL, TO },
	{ "port", 1, NULL, PORT }, { "every-ms", 1, NULL, EVERY },
	{ "buffer-bytes", 1, NULL, BUFFER }, { "service", 1, NULL, SERVICE },
	{ "coverage", 1, NULL, COVERAGE }, { "duration-ms", 1, NULL, DURATION },
	{ "packet-bytes", 1, NULL, PACKET }, { "rate-bit-s", 1, NULL, RATE },
	{ "per-packet-ns", 1, NULL, PER_PACKET }, { "per-byte-ns", 1, NULL, PER_BYTE },
	{ "state-ms", 1, NULL, STATE }, { "congestion", 1, NULL, CONGESTION },
	{ "segment-bytes", 1, NULL, SEGMENT }, { "ccid", 1, NULL, CCID },
	{ "help", 0, NULL, HELP }, { NULL, 0, NULL, 0 }
};

/* Options that only one protocol has. */
static const struct {
	enum option_name option;
	const char *name, *protocol;
} OWN[] = {
	{ CONGESTION, "congestion", "tcp" }, { SEGMENT, "segment-bytes", "tcp" },
	{ CCID, "ccid", "dccp" }, { SERVICE, "service", "dccp" }, { COVERAGE, "coverage", "dccp" }
};

/* All that can be set, by either subcommand. */
struct given {
	uint32_t options; /* a bit for each option_name */
	const struct protocol *protocol;
	struct settings settings;
	uint64_t every_ms, duration_ms, packet_bytes, rate_bit_s, per_packet_ns, per_byte_ns, state_ms;
	bool compare;
};

static uint64_t number(const char *option, const char *word, uint64_t least, uint64_t most)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(word, &end, 10);
	if (errno || *end || word[0] < '0' || word[0] > '9' || value < least || value > most)
		refuse("--%s %s: write a whole number from %llu to %llu", option, word, (unsigned long long)least,
		       (unsigned long long)most);
	return value;
}

static const struct protocol *protocol(const char *word)
{
	const struct protocol *found = protocol_named(word);

	if (!found)
		refuse("--protocol %s: write tcp, udp or dccp", word);
	return found;
}

static void set(struct given *given, int option, const char *name, const char *word)
{
	static const uint64_t MOST_MS = 1000000000, MOST_NS = 10 * SECOND_NS;

	switch ((enum option_name)option) {
	case PROTOCOL:
		given->protocol = protocol(word);
		break;
	case TO:
	case BIND:
		given->settings.host = word;
		break;
	case PORT:
		given->settings.port = (uint16_t)number(name, word, 1, 65535);
		break;
	case EVERY:
		given->every_ms = number(name, word, 1, MOST_MS);
		break;
	case BUFFER:
		given->settings.buffer_bytes = (int)number(name, word, 1, 1 << 30);
		break;
	case SERVICE:
		given->settings.service = (uint32_t)number(name, word, 0, UINT32_MAX - 1);
		break;
	case COVERAGE:
		given->settings.coverage = (int)number(name, word, 0, 15);
		break;
	case COMPARE:
		given->compare = true;
		break;
	case DURATION:
		given->duration_ms = number(name, word, 1, MOST_MS);
		break;
	case PACKET:
		given->packet_bytes = number(name, word, PACKET_HEADER_BYTES, PACKET_BYTES_MAX);
		break;
	case RATE:
		given->rate_bit_s = number(name, word, 1, 1000 * SECOND_NS);
		break;
	case PER_PACKET:
		given->per_packet_ns = number(name, word, 0, MOST_NS);
		break;
	case PER_BYTE:
		given->per_byte_ns = number(name, word, 0, MOST_NS / PACKET_BYTES_MAX);
		break;
	case STATE:
		given->state_ms = number(name, word, 1, MOST_MS);
		break;
	case CONGESTION:
		given->settings.congestion = word;
		break;
	case SEGMENT:
		given->settings.segment_bytes = (int)number(name, word, 88, PACKET_BYTES_MAX);
		break;
	case CCID:
		given->settings.ccid = (int)number(name, word, 2, 3);
		break;
	case HELP:
		fputs(USAGE, stdout);
		exit(0);
	}
}

static void parse(struct given *given, int argc, char **argv, const struct option *options)
{
	int option, which = 0;

	while ((option = getopt_long(argc, argv, "", options, &which)) > 0) {
		if (option == '?')
			exit(2); /* getopt_long() has said why */
		set(given, option, options[which].name, optarg);
		given->options |= UINT32_C(1) << option;
	}
	if (optind < argc)
		refuse("%s: unexpected; flow --help shows the options", argv[optind]);
	if (!given->protocol)
		refuse("--protocol is missing: tcp, udp or dccp");
	if (!given->settings.port)
		refuse("--port is missing");
	for (size_t i = 0; i < sizeof(OWN) / sizeof(OWN[0]); i++)
		if (given->options & UINT32_C(1) << OWN[i].option && strcmp(given->protocol->name, OWN[i].protocol))
			refuse("--%s: is for --protocol %s; remove it", OWN[i].name, OWN[i].protocol);
}

static int run_sink(const struct given *given)
{
	const struct sink_options options = { .protocol = given->protocol, .settings = given->settings,
					      .every_ns = given->every_ms * 1000000, .compare = given->compare };

	return sink_run(&options);
}

/* From one packet to the next, at least 1: 0 stands for as fast as possible. */
static uint64_t gap_ns(const struct given *given)
{
	const uint64_t gap = (8 * given->packet_bytes * SECOND_NS + given->rate_bit_s / 2) / given->rate_bit_s;

	return gap ? gap : 1;
}

static int run_send(const struct given *given)
{
	const struct send_options options = {
		.protocol = given->protocol, .settings = given->settings,
		.every_ns = given->every_ms * 1000000, .state_every_ns = given->state_ms * 1000000,
		.duration_ns = given->duration_ms * 1000000, .packet_bytes = (uint32_t)given->packet_bytes,
		.gap_ns = given->rate_bit_s ? gap_ns(given) : 0,
		.per_packet_ns = given->per_packet_ns, .per_byte_ns = given->per_byte_ns
	};

	if (!given->settings.host)
		refuse("--to is missing: the address of the sink");
	return send_run(&options);
}

int main(int argc, char **argv)
{
	struct given given = { .settings = { .ccid = 2, .service = 1 }, .every_ms = 1000, .duration_ms = 10000,
			       .packet_bytes = 1424 };
	const char *const verb = argc > 1 ? argv[1] : "";
	const bool sink = !strcmp(verb, "sink");
	int status;

	if (!strcmp(verb, "--help")) {
		fputs(USAGE, stdout);
		return 0;
	}
	if (!sink && strcmp(verb, "send")) {
		fputs(USAGE, stderr);
		return 2;
	}
	argv[1] = argv[0]; /* getopt_long() begins its messages with it */
	parse(&given, argc - 1, argv + 1, sink ? SINK_OPTIONS : SEND_OPTIONS);
	exact_timers();
	setvbuf(stdout, NULL, _IOLBF, 0); /* a process that is killed leaves whole lines */
	status = sink ? run_sink(&given) : run_send(&given);
	if (fflush(stdout) || ferror(stdout))
		fail_errno("standard output");
	return status;
}
