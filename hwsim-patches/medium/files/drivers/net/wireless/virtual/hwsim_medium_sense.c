// SPDX-License-Identifier: GPL-2.0-only
/*
 * Carrier sense of the hwsim medium by energy, in a channel and nearby.
 *
 * Transmissions on other channels are energy and noise here, as far as spectral
 * masks let them in. Their energy is detected without propagation delay.
 */
#include <linux/kernel.h>
#include "hwsim_medium_air.h"

/* signals that energy detection adds up; a further one only counts by itself */
#define MAX_SIGNALS	32

/* whether a channel can receive power from another */
static bool is_near(const struct hwsim_air *air, u32 freq_mhz)
{
	return abs((s32)air->freq_mhz - (s32)freq_mhz) < HWSIM_MASK_REACH_MHZ;
}

/* what energy detection adds up */
struct signal {
	u64 end_ns;
	u64 power;
};

/* power of a transmission at a radio, in 20 MHz */
static u64 power_at(struct hwsim_medium *medium, const struct hwsim_radio *radio,
		    const struct hwsim_ppdu *ppdu, u32 freq_mhz)
{
	struct hwsim_link *link = hwsim_link_of(ppdu->radio, radio);
	u64 power;

	if (!link)
		return 0;
	power = hwsim_link_power(radio, link, ppdu);
	return mul_u64_u64_shr(power,
			       hwsim_air_share(medium, ppdu, freq_mhz,
					       HWSIM_PHY_20MHZ),
			       HWSIM_POWER_SHIFT);
}

/* whether a transmission is on the air at a radio now */
static bool sounds_at(const struct hwsim_medium *medium,
		      const struct hwsim_radio *radio,
		      const struct hwsim_ppdu *ppdu)
{
	u64 sent_ns;

	if (!medium->longest_ns)
		return !ppdu->ended;
	/* when a signal that arrives now was sent */
	sent_ns = medium->clock.now_ns - hwsim_delay_ns(ppdu, radio);
	return ppdu->start_ns <= sent_ns && sent_ns < ppdu->end_ns;
}

/* all signals that a radio hears now in 20 MHz */
static u32 signals_at(struct hwsim_medium *medium,
		      const struct hwsim_radio *radio, u32 freq_mhz,
		      struct signal *signals)
{
	const struct hwsim_ppdu *ppdu;
	const struct hwsim_air *air;
	u32 count = 0;

	list_for_each_entry(air, &medium->airs, list) {
		if ((!air->sounding && !medium->longest_ns) ||
		    !is_near(air, freq_mhz))
			continue;
		list_for_each_entry(ppdu, &air->ppdus, list) {
			if (!sounds_at(medium, radio, ppdu) || !ppdu->radio ||
			    ppdu->radio == radio || count == MAX_SIGNALS)
				continue;
			signals[count].end_ns = ppdu->end_ns +
						hwsim_delay_ns(ppdu, radio);
			signals[count].power = power_at(medium, radio, ppdu,
							freq_mhz);
			count += signals[count].power > 0;
		}
	}
	return count;
}

static u64 power_of(const struct signal *signals, u32 count)
{
	u64 power = 0;
	u32 i;

	for (i = 0; i < count; i++)
		power = hwsim_power_sum(power, signals[i].power);
	return power;
}

/*
 * Until when the sum of the signals on the air makes a channel busy (17.3.10.6,
 * 19.3.19.5.4), or 0 if it is too weak now.
 */
static u64 loud_until(struct hwsim_medium *medium,
		      const struct hwsim_radio *radio, u32 freq_mhz)
{
	u64 limit = hwsim_power_of_mb(radio->ed_mbm - radio->noise_mbm);
	struct signal signals[MAX_SIGNALS];
	u64 until = 0;
	u32 count, first, i;

	count = signals_at(medium, radio, freq_mhz, signals);
	while (count && power_of(signals, count) >= limit) {
		first = 0;
		for (i = 1; i < count; i++)
			if (signals[i].end_ns < signals[first].end_ns)
				first = i;
		until = signals[first].end_ns;
		signals[first] = signals[--count];
	}
	return until;
}

/**
 * hwsim_sense_busy - the channel of a radio is busy from now on
 * @radio: the radio
 * @until_ns: at least until then
 */
void hwsim_sense_busy(struct hwsim_radio *radio, u64 until_ns)
{
	hwsim_survey_busy(radio, until_ns);
	radio->medium->mac_ops->busy(radio, until_ns);
}

/**
 * hwsim_sense_energy - sense the energy of all signals in a radio's channel
 * @radio: the radio
 */
void hwsim_sense_energy(struct hwsim_radio *radio)
{
	u64 until = loud_until(radio->medium, radio, radio->air->freq_mhz);

	radio->energy_until_ns = max(radio->energy_until_ns, until);
	if (until > radio->busy_until_ns)
		hwsim_sense_busy(radio, until);
}

/*
 * The lowest 20 MHz channel of the block of a width that has a radio's primary
 * channel, as a centre frequency. The whole channel is cut into such blocks.
 */
static u32 block_of(const struct hwsim_radio *radio, u8 width)
{
	u32 lowest = radio->centre_mhz + 10 - (10 << radio->width);
	u32 channels = (radio->air->freq_mhz - lowest) / 20;

	return lowest + 20 * round_down(channels, 1 << width);
}

/**
 * hwsim_sense_secondary - sense energy in the secondary channels
 * @radio: the radio, which needs to know before it uses them
 *
 * A width adds the other half of its block to that of the next smaller width.
 */
void hwsim_sense_secondary(struct hwsim_radio *radio)
{
	u32 freq_mhz, half, i;
	u64 until;
	u8 width;

	for (width = HWSIM_PHY_40MHZ; width <= radio->width; width++) {
		half = 1 << (width - 1);
		freq_mhz = block_of(radio, width);
		if (freq_mhz == block_of(radio, width - 1))
			freq_mhz += 20 * half;
		for (i = 0; i < half; i++) {
			until = loud_until(radio->medium, radio,
					   freq_mhz + 20 * i);
			radio->secondary_until_ns[width] =
				max(radio->secondary_until_ns[width], until);
		}
	}
}

/**
 * hwsim_sense_nearby - a transmission is energy and noise on nearby channels
 * @medium: the medium
 * @ppdu: the transmission, which starts now
 */
void hwsim_sense_nearby(struct hwsim_medium *medium, struct hwsim_ppdu *ppdu)
{
	struct hwsim_radio *radio;
	struct hwsim_ppdu *other;
	struct hwsim_air *air;
	u64 share;

	list_for_each_entry(air, &medium->airs, list) {
		if (air == ppdu->air || !is_near(air, ppdu->air->freq_mhz))
			continue;
		ppdu->disturbed |= air->sounding;
		list_for_each_entry(other, &air->ppdus, list)
			if (!other->ended)
				other->disturbed = true;
		share = hwsim_air_share(medium, ppdu, air->freq_mhz,
					HWSIM_PHY_20MHZ);
		list_for_each_entry(radio, &air->radios, tuned) {
			if (share)
				hwsim_sense_energy(radio);
			hwsim_sense_secondary(radio);
		}
	}
}
