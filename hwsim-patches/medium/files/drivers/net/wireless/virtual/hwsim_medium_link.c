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
 * hwsim_link_level_mb - level of a frame at its receiver
 * @medium: the medium
 * @link: the link
 * @at_ns: start of the frame
 *
 * Depends on nothing but the link and the time, so it is the same whenever and
 * however often it is asked for.
 *
 * Return: signal over noise in 20 MHz, in mB
 */
s32 hwsim_link_level_mb(const struct hwsim_medium *medium,
			const struct hwsim_link *link, u64 at_ns)
{
	const struct hwsim_fading *fading = medium->fadings[link->setting.fading];
	u64 block = at_ns, draw;

	if (!fading)
		return link->setting.snr_mb;
	if (link->setting.coherence_us)
		block = div_u64(at_ns, NSEC_PER_USEC) / link->setting.coherence_us;
	draw = hwsim_stream_at(&link->fading, block);
	return link->setting.snr_mb +
	       fading->quantiles_mb[mul_u64_u64_shr(draw, fading->points, 64)];
}

/**
 * hwsim_link_power - power of a frame at its receiver
 * @medium: the medium
 * @link: the link
 * @at_ns: start of the frame
 *
 * Return: its level as a ratio to noise in Q24
 */
u64 hwsim_link_power(const struct hwsim_medium *medium, struct hwsim_link *link,
		     u64 at_ns)
{
	s32 level_mb = hwsim_link_level_mb(medium, link, at_ns);

	if (!link->power || link->power_mb != level_mb) {
		link->power_mb = level_mb;
		link->power = hwsim_power_of_mb(level_mb);
	}
	return link->power;
}
