/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

enum { PORT_MIN = 1024, COUNT_MAX = 1000000 };

static const double SECONDS_MAX = 1e6;

enum { LONG_ONLY = 256, APPROX, FORCE_PRECISE, TCP, NO_TOKEN, PORT, COUNT, PAUSE, TIMEOUT, JSON, COMPARE, VERSION };

static const struct option LONG[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "header", required_argument, NULL, 'H' },
	{ "silent", no_argument, NULL, 's' },
	{ "include", no_argument, NULL, 'i' },
	{ "head", no_argument, NULL, 'I' },
	{ "write-out", required_argument, NULL, 'w' },
	{ "parallel", no_argument, NULL, 'Z' },
	{ "max-time", required_argument, NULL, 'm' },
	{ "ipv6", no_argument, NULL, '6' },
	{ "help", no_argument, NULL, 'h' },
	{ "approx", required_argument, NULL, APPROX },
	{ "force-precise", no_argument, NULL, FORCE_PRECISE },
	{ "tcp", no_argument, NULL, TCP },
	{ "no-token", no_argument, NULL, NO_TOKEN },
	{ "port", required_argument, NULL, PORT },
	{ "count", required_argument, NULL, COUNT },
	{ "pause", required_argument, NULL, PAUSE },
	{ "timeout", required_argument, NULL, TIMEOUT },
	{ "json", no_argument, NULL, JSON },
	{ "compare", required_argument, NULL, COMPARE },
	{ "version", no_argument, NULL, VERSION },
	{ NULL, 0, NULL, 0 },
};

static const char HELP[] =
	"Usage: sap-get [options] URL...\n"
	"Fetches files over HTTP, and over SAP from servers with mod_sap.\n"
	"\n"
	"      --approx TYPES    types to accept with errors, e.g. image/jpeg,video/*\n"
	"      --force-precise   fetch all files over SAP, without errors\n"
	"      --tcp             never use SAP; overrides --approx and --force-precise\n"
	"      --port N          UDP-Lite port of the first request, N + 1 for the second, and so on\n"
	"                        (default: chosen by the kernel)\n"
	"      --no-token        accept whoever pings first; for servers that do not know X-SAP-Token\n"
	"  -o, --output FILE     write to FILE; give one per URL, in the same order (default: -, which is\n"
	"                        stdout)\n"
	"  -H, --header 'X: y'   add a header to the request\n"
	"  -i, --include         write the response headers too\n"
	"  -I, --head            request the headers only\n"
	"  -Z, --parallel        fetch all URLs at the same time\n"
	"      --count N         fetch everything N times\n"
	"      --pause S         seconds between the end of one request and the start of the next (default: 0)\n"
	"      --timeout S       give up after S seconds without data (default: 10)\n"
	"  -m, --max-time S      give up on a URL after S seconds in all\n"
	"  -w, --write-out TEXT  print TEXT after each request; %{bytes}, %{time_total_s} etc. stand for members\n"
	"                        of the --json object\n"
	"      --json            print a JSON object after each request\n"
	"      --compare FILE    count bits and bytes that differ from FILE\n"
	"  -6, --ipv6            use IPv6 only (default: IPv4 only, unless the URL has an IPv6 address)\n"
	"  -s, --silent          print no messages\n";

static bool wrong(const char *what, const char *value, const char *hint)
{
	fprintf(stderr, "sap-get: %s: \"%s\" %s\n", what, value, hint);
	return false;
}

static bool read_seconds(const char *name, const char *text, int64_t *ns)
{
	char *end;
	const double seconds = strtod(text, &end);

	if (end == text || *end || !isfinite(seconds) || seconds < 0 || seconds > SECONDS_MAX)
		return wrong(name, text, "is not a number of seconds from 0 to 1000000");
	*ns = llround(seconds * 1e9);
	return true;
}

static bool read_number(const char *name, const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
	char hint[80];

	if (word_number(text, least, most, number))
		return true;
	snprintf(hint, sizeof(hint), "is not a number from %" PRIu64 " to %" PRIu64, least, most);
	return wrong(name, text, hint);
}

static bool add_header(struct options *options, const char *text)
{
	struct curl_slist *longer;

	if (!strchr(text, ':') || strpbrk(text, "\r\n"))
		return wrong("--header", text, "is not a header; write 'Name: value'");
	longer = curl_slist_append(options->headers, text);
	if (longer)
		options->headers = longer;
	return longer != NULL;
}

static bool read_option(struct options *options, int option, unsigned int *outputs)
{
	uint64_t number;

	switch (option) {
	case 'o':
		options->outputs[(*outputs)++] = optarg;
		return true;
	case 'H':
		return add_header(options, optarg);
	case 's':
		options->silent = true;
		return true;
	case 'i':
		options->include = true;
		return true;
	case 'I':
		options->head = true;
		return true;
	case 'w':
		options->write_out = optarg;
		return true;
	case 'Z':
		options->parallel = true;
		return true;
	case 'm':
		return read_seconds("--max-time", optarg, &options->max_time_ns);
	case '6':
		options->ipv6 = true;
		return true;
	case APPROX:
		options->approx = optarg;
		return !strpbrk(optarg, "\r\n") || wrong("--approx", optarg, "is not a list of types");
	case FORCE_PRECISE:
		options->force_precise = true;
		return true;
	case TCP:
		options->tcp = true;
		return true;
	case NO_TOKEN:
		options->no_token = true;
		return true;
	case PORT:
		if (!read_number("--port", optarg, PORT_MIN, UINT16_MAX, &number))
			return false;
		options->port = (uint16_t)number;
		return true;
	case COUNT:
		if (!read_number("--count", optarg, 1, COUNT_MAX, &number))
			return false;
		options->count = (unsigned int)number;
		return true;
	case PAUSE:
		return read_seconds("--pause", optarg, &options->pause_ns);
	case TIMEOUT:
		return read_seconds("--timeout", optarg, &options->timeout_ns);
	case JSON:
		options->json = true;
		return true;
	case COMPARE:
		options->compare = optarg;
		return true;
	}
	return false;
}

static bool is_consistent(const struct options *options, unsigned int outputs)
{
	const unsigned long long ports = (unsigned long long)options->url_count * options->count;

	if (!options->url_count) {
		fprintf(stderr, "sap-get: no URL given; see sap-get --help\n");
		return false;
	}
	if (outputs > options->url_count) {
		fprintf(stderr, "sap-get: %u --output options for %u URLs\n", outputs, options->url_count);
		return false;
	}
	if (options->port && ports > UINT16_MAX + 1ull - options->port) {
		fprintf(stderr, "sap-get: --port %u: %llu requests need one port each, but the last port is 65535\n",
			(unsigned int)options->port, ports);
		return false;
	}
	return true;
}

enum options_verdict options_parse(struct options *options, int argc, char **argv)
{
	unsigned int outputs = 0;
	int option;

	*options = (struct options){ .count = 1, .timeout_ns = 10000000000 };
	options->outputs = calloc((size_t)argc, sizeof(*options->outputs));
	if (!options->outputs)
		return OPTIONS_WRONG;
	while ((option = getopt_long(argc, argv, "o:H:siIw:Zm:6h", LONG, NULL)) != -1) {
		switch (option) {
		case 'h':
			fputs(HELP, stdout);
			return OPTIONS_DONE;
		case VERSION:
			printf("sap-get, %s\n", curl_version());
			return OPTIONS_DONE;
		case '?':
			return OPTIONS_WRONG;
		}
		if (!read_option(options, option, &outputs))
			return OPTIONS_WRONG;
	}
	options->urls = argv + optind;
	options->url_count = (unsigned int)(argc - optind);
	return is_consistent(options, outputs) ? OPTIONS_RUN : OPTIONS_WRONG;
}

bool options_sap(const struct options *options)
{
	return !options->tcp && (options->approx || options->force_precise);
}

void options_free(struct options *options)
{
	curl_slist_free_all(options->headers);
	free(options->outputs);
}
