// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reception in the hwsim medium: SINR over a frame, its errors, the answer,
 * and delivery to mac80211.
 *
 * Not modelled: antenna diversity, frequency-selective fading, interference
 * other than as noise of the same power in the frame's band.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include "hwsim_medium_int.h"

#define MAX_INTERFERERS	16	/* more of them last as long as the frame */
#define MAX_SEGMENTS	(2 * MAX_INTERFERERS + 1)
#define WEAK_POWER	(HWSIM_POWER_NOISE / 256)

/* a part of a frame during which nothing changes */
struct segment {
	u64 end_ns;
	s32 sinr_mb;
};

struct reception {
	const struct hwsim_ppdu *ppdu;
	struct hwsim_link *link;
	s32 level_mb;
	bool collided;	/* with something that is heard here */
	u32 count;
	struct segment segments[MAX_SEGMENTS];
};

/**
 * hwsim_radio_owns - whether an address is one of a radio's
 * @radio: the radio
 * @addr: a unicast address
 */
bool hwsim_radio_owns(const struct hwsim_radio *radio, const u8 *addr)
{
	int i;

	for (i = 0; i < radio->num_addresses; i++)
		if (ether_addr_equal(radio->addresses[i].addr, addr))
			return true;
	return false;
}

/* noise that a wider channel lets in */
static s32 width_mb(const struct hwsim_phy_rate *rate)
{
	return rate->width * HWSIM_HALF_MB;
}

static bool overlap(const struct hwsim_ppdu *ppdu, const struct hwsim_ppdu *other)
{
	return other != ppdu && other->end_ns > ppdu->start_ns &&
	       other->start_ns < ppdu->end_ns;
}

/* whether another transmission reaches a receiver while a frame does */
static bool disturbs(const struct hwsim_radio *radio,
		     const struct hwsim_ppdu *ppdu,
		     const struct hwsim_ppdu *other)
{
	return other->radio && other->radio != radio && overlap(ppdu, other) &&
	       hwsim_link_of(other->radio, radio);
}

/*
 * Power of another transmission in the band of a frame, at a receiver. Of what
 * leaks from other channels the weak is left out: of 16 of them, 0.3 dB more
 * noise at most.
 */
static u64 power_beside(const struct hwsim_radio *radio,
			const struct hwsim_ppdu *ppdu,
			const struct hwsim_ppdu *other)
{
	struct hwsim_medium *medium = radio->medium;
	u64 power;

	if (!disturbs(radio, ppdu, other))
		return 0;
	power = hwsim_link_power(medium, hwsim_link_of(other->radio, radio),
				 other->start_ns);
	power = mul_u64_u64_shr(power,
				hwsim_air_share(medium, other, ppdu->centre_mhz,
						ppdu->rate.width),
				HWSIM_POWER_SHIFT);
	return other->air == ppdu->air || power >= WEAK_POWER ? power : 0;
}

/* what else is on the air while a frame is, at this receiver */
static u32 interferers(const struct hwsim_radio *radio,
		       const struct hwsim_ppdu *ppdu,
		       const struct hwsim_ppdu **others, u64 *powers,
		       u64 *rest)
{
	const struct hwsim_ppdu *other;
	const struct hwsim_air *air;
	u32 count = 0;

	list_for_each_entry(air, &radio->medium->airs, list) {
		list_for_each_entry(other, &air->ppdus, list) {
			u64 power = power_beside(radio, ppdu, other);

			if (!power)
				continue;
			if (count == MAX_INTERFERERS) {
				*rest += power;
				continue;
			}
			powers[count] = power;
			others[count++] = other;
		}
	}
	return count;
}

/* cut a frame into segments at each start and end of an interferer */
static void segment_frame(const struct hwsim_radio *radio,
			  struct reception *reception)
{
	const struct hwsim_ppdu *ppdu = reception->ppdu, *others[MAX_INTERFERERS];
	s32 wide_mb = width_mb(&ppdu->rate);
	u64 powers[MAX_INTERFERERS], rest = 0;
	u64 at = ppdu->start_ns;
	u32 count, i;

	if (!ppdu->overlapped && !ppdu->disturbed) {
		reception->collided = false;
		reception->count = 1;
		reception->segments[0].end_ns = ppdu->end_ns;
		reception->segments[0].sinr_mb = reception->level_mb - wide_mb;
		return;
	}
	count = interferers(radio, ppdu, others, powers, &rest);
	reception->collided = rest >= HWSIM_INTERFERENCE;
	reception->count = 0;
	while (at < ppdu->end_ns && reception->count < MAX_SEGMENTS) {
		struct segment *segment = &reception->segments[reception->count++];
		u64 power = rest, end = ppdu->end_ns;

		for (i = 0; i < count; i++) {
			if (others[i]->start_ns > at) {
				end = min(end, others[i]->start_ns);
			} else if (others[i]->end_ns > at) {
				end = min(end, others[i]->end_ns);
				power += powers[i];
			}
		}
		reception->collided |= power >= HWSIM_INTERFERENCE;
		power += HWSIM_POWER_NOISE << ppdu->rate.width;
		segment->end_ns = end;
		segment->sinr_mb = reception->level_mb -
			(count ? hwsim_mb_of_power(power) : wide_mb);
		at = end;
	}
}

/* lowest SINR between two times */
static s32 worst_sinr_mb(const struct reception *reception, u64 from, u64 until)
{
	u64 start = reception->ppdu->start_ns;
	s32 worst_mb = S32_MAX;
	u32 i;

	for (i = 0; i < reception->count; i++) {
		if (start < until && reception->segments[i].end_ns > from)
			worst_mb = min(worst_mb, reception->segments[i].sinr_mb);
		start = reception->segments[i].end_ns;
	}
	return worst_mb;
}

/* bits of the payload that are over at a time */
static u32 bits_until(const struct hwsim_ppdu *ppdu, u64 ns)
{
	u32 bits = ppdu->psdu_bytes * 8;

	if (ns <= ppdu->payload_ns)
		return 0;
	if (ns >= ppdu->payload_end_ns)
		return bits;
	return div64_u64((ns - ppdu->payload_ns) * bits,
			 ppdu->payload_end_ns - ppdu->payload_ns);
}

/* the stretches of equal hazard, by a curve, of some bytes of the payload */
static u32 stretches_by(const struct hwsim_curve *curve,
			const struct reception *reception, u32 offset, u32 bytes,
			struct hwsim_stretch *stretches)
{
	u32 at = offset * 8, end = at + bytes * 8, count = 0, i;

	for (i = 0; i < reception->count && at < end; i++) {
		const struct segment *segment = &reception->segments[i];
		u32 until = end;

		if (i + 1 < reception->count)
			until = min(end, bits_until(reception->ppdu,
						    segment->end_ns));
		if (until <= at)
			continue;
		stretches[count].bits = until - at;
		stretches[count++].hazard =
			hwsim_curve_hazard(curve, segment->sinr_mb);
		at = until;
	}
	return count;
}

/* the stretches that say whether these bytes arrive */
static u32 stretches_of(const struct hwsim_medium *medium,
			const struct reception *reception, u32 offset, u32 bytes,
			struct hwsim_stretch *stretches)
{
	const struct hwsim_curve *curve =
		medium->curves[hwsim_phy_curve(&reception->ppdu->rate)];

	return stretches_by(curve, reception, offset, bytes, stretches);
}

/* preamble and PHY header */
static bool header_is_right(struct hwsim_radio *radio,
			    const struct reception *reception)
{
	const struct hwsim_ppdu *ppdu = reception->ppdu;
	struct hwsim_stretch stretch;
	enum hwsim_medium_curve curve;
	s32 detect_mb, worst_mb;

	if (ppdu->rate.width > radio->width ||
	    (ppdu->rate.width != HWSIM_PHY_20MHZ &&
	     ppdu->centre_mhz != radio->centre_mhz))
		return false;
	detect_mb = ppdu->rate.class == HWSIM_PHY_DSSS ? radio->detect_dsss_mb :
							  radio->detect_ofdm_mb;
	worst_mb = worst_sinr_mb(reception, ppdu->start_ns, ppdu->payload_ns);
	if (worst_mb < detect_mb)
		return false;
	curve = hwsim_phy_header_curve(&ppdu->rate, &stretch.bits);
	stretch.hazard = hwsim_curve_hazard(radio->medium->curves[curve],
					    worst_mb);
	return !hwsim_errors_any(&stretch, 1, &reception->link->errors);
}

static u64 *counts_of(struct hwsim_link *link, const struct hwsim_ppdu *ppdu)
{
	return link->counts[ppdu->ac];
}

/* a BlockAckReq is no more counted than other control frames are */
static bool is_counted(const struct hwsim_ppdu *ppdu)
{
	return ppdu->kind != HWSIM_MEDIUM_FRAME_BAR;
}

/**
 * hwsim_count_sent - count frames that have been sent to a radio
 * @ppdu: a transmission that has ended
 *
 * What became of them is counted where that radio listens: by hwsim_rx() or
 * hwsim_rx_missed(), or here if it listens elsewhere.
 */
void hwsim_count_sent(struct hwsim_ppdu *ppdu)
{
	struct hwsim_link *link;
	u64 *counts;
	u32 i;

	link = ppdu->to ? hwsim_link_of(ppdu->radio, ppdu->to) : NULL;
	if (!link || !is_counted(ppdu))
		return;
	counts = counts_of(link, ppdu);
	counts[HWSIM_COUNT_SENT] += ppdu->count;
	for (i = 0; i < ppdu->count; i++) {
		u32 before = ppdu->mpdus[i]->attempts;

		if (before)
			counts[HWSIM_COUNT_RETRIES]++;
		if (before == 1)
			counts[HWSIM_COUNT_REPEATED]++;
	}
	if (ppdu->to->air != ppdu->air)
		counts[HWSIM_COUNT_AWAY] += ppdu->count;
}

/**
 * hwsim_count_done - count what became of a frame for its sender
 * @ppdu: how it was sent last
 * @mpdu: the frame
 */
void hwsim_count_done(struct hwsim_ppdu *ppdu, const struct hwsim_mpdu *mpdu)
{
	struct hwsim_radio *radio = ppdu->radio, *to;
	struct hwsim_link *link;

	if (!mpdu->wants_ack || mpdu->kind == HWSIM_MEDIUM_FRAME_BAR || !radio)
		return;
	to = hwsim_radio_owning(radio->medium, radio->air, ppdu->ra);
	link = to ? hwsim_link_of(radio, to) : NULL;
	if (link)
		counts_of(link, ppdu)[mpdu->acked ?
				      HWSIM_COUNT_ACKED :
				      HWSIM_COUNT_DROPPED]++;
}

/* whether a radio heard or sent anything else during a transmission */
static bool collided_at(const struct hwsim_radio *radio,
			const struct hwsim_ppdu *ppdu)
{
	const struct hwsim_ppdu *other;
	const struct hwsim_air *air;
	u64 power = 0;

	if (!ppdu->overlapped && !ppdu->disturbed)
		return false;
	list_for_each_entry(air, &radio->medium->airs, list)
		list_for_each_entry(other, &air->ppdus, list) {
			if (other->radio == radio && overlap(ppdu, other))
				return true;
			power += power_beside(radio, ppdu, other);
		}
	return power >= HWSIM_INTERFERENCE;
}

static void count_missed(struct hwsim_radio *radio,
			 const struct hwsim_ppdu *ppdu,
			 enum hwsim_count why)
{
	struct hwsim_link *link = hwsim_link_of(ppdu->radio, radio);

	if (!link || ppdu->to != radio || !is_counted(ppdu))
		return;
	if (collided_at(radio, ppdu))
		why = HWSIM_COUNT_COLLIDED;
	counts_of(link, ppdu)[why] += ppdu->count;
}

/**
 * hwsim_rx_missed - a transmission has ended that its receiver did not receive
 * @radio: the radio that it was for
 * @ppdu: the transmission
 */
void hwsim_rx_missed(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu)
{
	count_missed(radio, ppdu, HWSIM_COUNT_LOST);
}

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
			const struct reception *reception,
			struct ieee80211_rx_status *status)
{
	const struct hwsim_ppdu *ppdu = reception->ppdu;
	const struct hwsim_phy_rate *rate = &ppdu->rate;
	ktime_t start = ktime_mono_to_real(ns_to_ktime(ppdu->start_ns));

	memset(status, 0, sizeof(*status));
	status->flag = RX_FLAG_MACTIME_START;
	status->mactime = ktime_to_us(start) + radio->ops->tsf_offset_us(radio->hw);
	status->freq = radio->channel->center_freq;
	status->band = radio->channel->band;
	status->signal = clamp(DIV_ROUND_CLOSEST(reception->level_mb +
						 radio->noise_mbm, 100),
			       S8_MIN, S8_MAX);
	status->boottime_ns = ppdu->start_ns;
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
	if (ppdu->count > 1) {
		status->flag |= RX_FLAG_AMPDU_DETAILS;
		status->ampdu_reference = ppdu->event.serial;
	}
	if (rate->short_gi)
		status->enc_flags |= RX_ENC_FLAG_SHORT_GI;
	status->bw = rate->width == HWSIM_PHY_20MHZ ? RATE_INFO_BW_20 :
		     rate->width == HWSIM_PHY_40MHZ ? RATE_INFO_BW_40 :
		     rate->width == HWSIM_PHY_80MHZ ? RATE_INFO_BW_80 :
						      RATE_INFO_BW_160;
}

/* answer after SIFS, whatever the medium is like by then */
static void answer(struct hwsim_radio *radio, const struct hwsim_ppdu *to,
		   enum hwsim_medium_frame kind, u32 bytes,
		   const struct hwsim_recipient *recipient)
{
	struct hwsim_phy_rate rate =
		hwsim_phy_response(&to->rate, radio->basic_rates);
	u64 start = radio->medium->now_ns + radio->timing.sifs_ns;
	struct hwsim_ppdu *ppdu;
	u32 us;

	if (radio->answer || radio->sending)
		return;
	ppdu = hwsim_ppdu_new(radio, kind, &rate);
	if (!ppdu)
		return;
	ppdu->psdu_bytes = bytes;
	ether_addr_copy(ppdu->ra, to->ta);
	ether_addr_copy(ppdu->ta, to->ra);
	if (recipient) {
		ppdu->tid = recipient->tid;
		ppdu->ssn = recipient->board.start;
		ppdu->bitmap = recipient->board.bitmap;
	}
	if (kind != HWSIM_MEDIUM_FRAME_CTS)
		hwsim_peer_answer(radio, ppdu);
	/* what the frame reserved, less SIFS and this answer (9.2.5.7) */
	us = DIV_ROUND_UP(radio->timing.sifs_ns +
			  hwsim_phy_duration_ns(&rate, &radio->timing,
						ppdu->psdu_bytes),
			  NSEC_PER_USEC);
	ppdu->duration_us = to->duration_us > us ? to->duration_us - us : 0;
	radio->answer = ppdu;
	hwsim_ppdu_send(ppdu, start);
}

/* a copy that carries nothing of its sender's host but the bytes */
static void hand_up(struct hwsim_radio *radio, const struct hwsim_mpdu *mpdu,
		    const struct reception *reception)
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

/* one bit of a frame that was damaged on purpose */
static void flip_any(struct sk_buff *skb, struct hwsim_stream *stream)
{
	u32 bit = hwsim_stream_below(stream, skb->len * 8);

	skb->data[bit / 8] ^= BIT(bit % 8);
}

/*
 * A frame with a wrong FCS, as its bits arrived: for a monitor that wants such
 * frames, and for a radio in approximate mode if the header still names it.
 */
static void hand_up_damaged(struct hwsim_radio *radio, u32 i,
			    const struct reception *reception)
{
	const struct hwsim_ppdu *ppdu = reception->ppdu;
	const struct hwsim_mpdu *mpdu = ppdu->mpdus[i];
	const struct hwsim_curve *curve =
		radio->medium->curves[hwsim_phy_curve(&ppdu->rate)];
	struct hwsim_stream *stream = &reception->link->flips;
	struct hwsim_stretch stretches[MAX_SEGMENTS];
	struct ieee80211_rx_status status;
	struct sk_buff *skb;
	u32 count;

	skb = dev_alloc_skb(mpdu->bytes);
	if (!skb)
		return;
	skb_put_zero(skb, mpdu->bytes);
	skb_copy_bits(mpdu->skb, 0, skb->data, mpdu->skb->len);
	count = stretches_by(curve->flips ?: curve, reception, ppdu->offsets[i],
			     mpdu->bytes, stretches);
	if (!hwsim_errors_flip(skb->data, stretches, count, curve->burst,
			       stream))
		flip_any(skb, stream);
	skb_trim(skb, mpdu->skb->len);	/* errors of the FCS go with it */
	fill_status(radio, reception, &status);
	status.flag |= RX_FLAG_FAILED_FCS_CRC;
	if (hwsim_approx_accepts(radio, skb)) {
		status.flag |= RX_FLAG_DELIVER_DAMAGED;
		if (ppdu->to == radio)
			counts_of(reception->link,
				  ppdu)[HWSIM_COUNT_APPROXIMATE]++;
	} else if (!(radio->filter & FIF_FCSFAIL)) {
		kfree_skb(skb);
		return;
	}
	hwsim_up_frame(radio, &status, skb);
}

/* ACK, BlockAck, RTS or CTS, for a monitor */
static void hand_up_control(struct hwsim_radio *radio,
			    const struct reception *reception)
{
	struct sk_buff *skb = hwsim_control_frame(reception->ppdu);
	struct ieee80211_rx_status status;

	if (!skb)
		return;
	fill_status(radio, reception, &status);
	hwsim_up_frame(radio, &status, skb);
}

/* what is right of a transmission's frames, by their index */
struct verdict {
	u64 lost;	/* by a fault */
	u64 damaged;	/* by a fault */
	u64 right;	/* of MPDUs */
	bool any;
};

static void count_mpdu(const struct reception *reception, u32 i,
		       const struct verdict *verdict)
{
	const struct hwsim_ppdu *ppdu = reception->ppdu;
	u64 *counts = counts_of(reception->link, ppdu);

	if (verdict->right & BIT_ULL(i)) {
		counts[HWSIM_COUNT_DELIVERED]++;
		counts[HWSIM_COUNT_BYTES] += ppdu->mpdus[i]->bytes;
	} else if (reception->collided) {
		counts[HWSIM_COUNT_COLLIDED]++;
	} else if (verdict->lost & BIT_ULL(i)) {
		counts[HWSIM_COUNT_LOST]++;
	} else {
		counts[HWSIM_COUNT_DAMAGED]++;
	}
}

/* whether a radio has use for the right MPDUs of a transmission */
static bool is_wanted(const struct hwsim_radio *radio,
		      const struct hwsim_ppdu *ppdu, bool owned)
{
	return owned || radio->filter & FIF_OTHER_BSS ||
	       is_multicast_ether_addr(ppdu->ra);
}

/* whether it has use for damaged ones */
static bool takes_damaged(const struct hwsim_radio *radio)
{
	return radio->approx || radio->filter & FIF_FCSFAIL;
}

/* who only overhears learns from the first right MPDU what is reserved */
static void judge_mpdus(struct hwsim_radio *radio,
			const struct reception *reception, bool owned,
			struct verdict *verdict)
{
	bool overhears = !is_wanted(radio, reception->ppdu, owned) &&
			 !takes_damaged(radio);
	const struct hwsim_ppdu *ppdu = reception->ppdu;
	struct hwsim_stretch stretches[MAX_SEGMENTS];
	struct hwsim_link *link = reception->link;
	u64 drawn = link->errors.drawn;
	u32 i, count;

	for (i = 0; i < ppdu->count && !(overhears && verdict->right); i++) {
		if (ppdu->count > 1)
			link->errors.drawn = drawn + i;
		count = stretches_of(radio->medium, reception, ppdu->offsets[i],
				     ppdu->mpdus[i]->bytes, stretches);
		if (!((verdict->lost | verdict->damaged) & BIT_ULL(i)) &&
		    !hwsim_errors_any(stretches, count, &link->errors))
			verdict->right |= BIT_ULL(i);
		if (ppdu->to == radio && is_counted(ppdu))
			count_mpdu(reception, i, verdict);
	}
	if (ppdu->count > 1)
		link->errors.drawn = drawn + ppdu->count;
	verdict->any = verdict->right;
}

static void receive_mpdus(struct hwsim_radio *radio,
			  const struct reception *reception, bool owned,
			  const struct verdict *verdict)
{
	const struct hwsim_ppdu *ppdu = reception->ppdu;
	struct hwsim_recipient *recipient = NULL;
	bool wanted = is_wanted(radio, ppdu, owned);
	bool damaged_too = takes_damaged(radio);
	u32 i;

	if (owned && ppdu->tid < IEEE80211_NUM_TIDS)
		recipient = hwsim_recipient_of(radio, ppdu->ta, ppdu->tid);
	for (i = 0; i < ppdu->count && (wanted || damaged_too); i++) {
		if (!(verdict->right & BIT_ULL(i))) {
			if (damaged_too && !(verdict->lost & BIT_ULL(i)))
				hand_up_damaged(radio, i, reception);
			continue;
		}
		if (!wanted)
			continue;
		if (recipient)
			hwsim_board_set(&recipient->board, ppdu->mpdus[i]->seq);
		hwsim_ps_received(radio, ppdu, ppdu->mpdus[i], owned);
		hand_up(radio, ppdu->mpdus[i], reception);
	}
	if (owned && verdict->any) {
		hwsim_up_received(radio, ppdu);
		hwsim_peer_more_data(radio, ppdu);
	}
	if (!owned || !ppdu->wants_answer || !verdict->any)
		return;
	if (ppdu->answer_kind != HWSIM_MEDIUM_FRAME_BA)
		answer(radio, ppdu, HWSIM_MEDIUM_FRAME_ACK,
		       HWSIM_MEDIUM_ACK_BYTES, NULL);
	else if (recipient)
		answer(radio, ppdu, HWSIM_MEDIUM_FRAME_BA,
		       HWSIM_MEDIUM_BA_BYTES, recipient);
}

/* a BlockAckReq moves the window and is answered by a BlockAck (10.25.6.5) */
static void receive_bar(struct hwsim_radio *radio,
			const struct reception *reception)
{
	const struct hwsim_ppdu *ppdu = reception->ppdu;
	const struct ieee80211_bar *bar = (void *)ppdu->mpdus[0]->skb->data;
	struct hwsim_recipient *recipient;
	u8 tid;

	if (ppdu->mpdus[0]->skb->len < sizeof(*bar))
		return;
	tid = le16_get_bits(bar->control, IEEE80211_BAR_CTRL_TID_INFO_MASK);
	recipient = hwsim_recipient_of(radio, ppdu->ta, tid);
	if (!recipient) {
		/* mac80211 ends what it knows nothing of by a DELBA */
		hand_up(radio, ppdu->mpdus[0], reception);
		return;
	}
	hwsim_board_move(&recipient->board,
			 IEEE80211_SEQ_TO_SN(le16_to_cpu(bar->start_seq_num)));
	/* mac80211 has the frames that were waiting for what was given up */
	hand_up(radio, ppdu->mpdus[0], reception);
	answer(radio, ppdu, HWSIM_MEDIUM_FRAME_BA, HWSIM_MEDIUM_BA_BYTES,
	       recipient);
}

/*
 * A frame with the right FCS for somebody else reserves the medium. What an RTS
 * reserves falls back if nothing is heard by the time that data would have
 * begun (10.3.2.4).
 */
static void set_nav(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu)
{
	const struct hwsim_phy_timing *timing = &radio->timing;
	u64 now = radio->medium->now_ns;
	u64 until = now + (u64)ppdu->duration_us * NSEC_PER_USEC;
	struct hwsim_phy_rate cts;

	if (!ppdu->duration_us)
		return;
	if (ppdu->kind == HWSIM_MEDIUM_FRAME_RTS) {
		radio->nav_if_heard_ns = until;
		cts = hwsim_phy_response(&ppdu->rate, radio->basic_rates);
		until = min(until, now + 2 * timing->sifs_ns +
			    hwsim_phy_duration_ns(&cts, timing,
						  HWSIM_MEDIUM_CTS_BYTES) +
			    hwsim_phy_preamble_ns(&ppdu->rate) +
			    2 * timing->slot_ns);
	}
	if (until <= radio->nav_until_ns)
		return;
	radio->nav_until_ns = until;
	/* the TXOP holder, which answers are sent to (10.23.2.4) */
	if (hwsim_is_response(ppdu) && ppdu->kind != HWSIM_MEDIUM_FRAME_RTS)
		ether_addr_copy(radio->nav_by, ppdu->ra);
	else
		ether_addr_copy(radio->nav_by, ppdu->ta);
}

static void receive_control(struct hwsim_radio *radio,
			    const struct reception *reception)
{
	const struct hwsim_ppdu *ppdu = reception->ppdu;
	u64 now = radio->medium->now_ns;

	if (!hwsim_radio_owns(radio, ppdu->ra)) {
		set_nav(radio, ppdu);
		return;
	}
	if (ppdu->kind == HWSIM_MEDIUM_FRAME_RTS) {
		/* who has reserved the medium itself is answered */
		if (radio->nav_until_ns <= now ||
		    ether_addr_equal(radio->nav_by, ppdu->ta))
			answer(radio, ppdu, HWSIM_MEDIUM_FRAME_CTS,
			       HWSIM_MEDIUM_CTS_BYTES, NULL);
		return;
	}
	if (ppdu->payload)
		hwsim_peer_answered(radio, ppdu);
	hwsim_access_answered(radio, ppdu);
}

/* whether a frame without MPDUs of mac80211's (ACK, BA, RTS, CTS) is right */
static bool control_is_right(struct hwsim_radio *radio,
			     const struct reception *reception)
{
	struct hwsim_stretch stretches[MAX_SEGMENTS];
	u32 count;

	count = stretches_of(radio->medium, reception, 0,
			     reception->ppdu->psdu_bytes, stretches);
	return !hwsim_errors_any(stretches, count, &reception->link->errors);
}

/**
 * hwsim_is_response - whether a transmission holds no frame of mac80211
 * @ppdu: the transmission; if so, an ACK, BlockAck, RTS or CTS
 */
bool hwsim_is_response(const struct hwsim_ppdu *ppdu)
{
	return ppdu->kind == HWSIM_MEDIUM_FRAME_ACK ||
	       ppdu->kind == HWSIM_MEDIUM_FRAME_BA ||
	       ppdu->kind == HWSIM_MEDIUM_FRAME_CTS ||
	       ppdu->kind == HWSIM_MEDIUM_FRAME_RTS;
}

/**
 * hwsim_rx - a transmission has ended that a radio received
 * @radio: the radio
 * @ppdu: the transmission
 */
void hwsim_rx(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu)
{
	bool owned = hwsim_radio_owns(radio, ppdu->ra);
	struct verdict verdict = {};
	struct reception reception;	/* large: only what counts is set */
	bool noticed = true;

	reception.ppdu = ppdu;
	reception.link = hwsim_link_of(ppdu->radio, radio);
	reception.level_mb = radio->locked_mb;
	if (!ppdu->hit_at || ppdu->hit_at == radio) {
		verdict.lost = ppdu->lost;
		verdict.damaged = ppdu->damaged;
		noticed = hweight64(ppdu->lost) < max(ppdu->count, 1U);
	}
	segment_frame(radio, &reception);
	if (!noticed) {
		hwsim_rx_missed(radio, ppdu);
	} else if (!header_is_right(radio, &reception)) {
		count_missed(radio, ppdu, HWSIM_COUNT_HEADER);
	} else if (hwsim_is_response(ppdu)) {
		verdict.any = !verdict.damaged &&
			      control_is_right(radio, &reception);
		if (verdict.any && radio->filter & FIF_CONTROL)
			hand_up_control(radio, &reception);
		if (verdict.any)
			receive_control(radio, &reception);
	} else if (ppdu->count) {
		judge_mpdus(radio, &reception, owned, &verdict);
		if (verdict.any && ppdu->kind == HWSIM_MEDIUM_FRAME_BAR && owned)
			receive_bar(radio, &reception);
		else
			receive_mpdus(radio, &reception, owned, &verdict);
		if (verdict.any && !owned)
			set_nav(radio, ppdu);
	}
	if (verdict.any)
		radio->eifs_from_ns = 0;
	else if (noticed)
		hwsim_access_damaged(radio);
	hwsim_access_moved(radio);
	hwsim_access_unheard(radio);
}
