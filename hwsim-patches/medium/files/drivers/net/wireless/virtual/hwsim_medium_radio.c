// SPDX-License-Identifier: GPL-2.0-only
/*
 * A radio of mac80211_hwsim and the medium it is on.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "hwsim_medium_radio.h"

#define DEFAULT_POWER_MBM	2000
#define DEFAULT_NOISE_MBM	(-9400)	/* kT in 20 MHz, noise figure 7 dB */
#define DEFAULT_ED_MBM		(-6200)	/* CCA-ED, 17.3.10.6 */
#define DEFAULT_DETECT_OFDM_MB	300
#define DEFAULT_DETECT_DSSS_MB	(-400)

#define DSSS_RATES		4	/* 1, 2, 5.5, 11 Mbit/s */

/* the list of media, and which radio is on which */
DEFINE_MUTEX(hwsim_media_mutex);

/* all radios of the driver by number, under hwsim_media_mutex */
static DEFINE_XARRAY(hwsim_all_radios);

/* of a band without HT or VHT, nothing changes that counts */
static void limit_streams(struct ieee80211_supported_band *band, u8 streams)
{
	struct ieee80211_vht_mcs_info *vht = &band->vht_cap.vht_mcs;
	__le16 lacks = cpu_to_le16((u16)(U16_MAX << 2 * streams));	/* two bits each */
	u32 i;

	for (i = 0; i < HWSIM_PHY_MAX_STREAMS; i++)
		band->ht_cap.mcs.rx_mask[i] = i < streams ? 0xff : 0;
	vht->rx_mcs_map |= lacks;
	vht->tx_mcs_map |= lacks;
}

/*
 * What cfg80211 and mac80211 are to know of a radio, while they do not know it
 * yet: they derive other values from it when it is registered, and read it
 * without a lock afterwards.
 */
static void describe(struct wiphy *wiphy, const struct hwsim_radio_limits *limits)
{
	struct ieee80211_supported_band *band;
	int i;

	/* it needs air times, which a medium reports; without one, all are 0 */
	wiphy_ext_feature_set(wiphy, NL80211_EXT_FEATURE_AIRTIME_FAIRNESS);
	for (i = 0; i < NUM_NL80211_BANDS; i++) {
		band = wiphy->bands[i];
		if (band && limits->streams)
			limit_streams(band, limits->streams);
	}
	band = wiphy->bands[NL80211_BAND_2GHZ];
	if (band && limits->dsss_only) {
		/* they are in rising order, DSSS first */
		band->n_bitrates = min(band->n_bitrates, DSSS_RATES);
		band->ht_cap.ht_supported = false;
	}
}

/**
 * hwsim_radio_new - create the medium's state of a radio
 * @hw: the radio for mac80211, not registered yet
 * @index: its number
 * @ops: operations of the driver
 * @limits: what it lacks, at most HWSIM_PHY_MAX_STREAMS streams
 *
 * It is not on a medium yet.
 *
 * Return: the radio, or NULL
 */
struct hwsim_radio *hwsim_radio_new(struct ieee80211_hw *hw, u32 index,
				    const struct hwsim_medium_ops *ops,
				    const struct hwsim_radio_limits *limits)
{
	struct {
		struct hwsim_radio radio;
		struct hwsim_mac mac;
	} *both = kzalloc(sizeof(*both), GFP_KERNEL);
	struct hwsim_radio *radio;
	int i, result;

	if (!both)
		return NULL;
	radio = &both->radio;
	radio->mac = &both->mac;
	radio->mac->radio = radio;
	radio->mac->frames = &hwsim_frame_ops;
	radio->hw = hw;
	radio->index = index;
	radio->ops = ops;
	radio->power_mbm = DEFAULT_POWER_MBM;
	radio->limit_mbm = S32_MAX;	/* until mac80211 sets it */
	radio->noise_mbm = DEFAULT_NOISE_MBM;
	radio->ed_mbm = DEFAULT_ED_MBM;
	radio->detect_ofdm_mb = DEFAULT_DETECT_OFDM_MB;
	radio->detect_dsss_mb = DEFAULT_DETECT_DSSS_MB;
	radio->streams = limits->streams ?: HWSIM_PHY_STREAMS;
	radio->dsss_only = limits->dsss_only;
	radio->mac->max_ppdu_ns = HWSIM_PPDU_MAX_NS;
	radio->mac->ba_window = HWSIM_BA_BITS;
	INIT_LIST_HEAD(&radio->tuned);
	INIT_LIST_HEAD(&radio->surveys);
	xa_init_flags(&radio->links, XA_FLAGS_LOCK_BH | XA_FLAGS_ACCOUNT);
	xa_init_flags(&radio->counts, XA_FLAGS_LOCK_BH);
	INIT_LIST_HEAD(&radio->mac->peers_used);
	hwsim_networks_init(radio);
	hash_init(radio->mac->peers);
	hash_init(radio->mac->sessions);
	hash_init(radio->mac->recipients);
	hwsim_event_init(&radio->mac->timeout, HWSIM_PHASE_TIMEOUT);
	for (i = 0; i < HWSIM_NUM_ACS; i++) {
		INIT_LIST_HEAD(&radio->mac->acs[i].queue);
		radio->mac->acs[i].committed_ns = HWSIM_NEVER;
	}
	mutex_lock(&hwsim_media_mutex);
	result = xa_insert(&hwsim_all_radios, index, radio, GFP_KERNEL);
	mutex_unlock(&hwsim_media_mutex);
	if (result) {
		kfree(both);
		return NULL;
	}
	describe(hw->wiphy, limits);
	return radio;
}
EXPORT_SYMBOL_GPL(hwsim_radio_new);

/**
 * hwsim_radio_free - the driver removes a radio; mac80211 no longer uses it
 * @radio: the radio, or NULL
 */
void hwsim_radio_free(struct hwsim_radio *radio)
{
	if (!radio)
		return;
	mutex_lock(&hwsim_media_mutex);
	hwsim_radio_detach(radio);
	xa_erase(&hwsim_all_radios, radio->index);
	mutex_unlock(&hwsim_media_mutex);
	kfree(radio->addresses);
	kfree(radio);
}
EXPORT_SYMBOL_GPL(hwsim_radio_free);

/**
 * hwsim_radio_attached - whether a radio is on a medium
 * @radio: the radio, or NULL
 */
bool hwsim_radio_attached(const struct hwsim_radio *radio)
{
	return radio && READ_ONCE(radio->medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_attached);

/**
 * hwsim_radio_by_index - find a radio; under hwsim_media_mutex
 * @index: its number
 */
struct hwsim_radio *hwsim_radio_by_index(u32 index)
{
	return xa_load(&hwsim_all_radios, index);
}

/**
 * hwsim_radio_attach - put a radio on a medium; under hwsim_media_mutex
 * @radio: the radio, down, its wiphy locked so that it stays so
 * @medium: the medium
 * @stream: name of the radio in random streams
 * @extack: for error messages
 */
int hwsim_radio_attach(struct hwsim_radio *radio, struct hwsim_medium *medium,
		       u64 stream, struct netlink_ext_ack *extack)
{
	u32 slot;
	int i;

	if (radio->medium) {
		NL_SET_ERR_MSG(extack, "the radio is already on a medium");
		return -EBUSY;
	}
	if (radio->ops->is_up(radio->hw)) {
		NL_SET_ERR_MSG(extack, "take the radio's interfaces down first");
		return -EBUSY;
	}
	for (slot = 0; slot < HWSIM_MEDIUM_MAX_RADIOS; slot++)
		if (!medium->radios[slot])
			break;
	if (slot == HWSIM_MEDIUM_MAX_RADIOS) {
		NL_SET_ERR_MSG(extack, "the medium already has 1024 radios");
		return -ENOSPC;
	}
	radio->slot = slot;
	radio->stream = stream;
	for (i = 0; i < HWSIM_NUM_ACS; i++) {
		struct hwsim_edca *edca = &radio->mac->acs[i].edca;

		hwsim_stream_init(&edca->stream, medium->seed,
				  HWSIM_STREAM_BACKOFF, stream, i);
	}
	hwsim_stream_init(&radio->mac->latency, medium->seed, HWSIM_STREAM_LATENCY,
			  stream, 0);
	hwsim_stream_init(&radio->choices, medium->seed, HWSIM_STREAM_CHOICES, stream,
			  0);
	hwsim_network_set_timing(radio);
	hwsim_network_set_edca(radio);	/* DCF, until mac80211 sets it */
	spin_lock_bh(&medium->clock.lock);
	medium->radios[slot] = radio;
	medium->num_radios++;
	WRITE_ONCE(radio->medium, medium);
	spin_unlock_bh(&medium->clock.lock);
	return 0;
}

/**
 * hwsim_radio_limit_power - mac80211 limits the transmit power of a radio
 * @radio: the radio
 * @dbm: least of what the channel, the user and the access point allow
 */
void hwsim_radio_limit_power(struct hwsim_radio *radio, int dbm)
{
	hwsim_medium_enter(radio->medium);
	radio->limit_mbm = dbm * 100;
	hwsim_medium_leave(radio->medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_limit_power);

/**
 * hwsim_radio_txpower_dbm - transmit power of a radio
 * @radio: the radio
 *
 * Return: rounded, since mac80211 only knows whole dBm
 */
int hwsim_radio_txpower_dbm(struct hwsim_radio *radio)
{
	s32 mbm;

	hwsim_medium_enter(radio->medium);
	mbm = hwsim_radio_power_mbm(radio);
	hwsim_medium_leave(radio->medium);
	return DIV_ROUND_CLOSEST(mbm, 100);
}
EXPORT_SYMBOL_GPL(hwsim_radio_txpower_dbm);

/**
 * hwsim_radio_detach - take a radio off its medium; under hwsim_media_mutex
 * @radio: the radio, down; its wiphy locked, or no longer registered: works of
 *	mac80211 that come after an interface has gone down find it on a medium
 *	or do not, but not in between
 */
void hwsim_radio_detach(struct hwsim_radio *radio)
{
	struct hwsim_medium *medium = radio->medium;
	struct hwsim_recipient *recipient;
	struct hlist_node *next;
	int i;

	if (!medium)
		return;
	hwsim_medium_enter(medium);
	hwsim_air_forget(radio);
	hwsim_exchange_reset(radio);
	hwsim_tx_purge(radio, NULL);
	WARN_ON_ONCE(radio->mac->held);	/* each frame completes once */
	hwsim_up_forget(radio);
	hash_for_each_safe(radio->mac->recipients, i, next, recipient, node) {
		hash_del(&recipient->node);
		kfree(recipient);
	}
	hwsim_peer_forget(radio, NULL, NULL);
	hwsim_fault_forget(radio);
	hwsim_survey_forget(radio);
	medium->radios[radio->slot] = NULL;
	medium->num_radios--;
	hwsim_links_forget(radio);
	WRITE_ONCE(radio->medium, NULL);
	WRITE_ONCE(radio->hw->drop_tail, 0);
	WRITE_ONCE(radio->hw->oldest_first, false);
	hwsim_medium_leave(medium);
	/* wait for what is being delivered, in softirq */
	synchronize_net();
}

/**
 * hwsim_radio_stop - a radio goes down
 * @radio: the radio
 */
void hwsim_radio_stop(struct hwsim_radio *radio)
{
	hwsim_medium_enter(radio->medium);
	hwsim_air_tune(radio, NULL);
	hwsim_exchange_reset(radio);
	hwsim_tx_purge(radio, NULL);
	WARN_ON_ONCE(radio->mac->held);
	hwsim_up_forget(radio);
	hwsim_medium_leave(radio->medium);
	/* wait for what is being delivered, in softirq */
	synchronize_net();
}
EXPORT_SYMBOL_GPL(hwsim_radio_stop);

static enum hwsim_phy_width width_of(enum nl80211_chan_width width)
{
	switch (width) {
	case NL80211_CHAN_WIDTH_40:
		return HWSIM_PHY_40MHZ;
	case NL80211_CHAN_WIDTH_80:
		return HWSIM_PHY_80MHZ;
	case NL80211_CHAN_WIDTH_160:
		return HWSIM_PHY_160MHZ;
	default:
		return HWSIM_PHY_20MHZ;
	}
}

/**
 * hwsim_radio_listen - a radio tunes to a channel
 * @radio: the radio
 * @chandef: the channel, or NULL
 */
void hwsim_radio_listen(struct hwsim_radio *radio,
			const struct cfg80211_chan_def *chandef)
{
	struct ieee80211_channel *channel = chandef ? chandef->chan : NULL;
	u64 now = hwsim_medium_enter(radio->medium);
	int i;

	if (channel) {
		radio->width = width_of(chandef->width);
		radio->centre_mhz = chandef->center_freq1;
	}
	if (radio->channel != channel || !radio->air) {
		hwsim_air_tune(radio, channel);
		if (channel && channel != radio->channel)
			hwsim_tx_drop_queued(radio, NULL);
		radio->channel = channel;
		hwsim_network_set_timing(radio);
		hwsim_sessions_resume(radio);
		for (i = 0; radio->air && i < IEEE80211_NUM_ACS; i++)
			if (hwsim_ac_pending(&radio->mac->acs[i]))
				hwsim_access_ready(radio, &radio->mac->acs[i], now);
	}
	hwsim_medium_leave(radio->medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_listen);

/**
 * hwsim_radio_add_address - a radio answers frames to another address
 * @radio: the radio
 * @addr: address of one of its interfaces
 */
void hwsim_radio_add_address(struct hwsim_radio *radio, const u8 *addr)
{
	struct hwsim_address *addresses;
	u32 i;

	hwsim_medium_enter(radio->medium);
	for (i = 0; i < radio->num_addresses; i++)
		if (ether_addr_equal(radio->addresses[i].addr, addr))
			break;
	if (i == radio->num_addresses) {
		addresses = krealloc_array(radio->addresses, i + 1,
					   sizeof(*addresses), GFP_ATOMIC);
		if (!addresses)
			goto out;	/* frames to it are not answered */
		radio->addresses = addresses;
		ether_addr_copy(addresses[i].addr, addr);
		addresses[i].uses = 0;
		radio->num_addresses++;
	}
	radio->addresses[i].uses++;
out:
	hwsim_medium_leave(radio->medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_add_address);

/**
 * hwsim_radio_remove_address - an interface no longer has that address
 * @radio: the radio
 * @addr: the address; other interfaces may have it, too
 */
void hwsim_radio_remove_address(struct hwsim_radio *radio, const u8 *addr)
{
	u32 i;

	hwsim_medium_enter(radio->medium);
	for (i = 0; i < radio->num_addresses; i++) {
		if (!ether_addr_equal(radio->addresses[i].addr, addr))
			continue;
		if (!--radio->addresses[i].uses)
			radio->addresses[i] =
				radio->addresses[--radio->num_addresses];
		break;
	}
	hwsim_medium_leave(radio->medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_remove_address);

/**
 * hwsim_radio_add_interface - an interface of a radio comes up
 * @radio: the radio
 * @vif: the interface, not a monitor
 */
void hwsim_radio_add_interface(struct hwsim_radio *radio,
			       const struct ieee80211_vif *vif)
{
	hwsim_radio_add_address(radio, vif->addr);
	/* a P2P device sends management frames only, before there is a network */
	if (vif->type != NL80211_IFTYPE_P2P_DEVICE)
		hwsim_network_add(radio, vif);
}
EXPORT_SYMBOL_GPL(hwsim_radio_add_interface);

/**
 * hwsim_radio_remove_interface - an interface of a radio goes down
 * @radio: the radio
 * @vif: the interface; the radio holds no frames of it
 */
void hwsim_radio_remove_interface(struct hwsim_radio *radio,
				  const struct ieee80211_vif *vif)
{
	hwsim_network_remove(radio, vif);
	hwsim_radio_remove_address(radio, vif->addr);
}
EXPORT_SYMBOL_GPL(hwsim_radio_remove_interface);

/**
 * hwsim_radio_filter - what a radio delivers in addition to frames addressed to it
 * @radio: the radio
 * @flags: what mac80211 wants (FIF_...)
 *
 * Return: those of them that it supports
 */
unsigned int hwsim_radio_filter(struct hwsim_radio *radio, unsigned int flags)
{
	flags &= FIF_OTHER_BSS | FIF_CONTROL | FIF_FCSFAIL;
	hwsim_medium_enter(radio->medium);
	radio->filter = flags;
	hwsim_medium_leave(radio->medium);
	return flags;
}
EXPORT_SYMBOL_GPL(hwsim_radio_filter);

/**
 * hwsim_radio_sta_statistics - statistics of a peer
 * @radio: the radio
 * @vif: its interface
 * @addr: address of the peer
 * @sinfo: gets the retries, and the rate, if that is fixed
 */
void hwsim_radio_sta_statistics(struct hwsim_radio *radio,
				const struct ieee80211_vif *vif, const u8 *addr,
				struct station_info *sinfo)
{
	static const u8 widths[] = {
		RATE_INFO_BW_20, RATE_INFO_BW_40, RATE_INFO_BW_80,
		RATE_INFO_BW_160,
	};
	const struct hwsim_phy_rate *rate = &radio->mac->fixed_rate;
	struct rate_info *info = &sinfo->txrate;

	hwsim_medium_enter(radio->medium);
	sinfo->tx_retries = hwsim_peer_retries(radio, vif->addr, addr);
	sinfo->filled |= BIT_ULL(NL80211_STA_INFO_TX_RETRIES);
	if (radio->mac->has_fixed_rate) {
		memset(info, 0, sizeof(*info));
		info->bw = widths[rate->width];
		if (rate->guard == HWSIM_PHY_GUARD_400NS)
			info->flags |= RATE_INFO_FLAGS_SHORT_GI;
		if (rate->class == HWSIM_PHY_HT) {
			info->flags |= RATE_INFO_FLAGS_MCS;
			info->mcs = rate->mcs + 8 * (rate->streams - 1);
		} else if (rate->class == HWSIM_PHY_VHT) {
			info->flags |= RATE_INFO_FLAGS_VHT_MCS;
			info->mcs = rate->mcs;
			info->nss = rate->streams;
		} else {
			info->legacy = hwsim_phy_rate_kbps(rate) / 100;
		}
		sinfo->filled |= BIT_ULL(NL80211_STA_INFO_TX_BITRATE);
	}
	hwsim_medium_leave(radio->medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_sta_statistics);

/**
 * hwsim_medium_new - create a medium
 * @id: its number
 * @seed: of its random streams
 *
 * Return: the medium, or NULL
 */
struct hwsim_medium *hwsim_medium_new(u32 id, u64 seed)
{
	struct hwsim_medium *medium = kvzalloc(sizeof(*medium),
						 GFP_KERNEL_ACCOUNT);

	if (!medium)
		return NULL;
	medium->id = id;
	medium->seed = seed;
	medium->mac_ops = &hwsim_mac_ops;
	hwsim_clock_init(&medium->clock);
	hwsim_event_init(&medium->shorten, HWSIM_PHASE_END);
	INIT_LIST_HEAD(&medium->airs);
	INIT_LIST_HEAD(&medium->faults);
	init_waitqueue_head(&medium->idle);
	return medium;
}

/**
 * hwsim_medium_free - remove a medium that has no radios
 * @medium: the medium
 */
void hwsim_medium_free(struct hwsim_medium *medium)
{
	struct hwsim_fault *fault, *next_fault;
	struct hwsim_ppdu *ppdu, *next_ppdu;
	struct hwsim_air *air, *next_air;
	int i;

	hwsim_clock_stop(&medium->clock);
	/* transmissions of radios that are gone */
	hwsim_medium_enter(medium);
	hwsim_clock_run(&medium->clock, HWSIM_NEVER - 1);
	hwsim_medium_leave(medium);
	hwsim_clock_stop(&medium->clock);
	list_for_each_entry_safe(fault, next_fault, &medium->faults, list)
		kfree(fault);
	list_for_each_entry_safe(air, next_air, &medium->airs, list) {
		/* with a delay, they are kept after their end */
		list_for_each_entry_safe(ppdu, next_ppdu, &air->ppdus, list)
			hwsim_ppdu_put(ppdu);
		kfree(air);
	}
	for (i = 0; i < HWSIM_MEDIUM_NUM_CURVES; i++)
		hwsim_curve_free(medium->curves[i]);
	for (i = 0; i < HWSIM_MEDIUM_MAX_FADINGS; i++)
		kvfree(medium->fadings[i]);
	kvfree(medium);
}

/**
 * hwsim_radio_forget_sta - a station of an interface is gone
 * @radio: the radio
 * @vif: the interface; others may have a station of that address, too
 * @addr: address of the station
 */
void hwsim_radio_forget_sta(struct hwsim_radio *radio,
			    const struct ieee80211_vif *vif, const u8 *addr)
{
	hwsim_medium_enter(radio->medium);
	hwsim_sessions_forget(radio, vif->addr, addr);
	hwsim_tx_forget_sta(radio, vif->addr, addr);
	hwsim_peer_forget(radio, vif->addr, addr);
	hwsim_medium_leave(radio->medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_forget_sta);
