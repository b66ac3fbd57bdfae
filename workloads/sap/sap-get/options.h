/* SPDX-License-Identifier: MIT */
/* The command line of sap-get. */
#ifndef SAP_GET_OPTIONS_H
#define SAP_GET_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <curl/curl.h>

struct options {
	char **urls;		/* point into argv: not freed */
	char **outputs;		/* one for each URL; NULL: standard output */
	unsigned int url_count;
	struct curl_slist *headers;
	const char *approx;	/* NULL: none */
	const char *write_out;	/* NULL: none */
	const char *compare;	/* NULL: none */
	bool force_precise;
	bool tcp;		/* never use SAP */
	bool no_token;		/* let any host that pings first send */
	bool ipv6;
	bool silent;
	bool include;		/* write headers too */
	bool head;		/* request headers only */
	bool json;
	bool parallel;
	uint16_t port;		/* of the first request; 0: the kernel chooses */
	unsigned int count;	/* rounds of all URLs */
	int64_t pause_ns;	/* between requests */
	int64_t timeout_ns;	/* longest time without data */
	int64_t max_time_ns;	/* longest time for one URL; 0: no limit */
};

enum options_verdict { OPTIONS_RUN, OPTIONS_DONE, OPTIONS_WRONG };

/* Parses the command line; reports mistakes on stderr. OPTIONS_DONE: it was --help or --version. */
enum options_verdict options_parse(struct options *options, int argc, char **argv);

/* Whether requests ask for SAP. */
bool options_sap(const struct options *options);

void options_free(struct options *options);

#endif
