/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spectral masks of the hwsim medium. Pure functions, no state.
 */
#ifndef __HWSIM_MEDIUM_MASK_H
#define __HWSIM_MEDIUM_MASK_H

#include "hwsim_medium_phy.h"

/*
 * Bands that are further apart do not disturb each other, whatever their masks.
 */
#define HWSIM_MASK_REACH_MHZ	320

enum hwsim_mask {
	HWSIM_MASK_DSSS,
	HWSIM_MASK_OFDM,
	HWSIM_MASK_HT,	/* and VHT, by width */
	HWSIM_NUM_MASKS = HWSIM_MASK_HT + HWSIM_PHY_NUM_WIDTHS,
};

enum hwsim_mask hwsim_mask_of(const struct hwsim_phy_rate *rate);
u64 hwsim_mask_share(const struct hwsim_phy_rate *rate, s32 offset_mhz,
		     enum hwsim_phy_width width);

#endif
