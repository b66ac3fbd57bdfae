// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames that mac80211 wants to send, and their tx status.
 *
 * Frames stay in mac80211's own queues until their access category has won the
 * medium; only then are they taken, as many as fit into one PPDU. So fq_codel,
 * airtime fairness and TCP small queues work as they do on good hardware.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include "hwsim_medium_mac.h"

#define MAX_FLUSH_JIFFIES	(HZ / 5)

/* the interface of a frame; one that is injected may have none */
static const struct ieee80211_vif *vif_of(const struct hwsim_mpdu *mpdu)
{
	return mpdu->session ? mpdu->session->txq->vif :
			       IEEE80211_SKB_CB(mpdu->skb)->control.vif;
}

static bool is_of(const struct hwsim_mpdu *mpdu, const struct ieee80211_vif *vif)
{
	return !vif || vif_of(mpdu) == vif;
}

static bool is_management_of(const struct hwsim_mpdu *mpdu,
			     const struct ieee80211_vif *vif)
{
	return mpdu->kind == HWSIM_MEDIUM_FRAME_MGMT && is_of(mpdu, vif);
}

/* whether an interface has an exchange, or a PPDU that follows in the TXOP */
static bool sends_for(const struct hwsim_radio *radio,
		      const struct ieee80211_vif *vif,
		      bool (*counts)(const struct hwsim_mpdu *mpdu,
				     const struct ieee80211_vif *vif))
{
	const struct hwsim_ppdu *ppdus[] = { radio->mac->frame, radio->mac->ahead };
	int i;

	for (i = 0; i < ARRAY_SIZE(ppdus); i++)
		if (ppdus[i] && ppdus[i]->count && counts(ppdus[i]->mpdus[0], vif))
			return true;
	return false;
}

/**
 * hwsim_tx_forget_sta - a station is gone: detach frames that are still sent to it
 * @radio: the radio
 * @own: address of its interface
 * @addr: address of the station
 */
void hwsim_tx_forget_sta(struct hwsim_radio *radio, const u8 *own,
			 const u8 *addr)
{
	const struct hwsim_ppdu *ppdus[] = { radio->mac->frame, radio->mac->ahead };
	struct hwsim_mpdu *mpdu;
	u32 i, k;

	for (i = 0; i < IEEE80211_NUM_ACS; i++)
		list_for_each_entry(mpdu, &radio->mac->acs[i].queue, list)
			if (hwsim_mpdu_is_between(mpdu, own, addr))
				mpdu->to_sta = false;
	for (i = 0; i < ARRAY_SIZE(ppdus); i++)
		for (k = 0; ppdus[i] && k < ppdus[i]->count; k++)
			if (hwsim_mpdu_is_between(ppdus[i]->mpdus[k], own, addr))
				ppdus[i]->mpdus[k]->to_sta = false;
}

/**
 * hwsim_tx_drop_queued - drop what was handed over for another channel
 * @radio: the radio
 * @vif: of one interface, NULL: of all
 *
 * mac80211 flushes before it leaves a channel for a while. What is left then
 * was for a network that the radio is leaving.
 */
void hwsim_tx_drop_queued(struct hwsim_radio *radio,
			  const struct ieee80211_vif *vif)
{
	struct hwsim_mpdu *mpdu, *next;
	int i;

	for (i = 0; i < HWSIM_NUM_ACS; i++) {
		struct hwsim_ac *ac = &radio->mac->acs[i];

		list_for_each_entry_safe(mpdu, next, &ac->queue, list) {
			if (!is_of(mpdu, vif))
				continue;
			list_del_init(&mpdu->list);
			hwsim_ac_unqueued(radio, ac);
			hwsim_mpdu_drop(radio, mpdu);
		}
		if (ac != radio->mac->sender)
			ac->waiting = hwsim_ac_pending(ac);
	}
	hwsim_sessions_drained(radio);
	hwsim_access_changed(radio);
}

/**
 * hwsim_tx_purge - drop everything that a radio has to send
 * @radio: the radio; no exchange of that interface is in progress
 * @vif: for one interface, NULL: for all
 */
void hwsim_tx_purge(struct hwsim_radio *radio, const struct ieee80211_vif *vif)
{
	int i;

	hwsim_sessions_purge(radio, vif);
	hwsim_keep_purge(radio, vif);
	for (i = 0; !vif && i < IEEE80211_NUM_ACS; i++)
		radio->mac->acs[i].txqs = false;
	hwsim_tx_drop_queued(radio, vif);
}

/*
 * A new beacon replaces one that has not been sent yet. It does not wait for
 * other frames, in particular for group frames, of which hundreds may follow
 * the last beacon.
 */
static void queue_beacon(struct hwsim_radio *radio, struct hwsim_ac *ac,
			 struct hwsim_mpdu *beacon)
{
	const struct ieee80211_hdr *hdr = (void *)beacon->skb->data;
	struct hwsim_mpdu *mpdu, *next;

	list_for_each_entry_safe(mpdu, next, &ac->queue, list) {
		const struct ieee80211_hdr *other = (void *)mpdu->skb->data;

		if (mpdu->kind != HWSIM_MEDIUM_FRAME_BEACON ||
		    !ether_addr_equal(hdr->addr2, other->addr2))
			continue;
		list_del_init(&mpdu->list);
		hwsim_ac_unqueued(radio, ac);
		hwsim_mpdu_drop(radio, mpdu);
	}
	hwsim_queue_first(ac, beacon);
}

/* let mac80211 keep further frames of that queue */
static void stop_queue(struct hwsim_radio *radio, struct hwsim_ac *ac,
		       struct sk_buff *skb)
{
	u8 queue = IEEE80211_SKB_CB(skb)->hw_queue;

	if (ac->stopped & BIT(queue))
		return;
	ac->stopped |= BIT(queue);
	radio->ops->stop_queue(radio->hw, queue);
}

/* it shows in the interface's statistics */
static void count_dropped(struct sk_buff *skb)
{
	struct ieee80211_vif *vif = IEEE80211_SKB_CB(skb)->control.vif;
	struct wireless_dev *wdev = vif ? ieee80211_vif_to_wdev(vif) : NULL;

	if (wdev && wdev->netdev)
		dev_core_stats_tx_dropped_inc(wdev->netdev);
}

/**
 * hwsim_radio_tx - send a frame that is not in one of mac80211's queues
 * @radio: the radio
 * @sta: the receiver, if mac80211 knows it
 * @skb: the frame; no longer the caller's
 * @channel: its channel; if the radio is on another, the frame is dropped
 * @is_own: the driver made it: mac80211 does not want its status
 */
void hwsim_radio_tx(struct hwsim_radio *radio, struct ieee80211_sta *sta,
		    struct sk_buff *skb, struct ieee80211_channel *channel,
		    bool is_own)
{
	struct ieee80211_hdr *hdr = (void *)skb->data;
	struct hwsim_medium *medium = radio->medium;
	u64 now = hwsim_medium_enter(medium);
	bool answers_poll = IEEE80211_SKB_CB(skb)->control.flags &
			    IEEE80211_TX_CTRL_PS_RESPONSE;
	u16 number = skb_get_queue_mapping(skb);
	u32 room = is_own ? HWSIM_MAX_OWN : HWSIM_MAX_QUEUED;
	struct hwsim_mpdu *mpdu = NULL;
	struct hwsim_ac *ac;

	/* group frames that the driver kept follow the beacon that says so */
	if (!ieee80211_is_data(hdr->frame_control) ||
	    (is_own && is_multicast_ether_addr(hdr->addr1)) ||
	    number >= IEEE80211_NUM_ACS)
		number = IEEE80211_AC_VO;
	if (hwsim_ibss_is_beacon(radio, skb))
		number = HWSIM_AC_IBSS;
	ac = &radio->mac->acs[number];
	if (ieee80211_is_beacon(hdr->frame_control)) {
		hwsim_network_beacon(radio, skb);
		hwsim_ps_announce(radio, skb);
	}
	if (radio->air && radio->channel == channel) {
		if (ac->queued < room)
			mpdu = hwsim_mpdu_new(radio, sta, skb);
		else
			count_dropped(skb);
	}
	if (mpdu) {
		mpdu->is_own = is_own;
		mpdu->alone = answers_poll;
		if (mpdu->session)
			hwsim_session_took(mpdu->session, mpdu->seq);
		if (mpdu->kind == HWSIM_MEDIUM_FRAME_BEACON)
			queue_beacon(radio, ac, mpdu);
		else
			list_add_tail(&mpdu->list, &ac->queue);
		ac->queued++;
		if (!is_own && ac->queued >= HWSIM_STOP_QUEUED)
			stop_queue(radio, ac, skb);
		if (hwsim_ac_is_ibss(radio, ac))
			hwsim_access_tbtt(radio, now);
		else
			hwsim_access_ready(radio, ac, now);
	}
	hwsim_medium_leave(medium);
	if (mpdu)
		return;
	if (is_own)
		dev_kfree_skb_any(skb);
	else
		hwsim_skb_unsent(radio->hw, skb);
}
EXPORT_SYMBOL_GPL(hwsim_radio_tx);

/**
 * hwsim_radio_wake - mac80211 has put frames into one of its queues
 * @radio: the radio
 * @txq: the queue
 */
void hwsim_radio_wake(struct hwsim_radio *radio, struct ieee80211_txq *txq)
{
	struct hwsim_medium *medium = radio->medium;
	u64 now = hwsim_medium_enter(medium);
	struct hwsim_ac *ac = &radio->mac->acs[txq->ac];

	ac->txqs = true;
	if (radio->air)
		hwsim_access_ready(radio, ac, now);
	hwsim_medium_leave(medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_wake);

static bool holds(struct hwsim_radio *radio, const struct ieee80211_vif *vif)
{
	const struct hwsim_mpdu *mpdu;
	bool found;
	int i;

	hwsim_medium_enter(radio->medium);
	found = sends_for(radio, vif, is_of) || hwsim_sessions_hold(radio, vif);
	for (i = 0; i < HWSIM_NUM_ACS && !found; i++)
		list_for_each_entry(mpdu, &radio->mac->acs[i].queue, list)
			found |= is_of(mpdu, vif);
	hwsim_medium_leave(radio->medium);
	return found;
}

static bool holds_management(struct hwsim_radio *radio,
			     const struct ieee80211_vif *vif)
{
	const struct hwsim_mpdu *mpdu;
	bool found;
	int i;

	hwsim_medium_enter(radio->medium);
	found = sends_for(radio, vif, is_management_of);
	for (i = 0; i < IEEE80211_NUM_ACS && !found; i++)
		list_for_each_entry(mpdu, &radio->mac->acs[i].queue, list)
			found |= is_management_of(mpdu, vif);
	found &= !!radio->air;	/* otherwise they will not be sent anyway */
	hwsim_medium_leave(radio->medium);
	return found;
}

/**
 * hwsim_radio_take_queued - take EAPOL and TDLS for a station from mac80211's queues
 * @radio: the radio
 * @vif: the interface
 * @sta: the station; if it dozes, its frames stay
 *
 * They are encrypted with the present key. Everything else stays, takes its
 * turn, and is encrypted with the next key: after message 4 of the 4-way
 * handshake, the peer understands that one only. Frames of BlockAck agreements
 * stay, too: their recipient has room for a window of them only.
 */
void hwsim_radio_take_queued(struct hwsim_radio *radio,
			     const struct ieee80211_vif *vif,
			     struct ieee80211_sta *sta)
{
	u64 now = hwsim_medium_enter(radio->medium);
	struct ieee80211_txq *txq;
	struct hwsim_mpdu *mpdu;
	struct hwsim_ac *ac;
	int i;

	rcu_read_lock();
	for (i = 0; i < ARRAY_SIZE(sta->txq); i++) {
		txq = sta->txq[i];
		if (!txq || hwsim_peer_sleeps(radio, vif->addr, sta->addr) ||
		    hwsim_session_of(radio, vif->addr, sta->addr, txq->tid))
			continue;
		ac = &radio->mac->acs[txq->ac];
		while ((mpdu = hwsim_tx_dequeue_control(radio, txq))) {
			list_add_tail(&mpdu->list, &ac->queue);
			ac->queued++;
		}
		if (radio->air && !list_empty(&ac->queue))
			hwsim_access_ready(radio, ac, now);
	}
	rcu_read_unlock();
	hwsim_medium_leave(radio->medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_take_queued);

/**
 * hwsim_radio_farewell - let management frames be sent before a radio leaves
 * @radio: the radio
 * @vif: those of one interface, NULL: of all
 *
 * An access point that is stopped sends a Deauthentication to all stations, a
 * station may answer a BSS Transition Management Request and go at once.
 * mac80211 does not wait for the end of such frames: real hosts take longer to
 * stop, or to pass the synchronize_net() of a disassociation, than the frame
 * takes to be sent.
 */
void hwsim_radio_farewell(struct hwsim_radio *radio,
			  const struct ieee80211_vif *vif)
{
	wait_event_timeout(radio->medium->idle, !holds_management(radio, vif),
			   MAX_FLUSH_JIFFIES);
}
EXPORT_SYMBOL_GPL(hwsim_radio_farewell);

/**
 * hwsim_radio_flush - wait until everything is sent, or drop it
 * @radio: the radio
 * @vif: frames of one interface, NULL: all
 * @drop: do not wait
 */
void hwsim_radio_flush(struct hwsim_radio *radio,
		       const struct ieee80211_vif *vif, bool drop)
{
	struct hwsim_medium *medium = radio->medium;

	if (!drop) {
		wait_event_timeout(medium->idle, !holds(radio, vif),
				   MAX_FLUSH_JIFFIES);
		return;
	}
	hwsim_medium_enter(medium);
	if (!radio->mac->frame || sends_for(radio, vif, is_of))
		hwsim_exchange_reset(radio);
	hwsim_tx_purge(radio, vif);
	hwsim_medium_leave(medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_flush);
