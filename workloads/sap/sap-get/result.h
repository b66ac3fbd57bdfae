/* SPDX-License-Identifier: MIT */
/* Result of one request. */
#ifndef SAP_GET_RESULT_H
#define SAP_GET_RESULT_H

#include <stdint.h>

#include "sap.h"

/* Exit statuses: those of curl where it has one (curl(1), libcurl-errors(3)), and some of our own. */
enum {
	EXIT_WRONG_USAGE = 2,
	EXIT_HTTP_ERROR = 22,	/* HTTP status 400 or above */
	EXIT_WRITE = 23,
	EXIT_TIMED_OUT = 28,
	EXIT_SAP_SOCKET = 100,	/* cannot listen, or the kernel has no UDP-Lite */
	EXIT_SAP_STRANGER = 101, /* the peer that connected is not the server */
	EXIT_SAP_PROTOCOL = 102, /* the received data does not match the announcement */
	EXIT_COMPARE = 103,	/* the file to compare with cannot be read */
};

enum transport { TRANSPORT_TCP, TRANSPORT_SAP_APPROXIMATE, TRANSPORT_SAP_PRECISE };

struct result {
	const char *url;
	int exit_code;		/* 0: success */
	char error[300];	/* "": none */
	enum transport transport;
	long http_code;		/* 0: no response */
	char content_type[128];	/* "": unknown */
	char refused[160];	/* why the server did not use SAP as requested; "": no reason given */
	uint16_t port;		/* where sap-get listened; 0: nowhere */
	int64_t length;		/* announced length of the file; -1: unknown */
	int64_t bytes;		/* received */
	uint64_t datagrams;	/* received, without duplicates */
	uint64_t datagrams_lost;
	/* within the received data; -1: not compared */
	int64_t datagrams_damaged; /* with at least one wrong bit */
	int64_t bytes_damaged;	/* all bytes of these */
	int64_t wrong_bytes;
	int64_t wrong_bits;
	int64_t started_ns;	/* CLOCK_REALTIME */
	/* CLOCK_MONOTONIC; -1: never */
	int64_t begin_ns;	/* start of the request */
	int64_t connected_ns;	/* TCP connected */
	int64_t requested_ns;	/* request sent */
	int64_t first_ns;	/* first bytes of the file received */
	int64_t end_ns;		/* SAP: FIN received; TCP: last byte received */
	struct sap_stats stats;
};

#endif
