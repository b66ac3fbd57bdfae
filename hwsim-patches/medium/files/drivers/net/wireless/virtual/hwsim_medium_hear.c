// SPDX-License-Identifier: GPL-2.0-only
/*
 * A radio of the hwsim medium hears a transmission begin and end: preamble
 * detection, capture, and reception.
 */
#include <linux/kernel.h>
#include "hwsim_medium_air.h"

/*
 * A receiver still switches to a stronger frame while it trains on the preamble
 * of another, which takes a few us.
 */
#define SYNC_OFDM_NS	4000
#define SYNC_DSSS_NS	15000

/* whether a receiver starts to receive a frame that begins now */
static bool takes_up(const struct hwsim_medium *medium,
		     struct hwsim_radio *radio,
		     const struct hwsim_ppdu *ppdu, s32 level_mb)
{
	const struct hwsim_ppdu *locked = radio->locked;
	u64 start_ns, locked_ns, sync_ns;

	if (hwsim_now_ns(radio) < radio->sends_until_ns ||
	    !medium->mac_ops->listens(radio, ppdu))
		return false;
	if (!locked)
		return true;
	sync_ns = locked->rate.class == HWSIM_PHY_DSSS ? SYNC_DSSS_NS :
							  SYNC_OFDM_NS;
	start_ns = ppdu->start_ns + hwsim_delay_ns(ppdu, radio);
	locked_ns = locked->start_ns + hwsim_delay_ns(locked, radio);
	/*
	 * Frames of equal level that begin together are received equally often.
	 */
	if (start_ns == locked_ns && level_mb == radio->locked_mb)
		return !hwsim_stream_below(&radio->choices, ++radio->rivals);
	if (start_ns < locked_ns + sync_ns)
		return level_mb > radio->locked_mb;
	return medium->has_capture &&
	       level_mb >= radio->locked_mb + medium->capture_mb;
}

/* a signal that a radio cannot decode is energy and noise to it */
static bool understands(const struct hwsim_radio *radio,
			const struct hwsim_ppdu *ppdu)
{
	return !radio->dsss_only || ppdu->rate.class == HWSIM_PHY_DSSS;
}

/* level of a transmission in 20 MHz of its band */
static s32 level_in_20mhz(const struct hwsim_ppdu *ppdu, s32 level_mb)
{
	return level_mb - ppdu->rate.width * HWSIM_HALF_MB;
}

/**
 * hwsim_hear_begin - a transmission begins at a radio of its channels
 * @radio: the radio
 * @ppdu: the transmission
 *
 * Only a radio that can receive a frame detects its preamble. To one that sends,
 * or receives another frame, it is only energy (17.3.10.6).
 */
void hwsim_hear_begin(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu)
{
	struct hwsim_medium *medium = radio->medium;
	const struct hwsim_link *link = hwsim_link_of(ppdu->radio, radio);
	s32 level_mb, detect_mb;
	bool detected;
	u64 end_ns;

	if (!link)
		return;
	level_mb = hwsim_link_level_mb(radio, link, ppdu);
	detect_mb = ppdu->rate.class == HWSIM_PHY_DSSS ? radio->detect_dsss_mb :
							  radio->detect_ofdm_mb;
	detected = level_in_20mhz(ppdu, level_mb) >= detect_mb &&
		   understands(radio, ppdu) &&
		   takes_up(medium, radio, ppdu, level_mb);
	end_ns = ppdu->end_ns + hwsim_delay_ns(ppdu, radio);
	if (detected || level_in_20mhz(ppdu, level_mb) + radio->noise_mbm >=
			radio->ed_mbm)
		hwsim_sense_busy(radio, end_ns);
	if (detected && radio->air != ppdu->air)
		radio->energy_until_ns = max(radio->energy_until_ns, end_ns);
	if (ppdu->overlapped || ppdu->disturbed)
		hwsim_sense_energy(radio);
	if (detected) {
		if (!radio->locked || level_mb != radio->locked_mb)
			radio->rivals = 1;
		radio->locked = ppdu;
		radio->locked_mb = level_mb;
		medium->mac_ops->rx_begin(radio);
	}
}

static void receive(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu)
{
	struct hwsim_reception reception;	/* large: not cleared */

	hwsim_receive(radio, ppdu, &reception);
	radio->medium->mac_ops->rx_end(radio, &reception);
}

/**
 * hwsim_hear_end - a transmission ends at a radio of its channels
 * @radio: the radio
 * @ppdu: the transmission
 */
void hwsim_hear_end(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu)
{
	if (radio->locked == ppdu) {
		radio->locked = NULL;
		hwsim_survey_received(radio, ppdu);
		receive(radio, ppdu);
	} else if (radio == ppdu->to) {
		hwsim_count_missed(radio, ppdu, HWSIM_COUNT_LOST);
	}
}
