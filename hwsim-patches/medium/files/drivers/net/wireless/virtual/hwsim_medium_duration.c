// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time that a frame of the hwsim medium needs in addition to its own:
 * protection before it, the answer to it. Also what a frame reserves, and what
 * fits into a TXOP.
 */
#include <linux/kernel.h>
#include "hwsim_medium_mac.h"

#define DURATION_MAX_US		32767	/* 9.2.4.2 */

/**
 * hwsim_answer_us - duration of an answer with the SIFS before it (9.2.5)
 * @radio: the sender of what is answered
 * @ppdu: what is answered
 * @kind: &enum hwsim_medium_frame of the answer
 *
 * Return: in whole us
 */
u16 hwsim_answer_us(const struct hwsim_radio *radio,
		    const struct hwsim_ppdu *ppdu, u8 kind)
{
	struct hwsim_phy_rate answer =
		hwsim_phy_response(&ppdu->rate, ppdu->basic_rates);
	u32 bytes = kind == HWSIM_MEDIUM_FRAME_BA ?
		    hwsim_ba_bytes(ppdu->ba.bits) : HWSIM_MEDIUM_ACK_BYTES;

	return DIV_ROUND_UP(radio->timing.sifs_ns +
			    hwsim_phy_duration_ns(&answer, &radio->timing, bytes),
			    NSEC_PER_USEC);
}

/**
 * hwsim_ppdu_protect - decide what protects a PPDU
 * @radio: the sender
 * @ppdu: the PPDU, with its length
 * @mpdu: its first frame
 * @place: its place in the TXOP
 *
 * A frame whose time the previous frame has reserved needs no RTS. It still
 * needs a CTS-to-self, which is for stations that can decode neither frame nor
 * answer. A BlockAckReq is as short as an RTS.
 */
void hwsim_ppdu_protect(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu,
			const struct hwsim_mpdu *mpdu, enum hwsim_place place)
{
	u32 threshold = radio->hw->wiphy->rts_threshold;

	if (!mpdu->wants_ack || mpdu->kind == HWSIM_MEDIUM_FRAME_BAR)
		return;
	if (ppdu->tx_rate.flags & IEEE80211_TX_RC_USE_RTS_CTS ||
	    ppdu->psdu_bytes > threshold)
		ppdu->protection = place == HWSIM_PLACE_RESERVED ?
				   HWSIM_PROTECTION_NONE : HWSIM_PROTECTION_RTS;
	else if (ppdu->tx_rate.flags & IEEE80211_TX_RC_USE_CTS_PROTECT)
		ppdu->protection = HWSIM_PROTECTION_CTS;
	ppdu->protection_rate = hwsim_phy_control(&ppdu->rate,
						  ppdu->basic_rates, 0);
}

/**
 * hwsim_ppdu_room_ns - how long an A-MPDU may be in what is left of a TXOP
 * @radio: the sender
 * @ppdu: the A-MPDU, with its rate
 * @max_bytes: its greatest length
 * @limit_ns: what is left
 * @begins: whether it begins the TXOP
 *
 * What may come before it (RTS and CTS, or CTS-to-self) and its BlockAck are in
 * the TXOP, too (10.23.2.9).
 */
u64 hwsim_ppdu_room_ns(const struct hwsim_radio *radio,
		       const struct hwsim_ppdu *ppdu, u32 max_bytes,
		       u64 limit_ns, bool begins)
{
	u64 others_ns = hwsim_answer_us(radio, ppdu, HWSIM_MEDIUM_FRAME_BA) *
			NSEC_PER_USEC;
	struct hwsim_phy_rate first = hwsim_phy_control(&ppdu->rate,
							ppdu->basic_rates, 0);
	struct hwsim_phy_rate cts = hwsim_phy_response(&first,
						       ppdu->basic_rates);

	if (begins && (ppdu->tx_rate.flags & IEEE80211_TX_RC_USE_RTS_CTS ||
		       radio->hw->wiphy->rts_threshold < max_bytes))
		others_ns += 2 * radio->timing.sifs_ns +
			     hwsim_phy_duration_ns(&first, &radio->timing,
						   HWSIM_MEDIUM_RTS_BYTES) +
			     hwsim_phy_duration_ns(&cts, &radio->timing,
						   HWSIM_MEDIUM_CTS_BYTES);
	else if (begins &&
		 ppdu->tx_rate.flags & IEEE80211_TX_RC_USE_CTS_PROTECT)
		others_ns += radio->timing.sifs_ns +
			     hwsim_phy_duration_ns(&first, &radio->timing,
						   HWSIM_MEDIUM_CTS_BYTES);
	return limit_ns > others_ns ? limit_ns - others_ns : 0;
}

/**
 * hwsim_ppdu_set_duration - set the duration field of a PPDU's frames
 * @ppdu: the PPDU; a PS-Poll keeps its AID
 */
void hwsim_ppdu_set_duration(const struct hwsim_ppdu *ppdu)
{
	u32 i;

	for (i = 0; i < ppdu->count; i++) {
		struct ieee80211_hdr *hdr = (void *)ppdu->mpdus[i]->skb->data;

		if (!ieee80211_is_pspoll(hdr->frame_control))
			hdr->duration_id = cpu_to_le16(ppdu->duration_us);
	}
}

/**
 * hwsim_ppdu_fits - whether a PPDU and its answer fit into the rest of a TXOP
 * @radio: the sender
 * @ppdu: the PPDU
 * @limit_ns: what is left, 0: no limit
 * @place: its place in the TXOP
 *
 * The first one of a TXOP is always sent: it is one MPDU, or was cut to fit.
 */
bool hwsim_ppdu_fits(const struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu,
		     u64 limit_ns, enum hwsim_place place)
{
	u64 ns = hwsim_phy_duration_ns(&ppdu->rate, &radio->timing,
				       ppdu->psdu_bytes);

	if (!limit_ns || place == HWSIM_PLACE_FIRST)
		return true;
	if (ppdu->wants_answer)
		ns += hwsim_answer_us(radio, ppdu, ppdu->answer_kind) * NSEC_PER_USEC;
	return ns <= limit_ns && ppdu->protection == HWSIM_PROTECTION_NONE;
}

/**
 * hwsim_tx_reserve - have a frame reserve the medium for the next one, too
 * @ppdu: the frame, not yet sent
 * @next_us: SIFS, the next frame of its TXOP, SIFS and the answer to that
 *
 * IEEE 802.11-2020 9.2.5.2: of a frame that does not end a TXOP.
 */
void hwsim_tx_reserve(struct hwsim_ppdu *ppdu, u32 next_us)
{
	ppdu->next_us = min_t(u32, next_us, DURATION_MAX_US - ppdu->duration_us);
	ppdu->duration_us += ppdu->next_us;
	hwsim_ppdu_set_duration(ppdu);
}
