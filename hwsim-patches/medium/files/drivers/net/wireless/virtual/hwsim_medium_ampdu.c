// SPDX-License-Identifier: GPL-2.0-only
/*
 * A-MPDU and BlockAck of the hwsim medium: what fits into one PPDU, and what a
 * receiver remembers of what it received.
 *
 * Not modelled: A-MSDU, delayed BlockAck, fragments, damaged delimiters (an
 * intact MPDU is always found).
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include "hwsim_medium_ampdu.h"

/**
 * hwsim_scoreboard_set - an MPDU has arrived
 * @board: the scoreboard
 * @seq: its sequence number
 */
void hwsim_scoreboard_set(struct hwsim_scoreboard *board, u16 seq)
{
	u16 ahead = ieee80211_sn_sub(seq, board->start);

	if (ahead < HWSIM_AMPDU_MAX) {
		board->bitmap |= BIT_ULL(ahead);
	} else if (ieee80211_sn_less(board->start, seq)) {
		hwsim_scoreboard_move(board, ieee80211_sn_sub(seq, HWSIM_AMPDU_MAX - 1));
		board->bitmap |= BIT_ULL(HWSIM_AMPDU_MAX - 1);
	}
}

/**
 * hwsim_scoreboard_move - move the window, as a BlockAckReq requests
 * @board: the scoreboard
 * @start: the new start; an older one is ignored
 */
void hwsim_scoreboard_move(struct hwsim_scoreboard *board, u16 start)
{
	u16 shift = ieee80211_sn_sub(start, board->start);

	if (!ieee80211_sn_less(board->start, start))
		return;
	board->start = start;
	board->bitmap = shift < HWSIM_AMPDU_MAX ? board->bitmap >> shift : 0;
}

/**
 * hwsim_bitmap_has - whether a BlockAck acknowledges an MPDU
 * @start: its starting sequence number
 * @bitmap: its bitmap
 * @seq: sequence number of the MPDU
 */
bool hwsim_bitmap_has(u16 start, u64 bitmap, u16 seq)
{
	u16 ahead = ieee80211_sn_sub(seq, start);

	return ahead < HWSIM_AMPDU_MAX && bitmap & BIT_ULL(ahead);
}

/**
 * hwsim_ampdu_append - whether one more MPDU fits
 * @limits: what bounds the A-MPDU
 * @psdu_bytes: its length so far
 * @count: MPDUs in it so far
 * @last_bytes: length of the last of them, without padding
 * @mpdu_bytes: length of the additional one, with FCS
 * @offset: set to where it starts, after its delimiter
 *
 * Every MPDU but the last is padded to four bytes, and with empty delimiters
 * up to the least spacing (10.12.3).
 *
 * Return: length of the PSDU with it, or 0 if it does not fit
 */
u32 hwsim_ampdu_append(const struct hwsim_ampdu_limits *limits, u32 psdu_bytes,
		       u32 count, u32 last_bytes, u32 mpdu_bytes, u32 *offset)
{
	u32 bytes = psdu_bytes, least;

	if (count >= min_t(u32, limits->max_count, HWSIM_AMPDU_MAX))
		return 0;
	if (count) {
		least = div_u64((u64)hwsim_phy_rate_kbps(&limits->rate) *
				limits->spacing_ns, 8 * 1000000);
		least = max(least, last_bytes + HWSIM_AMPDU_DELIMITER);
		bytes += roundup(least, 4) - last_bytes - HWSIM_AMPDU_DELIMITER;
	}
	*offset = bytes + HWSIM_AMPDU_DELIMITER;
	bytes += HWSIM_AMPDU_DELIMITER + mpdu_bytes;
	if (!count)
		return bytes;
	if (bytes > limits->max_bytes ||
	    hwsim_phy_duration_ns(&limits->rate, &limits->timing, bytes) >
	    limits->max_ns)
		return 0;
	return bytes;
}
