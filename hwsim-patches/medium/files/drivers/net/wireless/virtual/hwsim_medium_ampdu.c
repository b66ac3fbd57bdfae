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
 * hwsim_ba_bits - length of the bitmap in an agreement's BlockAcks
 * @window: MPDUs in the window of the agreement
 *
 * Compressed BlockAcks have 64 bits. Agreements of HE with a larger window have
 * 256 (IEEE 802.11ax-2021 26.4.3).
 */
u16 hwsim_ba_bits(u32 window)
{
	return window > HWSIM_BA_BITS ? HWSIM_BA_BITS_MAX : HWSIM_BA_BITS;
}

/**
 * hwsim_ba_bytes - length of a BlockAck, with FCS
 * @bits: length of its bitmap
 */
u32 hwsim_ba_bytes(u16 bits)
{
	return HWSIM_MEDIUM_BA_BYTES + (bits - HWSIM_BA_BITS) / 8;
}

/**
 * hwsim_scoreboard_set - an MPDU has arrived
 * @board: the scoreboard
 * @seq: its sequence number
 */
void hwsim_scoreboard_set(struct hwsim_scoreboard *board, u16 seq)
{
	u16 ahead = ieee80211_sn_sub(seq, board->start);

	if (ahead < board->bits) {
		__set_bit(ahead, board->bitmap);
	} else if (ieee80211_sn_less(board->start, seq)) {
		hwsim_scoreboard_move(board, ieee80211_sn_sub(seq, board->bits - 1));
		__set_bit(board->bits - 1, board->bitmap);
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
	if (shift < board->bits)
		bitmap_shift_right(board->bitmap, board->bitmap, shift,
				   board->bits);
	else
		bitmap_zero(board->bitmap, board->bits);
}

/**
 * hwsim_scoreboard_reach_back - let the window begin with an earlier MPDU
 * @board: the scoreboard
 * @seq: sequence number of the MPDU; nothing is done if it is not earlier, or
 *	too early
 */
void hwsim_scoreboard_reach_back(struct hwsim_scoreboard *board, u16 seq)
{
	u16 before = ieee80211_sn_sub(board->start, seq);

	if (!before || before >= board->bits)
		return;
	bitmap_shift_left(board->bitmap, board->bitmap, before, board->bits);
	board->start = seq;
}

/**
 * hwsim_scoreboard_has - whether a scoreboard, or a BlockAck, has an MPDU
 * @board: the scoreboard
 * @seq: sequence number of the MPDU
 */
bool hwsim_scoreboard_has(const struct hwsim_scoreboard *board, u16 seq)
{
	u16 ahead = ieee80211_sn_sub(seq, board->start);

	return ahead < board->bits && test_bit(ahead, board->bitmap);
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

	if (count >= limits->max_count)
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
