/* SPDX-License-Identifier: MIT */
/*
 * The headers of requests to mod_sap, from any client: X-SAP-Approx, X-SAP-Port, X-SAP-Force-Precise; the type
 * of a file; X-SAP-Token. Five texts, cut at newlines; those that the input is too short for are missing.
 */
#include <string.h>

#include "../check.h"
#include "fuzz.h"
#include "request_headers.h"

enum { TEXTS = 5 };

/* A text has memory of its own, so that the sanitizer sees a read beyond it. */
static struct sap_text copy(const uint8_t *bytes, size_t length)
{
	char *const text = malloc(length ? length : 1);

	CHECK(text);
	memcpy(text, bytes, length);
	return (struct sap_text){ text, length };
}

static void check(const struct sap_request *request, const struct sap_request_headers *headers)
{
	const struct sap_text approx = headers->approx;

	CHECK((request->token != 0) == (headers->token.bytes != NULL));
	CHECK(request->port >= SAP_REQUEST_PORT_MIN && request->types <= SAP_REQUEST_TYPES_MAX);
	CHECK(request->types || request->force_precise);
	for (unsigned int i = 0; i < request->types; i++) { /* within the header */
		const struct sap_text type = request->type[i].type, subtype = request->type[i].subtype;

		CHECK(type.bytes >= approx.bytes && type.bytes + type.length < subtype.bytes);
		CHECK(subtype.bytes + subtype.length <= approx.bytes + approx.length);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct sap_text texts[TEXTS] = { 0 };
	struct sap_request_headers headers;
	struct sap_request request;
	size_t at = 0;

	for (unsigned int i = 0; i < TEXTS && at < length; i++) {
		const uint8_t *const end = memchr(bytes + at, '\n', length - at);

		texts[i] = copy(bytes + at, end ? (size_t)(end - bytes) - at : length - at);
		at += texts[i].length + 1;
	}
	headers = (struct sap_request_headers){ texts[0], texts[1], texts[2], texts[4] };
	if (sap_request_parse(&request, &headers) == SAP_REQUEST_GOOD) {
		check(&request, &headers);
		sap_request_matches(&request, texts[3]);
	}
	for (unsigned int i = 0; i < TEXTS; i++)
		free((char *)texts[i].bytes);
	return 0;
}
