/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The PHY of the hwsim medium: rates, their air time, and the rates of answers.
 * Pure functions, no state.
 *
 * Not modelled: greenfield preambles, STBC, LDPC.
 */
#ifndef __HWSIM_MEDIUM_PHY_H
#define __HWSIM_MEDIUM_PHY_H

#include <linux/types.h>
#include "hwsim_medium_uapi.h"

enum hwsim_phy_class {
	HWSIM_PHY_DSSS,		/* clauses 15 and 16: 1, 2, 5.5, 11 Mbit/s */
	HWSIM_PHY_OFDM,		/* clauses 17 and 18: 6 to 54 Mbit/s */
	HWSIM_PHY_HT,		/* clause 19, mixed format */
	HWSIM_PHY_VHT,		/* clause 21, single user */
};

enum hwsim_phy_width {
	HWSIM_PHY_20MHZ,
	HWSIM_PHY_40MHZ,
	HWSIM_PHY_80MHZ,
	HWSIM_PHY_160MHZ,
	HWSIM_PHY_NUM_WIDTHS,
};

enum hwsim_phy_guard {
	HWSIM_PHY_GUARD_800NS,
	HWSIM_PHY_GUARD_400NS,
};

#define HWSIM_PHY_NUM_DSSS	4
#define HWSIM_PHY_NUM_OFDM	8
#define HWSIM_PHY_NUM_MCS	10	/* of one stream; HT has the first eight */
#define HWSIM_PHY_MAX_STREAMS	4
#define HWSIM_PHY_STREAMS	2	/* of mac80211_hwsim's radios */

/**
 * struct hwsim_phy_rate - rate of a PPDU
 * @class: &enum hwsim_phy_class
 * @mcs: 0 to 3 (DSSS), 0 to 7 (OFDM), MCS of one stream (HT, VHT)
 * @streams: 1 to HWSIM_PHY_MAX_STREAMS; 1 for DSSS and OFDM
 * @width: &enum hwsim_phy_width; of OFDM, wider than 20 MHz means the same frame
 *	in each 20 MHz (answers to wide frames, and what protects these)
 * @guard: &enum hwsim_phy_guard; DSSS has none, OFDM the long one
 * @short_preamble: 96 us instead of 192 us (DSSS from 2 Mbit/s)
 */
struct hwsim_phy_rate {
	u8 class;
	u8 mcs;
	u8 streams;
	u8 width;
	u8 guard;
	bool short_preamble;
};

/**
 * struct hwsim_phy_timing - times that depend on band and slot
 * @sifs_ns: SIFS
 * @slot_ns: one slot
 * @extension_ns: signal extension after OFDM and HT frames at 2.4 GHz
 */
struct hwsim_phy_timing {
	u32 sifs_ns;
	u32 slot_ns;
	u32 extension_ns;
};

/* sets of basic rates: DSSS in bits 0 to 3, OFDM in bits 4 to 11 */
#define HWSIM_PHY_BASIC_OFDM_SHIFT	HWSIM_PHY_NUM_DSSS

struct hwsim_phy_timing hwsim_phy_timing(bool is_5ghz, bool short_slot);
bool hwsim_phy_rate_valid(const struct hwsim_phy_rate *rate);
u32 hwsim_phy_rate_kbps(const struct hwsim_phy_rate *rate);
u32 hwsim_phy_preamble_ns(const struct hwsim_phy_rate *rate);
u32 hwsim_phy_payload_ns(const struct hwsim_phy_rate *rate, u32 psdu_bytes);
u32 hwsim_phy_duration_ns(const struct hwsim_phy_rate *rate,
			  const struct hwsim_phy_timing *timing,
			  u32 psdu_bytes);
enum hwsim_medium_curve hwsim_phy_curve(const struct hwsim_phy_rate *rate);
enum hwsim_medium_curve
hwsim_phy_header_curve(const struct hwsim_phy_rate *rate, u32 *bits);
s32 hwsim_phy_stream_loss_mb(const struct hwsim_phy_rate *rate);
bool hwsim_phy_is_duplicate(const struct hwsim_phy_rate *rate);
bool hwsim_phy_needs_delimiters(const struct hwsim_phy_rate *rate);
struct hwsim_phy_rate hwsim_phy_response(const struct hwsim_phy_rate *rate,
					 u16 basic_rates);
struct hwsim_phy_rate hwsim_phy_control(const struct hwsim_phy_rate *rate,
					u16 basic_rates, u32 slower);
u32 hwsim_phy_eifs_extra_ns(bool is_5ghz, u16 basic_rates,
			    const struct hwsim_phy_timing *timing);

#endif
