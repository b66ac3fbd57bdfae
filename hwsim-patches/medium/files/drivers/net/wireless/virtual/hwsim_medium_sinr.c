// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interference in the hwsim medium: SINR over a frame.
 *
 * Not modelled: antenna diversity, frequency-selective fading, interference
 * other than as noise of the same power in the frame's band.
 */
#include <linux/kernel.h>
#include "hwsim_medium_air.h"

#define WEAK_POWER	(HWSIM_POWER_NOISE / 256)

/* noise that a wider channel lets in */
static s32 width_mb(const struct hwsim_phy_rate *rate)
{
	return rate->width * HWSIM_HALF_MB;
}

/*
 * A duplicate is received in the receiver's primary channel, with the share of
 * that.
 */
static enum hwsim_phy_width width_at(const struct hwsim_ppdu *ppdu)
{
	return hwsim_phy_is_duplicate(&ppdu->rate) ? HWSIM_PHY_20MHZ :
						     ppdu->rate.width;
}

static u32 centre_at(const struct hwsim_radio *radio,
		     const struct hwsim_ppdu *ppdu)
{
	return hwsim_phy_is_duplicate(&ppdu->rate) ? radio->air->freq_mhz :
						     ppdu->centre_mhz;
}

/**
 * hwsim_air_share - how much of a transmission gets into a band
 * @medium: the medium
 * @ppdu: the transmission, sent
 * @centre_mhz: centre of the band
 * @width: of the band
 *
 * Return: share of its power, Q24
 */
u64 hwsim_air_share(struct hwsim_medium *medium, const struct hwsim_ppdu *ppdu,
		    u32 centre_mhz, enum hwsim_phy_width width)
{
	u32 offset = abs((s32)ppdu->centre_mhz - (s32)centre_mhz);
	u32 *known;

	if (!offset && width == ppdu->rate.width)
		return HWSIM_POWER_NOISE;
	if (offset >= HWSIM_MASK_REACH_MHZ)
		return 0;
	known = &medium->shares[hwsim_mask_of(&ppdu->rate)][width][offset];
	if (!*known)	/* stored plus one, since a share may be 0 */
		*known = hwsim_mask_share(&ppdu->rate, offset, width) + 1;
	return *known - 1;
}

/* when another transmission starts at a receiver, if a frame starts on time */
static u64 start_relative_to(const struct hwsim_radio *radio,
			     const struct hwsim_ppdu *ppdu,
			     const struct hwsim_ppdu *other)
{
	return other->start_ns + hwsim_delay_ns(other, radio) -
	       hwsim_delay_ns(ppdu, radio);
}

static bool overlap(const struct hwsim_radio *radio,
		    const struct hwsim_ppdu *ppdu,
		    const struct hwsim_ppdu *other)
{
	u64 start = start_relative_to(radio, ppdu, other);

	return other != ppdu && start < ppdu->end_ns &&
	       start + (other->end_ns - other->start_ns) > ppdu->start_ns;
}

/* whether another transmission reaches a receiver while a frame does */
static bool disturbs(const struct hwsim_radio *radio,
		     const struct hwsim_ppdu *ppdu,
		     const struct hwsim_ppdu *other)
{
	return other->radio && other->radio != radio &&
	       overlap(radio, ppdu, other) &&
	       hwsim_link_of(other->radio, radio);
}

/*
 * Power of another transmission in the band of a frame, at a receiver. Weak
 * leakage from other channels is ignored: 16 such transmissions add at most 0.3
 * dB of noise.
 */
static u64 interfering_power(const struct hwsim_radio *radio,
			     const struct hwsim_ppdu *ppdu,
			     const struct hwsim_ppdu *other)
{
	struct hwsim_medium *medium = radio->medium;
	u64 power;

	if (!disturbs(radio, ppdu, other))
		return 0;
	power = hwsim_link_power(radio, hwsim_link_of(other->radio, radio), other);
	power = mul_u64_u64_shr(power,
				hwsim_air_share(medium, other,
						centre_at(radio, ppdu),
						width_at(ppdu)),
				HWSIM_POWER_SHIFT);
	return other->air == ppdu->air || power >= WEAK_POWER ? power : 0;
}

/* another transmission, on the clock of a frame that it disturbs */
struct interferer {
	u64 start_ns;
	u64 end_ns;
	u64 power;
};

/* what else is on the air during a frame, at its receiver */
static u32 interferers(const struct hwsim_radio *radio,
		       const struct hwsim_ppdu *ppdu,
		       struct interferer *others, u64 *rest)
{
	const struct hwsim_ppdu *other;
	const struct hwsim_air *air;
	u32 count = 0;

	list_for_each_entry(air, &radio->medium->airs, list) {
		list_for_each_entry(other, &air->ppdus, list) {
			u64 power = interfering_power(radio, ppdu, other), start;

			if (!power)
				continue;
			if (count == HWSIM_MAX_INTERFERERS) {
				*rest = hwsim_power_sum(*rest, power);
				continue;
			}
			start = start_relative_to(radio, ppdu, other);
			others[count].start_ns = start;
			others[count].end_ns = start + other->end_ns -
					       other->start_ns;
			others[count++].power = power;
		}
	}
	return count;
}

/**
 * hwsim_sinr_segment - cut a frame into segments of equal SINR
 * @radio: its receiver
 * @reception: gets the segments, at each start and end of an interferer
 */
void hwsim_sinr_segment(const struct hwsim_radio *radio,
			struct hwsim_reception *reception)
{
	struct interferer others[HWSIM_MAX_INTERFERERS];
	const struct hwsim_ppdu *ppdu = reception->ppdu;
	s32 wide_mb = width_mb(&ppdu->rate), share_mb;
	u64 at = ppdu->start_ns, rest = 0;
	u32 count, i;

	if (!ppdu->overlapped && !ppdu->disturbed) {
		reception->collided = false;
		reception->count = 1;
		reception->segments[0].end_ns = ppdu->end_ns;
		reception->segments[0].sinr_mb = reception->level_mb - wide_mb;
		return;
	}
	count = interferers(radio, ppdu, others, &rest);
	share_mb = (ppdu->rate.width - width_at(ppdu)) * HWSIM_HALF_MB;
	reception->collided = rest >= HWSIM_INTERFERENCE;
	reception->count = 0;
	while (at < ppdu->end_ns && reception->count < HWSIM_MAX_SEGMENTS) {
		struct hwsim_segment *segment = &reception->segments[reception->count++];
		u64 power = rest, end = ppdu->end_ns;

		for (i = 0; i < count; i++) {
			if (others[i].start_ns > at) {
				end = min(end, others[i].start_ns);
			} else if (others[i].end_ns > at) {
				end = min(end, others[i].end_ns);
				power = hwsim_power_sum(power, others[i].power);
			}
		}
		reception->collided |= power >= HWSIM_INTERFERENCE;
		power = hwsim_power_sum(power,
					HWSIM_POWER_NOISE << width_at(ppdu));
		segment->end_ns = end;
		segment->sinr_mb = reception->level_mb -
			(count ? share_mb + hwsim_mb_of_power(power) : wide_mb);
		at = end;
	}
}

/**
 * hwsim_sinr_worst_mb - lowest SINR between two times
 * @reception: what was received
 * @from: the first
 * @until: the second
 */
s32 hwsim_sinr_worst_mb(const struct hwsim_reception *reception, u64 from, u64 until)
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

/**
 * hwsim_collided_at - whether a radio heard or sent anything else during a
 *	transmission
 * @radio: the radio
 * @ppdu: the transmission
 */
bool hwsim_collided_at(const struct hwsim_radio *radio,
		       const struct hwsim_ppdu *ppdu)
{
	const struct hwsim_ppdu *other;
	const struct hwsim_air *air;
	u64 power = 0;

	if (!ppdu->overlapped && !ppdu->disturbed)
		return false;
	list_for_each_entry(air, &radio->medium->airs, list)
		list_for_each_entry(other, &air->ppdus, list) {
			if (other->radio == radio &&
			    overlap(radio, ppdu, other))
				return true;
			power = hwsim_power_sum(power,
						interfering_power(radio, ppdu, other));
		}
	return power >= HWSIM_INTERFERENCE;
}
