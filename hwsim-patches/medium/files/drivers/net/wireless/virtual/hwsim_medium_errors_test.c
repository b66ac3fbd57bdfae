// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the hwsim medium's arithmetic, random streams and bit errors.
 *
 * Means are compared within five standard deviations; streams are seeded, so
 * results are reproducible.
 */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/math64.h>
#include "hwsim_medium_errors.h"

#define LN2_Q56			49946518145322873ULL
#define HAZARD_OF_1E_3		1153498349954781ULL	/* -ln(0.999) 2^60 */

static void math_powers(struct kunit *test)
{
	s32 mb;

	KUNIT_EXPECT_EQ(test, HWSIM_POWER_NOISE, hwsim_power_of_mb(0));
	KUNIT_EXPECT_EQ(test, 10 * HWSIM_POWER_NOISE, hwsim_power_of_mb(1000));
	KUNIT_EXPECT_EQ(test, 0, hwsim_power_of_mb(-7001));
	KUNIT_EXPECT_EQ(test, hwsim_power_of_mb(11000), hwsim_power_of_mb(20000));
	KUNIT_EXPECT_EQ(test, 0, hwsim_mb_of_power(HWSIM_POWER_NOISE));
	KUNIT_EXPECT_EQ(test, 301, hwsim_mb_of_power(2 * HWSIM_POWER_NOISE));
	KUNIT_EXPECT_EQ(test, -301, hwsim_mb_of_power(HWSIM_POWER_NOISE / 2));
	for (mb = -3000; mb <= 11000; mb += 7)
		KUNIT_EXPECT_LE(test, abs(hwsim_mb_of_power(hwsim_power_of_mb(mb)) - mb), 1);
}

/* also where the logarithm is computed by a series, and rounded */
static void math_logarithms_have_a_bound(struct kunit *test)
{
	u64 chance;
	int i;

	for (i = 0; i < 64; i++) {
		chance = U64_MAX >> i;
		KUNIT_EXPECT_LE(test, hwsim_minus_ln_least(chance),
				hwsim_minus_ln(chance));
		chance = chance - (chance >> 3) + 1;
		KUNIT_EXPECT_LE(test, hwsim_minus_ln_least(chance),
				hwsim_minus_ln(chance));
	}
}

static void math_logarithms(struct kunit *test)
{
	u64 half = hwsim_minus_ln(1ULL << 63);

	KUNIT_EXPECT_EQ(test, 0, hwsim_minus_ln(0));
	KUNIT_EXPECT_LE(test, abs_diff(half, LN2_Q56), LN2_Q56 >> 24);
	/* 2^-64 is the least that can be left of one: 64 ln 2 */
	KUNIT_EXPECT_LE(test, abs_diff(hwsim_minus_ln(U64_MAX), 64 * LN2_Q56),
			LN2_Q56 >> 18);
	/* small chances: -ln(1 - u) is u; the two ways meet at 2^-8 */
	KUNIT_EXPECT_EQ(test, 1ULL << 24, hwsim_minus_ln(1ULL << 32));
	KUNIT_EXPECT_LE(test, abs_diff(hwsim_minus_ln((1ULL << 56) - 1),
				       hwsim_minus_ln(1ULL << 56)),
			hwsim_minus_ln(1ULL << 56) >> 22);
}

static void math_streams(struct kunit *test)
{
	struct hwsim_stream one, same, other, seeded;
	u64 sum = 0;
	int i;

	hwsim_stream_init(&one, 1, HWSIM_STREAM_ERRORS, 2, 3);
	hwsim_stream_init(&same, 1, HWSIM_STREAM_ERRORS, 2, 3);
	hwsim_stream_init(&other, 1, HWSIM_STREAM_ERRORS, 3, 2);
	hwsim_stream_init(&seeded, 2, HWSIM_STREAM_ERRORS, 2, 3);
	for (i = 0; i < 100; i++) {
		u64 number = hwsim_stream_next(&one);

		KUNIT_EXPECT_EQ(test, number, hwsim_stream_at(&same, i));
		KUNIT_EXPECT_NE(test, number, hwsim_stream_at(&other, i));
		KUNIT_EXPECT_NE(test, number, hwsim_stream_at(&seeded, i));
	}
	/* 16 values, mean 7.5, standard deviation of the mean 0.046 */
	for (i = 0; i < 10000; i++) {
		u32 number = hwsim_stream_below(&one, 16);

		KUNIT_EXPECT_LT(test, number, 16);
		sum += number;
	}
	KUNIT_EXPECT_LE(test, abs_diff(sum, 75000ULL), 2300);
}

static void curve_is_linear_between_points(struct kunit *test)
{
	static const u64 hazards[] = { 1000, 800, 0 };
	struct hwsim_curve *curve = hwsim_curve_new(-100, 10, 256, hazards, 3, NULL);

	KUNIT_ASSERT_FALSE(test, IS_ERR(curve));
	KUNIT_EXPECT_EQ(test, 1000, hwsim_curve_hazard(curve, -5000));
	KUNIT_EXPECT_EQ(test, 1000, hwsim_curve_hazard(curve, -100));
	KUNIT_EXPECT_EQ(test, 900, hwsim_curve_hazard(curve, -95));
	KUNIT_EXPECT_EQ(test, 800, hwsim_curve_hazard(curve, -90));
	KUNIT_EXPECT_EQ(test, 720, hwsim_curve_hazard(curve, -89));
	KUNIT_EXPECT_EQ(test, 0, hwsim_curve_hazard(curve, -80));
	KUNIT_EXPECT_EQ(test, 0, hwsim_curve_hazard(curve, 5000));
	hwsim_curve_free(curve);
}

static void curve_refuses_invalid_arguments(struct kunit *test)
{
	static const u64 rising[] = { 1, 2 }, one[] = { 1 };

	KUNIT_EXPECT_TRUE(test, IS_ERR(hwsim_curve_new(0, 10, 256, rising, 2, NULL)));
	KUNIT_EXPECT_TRUE(test, IS_ERR(hwsim_curve_new(0, 0, 256, one, 1, NULL)));
	KUNIT_EXPECT_TRUE(test, IS_ERR(hwsim_curve_new(0, 10, 255, one, 1, NULL)));
	KUNIT_EXPECT_TRUE(test, IS_ERR(hwsim_curve_new(0, 10, 256, one, 0, NULL)));
	KUNIT_EXPECT_TRUE(test, IS_ERR(hwsim_curve_new(20001, 10, 256, one, 1, NULL)));
}

/*
 * Frames of 1000 bits, p = 0.001, against the binomial: 63.23 % of them have
 * errors, one on average, with variance 0.999; all positions are equally
 * likely.
 */
static void errors_are_binomial(struct kunit *test)
{
	const struct hwsim_stretch stretch = { 1000, HAZARD_OF_1E_3 };
	u64 flips = 0, squares = 0, first_half = 0, frames = 0;
	struct hwsim_stream stream;
	const int all = 20000;
	u8 data[125];
	int i;

	hwsim_stream_init(&stream, 7, HWSIM_STREAM_ERRORS, 0, 0);
	for (i = 0; i < all; i++) {
		unsigned long bits[BITS_TO_LONGS(1000)] = {};
		u32 count, here = 0, bit;

		memset(data, 0, sizeof(data));
		if (!hwsim_errors_any(&stretch, 1, &stream))
			continue;
		frames++;
		count = hwsim_errors_flip(data, &stretch, 1, 256, &stream);
		memcpy(bits, data, sizeof(data));
		for_each_set_bit(bit, bits, 1000) {
			here++;
			first_half += bit < 500;
		}
		KUNIT_EXPECT_EQ(test, count, here);
		KUNIT_EXPECT_GT(test, count, 0);
		flips += count;
		squares += count * count;
	}
	/* standard deviations: 68 frames, 141 flips, 71 in the first half */
	KUNIT_EXPECT_LE(test, abs_diff(frames, 12646ULL), 340);
	KUNIT_EXPECT_LE(test, abs_diff(flips, 20000ULL), 705);
	KUNIT_EXPECT_LE(test, abs_diff(2 * first_half, flips), 705);
	/* mean of the squares: variance and square of the mean, 1.999 */
	KUNIT_EXPECT_LE(test, abs_diff(squares, 39980ULL), 2000);
}

static void errors_fall_where_the_hazard_is(struct kunit *test)
{
	static const struct hwsim_stretch stretches[] = {
		{ 400, 0 }, { 200, 1ULL << 50 }, { 400, 0 },
	};
	struct hwsim_stream stream;
	u8 data[125];
	int i, byte;

	hwsim_stream_init(&stream, 7, HWSIM_STREAM_ERRORS, 0, 0);
	for (i = 0; i < 1000; i++) {
		memset(data, 0, sizeof(data));
		KUNIT_EXPECT_GT(test, hwsim_errors_flip(data, stretches, 3, 256, &stream), 0);
		for (byte = 0; byte < 125; byte++)
			if (byte < 50 || byte >= 75)
				KUNIT_EXPECT_EQ(test, 0, data[byte]);
	}
}

static void errors_none_without_hazard(struct kunit *test)
{
	static const struct hwsim_stretch none = { 10000, 0 };
	struct hwsim_stream stream;
	u8 data[1250] = {};

	hwsim_stream_init(&stream, 7, HWSIM_STREAM_ERRORS, 0, 0);
	KUNIT_EXPECT_FALSE(test, hwsim_errors_any(&none, 1, &stream));
	KUNIT_EXPECT_EQ(test, 0, stream.drawn);
	KUNIT_EXPECT_EQ(test, 0, hwsim_errors_flip(data, &none, 1, 256, &stream));
}

static void errors_certain_with_all_hazard(struct kunit *test)
{
	static const struct hwsim_stretch all = { 8000, U64_MAX };
	struct hwsim_stream stream;
	int i;

	hwsim_stream_init(&stream, 7, HWSIM_STREAM_ERRORS, 0, 0);
	for (i = 0; i < 1000; i++)
		KUNIT_EXPECT_TRUE(test, hwsim_errors_any(&all, 1, &stream));
}

/* one event a frame, 3.3 wrong bits each */
static void errors_come_in_bursts(struct kunit *test)
{
	static const struct hwsim_stretch rare = { 8000, 1ULL << 20 };
	struct hwsim_stream stream;
	u64 flips = 0;
	u8 data[1000];
	int i;

	hwsim_stream_init(&stream, 7, HWSIM_STREAM_ERRORS, 0, 0);
	for (i = 0; i < 20000; i++) {
		memset(data, 0, sizeof(data));
		flips += hwsim_errors_flip(data, &rare, 1, 845, &stream);
	}
	/* 845 / 256; a geometric number, standard deviation of the sum 390 */
	KUNIT_EXPECT_LE(test, abs_diff(flips, 66015ULL), 1950);
}

static struct kunit_case hwsim_medium_errors_cases[] = {
	KUNIT_CASE(math_powers),
	KUNIT_CASE(math_logarithms),
	KUNIT_CASE(math_logarithms_have_a_bound),
	KUNIT_CASE(math_streams),
	KUNIT_CASE(curve_is_linear_between_points),
	KUNIT_CASE(curve_refuses_invalid_arguments),
	KUNIT_CASE(errors_are_binomial),
	KUNIT_CASE(errors_fall_where_the_hazard_is),
	KUNIT_CASE(errors_none_without_hazard),
	KUNIT_CASE(errors_certain_with_all_hazard),
	KUNIT_CASE(errors_come_in_bursts),
	{}
};

static struct kunit_suite hwsim_medium_errors_suite = {
	.name = "hwsim-medium-errors",
	.test_cases = hwsim_medium_errors_cases,
};

kunit_test_suite(hwsim_medium_errors_suite);
