// SPDX-License-Identifier: GPL-2.0-only
/*
 * BlockAck agreements of the hwsim medium (IEEE 802.11-2020 10.25): the
 * originator's retransmissions and BlockAckReqs, and the recipient's scoreboards.
 *
 * If a BlockAck is lost, the originator does not know which frames arrived. It
 * sends a BlockAckReq before it sends any of them again (10.25.6.7). A frame that
 * was given up leaves a hole in the recipient's reorder buffer. Once no earlier
 * frame is outstanding, a BlockAckReq moves the recipient's window past it.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include "hwsim_medium_mac.h"

#define BAR_ATTEMPTS		7	/* dot11ShortRetryLimit */
#define OLD_FRAMES		1024	/* numbers that count as older */

/* a frame leaves its session, and rate control sees it as a plain frame */
static void leave(struct hwsim_mpdu *mpdu)
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
		leave(mpdu);
}

/*
 * Schedule the session's queue in mac80211 even if that is empty:
 * retransmissions and BlockAckReqs of a session wait for its turn, too.
 */
static void want_turn(struct hwsim_radio *radio, struct hwsim_session *session)
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
		want_turn(radio, session);
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

/* whether the radio holds frames of a TID for a peer that are in no session */
static bool holds_plain(struct hwsim_radio *radio, const u8 *own,
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
	if (session->stopping && holds_plain(radio, session->own, session->addr,
					     session->tid))
		return false;
	return ieee80211_sn_less(ieee80211_sn_add(holes->start,
						  find_first_bit(holes->bitmap,
								 holes->bits)),
				 lowest_wanted(radio, session));
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
	struct hwsim_mpdu *mpdu, *next;

	session->bar_failures++;
	if (session->unknown) {
		list_for_each_entry_safe(mpdu, next, &session->retry_queue, list) {
			if (!mpdu->unknown)
				continue;
			mpdu->bars++;
			if (!hwsim_mpdu_is_exhausted(radio, mpdu))
				continue;
			session->unknown--;
			session->bar_failures = 0;
			settle(radio, bar, mpdu);
		}
	} else if (session->bar_failures >= BAR_ATTEMPTS) {
		/* the recipient, if it is still there, times out by itself */
		bitmap_zero(session->holes.bitmap, session->holes.bits);
		session->bar_failures = 0;
		session->silent = true;
	}
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
	want_turn(radio, session);
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
		want_turn(radio, session);
}

/* detach frames on the air; on a flush they are not sent again */
static void leave_session(struct hwsim_ppdu *ppdu,
			  const struct hwsim_session *session, bool flush)
{
	u32 i;

	for (i = 0; ppdu && i < ppdu->count; i++) {
		if (ppdu->mpdus[i]->session != session)
			continue;
		leave(ppdu->mpdus[i]);
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
		hwsim_access_give_back(radio);
	list_for_each_entry_safe(mpdu, next, &session->retry_queue, list) {
		list_del_init(&mpdu->list);
		leave(mpdu);
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
				leave(mpdu);
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
			want_turn(radio, session);
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
			want_turn(radio, session);
	}
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
		want_turn(radio, session);
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
		if (holds_plain(radio, peer->own, peer->addr, tid) ||
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

	if (!peer || !holds_plain(radio, own, addr, tid))
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
