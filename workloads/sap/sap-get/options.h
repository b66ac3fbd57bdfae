/* SPDX-License-Identifier: MIT */
/* The command line of sap-get. */
#ifndef SAP_GET_OPTIONS_H
#define SAP_GET_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <curl/curl.h>

struct options {
	char **urls;		/* those of argv, so they need not be freed */
	char **outputs;		/* of each URL; NULL: standard output */
	unsigned int url_count;
	struct curl_slist *headers;
	const char *approx;	/* NULL: none */
	const char *write_out;	/* NULL: none */
	const char *compare;	/* NULL: none */
	bool force_precise;
	bool tcp;		/* no SAP at all */
	bool ipv6;
	bool silent;
	bool include;		/* headers too */
	bool head;		/* headers only */
	bool json;
	bool parallel;
	uint16_t port;		/* of the first request; 0: the kernel chooses */
	unsigned int count;	/* rounds */
	int64_t pause_ns;	/* between them */
	int64_t timeout_ns;	/* nothing comes for so long */
	int64_t max_time_ns;	/* all of one URL; 0: no limit */
};

enum options_verdict { OPTIONS_RUN, OPTIONS_DONE, OPTIONS_WRONG };

/* Reads the command line; tells of mistakes on stderr. OPTIONS_DONE: it was --help or --version. */
enum options_verdict options_parse(struct options *options, int argc, char **argv);

/* Whether a request asks for SAP. */
bool options_sap(const struct options *options);

void options_free(struct options *options);

#endif
