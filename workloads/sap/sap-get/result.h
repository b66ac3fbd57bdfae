/* SPDX-License-Identifier: MIT */
/* What is known of one request when it is over. */
#ifndef SAP_GET_RESULT_H
#define SAP_GET_RESULT_H

#include <stdint.h>

#include "sap.h"

/* Exit statuses beside those of curl, which are used where curl has one: curl(1), libcurl-errors(3). */
enum {
	EXIT_WRONG_USAGE = 2,
	EXIT_HTTP_ERROR = 22,	/* the answer is 400 or above */
	EXIT_WRITE = 23,
	EXIT_TIMED_OUT = 28,
	EXIT_SAP_SOCKET = 100,	/* cannot listen, or the kernel has no UDP-Lite */
	EXIT_SAP_STRANGER = 101, /* somebody else than the server has connected */
	EXIT_SAP_PROTOCOL = 102, /* what came does not fit what was announced */
	EXIT_COMPARE = 103,	/* the file to compare with cannot be read */
};

enum transport { TRANSPORT_TCP, TRANSPORT_SAP_APPROXIMATE, TRANSPORT_SAP_PRECISE };

struct result {
	const char *url;
	int exit_code;		/* 0: well */
	char error[300];	/* "": none */
	enum transport transport;
	long http_code;		/* 0: no answer */
	char content_type[128];	/* "": not said */
	char refused[160];	/* why the server did not use SAP though it was asked to; "": not said */
	uint16_t port;		/* where it listened; 0: nowhere */
	int64_t length;		/* bytes of the file as announced; -1: not said */
	int64_t bytes;		/* that came */
	uint64_t datagrams;	/* that came with bytes of the file */
	uint64_t datagrams_lost;
	/* within what came; -1: not compared */
	int64_t datagrams_damaged; /* that have at least one wrong bit */
	int64_t bytes_damaged;	/* all bytes of those */
	int64_t wrong_bytes;
	int64_t wrong_bits;
	int64_t started_ns;	/* CLOCK_REALTIME */
	/* CLOCK_MONOTONIC; -1: never */
	int64_t begin_ns;	/* of all */
	int64_t connected_ns;	/* TCP's handshake done */
	int64_t requested_ns;	/* all of the request sent */
	int64_t first_ns;	/* first bytes of the file */
	int64_t end_ns;		/* SAP: FIN; TCP: the last byte */
	struct sap_stats stats;
};

#endif
