/* SPDX-License-Identifier: MIT */
/*
 * What a client asks for in its headers:
 *
 *	X-SAP-Approx: image/jpeg, text/plain	types that it takes with errors; a star stands for any subtype, or any type
 *	X-SAP-Port: 5001			the UDP-Lite port where it listens
 *	X-SAP-Force-Precise: 1			all files by SAP, and without errors
 *
 * No sockets, no server, no memory of its own: for tests and fuzzers.
 */
#ifndef MOD_SAP_REQUEST_HEADERS_H
#define MOD_SAP_REQUEST_HEADERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A list of more types than a browser has, and longer than it needs, is a mistake or an attack. */
#define SAP_REQUEST_TYPES_MAX 64
#define SAP_REQUEST_LIST_BYTES_MAX 4096

/* Ports below are for the system's services: nobody unprivileged listens there, and a server must not be told to write there. */
#define SAP_REQUEST_PORT_MIN 1024

enum sap_request_verdict {
	SAP_REQUEST_NONE,	/* it does not ask for SAP */
	SAP_REQUEST_GOOD,
	SAP_REQUEST_BAD_PORT,	/* X-SAP-Port is no decimal number from 1024 to 65535 */
	SAP_REQUEST_NO_PORT,	/* X-SAP-Port is missing */
	SAP_REQUEST_BAD_TYPES,	/* X-SAP-Approx is no list of types */
	SAP_REQUEST_TOO_LONG,	/* X-SAP-Approx has too many types, or too many bytes */
	SAP_REQUEST_BAD_FORCE,	/* X-SAP-Force-Precise is neither yes nor no */
};

/* A piece of a header; NULL: there is no such header. Not terminated by 0. */
struct sap_text {
	const char *bytes;
	size_t length;
};

/* Type and subtype; the latter has length 0 for "any". Both for "any type". */
struct sap_type {
	struct sap_text type, subtype;
};

/* Points into the headers that it was parsed from. */
struct sap_request {
	uint16_t port;
	bool force_precise;
	unsigned int types;
	struct sap_type type[SAP_REQUEST_TYPES_MAX];
};

/*
 * Reads the three headers. *request is meaningful if the verdict is SAP_REQUEST_GOOD.
 *
 * A header that is there several times is expected to come as HTTP has it, joined by commas.
 */
enum sap_request_verdict sap_request_parse(struct sap_request *request, struct sap_text approx, struct sap_text port,
					   struct sap_text force_precise);

/* Whether a file of that type may go approximately: "image/jpeg; charset=x" counts as image/jpeg. */
bool sap_request_matches(const struct sap_request *request, struct sap_text content_type);

/* A few words for a verdict, for a header of the answer. Static. */
const char *sap_request_reason(enum sap_request_verdict verdict);

#endif
