/* SPDX-License-Identifier: MIT */
/* Tests of how sap-get counts datagrams. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../library/check.h"
#include "../library/table.h"
#include "datagrams.h"

static struct datagrams datagrams;

static bool fit(uint64_t length, uint64_t lost)
{
	uint64_t found;

	return datagrams_fit(&datagrams, length, &found) && found == lost;
}

static void in_any_order(void)
{
	CHECK(fit(0, 0) && fit(1, 1) && fit(1024, 1) && fit(1025, 2));
	CHECK(datagrams_add(&datagrams, 2, 10) == DATAGRAMS_NEW);
	CHECK(datagrams_add(&datagrams, 0, 1024) == DATAGRAMS_NEW);
	CHECK(datagrams_add(&datagrams, 0, 1024) == DATAGRAMS_AGAIN);
	CHECK(datagrams.count == 2 && datagrams.bytes == 1034);
	CHECK(fit(2058, 1));
	CHECK(datagrams_add(&datagrams, 1, 1024) == DATAGRAMS_NEW);
	CHECK(fit(2058, 0));
}

static void of_another_file(void)
{
	CHECK(datagrams_add(&datagrams, 5, 100) == DATAGRAMS_NEW);
	CHECK(!fit(5 * 1024 + 99, 5)); /* shorter */
	CHECK(!fit(5 * 1024 + 101, 5)); /* the last one would be longer */
	CHECK(!fit(9000, 8)); /* it would not be the last one */
	CHECK(fit(5 * 1024 + 100, 5));
	CHECK(datagrams_add(&datagrams, 3, 7) == DATAGRAMS_NEW);
	CHECK(!fit(5 * 1024 + 100, 4)); /* two are short */
}

static void too_far(void)
{
	CHECK(datagrams_add(&datagrams, UINT32_MAX, 1024) == DATAGRAMS_TOO_FAR);
	CHECK(datagrams_add(&datagrams, 0, 1025) == DATAGRAMS_TOO_FAR);
	CHECK(datagrams_add(&datagrams, (1u << 22) - 1, 1024) == DATAGRAMS_NEW);
	CHECK(datagrams_add(&datagrams, 1u << 22, 1) == DATAGRAMS_TOO_FAR);
	CHECK(datagrams.count == 1);
}

/* Ours lacks the second datagram and has three wrong bits in two bytes of the third. */
static void differences(void)
{
	static uint8_t bytes[2500];
	struct differences found;
	char path[] = "/tmp/datagrams-XXXXXX";
	const int ours = memfd_create("ours", 0), theirs = mkstemp(path);

	CHECK(ours >= 0 && theirs >= 0);
	memset(bytes, 0x55, sizeof(bytes));
	CHECK(write(theirs, bytes, sizeof(bytes)) == sizeof(bytes));
	memset(bytes + 1024, 0, 1024);
	bytes[2100] ^= 0x81;
	bytes[2499] ^= 0x10;
	CHECK(write(ours, bytes, sizeof(bytes)) == sizeof(bytes));
	CHECK(datagrams_add(&datagrams, 0, 1024) == DATAGRAMS_NEW && datagrams_add(&datagrams, 2, 452) == DATAGRAMS_NEW);
	CHECK(datagrams_compare(&datagrams, ours, path, sizeof(bytes), &found) == 0);
	CHECK(found.bytes == 2 && found.bits == 3 && found.datagrams == 1 && found.datagram_bytes == 452);
	CHECK(datagrams_compare(&datagrams, ours, path, sizeof(bytes) - 1, &found) == -1 && errno == 0);
	CHECK(ftruncate(theirs, 2400) == 0);
	CHECK(datagrams_compare(&datagrams, ours, path, sizeof(bytes), &found) == -1 && errno == 0);
	CHECK(unlink(path) == 0);
	CHECK(datagrams_compare(&datagrams, ours, path, sizeof(bytes), &found) == -1 && errno == ENOENT);
	close(ours);
	close(theirs);
}

static const struct test datagrams_tests[] = {
	TEST(in_any_order),
	TEST(of_another_file),
	TEST(too_far),
	TEST(differences),
	END_OF_TESTS
};

const struct test *const tables[] = { datagrams_tests, NULL };
