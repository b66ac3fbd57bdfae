// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit test of the generator behind lab.seed=.
 */

#include <kunit/test.h>
#include <linux/seeded_random.h>

#include "seeded_random.h"

static void seeded_random_known_answer(struct kunit *test)
{
	/*
	 * head -c 72 /dev/zero | openssl enc -chacha20 \
	 *	-K efcdab8967452301000000000000000000000000000000000000000000000000 \
	 *	-iv 00000000000000000000000001000000
	 */
	static const u8 expected[72] = {
		0xcf, 0xed, 0x91, 0x62, 0x07, 0x7c, 0x10, 0x5c, 0x79, 0xf5, 0x57, 0x69,
		0x1c, 0x40, 0xf8, 0x63, 0xe3, 0x65, 0x15, 0xa8, 0xbf, 0x2c, 0x94, 0x9f,
		0xa0, 0x73, 0x32, 0xc0, 0xb2, 0x8e, 0x4e, 0x7b, 0x63, 0x87, 0x25, 0x3e,
		0xde, 0x16, 0xd0, 0xc4, 0x06, 0x09, 0x6f, 0x91, 0x36, 0x46, 0x2c, 0xb1,
		0x12, 0xc2, 0x6b, 0x70, 0xb8, 0x5b, 0xef, 0x51, 0xdc, 0x8a, 0xbf, 0x17,
		0xe6, 0x10, 0x72, 0x1e, 0x63, 0x55, 0xf6, 0xdb, 0xa5, 0x75, 0x13, 0x6e,
	};
	struct seeded_stream stream;
	u8 got[sizeof(expected)];

	seeded_stream_start(&stream, 0x0123456789abcdefULL, 1, 0);
	seeded_stream_read(&stream, got, sizeof(got));
	KUNIT_EXPECT_MEMEQ(test, got, expected, sizeof(expected));
}

static void seeded_random_rfc8439(struct kunit *test)
{
	/* RFC 8439, appendix A.1, test vector 1: everything zero. */
	static const u8 expected[8] = { 0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90 };
	struct seeded_stream stream;
	u8 got[sizeof(expected)];

	seeded_stream_start(&stream, 0, 0, 0);
	seeded_stream_read(&stream, got, sizeof(got));
	KUNIT_EXPECT_MEMEQ(test, got, expected, sizeof(expected));
}

static void seeded_random_same_seed_same_bytes(struct kunit *test)
{
	struct seeded_stream one, other;
	u8 whole[200], parts[200];
	size_t at, step;

	seeded_stream_start(&one, 7, 0, 0);
	seeded_stream_start(&other, 7, 0, 0);
	seeded_stream_read(&one, whole, sizeof(whole));
	/* However many are drawn at a time: 1, 2, 3, ... bytes. */
	for (at = 0, step = 1; at < sizeof(parts); at += step, step++)
		seeded_stream_read(&other, parts + at, min(step, sizeof(parts) - at));
	KUNIT_EXPECT_MEMEQ(test, whole, parts, sizeof(whole));
}

static void seeded_random_streams_differ(struct kunit *test)
{
	struct seeded_stream arch, hwrng;
	u8 one[64], other[64];

	seeded_stream_start(&arch, 7, SEEDED_RANDOM_ARCH, 0);
	seeded_stream_start(&hwrng, 7, SEEDED_RANDOM_HWRNG, 0);
	seeded_stream_read(&arch, one, sizeof(one));
	seeded_stream_read(&hwrng, other, sizeof(other));
	KUNIT_EXPECT_MEMNEQ(test, one, other, sizeof(one));
}

static void seeded_random_phases_differ(struct kunit *test)
{
	struct seeded_stream start, programs;
	u8 one[64], other[64];

	seeded_stream_start(&start, 7, 0, SEEDED_PHASE_START);
	seeded_stream_start(&programs, 7, 0, SEEDED_PHASE_PROGRAMS);
	seeded_stream_read(&start, one, sizeof(one));
	seeded_stream_read(&programs, other, sizeof(other));
	KUNIT_EXPECT_MEMNEQ(test, one, other, sizeof(one));
}

static void seeded_random_seeds_differ(struct kunit *test)
{
	/* Seeds that differ in their lowest and in their highest bit only. */
	static const u64 seeds[] = { 0, 1, 1ULL << 63 };
	u8 got[ARRAY_SIZE(seeds)][64];
	struct seeded_stream stream;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		seeded_stream_start(&stream, seeds[i], 0, 0);
		seeded_stream_read(&stream, got[i], sizeof(got[i]));
	}
	KUNIT_EXPECT_MEMNEQ(test, got[0], got[1], sizeof(got[0]));
	KUNIT_EXPECT_MEMNEQ(test, got[0], got[2], sizeof(got[0]));
	KUNIT_EXPECT_MEMNEQ(test, got[1], got[2], sizeof(got[0]));
}

static void seeded_random_text(struct kunit *test)
{
	static const char * const bad[] = {
		"", "x", "-1", "+1", "1\n", "1 ", "0x", "18446744073709551616"
	};
	unsigned int i;
	u64 seed;

	KUNIT_EXPECT_EQ(test, seeded_random_parse("18446744073709551615", &seed), 0);
	KUNIT_EXPECT_EQ(test, seed, U64_MAX);
	KUNIT_EXPECT_EQ(test, seeded_random_parse("0xffffffffffffffff", &seed), 0);
	KUNIT_EXPECT_EQ(test, seed, U64_MAX);
	KUNIT_EXPECT_EQ(test, seeded_random_parse("010", &seed), 0);
	KUNIT_EXPECT_EQ(test, seed, 10);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_LT_MSG(test, seeded_random_parse(bad[i], &seed), 0, "\"%s\"", bad[i]);
}

static struct kunit_case seeded_random_cases[] = {
	KUNIT_CASE(seeded_random_known_answer),
	KUNIT_CASE(seeded_random_rfc8439),
	KUNIT_CASE(seeded_random_same_seed_same_bytes),
	KUNIT_CASE(seeded_random_streams_differ),
	KUNIT_CASE(seeded_random_phases_differ),
	KUNIT_CASE(seeded_random_seeds_differ),
	KUNIT_CASE(seeded_random_text),
	{}
};

static struct kunit_suite seeded_random_suite = {
	.name = "seeded-random",
	.test_cases = seeded_random_cases,
};

kunit_test_suite(seeded_random_suite);

MODULE_DESCRIPTION("KUnit test of the generator behind lab.seed=");
MODULE_LICENSE("GPL");
