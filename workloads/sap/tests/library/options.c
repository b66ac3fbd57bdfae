/* SPDX-License-Identifier: MIT */
/* Options of programs that know as many as the library, fewer, or more. */
#include <string.h>

#include "check.h"
#include "options.h"
#include "tests.h"

/* Of a later version: two members more. */
struct longer {
	struct sap_options known;
	uint64_t later, last;
};

static bool is_default(const struct sap_options *options)
{
	struct sap_options defaults;

	sap_options_init(&defaults);
	return memcmp(options, &defaults, sizeof(defaults)) == 0;
}

static void options_of_nobody(void)
{
	struct sap_options read;

	CHECK(sap_options_read(&read, NULL));
	CHECK(is_default(&read));
}

static void options_of_this_version(void)
{
	struct sap_options given, read;

	sap_options_init(&given);
	CHECK_EQUAL(given.size, sizeof(given));
	CHECK(is_default(&given));
	given.timeout_ms = 7;
	given.linger_ms = 8;
	CHECK(sap_options_read(&read, &given));
	CHECK(memcmp(&read, &given, sizeof(read)) == 0);
}

static void options_of_a_later_version(void)
{
	struct longer given;
	struct sap_options read;

	memset(&given, 0xa5, sizeof(given));
	sap_options_init_size(&given.known, sizeof(given));
	CHECK(!given.later && !given.last);
	given.known.window = 7;
	CHECK(sap_options_read(&read, &given.known));
	CHECK_EQUAL(read.window, 7);
	CHECK_EQUAL(read.size, sizeof(read));
	given.last = UINT64_C(1) << 56; /* the very last byte, or the first of the last eight */
	CHECK(!sap_options_read(&read, &given.known));
	given.last = 1;
	CHECK(!sap_options_read(&read, &given.known));
	given.last = 0;
	given.later = 1;
	CHECK(!sap_options_read(&read, &given.known));
	given.known.size = sizeof(given.known); /* what is behind them is not theirs */
	CHECK(sap_options_read(&read, &given.known));
}

static void options_of_an_earlier_version(void)
{
	struct sap_options given, read;

	memset(&given, 0xa5, sizeof(given)); /* what is behind them may be anything */
	sap_options_init_size(&given, offsetof(struct sap_options, peer));
	CHECK(given.token == UINT64_C(0xa5a5a5a5a5a5a5a5)); /* and stays the same */
	given.linger_ms = 7;
	CHECK(sap_options_read(&read, &given));
	CHECK_EQUAL(read.linger_ms, 7);
	CHECK(!read.peer && !read.token);
}

static void options_that_nobody_initialized(void)
{
	struct sap_options given, read;

	memset(&given, 0, sizeof(given));
	CHECK(!sap_options_read(&read, &given));
	given.size = offsetof(struct sap_options, linger_ms); /* before the first version */
	CHECK(!sap_options_read(&read, &given));
	given.size = offsetof(struct sap_options, peer) + 4; /* half of a pointer */
	CHECK(!sap_options_read(&read, &given));
	memset(&given, 0xa5, sizeof(given)); /* if it were believed, AddressSanitizer would see it */
	CHECK(!sap_options_read(&read, &given));
}

const struct test options_tests[] = {
	TEST(options_of_nobody),
	TEST(options_of_this_version),
	TEST(options_of_a_later_version),
	TEST(options_of_an_earlier_version),
	TEST(options_that_nobody_initialized),
	END_OF_TESTS,
};
