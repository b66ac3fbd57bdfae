// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames that an access point of the hwsim medium keeps for stations that doze
 * (IEEE 802.11-2020 11.2.3).
 *
 * mac80211 had handed them over before the station dozed. They are not returned
 * to it, since it would put them after the frames in its own queues.
 */
#include <linux/kernel.h>
#include "hwsim_medium_mac.h"

#define TID_BEST_EFFORT		0
#define TID_VOICE		7

/**
 * hwsim_mpdu_can_wait - whether a frame may be kept
 * @mpdu: the frame; a frame that the station has asked for may not
 */
bool hwsim_mpdu_can_wait(const struct hwsim_mpdu *mpdu)
{
	return mpdu->to_sta && !mpdu->is_own && !mpdu->alone &&
	       !(IEEE80211_SKB_CB(mpdu->skb)->flags &
		 IEEE80211_TX_CTL_NO_PS_BUFFER);
}

/**
 * hwsim_kept_tid - the TID by which mac80211 asks for a frame
 * @mpdu: the frame
 */
u8 hwsim_kept_tid(const struct hwsim_mpdu *mpdu)
{
	if (mpdu->tid < IEEE80211_NUM_TIDS)
		return mpdu->tid;
	return mpdu->kind == HWSIM_MEDIUM_FRAME_DATA ? TID_BEST_EFFORT :
						       TID_VOICE;
}

/**
 * hwsim_kept_first - the first frame outside of sessions that is kept for a station
 * @peer: the station
 * @tid: the TID
 *
 * Return: the frame, or NULL
 */
struct hwsim_mpdu *hwsim_kept_first(const struct hwsim_peer *peer, u8 tid)
{
	struct hwsim_mpdu *mpdu;

	list_for_each_entry(mpdu, &peer->kept, list)
		if (hwsim_kept_tid(mpdu) == tid)
			return mpdu;
	return NULL;
}

/**
 * hwsim_keeps_any - whether anything is kept for a station
 * @radio: its access point
 * @peer: the station
 * @tid: the TID
 */
bool hwsim_keeps_any(struct hwsim_radio *radio, const struct hwsim_peer *peer,
		     u8 tid)
{
	const struct hwsim_session *session =
		hwsim_session_of(radio, peer->own, peer->addr, tid);

	return hwsim_kept_first(peer, tid) ||
	       (session && !list_empty(&session->retry_queue));
}

/**
 * hwsim_keep_announce - update a station's bit in the TIM
 * @radio: the access point
 * @peer: the station
 * @sta: the same station for mac80211
 * @tid: the TID
 */
void hwsim_keep_announce(struct hwsim_radio *radio, const struct hwsim_peer *peer,
			 struct ieee80211_sta *sta, u8 tid)
{
	ieee80211_sta_set_buffered(sta, tid, hwsim_keeps_any(radio, peer, tid));
}

/**
 * hwsim_keep - keep a frame until its receiver is awake
 * @radio: the sender
 * @mpdu: the frame, in no queue and in no session
 * @first: put it before others that wait
 *
 * Return: whether it is kept; not if its receiver is awake
 */
bool hwsim_keep(struct hwsim_radio *radio, struct hwsim_mpdu *mpdu,
		bool first)
{
	const struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;
	struct hwsim_peer *peer;

	if (!radio->mac->num_asleep || !hwsim_mpdu_can_wait(mpdu))
		return false;
	peer = hwsim_peer_of(radio, hdr->addr2, hdr->addr1);
	if (!peer || !peer->sleeps)
		return false;
	if (first)
		list_add(&mpdu->list, &peer->kept);
	else
		list_add_tail(&mpdu->list, &peer->kept);
	hwsim_keep_announce(radio, peer, peer->sta, hwsim_kept_tid(mpdu));
	return true;
}

/**
 * hwsim_keep_purge - drop frames that are kept for stations
 * @radio: the access point
 * @vif: frames of one interface, NULL: all
 */
void hwsim_keep_purge(struct hwsim_radio *radio, const struct ieee80211_vif *vif)
{
	struct hwsim_mpdu *mpdu, *next;
	struct hwsim_peer *peer;
	int i;
	u8 tid;

	hash_for_each(radio->mac->peers, i, peer, node) {
		list_for_each_entry_safe(mpdu, next, &peer->kept, list) {
			if (vif && IEEE80211_SKB_CB(mpdu->skb)->control.vif != vif)
				continue;
			list_del_init(&mpdu->list);
			tid = hwsim_kept_tid(mpdu);
			hwsim_mpdu_drop(radio, mpdu);
			hwsim_keep_announce(radio, peer, peer->sta, tid);
		}
	}
}
