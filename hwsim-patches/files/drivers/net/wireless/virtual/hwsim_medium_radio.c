// SPDX-License-Identifier: GPL-2.0-only
/*
 * A radio of mac80211_hwsim and the medium it is on.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "hwsim_medium_int.h"

#define DEFAULT_NOISE_MBM	(-9400)	/* kT in 20 MHz, noise figure 7 dB */
#define DEFAULT_ED_MBM		(-6200)	/* CCA-ED, 17.3.10.6 */
#define DEFAULT_DETECT_OFDM_MB	300
#define DEFAULT_DETECT_DSSS_MB	(-400)

#define DIFS_SLOTS		2
#define CW_MIN_DSSS		31	/* Table 16-4 */
#define CW_MIN_OFDM		15	/* Table 17-21 */
#define CW_MAX			1023
#define TXOP_UNIT_NS		32000	/* 9.4.2.28 */
#define DSSS_RATES		4	/* 1, 2, 5.5, 11 Mbit/s */

/* all radios of the driver, under hwsim_media_mutex */
static LIST_HEAD(hwsim_all_radios);

/**
 * hwsim_radio_new - the driver has made a radio
 * @hw: the radio for mac80211
 * @index: its number
 * @ops: what the medium may ask
 *
 * It is on no medium yet.
 *
 * Return: the radio, or NULL
 */
struct hwsim_radio *hwsim_radio_new(struct ieee80211_hw *hw, u32 index,
				    const struct hwsim_medium_ops *ops)
{
	struct hwsim_radio *radio = kzalloc(sizeof(*radio), GFP_KERNEL);
	int i;

	if (!radio)
		return NULL;
	radio->hw = hw;
	radio->index = index;
	radio->ops = ops;
	radio->noise_mbm = DEFAULT_NOISE_MBM;
	radio->ed_mbm = DEFAULT_ED_MBM;
	radio->detect_ofdm_mb = DEFAULT_DETECT_OFDM_MB;
	radio->detect_dsss_mb = DEFAULT_DETECT_DSSS_MB;
	radio->max_ppdu_ns = HWSIM_PPDU_MAX_NS;
	INIT_LIST_HEAD(&radio->tuned);
	hash_init(radio->peers);
	hash_init(radio->sessions);
	hash_init(radio->recipients);
	RB_CLEAR_NODE(&radio->timeout.node);
	for (i = 0; i < IEEE80211_NUM_ACS; i++) {
		INIT_LIST_HEAD(&radio->acs[i].queue);
		radio->acs[i].committed_ns = HWSIM_NEVER;
	}
	mutex_lock(&hwsim_media_mutex);
	list_add_tail(&radio->registered, &hwsim_all_radios);
	mutex_unlock(&hwsim_media_mutex);
	return radio;
}
EXPORT_SYMBOL_GPL(hwsim_radio_new);

/**
 * hwsim_radio_free - the driver removes a radio; mac80211 has let go of it
 * @radio: the radio, or NULL
 */
void hwsim_radio_free(struct hwsim_radio *radio)
{
	if (!radio)
		return;
	mutex_lock(&hwsim_media_mutex);
	hwsim_radio_detach(radio);
	list_del(&radio->registered);
	mutex_unlock(&hwsim_media_mutex);
	kfree(radio);
}
EXPORT_SYMBOL_GPL(hwsim_radio_free);

/**
 * hwsim_radio_attached - whether a medium rules what a radio hears
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
	struct hwsim_radio *radio;

	list_for_each_entry(radio, &hwsim_all_radios, registered)
		if (radio->index == index)
			return radio;
	return NULL;
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

/* slots, SIFS and EIFS follow band, slot and basic rates */
static void update_timing(struct hwsim_radio *radio)
{
	bool is_5ghz = radio->channel &&
		       radio->channel->band != NL80211_BAND_2GHZ;

	radio->timing = hwsim_phy_timing(is_5ghz, radio->short_slot);
	radio->eifs_extra_ns = hwsim_phy_eifs_extra_ns(is_5ghz,
						       radio->basic_rates,
						       &radio->timing);
	hwsim_access_changed(radio);
}

/*
 * A network without QoS has DCF's parameters (10.3.2.3.5, Table 17-21),
 * whatever mac80211 sets: it gives stations those of WMM there, too, and takes
 * a station for one of 802.11g if its access point is.
 */
static void update_edca(struct hwsim_radio *radio)
{
	bool is_11b = radio->dsss_only ||
		radio->acs[IEEE80211_AC_BE].params.cw_min == CW_MIN_DSSS;
	u16 dcf_cw_min = is_11b ? CW_MIN_DSSS : CW_MIN_OFDM;
	int i;

	for (i = 0; i < IEEE80211_NUM_ACS; i++) {
		const struct ieee80211_tx_queue_params *params =
			&radio->acs[i].params;
		struct hwsim_edca *edca = &radio->acs[i].edca;

		edca->is_edca = radio->qos;
		edca->aifsn = radio->qos ? params->aifs : DIFS_SLOTS;
		edca->cw_min = radio->qos ? params->cw_min : dcf_cw_min;
		edca->cw_max = radio->qos ? params->cw_max : CW_MAX;
		edca->txop_ns = radio->qos ? params->txop * TXOP_UNIT_NS : 0;
		edca->cw = clamp(edca->cw, edca->cw_min, edca->cw_max);
	}
	hwsim_access_changed(radio);
}

/* on a medium mac80211 is told of air time, and shares it; else there is none */
static void set_airtime_fairness(struct hwsim_radio *radio, bool on)
{
	u8 *features = radio->hw->wiphy->ext_features;
	u32 feature = NL80211_EXT_FEATURE_AIRTIME_FAIRNESS;

	if (on)
		features[feature / 8] |= BIT(feature % 8);
	else
		features[feature / 8] &= ~BIT(feature % 8);
}

/**
 * hwsim_radio_attach - put a radio on a medium; under hwsim_media_mutex
 * @radio: the radio, down
 * @medium: the medium
 * @stream: name of the radio in random streams
 * @extack: told what is wrong
 */
int hwsim_radio_attach(struct hwsim_radio *radio, struct hwsim_medium *medium,
		       u64 stream, struct netlink_ext_ack *extack)
{
	u32 slot;
	int i;

	if (radio->medium) {
		NL_SET_ERR_MSG(extack, "the radio is on a medium already");
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
		NL_SET_ERR_MSG(extack, "the medium has 1024 radios already");
		return -ENOSPC;
	}
	radio->links = kvcalloc(HWSIM_MEDIUM_MAX_RADIOS, sizeof(*radio->links),
				GFP_KERNEL);
	if (!radio->links)
		return -ENOMEM;
	radio->slot = slot;
	radio->stream = stream;
	for (i = 0; i < IEEE80211_NUM_ACS; i++) {
		struct hwsim_edca *edca = &radio->acs[i].edca;

		hwsim_stream_init(&edca->stream, medium->seed,
				  HWSIM_STREAM_BACKOFF, stream, i);
	}
	hwsim_stream_init(&radio->latency, medium->seed, HWSIM_STREAM_LATENCY,
			  stream, 0);
	hwsim_stream_init(&radio->choices, medium->seed, HWSIM_STREAM_CHOICES, stream,
			  0);
	update_timing(radio);
	update_edca(radio);	/* DCF, until mac80211 says more */
	spin_lock_bh(&medium->lock);
	medium->radios[slot] = radio;
	medium->num_radios++;
	WRITE_ONCE(radio->medium, medium);
	set_airtime_fairness(radio, true);
	spin_unlock_bh(&medium->lock);
	return 0;
}

/**
 * hwsim_radio_set_dsss_only - make a radio one of 802.11b, or no longer
 * @radio: the radio, down
 * @dsss_only: whether it is to be one
 * @extack: told what is wrong
 *
 * cfg80211 and mac80211 see a radio without the rates of 802.11g and without
 * 802.11n, so that networks know it for what it is.
 *
 * Return: 0, -EBUSY if the radio is up, -EOPNOTSUPP if it has no such rates
 */
int hwsim_radio_set_dsss_only(struct hwsim_radio *radio, bool dsss_only,
			      struct netlink_ext_ack *extack)
{
	struct wiphy *wiphy = radio->hw->wiphy;
	struct ieee80211_supported_band *band = wiphy->bands[NL80211_BAND_2GHZ];

	if (dsss_only == radio->dsss_only)
		return 0;
	if (!band || band->n_bitrates < DSSS_RATES) {
		NL_SET_ERR_MSG(extack, "the radio has no rates of 802.11b");
		return -EOPNOTSUPP;
	}
	wiphy_lock(wiphy);
	if (radio->ops->is_up(radio->hw)) {
		wiphy_unlock(wiphy);
		NL_SET_ERR_MSG(extack, "take the radio's interfaces down first");
		return -EBUSY;
	}
	if (dsss_only) {
		radio->all_bitrates = band->n_bitrates;
		radio->has_ht = band->ht_cap.ht_supported;
	}
	/* they are in rising order, DSSS first */
	band->n_bitrates = dsss_only ? DSSS_RATES : radio->all_bitrates;
	band->ht_cap.ht_supported = !dsss_only && radio->has_ht;
	radio->dsss_only = dsss_only;
	wiphy_unlock(wiphy);
	return 0;
}

/* what was to go up for a radio goes nowhere */
static void forget_up(struct hwsim_radio *radio)
{
	struct hwsim_up *up, *next;

	list_for_each_entry_safe(up, next, &radio->medium->up, list) {
		if (up->hw != radio->hw)
			continue;
		list_del(&up->list);
		if (up->mpdu)
			hwsim_mpdu_discard(radio->medium, up->mpdu);
		dev_kfree_skb_any(up->skb);
		kfree(up);
	}
}

/**
 * hwsim_radio_detach - take a radio off its medium; under hwsim_media_mutex
 * @radio: the radio, down
 */
void hwsim_radio_detach(struct hwsim_radio *radio)
{
	struct hwsim_medium *medium = radio->medium;
	struct hwsim_recipient *recipient;
	struct hlist_node *next;
	u32 slot;
	int i;

	if (!medium)
		return;
	hwsim_medium_enter(medium);
	hwsim_air_forget(radio);
	hwsim_access_reset(radio);
	hwsim_tx_purge(radio, NULL);
	WARN_ON_ONCE(radio->held);	/* each frame is completed, and once */
	forget_up(radio);
	hash_for_each_safe(radio->recipients, i, next, recipient, node) {
		hash_del(&recipient->node);
		kfree(recipient);
	}
	hwsim_peer_forget(radio, NULL);
	hwsim_fault_forget(radio);
	medium->radios[radio->slot] = NULL;
	medium->num_radios--;
	for (slot = 0; slot < HWSIM_MEDIUM_MAX_RADIOS; slot++) {
		kfree(radio->links[slot]);
		if (medium->radios[slot]) {
			kfree(medium->radios[slot]->links[radio->slot]);
			medium->radios[slot]->links[radio->slot] = NULL;
		}
	}
	WRITE_ONCE(radio->medium, NULL);
	set_airtime_fairness(radio, false);
	hwsim_medium_leave(medium);
	/* what is going up right now, in softirq */
	synchronize_net();
	kvfree(radio->links);
	radio->links = NULL;
}

/**
 * hwsim_radio_stop - a radio goes down
 * @radio: the radio
 */
void hwsim_radio_stop(struct hwsim_radio *radio)
{
	hwsim_medium_enter(radio->medium);
	hwsim_air_tune(radio, NULL);
	hwsim_access_reset(radio);
	hwsim_tx_purge(radio, NULL);
	WARN_ON_ONCE(radio->held);
	forget_up(radio);
	hwsim_medium_leave(radio->medium);
	/* what is going up right now, in softirq */
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
		update_timing(radio);
		hwsim_sessions_resume(radio);
		for (i = 0; radio->air && i < IEEE80211_NUM_ACS; i++)
			if (hwsim_tx_pending(&radio->acs[i]))
				hwsim_access_ready(radio, &radio->acs[i], now);
	}
	hwsim_medium_leave(radio->medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_listen);

/**
 * hwsim_radio_add_address - a radio gets an interface
 * @radio: the radio
 * @addr: address of the interface
 */
void hwsim_radio_add_address(struct hwsim_radio *radio, const u8 *addr)
{
	u32 i;

	hwsim_medium_enter(radio->medium);
	for (i = 0; i < radio->num_addresses; i++)
		if (ether_addr_equal(radio->addresses[i].addr, addr))
			break;
	if (i < HWSIM_MAX_ADDRESSES) {
		if (i == radio->num_addresses) {
			ether_addr_copy(radio->addresses[i].addr, addr);
			radio->addresses[i].uses = 0;
			radio->num_addresses++;
		}
		radio->addresses[i].uses++;
	} else {
		wiphy_warn(radio->hw->wiphy,
			   "the medium knows %d addresses of a radio: %pM gets nothing\n",
			   HWSIM_MAX_ADDRESSES, addr);
	}
	hwsim_medium_leave(radio->medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_add_address);

/**
 * hwsim_radio_remove_address - a radio loses an interface
 * @radio: the radio
 * @addr: address of the interface
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
 * hwsim_radio_filter - what a radio hands up besides frames that are for it
 * @radio: the radio
 * @flags: what mac80211 wants (FIF_...)
 *
 * Return: those of them that it knows
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
 * hwsim_radio_sta_statistics - what is known of a radio's peers
 * @radio: the radio
 * @addr: the peer
 * @sinfo: gets the retries, and the rate, if that is fixed
 */
void hwsim_radio_sta_statistics(struct hwsim_radio *radio, const u8 *addr,
				struct station_info *sinfo)
{
	static const u8 widths[] = {
		RATE_INFO_BW_20, RATE_INFO_BW_40, RATE_INFO_BW_80,
		RATE_INFO_BW_160,
	};
	const struct hwsim_phy_rate *rate = &radio->fixed_rate;
	struct rate_info *info = &sinfo->txrate;

	hwsim_medium_enter(radio->medium);
	sinfo->tx_retries = hwsim_peer_retries(radio, addr);
	sinfo->filled |= BIT_ULL(NL80211_STA_INFO_TX_RETRIES);
	if (radio->has_fixed_rate) {
		memset(info, 0, sizeof(*info));
		info->bw = widths[rate->width];
		if (rate->short_gi)
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
 * hwsim_radio_conf_tx - parameters of an access category
 * @radio: the radio
 * @ac: the access category
 * @params: what mac80211 wants
 */
void hwsim_radio_conf_tx(struct hwsim_radio *radio, u16 ac,
			 const struct ieee80211_tx_queue_params *params)
{
	if (ac >= IEEE80211_NUM_ACS)
		return;
	hwsim_medium_enter(radio->medium);
	radio->acs[ac].params = *params;
	update_edca(radio);
	hwsim_medium_leave(radio->medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_conf_tx);

static u16 basic_rates_of(const struct hwsim_radio *radio, u32 basic_rates)
{
	const struct ieee80211_supported_band *band;
	u16 rates = 0;
	int i;

	if (!radio->channel)
		return 0;
	band = radio->hw->wiphy->bands[radio->channel->band];
	for (i = 0; i < band->n_bitrates; i++) {
		if (!(basic_rates & BIT(i)))
			continue;
		switch (band->bitrates[i].bitrate) {
		case 10:
			rates |= BIT(0);
			break;
		case 20:
			rates |= BIT(1);
			break;
		case 55:
			rates |= BIT(2);
			break;
		case 110:
			rates |= BIT(3);
			break;
		case 60:
			rates |= BIT(4);
			break;
		case 90:
			rates |= BIT(5);
			break;
		case 120:
			rates |= BIT(6);
			break;
		case 180:
			rates |= BIT(7);
			break;
		case 240:
			rates |= BIT(8);
			break;
		case 360:
			rates |= BIT(9);
			break;
		case 480:
			rates |= BIT(10);
			break;
		case 540:
			rates |= BIT(11);
			break;
		}
	}
	return rates;
}

/**
 * hwsim_radio_beacon - what a radio's own beacon says of its network
 * @radio: the radio; its medium is locked
 * @skb: the beacon
 */
void hwsim_radio_beacon(struct hwsim_radio *radio, const struct sk_buff *skb)
{
	const struct ieee80211_mgmt *mgmt = (void *)skb->data;
	const size_t head = offsetof(struct ieee80211_mgmt, u.beacon.variable);
	bool qos;

	if (skb->len < head || ieee80211_is_s1g_beacon(mgmt->frame_control))
		return;
	qos = cfg80211_find_vendor_elem(WLAN_OUI_MICROSOFT,
					WLAN_OUI_TYPE_MICROSOFT_WMM,
					mgmt->u.beacon.variable,
					skb->len - head);
	if (qos == radio->qos)
		return;
	radio->qos = qos;
	update_edca(radio);
}

/*
 * Whether a network has QoS. bss_conf says so for every network that a station
 * joins or an access point makes. What its access point can do is told to a
 * station by the station entry; what an access point does itself, by its beacon.
 */
static bool network_has_qos(const struct hwsim_radio *radio,
			    struct ieee80211_vif *vif,
			    const struct ieee80211_bss_conf *conf)
{
	struct ieee80211_sta *sta;
	bool qos = conf->qos;

	if (vif->type == NL80211_IFTYPE_AP)
		return radio->qos;
	if (vif->type != NL80211_IFTYPE_STATION)
		return qos;
	rcu_read_lock();
	sta = ieee80211_find_sta(vif, conf->bssid);
	if (sta)
		qos = sta->wme;
	rcu_read_unlock();
	return qos;
}

/**
 * hwsim_radio_bss - what a radio's network says of slots, rates and QoS
 * @radio: the radio; with several interfaces the last one counts
 * @vif: the interface
 * @conf: of its link
 */
void hwsim_radio_bss(struct hwsim_radio *radio, struct ieee80211_vif *vif,
		     const struct ieee80211_bss_conf *conf)
{
	bool qos = network_has_qos(radio, vif, conf);

	hwsim_medium_enter(radio->medium);
	if (conf->bssid)
		ether_addr_copy(radio->bssid, conf->bssid);
	radio->short_slot = conf->use_short_slot;
	radio->basic_rates = basic_rates_of(radio, conf->basic_rates);
	radio->qos = qos;
	update_timing(radio);
	update_edca(radio);
	hwsim_medium_leave(radio->medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_bss);
