/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A-MPDU and BlockAck of the hwsim medium: what fits into one PPDU, and what a
 * receiver remembers of what it received (IEEE 802.11-2020 9.7, 10.25). Pure.
 */
#ifndef __HWSIM_MEDIUM_AMPDU_H
#define __HWSIM_MEDIUM_AMPDU_H

#include <linux/bitmap.h>
#include <linux/ieee80211.h>
#include <linux/types.h>
#include "hwsim_medium_phy.h"

#define HWSIM_AMPDU_DELIMITER	4
#define HWSIM_PPDU_MAX_NS	5484000	/* aPPDUMaxTime, Table 19-25 */

/* bits of a compressed bitmap: for HT and VHT, and the most that HE has */
#define HWSIM_BA_BITS		64
#define HWSIM_BA_BITS_MAX	256

#define HWSIM_AMPDU_MAX		HWSIM_BA_BITS_MAX	/* MPDUs in a PPDU */

/**
 * struct hwsim_scoreboard - BlockAck scoreboard of a receiver (10.25.6.3)
 * @start: WinStartR
 * @bits: length of @bitmap, from the window of the agreement
 * @bitmap: received MPDUs, bit 0 is @start
 */
struct hwsim_scoreboard {
	u16 start;
	u16 bits;
	DECLARE_BITMAP(bitmap, HWSIM_BA_BITS_MAX);
};

u16 hwsim_ba_bits(u32 window);
u32 hwsim_ba_bytes(u16 bits);

void hwsim_scoreboard_set(struct hwsim_scoreboard *board, u16 seq);
void hwsim_scoreboard_move(struct hwsim_scoreboard *board, u16 start);
void hwsim_scoreboard_reach_back(struct hwsim_scoreboard *board, u16 seq);
bool hwsim_scoreboard_has(const struct hwsim_scoreboard *board, u16 seq);

/**
 * struct hwsim_ampdu_limits - what bounds an A-MPDU
 * @rate: its rate
 * @timing: of the band
 * @max_ns: longest PPDU
 * @max_bytes: longest PSDU, from the receiver's capabilities
 * @max_count: MPDUs, from the BlockAck agreement; at most HWSIM_AMPDU_MAX
 * @spacing_ns: least time between the starts of two MPDUs
 */
struct hwsim_ampdu_limits {
	struct hwsim_phy_rate rate;
	struct hwsim_phy_timing timing;
	u32 max_ns;
	u32 max_bytes;
	u32 max_count;
	u32 spacing_ns;
};

u32 hwsim_ampdu_append(const struct hwsim_ampdu_limits *limits, u32 psdu_bytes,
		       u32 count, u32 last_bytes, u32 mpdu_bytes, u32 *offset);

#endif
