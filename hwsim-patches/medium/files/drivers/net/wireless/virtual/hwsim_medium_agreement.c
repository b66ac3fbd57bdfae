// SPDX-License-Identifier: GPL-2.0-only
/*
 * BlockAck agreements of the hwsim medium, at both ends: how they begin and end
 * (IEEE 802.11-2020 10.25.2, 10.25.3).
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include "hwsim_medium_mac.h"

/* detach frames on the air; on a flush they are not sent again */
static void leave_session(struct hwsim_ppdu *ppdu,
			  const struct hwsim_session *session, bool flush)
{
	u32 i;

	for (i = 0; ppdu && i < ppdu->count; i++) {
		if (ppdu->mpdus[i]->session != session)
			continue;
		hwsim_session_leave(ppdu->mpdus[i]);
		if (flush)
			hwsim_mpdu_give_up(ppdu->mpdus[i]);
	}
}

/* detach a session's frames: they are sent one by one, or dropped on a flush */
static void release_frames(struct hwsim_radio *radio,
			   struct hwsim_session *session, bool flush)
{
	struct hwsim_ac *ac = hwsim_ac_of_tid(radio, session->tid);
	struct hwsim_mpdu *mpdu, *next;
	int i;

	/* the next PPDU of the TXOP has not been sent yet */
	if (radio->mac->ahead && radio->mac->ahead->mpdus[0]->session == session)
		hwsim_exchange_give_back(radio);
	list_for_each_entry_safe(mpdu, next, &session->retry_queue, list) {
		list_del_init(&mpdu->list);
		hwsim_session_leave(mpdu);
		if (flush) {
			hwsim_mpdu_drop(radio, mpdu);
		} else if (!hwsim_keep(radio, mpdu, false)) {
			list_add_tail(&mpdu->list, &ac->queue);
			ac->queued++;
		}
	}
	session->unknown = 0;
	if (flush && session->asleep)
		ieee80211_sta_set_buffered(session->txq->sta, session->tid,
					   false);
	for (i = 0; i < IEEE80211_NUM_ACS; i++)
		list_for_each_entry(mpdu, &radio->mac->acs[i].queue, list)
			if (mpdu->session == session)
				hwsim_session_leave(mpdu);
	leave_session(radio->mac->frame, session, flush);
	/* a BlockAckReq of this session may have taken the turn of other queues */
	ac->txqs = true;
}

/* end a session; its frames are sent without it, or dropped on a flush */
static void dissolve(struct hwsim_radio *radio, struct hwsim_session *session,
		     bool flush)
{
	hash_del(&session->node);
	release_frames(radio, session, flush);
	kfree(session);
}

static bool is_of(const struct hwsim_session *session,
		  const struct ieee80211_vif *vif)
{
	return !vif || session->txq->vif == vif;
}

/**
 * hwsim_sessions_purge - end the sessions of a radio, and drop their frames
 * @radio: the radio
 * @vif: sessions of one interface, NULL: all
 */
void hwsim_sessions_purge(struct hwsim_radio *radio,
			  const struct ieee80211_vif *vif)
{
	struct hwsim_session *session;
	struct hlist_node *node;
	int i;

	hash_for_each_safe(radio->mac->sessions, i, node, session, node)
		if (is_of(session, vif))
			dissolve(radio, session, true);
}

/**
 * hwsim_sessions_hold - whether sessions have frames that are to be sent again
 * @radio: the radio
 * @vif: sessions of one interface, NULL: all
 */
bool hwsim_sessions_hold(const struct hwsim_radio *radio,
			 const struct ieee80211_vif *vif)
{
	const struct hwsim_session *session;
	int i;

	hash_for_each(radio->mac->sessions, i, session, node)
		if (is_of(session, vif) && !session->asleep &&
		    !list_empty(&session->retry_queue))
			return true;
	return false;
}

/* longest A-MPDU, from a maximum A-MPDU length exponent (10.12.2) */
static u32 longest_ampdu(u8 exponent)
{
	return BIT(IEEE80211_HT_MAX_AMPDU_FACTOR + exponent) - 1;
}

static int start_session(struct hwsim_radio *radio, const u8 *own,
			 const struct ieee80211_ampdu_params *params)
{
	const struct ieee80211_sta_ht_cap *ht_cap = &params->sta->deflink.ht_cap;
	u32 vht_cap = params->sta->deflink.vht_cap.cap;
	static const u16 spacings_ns[] = {
		0, 250, 500, 1000, 2000, 4000, 8000, 16000,
	};
	struct hwsim_session *session = kzalloc(sizeof(*session), GFP_ATOMIC);

	if (!session)
		return -ENOMEM;
	INIT_LIST_HEAD(&session->retry_queue);
	session->txq = params->sta->txq[params->tid];
	ether_addr_copy(session->own, own);
	ether_addr_copy(session->addr, params->sta->addr);
	session->tid = params->tid;
	session->oldest_seq = hwsim_peer_ssn(radio, own, session->addr,
					     params->tid);
	session->last_seq = ieee80211_sn_sub(session->oldest_seq, 1);
	session->asleep = hwsim_peer_sleeps(radio, own, session->addr);
	session->max_count = clamp_t(u32, params->buf_size, 1,
				     radio->mac->ba_window);
	session->holes.bits = hwsim_ba_bits(session->max_count);
	session->max_bytes = longest_ampdu(ht_cap->ampdu_factor &
					   IEEE80211_HT_AMPDU_PARM_FACTOR);
	session->max_vht_bytes =
		longest_ampdu(u32_get_bits(vht_cap,
					   IEEE80211_VHT_CAP_MAX_A_MPDU_LENGTH_EXPONENT_MASK));
	session->spacing_ns = spacings_ns[ht_cap->ampdu_density & 7];
	hash_add(radio->mac->sessions, &session->node,
		 hwsim_session_hash(session->addr, session->tid));
	return 0;
}

static int start_recipient(struct hwsim_radio *radio, const u8 *own,
			   const struct ieee80211_ampdu_params *params)
{
	struct hwsim_recipient *recipient =
		kzalloc(sizeof(*recipient), GFP_ATOMIC);

	if (!recipient)
		return -ENOMEM;
	ether_addr_copy(recipient->own, own);
	ether_addr_copy(recipient->addr, params->sta->addr);
	recipient->tid = params->tid;
	recipient->scoreboard.start = params->ssn;
	recipient->scoreboard.bits =
		hwsim_ba_bits(min_t(u32, params->buf_size,
				    radio->mac->ba_window));
	hash_add(radio->mac->recipients, &recipient->node,
		 hwsim_session_hash(recipient->addr, recipient->tid));
	return 0;
}

static void stop_recipient(struct hwsim_radio *radio, const u8 *own,
			   const u8 *addr, u8 tid)
{
	struct hwsim_recipient *recipient =
		hwsim_recipient_of(radio, own, addr, tid);

	if (!recipient)
		return;
	hash_del(&recipient->node);
	kfree(recipient);
}

static void stop_session(struct hwsim_radio *radio, const u8 *own,
			 const u8 *addr, u8 tid, bool flush)
{
	struct hwsim_session *session = hwsim_session_of(radio, own, addr, tid);

	if (session)
		dissolve(radio, session, flush);
}

/*
 * Whether a session that ends is still needed: its recipient may hold frames
 * behind a hole, which it would discard with the agreement. A BlockAckReq comes
 * first, unless the recipient dozes.
 */
static bool is_needed(struct hwsim_radio *radio, const struct hwsim_peer *peer,
		      u8 tid)
{
	struct hwsim_session *session =
		hwsim_session_of(radio, peer->own, peer->addr, tid);

	if (!session || !session->stopping)
		return false;
	if (!bitmap_empty(session->holes.bitmap, session->holes.bits) &&
	    !session->silent && !session->asleep) {
		hwsim_session_want_turn(radio, session);
		return true;
	}
	dissolve(radio, session, false);
	return false;
}

/* report the agreements in @waiting that no longer need to wait */
static void drained(struct hwsim_radio *radio, struct hwsim_peer *peer,
		    u16 *waiting, enum hwsim_session_step step)
{
	unsigned long tids = *waiting;
	int tid;

	for_each_set_bit(tid, &tids, IEEE80211_NUM_TIDS) {
		if (hwsim_holds_plain(radio, peer->own, peer->addr, tid) ||
		    is_needed(radio, peer, tid) ||
		    !hwsim_up_session(radio, peer->own, peer->addr, tid, step))
			continue;
		*waiting &= ~BIT(tid);
		radio->mac->draining--;
	}
}

/**
 * hwsim_sessions_drained - frames have left a radio
 * @radio: the radio; BlockAck agreements may have waited for that
 *
 * An agreement begins with a sequence number. The recipient would discard a frame
 * with an earlier one that is sent again after that, outside of the agreement.
 * And after an agreement has ended, mac80211 must not send new frames while old
 * ones of the agreement are still queued.
 */
void hwsim_sessions_drained(struct hwsim_radio *radio)
{
	struct hwsim_peer *peer;
	int i;

	if (!radio->mac->draining)
		return;
	hash_for_each(radio->mac->peers, i, peer, node) {
		drained(radio, peer, &peer->starting, HWSIM_SESSION_STARTS);
		drained(radio, peer, &peer->stopping, HWSIM_SESSION_STOPPED);
	}
}

/* let an agreement wait for frames outside of it; false if none are held */
static bool waits_to_start(struct hwsim_radio *radio, const u8 *own,
			   const u8 *addr, u8 tid)
{
	struct hwsim_peer *peer = hwsim_peer_of(radio, own, addr);

	if (!peer || !hwsim_holds_plain(radio, own, addr, tid))
		return false;
	peer->starting |= BIT(tid);
	radio->mac->draining++;
	return true;
}

/* the same for one that ends; false: report its end immediately */
static bool waits_to_stop(struct hwsim_radio *radio, const u8 *own,
			  const u8 *addr, u8 tid)
{
	struct hwsim_session *session = hwsim_session_of(radio, own, addr, tid);
	struct hwsim_peer *peer =
		session ? hwsim_peer_get(radio, own, addr) : NULL;

	if (!peer) {
		stop_session(radio, own, addr, tid, false);
		return false;
	}
	session->stopping = true;
	release_frames(radio, session, false);
	peer->stopping |= BIT(tid);
	radio->mac->draining++;
	hwsim_sessions_drained(radio);
	return true;
}

/* cancel what waits: mac80211 now wants something else */
static void wait_no_more(struct hwsim_radio *radio, const u8 *own,
			 const u8 *addr, u8 tid)
{
	struct hwsim_peer *peer = hwsim_peer_of(radio, own, addr);

	if (!peer)
		return;
	radio->mac->draining -= !!(peer->starting & BIT(tid)) +
				!!(peer->stopping & BIT(tid));
	peer->asked &= ~BIT(tid);
	peer->starting &= ~BIT(tid);
	peer->stopping &= ~BIT(tid);
}

/**
 * hwsim_radio_ampdu - a BlockAck agreement begins or ends
 * @radio: the radio
 * @vif: its interface
 * @params: of ampdu_action()
 *
 * Return: what ampdu_action() returns
 */
int hwsim_radio_ampdu(struct hwsim_radio *radio, struct ieee80211_vif *vif,
		      struct ieee80211_ampdu_params *params)
{
	u64 now = hwsim_medium_enter(radio->medium);
	const u8 *addr = params->sta->addr, *own = vif->addr;
	struct hwsim_ac *ac;
	bool stopped = false;
	int result = 0;

	if (params->action != IEEE80211_AMPDU_RX_START &&
	    params->action != IEEE80211_AMPDU_RX_STOP)
		wait_no_more(radio, own, addr, params->tid);
	switch (params->action) {
	case IEEE80211_AMPDU_TX_START:
		if (hwsim_approx_flows(radio, own, addr, params->tid))
			result = -EBUSY;
		else if (!hwsim_peer_set_ssn(radio, own, addr, params->tid,
					     params->ssn))
			result = -ENOMEM;
		else if (waits_to_start(radio, own, addr, params->tid))
			result = IEEE80211_AMPDU_TX_START_DELAY_ADDBA;
		else
			result = IEEE80211_AMPDU_TX_START_IMMEDIATE;
		break;
	case IEEE80211_AMPDU_TX_OPERATIONAL:
		stop_session(radio, own, addr, params->tid, false);
		result = start_session(radio, own, params);
		break;
	case IEEE80211_AMPDU_TX_STOP_CONT:
		stopped = !waits_to_stop(radio, own, addr, params->tid);
		ac = hwsim_ac_of_tid(radio, params->tid);
		if (radio->air && hwsim_ac_pending(ac))
			hwsim_access_ready(radio, ac, now);
		break;
	case IEEE80211_AMPDU_TX_STOP_FLUSH:
	case IEEE80211_AMPDU_TX_STOP_FLUSH_CONT:
		stop_session(radio, own, addr, params->tid, true);
		stopped = true;
		break;
	case IEEE80211_AMPDU_RX_START:
		stop_recipient(radio, own, addr, params->tid);
		result = start_recipient(radio, own, params);
		break;
	case IEEE80211_AMPDU_RX_STOP:
		stop_recipient(radio, own, addr, params->tid);
		break;
	default:
		result = -EOPNOTSUPP;
	}
	hwsim_medium_leave(radio->medium);
	if (stopped)
		ieee80211_stop_tx_ba_cb_irqsafe(vif, addr, params->tid);
	return result;
}
EXPORT_SYMBOL_GPL(hwsim_radio_ampdu);

/**
 * hwsim_sessions_forget - end the BlockAck agreements with a station
 * @radio: the radio
 * @own: address of its interface
 * @addr: address of the station, which is gone
 */
void hwsim_sessions_forget(struct hwsim_radio *radio, const u8 *own,
			   const u8 *addr)
{
	u8 tid;

	for (tid = 0; tid < IEEE80211_NUM_TIDS; tid++) {
		stop_session(radio, own, addr, tid, true);
		stop_recipient(radio, own, addr, tid);
	}
}
