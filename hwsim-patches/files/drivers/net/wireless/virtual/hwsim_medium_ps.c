// SPDX-License-Identifier: GPL-2.0-only
/*
 * Power save in the hwsim medium (IEEE 802.11-2020 11.2.3).
 *
 * A station that dozes hears the beacons of its access point, group frames that
 * a DTIM beacon announced, and what answers its own frames. When it dozes is up
 * to mac80211.
 *
 * An access point keeps frames that are to be sent again to such a station
 * until it wakes or asks for them by PS-Poll or a trigger frame. Those outside
 * of a BlockAck session go back to mac80211, which has the others.
 *
 * Not modelled: stations that skip beacons; that who wakes up does not know
 * yet what others have reserved (NAVSyncDelay).
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include "hwsim_medium_int.h"

/* why a radio that dozes hears more than beacons */
#define AWAKE_FOR_GROUP		BIT(0)	/* frames behind a DTIM beacon */
#define AWAKE_FOR_SERVICE	BIT(1)	/* frames that it has asked for */

/**
 * hwsim_radio_doze - a radio begins to doze, or no longer does
 * @radio: the radio
 * @dozes: whether it does
 */
void hwsim_radio_doze(struct hwsim_radio *radio, bool dozes)
{
	hwsim_medium_enter(radio->medium);
	if (radio->dozes != dozes)
		radio->awake_for = 0;
	radio->dozes = dozes;
	hwsim_medium_leave(radio->medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_doze);

/**
 * hwsim_ps_is_deaf - whether a radio sleeps through a transmission
 * @radio: the radio
 * @ppdu: the transmission, which begins
 */
bool hwsim_ps_is_deaf(const struct hwsim_radio *radio,
		      const struct hwsim_ppdu *ppdu)
{
	int i;

	if (!radio->dozes || radio->awake_for ||
	    radio->stage != HWSIM_STAGE_NONE)
		return false;
	for (i = 0; i < IEEE80211_NUM_ACS; i++)
		if (radio->acs[i].waiting)
			return false;
	return ppdu->kind != HWSIM_MEDIUM_FRAME_BEACON ||
	       !ether_addr_equal(ppdu->ta, radio->bssid);
}

/**
 * hwsim_ps_answered - what a radio sent was acknowledged
 * @radio: the radio; if it dozes, it listens to what it may have asked for
 */
void hwsim_ps_answered(struct hwsim_radio *radio)
{
	if (radio->dozes)
		radio->awake_for |= AWAKE_FOR_SERVICE;
}

/* whether a beacon says that group frames follow it (9.4.2.5) */
static bool group_frames_follow(const struct sk_buff *beacon)
{
	const struct ieee80211_mgmt *mgmt = (void *)beacon->data;
	const size_t head = offsetof(struct ieee80211_mgmt, u.beacon.variable);
	const struct ieee80211_tim_ie *tim;
	const struct element *elem;

	if (beacon->len < head)
		return false;
	elem = cfg80211_find_elem(WLAN_EID_TIM, mgmt->u.beacon.variable,
				  beacon->len - head);
	if (!elem || elem->datalen < offsetofend(struct ieee80211_tim_ie,
						 bitmap_ctrl))
		return false;
	tim = (void *)elem->data;
	return !tim->dtim_count && tim->bitmap_ctrl & 1;
}

/* whether a frame ends what a station has asked for */
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
 * @mpdu: one of its frames, with the right FCS
 */
void hwsim_ps_received(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu,
		       const struct hwsim_mpdu *mpdu)
{
	struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;
	bool group = is_multicast_ether_addr(ppdu->ra);

	if (!radio->dozes || !ether_addr_equal(ppdu->ta, radio->bssid))
		return;
	if (ppdu->kind == HWSIM_MEDIUM_FRAME_BEACON) {
		radio->awake_for &= ~AWAKE_FOR_GROUP;
		if (group_frames_follow(mpdu->skb))
			radio->awake_for |= AWAKE_FOR_GROUP;
	} else if (group && !ieee80211_has_moredata(hdr->frame_control)) {
		radio->awake_for &= ~AWAKE_FOR_GROUP;
	} else if (!group && ends_service(hdr)) {
		radio->awake_for &= ~AWAKE_FOR_SERVICE;
	}
}

/* whether mac80211 will keep a frame, and it is not one that was asked for */
static bool can_wait(const struct hwsim_mpdu *mpdu)
{
	return mpdu->to_sta && !mpdu->is_own && !mpdu->alone &&
	       !(IEEE80211_SKB_CB(mpdu->skb)->flags &
		 IEEE80211_TX_CTL_NO_PS_BUFFER);
}

/**
 * hwsim_ps_keeps - whether a frame that was not acknowledged waits
 * @radio: who sent it
 * @ppdu: as what
 * @mpdu: the frame, of no session
 *
 * Return: whether mac80211 is to keep it until its receiver is awake
 */
bool hwsim_ps_keeps(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu,
		    struct hwsim_mpdu *mpdu)
{
	if (!can_wait(mpdu) || !hwsim_peer_sleeps(radio, ppdu->ra))
		return false;
	mpdu->filtered = true;
	return true;
}

/* frames outside of sessions: mac80211 keeps them */
static void return_queued(struct hwsim_radio *radio, const u8 *addr)
{
	struct hwsim_mpdu *mpdu, *next;
	int i;

	for (i = 0; i < IEEE80211_NUM_ACS; i++) {
		struct hwsim_ac *ac = &radio->acs[i];

		list_for_each_entry_safe(mpdu, next, &ac->queue, list) {
			const struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;

			if (!can_wait(mpdu) ||
			    !ether_addr_equal(hdr->addr1, addr))
				continue;
			list_del_init(&mpdu->list);
			ac->queued--;
			mpdu->filtered = true;
			hwsim_up_status(radio, mpdu);
		}
	}
}

/**
 * hwsim_radio_sta_sleeps - a station of an access point dozes, or is awake
 * @radio: the access point
 * @sta: the station
 * @sleeps: whether it dozes
 */
void hwsim_radio_sta_sleeps(struct hwsim_radio *radio,
			    struct ieee80211_sta *sta, bool sleeps)
{
	u64 now = hwsim_medium_enter(radio->medium);
	int i;

	hwsim_peer_set_sleeps(radio, sta->addr, sleeps);
	hwsim_sessions_sleep(radio, sta, sleeps);
	if (sleeps)
		return_queued(radio, sta->addr);
	for (i = 0; radio->air && i < IEEE80211_NUM_ACS; i++)
		if (hwsim_tx_pending(&radio->acs[i]))
			hwsim_access_ready(radio, &radio->acs[i], now);
	hwsim_medium_leave(radio->medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_sta_sleeps);

/* the next frame that is kept for a station */
static struct hwsim_mpdu *take(struct hwsim_radio *radio,
			       struct ieee80211_sta *sta, u8 tid)
{
	struct hwsim_session *session = hwsim_session_of(radio, sta->addr, tid);
	struct hwsim_mpdu *mpdu = NULL;

	if (session) {
		mpdu = hwsim_session_take(session);
		if (list_empty(&session->again))
			ieee80211_sta_set_buffered(sta, tid, false);
	}
	if (!mpdu && sta->txq[tid])
		mpdu = hwsim_tx_dequeue(radio, sta->txq[tid]);
	if (!mpdu)
		return NULL;
	if (mpdu->unknown)
		session->unknown--;
	mpdu->unknown = false;
	mpdu->alone = true;
	return mpdu;
}

static bool has_more(struct hwsim_radio *radio, struct ieee80211_sta *sta,
		     u8 tid)
{
	const struct hwsim_session *session =
		hwsim_session_of(radio, sta->addr, tid);

	return (session && !list_empty(&session->again)) ||
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
 * @tids: of these TIDs
 * @max_count: so many at most
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
		/* all by one category, or the last could overtake others */
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
