// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the hwsim medium's PHY: air times and answers, against
 * values computed by hand from the clauses that hwsim_medium_phy.c names.
 */
#include <kunit/test.h>
#include "hwsim_medium_mask.h"
#include "hwsim_medium_math.h"
#include "hwsim_medium_phy.h"

#define MPDU_BYTES	1536	/* 1500 of IP, 8 LLC, 24 MAC, 4 FCS */

struct air_time {
	const char *name;
	struct hwsim_phy_rate rate;
	bool is_5ghz;
	u32 bytes;
	u32 us;
};

static const struct air_time air_times[] = {
	/* 192 + 8 * 14 / 1 */
	{ "DSSS 1 ACK", { HWSIM_PHY_DSSS, 0, 1 }, false, 14, 304 },
	/* 192 + 8 * 14 / 2 */
	{ "DSSS 2 ACK", { HWSIM_PHY_DSSS, 1, 1 }, false, 14, 248 },
	/* 192 + 12288 / 11 rounded up */
	{ "CCK 11", { HWSIM_PHY_DSSS, 3, 1 }, false, MPDU_BYTES, 1310 },
	{ "CCK 11 short", { HWSIM_PHY_DSSS, 3, 1, 0, HWSIM_PHY_GUARD_800NS, true }, false,
	  MPDU_BYTES, 1214 },
	/* 1 Mbit/s has no short preamble */
	{ "DSSS 1 short", { HWSIM_PHY_DSSS, 0, 1, 0, HWSIM_PHY_GUARD_800NS, true },
	  false, 14, 304 },
	/* 20 + 4 * ceil(134 / 24) */
	{ "OFDM 6 ACK", { HWSIM_PHY_OFDM, 0, 1 }, true, 14, 44 },
	/* 20 + 4 * ceil(134 / 96) */
	{ "OFDM 24 ACK", { HWSIM_PHY_OFDM, 4, 1 }, true, 14, 28 },
	/* 20 + 4 * ceil(12310 / 216) */
	{ "OFDM 54", { HWSIM_PHY_OFDM, 7, 1 }, true, MPDU_BYTES, 248 },
	/* and the signal extension */
	{ "ERP-OFDM 54", { HWSIM_PHY_OFDM, 7, 1 }, false, MPDU_BYTES, 254 },
	/* 36 + 4 * ceil(12310 / 260) */
	{ "HT MCS 7", { HWSIM_PHY_HT, 7, 1 }, true, MPDU_BYTES, 228 },
	/* 36 + 23 * 3.6 up to a multiple of 4 */
	{ "HT MCS 7, 40 MHz, short GI",
	  { HWSIM_PHY_HT, 7, 1, HWSIM_PHY_40MHZ,
	    HWSIM_PHY_GUARD_400NS }, true, MPDU_BYTES, 120 },
	/* 40 + 12 * 3.6 up to a multiple of 4 */
	{ "HT MCS 15, 40 MHz, short GI",
	  { HWSIM_PHY_HT, 7, 2, HWSIM_PHY_40MHZ,
	    HWSIM_PHY_GUARD_400NS }, true, MPDU_BYTES, 84 },
	/* 48 + 6 * 3.6 up to a multiple of 4; two encoders */
	{ "HT MCS 31, 40 MHz, short GI",
	  { HWSIM_PHY_HT, 7, 4, HWSIM_PHY_40MHZ,
	    HWSIM_PHY_GUARD_400NS }, true, MPDU_BYTES, 72 },
	/* 40 + 4 * ceil(12310 / 1560) */
	{ "VHT MCS 9, 80 MHz", { HWSIM_PHY_VHT, 9, 1, HWSIM_PHY_80MHZ }, true,
	  MPDU_BYTES, 72 },
	/* 40 + 4 * ceil(4684 / 2340): a second encoder's tail, whatever the GI */
	{ "VHT MCS 7, 160 MHz", { HWSIM_PHY_VHT, 7, 1, HWSIM_PHY_160MHZ }, true,
	  582, 52 },
	/* 52 + 4 * ceil(28084 / 9360): 11232 coded bits are not five equal parts */
	{ "VHT MCS 7, 160 MHz, four streams: six encoders",
	  { HWSIM_PHY_VHT, 7, 4, HWSIM_PHY_160MHZ }, true, 3504, 68 },
};

static void phy_air_times(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(air_times); i++) {
		const struct air_time *row = &air_times[i];
		struct hwsim_phy_timing timing =
			hwsim_phy_timing(row->is_5ghz, true);

		KUNIT_EXPECT_TRUE(test, hwsim_phy_rate_valid(&row->rate));
		KUNIT_EXPECT_EQ_MSG(test, row->us * 1000,
				    hwsim_phy_duration_ns(&row->rate, &timing,
							  row->bytes),
				    "%s", row->name);
	}
}

static void phy_rates(struct kunit *test)
{
	static const struct {
		struct hwsim_phy_rate rate;
		u32 kbps;
	} rows[] = {
		{ { HWSIM_PHY_DSSS, 2, 1 }, 5500 },
		{ { HWSIM_PHY_OFDM, 1, 1 }, 9000 },
		{ { HWSIM_PHY_HT, 0, 1 }, 6500 },
		{ { HWSIM_PHY_HT, 7, 1 }, 65000 },
		{ { HWSIM_PHY_HT, 7, 1, HWSIM_PHY_40MHZ,
		    HWSIM_PHY_GUARD_400NS }, 150000 },
		{ { HWSIM_PHY_HT, 7, 4, HWSIM_PHY_40MHZ,
		    HWSIM_PHY_GUARD_400NS }, 600000 },
		{ { HWSIM_PHY_VHT, 9, 1, HWSIM_PHY_80MHZ }, 390000 },
		{ { HWSIM_PHY_VHT, 9, 1, HWSIM_PHY_80MHZ,
		    HWSIM_PHY_GUARD_400NS }, 433333 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ(test, rows[i].kbps,
				hwsim_phy_rate_kbps(&rows[i].rate));
}

static void phy_refuses_rates_that_do_not_exist(struct kunit *test)
{
	static const struct hwsim_phy_rate rates[] = {
		{ HWSIM_PHY_DSSS, 4, 1 },
		{ HWSIM_PHY_OFDM, 8, 1 },
		{ HWSIM_PHY_OFDM, 0, 2 },
		{ HWSIM_PHY_OFDM, 0, 1, 0, HWSIM_PHY_GUARD_400NS },
		{ HWSIM_PHY_HT, 8, 1 },
		{ HWSIM_PHY_HT, 0, 5 },
		{ HWSIM_PHY_HT, 0, 0 },
		{ HWSIM_PHY_HT, 0, 1, HWSIM_PHY_80MHZ },
		{ HWSIM_PHY_HT, 0, 1, 0, HWSIM_PHY_GUARD_400NS + 1 },
		{ HWSIM_PHY_VHT, 10, 1 },
		{ HWSIM_PHY_VHT, 0, 1, 0, HWSIM_PHY_GUARD_400NS + 1 },
		{ HWSIM_PHY_VHT + 1, 0, 1 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rates); i++)
		KUNIT_EXPECT_FALSE(test, hwsim_phy_rate_valid(&rates[i]));
}

#define BASIC_OFDM(_mcs)	BIT((_mcs) + HWSIM_PHY_BASIC_OFDM_SHIFT)

static void phy_answers(struct kunit *test)
{
	const u16 ofdm = BASIC_OFDM(0) | BASIC_OFDM(2) | BASIC_OFDM(4);
	static const u16 dsss = BIT(0) | BIT(1);
	struct {
		struct hwsim_phy_rate rate;
		u16 basic;
		u8 class, mcs;
	} rows[] = {
		{ { HWSIM_PHY_OFDM, 7, 1 }, ofdm, HWSIM_PHY_OFDM, 4 },
		{ { HWSIM_PHY_OFDM, 3, 1 }, ofdm, HWSIM_PHY_OFDM, 2 },
		{ { HWSIM_PHY_OFDM, 1, 1 }, ofdm, HWSIM_PHY_OFDM, 0 },
		/* no basic OFDM rate: the mandatory ones */
		{ { HWSIM_PHY_OFDM, 7, 1 }, dsss, HWSIM_PHY_OFDM, 4 },
		{ { HWSIM_PHY_DSSS, 3, 1 }, dsss, HWSIM_PHY_DSSS, 1 },
		{ { HWSIM_PHY_DSSS, 0, 1 }, dsss, HWSIM_PHY_DSSS, 0 },
		{ { HWSIM_PHY_HT, 0, 1 }, ofdm, HWSIM_PHY_OFDM, 0 },
		/* MCS 2 is like 18 Mbit/s */
		{ { HWSIM_PHY_HT, 2, 2 }, ofdm, HWSIM_PHY_OFDM, 2 },
		{ { HWSIM_PHY_HT, 7, 1 }, ofdm, HWSIM_PHY_OFDM, 4 },
		{ { HWSIM_PHY_HT, 7, 1 }, ofdm | BASIC_OFDM(7), HWSIM_PHY_OFDM, 7 },
		/* the answer to a wide frame is as wide */
		{ { HWSIM_PHY_HT, 7, 1, HWSIM_PHY_40MHZ }, ofdm, HWSIM_PHY_OFDM, 4 },
		{ { HWSIM_PHY_OFDM, 4, 1, HWSIM_PHY_40MHZ }, ofdm, HWSIM_PHY_OFDM, 4 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct hwsim_phy_rate answer =
			hwsim_phy_response(&rows[i].rate, rows[i].basic);

		KUNIT_EXPECT_EQ_MSG(test, rows[i].class, answer.class, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, rows[i].mcs, answer.mcs, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, rows[i].rate.width, answer.width, "row %d", i);
	}
}

/* RTS, CTS-to-self and BlockAckReq are as robust as the frame */
static void phy_control_frames(struct kunit *test)
{
	const u16 ofdm = BASIC_OFDM(0) | BASIC_OFDM(2) | BASIC_OFDM(4);
	static const u16 dsss = BIT(0) | BIT(1) | BIT(2) | BIT(3);
	struct {
		struct hwsim_phy_rate rate;
		u16 basic;
		u32 slower;
		u8 class, mcs;
	} rows[] = {
		/* 26 Mbit/s with two streams, each like 12 Mbit/s */
		{ { HWSIM_PHY_HT, 1, 2 }, ofdm, 0, HWSIM_PHY_OFDM, 2 },
		{ { HWSIM_PHY_HT, 7, 1 }, ofdm, 0, HWSIM_PHY_OFDM, 4 },
		{ { HWSIM_PHY_HT, 7, 1 }, ofdm, 1, HWSIM_PHY_OFDM, 2 },
		{ { HWSIM_PHY_HT, 7, 1, HWSIM_PHY_40MHZ }, ofdm, 1, HWSIM_PHY_OFDM, 2 },
		{ { HWSIM_PHY_HT, 7, 1, HWSIM_PHY_40MHZ }, dsss, 0, HWSIM_PHY_DSSS, 3 },
		{ { HWSIM_PHY_HT, 7, 1 }, ofdm, 2, HWSIM_PHY_OFDM, 0 },
		{ { HWSIM_PHY_HT, 7, 1 }, ofdm, U32_MAX, HWSIM_PHY_OFDM, 0 },
		/* no basic OFDM rate: those that all stations know */
		{ { HWSIM_PHY_OFDM, 7, 1 }, dsss, 0, HWSIM_PHY_DSSS, 3 },
		{ { HWSIM_PHY_OFDM, 1, 1 }, dsss, 0, HWSIM_PHY_DSSS, 2 },
		{ { HWSIM_PHY_OFDM, 1, 1 }, dsss, 1, HWSIM_PHY_DSSS, 1 },
		{ { HWSIM_PHY_DSSS, 1, 1 }, dsss, 0, HWSIM_PHY_DSSS, 1 },
		/* no rate as slow */
		{ { HWSIM_PHY_DSSS, 0, 1 }, BIT(2), 0, HWSIM_PHY_DSSS, 2 },
		{ { HWSIM_PHY_OFDM, 7, 1 }, dsss | ofdm, 1, HWSIM_PHY_OFDM, 2 },
		{ { HWSIM_PHY_OFDM, 7, 1 }, dsss | ofdm, 2, HWSIM_PHY_DSSS, 3 },
		/* not known */
		{ { HWSIM_PHY_OFDM, 7, 1 }, 0, 0, HWSIM_PHY_OFDM, 4 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct hwsim_phy_rate control =
			hwsim_phy_control(&rows[i].rate, rows[i].basic,
					  rows[i].slower);

		KUNIT_EXPECT_EQ_MSG(test, rows[i].class, control.class, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, rows[i].mcs, control.mcs, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, rows[i].class == HWSIM_PHY_DSSS ?
					  HWSIM_PHY_20MHZ : rows[i].rate.width,
				    control.width, "row %d", i);
	}
}

static void phy_interframe_spaces(struct kunit *test)
{
	struct hwsim_phy_timing a = hwsim_phy_timing(true, false);
	struct hwsim_phy_timing b = hwsim_phy_timing(false, false);
	struct hwsim_phy_timing g = hwsim_phy_timing(false, true);

	KUNIT_EXPECT_EQ(test, 16000, a.sifs_ns);
	KUNIT_EXPECT_EQ(test, 9000, a.slot_ns);
	KUNIT_EXPECT_EQ(test, 10000, b.sifs_ns);
	KUNIT_EXPECT_EQ(test, 20000, b.slot_ns);
	KUNIT_EXPECT_EQ(test, 9000, g.slot_ns);
	/* SIFS and an ACK at 6 Mbit/s; at 1 Mbit/s */
	KUNIT_EXPECT_EQ(test, 16000 + 44000,
			hwsim_phy_eifs_extra_ns(true, BASIC_OFDM(2), &a));
	KUNIT_EXPECT_EQ(test, 10000 + 304000,
			hwsim_phy_eifs_extra_ns(false, BIT(3), &b));
	/* OFDM only */
	KUNIT_EXPECT_EQ(test, 10000 + 50000,
			hwsim_phy_eifs_extra_ns(false, BASIC_OFDM(2), &g));
}

/* levels of a fine integration of the masks, to 0.1 dB */
static void phy_channels_overlap(struct kunit *test)
{
	static const struct {
		u8 class;
		u8 width;
		s16 offset_mhz;
		u8 band;
		s32 mb;
	} rows[] = {
		{ HWSIM_PHY_DSSS, 0, 0, 0, 0 },
		{ HWSIM_PHY_DSSS, 0, 5, 0, -97 },
		{ HWSIM_PHY_DSSS, 0, -15, 0, -522 },
		{ HWSIM_PHY_DSSS, 0, 25, 0, -3330 },
		{ HWSIM_PHY_OFDM, 0, 5, 0, -114 },
		{ HWSIM_PHY_OFDM, 0, 10, 0, -297 },
		{ HWSIM_PHY_OFDM, 0, 15, 0, -623 },
		{ HWSIM_PHY_OFDM, 0, -20, 0, -2341 },
		{ HWSIM_PHY_OFDM, 0, 25, 0, -2991 },
		{ HWSIM_PHY_OFDM, 0, 10, 1, 0 },
		{ HWSIM_PHY_HT, 0, 25, 0, -3024 },
		{ HWSIM_PHY_HT, 1, 10, 0, -301 },
		{ HWSIM_PHY_HT, 1, 30, 0, -2489 },
		{ HWSIM_PHY_HT, 1, -20, 1, -298 },
		{ HWSIM_PHY_HT, 1, 40, 1, -2462 },
	};
	struct hwsim_phy_rate rate = {};
	u64 share;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		rate.class = rows[i].class;
		rate.width = rows[i].width;
		share = hwsim_mask_share(&rate, rows[i].offset_mhz, rows[i].band);
		KUNIT_ASSERT_NE_MSG(test, 0, share, "row %d", i);
		KUNIT_EXPECT_LE_MSG(test, abs(hwsim_mb_of_power(share) -
					      rows[i].mb), 10, "row %d", i);
		KUNIT_EXPECT_LE(test, share, HWSIM_POWER_NOISE);
	}
	/* two channels of 5 GHz apart */
	rate.class = HWSIM_PHY_OFDM;
	rate.width = 0;
	KUNIT_EXPECT_EQ(test, 0, hwsim_mask_share(&rate, 40, 0));
}

static struct kunit_case hwsim_medium_phy_cases[] = {
	KUNIT_CASE(phy_air_times),
	KUNIT_CASE(phy_rates),
	KUNIT_CASE(phy_refuses_rates_that_do_not_exist),
	KUNIT_CASE(phy_answers),
	KUNIT_CASE(phy_control_frames),
	KUNIT_CASE(phy_interframe_spaces),
	KUNIT_CASE(phy_channels_overlap),
	{}
};

static struct kunit_suite hwsim_medium_phy_suite = {
	.name = "hwsim-medium-phy",
	.test_cases = hwsim_medium_phy_cases,
};

kunit_test_suite(hwsim_medium_phy_suite);
