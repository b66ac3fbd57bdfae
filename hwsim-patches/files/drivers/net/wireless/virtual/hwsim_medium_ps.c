// SPDX-License-Identifier: GPL-2.0-only
/*
 * Power save in the hwsim medium (IEEE 802.11-2020 11.2.3).
 *
 * A station that dozes hears the beacons of its access point, group frames that
 * a DTIM beacon announced, and what answers its own frames. When it dozes is up
 * to mac80211.
 *
 * An access point keeps frames that mac80211 handed over for such a station
 * until it wakes or asks for them by PS-Poll or a trigger frame, in the order of
 * their numbers. mac80211, which has the others, would put them behind those.
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

#define TID_BEST_EFFORT		0
#define TID_VOICE		7

#define GROUP_FRAMES		BIT(0)	/* of a TIM's bitmap control field */

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
	/* what it sends from now on is to say that it is awake */
	if (radio->dozes && !dozes)
		radio->told_asleep = false;
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

/* one of those that follow a DTIM beacon */
static bool is_group_frame(const struct hwsim_mpdu *mpdu)
{
	const struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;

	return mpdu->is_own && ieee80211_is_data(hdr->frame_control) &&
	       is_multicast_ether_addr(hdr->addr1);
}

/* whether group frames of an interface wait that beacons have announced */
static bool group_frames_wait(const struct hwsim_radio *radio, const u8 *addr)
{
	const struct hwsim_mpdu *mpdu;

	list_for_each_entry(mpdu, &radio->acs[IEEE80211_AC_VO].queue, list) {
		const struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;

		if (is_group_frame(mpdu) && ether_addr_equal(hdr->addr2, addr))
			return true;
	}
	return false;
}

/**
 * hwsim_ps_mark - have a frame say who dozes, or has to listen
 * @radio: the sender
 * @mpdu: the frame, which is to be sent
 *
 * mac80211 wakes a station before it sends. What was on its way when the
 * station fell asleep does not wake it, and must not say that it is awake: the
 * access point would send what nobody hears. Asked before each attempt, since
 * the station may have woken or fallen asleep since the last one; and it counts
 * as asleep as soon as its access point takes it for that.
 *
 * And of the group frames of one beacon mac80211 marks all but the last, though
 * those of the next one may wait already.
 */
void hwsim_ps_mark(const struct hwsim_radio *radio, struct hwsim_mpdu *mpdu)
{
	struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;
	__le16 fc = hdr->frame_control;
	bool asleep = radio->dozes ||
		      (radio->told_asleep && mpdu->naps != radio->naps);

	if (is_group_frame(mpdu) && group_frames_wait(radio, hdr->addr2))
		hwsim_mpdu_set_more_data(mpdu, true);
	if (mpdu->pm_set)
		hdr->frame_control &= cpu_to_le16(~IEEE80211_FCTL_PM);
	else if (ieee80211_has_pm(fc))
		return;		/* mac80211 says it */
	mpdu->pm_set = asleep && ether_addr_equal(hdr->addr1, radio->bssid) &&
		       (ieee80211_is_data_present(fc) ||
			ieee80211_is_bufferable_mmpdu(mpdu->skb));
	if (mpdu->pm_set)
		hdr->frame_control |= cpu_to_le16(IEEE80211_FCTL_PM);
}

/* what an access point has learned from a frame that it acknowledged (11.2.3.2) */
static void told(struct hwsim_radio *radio, const struct hwsim_mpdu *mpdu)
{
	const struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;
	bool pm = ieee80211_has_pm(hdr->frame_control);

	if (!ether_addr_equal(hdr->addr1, radio->bssid) ||
	    (!ieee80211_is_data(hdr->frame_control) &&
	     !ieee80211_is_bufferable_mmpdu(mpdu->skb)))
		return;
	if (pm && !radio->told_asleep)
		radio->naps++;
	radio->told_asleep = pm;
}

/**
 * hwsim_ps_answered - what a radio sent was acknowledged
 * @radio: the radio
 * @mpdu: the frame; if the radio dozes, it listens to what that asked for
 */
void hwsim_ps_answered(struct hwsim_radio *radio, const struct hwsim_mpdu *mpdu)
{
	const struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;

	told(radio, mpdu);
	/* any QoS data frame may be a trigger frame */
	if (radio->dozes && (ieee80211_is_pspoll(hdr->frame_control) ||
			     ieee80211_is_data_qos(hdr->frame_control)))
		radio->awake_for |= AWAKE_FOR_SERVICE;
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

/* whether a beacon says that group frames follow it (9.4.2.5) */
static bool group_frames_follow(const struct sk_buff *beacon)
{
	const u8 *control = bitmap_control(beacon);

	return control && *control & GROUP_FRAMES;
}

/**
 * hwsim_ps_announce - have a beacon say that group frames still follow
 * @radio: the access point
 * @beacon: the beacon; group frames may wait that an earlier one announced
 *
 * IEEE 802.11-2020 11.2.3.6: until all of them are sent, every beacon says so.
 */
void hwsim_ps_announce(const struct hwsim_radio *radio, struct sk_buff *beacon)
{
	const struct ieee80211_hdr *hdr = (void *)beacon->data;
	u8 *control = bitmap_control(beacon);

	if (control && group_frames_wait(radio, hdr->addr2))
		*control |= GROUP_FRAMES;
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
 * @owned: it is for this radio
 */
void hwsim_ps_received(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu,
		       const struct hwsim_mpdu *mpdu, bool owned)
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
	} else if (owned && ends_service(hdr)) {
		radio->awake_for &= ~AWAKE_FOR_SERVICE;
	}
}

/* whether a frame may be kept, and is not one that was asked for */
static bool can_wait(const struct hwsim_mpdu *mpdu)
{
	return mpdu->to_sta && !mpdu->is_own && !mpdu->alone &&
	       !(IEEE80211_SKB_CB(mpdu->skb)->flags &
		 IEEE80211_TX_CTL_NO_PS_BUFFER);
}

/* the TID by which mac80211 asks for a frame */
static u8 tid_of(const struct hwsim_mpdu *mpdu)
{
	if (mpdu->tid < IEEE80211_NUM_TIDS)
		return mpdu->tid;
	return mpdu->kind == HWSIM_MEDIUM_FRAME_DATA ? TID_BEST_EFFORT :
						       TID_VOICE;
}

/* the first frame outside of sessions that is kept for a station, or NULL */
static struct hwsim_mpdu *kept_for(const struct hwsim_peer *peer, u8 tid)
{
	struct hwsim_mpdu *mpdu;

	list_for_each_entry(mpdu, &peer->kept, list)
		if (tid_of(mpdu) == tid)
			return mpdu;
	return NULL;
}

static bool keeps_any(struct hwsim_radio *radio, const struct hwsim_peer *peer,
		      u8 tid)
{
	const struct hwsim_session *session =
		hwsim_session_of(radio, peer->addr, tid);

	return kept_for(peer, tid) || (session && !list_empty(&session->again));
}

/* beacons say for whom something is kept */
static void announce(struct hwsim_radio *radio, const struct hwsim_peer *peer,
		     struct ieee80211_sta *sta, u8 tid)
{
	ieee80211_sta_set_buffered(sta, tid, keeps_any(radio, peer, tid));
}

/**
 * hwsim_ps_keeps - whether a frame waits until its receiver is awake
 * @radio: who was to send it
 * @mpdu: the frame, sent alone; if so, it is in no queue any more
 * @first: before others that wait
 */
bool hwsim_ps_keeps(struct hwsim_radio *radio, struct hwsim_mpdu *mpdu,
		    bool first)
{
	const struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;
	struct hwsim_peer *peer;

	if (!radio->num_asleep || !can_wait(mpdu))
		return false;
	peer = hwsim_peer_of(radio, hdr->addr1);
	if (!peer || !peer->sleeps)
		return false;
	if (first)
		list_add(&mpdu->list, &peer->kept);
	else
		list_add_tail(&mpdu->list, &peer->kept);
	announce(radio, peer, peer->sta, tid_of(mpdu));
	return true;
}

/* what waits to be sent to a station waits until it is awake */
static void keep_queued(struct hwsim_radio *radio, const struct hwsim_peer *peer)
{
	struct hwsim_mpdu *mpdu, *next;
	int i;

	for (i = 0; i < IEEE80211_NUM_ACS; i++) {
		struct hwsim_ac *ac = &radio->acs[i];

		list_for_each_entry_safe(mpdu, next, &ac->queue, list) {
			const struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;

			if (!can_wait(mpdu) ||
			    !ether_addr_equal(hdr->addr1, peer->addr))
				continue;
			list_del_init(&mpdu->list);
			ac->queued--;
			if (mpdu->session)
				hwsim_session_again(radio, mpdu);
			else
				hwsim_ps_keeps(radio, mpdu, false);
		}
	}
}

/* what was kept is sent first; what was asked for is no answer any more */
static void send_kept(struct hwsim_radio *radio, struct hwsim_peer *peer)
{
	struct hwsim_mpdu *mpdu, *next;
	int i;

	for (i = 0; i < IEEE80211_NUM_ACS; i++)
		list_for_each_entry(mpdu, &radio->acs[i].queue, list) {
			const struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;

			if (ether_addr_equal(hdr->addr1, peer->addr))
				mpdu->alone = false;
		}
	list_for_each_entry_safe_reverse(mpdu, next, &peer->kept, list) {
		struct hwsim_ac *ac = hwsim_ac_of_tid(radio, tid_of(mpdu));

		list_del_init(&mpdu->list);
		hwsim_queue_first(ac, mpdu);
		ac->queued++;
	}
}

/**
 * hwsim_ps_purge - drop what is kept for stations
 * @radio: the access point
 * @vif: for those of one interface, NULL: for all
 */
void hwsim_ps_purge(struct hwsim_radio *radio, const struct ieee80211_vif *vif)
{
	struct hwsim_mpdu *mpdu, *next;
	struct hwsim_peer *peer;
	int i;
	u8 tid;

	hash_for_each(radio->peers, i, peer, node) {
		list_for_each_entry_safe(mpdu, next, &peer->kept, list) {
			if (vif && IEEE80211_SKB_CB(mpdu->skb)->control.vif != vif)
				continue;
			list_del_init(&mpdu->list);
			tid = tid_of(mpdu);
			hwsim_mpdu_drop(radio, mpdu);
			announce(radio, peer, peer->sta, tid);
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
	struct hwsim_peer *peer;
	int i;

	peer = hwsim_peer_set_sleeps(radio, sta, sleeps);
	hwsim_sessions_sleep(radio, sta, sleeps);
	if (peer && sleeps)
		keep_queued(radio, peer);
	for (i = 0; peer && i < IEEE80211_NUM_TIDS; i++)
		if (keeps_any(radio, peer, i))
			ieee80211_sta_set_buffered(sta, i, sleeps);
	if (peer && !sleeps)
		send_kept(radio, peer);
	for (i = 0; radio->air && i < IEEE80211_NUM_ACS; i++)
		if (hwsim_tx_pending(&radio->acs[i]))
			hwsim_access_ready(radio, &radio->acs[i], now);
	/* nobody waits for frames that are kept */
	wake_up(&radio->medium->idle);
	hwsim_medium_leave(radio->medium);
}
EXPORT_SYMBOL_GPL(hwsim_radio_sta_sleeps);

/* the next frame for a station that asks */
static struct hwsim_mpdu *take(struct hwsim_radio *radio,
			       struct ieee80211_sta *sta, u8 tid)
{
	struct hwsim_session *session = hwsim_session_of(radio, sta->addr, tid);
	const struct hwsim_peer *peer = hwsim_peer_of(radio, sta->addr);
	struct hwsim_mpdu *mpdu = peer ? kept_for(peer, tid) : NULL;

	/* what is outside of the session is older than that */
	if (mpdu)
		list_del_init(&mpdu->list);
	else if (session)
		mpdu = hwsim_session_take(session);
	if (mpdu && peer)
		announce(radio, peer, sta, tid);
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
	const struct hwsim_peer *peer = hwsim_peer_of(radio, sta->addr);

	return (peer && keeps_any(radio, peer, tid)) ||
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
