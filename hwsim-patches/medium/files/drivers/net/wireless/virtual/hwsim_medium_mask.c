// SPDX-License-Identifier: GPL-2.0-only
/*
 * Power that a transmission of the hwsim medium leaks into other channels.
 *
 * Clauses are those of IEEE 802.11-2020. Senders use all that the transmit
 * masks of clauses 16 to 21 allow. Receivers only let in their own band.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include "hwsim_medium_mask.h"
#include "hwsim_medium_math.h"

#define MASK_POINTS	5

/* in rising order, from the centre; beyond the last one: nothing */
struct mask_point {
	s16 mhz;
	s16 mb;
};

/* 16.3.7.4, 17.3.9.3, 19.3.18.1, 21.3.17.1 */
static const struct mask_point masks[HWSIM_NUM_MASKS][MASK_POINTS] = {
	{ { 0, 0 }, { 11, 0 }, { 11, -3000 }, { 22, -3000 }, { 33, -5000 } },
	{ { 0, 0 }, { 9, 0 }, { 11, -2000 }, { 20, -2800 }, { 30, -4000 } },
	{ { 0, 0 }, { 9, 0 }, { 11, -2000 }, { 20, -2800 }, { 30, -4500 } },
	{ { 0, 0 }, { 19, 0 }, { 21, -2000 }, { 40, -2800 }, { 60, -4500 } },
	{ { 0, 0 }, { 39, 0 }, { 41, -2000 }, { 80, -2800 }, { 120, -4000 } },
	{ { 0, 0 }, { 79, 0 }, { 81, -2000 }, { 160, -2800 }, { 240, -4000 } },
};

/**
 * hwsim_mask_of - the transmit mask of a rate
 * @rate: the rate
 */
enum hwsim_mask hwsim_mask_of(const struct hwsim_phy_rate *rate)
{
	switch (rate->class) {
	case HWSIM_PHY_DSSS:
		return HWSIM_MASK_DSSS;
	case HWSIM_PHY_OFDM:
		if (rate->width == HWSIM_PHY_20MHZ)
			return HWSIM_MASK_OFDM;
		fallthrough;	/* 19.3.18.1: a duplicate has the mask of its width */
	default:
		return HWSIM_MASK_HT + rate->width;
	}
}

/* density at a place, in eighths of a MHz from the centre, Q24 */
static u64 density(const struct mask_point *mask, s32 place)
{
	s32 at = abs(place), i;

	for (i = 1; i < MASK_POINTS; i++) {
		s32 from = 8 * mask[i - 1].mhz, until = 8 * mask[i].mhz;

		if (at < until)
			return hwsim_power_of_mb(mask[i - 1].mb +
						 (mask[i].mb - mask[i - 1].mb) *
						 (at - from) / (until - from));
	}
	return 0;
}

/* power within a band, in steps of a quarter MHz */
static u64 within(const struct mask_point *mask, s32 centre_mhz, s32 width_mhz)
{
	u64 sum = 0;
	s32 at;

	for (at = 8 * centre_mhz - 4 * width_mhz + 1;
	     at < 8 * centre_mhz + 4 * width_mhz; at += 2)
		sum += density(mask, at);
	return sum;
}

/**
 * hwsim_mask_share - how much of a transmission gets into a receiver's band
 * @rate: its rate
 * @offset_mhz: from its centre to that of the band
 * @width: of the band
 *
 * Return: share of the power that a band of its own would let in, Q24
 */
u64 hwsim_mask_share(const struct hwsim_phy_rate *rate, s32 offset_mhz,
		     enum hwsim_phy_width width)
{
	const struct mask_point *mask = masks[hwsim_mask_of(rate)];
	s32 reach_mhz = mask[MASK_POINTS - 1].mhz + (10 << width);
	u64 all;

	if (abs(offset_mhz) >= reach_mhz)
		return 0;
	all = within(mask, 0, 20 << rate->width);
	return min(div64_u64(within(mask, offset_mhz, 20 << width) <<
			     HWSIM_POWER_SHIFT, all), HWSIM_POWER_NOISE);
}
