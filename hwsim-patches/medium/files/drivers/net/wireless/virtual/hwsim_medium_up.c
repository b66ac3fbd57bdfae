// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delivery from the hwsim medium to mac80211, once the lock is dropped.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include "hwsim_medium_mac.h"

/* struct ieee80211_tx_rate has five bits for it */
#define TX_COUNT_MAX	31

/**
 * hwsim_skb_unsent - free a frame that is not sent
 * @hw: the radio for mac80211
 * @skb: the frame
 *
 * If it was to end a service period, the period still ends.
 */
void hwsim_skb_unsent(struct ieee80211_hw *hw, struct sk_buff *skb)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(skb);

	if (!(info->flags & IEEE80211_TX_STATUS_EOSP)) {
		ieee80211_free_txskb(hw, skb);
		return;
	}
	ieee80211_tx_info_clear_status(info);
	info->status.rates[0].idx = -1;
	ieee80211_tx_status_irqsafe(hw, skb);
}

static void report_session(const struct hwsim_up *up, struct ieee80211_sta *sta)
{
	struct ieee80211_vif *vif;

	if (up->session == HWSIM_SESSION_NOTHING || !sta->txq[up->tid])
		return;
	vif = sta->txq[up->tid]->vif;
	switch (up->session) {
	case HWSIM_SESSION_END:
		ieee80211_stop_tx_ba_session(sta, up->tid);
		break;
	case HWSIM_SESSION_STARTS:
		ieee80211_start_tx_ba_cb_irqsafe(vif, sta->addr, up->tid);
		break;
	default:
		ieee80211_stop_tx_ba_cb_irqsafe(vif, sta->addr, up->tid);
	}
}

/*
 * Report the air time that a station used to mac80211, and the outcome of an
 * A-MPDU to rate control, whether or not a frame is completed.
 */
static void report_peer(struct hwsim_up *up)
{
	struct ieee80211_sta *sta;

	rcu_read_lock();
	sta = ieee80211_find_sta_by_ifaddr(up->hw, up->peer, up->own);
	if (sta) {
		ieee80211_sta_register_airtime(sta, up->tid, up->tx_us,
					       up->rx_us);
		if (up->has_tx_info)
			ieee80211_tx_rate_update(up->hw, sta, &up->tx_info);
		report_session(up, sta);
	}
	rcu_read_unlock();
}

static void report_status(struct hwsim_mpdu *mpdu)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(mpdu->skb);
	int i;

	if (mpdu->is_own) {
		dev_kfree_skb(mpdu->skb);
		return;
	}
	ieee80211_tx_info_clear_status(info);
	for (i = 0; i < IEEE80211_TX_MAX_RATES; i++) {
		info->status.rates[i] = mpdu->rates[i];
		info->status.rates[i].count = min_t(u8, mpdu->tried[i],
						    TX_COUNT_MAX);
		if (!mpdu->tried[i] && i)
			info->status.rates[i].idx = -1;
	}
	if (mpdu->acked)
		info->flags |= IEEE80211_TX_STAT_ACK;
	else if (!mpdu->wants_ack)
		info->flags |= IEEE80211_TX_STAT_NOACK_TRANSMITTED;
	ieee80211_tx_status_skb(mpdu->hw, mpdu->skb);
}

/* the status of a discarded frame is not reported */
static void free_discarded(struct hwsim_later *later)
{
	struct hwsim_mpdu *mpdu =
		container_of(later, struct hwsim_mpdu, discard);

	if (mpdu->is_own)
		dev_kfree_skb_any(mpdu->skb);
	else
		hwsim_skb_unsent(mpdu->hw, mpdu->skb);
	kfree(mpdu);
}

/**
 * hwsim_mpdu_discard - free a frame without a status
 * @medium: the medium, locked
 * @mpdu: the frame, in no queue; freed later, since that may wake its sender
 */
void hwsim_mpdu_discard(struct hwsim_medium *medium, struct hwsim_mpdu *mpdu)
{
	mpdu->discard.run = free_discarded;
	list_add_tail(&mpdu->discard.list, &medium->clock.discarded);
}

/**
 * hwsim_mpdu_let_go - a radio holds one frame fewer
 * @radio: the radio
 */
void hwsim_mpdu_let_go(struct hwsim_radio *radio)
{
	radio->mac->held--;
	/* waiters check what is held under the lock, too */
	if (waitqueue_active(&radio->medium->idle))
		wake_up(&radio->medium->idle);
}

/**
 * hwsim_mpdu_drop - drop a frame whose status does not matter
 * @radio: the radio
 * @mpdu: the frame, in no queue; freed
 */
void hwsim_mpdu_drop(struct hwsim_radio *radio, struct hwsim_mpdu *mpdu)
{
	hwsim_mpdu_discard(radio->medium, mpdu);
	hwsim_mpdu_let_go(radio);
}

/* hand something to mac80211; the lock is not held, softirqs are off */
static void deliver(struct hwsim_later *later)
{
	struct hwsim_up *up = container_of(later, struct hwsim_up, later);

	if (up->has_peer)
		report_peer(up);
	if (up->mpdu) {
		report_status(up->mpdu);
		kfree(up->mpdu);
	}
	if (up->skb)
		up->ops->rx(up->hw, &up->rx_status, up->skb);
	kfree(up);
}

static struct hwsim_up *up_new(struct hwsim_radio *radio)
{
	struct hwsim_up *up = kzalloc(sizeof(*up), GFP_ATOMIC);

	if (!up)
		return NULL;
	up->hw = radio->hw;
	up->ops = radio->ops;
	up->later.run = deliver;
	list_add_tail(&up->later.list, &radio->medium->clock.up);
	return up;
}

/**
 * hwsim_up_frame - deliver a received frame
 * @radio: the receiver
 * @rx_status: its status
 * @skb: the frame
 */
void hwsim_up_frame(struct hwsim_radio *radio,
		    const struct ieee80211_rx_status *rx_status,
		    struct sk_buff *skb)
{
	struct hwsim_up *up = up_new(radio);

	if (!up) {
		kfree_skb(skb);
		return;
	}
	up->skb = skb;
	up->rx_status = *rx_status;
}

/**
 * hwsim_up_status - report a frame's status
 * @radio: the sender
 * @mpdu: the frame, which the medium no longer owns
 */
void hwsim_up_status(struct hwsim_radio *radio, struct hwsim_mpdu *mpdu)
{
	struct hwsim_up *up = up_new(radio);

	hwsim_mpdu_let_go(radio);
	if (!up) {
		hwsim_mpdu_discard(radio->medium, mpdu);
		return;
	}
	up->mpdu = mpdu;
}

static struct hwsim_up *up_peer(struct hwsim_radio *radio, const u8 *own,
				const u8 *addr, u8 tid)
{
	struct hwsim_up *up = up_new(radio);

	if (!up)
		return NULL;
	up->has_peer = true;
	ether_addr_copy(up->own, own);
	ether_addr_copy(up->peer, addr);
	up->tid = tid;
	return up;
}

/**
 * hwsim_up_sent - report a transmission to a station to mac80211
 * @radio: the sender
 * @ppdu: the transmission; it has ended
 * @ampdu: MPDUs in it, if they belong to a BlockAck session, else 0
 * @acked: how many of them were acknowledged
 */
void hwsim_up_sent(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu,
		   u32 ampdu, u32 acked)
{
	struct hwsim_up *up = up_peer(radio, ppdu->ta, ppdu->ra, ppdu->tid);

	if (!up)
		return;
	up->tx_us = div_u64(ppdu->end_ns - ppdu->start_ns, NSEC_PER_USEC);
	if (!ampdu)
		return;
	up->has_tx_info = true;
	up->tx_info.flags = IEEE80211_TX_CTL_AMPDU | IEEE80211_TX_STAT_AMPDU;
	if (acked)
		up->tx_info.flags |= IEEE80211_TX_STAT_ACK;
	up->tx_info.band = radio->channel->band;
	up->tx_info.status.rates[0] = ppdu->tx_rate;
	up->tx_info.status.rates[0].count = 1;
	up->tx_info.status.rates[1].idx = -1;
	/* mac80211 has a byte for each */
	up->tx_info.status.ampdu_len = min_t(u32, ampdu, U8_MAX);
	up->tx_info.status.ampdu_ack_len = min_t(u32, acked, U8_MAX);
}

/**
 * hwsim_up_received - report a transmission of a station to mac80211
 * @radio: the receiver
 * @ppdu: the transmission; it has ended
 */
void hwsim_up_received(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu)
{
	struct hwsim_up *up = up_peer(radio, ppdu->ra, ppdu->ta, ppdu->tid);

	if (up)
		up->rx_us = div_u64(ppdu->end_ns - ppdu->start_ns,
				    NSEC_PER_USEC);
}

/**
 * hwsim_up_session - let mac80211 act on a BlockAck agreement
 * @radio: its originator
 * @own: address of the interface
 * @addr: address of the recipient
 * @tid: its TID
 * @step: what to do
 *
 * Return: false if memory ran out
 */
bool hwsim_up_session(struct hwsim_radio *radio, const u8 *own, const u8 *addr,
		      u8 tid, enum hwsim_session_step step)
{
	struct hwsim_up *up = up_peer(radio, own, addr, tid);

	if (up)
		up->session = step;
	return up;
}

/**
 * hwsim_up_forget - drop what was to be delivered for a radio
 * @radio: the radio
 */
void hwsim_up_forget(struct hwsim_radio *radio)
{
	struct hwsim_clock *clock = &radio->medium->clock;
	struct hwsim_up *up, *next;

	list_for_each_entry_safe(up, next, &clock->up, later.list) {
		if (up->hw != radio->hw)
			continue;
		list_del(&up->later.list);
		if (up->mpdu)
			hwsim_mpdu_discard(radio->medium, up->mpdu);
		dev_kfree_skb_any(up->skb);
		kfree(up);
	}
}
