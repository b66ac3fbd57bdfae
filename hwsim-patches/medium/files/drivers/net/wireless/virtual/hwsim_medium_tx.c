// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames that mac80211 wants to send, and their tx status.
 *
 * Frames stay in mac80211's own queues until their access category has won the
 * medium; only then are they taken, as many as fit into one PPDU. So fq_codel,
 * airtime fairness and TCP small queues work as they do on good hardware.
 *
 * Not modelled: A-MSDU, fragments.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include "hwsim_medium_mac.h"

#define DURATION_MAX_US		32767	/* 9.2.4.2 */
#define MAX_FLUSH_JIFFIES	(HZ / 5)

/* those that mac80211 sends have no session */
static bool is_own_bar(const struct hwsim_mpdu *mpdu)
{
	return mpdu->is_own && mpdu->kind == HWSIM_MEDIUM_FRAME_BAR;
}

static enum hwsim_medium_frame kind_of(__le16 fc)
{
	if (ieee80211_is_data(fc))
		return HWSIM_MEDIUM_FRAME_DATA;
	if (ieee80211_is_beacon(fc))
		return HWSIM_MEDIUM_FRAME_BEACON;
	if (ieee80211_is_back_req(fc))
		return HWSIM_MEDIUM_FRAME_BAR;
	return HWSIM_MEDIUM_FRAME_MGMT;
}

static struct hwsim_phy_rate legacy_rate(const struct hwsim_radio *radio, int idx)
{
	static const u16 dsss[] = { 10, 20, 55, 110 };
	static const u16 ofdm[] = { 60, 90, 120, 180, 240, 360, 480, 540 };
	struct ieee80211_supported_band *band =
		radio->hw->wiphy->bands[radio->channel->band];
	struct hwsim_phy_rate rate = { .streams = 1 };
	u16 bitrate;
	int i;

	idx = clamp(idx, 0, band->n_bitrates - 1);
	bitrate = band->bitrates[idx].bitrate;
	for (i = 0; i < ARRAY_SIZE(dsss); i++) {
		if (dsss[i] != bitrate)
			continue;
		rate.class = HWSIM_PHY_DSSS;
		rate.mcs = i;
		return rate;
	}
	rate.class = HWSIM_PHY_OFDM;
	for (i = 0; i < ARRAY_SIZE(ofdm); i++)
		if (ofdm[i] <= bitrate)
			rate.mcs = i;
	return rate;
}

/* convert a rate of rate control; one that the PHY lacks becomes the lowest */
static struct hwsim_phy_rate phy_rate(const struct hwsim_radio *radio,
				      const struct ieee80211_tx_rate *from)
{
	struct hwsim_phy_rate rate = { .streams = 1 };

	if (!(from->flags & (IEEE80211_TX_RC_MCS | IEEE80211_TX_RC_VHT_MCS))) {
		rate = legacy_rate(radio, from->idx);
		rate.short_preamble =
			from->flags & IEEE80211_TX_RC_USE_SHORT_PREAMBLE;
		return rate;
	}
	if (from->flags & IEEE80211_TX_RC_VHT_MCS) {
		rate.class = HWSIM_PHY_VHT;
		rate.mcs = ieee80211_rate_get_vht_mcs(from);
		rate.streams = ieee80211_rate_get_vht_nss(from);
	} else {
		rate.class = HWSIM_PHY_HT;
		rate.mcs = from->idx % 8;
		rate.streams = from->idx / 8 + 1;
	}
	rate.short_gi = from->flags & IEEE80211_TX_RC_SHORT_GI;
	if (from->flags & IEEE80211_TX_RC_40_MHZ_WIDTH)
		rate.width = HWSIM_PHY_40MHZ;
	else if (from->flags & IEEE80211_TX_RC_80_MHZ_WIDTH)
		rate.width = HWSIM_PHY_80MHZ;
	else if (from->flags & IEEE80211_TX_RC_160_MHZ_WIDTH)
		rate.width = HWSIM_PHY_160MHZ;
	return hwsim_phy_rate_valid(&rate) ? rate : legacy_rate(radio, 0);
}

/*
 * Apply mac80211's decision about protection to the fixed rate: it was made for
 * the rates of rate control.
 */
static void protect_fixed(const struct hwsim_radio *radio,
			  struct hwsim_mpdu *mpdu)
{
	const struct ieee80211_tx_info *info = IEEE80211_SKB_CB(mpdu->skb);

	if (info->control.use_rts)
		mpdu->rates[0].flags |= IEEE80211_TX_RC_USE_RTS_CTS;
	else if (info->control.use_cts_prot &&
		 radio->mac->fixed_rate.class != HWSIM_PHY_DSSS)
		mpdu->rates[0].flags |= IEEE80211_TX_RC_USE_CTS_PROTECT;
}

/* convert the fixed rate to one of rate control */
static void fix_rate(const struct hwsim_radio *radio, struct hwsim_mpdu *mpdu)
{
	const struct ieee80211_supported_band *band =
		radio->hw->wiphy->bands[radio->channel->band];
	const struct hwsim_phy_rate *fixed = &radio->mac->fixed_rate;
	struct ieee80211_tx_rate *rate = &mpdu->rates[0];
	u32 bitrate = hwsim_phy_rate_kbps(fixed) / 100;
	int i;

	rate->count = radio->hw->conf.short_frame_max_tx_count;
	mpdu->rates[1].idx = -1;
	rate->flags = fixed->short_gi ? IEEE80211_TX_RC_SHORT_GI : 0;
	if (fixed->width == HWSIM_PHY_40MHZ)
		rate->flags |= IEEE80211_TX_RC_40_MHZ_WIDTH;
	else if (fixed->width == HWSIM_PHY_80MHZ)
		rate->flags |= IEEE80211_TX_RC_80_MHZ_WIDTH;
	else if (fixed->width == HWSIM_PHY_160MHZ)
		rate->flags |= IEEE80211_TX_RC_160_MHZ_WIDTH;
	switch (fixed->class) {
	case HWSIM_PHY_HT:
		rate->idx = fixed->mcs + 8 * (fixed->streams - 1);
		rate->flags |= IEEE80211_TX_RC_MCS;
		break;
	case HWSIM_PHY_VHT:
		ieee80211_rate_set_vht(rate, fixed->mcs, fixed->streams);
		rate->flags |= IEEE80211_TX_RC_VHT_MCS;
		break;
	default:
		if (fixed->short_preamble)
			rate->flags |= IEEE80211_TX_RC_USE_SHORT_PREAMBLE;
		for (i = 0; i < band->n_bitrates; i++)
			if (band->bitrates[i].bitrate == bitrate)
				rate->idx = i;
	}
	protect_fixed(radio, mpdu);
}

/* let rate control select rates again, except a probe that was not sent yet */
static void forget_rates(struct hwsim_mpdu *mpdu)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(mpdu->skb);
	bool probes = info->flags & IEEE80211_TX_CTL_RATE_CTRL_PROBE;
	int i = 0;

	if (probes && !mpdu->attempts)
		i = 1;
	else
		info->flags &= ~IEEE80211_TX_CTL_RATE_CTRL_PROBE;
	for (; i < IEEE80211_TX_MAX_RATES; i++)
		info->control.rates[i].idx = -1;
}

/* the rates to try, as rate control wants them now */
static void select_rates(struct hwsim_radio *radio, struct ieee80211_sta *sta,
			 struct hwsim_mpdu *mpdu)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(mpdu->skb);

	if (mpdu->reselect)
		forget_rates(mpdu);
	if (mpdu->reselect || ieee80211_hw_check(radio->hw, SUPPORTS_RC_TABLE))
		ieee80211_get_tx_rates(info->control.vif, sta, mpdu->skb,
				       mpdu->rates, ARRAY_SIZE(mpdu->rates));
	else
		memcpy(mpdu->rates, info->control.rates, sizeof(mpdu->rates));
	if (radio->mac->has_fixed_rate && mpdu->wants_ack &&
	    mpdu->kind == HWSIM_MEDIUM_FRAME_DATA)
		fix_rate(radio, mpdu);
	memset(mpdu->tried, 0, sizeof(mpdu->tried));
	mpdu->stage = 0;
	mpdu->reselect = false;
}

/*
 * Whether the receiver of a frame answers it by ACK or BlockAck. Most control
 * frames that a monitor injects are not answered: they are sent once.
 */
static bool is_answered(__le16 fc)
{
	return !ieee80211_is_ctl(fc) || ieee80211_is_pspoll(fc) ||
	       ieee80211_is_back_req(fc);
}

static struct hwsim_mpdu *mpdu_new(struct hwsim_radio *radio,
				   struct ieee80211_sta *sta,
				   struct sk_buff *skb)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(skb);
	struct ieee80211_hdr *hdr = (void *)skb->data;
	struct hwsim_mpdu *mpdu = kzalloc(sizeof(*mpdu), GFP_ATOMIC);
	struct hwsim_network *network;

	if (!mpdu)
		return NULL;
	INIT_LIST_HEAD(&mpdu->list);
	mpdu->skb = skb;
	network = hwsim_network_of(radio, hwsim_mpdu_sender(mpdu));
	mpdu->hw = radio->hw;
	mpdu->kind = kind_of(hdr->frame_control);
	mpdu->bytes = skb->len + HWSIM_FCS_BYTES;
	mpdu->wants_ack = !is_multicast_ether_addr(hdr->addr1) &&
			  !(info->flags & IEEE80211_TX_CTL_NO_ACK) &&
			  is_answered(hdr->frame_control);
	mpdu->timestamp = ieee80211_is_beacon(hdr->frame_control) ||
			  ieee80211_is_probe_resp(hdr->frame_control);
	mpdu->tid = IEEE80211_NUM_TIDS;	/* none */
	if (info->flags & IEEE80211_TX_CTL_ASSIGN_SEQ) {
		if (info->flags & IEEE80211_TX_CTL_FIRST_FRAGMENT)
			network->seq_ctrl += 0x10;
		hdr->seq_ctrl &= cpu_to_le16(IEEE80211_SCTL_FRAG);
		hdr->seq_ctrl |= cpu_to_le16(network->seq_ctrl);
	}
	mpdu->no_retry = radio->mac->no_retry_mark && mpdu->wants_ack &&
			 skb->mark == radio->mac->no_retry_mark;
	mpdu->to_sta = sta;
	mpdu->naps = network->naps;
	mpdu->since_ns = hwsim_now_ns(radio);
	select_rates(radio, sta, mpdu);
	if (ieee80211_is_data_qos(hdr->frame_control)) {
		mpdu->tid = ieee80211_get_tid(hdr);
		mpdu->seq = IEEE80211_SEQ_TO_SN(le16_to_cpu(hdr->seq_ctrl));
		if (info->flags & IEEE80211_TX_CTL_AMPDU)
			hwsim_session_join(radio, mpdu);
	}
	if (mpdu->wants_ack && hwsim_frame_is_approximate(skb)) {
		mpdu->no_retry = true;
		hwsim_approx_sent(radio, mpdu);
	}
	radio->mac->held++;
	return mpdu;
}

/**
 * hwsim_tx_stamp - put the timestamp into a beacon or probe response
 * @radio: the sender
 * @ppdu: any frame
 * @start_ns: when it starts
 *
 * It is the TSF when the field goes out, behind preamble and MAC header.
 */
void hwsim_tx_stamp(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu,
		    u64 start_ns)
{
	const struct hwsim_mpdu *mpdu = ppdu->mpdus[0];
	struct ieee80211_mgmt *mgmt = (void *)mpdu->skb->data;
	u64 us;

	if (!mpdu->timestamp || mpdu->skb->len < 24 + 8 ||
	    ieee80211_is_s1g_beacon(mgmt->frame_control))
		return;
	us = ktime_to_us(ktime_mono_to_real(ns_to_ktime(start_ns +
						hwsim_timestamp_ns(ppdu))));
	/* beacon and probe response have it in the same place */
	mgmt->u.beacon.timestamp =
		cpu_to_le64(us + radio->ops->tsf_offset_us(radio->hw));
}

/*
 * What the frame before has reserved needs no RTS. CTS to oneself is for those
 * who understand neither frame nor answer, so it is needed nevertheless. A
 * BlockAckReq is as short as an RTS.
 */
static void set_protection(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu,
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

/* duration of the answer with the SIFS before it, in whole us (9.2.5) */
static u16 answer_us(const struct hwsim_radio *radio,
		     const struct hwsim_ppdu *ppdu, u8 kind)
{
	struct hwsim_phy_rate answer =
		hwsim_phy_response(&ppdu->rate, ppdu->basic_rates);
	u32 bytes = kind == HWSIM_MEDIUM_FRAME_BA ? HWSIM_MEDIUM_BA_BYTES :
						    HWSIM_MEDIUM_ACK_BYTES;

	return DIV_ROUND_UP(radio->timing.sifs_ns +
			    hwsim_phy_duration_ns(&answer, &radio->timing, bytes),
			    NSEC_PER_USEC);
}

/*
 * How long an A-MPDU may be in what is left of a TXOP: what may come before it
 * (RTS and CTS, or CTS to oneself) and its BlockAck are in the TXOP, too
 * (10.23.2.9).
 */
static u64 room_ns(const struct hwsim_radio *radio,
		   const struct hwsim_ppdu *ppdu, u64 limit_ns, bool begins)
{
	u64 others_ns = answer_us(radio, ppdu, HWSIM_MEDIUM_FRAME_BA) *
			NSEC_PER_USEC;
	struct hwsim_phy_rate first = hwsim_phy_control(&ppdu->rate,
							ppdu->basic_rates, 0);
	struct hwsim_phy_rate cts = hwsim_phy_response(&first,
						       ppdu->basic_rates);

	if (begins && (ppdu->tx_rate.flags & IEEE80211_TX_RC_USE_RTS_CTS ||
		       radio->hw->wiphy->rts_threshold < HWSIM_AMPDU_MAX_BYTES))
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

static struct hwsim_ppdu *ppdu_for(struct hwsim_radio *radio,
				   const struct hwsim_mpdu *mpdu)
{
	const struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;
	struct ieee80211_tx_rate tx_rate = mpdu->rates[mpdu->stage];
	const u8 *own = hwsim_mpdu_sender(mpdu);
	struct hwsim_phy_rate rate;
	struct hwsim_ppdu *ppdu;

	if (radio->mac->txop_is_narrow)
		tx_rate.flags &= ~IEEE80211_TX_RC_40_MHZ_WIDTH;
	rate = phy_rate(radio, &tx_rate);
	ppdu = hwsim_ppdu_new(radio, mpdu->kind, &rate);
	if (!ppdu)
		return NULL;
	ppdu->tx_rate = tx_rate;
	ether_addr_copy(ppdu->ra, hdr->addr1);
	if (own)
		ether_addr_copy(ppdu->ta, own);
	ppdu->basic_rates = hwsim_network_of(radio, own)->basic_rates;
	ppdu->tid = mpdu->tid;
	ppdu->wants_answer = mpdu->wants_ack;
	ppdu->answer_kind = mpdu->kind == HWSIM_MEDIUM_FRAME_BAR ?
			    HWSIM_MEDIUM_FRAME_BA : HWSIM_MEDIUM_FRAME_ACK;
	return ppdu;
}

/* a PS-Poll has the AID in that place */
static void set_duration(const struct hwsim_ppdu *ppdu)
{
	u32 i;

	for (i = 0; i < ppdu->count; i++) {
		struct ieee80211_hdr *hdr = (void *)ppdu->mpdus[i]->skb->data;

		if (!ieee80211_is_pspoll(hdr->frame_control))
			hdr->duration_id = cpu_to_le16(ppdu->duration_us);
	}
}

/* set what depends on all MPDUs */
static void complete_ppdu(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu,
			  enum hwsim_place place)
{
	struct hwsim_mpdu *first = ppdu->mpdus[0];
	struct hwsim_mpdu *last = ppdu->mpdus[ppdu->count - 1];
	bool more_data = last->more_data;
	u32 i;

	if (last->session)
		more_data |= !list_empty(&last->session->retry_queue);
	if (ppdu->format == HWSIM_FORMAT_AMPDU)
		ppdu->answer_kind = HWSIM_MEDIUM_FRAME_BA;
	if (ppdu->wants_answer)
		ppdu->duration_us = answer_us(radio, ppdu, ppdu->answer_kind);
	set_protection(radio, ppdu, first, place);
	set_duration(ppdu);
	for (i = 0; i < ppdu->count; i++) {
		struct ieee80211_hdr *hdr = (void *)ppdu->mpdus[i]->skb->data;

		if (ppdu->mpdus[i]->attempts)
			hdr->frame_control |= cpu_to_le16(IEEE80211_FCTL_RETRY);
		hwsim_ps_mark(radio, ppdu->mpdus[i]);
		if (radio->mac->more_data && first->wants_ack && !first->alone &&
		    !ieee80211_is_ctl(hdr->frame_control))
			hwsim_mpdu_set_more_data(ppdu->mpdus[i], more_data);
	}
}

/*
 * Whether a PPDU and its answer fit into what is left of the TXOP. The one that
 * begins a TXOP always goes out: it is one MPDU, or was cut to fit.
 */
static bool fits(const struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu,
		 u64 limit_ns, enum hwsim_place place)
{
	u64 ns = hwsim_phy_duration_ns(&ppdu->rate, &radio->timing,
				       ppdu->psdu_bytes);

	if (!limit_ns || place == HWSIM_PLACE_FIRST)
		return true;
	if (ppdu->wants_answer)
		ns += answer_us(radio, ppdu, ppdu->answer_kind) * NSEC_PER_USEC;
	return ns <= limit_ns && ppdu->protection == HWSIM_PROTECTION_NONE;
}

/* make a PPDU of one MPDU, or NULL: no memory, or no room in the TXOP */
static struct hwsim_ppdu *fill_with_one(struct hwsim_radio *radio,
					struct hwsim_ppdu *ppdu,
					struct hwsim_mpdu *mpdu, u64 limit_ns,
					enum hwsim_place place)
{
	if (!ppdu)
		return NULL;
	ppdu->psdu_bytes = mpdu->bytes;
	ppdu->mpdus[0] = mpdu;
	ppdu->count = 1;
	complete_ppdu(radio, ppdu, place);
	if (fits(radio, ppdu, limit_ns, place))
		return ppdu;
	hwsim_ppdu_put(ppdu);
	return NULL;
}

static struct hwsim_ppdu *build_single(struct hwsim_radio *radio,
				       struct hwsim_ac *ac,
				       struct hwsim_mpdu *mpdu, u64 limit_ns,
				       enum hwsim_place place)
{
	struct hwsim_ppdu *ppdu = fill_with_one(radio, ppdu_for(radio, mpdu),
						mpdu, limit_ns, place);

	if (ppdu)
		return ppdu;
	list_add(&mpdu->list, &ac->queue);
	ac->queued++;
	return NULL;
}

/**
 * hwsim_tx_dequeue - take a frame from one of mac80211's queues
 * @radio: the radio
 * @txq: the queue
 *
 * Return: the frame, or NULL
 */
struct hwsim_mpdu *hwsim_tx_dequeue(struct hwsim_radio *radio,
				    struct ieee80211_txq *txq)
{
	struct hwsim_mpdu *mpdu;
	struct sk_buff *skb;

	skb = ieee80211_tx_dequeue(radio->hw, txq);
	if (!skb)
		return NULL;
	mpdu = mpdu_new(radio, txq->sta, skb);
	if (!mpdu) {
		/* there is no memory to keep it until the lock is dropped, either */
		ieee80211_free_txskb(radio->hw, skb);
		return NULL;
	}
	if (radio->mac->more_data && mpdu->wants_ack)
		mpdu->more_data = hwsim_txq_holds_frames(txq);
	if (mpdu->session)
		hwsim_session_took(mpdu->session, mpdu->seq);
	return mpdu;
}

/*
 * The next frame of a session: one to be sent again, else a new one that is
 * within the recipient's window. Frames to be sent again are: they were taken
 * when the window began where it does now, or before.
 */
static struct hwsim_mpdu *next_of(struct hwsim_radio *radio,
				  struct hwsim_ac *ac,
				  struct hwsim_session *session, u16 first_seq)
{
	struct hwsim_mpdu *mpdu = hwsim_session_take(session);
	u16 ahead;

	if (mpdu)
		return mpdu;
	ahead = ieee80211_sn_sub(ieee80211_sn_inc(session->last_seq), first_seq);
	if (ahead >= session->max_count)
		return NULL;
	mpdu = hwsim_tx_dequeue(radio, session->txq);
	if (mpdu && mpdu->session != session) {
		list_add_tail(&mpdu->list, &ac->queue);
		ac->queued++;
		return NULL;
	}
	return mpdu;
}

/*
 * Whether rate control probes a rate with this frame, which is then sent alone.
 * At a fixed rate the flag has no meaning.
 */
static bool is_probe(const struct hwsim_radio *radio,
		     const struct hwsim_mpdu *mpdu)
{
	return !radio->mac->has_fixed_rate && !mpdu->attempts &&
	       IEEE80211_SKB_CB(mpdu->skb)->flags &
	       IEEE80211_TX_CTL_RATE_CTRL_PROBE;
}

/*
 * The oldest frame that the recipient may still lack: an A-MPDU that is built
 * during another one's exchange keeps to that one's window.
 */
static u16 window_start(const struct hwsim_radio *radio,
			const struct hwsim_mpdu *mpdu)
{
	const struct hwsim_ppdu *frame = radio->mac->frame;

	if (frame && frame->count && frame->mpdus[0]->session == mpdu->session &&
	    ieee80211_sn_less(frame->mpdus[0]->seq, mpdu->seq))
		return frame->mpdus[0]->seq;
	return mpdu->seq;
}

static struct hwsim_ppdu *build_ampdu(struct hwsim_radio *radio,
				      struct hwsim_ac *ac,
				      struct hwsim_mpdu *mpdu, u64 limit_ns,
				      enum hwsim_place place)
{
	struct hwsim_session *session = mpdu->session;
	u16 first_seq = window_start(radio, mpdu);
	struct hwsim_ppdu *ppdu;
	u32 bytes, offset, last = 0;
	struct hwsim_ampdu_limits limits = {
		.timing = radio->timing,
		.max_ns = radio->mac->max_ppdu_ns,
		.max_bytes = session->max_bytes,
		.max_count = session->max_count,
		.spacing_ns = session->spacing_ns,
	};

	if (mpdu->reselect)
		select_rates(radio, session->txq->sta, mpdu);
	ppdu = ieee80211_sn_sub(mpdu->seq, first_seq) < session->max_count ?
	       ppdu_for(radio, mpdu) : NULL;
	if (!ppdu) {
		hwsim_session_retry(radio, mpdu);
		return NULL;
	}
	session->rate = ppdu->rate;
	limits.rate = ppdu->rate;
	if (limit_ns)
		limits.max_ns = min_t(u64, limits.max_ns,
				      room_ns(radio, ppdu, limit_ns,
					      place == HWSIM_PLACE_FIRST));
	/* no A-MPDU at legacy rates; and no more than one frame is risked on a probe */
	if (ppdu->rate.class < HWSIM_PHY_HT || is_probe(radio, mpdu))
		limits.max_count = 1;
	while (mpdu) {
		bytes = hwsim_ampdu_append(&limits, ppdu->psdu_bytes,
					   ppdu->count, last, mpdu->bytes,
					   &offset);
		if (!bytes || (ppdu->count && is_probe(radio, mpdu))) {
			mpdu->reselect = !mpdu->attempts;
			hwsim_session_retry(radio, mpdu);
			break;
		}
		ppdu->offsets[ppdu->count] = offset;
		ppdu->mpdus[ppdu->count++] = mpdu;
		ppdu->psdu_bytes = bytes;
		last = mpdu->bytes;
		if (ppdu->count >= limits.max_count)
			break;
		mpdu = next_of(radio, ac, session, first_seq);
	}
	ppdu->format = HWSIM_FORMAT_AMPDU;
	if (ppdu->count == 1) {
		/* without delimiter, answered by an ACK */
		ppdu->format = HWSIM_FORMAT_PLAIN;
		ppdu->offsets[0] = 0;
		ppdu->psdu_bytes = ppdu->mpdus[0]->bytes;
	}
	complete_ppdu(radio, ppdu, place);
	if (fits(radio, ppdu, limit_ns, place))
		return ppdu;
	while (ppdu->count)
		hwsim_session_retry(radio, ppdu->mpdus[--ppdu->count]);
	hwsim_ppdu_put(ppdu);
	return NULL;
}

/* build a BlockAckReq, at a lower rate after each one that was not answered */
static struct hwsim_ppdu *build_bar(struct hwsim_radio *radio,
				    struct hwsim_mpdu *mpdu, u64 limit_ns,
				    enum hwsim_place place)
{
	const struct ieee80211_bar *bar = (void *)mpdu->skb->data;
	u16 basic_rates = hwsim_network_of(radio, bar->ta)->basic_rates;
	struct hwsim_phy_rate rate;
	struct hwsim_ppdu *ppdu;

	rate = hwsim_phy_control(&mpdu->session->rate, basic_rates,
				 mpdu->session->bar_failures);
	rate.width = radio->mac->txop_is_narrow ?
		     HWSIM_PHY_20MHZ : min_t(u8, rate.width, radio->width);
	ppdu = hwsim_ppdu_new(radio, HWSIM_MEDIUM_FRAME_BAR, &rate);
	if (ppdu) {
		ether_addr_copy(ppdu->ra, bar->ra);
		ether_addr_copy(ppdu->ta, bar->ta);
		ppdu->basic_rates = basic_rates;
		ppdu->tid = mpdu->tid;
		ppdu->wants_answer = true;
		ppdu->answer_kind = HWSIM_MEDIUM_FRAME_BA;
	}
	ppdu = fill_with_one(radio, ppdu, mpdu, limit_ns, place);
	if (!ppdu)
		hwsim_mpdu_drop(radio, mpdu);
	return ppdu;
}

/* whether a BlockAckReq is on the air: no frame of the session follows it */
static bool asks_now(const struct hwsim_radio *radio,
		     const struct hwsim_session *session)
{
	const struct hwsim_ppdu *frame = radio->mac->frame;

	return frame && frame->count && is_own_bar(frame->mpdus[0]) &&
	       frame->mpdus[0]->session == session;
}

/* a session's BlockAckReq that is due, or its first frame to be sent again */
static struct hwsim_mpdu *first_of_session(struct hwsim_radio *radio,
					   struct hwsim_session *session)
{
	if (hwsim_session_wants_bar(radio, session))
		return hwsim_bar_new(radio, session);
	return hwsim_session_take(session);
}

/* the first frame of a queue's turn: one of its session, else a new one */
static struct hwsim_mpdu *first_of(struct hwsim_radio *radio,
				   struct hwsim_session *session,
				   struct ieee80211_txq *txq)
{
	if (!session)
		return hwsim_tx_dequeue(radio, txq);
	if (asks_now(radio, session) || !hwsim_session_is_served(radio, session))
		return NULL;
	return hwsim_session_pending(radio, session) ?
	       first_of_session(radio, session) : hwsim_tx_dequeue(radio, txq);
}

/*
 * The first PPDU of a TXOP goes out by the parameters of its interface, which may
 * be another one than that which the radio has contended for.
 */
static u64 limit_of(struct hwsim_radio *radio, struct hwsim_ac *ac,
		    const u8 *own, u64 limit_ns, enum hwsim_place place)
{
	if (place != HWSIM_PLACE_FIRST)
		return limit_ns;
	hwsim_network_use(radio, ac, hwsim_network_of(radio, own));
	return ac->edca.txop_ns;
}

/* build a PPDU from frames of the queue that mac80211 schedules next */
static struct hwsim_ppdu *build_from_txqs(struct hwsim_radio *radio,
					  struct hwsim_ac *ac, u64 limit_ns,
					  enum hwsim_place place)
{
	struct hwsim_session *session = NULL;
	struct hwsim_ppdu *ppdu = NULL;
	struct hwsim_mpdu *mpdu = NULL;
	struct ieee80211_txq *txq;
	u8 number = ac - radio->mac->acs;
	bool is_left = false;

	rcu_read_lock();
	ieee80211_txq_schedule_start(radio->hw, number);
	while ((txq = ieee80211_next_txq(radio->hw, number))) {
		const u8 *own = txq->vif->addr;

		/* mac80211 may wake its queues whether or not it sleeps */
		if (txq->sta && hwsim_peer_sleeps(radio, own, txq->sta->addr)) {
			ieee80211_return_txq(radio->hw, txq, false);
			continue;
		}
		/* a TXOP is that of one interface */
		if (place != HWSIM_PLACE_FIRST &&
		    !hwsim_network_may_follow(radio, ac, own)) {
			ieee80211_return_txq(radio->hw, txq, true);
			is_left = true;
			continue;
		}
		session = txq->sta ? hwsim_session_of(radio, own, txq->sta->addr,
						      txq->tid) : NULL;
		mpdu = first_of(radio, session, txq);
		if (mpdu)
			break;
		/* no memory, or not now: it is served later */
		ieee80211_return_txq(radio->hw, txq,
				     session &&
				     hwsim_session_pending(radio, session));
	}
	if (mpdu)
		limit_ns = limit_of(radio, ac, txq->vif->addr, limit_ns, place);
	if (mpdu && mpdu->session && mpdu->kind == HWSIM_MEDIUM_FRAME_BAR)
		ppdu = build_bar(radio, mpdu, limit_ns, place);
	else if (mpdu && mpdu->session)
		ppdu = build_ampdu(radio, ac, mpdu, limit_ns, place);
	else if (mpdu)
		ppdu = build_single(radio, ac, mpdu, limit_ns, place);
	else
		ac->txqs = is_left;
	if (txq)
		ieee80211_return_txq(radio->hw, txq,
				     session && hwsim_session_pending(radio, session));
	ieee80211_txq_schedule_end(radio->hw, number);
	rcu_read_unlock();
	return ppdu;
}

/**
 * hwsim_tx_build - make the PPDU that an access category sends
 * @radio: the sender
 * @ac: the access category
 * @limit_ns: what is left of the TXOP, 0: no limit
 * @place: its place there; the first goes out even if it is too long
 *
 * Return: the PPDU, or NULL if there is nothing to send that fits
 */
struct hwsim_ppdu *hwsim_tx_build(struct hwsim_radio *radio,
				  struct hwsim_ac *ac, u64 limit_ns,
				  enum hwsim_place place)
{
	struct hwsim_ppdu *ppdu = NULL;
	struct hwsim_mpdu *mpdu;

	if (!list_empty(&ac->queue)) {
		mpdu = list_first_entry(&ac->queue, struct hwsim_mpdu, list);
		if (place != HWSIM_PLACE_FIRST &&
		    !hwsim_network_may_follow(radio, ac, hwsim_mpdu_sender(mpdu)))
			return NULL;
		list_del_init(&mpdu->list);
		hwsim_ac_unqueued(radio, ac);
		limit_ns = limit_of(radio, ac, hwsim_mpdu_sender(mpdu), limit_ns,
				    place);
		ppdu = build_single(radio, ac, mpdu, limit_ns, place);
	} else if (ac->txqs) {
		ppdu = build_from_txqs(radio, ac, limit_ns, place);
	}
	if (ppdu) {
		/* beacons count as voice */
		ppdu->ac = hwsim_ac_is_ibss(radio, ac) ? IEEE80211_AC_VO :
							 ac - radio->mac->acs;
		ac->attempts++;
	}
	return ppdu;
}

/*
 * An attempt has ended without an ACK. If nothing came back, the next is at the
 * next rate once this one's count is used up; if a BlockAck came that does not
 * have the frame, its rate was good enough, and rate control is asked again. So
 * it is once all rates have been tried, for frames that have more attempts, and
 * after a probe: a whole A-MPDU may follow its frame.
 */
static void next_attempt(struct hwsim_mpdu *mpdu, bool answered)
{
	const struct ieee80211_tx_rate *next = &mpdu->rates[mpdu->stage + 1];
	u32 flags = IEEE80211_SKB_CB(mpdu->skb)->flags;

	if (answered ||
	    (mpdu->session && flags & IEEE80211_TX_CTL_RATE_CTRL_PROBE)) {
		mpdu->reselect = true;
		return;
	}
	if (mpdu->tried[mpdu->stage] < mpdu->rates[mpdu->stage].count)
		return;
	if (mpdu->stage + 1 < IEEE80211_TX_MAX_RATES && next->idx >= 0 &&
	    next->count)
		mpdu->stage++;
	else if (mpdu->session)
		mpdu->reselect = true;
}

static bool is_acked(const struct hwsim_mpdu *mpdu,
		     const struct hwsim_ppdu *frame,
		     const struct hwsim_ppdu *answer)
{
	if (!answer)
		return false;
	if (answer->kind != HWSIM_MEDIUM_FRAME_BA ||
	    mpdu->kind == HWSIM_MEDIUM_FRAME_BAR)
		return true;
	return hwsim_bitmap_has(answer->ssn, answer->bitmap, mpdu->seq);
}

static void try_again(struct hwsim_radio *radio, struct hwsim_ac *ac,
		      struct hwsim_mpdu *mpdu)
{
	if (mpdu->session && !mpdu->alone) {
		hwsim_session_retry(radio, mpdu);
		return;
	}
	if (hwsim_keep(radio, mpdu, true))
		return;
	list_add(&mpdu->list, &ac->queue);
	ac->queued++;
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
	set_duration(ppdu);
}

/**
 * hwsim_tx_unbuild - a PPDU is not sent after all
 * @radio: the radio
 * @ac: the access category
 * @ppdu: the PPDU; its MPDUs go back to where they came from
 */
void hwsim_tx_unbuild(struct hwsim_radio *radio, struct hwsim_ac *ac,
		      struct hwsim_ppdu *ppdu)
{
	while (ppdu->count) {
		struct hwsim_mpdu *mpdu = ppdu->mpdus[--ppdu->count];

		if (is_own_bar(mpdu))
			hwsim_mpdu_drop(radio, mpdu);	/* made anew */
		else
			try_again(radio, ac, mpdu);
	}
	ac->attempts--;
	hwsim_ppdu_put(ppdu);
}

/* a frame's exchange has ended; whether it is to be sent again */
static bool mpdu_sent(struct hwsim_radio *radio, struct hwsim_ac *ac,
		      struct hwsim_ppdu *frame, struct hwsim_mpdu *mpdu,
		      const struct hwsim_ppdu *answer)
{
	bool sent = radio->mac->stage != HWSIM_STAGE_PROTECT;

	if (sent) {
		mpdu->attempts++;
		mpdu->tried[mpdu->stage]++;
		mpdu->acked = is_acked(mpdu, frame, answer);
	} else {
		mpdu->rts_failures++;
	}
	/* it may have arrived: even after its last attempt that is asked */
	if (sent && !answer && mpdu->session &&
	    frame->answer_kind == HWSIM_MEDIUM_FRAME_BA) {
		next_attempt(mpdu, false);
		mpdu->unknown = true;
		mpdu->session->unknown++;
		try_again(radio, ac, mpdu);
		return true;
	}
	if (mpdu->wants_ack && !mpdu->acked &&
	    (sent ? !hwsim_mpdu_is_exhausted(radio, mpdu) :
		    mpdu->rts_failures < HWSIM_RTS_ATTEMPTS)) {
		if (sent)
			next_attempt(mpdu, answer);
		try_again(radio, ac, mpdu);
		return true;
	}
	if (!mpdu->acked)
		hwsim_session_lost(radio, frame->ta, frame->ra, mpdu);
	hwsim_mpdu_done(radio, frame, mpdu);
	return false;
}

/* the same for a BlockAckReq of the medium's own */
static bool bar_sent(struct hwsim_radio *radio, struct hwsim_ppdu *frame,
		     const struct hwsim_ppdu *answer)
{
	bool again = hwsim_bar_done(radio, frame, answer);

	hwsim_up_status(radio, frame->mpdus[0]);
	return again;
}

/**
 * hwsim_tx_done - an exchange has ended
 * @radio: who sent
 * @ac: the access category
 * @frame: what was sent; its MPDUs go up or back to their queues
 * @answer: what came back, or NULL
 *
 * Return: whether anything is to be sent again because no answer came
 */
bool hwsim_tx_done(struct hwsim_radio *radio, struct hwsim_ac *ac,
		   struct hwsim_ppdu *frame, const struct hwsim_ppdu *answer)
{
	bool sent = radio->mac->stage != HWSIM_STAGE_PROTECT, again = false;
	u32 i = frame->count, count = frame->count, acked = 0;
	struct hwsim_session *session = NULL;

	if (count && answer)
		hwsim_ps_answered(radio, frame->mpdus[0]);
	if (count && is_own_bar(frame->mpdus[0])) {
		again = bar_sent(radio, frame, answer);
		i = 0;
	} else if (count) {
		session = frame->mpdus[0]->session;
	}
	while (i--) {	/* backwards, so that they go back in order */
		struct hwsim_mpdu *mpdu = frame->mpdus[i];

		acked += sent && is_acked(mpdu, frame, answer);
		again |= mpdu_sent(radio, ac, frame, mpdu, answer);
	}
	frame->count = 0;
	if (session)
		hwsim_session_sent(radio, session, answer);
	if (sent && count)
		hwsim_up_sent(radio, frame, session ? count : 0, acked);
	hwsim_sessions_drained(radio);
	if (answer)
		ac->successes++;
	return again && !answer;
}

/* the interface of a frame; one that is injected may have none */
static const struct ieee80211_vif *vif_of(const struct hwsim_mpdu *mpdu)
{
	return mpdu->session ? mpdu->session->txq->vif :
			       IEEE80211_SKB_CB(mpdu->skb)->control.vif;
}

static bool is_of(const struct hwsim_mpdu *mpdu, const struct ieee80211_vif *vif)
{
	return !vif || vif_of(mpdu) == vif;
}

static bool is_management_of(const struct hwsim_mpdu *mpdu,
			     const struct ieee80211_vif *vif)
{
	return mpdu->kind == HWSIM_MEDIUM_FRAME_MGMT && is_of(mpdu, vif);
}

/* whether an interface has an exchange, or a PPDU that follows in the TXOP */
static bool sends_for(const struct hwsim_radio *radio,
		      const struct ieee80211_vif *vif,
		      bool (*counts)(const struct hwsim_mpdu *mpdu,
				     const struct ieee80211_vif *vif))
{
	const struct hwsim_ppdu *ppdus[] = { radio->mac->frame, radio->mac->ahead };
	int i;

	for (i = 0; i < ARRAY_SIZE(ppdus); i++)
		if (ppdus[i] && ppdus[i]->count && counts(ppdus[i]->mpdus[0], vif))
			return true;
	return false;
}

/**
 * hwsim_tx_forget_sta - a station is gone: detach frames that are still sent to it
 * @radio: the radio
 * @own: address of its interface
 * @addr: address of the station
 */
void hwsim_tx_forget_sta(struct hwsim_radio *radio, const u8 *own,
			 const u8 *addr)
{
	const struct hwsim_ppdu *ppdus[] = { radio->mac->frame, radio->mac->ahead };
	struct hwsim_mpdu *mpdu;
	u32 i, k;

	for (i = 0; i < IEEE80211_NUM_ACS; i++)
		list_for_each_entry(mpdu, &radio->mac->acs[i].queue, list)
			if (hwsim_mpdu_is_between(mpdu, own, addr))
				mpdu->to_sta = false;
	for (i = 0; i < ARRAY_SIZE(ppdus); i++)
		for (k = 0; ppdus[i] && k < ppdus[i]->count; k++)
			if (hwsim_mpdu_is_between(ppdus[i]->mpdus[k], own, addr))
				ppdus[i]->mpdus[k]->to_sta = false;
}

/**
 * hwsim_tx_drop_queued - drop what was handed over for another channel
 * @radio: the radio
 * @vif: of one interface, NULL: of all
 *
 * mac80211 flushes before it leaves a channel for a while. What is left then
 * was for a network that the radio is leaving.
 */
void hwsim_tx_drop_queued(struct hwsim_radio *radio,
			  const struct ieee80211_vif *vif)
{
	struct hwsim_mpdu *mpdu, *next;
	int i;

	for (i = 0; i < HWSIM_NUM_ACS; i++) {
		struct hwsim_ac *ac = &radio->mac->acs[i];

		list_for_each_entry_safe(mpdu, next, &ac->queue, list) {
			if (!is_of(mpdu, vif))
				continue;
			list_del_init(&mpdu->list);
			hwsim_ac_unqueued(radio, ac);
			hwsim_mpdu_drop(radio, mpdu);
		}
		if (ac != radio->mac->sender)
			ac->waiting = hwsim_ac_pending(ac);
	}
	hwsim_sessions_drained(radio);
	hwsim_access_changed(radio);
}

/**
 * hwsim_tx_purge - drop everything that a radio has to send
 * @radio: the radio; it has no exchange of that interface going on
 * @vif: for one interface, NULL: for all
 */
void hwsim_tx_purge(struct hwsim_radio *radio, const struct ieee80211_vif *vif)
{
	int i;

	hwsim_sessions_purge(radio, vif);
	hwsim_keep_purge(radio, vif);
	for (i = 0; !vif && i < IEEE80211_NUM_ACS; i++)
		radio->mac->acs[i].txqs = false;
	hwsim_tx_drop_queued(radio, vif);
}

/*
 * A new beacon replaces one that has not been sent yet. It does not wait for
 * other frames, in particular not for group frames, of which hundreds may follow
 * the last beacon.
 */
static void queue_beacon(struct hwsim_radio *radio, struct hwsim_ac *ac,
			 struct hwsim_mpdu *beacon)
{
	const struct ieee80211_hdr *hdr = (void *)beacon->skb->data;
	struct hwsim_mpdu *mpdu, *next;

	list_for_each_entry_safe(mpdu, next, &ac->queue, list) {
		const struct ieee80211_hdr *other = (void *)mpdu->skb->data;

		if (mpdu->kind != HWSIM_MEDIUM_FRAME_BEACON ||
		    !ether_addr_equal(hdr->addr2, other->addr2))
			continue;
		list_del_init(&mpdu->list);
		hwsim_ac_unqueued(radio, ac);
		hwsim_mpdu_drop(radio, mpdu);
	}
	hwsim_queue_first(ac, beacon);
}

/* let mac80211 keep further frames of that queue */
static void stop_queue(struct hwsim_radio *radio, struct hwsim_ac *ac,
		       struct sk_buff *skb)
{
	u8 queue = IEEE80211_SKB_CB(skb)->hw_queue;

	if (ac->stopped & BIT(queue))
		return;
	ac->stopped |= BIT(queue);
	radio->ops->stop_queue(radio->hw, queue);
}

/* it shows in the interface's statistics */
static void count_dropped(struct sk_buff *skb)
{
	struct ieee80211_vif *vif = IEEE80211_SKB_CB(skb)->control.vif;
	struct wireless_dev *wdev = vif ? ieee80211_vif_to_wdev(vif) : NULL;

	if (wdev && wdev->netdev)
		dev_core_stats_tx_dropped_inc(wdev->netdev);
}

/**
 * hwsim_radio_tx - send a frame that is not in one of mac80211's queues
 * @radio: the radio
 * @sta: the receiver, if mac80211 knows it
 * @skb: the frame; no longer the caller's
 * @channel: where to; if the radio is elsewhere, the frame is dropped
 * @is_own: the driver made it: mac80211 does not want its status
 */
void hwsim_radio_tx(struct hwsim_radio *radio, struct ieee80211_sta *sta,
		    struct sk_buff *skb, struct ieee80211_channel *channel,
		    bool is_own)
{
	struct ieee80211_hdr *hdr = (void *)skb->data;
	struct hwsim_medium *medium = radio->medium;
	u64 now = hwsim_medium_enter(medium);
	bool answers_poll = IEEE80211_SKB_CB(skb)->control.flags &
			    IEEE80211_TX_CTRL_PS_RESPONSE;
	u16 number = skb_get_queue_mapping(skb);
	u32 room = is_own ? HWSIM_MAX_OWN : HWSIM_MAX_QUEUED;
	struct hwsim_mpdu *mpdu = NULL;
	struct hwsim_ac *ac;

	/* group frames that the driver kept follow the beacon that says so */
	if (!ieee80211_is_data(hdr->frame_control) ||
	    (is_own && is_multicast_ether_addr(hdr->addr1)) ||
	    number >= IEEE80211_NUM_ACS)
		number = IEEE80211_AC_VO;
	if (hwsim_ibss_is_beacon(radio, skb))
		number = HWSIM_AC_IBSS;
	ac = &radio->mac->acs[number];
	if (ieee80211_is_beacon(hdr->frame_control)) {
		hwsim_network_beacon(radio, skb);
		hwsim_ps_announce(radio, skb);
	}
	if (radio->air && radio->channel == channel) {
		if (ac->queued < room)
			mpdu = mpdu_new(radio, sta, skb);
		else
			count_dropped(skb);
	}
	if (mpdu) {
		mpdu->is_own = is_own;
		mpdu->alone = answers_poll;
		if (mpdu->session)
			hwsim_session_took(mpdu->session, mpdu->seq);
		if (mpdu->kind == HWSIM_MEDIUM_FRAME_BEACON)
			queue_beacon(radio, ac, mpdu);
		else
			list_add_tail(&mpdu->list, &ac->queue);
		ac->queued++;
		if (!is_own && ac->queued >= HWSIM_STOP_QUEUED)
			stop_queue(radio, ac, skb);
		if (hwsim_ac_is_ibss(radio, ac))
			hwsim_access_tbtt(radio, now);
		else
			hwsim_access_ready(radio, ac, now);
	}
	hwsim_medium_leave(medium);
	if (mpdu)
		return;
	if (is_own)
		dev_kfree_skb_any(skb);
	else
		hwsim_skb_unsent(radio->hw, skb);
}
EXPORT_SYMBOL_GPL(hwsim_radio_tx);

/**
 * hwsim_radio_wake - mac80211 has put frames into one of its queues
 * @radio: the radio
 * @txq: the queue
 */
void hwsim_radio_wake(struct hwsim_radio *radio, struct ieee80211_txq *txq)
{
	struct hwsim_medium *medium = radio->medium;
	u64 now = hwsim_medium_enter(medium);
	struct hwsim_ac *ac = &radio->mac->acs[txq->ac];

	ac->txqs = true;
	if (radio->air)
		hwsim_access_ready(radio, ac, now);
	hwsim_medium_leave(medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_wake);

static bool holds(struct hwsim_radio *radio, const struct ieee80211_vif *vif)
{
	const struct hwsim_mpdu *mpdu;
	bool found;
	int i;

	hwsim_medium_enter(radio->medium);
	found = sends_for(radio, vif, is_of) || hwsim_sessions_hold(radio, vif);
	for (i = 0; i < HWSIM_NUM_ACS && !found; i++)
		list_for_each_entry(mpdu, &radio->mac->acs[i].queue, list)
			found |= is_of(mpdu, vif);
	hwsim_medium_leave(radio->medium);
	return found;
}

static bool holds_management(struct hwsim_radio *radio,
			     const struct ieee80211_vif *vif)
{
	const struct hwsim_mpdu *mpdu;
	bool found;
	int i;

	hwsim_medium_enter(radio->medium);
	found = sends_for(radio, vif, is_management_of);
	for (i = 0; i < IEEE80211_NUM_ACS && !found; i++)
		list_for_each_entry(mpdu, &radio->mac->acs[i].queue, list)
			found |= is_management_of(mpdu, vif);
	found &= !!radio->air;	/* else they will not go out anyway */
	hwsim_medium_leave(radio->medium);
	return found;
}

/**
 * hwsim_radio_take_queued - take frames for a station from mac80211's queues
 * @radio: the radio
 * @vif: the interface
 * @sta: the station; if it dozes, its frames stay
 *
 * They are encrypted with the present key. Frames of BlockAck agreements stay:
 * their recipient has room for a window of them only.
 */
void hwsim_radio_take_queued(struct hwsim_radio *radio,
			     const struct ieee80211_vif *vif,
			     struct ieee80211_sta *sta)
{
	u64 now = hwsim_medium_enter(radio->medium);
	struct ieee80211_txq *txq;
	struct hwsim_mpdu *mpdu;
	struct hwsim_ac *ac;
	int i;

	rcu_read_lock();
	for (i = 0; i < ARRAY_SIZE(sta->txq); i++) {
		txq = sta->txq[i];
		if (!txq || hwsim_peer_sleeps(radio, vif->addr, sta->addr) ||
		    hwsim_session_of(radio, vif->addr, sta->addr, txq->tid))
			continue;
		ac = &radio->mac->acs[txq->ac];
		while ((mpdu = hwsim_tx_dequeue(radio, txq))) {
			list_add_tail(&mpdu->list, &ac->queue);
			ac->queued++;
		}
		if (radio->air && !list_empty(&ac->queue))
			hwsim_access_ready(radio, ac, now);
	}
	rcu_read_unlock();
	hwsim_medium_leave(radio->medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_take_queued);

/**
 * hwsim_radio_farewell - let an interface that ends send its management frames
 * @radio: the radio
 * @vif: the interface
 *
 * An access point that is stopped sends a Deauthentication to all stations. It
 * does not wait for its end: real hosts take longer to stop than the frame
 * takes to go out.
 */
void hwsim_radio_farewell(struct hwsim_radio *radio,
			  const struct ieee80211_vif *vif)
{
	wait_event_timeout(radio->medium->idle, !holds_management(radio, vif),
			   MAX_FLUSH_JIFFIES);
}
EXPORT_SYMBOL_GPL(hwsim_radio_farewell);

/**
 * hwsim_radio_flush - wait until everything is sent, or drop it
 * @radio: the radio
 * @vif: what of, NULL: of all interfaces
 * @drop: do not wait
 */
void hwsim_radio_flush(struct hwsim_radio *radio,
		       const struct ieee80211_vif *vif, bool drop)
{
	struct hwsim_medium *medium = radio->medium;

	if (!drop) {
		wait_event_timeout(medium->idle, !holds(radio, vif),
				   MAX_FLUSH_JIFFIES);
		return;
	}
	hwsim_medium_enter(medium);
	if (!radio->mac->frame || sends_for(radio, vif, is_of))
		hwsim_access_reset(radio);
	hwsim_tx_purge(radio, vif);
	hwsim_medium_leave(medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_flush);
