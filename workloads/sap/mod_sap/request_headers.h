/* SPDX-License-Identifier: MIT */
/*
 * Parses the request headers of a client that supports SAP:
 *
 *	X-SAP-Approx: image/jpeg, text/plain	types it accepts with errors; a star matches any subtype or type
 *	X-SAP-Port: 5001			the UDP-Lite port it listens on
 *	X-SAP-Force-Precise: 1			send all files over SAP, without errors
 *	X-SAP-Token: 00c0ffee00c0ffee		by which it recognizes the server; 16 hexadecimal digits
 *
 * Does not depend on sockets or the server and allocates no memory, for tests and fuzzers.
 */
#ifndef MOD_SAP_REQUEST_HEADERS_H
#define MOD_SAP_REQUEST_HEADERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits of X-SAP-Approx, far above what a browser needs: longer lists are a mistake or an attack. */
#define SAP_REQUEST_TYPES_MAX 64
#define SAP_REQUEST_LIST_BYTES_MAX 4096

/* Lower ports are reserved for system services: clients must not be able to make the server send there. */
#define SAP_REQUEST_PORT_MIN 1024

enum sap_request_verdict {
	SAP_REQUEST_NONE,	/* SAP was not requested */
	SAP_REQUEST_GOOD,
	SAP_REQUEST_BAD_PORT,	/* X-SAP-Port is not a decimal number from 1024 to 65535 */
	SAP_REQUEST_NO_PORT,	/* X-SAP-Port is missing */
	SAP_REQUEST_BAD_TYPES,	/* X-SAP-Approx is not a list of types */
	SAP_REQUEST_TOO_LONG,	/* X-SAP-Approx has too many types or bytes */
	SAP_REQUEST_BAD_FORCE,	/* X-SAP-Force-Precise is neither yes nor no */
	SAP_REQUEST_BAD_TOKEN,	/* X-SAP-Token is not 16 hexadecimal digits, or all are 0 */
};

/* Part of a header, not null-terminated. bytes is NULL if there is no such header. */
struct sap_text {
	const char *bytes;
	size_t length;
};

/* The headers. */
struct sap_request_headers {
	struct sap_text approx, port, force_precise, token;
};

/* A media type. The subtype has length 0 if any subtype matches; both have length 0 if any type matches. */
struct sap_type {
	struct sap_text type, subtype;
};

/* The parsed request; it points into the headers. */
struct sap_request {
	uint16_t port;
	bool force_precise;
	uint64_t token; /* 0: none */
	unsigned int types;
	struct sap_type type[SAP_REQUEST_TYPES_MAX];
};

/*
 * Parses the headers. *request is valid only if the result is SAP_REQUEST_GOOD.
 *
 * Repeated headers must be combined into one, joined by commas (RFC 9110, 5.3).
 */
enum sap_request_verdict sap_request_parse(struct sap_request *request, const struct sap_request_headers *headers);

/* Whether the client accepts this type with errors. Parameters are ignored: "image/jpeg; charset=x" is image/jpeg. */
bool sap_request_matches(const struct sap_request *request, struct sap_text content_type);

/* Describes a verdict, for a response header. Returns a static string. */
const char *sap_request_reason(enum sap_request_verdict verdict);

#endif
