// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reception in the hwsim medium: answers, NAV, and delivery to mac80211.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include "hwsim_medium_mac.h"

/* index of a DSSS or OFDM rate in the list of the receiver's band */
static u8 rate_index(const struct hwsim_radio *radio,
		     const struct hwsim_phy_rate *rate)
{
	const struct ieee80211_supported_band *band =
		radio->hw->wiphy->bands[radio->channel->band];
	u32 bitrate = hwsim_phy_rate_kbps(rate) / 100;
	int i;

	for (i = 0; i < band->n_bitrates; i++)
		if (band->bitrates[i].bitrate == bitrate)
			return i;
	return 0;
}

static void fill_status(const struct hwsim_radio *radio,
			const struct hwsim_reception *reception,
			struct ieee80211_rx_status *status)
{
	const struct hwsim_ppdu *ppdu = reception->ppdu;
	const struct hwsim_phy_rate *rate = &ppdu->rate;
	u32 delay_ns = hwsim_delay_ns(ppdu, radio);
	ktime_t mpdu = ktime_mono_to_real(ns_to_ktime(ppdu->payload_ns + delay_ns));

	memset(status, 0, sizeof(*status));
	status->flag = RX_FLAG_MACTIME_START;	/* of the MPDU, after the preamble */
	status->mactime = ktime_to_us(mpdu) + radio->ops->tsf_offset_us(radio->hw);
	status->freq = radio->channel->center_freq;
	status->band = radio->channel->band;
	status->signal = clamp(DIV_ROUND_CLOSEST(reception->level_mb +
						 radio->noise_mbm, 100),
			       S8_MIN, S8_MAX);
	status->boottime_ns = ppdu->start_ns + delay_ns;
	switch (rate->class) {
	case HWSIM_PHY_HT:
		status->encoding = RX_ENC_HT;
		status->rate_idx = rate->mcs + 8 * (rate->streams - 1);
		break;
	case HWSIM_PHY_VHT:
		status->encoding = RX_ENC_VHT;
		status->rate_idx = rate->mcs;
		status->nss = rate->streams;
		break;
	default:
		status->rate_idx = rate_index(radio, rate);
	}
	if (ppdu->format != HWSIM_FORMAT_PLAIN) {
		status->flag |= RX_FLAG_AMPDU_DETAILS;
		status->ampdu_reference = ppdu->event.serial;
		if (ppdu->format == HWSIM_FORMAT_SINGLE)
			status->flag |= RX_FLAG_AMPDU_EOF_BIT |
					RX_FLAG_AMPDU_EOF_BIT_KNOWN;
	}
	if (rate->guard == HWSIM_PHY_GUARD_400NS)
		status->enc_flags |= RX_ENC_FLAG_SHORT_GI;
	status->bw = rate->width == HWSIM_PHY_20MHZ ||
		     hwsim_phy_is_duplicate(rate) ? RATE_INFO_BW_20 :
		     rate->width == HWSIM_PHY_40MHZ ? RATE_INFO_BW_40 :
		     rate->width == HWSIM_PHY_80MHZ ? RATE_INFO_BW_80 :
						      RATE_INFO_BW_160;
}

/* answer after SIFS, regardless of the medium's state */
static void answer(struct hwsim_radio *radio, const struct hwsim_ppdu *to,
		   enum hwsim_medium_frame kind, u32 bytes,
		   const struct hwsim_recipient *recipient)
{
	struct hwsim_phy_rate rate =
		hwsim_phy_response(&to->rate,
				   hwsim_network_of(radio, to->ra)->basic_rates);
	u64 start = hwsim_now_ns(radio) + radio->timing.sifs_ns;
	struct hwsim_ppdu *ppdu;
	u32 us;

	if (radio->mac->answer || radio->sending)
		return;
	rate.width = min_t(u8, rate.width, radio->width);
	ppdu = hwsim_ppdu_new(radio, kind, &rate);
	if (!ppdu)
		return;
	ppdu->psdu_bytes = bytes;
	ether_addr_copy(ppdu->ra, to->ta);
	ether_addr_copy(ppdu->ta, to->ra);
	if (recipient) {
		ppdu->tid = recipient->tid;
		ppdu->ba = recipient->scoreboard;
	}
	if (kind != HWSIM_MEDIUM_FRAME_CTS)
		hwsim_peer_answer(radio, ppdu);
	/* what the frame reserved, less SIFS and this answer (9.2.5.7) */
	us = DIV_ROUND_UP(radio->timing.sifs_ns +
			  hwsim_phy_duration_ns(&rate, &radio->timing,
						ppdu->psdu_bytes),
			  NSEC_PER_USEC);
	ppdu->duration_us = to->duration_us > us ? to->duration_us - us : 0;
	radio->mac->answer = ppdu;
	if (kind != HWSIM_MEDIUM_FRAME_CTS && radio->mac->answer_delay_ns) {
		/* it does not start its own exchange before that */
		start += radio->mac->answer_delay_ns;
		radio->mac->answers_at_ns = start;
		hwsim_access_moved(radio);
	}
	hwsim_ppdu_send(ppdu, start);
}

/* deliver a copy, without the sender's metadata */
static void hand_up(struct hwsim_radio *radio, const struct hwsim_mpdu *mpdu,
		    const struct hwsim_reception *reception)
{
	struct ieee80211_rx_status status;
	u32 bytes = mpdu->skb->len;
	struct sk_buff *skb;

	skb = dev_alloc_skb(bytes);
	if (!skb)
		return;
	skb_copy_bits(mpdu->skb, 0, skb_put(skb, bytes), bytes);
	fill_status(radio, reception, &status);
	hwsim_up_frame(radio, &status, skb);
}

/*
 * Deliver a frame with a bad FCS, with its bit errors: to a monitor that wants
 * such frames, and to a radio in approximate mode if the header still has its
 * address.
 */
static void hand_up_damaged(struct hwsim_radio *radio, u32 i,
			    const struct hwsim_reception *reception)
{
	const struct hwsim_mpdu *mpdu = reception->ppdu->mpdus[i];
	struct ieee80211_rx_status status;
	struct sk_buff *skb;

	skb = dev_alloc_skb(mpdu->bytes);
	if (!skb)
		return;
	skb_put_zero(skb, mpdu->bytes);
	skb_copy_bits(mpdu->skb, 0, skb->data, mpdu->skb->len);
	hwsim_reception_flip(radio, reception, i, skb);
	skb_trim(skb, mpdu->skb->len);	/* without the FCS and its errors */
	fill_status(radio, reception, &status);
	status.flag |= RX_FLAG_FAILED_FCS_CRC;
	if (hwsim_approx_accepts(radio, skb)) {
		status.flag |= RX_FLAG_DELIVER_DAMAGED;
		hwsim_count_approximate(radio, reception);
	} else if (!(radio->filter & FIF_FCSFAIL)) {
		kfree_skb(skb);
		return;
	}
	hwsim_up_frame(radio, &status, skb);
}

/* ACK, BlockAck, RTS or CTS, for a monitor */
static void hand_up_control(struct hwsim_radio *radio,
			    const struct hwsim_reception *reception)
{
	struct sk_buff *skb = hwsim_control_frame(reception->ppdu);
	struct ieee80211_rx_status status;

	if (!skb)
		return;
	fill_status(radio, reception, &status);
	hwsim_up_frame(radio, &status, skb);
}

static void receive_mpdus(struct hwsim_radio *radio,
			  const struct hwsim_reception *reception)
{
	const struct hwsim_ppdu *ppdu = reception->ppdu;
	struct hwsim_recipient *recipient = NULL;
	bool owned = reception->owned, wanted = reception->wanted;
	bool damaged_too = hwsim_radio_takes_damaged(radio);
	u32 i;

	if (owned && ppdu->tid < IEEE80211_NUM_TIDS)
		recipient = hwsim_recipient_of(radio, ppdu->ra, ppdu->ta,
					       ppdu->tid);
	for (i = 0; i < ppdu->count && (wanted || damaged_too); i++) {
		if (!test_bit(i, reception->right)) {
			if (damaged_too && !test_bit(i, reception->lost))
				hand_up_damaged(radio, i, reception);
			continue;
		}
		if (!wanted)
			continue;
		if (recipient)
			hwsim_scoreboard_set(&recipient->scoreboard,
					     ppdu->mpdus[i]->seq);
		hwsim_ps_received(radio, ppdu, ppdu->mpdus[i], owned);
		hwsim_ibss_received(radio, ppdu);
		hand_up(radio, ppdu->mpdus[i], reception);
	}
	if (owned && reception->any) {
		hwsim_up_received(radio, ppdu);
		hwsim_peer_more_data(radio, ppdu);
	}
	if (!owned || !ppdu->wants_answer || !reception->any)
		return;
	if (ppdu->answer_kind != HWSIM_MEDIUM_FRAME_BA)
		answer(radio, ppdu, HWSIM_MEDIUM_FRAME_ACK,
		       HWSIM_MEDIUM_ACK_BYTES, NULL);
	else if (recipient)
		answer(radio, ppdu, HWSIM_MEDIUM_FRAME_BA,
		       hwsim_ba_bytes(recipient->scoreboard.bits), recipient);
}

/* a BlockAckReq moves the window and is answered by a BlockAck (10.25.6.5) */
static void receive_bar(struct hwsim_radio *radio,
			const struct hwsim_reception *reception)
{
	const struct hwsim_ppdu *ppdu = reception->ppdu;
	const struct ieee80211_bar *bar = (void *)ppdu->mpdus[0]->skb->data;
	struct hwsim_recipient *recipient;
	u8 tid;

	if (ppdu->mpdus[0]->skb->len < sizeof(*bar))
		return;
	tid = le16_get_bits(bar->control, IEEE80211_BAR_CTRL_TID_INFO_MASK);
	recipient = hwsim_recipient_of(radio, ppdu->ra, ppdu->ta, tid);
	if (!recipient) {
		/* mac80211 answers by a DELBA: it has no such agreement */
		hand_up(radio, ppdu->mpdus[0], reception);
		return;
	}
	hwsim_scoreboard_move(&recipient->scoreboard,
			      IEEE80211_SEQ_TO_SN(le16_to_cpu(bar->start_seq_num)));
	/* mac80211 has the reorder buffer, and moves its window, too */
	hand_up(radio, ppdu->mpdus[0], reception);
	answer(radio, ppdu, HWSIM_MEDIUM_FRAME_BA,
	       hwsim_ba_bytes(recipient->scoreboard.bits), recipient);
}

/*
 * A frame with a correct FCS that is addressed to others reserves the medium.
 * The reservation of an RTS is cancelled if nothing is heard by the time that
 * data would have begun (10.3.2.4).
 */
static void set_nav(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu)
{
	const struct hwsim_phy_timing *timing = &radio->timing;
	u64 now = hwsim_now_ns(radio);
	u64 until = now + (u64)ppdu->duration_us * NSEC_PER_USEC;
	struct hwsim_phy_rate cts;

	if (!ppdu->duration_us)
		return;
	if (ppdu->kind == HWSIM_MEDIUM_FRAME_RTS) {
		radio->mac->nav_if_heard_ns = until;
		cts = hwsim_phy_response(&ppdu->rate, radio->mac->basic_rates);
		until = min(until, now + 2 * timing->sifs_ns +
			    hwsim_phy_duration_ns(&cts, timing,
						  HWSIM_MEDIUM_CTS_BYTES) +
			    hwsim_phy_preamble_ns(&ppdu->rate) +
			    2 * timing->slot_ns);
	}
	if (until <= radio->mac->nav_until_ns)
		return;
	radio->mac->nav_until_ns = until;
	/* the TXOP holder, to which answers are sent (10.23.2.4) */
	if (hwsim_is_response(ppdu) && ppdu->kind != HWSIM_MEDIUM_FRAME_RTS)
		ether_addr_copy(radio->mac->nav_by, ppdu->ra);
	else
		ether_addr_copy(radio->mac->nav_by, ppdu->ta);
}

static void receive_control(struct hwsim_radio *radio,
			    const struct hwsim_reception *reception)
{
	const struct hwsim_ppdu *ppdu = reception->ppdu;
	u64 now = hwsim_now_ns(radio);

	if (!reception->owned) {
		set_nav(radio, ppdu);
		return;
	}
	if (ppdu->kind == HWSIM_MEDIUM_FRAME_RTS) {
		/* a station that has reserved the medium itself is answered */
		if (radio->mac->nav_until_ns <= now ||
		    ether_addr_equal(radio->mac->nav_by, ppdu->ta))
			answer(radio, ppdu, HWSIM_MEDIUM_FRAME_CTS,
			       HWSIM_MEDIUM_CTS_BYTES, NULL);
		return;
	}
	if (ppdu->payload)
		hwsim_peer_answered(radio, ppdu);
	hwsim_exchange_answered(radio, ppdu);
}

/**
 * hwsim_rx - a transmission has ended that a radio received
 * @radio: the radio
 * @reception: what arrived of it
 */
void hwsim_rx(struct hwsim_radio *radio,
	      const struct hwsim_reception *reception)
{
	const struct hwsim_ppdu *ppdu = reception->ppdu;
	bool any = reception->any;

	if (hwsim_is_response(ppdu)) {
		if (any && radio->filter & FIF_CONTROL)
			hand_up_control(radio, reception);
		if (any)
			receive_control(radio, reception);
	} else if (reception->decoded && ppdu->count) {
		if (any && reception->owned &&
		    ppdu->kind == HWSIM_MEDIUM_FRAME_BAR)
			receive_bar(radio, reception);
		else
			receive_mpdus(radio, reception);
		if (any && !reception->owned)
			set_nav(radio, ppdu);
	}
	if (any)
		radio->mac->eifs_from_ns = 0;
	else if (reception->detected)
		hwsim_access_damaged(radio);
	hwsim_access_moved(radio);
	hwsim_exchange_unheard(radio);
}
