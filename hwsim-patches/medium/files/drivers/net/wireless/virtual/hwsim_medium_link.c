// SPDX-License-Identifier: GPL-2.0-only
/*
 * Radios of the hwsim medium as others see them: their addresses, and at what
 * level they are heard.
 */
#include <linux/kernel.h>
#include <linux/etherdevice.h>
#include "hwsim_medium_air.h"

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

/**
 * hwsim_radio_owning - the radio that frames to an address are for
 * @medium: the medium
 * @air: the channel on which it most likely listens, or NULL
 * @addr: the address
 *
 * Return: the radio, wherever it listens, or NULL
 */
struct hwsim_radio *hwsim_radio_owning(const struct hwsim_medium *medium,
				       const struct hwsim_air *air,
				       const u8 *addr)
{
	struct hwsim_radio *radio;
	u32 slot;

	if (is_multicast_ether_addr(addr))
		return NULL;
	if (air) {
		list_for_each_entry(radio, &air->radios, tuned)
			if (hwsim_radio_owns(radio, addr))
				return radio;
	}
	for (slot = 0; slot < HWSIM_MEDIUM_MAX_RADIOS; slot++)
		if (medium->radios[slot] &&
		    hwsim_radio_owns(medium->radios[slot], addr))
			return medium->radios[slot];
	return NULL;
}

/**
 * hwsim_link_level_mb - level of a transmission at a receiver
 * @to: the receiver
 * @link: the link from the sender to it
 * @ppdu: the transmission, with its start and its power
 *
 * It follows from these alone, so it is the same whenever it is asked for.
 *
 * Return: signal over noise in 20 MHz, in mB
 */
s32 hwsim_link_level_mb(const struct hwsim_radio *to,
			const struct hwsim_link *link,
			const struct hwsim_ppdu *ppdu)
{
	const struct hwsim_fading *fading =
		to->medium->fadings[link->setting.fading];
	s32 level_mb = ppdu->power_mbm + link->setting.gain_mb - to->noise_mbm;
	u64 block = ppdu->start_ns, draw;

	if (!fading)
		return level_mb;
	if (link->setting.coherence_us)
		block = div_u64(ppdu->start_ns, NSEC_PER_USEC) /
			link->setting.coherence_us;
	draw = hwsim_stream_at(&link->fading, block);
	return level_mb +
	       fading->quantiles_mb[mul_u64_u64_shr(draw, fading->points, 64)];
}

/**
 * hwsim_link_power - power of a transmission at a receiver
 * @to: the receiver
 * @link: the link from the sender to it
 * @ppdu: the transmission
 *
 * Return: its level as a ratio to noise in Q24
 */
u64 hwsim_link_power(const struct hwsim_radio *to, struct hwsim_link *link,
		     const struct hwsim_ppdu *ppdu)
{
	s32 level_mb = hwsim_link_level_mb(to, link, ppdu);

	if (!link->power || link->power_mb != level_mb) {
		link->power_mb = level_mb;
		link->power = hwsim_power_of_mb(level_mb);
	}
	return link->power;
}
