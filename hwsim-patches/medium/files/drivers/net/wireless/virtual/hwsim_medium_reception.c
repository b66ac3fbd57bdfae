// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether a transmission arrives in the hwsim medium: bit errors, by SINR, of
 * preamble, PHY header and each MPDU.
 */
#include <linux/kernel.h>
#include <linux/etherdevice.h>
#include "hwsim_medium_air.h"

/* bits of the payload that have been sent at a given time */
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
			const struct hwsim_reception *reception, u32 offset, u32 bytes,
			struct hwsim_stretch *stretches)
{
	s32 loss_mb = hwsim_phy_stream_loss_mb(&reception->ppdu->rate);
	u32 at = offset * 8, end = at + bytes * 8, count = 0, i;

	for (i = 0; i < reception->count && at < end; i++) {
		const struct hwsim_segment *segment = &reception->segments[i];
		u32 until = end;

		if (i + 1 < reception->count)
			until = min(end, bits_until(reception->ppdu,
						    segment->end_ns));
		if (until <= at)
			continue;
		stretches[count].bits = until - at;
		stretches[count++].hazard =
			hwsim_curve_hazard(curve, segment->sinr_mb - loss_mb);
		at = until;
	}
	return count;
}

/* the stretches that say whether these bytes arrive */
static u32 stretches_of(const struct hwsim_medium *medium,
			const struct hwsim_reception *reception, u32 offset, u32 bytes,
			struct hwsim_stretch *stretches)
{
	const struct hwsim_curve *curve =
		medium->curves[hwsim_phy_curve(&reception->ppdu->rate)];

	return stretches_by(curve, reception, offset, bytes, stretches);
}

/* preamble and PHY header */
static bool header_is_right(struct hwsim_radio *radio,
			    const struct hwsim_reception *reception)
{
	const struct hwsim_ppdu *ppdu = reception->ppdu;
	struct hwsim_stretch stretch;
	enum hwsim_medium_curve curve;
	s32 detect_mb, worst_mb;

	if (ppdu->rate.streams > radio->streams)
		return false;
	if (!hwsim_phy_is_duplicate(&ppdu->rate) &&
	    ppdu->rate.width != HWSIM_PHY_20MHZ &&
	    (ppdu->rate.width > radio->width ||
	     ppdu->centre_mhz != radio->centre_mhz))
		return false;
	detect_mb = ppdu->rate.class == HWSIM_PHY_DSSS ? radio->detect_dsss_mb :
							  radio->detect_ofdm_mb;
	worst_mb = hwsim_sinr_worst_mb(reception, ppdu->start_ns, ppdu->payload_ns);
	if (worst_mb < detect_mb)
		return false;
	curve = hwsim_phy_header_curve(&ppdu->rate, &stretch.bits);
	stretch.hazard = hwsim_curve_hazard(radio->medium->curves[curve],
					    worst_mb);
	return !hwsim_errors_any(&stretch, 1, &reception->link->errors);
}

/* whether a frame without MPDUs of mac80211's (ACK, BA, RTS, CTS) is right */
static bool control_is_right(struct hwsim_radio *radio,
			     const struct hwsim_reception *reception)
{
	struct hwsim_stretch stretches[HWSIM_MAX_SEGMENTS];
	u32 count;

	count = stretches_of(radio->medium, reception, 0,
			     reception->ppdu->psdu_bytes, stretches);
	return !hwsim_errors_any(stretches, count, &reception->link->errors);
}

static void receive_response(struct hwsim_radio *radio,
			     struct hwsim_reception *reception)
{
	reception->any = bitmap_empty(reception->damaged, HWSIM_AMPDU_MAX) &&
			 control_is_right(radio, reception);
	if (reception->ppdu->to == radio)
		__assign_bit(0, reception->ppdu->arrived, reception->any);
}

/**
 * hwsim_radio_takes_damaged - whether a radio accepts damaged MPDUs
 * @radio: the radio
 */
bool hwsim_radio_takes_damaged(const struct hwsim_radio *radio)
{
	return radio->approx || radio->filter & FIF_FCSFAIL;
}

/* a radio that only overhears needs one intact MPDU to learn the reservation */
static void judge_mpdus(struct hwsim_radio *radio,
			struct hwsim_reception *reception)
{
	const struct hwsim_ppdu *ppdu = reception->ppdu;
	bool overhears = !reception->wanted && !hwsim_radio_takes_damaged(radio);
	struct hwsim_stretch stretches[HWSIM_MAX_SEGMENTS];
	struct hwsim_link *link = reception->link;
	u64 drawn = link->errors.drawn;
	u32 i, count;

	for (i = 0; i < ppdu->count && !(overhears && reception->any); i++) {
		if (ppdu->format == HWSIM_FORMAT_AMPDU)
			link->errors.drawn = drawn + i;
		count = stretches_of(radio->medium, reception, ppdu->offsets[i],
				     ppdu->mpdus[i]->bytes, stretches);
		if (!test_bit(i, reception->lost) &&
		    !test_bit(i, reception->damaged) &&
		    !hwsim_errors_any(stretches, count, &link->errors)) {
			__set_bit(i, reception->right);
			reception->any = true;
		}
		hwsim_count_received(radio, reception, i);
	}
	if (ppdu->format == HWSIM_FORMAT_AMPDU)
		link->errors.drawn = drawn + ppdu->count;
	if (ppdu->to == radio)
		bitmap_copy(reception->ppdu->arrived, reception->right,
			    HWSIM_AMPDU_MAX);
}

/* one bit of a frame that was damaged on purpose */
static void flip_any(struct sk_buff *skb, struct hwsim_stream *stream)
{
	u32 bit = hwsim_stream_below(stream, skb->len * 8);

	skb->data[bit / 8] ^= BIT(bit % 8);
}

/**
 * hwsim_reception_flip - damage a frame as it arrived
 * @radio: the receiver
 * @reception: the transmission
 * @i: index of the MPDU, which is damaged
 * @skb: a copy of it, with FCS
 */
void hwsim_reception_flip(const struct hwsim_radio *radio,
			  const struct hwsim_reception *reception, u32 i,
			  struct sk_buff *skb)
{
	const struct hwsim_ppdu *ppdu = reception->ppdu;
	const struct hwsim_curve *curve =
		radio->medium->curves[hwsim_phy_curve(&ppdu->rate)];
	struct hwsim_stretch stretches[HWSIM_MAX_SEGMENTS];
	struct hwsim_stream *stream = &reception->link->flips;
	u32 count;

	count = stretches_by(curve->flips ?: curve, reception, ppdu->offsets[i],
			     ppdu->mpdus[i]->bytes, stretches);
	if (!hwsim_errors_flip(skb->data, stretches, count, curve->burst,
			       stream))
		flip_any(skb, stream);
}

/**
 * hwsim_receive - decide which parts of a transmission arrive
 * @radio: the receiver, which was locked on it
 * @ppdu: the transmission
 * @reception: gets the result
 */
void hwsim_receive(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu,
		   struct hwsim_reception *reception)
{
	reception->ppdu = ppdu;
	reception->link = hwsim_link_of(ppdu->radio, radio);
	reception->level_mb = radio->locked_mb;
	reception->owned = hwsim_radio_owns(radio, ppdu->ra);
	reception->wanted = reception->owned ||
			    radio->filter & FIF_OTHER_BSS ||
			    is_multicast_ether_addr(ppdu->ra);
	reception->detected = true;
	reception->decoded = false;
	reception->any = false;
	bitmap_zero(reception->lost, HWSIM_AMPDU_MAX);
	bitmap_zero(reception->damaged, HWSIM_AMPDU_MAX);
	bitmap_zero(reception->right, HWSIM_AMPDU_MAX);
	if (!ppdu->hit_at || ppdu->hit_at == radio) {
		bitmap_copy(reception->lost, ppdu->lost, HWSIM_AMPDU_MAX);
		bitmap_copy(reception->damaged, ppdu->damaged, HWSIM_AMPDU_MAX);
		reception->detected = bitmap_weight(ppdu->lost, HWSIM_AMPDU_MAX) <
				      max(ppdu->count, 1U);
	}
	hwsim_sinr_segment(radio, reception);
	if (!reception->detected) {
		hwsim_count_missed(radio, ppdu, HWSIM_COUNT_LOST);
		return;
	}
	reception->decoded = header_is_right(radio, reception);
	if (!reception->decoded)
		hwsim_count_missed(radio, ppdu, HWSIM_COUNT_HEADER);
	else if (hwsim_is_response(ppdu))
		receive_response(radio, reception);
	else if (ppdu->count)
		judge_mpdus(radio, reception);
}
