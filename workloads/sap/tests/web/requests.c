/* SPDX-License-Identifier: MIT */
/* Tests of the headers that ask for SAP. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../library/check.h"
#include "../library/table.h"
#include "request_headers.h"

static char *copies[200]; /* kept here, so that they do not count as leaks */
static unsigned int copy_count;

/* On the heap and without a 0 behind it, so that AddressSanitizer sees a read beyond the end. */
static struct sap_text text(const char *from)
{
	struct sap_text copy = { NULL, 0 };
	char *bytes;

	if (!from)
		return copy;
	copy.length = strlen(from);
	bytes = malloc(copy.length ? copy.length : 1);
	CHECK(bytes && copy_count < sizeof(copies) / sizeof(*copies));
	copies[copy_count++] = bytes;
	memcpy(bytes, from, copy.length);
	copy.bytes = bytes;
	return copy;
}

static enum sap_request_verdict parse_with_token(struct sap_request *request, const char *approx, const char *port,
						 const char *force, const char *token)
{
	const struct sap_request_headers headers = { text(approx), text(port), text(force), text(token) };

	return sap_request_parse(request, &headers);
}

static enum sap_request_verdict parse(struct sap_request *request, const char *approx, const char *port,
				      const char *force)
{
	return parse_with_token(request, approx, port, force, NULL);
}

static bool takes(const char *approx, const char *type)
{
	struct sap_request request;

	CHECK(parse(&request, approx, "5001", NULL) == SAP_REQUEST_GOOD);
	return sap_request_matches(&request, text(type));
}

static void without_headers_nothing_is_asked_for(void)
{
	struct sap_request request;

	CHECK(parse(&request, NULL, NULL, NULL) == SAP_REQUEST_NONE);
	CHECK(parse(&request, NULL, "5001", NULL) == SAP_REQUEST_NONE);
	CHECK(parse(&request, "", "5001", NULL) == SAP_REQUEST_NONE);
	CHECK(parse(&request, " , ,", "5001", "0") == SAP_REQUEST_NONE);
}

static void ports(void)
{
	static const char *const bad[] = { "0", "1", "22", "80", "1023", "65536", "99999", "100000", "-1", "+5001",
					   "5001x", "0x1389", "5001, 5002", "5 001", "4294972297", "\xff" };
	struct sap_request request;

	CHECK(parse(&request, "a/b", "1024", NULL) == SAP_REQUEST_GOOD && request.port == 1024);
	CHECK(parse(&request, "a/b", " 65535\t", NULL) == SAP_REQUEST_GOOD && request.port == 65535);
	CHECK(parse(&request, "a/b", NULL, NULL) == SAP_REQUEST_NO_PORT);
	CHECK(parse(&request, "a/b", "", NULL) == SAP_REQUEST_NO_PORT);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECK(parse(&request, "a/b", bad[i], NULL) == SAP_REQUEST_BAD_PORT);
}

static void types_match(void)
{
	CHECK(takes("image/jpeg", "image/jpeg"));
	CHECK(takes("IMAGE/jpeg", "image/JPEG; q=\"x\""));
	CHECK(!takes("image/jpeg", "image/jpe") && !takes("image/jpeg", "image/jpegs"));
	CHECK(takes("image/*", "image/png") && !takes("image/*", "video/png") && !takes("image/*", "imag/png"));
	CHECK(takes("*/*", "text/html; charset=utf-8"));
	CHECK(takes("text/css , video/mp4,,image/svg+xml", "image/svg+xml"));
	CHECK(!takes("text/css,video/mp4", "text/html"));
	CHECK(!takes("*/*", "nonsense") && !takes("*/*", "") && !takes("*/*", NULL) && !takes("*/*", "/"));
}

static void garbled_types(void)
{
	static const char *const bad[] = { "image", "/", "image/", "/jpeg", "*", "*/jpeg", "im*/jpeg", "image/jp*",
					   "image/**", "image/jpeg;q=1", "image/jpeg video/mp4", "image//jpeg",
					   "image/jpeg, \xc3\xa9/x", "a/b\x01", "a/\"b\"" };
	struct sap_request request;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECK(parse(&request, bad[i], "5001", NULL) == SAP_REQUEST_BAD_TYPES);
}

static void long_lists(void)
{
	char list[3 * SAP_REQUEST_LIST_BYTES_MAX] = "";
	struct sap_request request;

	for (unsigned int i = 0; i < SAP_REQUEST_TYPES_MAX; i++)
		strcat(list, "a/b,");
	CHECK(parse(&request, list, "5001", NULL) == SAP_REQUEST_GOOD && request.types == SAP_REQUEST_TYPES_MAX);
	strcat(list, "a/b");
	CHECK(parse(&request, list, "5001", NULL) == SAP_REQUEST_TOO_LONG);
	memset(list, ',', SAP_REQUEST_LIST_BYTES_MAX + 1);
	list[SAP_REQUEST_LIST_BYTES_MAX + 1] = '\0';
	CHECK(parse(&request, list, "5001", NULL) == SAP_REQUEST_TOO_LONG);
	list[SAP_REQUEST_LIST_BYTES_MAX] = '\0';
	CHECK(parse(&request, list, "5001", NULL) == SAP_REQUEST_NONE);
}

static void force_precise(void)
{
	struct sap_request request;

	CHECK(parse(&request, NULL, "5001", "1") == SAP_REQUEST_GOOD && request.force_precise && !request.types);
	CHECK(parse(&request, "a/b", "5001", " TRUE ") == SAP_REQUEST_GOOD && request.force_precise);
	CHECK(parse(&request, "a/b", "5001", "no") == SAP_REQUEST_GOOD && !request.force_precise);
	CHECK(parse(&request, "a/b", "5001", "2") == SAP_REQUEST_BAD_FORCE);
	CHECK(parse(&request, "a/b", "5001", "1, 1") == SAP_REQUEST_BAD_FORCE);
	CHECK(parse(&request, NULL, NULL, "1") == SAP_REQUEST_NO_PORT);
}

static void tokens(void)
{
	static const char *const bad[] = { "", "1", "0123456789abcde", "0123456789abcdef0", "0000000000000000",
					   "0x23456789abcdef", "0123456789abcdeg", "0123456789abcde ", "-123456789abcdef",
					   "0123456789abcdef, 0123456789abcdef", "01234567 9abcdef", "0123456789abcde\xff" };
	struct sap_request request;

	CHECK(parse(&request, "a/b", "5001", NULL) == SAP_REQUEST_GOOD && request.token == 0);
	CHECK(parse_with_token(&request, "a/b", "5001", NULL, " 0123456789abCDEF\t") == SAP_REQUEST_GOOD);
	CHECK(request.token == UINT64_C(0x0123456789abcdef));
	CHECK(parse_with_token(&request, NULL, "5001", "1", "0000000000000001") == SAP_REQUEST_GOOD);
	CHECK(request.token == 1);
	CHECK(parse_with_token(&request, NULL, "5001", NULL, "nonsense") == SAP_REQUEST_NONE);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECK(parse_with_token(&request, "a/b", "5001", NULL, bad[i]) == SAP_REQUEST_BAD_TOKEN);
}

static void every_verdict_has_a_reason(void)
{
	for (int verdict = SAP_REQUEST_NONE; verdict <= SAP_REQUEST_BAD_TOKEN; verdict++)
		CHECK(strcmp(sap_request_reason((enum sap_request_verdict)verdict), "unknown") != 0);
}

static const struct test requests_tests[] = {
	TEST(without_headers_nothing_is_asked_for),
	TEST(ports),
	TEST(types_match),
	TEST(garbled_types),
	TEST(long_lists),
	TEST(force_precise),
	TEST(tokens),
	TEST(every_verdict_has_a_reason),
	END_OF_TESTS
};

const struct test *const tables[] = { requests_tests, NULL };
