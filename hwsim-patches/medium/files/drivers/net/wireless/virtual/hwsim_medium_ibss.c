// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ad hoc networks (IBSS) of the hwsim medium: which member sends the beacon,
 * and the time that they keep (IEEE 802.11-2020 11.1.3.5, 11.1.3.7).
 *
 * Not modelled: ATIM, and with it power save.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include "hwsim_medium_mac.h"

#define TIMESTAMP_OFFSET	24	/* octets before it in the frame, 9.3.3 */

/**
 * hwsim_timestamp_ns - when the timestamp of a beacon is sent
 * @ppdu: beacon or probe response
 *
 * Return: ns from the start of the PPDU
 */
u64 hwsim_timestamp_ns(const struct hwsim_ppdu *ppdu)
{
	return hwsim_phy_preamble_ns(&ppdu->rate) +
	       div_u64(TIMESTAMP_OFFSET * 8 * 1000000ULL,
		       hwsim_phy_rate_kbps(&ppdu->rate));
}

/**
 * hwsim_ibss_is_beacon - whether a frame is a beacon of a radio's ad hoc network
 * @radio: the radio
 * @skb: a frame that it sends or has received
 */
bool hwsim_ibss_is_beacon(const struct hwsim_radio *radio,
			  const struct sk_buff *skb)
{
	const struct ieee80211_mgmt *mgmt = (void *)skb->data;

	return ieee80211_is_beacon(mgmt->frame_control) &&
	       !is_zero_ether_addr(radio->mac->ibss) &&
	       ether_addr_equal(mgmt->bssid, radio->mac->ibss);
}

static void drop_beacon(struct hwsim_radio *radio, u64 at_ns)
{
	struct hwsim_ac *ac = &radio->mac->acs[HWSIM_AC_IBSS];
	struct hwsim_mpdu *mpdu, *next;

	if (list_empty(&ac->queue))
		return;
	list_for_each_entry_safe(mpdu, next, &ac->queue, list) {
		list_del_init(&mpdu->list);
		hwsim_ac_unqueued(radio, ac);
		hwsim_mpdu_drop(radio, mpdu);
	}
	hwsim_access_spared(radio, at_ns);
}

/* the later of two clocks wins: no member's time ever goes back */
static void adopt_time(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu)
{
	const struct ieee80211_mgmt *mgmt = (void *)ppdu->mpdus[0]->skb->data;
	u64 theirs = le64_to_cpu(mgmt->u.beacon.timestamp);
	u64 ours, at_ns;

	at_ns = ppdu->start_ns + hwsim_delay_ns(ppdu, radio) +
		hwsim_timestamp_ns(ppdu);
	ours = ktime_to_us(ktime_mono_to_real(ns_to_ktime(at_ns))) +
	       radio->ops->tsf_offset_us(radio->hw);
	if (theirs > ours)
		radio->ops->advance_tsf(radio->hw, theirs - ours);
}

/**
 * hwsim_ibss_received - a radio has received a frame
 * @radio: the radio
 * @ppdu: the frame: if it is a beacon of the radio's ad hoc network, the radio
 *	need not send one, and may have to set its clock
 */
void hwsim_ibss_received(struct hwsim_radio *radio,
			 const struct hwsim_ppdu *ppdu)
{
	const struct sk_buff *skb = ppdu->mpdus[0]->skb;

	if (ppdu->kind != HWSIM_MEDIUM_FRAME_BEACON ||
	    skb->len < offsetofend(struct ieee80211_mgmt, u.beacon.timestamp) ||
	    !hwsim_ibss_is_beacon(radio, skb))
		return;
	drop_beacon(radio, hwsim_now_ns(radio));
	radio->mac->sent_beacon = false;
	adopt_time(radio, ppdu);
}

/**
 * hwsim_radio_ibss - a radio joins an ad hoc network, or leaves it
 * @radio: the radio
 * @bssid: of the network, NULL: none
 */
void hwsim_radio_ibss(struct hwsim_radio *radio, const u8 *bssid)
{
	drop_beacon(radio, hwsim_medium_enter(radio->medium));
	if (bssid)
		ether_addr_copy(radio->mac->ibss, bssid);
	else
		eth_zero_addr(radio->mac->ibss);
	radio->mac->sent_beacon = false;
	hwsim_medium_leave(radio->medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_ibss);

/**
 * hwsim_radio_sent_beacon - whether a radio sent the last beacon of its network
 * @radio: the radio, a member of an ad hoc network
 *
 * That member answers broadcast probe requests (11.1.4.3.4).
 */
bool hwsim_radio_sent_beacon(struct hwsim_radio *radio)
{
	bool sent;

	hwsim_medium_enter(radio->medium);
	sent = radio->mac->sent_beacon;
	hwsim_medium_leave(radio->medium);
	return sent;
}
EXPORT_SYMBOL_GPL(hwsim_radio_sent_beacon);
