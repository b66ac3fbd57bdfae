// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames of the hwsim medium for stations that wake up, or ask for them by PS-Poll
 * or a trigger frame, in the order of their numbers (IEEE 802.11-2020 11.2.3).
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include "hwsim_medium_mac.h"

/* keep queued frames for a station until it is awake */
static void keep_queued(struct hwsim_radio *radio, const struct hwsim_peer *peer)
{
	struct hwsim_mpdu *mpdu, *next;
	int i;

	for (i = 0; i < IEEE80211_NUM_ACS; i++) {
		struct hwsim_ac *ac = &radio->mac->acs[i];

		list_for_each_entry_safe(mpdu, next, &ac->queue, list) {
			if (!hwsim_mpdu_can_wait(mpdu) ||
			    !hwsim_mpdu_is_between(mpdu, peer->own, peer->addr))
				continue;
			list_del_init(&mpdu->list);
			hwsim_ac_unqueued(radio, ac);
			if (mpdu->session)
				hwsim_session_retry(radio, mpdu);
			else
				hwsim_keep(radio, mpdu, false);
		}
	}
}

/* send kept frames first; released ones are now sent like others */
static void send_kept(struct hwsim_radio *radio, struct hwsim_peer *peer)
{
	struct hwsim_mpdu *mpdu, *next;
	int i;

	for (i = 0; i < IEEE80211_NUM_ACS; i++)
		list_for_each_entry(mpdu, &radio->mac->acs[i].queue, list)
			if (hwsim_mpdu_is_between(mpdu, peer->own, peer->addr))
				mpdu->alone = false;
	list_for_each_entry_safe_reverse(mpdu, next, &peer->kept, list) {
		struct hwsim_ac *ac = hwsim_ac_of_tid(radio, hwsim_kept_tid(mpdu));

		list_del_init(&mpdu->list);
		hwsim_queue_first(ac, mpdu);
		ac->queued++;
	}
}

/**
 * hwsim_radio_sta_sleeps - a station of an access point dozes, or is awake
 * @radio: the access point
 * @vif: its interface
 * @sta: the station
 * @sleeps: whether it dozes
 */
void hwsim_radio_sta_sleeps(struct hwsim_radio *radio,
			    const struct ieee80211_vif *vif,
			    struct ieee80211_sta *sta, bool sleeps)
{
	u64 now = hwsim_medium_enter(radio->medium);
	struct hwsim_peer *peer;
	int i;

	peer = hwsim_peer_set_sleeps(radio, vif->addr, sta, sleeps);
	hwsim_sessions_sleep(radio, vif->addr, sta, sleeps);
	if (peer && sleeps)
		keep_queued(radio, peer);
	for (i = 0; peer && i < IEEE80211_NUM_TIDS; i++)
		if (hwsim_keeps_any(radio, peer, i))
			ieee80211_sta_set_buffered(sta, i, sleeps);
	if (peer && !sleeps)
		send_kept(radio, peer);
	for (i = 0; radio->air && i < IEEE80211_NUM_ACS; i++)
		if (hwsim_ac_pending(&radio->mac->acs[i]))
			hwsim_access_ready(radio, &radio->mac->acs[i], now);
	/* hwsim_radio_flush() does not wait for kept frames */
	wake_up(&radio->medium->idle);
	hwsim_medium_leave(radio->medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_sta_sleeps);

/* the address of the interface that a station belongs to */
static const u8 *own_addr(const struct ieee80211_sta *sta)
{
	return sta->txq[0]->vif->addr;
}

/* the next frame for a station that asks */
static struct hwsim_mpdu *take(struct hwsim_radio *radio,
			       struct ieee80211_sta *sta, u8 tid)
{
	struct hwsim_session *session =
		hwsim_session_of(radio, own_addr(sta), sta->addr, tid);
	const struct hwsim_peer *peer =
		hwsim_peer_of(radio, own_addr(sta), sta->addr);
	struct hwsim_mpdu *mpdu = peer ? hwsim_kept_first(peer, tid) : NULL;

	/* frames outside of the session are older */
	if (mpdu)
		list_del_init(&mpdu->list);
	else if (session)
		mpdu = hwsim_session_take(session);
	if (mpdu && peer)
		hwsim_keep_announce(radio, peer, sta, tid);
	if (!mpdu && sta->txq[tid])
		mpdu = hwsim_tx_dequeue(radio, sta->txq[tid]);
	if (!mpdu)
		return NULL;
	if (mpdu->unknown)
		session->unknown--;
	mpdu->unknown = false;
	mpdu->alone = true;
	mpdu->since_ns = hwsim_now_ns(radio);	/* it has been kept until now */
	return mpdu;
}

static bool has_more(struct hwsim_radio *radio, struct ieee80211_sta *sta,
		     u8 tid)
{
	const struct hwsim_peer *peer =
		hwsim_peer_of(radio, own_addr(sta), sta->addr);

	return (peer && hwsim_keeps_any(radio, peer, tid)) ||
	       (sta->txq[tid] && hwsim_txq_holds_frames(sta->txq[tid]));
}

/* the last frame of a service period ends it, for both sides */
static void end_service(struct hwsim_mpdu *mpdu,
			enum ieee80211_frame_release_type reason)
{
	struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;

	IEEE80211_SKB_CB(mpdu->skb)->flags |= IEEE80211_TX_STATUS_EOSP |
					      IEEE80211_TX_CTL_REQ_TX_STATUS;
	if (reason == IEEE80211_FRAME_RELEASE_UAPSD &&
	    ieee80211_is_data_qos(hdr->frame_control))
		*ieee80211_get_qos_ctl(hdr) |= IEEE80211_QOS_CTL_EOSP;
}

/**
 * hwsim_radio_release - a station that dozes asks for frames that are kept
 * @radio: the access point
 * @sta: the station
 * @tids: TIDs of the frames
 * @max_count: the most frames to release
 * @reason: how it asks
 * @more_data: mac80211 has more for it
 */
void hwsim_radio_release(struct hwsim_radio *radio, struct ieee80211_sta *sta,
			 u16 tids, int max_count,
			 enum ieee80211_frame_release_type reason,
			 bool more_data)
{
	struct hwsim_ac *ac = NULL;
	struct hwsim_mpdu *mpdu;
	LIST_HEAD(released);
	int tid, count = 0;
	u64 now;

	now = hwsim_medium_enter(radio->medium);
	rcu_read_lock();
	for (tid = IEEE80211_NUM_TIDS - 1; tid >= 0; tid--) {
		if (!(tids & BIT(tid)))
			continue;
		/*
		 * All use one category, otherwise the last could overtake
		 * others.
		 */
		ac = ac ?: hwsim_ac_of_tid(radio, tid);
		while (count < max_count && (mpdu = take(radio, sta, tid))) {
			list_add_tail(&mpdu->list, &released);
			count++;
		}
		more_data |= has_more(radio, sta, tid);
	}
	list_for_each_entry(mpdu, &released, list) {
		bool last = list_is_last(&mpdu->list, &released);

		hwsim_mpdu_set_more_data(mpdu, more_data || !last);
		if (last)
			end_service(mpdu, reason);
		ac->queued++;
	}
	rcu_read_unlock();
	if (count) {
		list_splice_tail(&released, &ac->queue);
		hwsim_access_ready(radio, ac, now);
	}
	hwsim_medium_leave(radio->medium);
	if (!count && tids && reason == IEEE80211_FRAME_RELEASE_UAPSD)
		ieee80211_send_eosp_nullfunc(sta, __fls(tids));
	else if (!count)
		ieee80211_sta_eosp(sta);
}
EXPORT_SYMBOL_GPL(hwsim_radio_release);
