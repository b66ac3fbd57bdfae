// SPDX-License-Identifier: GPL-2.0-only
/*
 * The networks of a radio's interfaces in the hwsim medium: contention
 * parameters, slots, basic rates, QoS.
 *
 * Each interface has a network: an access point its own BSS, a station the BSS
 * that it is associated with. A radio may have several (multiple BSSIDs, an
 * access point and a mesh, two stations), all on one channel. A frame follows the
 * parameters of the interface that sends it, an answer those of the interface
 * that it answers for.
 *
 * An access category of a radio is one EDCA function (10.2.3.2), as its hardware
 * queue is with ath9k: the interfaces share its backoff. With ath9k they also
 * share its parameters, which are those of the last conf_tx(). Here the function
 * contends with the parameters of the interface whose frame is next, as if each
 * interface had set them for its own frames (iwlwifi has contention parameters
 * for each interface, mt76 for a group of them). A TXOP is that of one interface.
 * If another interface's frame becomes the next one during the backoff, the slots
 * that were drawn continue, with its AIFS and its TXOP limit.
 *
 * Slots are those of the radio: they are short if all its networks have short
 * ones (ath9k does the same, ath9k_vif_iter()). EIFS follows from the lowest
 * basic rate of all its networks.
 *
 * Not modelled: an EDCA function for each interface, with internal collisions
 * between them (WMM sets of mt76). Interfaces on several channels.
 */
#include <linux/etherdevice.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include "hwsim_medium_mac.h"

#define DIFS_SLOTS		2
#define CW_MIN_DSSS		31	/* Table 16-4 */
#define CW_MIN_OFDM		15	/* Table 17-21 */
#define CW_MAX			1023
#define IBSS_CW_MINS		2	/* random delay of a beacon, 11.1.3.5 */
#define TXOP_UNIT_NS		32000	/* 9.4.2.28 */

static struct hwsim_network *first_network(struct hwsim_radio *radio)
{
	return list_first_entry_or_null(&radio->mac->networks,
					struct hwsim_network, list) ?:
	       &radio->mac->no_network;
}

/**
 * hwsim_network_of - the network of an interface
 * @radio: the radio
 * @own: address of the interface, or NULL
 *
 * Return: its network. If none of the radio's interfaces has that address (a
 *	monitor may inject any frame): that of the first interface
 */
struct hwsim_network *hwsim_network_of(struct hwsim_radio *radio, const u8 *own)
{
	struct hwsim_network *network;

	list_for_each_entry(network, &radio->mac->networks, list)
		if (own && ether_addr_equal(network->own, own))
			return network;
	return first_network(radio);
}

static struct hwsim_network *network_of_vif(struct hwsim_radio *radio,
					    const struct ieee80211_vif *vif)
{
	struct hwsim_network *network;

	list_for_each_entry(network, &radio->mac->networks, list)
		if (network->vif == vif)
			return network;
	return NULL;
}

static bool is_in_bss(const struct hwsim_network *network)
{
	return !is_zero_ether_addr(network->bssid);
}

/**
 * hwsim_network_is_joined - whether a radio has an interface in a BSS
 * @radio: the radio
 * @bssid: BSSID
 */
bool hwsim_network_is_joined(const struct hwsim_radio *radio, const u8 *bssid)
{
	const struct hwsim_network *network;

	if (list_empty(&radio->mac->networks))
		return ether_addr_equal(radio->mac->no_network.bssid, bssid);
	list_for_each_entry(network, &radio->mac->networks, list)
		if (ether_addr_equal(network->bssid, bssid))
			return true;
	return false;
}

/**
 * hwsim_networks_wake - no access point believes any longer that a radio dozes
 * @radio: the radio, which wakes
 */
void hwsim_networks_wake(struct hwsim_radio *radio)
{
	struct hwsim_network *network;

	list_for_each_entry(network, &radio->mac->networks, list)
		network->known_asleep = false;
	radio->mac->no_network.known_asleep = false;
}

/**
 * hwsim_network_set_timing - slots, SIFS and EIFS of a radio
 * @radio: the radio; they follow from the band, and from the slots and basic
 *	rates of the BSSs that its interfaces are in
 */
void hwsim_network_set_timing(struct hwsim_radio *radio)
{
	bool is_5ghz = radio->channel &&
		       radio->channel->band != NL80211_BAND_2GHZ;
	const struct hwsim_network *network;
	bool short_slot = true, any = false;
	u16 basic_rates = 0;

	list_for_each_entry(network, &radio->mac->networks, list) {
		if (!is_in_bss(network))
			continue;
		any = true;
		short_slot &= network->short_slot;
		basic_rates |= network->basic_rates;
	}
	if (!any) {
		short_slot = first_network(radio)->short_slot;
		basic_rates = first_network(radio)->basic_rates;
	}
	radio->mac->basic_rates = basic_rates;
	radio->timing = hwsim_phy_timing(is_5ghz, short_slot ||
					 radio->mac->only_short_slots);
	radio->mac->eifs_extra_ns =
		hwsim_phy_eifs_extra_ns(is_5ghz, basic_rates, &radio->timing);
	hwsim_access_changed(radio);
}

/*
 * A network without QoS has DCF's parameters (10.3.2.3.5, Table 17-21),
 * whatever mac80211 sets: it sets those of WMM for stations there, too, and
 * treats a station as 802.11g if its access point is.
 */
static void set_edca(struct hwsim_radio *radio, struct hwsim_ac *ac)
{
	const struct hwsim_network *network = ac->network;
	const struct ieee80211_tx_queue_params *params;
	bool is_11b = radio->dsss_only ||
		network->params[IEEE80211_AC_BE].cw_min == CW_MIN_DSSS;
	u16 dcf_cw_min = is_11b ? CW_MIN_DSSS : CW_MIN_OFDM;
	struct hwsim_edca *edca = &ac->edca;

	if (hwsim_ac_is_ibss(radio, ac)) {
		edca->aifsn = DIFS_SLOTS;
		edca->cw_min = IBSS_CW_MINS * dcf_cw_min;
		edca->cw_max = edca->cw_min;
		edca->cw = edca->cw_min;
		return;
	}
	params = &network->params[ac - radio->mac->acs];
	edca->is_edca = network->qos;
	edca->aifsn = network->qos ? params->aifs : DIFS_SLOTS;
	edca->cw_min = network->qos ? params->cw_min : dcf_cw_min;
	edca->cw_max = network->qos ? params->cw_max : CW_MAX;
	edca->txop_ns = network->qos ? params->txop * TXOP_UNIT_NS : 0;
	edca->cw = clamp(edca->cw, edca->cw_min, edca->cw_max);
}

/**
 * hwsim_network_set_edca - contention parameters of a radio
 * @radio: the radio; parameters of one of its networks have changed
 */
void hwsim_network_set_edca(struct hwsim_radio *radio)
{
	int i;

	for (i = 0; i < HWSIM_NUM_ACS; i++)
		set_edca(radio, &radio->mac->acs[i]);
	hwsim_access_changed(radio);
}

/**
 * hwsim_network_use - contend with the parameters of a network
 * @radio: the radio
 * @ac: the access category
 * @network: the network whose frame it sends
 */
void hwsim_network_use(struct hwsim_radio *radio, struct hwsim_ac *ac,
		       struct hwsim_network *network)
{
	if (ac->network == network)
		return;
	ac->network = network;
	set_edca(radio, ac);
	hwsim_access_changed(radio);
}

/*
 * The interface of the queue that mac80211 would serve next. A station's queue
 * stays the next one. That of an interface, of its group frames, would be put
 * behind all others, so its frame is taken now.
 */
static void expect_from_txqs(struct hwsim_radio *radio, struct hwsim_ac *ac)
{
	u8 number = ac - radio->mac->acs;
	struct hwsim_mpdu *mpdu = NULL;
	struct ieee80211_txq *txq;

	rcu_read_lock();
	ieee80211_txq_schedule_start(radio->hw, number);
	while (!mpdu && (txq = ieee80211_next_txq(radio->hw, number))) {
		if (!txq->sta)
			mpdu = radio->mac->frames->take(radio, txq);
		if (txq->sta || mpdu)
			hwsim_network_use(radio, ac,
					  hwsim_network_of(radio, txq->vif->addr));
		ieee80211_return_txq(radio->hw, txq, txq->sta);
		if (txq->sta)
			break;
	}
	ieee80211_txq_schedule_end(radio->hw, number);
	rcu_read_unlock();
	if (mpdu) {
		list_add_tail(&mpdu->list, &ac->queue);
		ac->queued++;
	}
}

/**
 * hwsim_network_expect - contend with the parameters of the frame that is next
 * @radio: the radio
 * @ac: the access category, which begins to contend
 */
void hwsim_network_expect(struct hwsim_radio *radio, struct hwsim_ac *ac)
{
	const struct hwsim_mpdu *mpdu;

	if (list_empty(&radio->mac->networks) ||
	    list_is_singular(&radio->mac->networks))
		return;
	mpdu = list_first_entry_or_null(&ac->queue, struct hwsim_mpdu, list);
	if (mpdu)
		hwsim_network_use(radio, ac,
				  hwsim_network_of(radio, hwsim_mpdu_sender(mpdu)));
	else if (ac->txqs)
		expect_from_txqs(radio, ac);
}

/**
 * hwsim_network_may_follow - whether a frame may be sent in the current TXOP
 * @radio: the radio
 * @ac: its access category, which has won the TXOP
 * @own: the address that the frame is sent from, or NULL
 */
bool hwsim_network_may_follow(struct hwsim_radio *radio,
			      const struct hwsim_ac *ac, const u8 *own)
{
	return hwsim_network_of(radio, own) == ac->network;
}

/**
 * hwsim_radio_conf_tx - parameters of an access category
 * @radio: the radio
 * @vif: the interface whose frames they are for
 * @ac: the access category
 * @params: the parameters
 */
void hwsim_radio_conf_tx(struct hwsim_radio *radio,
			 const struct ieee80211_vif *vif, u16 ac,
			 const struct ieee80211_tx_queue_params *params)
{
	struct hwsim_network *network;

	if (ac >= IEEE80211_NUM_ACS)
		return;
	hwsim_medium_enter(radio->medium);
	network = network_of_vif(radio, vif);
	if (network) {
		network->params[ac] = *params;
		hwsim_network_set_edca(radio);
	}
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
 * hwsim_network_beacon - note whether an access point has WMM
 * @radio: the radio; its medium is locked
 * @skb: a beacon of one of its interfaces
 */
void hwsim_network_beacon(struct hwsim_radio *radio, const struct sk_buff *skb)
{
	const struct ieee80211_mgmt *mgmt = (void *)skb->data;
	const size_t head = offsetof(struct ieee80211_mgmt, u.beacon.variable);
	struct hwsim_network *network;
	bool qos;

	if (skb->len < head || ieee80211_is_s1g_beacon(mgmt->frame_control))
		return;
	qos = cfg80211_find_vendor_elem(WLAN_OUI_MICROSOFT,
					WLAN_OUI_TYPE_MICROSOFT_WMM,
					mgmt->u.beacon.variable,
					skb->len - head);
	network = hwsim_network_of(radio, mgmt->sa);
	/* a mesh STA is a QoS STA without such an element */
	if (qos == network->qos ||
	    (network->vif && network->vif->type == NL80211_IFTYPE_MESH_POINT))
		return;
	network->qos = qos;
	hwsim_network_set_edca(radio);
}

/*
 * Whether a network has QoS. bss_conf has it set for every network of a station
 * or an access point. So for a station, the entry of its access point decides;
 * for an access point, its own beacon.
 */
static bool network_has_qos(const struct hwsim_network *network,
			    struct ieee80211_vif *vif,
			    const struct ieee80211_bss_conf *conf)
{
	struct ieee80211_sta *sta;
	bool qos = conf->qos;

	if (vif->type == NL80211_IFTYPE_AP)
		return network->qos;
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
 * hwsim_radio_bss - the network of an interface has changed
 * @radio: the radio
 * @vif: the interface
 * @conf: of its link
 */
void hwsim_radio_bss(struct hwsim_radio *radio, struct ieee80211_vif *vif,
		     const struct ieee80211_bss_conf *conf)
{
	struct hwsim_network *network;

	hwsim_medium_enter(radio->medium);
	network = network_of_vif(radio, vif);
	if (network) {
		network->qos = network_has_qos(network, vif, conf);
		if (conf->bssid)
			ether_addr_copy(network->bssid, conf->bssid);
		network->short_slot = conf->use_short_slot;
		network->basic_rates = basic_rates_of(radio, conf->basic_rates);
		hwsim_network_set_timing(radio);
		hwsim_network_set_edca(radio);
	}
	hwsim_medium_leave(radio->medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_bss);

static void copy_network(struct hwsim_network *to,
			 const struct hwsim_network *from,
			 const struct ieee80211_vif *vif)
{
	struct list_head list = to->list;

	*to = *from;
	to->list = list;
	to->vif = vif;
	eth_zero_addr(to->own);
	if (vif)
		ether_addr_copy(to->own, vif->addr);
}

/* access categories that contend with the parameters of one network use another */
static void replace(struct hwsim_radio *radio, const struct hwsim_network *old,
		    struct hwsim_network *network)
{
	int i;

	for (i = 0; i < HWSIM_NUM_ACS; i++)
		if (radio->mac->acs[i].network == old)
			radio->mac->acs[i].network = network;
	hwsim_network_set_timing(radio);
	hwsim_network_set_edca(radio);
}

/**
 * hwsim_network_add - an interface gets a network
 * @radio: the radio
 * @vif: the interface, neither a monitor nor a P2P device
 *
 * If the radio had interfaces before, the parameters of the last one hold until
 * mac80211 sets others, and its sequence numbers continue: receivers may
 * remember the last one.
 */
void hwsim_network_add(struct hwsim_radio *radio,
		       const struct ieee80211_vif *vif)
{
	struct hwsim_network *network = kzalloc(sizeof(*network), GFP_KERNEL);

	if (!network)
		return;		/* it shares that of another interface */
	hwsim_medium_enter(radio->medium);
	copy_network(network, &radio->mac->no_network, vif);
	list_add_tail(&network->list, &radio->mac->networks);
	replace(radio, &radio->mac->no_network, first_network(radio));
	hwsim_medium_leave(radio->medium);
}

/**
 * hwsim_network_remove - an interface goes down
 * @radio: the radio
 * @vif: the interface; the radio holds no frames of it
 */
void hwsim_network_remove(struct hwsim_radio *radio,
			  const struct ieee80211_vif *vif)
{
	struct hwsim_network *network;

	hwsim_medium_enter(radio->medium);
	network = network_of_vif(radio, vif);
	if (network) {
		list_del(&network->list);
		if (list_empty(&radio->mac->networks))
			copy_network(&radio->mac->no_network, network, NULL);
		replace(radio, network, first_network(radio));
	}
	hwsim_medium_leave(radio->medium);
	kfree(network);
}

/**
 * hwsim_networks_init - the networks of a new radio
 * @radio: the radio; it has no interfaces
 */
void hwsim_networks_init(struct hwsim_radio *radio)
{
	int i;

	INIT_LIST_HEAD(&radio->mac->networks);
	for (i = 0; i < HWSIM_NUM_ACS; i++)
		radio->mac->acs[i].network = &radio->mac->no_network;
}
