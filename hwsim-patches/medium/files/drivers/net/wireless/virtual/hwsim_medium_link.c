// SPDX-License-Identifier: GPL-2.0-only
/*
 * Radios of the hwsim medium as seen by others: their addresses, and the level
 * at which they are heard.
 */
#include <linux/kernel.h>
#include <linux/etherdevice.h>
#include <linux/slab.h>
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

/*
 * Powers are ratios to the receiver's noise, and below HWSIM_POWER_MIN_MB they
 * are 0. With a gain below this, that is so for the strongest sender and the
 * receiver with the least noise that user space can make, so such a link adds
 * nothing to noise or energy. It is 20 dB below the least SINR and 30 dB below
 * the least energy that any receiver can be made to detect.
 */
#define GAIN_CUT_OFF_MB	(HWSIM_POWER_MIN_MB - HWSIM_MEDIUM_POWER_MAX_MBM + \
			 HWSIM_MEDIUM_NOISE_MIN_MBM)

static_assert(HWSIM_POWER_MIN_MB < HWSIM_MEDIUM_DETECT_MIN_MB);
static_assert(GAIN_CUT_OFF_MB + HWSIM_MEDIUM_POWER_MAX_MBM <
	      HWSIM_MEDIUM_ED_MIN_MBM);

/* there may be a million of them */
static struct kmem_cache *links_cache;

/**
 * hwsim_link_is_heard - whether anything can ever be heard over a link
 * @setting: the link
 *
 * Fading tables may change, so with one the greatest possible gain counts.
 */
bool hwsim_link_is_heard(const struct hwsim_link_setting *setting)
{
	s32 most_mb = setting->gain_mb;

	if (setting->fading)
		most_mb += HWSIM_LEVEL_MAX_MB;
	return most_mb >= GAIN_CUT_OFF_MB;
}

/**
 * hwsim_link_new - allocate a link, which is not yet in the array of a radio
 * @from: sender
 * @to: receiver, on the same medium
 *
 * Return: the link, to be freed with hwsim_link_free(), or NULL
 */
struct hwsim_link *hwsim_link_new(const struct hwsim_radio *from,
				  const struct hwsim_radio *to)
{
	struct hwsim_link *link = kmem_cache_zalloc(links_cache, GFP_KERNEL);
	u64 seed = from->medium->seed;

	if (!link)
		return NULL;
	hwsim_stream_init(&link->errors, seed, HWSIM_STREAM_ERRORS,
			  from->stream, to->stream);
	hwsim_stream_init(&link->flips, seed, HWSIM_STREAM_FLIPS,
			  from->stream, to->stream);
	/* both directions fade alike */
	hwsim_stream_init(&link->fading, seed, HWSIM_STREAM_FADING,
			  min(from->stream, to->stream),
			  max(from->stream, to->stream));
	return link;
}

/**
 * hwsim_link_free - free a link
 * @link: the link, or NULL
 */
void hwsim_link_free(struct hwsim_link *link)
{
	if (link)
		kmem_cache_free(links_cache, link);
}

/**
 * hwsim_links_forget - remove all links of a radio that leaves the medium
 * @radio: the radio, which no longer has a slot
 */
void hwsim_links_forget(struct hwsim_radio *radio)
{
	struct hwsim_medium *medium = radio->medium;
	struct hwsim_counts *counts;
	struct hwsim_link *link;
	unsigned long slot;

	for (slot = 0; slot < HWSIM_MEDIUM_MAX_RADIOS; slot++) {
		struct hwsim_radio *other = medium->radios[slot];

		if (!other)
			continue;
		hwsim_link_free(xa_erase(&other->links, radio->slot));
		kfree(xa_erase(&other->counts, radio->slot));
	}
	xa_for_each(&radio->links, slot, link)
		hwsim_link_free(link);
	xa_destroy(&radio->links);
	xa_for_each(&radio->counts, slot, counts)
		kfree(counts);
	xa_destroy(&radio->counts);
}

/**
 * hwsim_links_init - set up; before any link is allocated
 *
 * Return: 0 or -ENOMEM
 */
int __init hwsim_links_init(void)
{
	links_cache = KMEM_CACHE(hwsim_link, SLAB_ACCOUNT);
	return links_cache ? 0 : -ENOMEM;
}

/**
 * hwsim_links_exit - clean up; after all links have been freed
 */
void hwsim_links_exit(void)
{
	kmem_cache_destroy(links_cache);
}

/**
 * hwsim_link_level_mb - level of a transmission at a receiver
 * @to: the receiver
 * @link: the link from the sender to it
 * @ppdu: the transmission, with its start and its power
 *
 * It depends on these alone, not on when it is computed.
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
