// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a radio of the hwsim medium knows of its network: slots, rates, QoS.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include "hwsim_medium_mac.h"

#define DIFS_SLOTS		2
#define CW_MIN_DSSS		31	/* Table 16-4 */
#define CW_MIN_OFDM		15	/* Table 17-21 */
#define CW_MAX			1023
#define IBSS_CW_MINS		2	/* random delay of a beacon, 11.1.3.5 */
#define TXOP_UNIT_NS		32000	/* 9.4.2.28 */

/**
 * hwsim_network_set_timing - slots, SIFS and EIFS of a radio
 * @radio: the radio; they follow from band, slot and basic rates
 */
void hwsim_network_set_timing(struct hwsim_radio *radio)
{
	bool is_5ghz = radio->channel &&
		       radio->channel->band != NL80211_BAND_2GHZ;

	radio->timing = hwsim_phy_timing(is_5ghz, radio->mac->short_slot ||
					 radio->mac->only_short_slots);
	radio->mac->eifs_extra_ns =
		hwsim_phy_eifs_extra_ns(is_5ghz, radio->mac->basic_rates,
					&radio->timing);
	hwsim_access_changed(radio);
}

/**
 * hwsim_network_set_edca - contention parameters of a radio
 * @radio: the radio
 *
 * A network without QoS has DCF's parameters (10.3.2.3.5, Table 17-21),
 * whatever mac80211 sets: it gives stations those of WMM there, too, and takes
 * a station for one of 802.11g if its access point is.
 */
void hwsim_network_set_edca(struct hwsim_radio *radio)
{
	bool is_11b = radio->dsss_only ||
		radio->mac->acs[IEEE80211_AC_BE].params.cw_min == CW_MIN_DSSS;
	struct hwsim_edca *ibss = &radio->mac->acs[HWSIM_AC_IBSS].edca;
	u16 dcf_cw_min = is_11b ? CW_MIN_DSSS : CW_MIN_OFDM;
	int i;

	for (i = 0; i < IEEE80211_NUM_ACS; i++) {
		const struct ieee80211_tx_queue_params *params =
			&radio->mac->acs[i].params;
		struct hwsim_edca *edca = &radio->mac->acs[i].edca;

		edca->is_edca = radio->mac->qos;
		edca->aifsn = radio->mac->qos ? params->aifs : DIFS_SLOTS;
		edca->cw_min = radio->mac->qos ? params->cw_min : dcf_cw_min;
		edca->cw_max = radio->mac->qos ? params->cw_max : CW_MAX;
		edca->txop_ns = radio->mac->qos ? params->txop * TXOP_UNIT_NS : 0;
		edca->cw = clamp(edca->cw, edca->cw_min, edca->cw_max);
	}
	ibss->aifsn = DIFS_SLOTS;
	ibss->cw_min = IBSS_CW_MINS * dcf_cw_min;
	ibss->cw_max = ibss->cw_min;
	ibss->cw = ibss->cw_min;
	hwsim_access_changed(radio);
}

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
	radio->mac->acs[ac].params = *params;
	hwsim_network_set_edca(radio);
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
 * hwsim_network_beacon - what a radio's own beacon says of its network
 * @radio: the radio; its medium is locked
 * @skb: the beacon
 */
void hwsim_network_beacon(struct hwsim_radio *radio, const struct sk_buff *skb)
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
	if (qos == radio->mac->qos)
		return;
	radio->mac->qos = qos;
	hwsim_network_set_edca(radio);
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
		return radio->mac->qos;
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
		ether_addr_copy(radio->mac->bssid, conf->bssid);
	radio->mac->short_slot = conf->use_short_slot;
	radio->mac->basic_rates = basic_rates_of(radio, conf->basic_rates);
	radio->mac->qos = qos;
	hwsim_network_set_timing(radio);
	hwsim_network_set_edca(radio);
	hwsim_medium_leave(radio->medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_bss);
