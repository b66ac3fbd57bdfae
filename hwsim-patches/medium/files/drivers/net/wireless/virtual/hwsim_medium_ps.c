// SPDX-License-Identifier: GPL-2.0-only
/*
 * Power save in the hwsim medium (IEEE 802.11-2020 11.2.3).
 *
 * A station that dozes hears the beacons of its access point, group frames that
 * a DTIM beacon announced, and answers to its own frames. When it dozes is up
 * to mac80211.
 *
 * It is the radio that dozes. mac80211 lets it doze only if it has one interface
 * that is a station, and none that is an access point. What the access point
 * believes about it is kept with that interface's network.
 *
 * Not modelled: stations that skip beacons; that a station that wakes up does not
 * know yet what others have reserved (NAVSyncDelay).
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include "hwsim_medium_mac.h"

/* why a radio that dozes receives more than beacons */
#define AWAKE_FOR_GROUP		BIT(0)	/* frames after a DTIM beacon */
#define AWAKE_FOR_SERVICE	BIT(1)	/* frames that it has asked for */

#define GROUP_FRAMES		BIT(0)	/* of a TIM's bitmap control field */

/**
 * hwsim_radio_doze - a radio begins to doze, or no longer does
 * @radio: the radio
 * @dozes: whether it does
 */
void hwsim_radio_doze(struct hwsim_radio *radio, bool dozes)
{
	bool wakes;

	hwsim_medium_enter(radio->medium);
	/*
	 * If it starts to doze among group frames, it receives the rest of them.
	 */
	if (radio->mac->dozes != dozes)
		radio->mac->awake_for &= AWAKE_FOR_GROUP;
	/* frames that it sends from now on say that it is awake */
	wakes = radio->mac->dozes && !dozes;
	if (wakes)
		hwsim_networks_wake(radio);
	radio->mac->dozes = dozes;
	hwsim_medium_leave(radio->medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_doze);

/**
 * hwsim_ps_listens - whether a radio is awake for a transmission
 * @radio: the radio
 * @ppdu: the transmission, which begins
 */
bool hwsim_ps_listens(const struct hwsim_radio *radio,
		      const struct hwsim_ppdu *ppdu)
{
	int i;

	if (!radio->mac->dozes || radio->mac->awake_for ||
	    radio->mac->stage != HWSIM_STAGE_NONE)
		return true;
	for (i = 0; i < IEEE80211_NUM_ACS; i++)
		if (radio->mac->acs[i].waiting)
			return true;
	return ppdu->kind == HWSIM_MEDIUM_FRAME_BEACON &&
	       hwsim_network_is_joined(radio, ppdu->ta);
}

/* whether a frame is one of those that follow a DTIM beacon */
static bool is_group_frame(const struct hwsim_mpdu *mpdu)
{
	const struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;

	return mpdu->is_own && ieee80211_is_data(hdr->frame_control) &&
	       is_multicast_ether_addr(hdr->addr1);
}

/* whether group frames of an interface wait, which its beacons have announced */
static bool group_frames_wait(const struct hwsim_radio *radio, const u8 *addr)
{
	const struct hwsim_mpdu *mpdu;

	list_for_each_entry(mpdu, &radio->mac->acs[IEEE80211_AC_VO].queue, list) {
		const struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;

		if (is_group_frame(mpdu) && ether_addr_equal(hdr->addr2, addr))
			return true;
	}
	return false;
}

/**
 * hwsim_ps_mark - set PM and MORE DATA of a frame
 * @radio: the sender
 * @mpdu: the frame, which is to be sent
 *
 * mac80211 wakes a station before it sends. A frame that was queued when the
 * station fell asleep does not wake it, and must not say that it is awake: the
 * access point would send frames that nobody receives. This is called before
 * each attempt, since the station may have woken or fallen asleep since the last
 * one; it counts as asleep as soon as its access point believes so.
 *
 * Of the group frames of one beacon, mac80211 sets MORE DATA in all except the
 * last, though those of the next beacon may wait already.
 */
void hwsim_ps_mark(struct hwsim_radio *radio, struct hwsim_mpdu *mpdu)
{
	const struct hwsim_network *network =
		hwsim_network_of(radio, hwsim_mpdu_sender(mpdu));
	struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;
	__le16 fc = hdr->frame_control;
	bool asleep = radio->mac->dozes ||
		      (network->known_asleep && mpdu->naps != network->naps);

	if (is_group_frame(mpdu) && group_frames_wait(radio, hdr->addr2))
		hwsim_mpdu_set_more_data(mpdu, true);
	if (mpdu->pm_set)
		hdr->frame_control &= cpu_to_le16(~IEEE80211_FCTL_PM);
	else if (ieee80211_has_pm(fc))
		return;		/* set by mac80211 */
	mpdu->pm_set = asleep && ether_addr_equal(hdr->addr1, network->bssid) &&
		       (ieee80211_is_data_present(fc) ||
			ieee80211_is_bufferable_mmpdu(mpdu->skb));
	if (mpdu->pm_set)
		hdr->frame_control |= cpu_to_le16(IEEE80211_FCTL_PM);
}

/* an access point has acknowledged a frame with PM set or clear (11.2.3.2) */
static void note_pm(struct hwsim_radio *radio, const struct hwsim_mpdu *mpdu)
{
	struct hwsim_network *network =
		hwsim_network_of(radio, hwsim_mpdu_sender(mpdu));
	const struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;
	bool pm = ieee80211_has_pm(hdr->frame_control);

	if (!ether_addr_equal(hdr->addr1, network->bssid) ||
	    (!ieee80211_is_data(hdr->frame_control) &&
	     !ieee80211_is_bufferable_mmpdu(mpdu->skb)))
		return;
	if (pm && !network->known_asleep)
		network->naps++;
	network->known_asleep = pm;
}

/**
 * hwsim_ps_answered - a frame of a radio was acknowledged
 * @radio: the radio
 * @mpdu: the frame; a radio that dozes stays awake for what the frame asked for
 */
void hwsim_ps_answered(struct hwsim_radio *radio, const struct hwsim_mpdu *mpdu)
{
	const struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;

	note_pm(radio, mpdu);
	/* any QoS data frame may be a trigger frame */
	if (radio->mac->dozes && (ieee80211_is_pspoll(hdr->frame_control) ||
				  ieee80211_is_data_qos(hdr->frame_control)))
		radio->mac->awake_for |= AWAKE_FOR_SERVICE;
}

/* the bitmap control field of a beacon's TIM, or NULL */
static u8 *bitmap_control(const struct sk_buff *beacon)
{
	const struct ieee80211_mgmt *mgmt = (void *)beacon->data;
	const size_t head = offsetof(struct ieee80211_mgmt, u.beacon.variable);
	const struct element *elem;

	if (beacon->len < head || ieee80211_is_s1g_beacon(mgmt->frame_control))
		return NULL;
	elem = cfg80211_find_elem(WLAN_EID_TIM, mgmt->u.beacon.variable,
				  beacon->len - head);
	if (!elem || elem->datalen < offsetofend(struct ieee80211_tim_ie,
						 bitmap_ctrl))
		return NULL;
	return (u8 *)elem->data + offsetof(struct ieee80211_tim_ie, bitmap_ctrl);
}

/* whether a beacon announces group frames (9.4.2.5) */
static bool group_frames_follow(const struct sk_buff *beacon)
{
	const u8 *control = bitmap_control(beacon);

	return control && *control & GROUP_FRAMES;
}

/**
 * hwsim_ps_announce - announce group frames that still wait
 * @radio: the access point
 * @beacon: the beacon; an earlier one has announced these frames
 *
 * IEEE 802.11-2020 11.2.3.6: every beacon announces them until all are sent.
 */
void hwsim_ps_announce(const struct hwsim_radio *radio, struct sk_buff *beacon)
{
	const struct ieee80211_hdr *hdr = (void *)beacon->data;
	u8 *control = bitmap_control(beacon);

	if (control && group_frames_wait(radio, hdr->addr2))
		*control |= GROUP_FRAMES;
}

/* whether a frame ends the service period of a station */
static bool ends_service(struct ieee80211_hdr *hdr)
{
	if (!ieee80211_has_moredata(hdr->frame_control))
		return true;
	return ieee80211_is_data_qos(hdr->frame_control) &&
	       *ieee80211_get_qos_ctl(hdr) & IEEE80211_QOS_CTL_EOSP;
}

/**
 * hwsim_ps_received - a radio that may doze has received a frame
 * @radio: the radio
 * @ppdu: the transmission
 * @mpdu: one of its frames, with a correct FCS
 * @owned: it is for this radio
 */
void hwsim_ps_received(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu,
		       const struct hwsim_mpdu *mpdu, bool owned)
{
	struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;
	bool group = is_multicast_ether_addr(ppdu->ra);

	if (!hwsim_network_is_joined(radio, ppdu->ta))
		return;
	if (ppdu->kind == HWSIM_MEDIUM_FRAME_BEACON) {
		radio->mac->awake_for &= ~AWAKE_FOR_GROUP;
		if (group_frames_follow(mpdu->skb))
			radio->mac->awake_for |= AWAKE_FOR_GROUP;
	} else if (group && !ieee80211_has_moredata(hdr->frame_control)) {
		radio->mac->awake_for &= ~AWAKE_FOR_GROUP;
	} else if (owned && ends_service(hdr)) {
		radio->mac->awake_for &= ~AWAKE_FOR_SERVICE;
	}
}
