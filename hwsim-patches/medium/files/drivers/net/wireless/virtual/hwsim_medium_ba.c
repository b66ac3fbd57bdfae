// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames under a BlockAck agreement of the hwsim medium, at the originator:
 * retransmissions and BlockAckReqs (IEEE 802.11-2020 10.25.6).
 *
 * If a BlockAck is lost, the originator does not know which frames arrived. It
 * sends a BlockAckReq before it sends any of them again (10.25.6.7). A frame that
 * was given up leaves a hole in the recipient's reorder buffer. Once no earlier
 * frame is outstanding, a BlockAckReq moves the recipient's window past it.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include "hwsim_medium_mac.h"

#define BAR_ATTEMPTS		7	/* dot11ShortRetryLimit */
#define OLD_FRAMES		1024	/* numbers that count as older */

/**
 * hwsim_session_leave - a frame leaves its session
 * @mpdu: the frame, which rate control sees as a plain one from now on
 */
void hwsim_session_leave(struct hwsim_mpdu *mpdu)
{
	mpdu->session = NULL;
	mpdu->unknown = false;
	if (!mpdu->is_own)
		IEEE80211_SKB_CB(mpdu->skb)->flags &= ~IEEE80211_TX_CTL_AMPDU;
}

/**
 * hwsim_session_join - add a frame to the session of its receiver and TID
 * @radio: the sender
 * @mpdu: a QoS data frame that mac80211 wants to send in an A-MPDU
 *
 * Frames that were numbered before the session began, and that mac80211 has
 * handed over again since, stay outside: the recipient would discard them as old.
 */
void hwsim_session_join(struct hwsim_radio *radio, struct hwsim_mpdu *mpdu)
{
	const struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;

	mpdu->session = hwsim_session_of(radio, hdr->addr2, hdr->addr1,
					 mpdu->tid);
	if (!mpdu->session ||
	    ieee80211_sn_less(mpdu->seq, mpdu->session->oldest_seq))
		hwsim_session_leave(mpdu);
}

/**
 * hwsim_session_want_turn - schedule a session's queue in mac80211
 * @radio: the sender
 * @session: the session
 *
 * Even if the queue is empty: retransmissions and BlockAckReqs of a session wait
 * for its turn, too.
 */
void hwsim_session_want_turn(struct hwsim_radio *radio,
			     struct hwsim_session *session)
{
	hwsim_ac_of_tid(radio, session->tid)->txqs = true;
	ieee80211_schedule_txq(radio->hw, session->txq);
}

/**
 * hwsim_session_retry - queue a frame that is to be sent again
 * @radio: the sender
 * @mpdu: the frame, of a session
 */
void hwsim_session_retry(struct hwsim_radio *radio, struct hwsim_mpdu *mpdu)
{
	struct hwsim_session *session = mpdu->session;

	hwsim_session_put_back(session, mpdu);
	if (session->asleep)
		ieee80211_sta_set_buffered(session->txq->sta, session->tid, true);
	else
		hwsim_session_want_turn(radio, session);
}

/**
 * hwsim_session_took - mac80211 has handed a frame over
 * @session: its session
 * @seq: its sequence number, which is lower than others if mac80211 hands a
 *	frame over again
 */
void hwsim_session_took(struct hwsim_session *session, u16 seq)
{
	if (!ieee80211_sn_less(session->last_seq, seq))
		return;
	session->last_seq = seq;
	/* numbers wrap: one that is older by half the range would look new */
	if (ieee80211_sn_sub(seq, session->oldest_seq) > OLD_FRAMES)
		session->oldest_seq = ieee80211_sn_sub(seq, OLD_FRAMES);
}

static bool is_for(const struct hwsim_mpdu *mpdu, const u8 *own,
		   const u8 *addr, u8 tid)
{
	return mpdu->tid == tid && mpdu->kind == HWSIM_MEDIUM_FRAME_DATA &&
	       hwsim_mpdu_is_between(mpdu, own, addr);
}

static bool carries(const struct hwsim_ppdu *ppdu, const u8 *own,
		    const u8 *addr, u8 tid)
{
	u32 i;

	for (i = 0; ppdu && i < ppdu->count; i++)
		if (is_for(ppdu->mpdus[i], own, addr, tid))
			return true;
	return false;
}

/**
 * hwsim_holds_plain - whether a radio holds frames that are in no session
 * @radio: the radio
 * @own: address of its interface
 * @addr: address of a peer
 * @tid: their TID
 */
bool hwsim_holds_plain(struct hwsim_radio *radio, const u8 *own,
		       const u8 *addr, u8 tid)
{
	const struct hwsim_peer *peer = hwsim_peer_of(radio, own, addr);
	const struct hwsim_mpdu *mpdu;
	int i;

	if (carries(radio->mac->frame, own, addr, tid) ||
	    carries(radio->mac->ahead, own, addr, tid))
		return true;
	for (i = 0; i < IEEE80211_NUM_ACS; i++)
		list_for_each_entry(mpdu, &radio->mac->acs[i].queue, list)
			if (is_for(mpdu, own, addr, tid))
				return true;
	if (!peer)
		return false;
	list_for_each_entry(mpdu, &peer->kept, list)
		if (is_for(mpdu, own, addr, tid))
			return true;
	return false;
}

/* the lowest sequence number that may still be sent to the recipient */
static u16 lowest_wanted(struct hwsim_radio *radio,
			 const struct hwsim_session *session)
{
	const struct hwsim_ppdu *frame = radio->mac->frame;
	u16 lowest = ieee80211_sn_inc(session->last_seq);
	const struct hwsim_mpdu *alone;
	u32 i;

	if (!list_empty(&session->retry_queue))
		lowest = list_first_entry(&session->retry_queue, struct hwsim_mpdu,
					  list)->seq;
	/* frames released to a dozing station may use another access category */
	for (i = 0; i < IEEE80211_NUM_ACS; i++)
		list_for_each_entry(alone, &radio->mac->acs[i].queue, list)
			if (alone->session == session &&
			    ieee80211_sn_less(alone->seq, lowest))
				lowest = alone->seq;
	/* the outcome of the present exchange is not known yet */
	for (i = 0; frame && i < frame->count; i++) {
		const struct hwsim_mpdu *mpdu = frame->mpdus[i];

		if (mpdu->session == session &&
		    mpdu->kind != HWSIM_MEDIUM_FRAME_BAR &&
		    ieee80211_sn_less(mpdu->seq, lowest))
			lowest = mpdu->seq;
	}
	return lowest;
}

/**
 * hwsim_session_wants_bar - whether a BlockAckReq has to be sent first
 * @radio: the originator
 * @session: the session
 */
bool hwsim_session_wants_bar(struct hwsim_radio *radio,
			     const struct hwsim_session *session)
{
	const struct hwsim_scoreboard *holes = &session->holes;

	if (session->unknown)
		return true;
	if (bitmap_empty(holes->bitmap, holes->bits) || session->silent)
		return false;
	/* its frames have left it, but may not have been sent yet */
	if (session->stopping &&
	    hwsim_holds_plain(radio, session->own, session->addr, session->tid))
		return false;
	return ieee80211_sn_less(ieee80211_sn_add(holes->start,
						  find_first_bit(holes->bitmap,
								 holes->bits)),
				 lowest_wanted(radio, session));
}

/**
 * hwsim_session_is_served - whether a session may send
 * @radio: the radio
 * @session: the session
 *
 * Not while its recipient dozes, or the radio is on another channel.
 */
bool hwsim_session_is_served(const struct hwsim_radio *radio,
			     const struct hwsim_session *session)
{
	struct ieee80211_chanctx_conf *context;
	bool here;

	if (session->asleep)
		return false;
	rcu_read_lock();
	context = rcu_dereference(session->txq->vif->bss_conf.chanctx_conf);
	here = !context || context->def.chan == radio->channel;
	rcu_read_unlock();
	return here;
}

/**
 * hwsim_session_pending - whether a session has retransmissions or a
 *	BlockAckReq
 * @radio: the originator
 * @session: the session
 */
bool hwsim_session_pending(struct hwsim_radio *radio,
			   const struct hwsim_session *session)
{
	return hwsim_session_is_served(radio, session) &&
	       (!list_empty(&session->retry_queue) ||
		hwsim_session_wants_bar(radio, session));
}

/**
 * hwsim_bar_new - make a BlockAckReq
 * @radio: the originator
 * @session: the session that it is about
 *
 * A new one is made for each attempt, because the window may have moved.
 *
 * Return: the frame, or NULL
 */
struct hwsim_mpdu *hwsim_bar_new(struct hwsim_radio *radio,
				 struct hwsim_session *session)
{
	struct hwsim_mpdu *mpdu = kzalloc(sizeof(*mpdu), GFP_ATOMIC);
	struct ieee80211_bar *bar;

	if (!mpdu)
		return NULL;
	mpdu->skb = dev_alloc_skb(sizeof(*bar));
	if (!mpdu->skb) {
		kfree(mpdu);
		return NULL;
	}
	INIT_LIST_HEAD(&mpdu->list);
	mpdu->hw = radio->hw;
	mpdu->kind = HWSIM_MEDIUM_FRAME_BAR;
	mpdu->is_own = true;
	mpdu->wants_ack = true;
	mpdu->session = session;
	mpdu->seq = lowest_wanted(radio, session);
	mpdu->tid = session->tid;
	mpdu->bytes = sizeof(*bar) + HWSIM_FCS_BYTES;
	bar = skb_put_zero(mpdu->skb, sizeof(*bar));
	bar->frame_control = cpu_to_le16(IEEE80211_FTYPE_CTL |
					 IEEE80211_STYPE_BACK_REQ);
	ether_addr_copy(bar->ra, session->addr);
	ether_addr_copy(bar->ta, session->own);
	bar->control = cpu_to_le16(IEEE80211_BAR_CTRL_CBMTID_COMPRESSED_BA |
				   session->tid <<
				   IEEE80211_BAR_CTRL_TID_INFO_SHIFT);
	bar->start_seq_num = cpu_to_le16(IEEE80211_SN_TO_SEQ(mpdu->seq));
	radio->mac->held++;
	return mpdu;
}

/**
 * hwsim_session_given_up - a frame will not be sent again
 * @session: its session
 * @seq: its sequence number
 */
void hwsim_session_given_up(struct hwsim_session *session, u16 seq)
{
	struct hwsim_scoreboard *holes = &session->holes;

	if (bitmap_empty(holes->bitmap, holes->bits))
		holes->start = seq;
	hwsim_scoreboard_reach_back(holes, seq);
	hwsim_scoreboard_set(holes, seq);
}

/**
 * hwsim_session_lost - a frame has not arrived, and will not be sent again
 * @radio: the originator
 * @own: address of its interface
 * @addr: address of the recipient
 * @mpdu: the frame; it may have left its session, which is stopping
 */
void hwsim_session_lost(struct hwsim_radio *radio, const u8 *own,
			const u8 *addr, const struct hwsim_mpdu *mpdu)
{
	struct hwsim_session *session = mpdu->session;

	if (!session && radio->mac->draining &&
	    mpdu->tid < IEEE80211_NUM_TIDS) {
		session = hwsim_session_of(radio, own, addr, mpdu->tid);
		if (session &&
		    (!session->stopping ||
		     ieee80211_sn_less(mpdu->seq, session->oldest_seq)))
			session = NULL;
	}
	if (session)
		hwsim_session_given_up(session, mpdu->seq);
}

/* complete a frame whose outcome is known */
static void settle(struct hwsim_radio *radio, struct hwsim_ppdu *bar,
		   struct hwsim_mpdu *mpdu)
{
	list_del_init(&mpdu->list);
	if (!mpdu->acked)
		hwsim_session_given_up(mpdu->session, mpdu->seq);
	hwsim_mpdu_done(radio, bar, mpdu);
}

/* the answer to a BlockAckReq says what has arrived */
static void bar_answered(struct hwsim_radio *radio,
			 struct hwsim_session *session, struct hwsim_ppdu *bar,
			 const struct hwsim_ppdu *answer)
{
	struct hwsim_mpdu *mpdu, *next;

	hwsim_scoreboard_move(&session->holes, bar->mpdus[0]->seq);
	list_for_each_entry_safe(mpdu, next, &session->retry_queue, list) {
		if (!mpdu->unknown)
			continue;
		mpdu->unknown = false;
		mpdu->acked = hwsim_scoreboard_has(&answer->ba, mpdu->seq);
		if (mpdu->acked || hwsim_mpdu_is_exhausted(radio, mpdu))
			settle(radio, bar, mpdu);
	}
	session->unknown = 0;
	session->bar_failures = 0;
	session->silent = false;
}

/* no answer: BlockAckReqs to a station that has vanished are limited */
static void bar_failed(struct hwsim_radio *radio, struct hwsim_session *session,
		       struct hwsim_ppdu *bar)
{
	bool is_last = ++session->bar_failures >= BAR_ATTEMPTS;
	bool asked = session->unknown;
	struct hwsim_mpdu *mpdu, *next;

	list_for_each_entry_safe(mpdu, next, &session->retry_queue, list) {
		if (!mpdu->unknown)
			continue;
		mpdu->bars++;
		if (hwsim_mpdu_is_exhausted(radio, mpdu)) {
			session->unknown--;
			settle(radio, bar, mpdu);
		} else if (is_last) {	/* it counts as lost */
			session->unknown--;
			mpdu->unknown = false;
		}
	}
	if (is_last && !asked) {
		/* the recipient, if it is still there, times out by itself */
		bitmap_zero(session->holes.bitmap, session->holes.bits);
		session->silent = true;
	}
	if (is_last || (asked && !session->unknown))
		session->bar_failures = 0;
}

/**
 * hwsim_bar_done - one of the medium's own BlockAckReqs has been sent
 * @radio: the originator
 * @bar: the transmission; its session may be gone
 * @answer: the BlockAck, or NULL
 *
 * Return: whether it is to be sent again
 */
bool hwsim_bar_done(struct hwsim_radio *radio, struct hwsim_ppdu *bar,
		    const struct hwsim_ppdu *answer)
{
	struct hwsim_session *session = bar->mpdus[0]->session;

	if (!session)
		return false;
	if (answer)
		bar_answered(radio, session, bar, answer);
	else
		bar_failed(radio, session, bar);
	/* its queue has been unscheduled, but may hold frames */
	hwsim_session_want_turn(radio, session);
	return !answer && hwsim_session_wants_bar(radio, session);
}

/**
 * hwsim_session_sent - an A-MPDU's exchange has ended, and its frames are
 *	completed or queued again
 * @radio: the originator
 * @session: the session
 * @answered: an answer came
 */
void hwsim_session_sent(struct hwsim_radio *radio,
			struct hwsim_session *session, bool answered)
{
	if (answered) {
		session->silent = false;
		session->bar_failures = 0;
	}
	if (hwsim_session_wants_bar(radio, session))
		hwsim_session_want_turn(radio, session);
}

/**
 * hwsim_sessions_resume - schedule sessions that may send again
 * @radio: the radio, which has changed its channel
 *
 * Also those with new frames only: mac80211 wakes queues that were asked for
 * frames in vain while they were stopped, but on the wrong channel a session's
 * queue is not asked.
 */
void hwsim_sessions_resume(struct hwsim_radio *radio)
{
	struct hwsim_session *session;
	int i;

	hash_for_each(radio->mac->sessions, i, session, node)
		if (hwsim_session_pending(radio, session) ||
		    (hwsim_session_is_served(radio, session) &&
		     hwsim_txq_holds_frames(session->txq)))
			hwsim_session_want_turn(radio, session);
}

/* frames were kept for a recipient that dozed: their lifetime begins anew */
static void renew(struct hwsim_radio *radio, struct hwsim_session *session)
{
	struct hwsim_mpdu *mpdu;

	list_for_each_entry(mpdu, &session->retry_queue, list)
		mpdu->since_ns = hwsim_now_ns(radio);
}

/**
 * hwsim_sessions_sleep - a recipient dozes, or is awake
 * @radio: the originator
 * @own: address of its interface
 * @sta: the recipient
 * @sleeps: whether it dozes
 */
void hwsim_sessions_sleep(struct hwsim_radio *radio, const u8 *own,
			  struct ieee80211_sta *sta, bool sleeps)
{
	struct hwsim_session *session;
	u8 tid;

	for (tid = 0; tid < IEEE80211_NUM_TIDS; tid++) {
		session = hwsim_session_of(radio, own, sta->addr, tid);
		if (!session)
			continue;
		session->asleep = sleeps;
		if (!sleeps)
			renew(radio, session);
		if (hwsim_session_pending(radio, session))
			hwsim_session_want_turn(radio, session);
	}
}
