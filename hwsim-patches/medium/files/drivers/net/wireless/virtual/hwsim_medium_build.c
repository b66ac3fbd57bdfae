// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPDUs of the hwsim medium: as many frames as fit into one, from the queue
 * whose turn it is.
 *
 * Not modelled: A-MSDU, fragments.
 */
#include <linux/kernel.h>
#include "hwsim_medium_mac.h"

/**
 * hwsim_tx_stamp - put the timestamp into a beacon or probe response
 * @radio: the sender
 * @ppdu: any frame
 * @start_ns: when it starts
 *
 * It is the TSF at the time when the field is sent, after preamble and MAC
 * header.
 */
void hwsim_tx_stamp(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu,
		    u64 start_ns)
{
	const struct hwsim_mpdu *mpdu = ppdu->mpdus[0];
	struct ieee80211_mgmt *mgmt = (void *)mpdu->skb->data;
	u64 us;

	if (!mpdu->timestamp || mpdu->skb->len < 24 + 8 ||
	    ieee80211_is_s1g_beacon(mgmt->frame_control))
		return;
	us = ktime_to_us(ktime_mono_to_real(ns_to_ktime(start_ns +
						hwsim_timestamp_ns(ppdu))));
	/* it is in the same place in beacons and probe responses */
	mgmt->u.beacon.timestamp =
		cpu_to_le64(us + radio->ops->tsf_offset_us(radio->hw));
}

static struct hwsim_ppdu *ppdu_for(struct hwsim_radio *radio,
				   const struct hwsim_mpdu *mpdu)
{
	const struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;
	struct ieee80211_tx_rate tx_rate = mpdu->rates[mpdu->stage];
	const u8 *own = hwsim_mpdu_sender(mpdu);
	struct hwsim_phy_rate rate;
	struct hwsim_ppdu *ppdu;

	hwsim_rate_narrow(&tx_rate, radio->mac->txop_width);
	rate = hwsim_rate_of(radio, &tx_rate);
	ppdu = hwsim_ppdu_new(radio, mpdu->kind, &rate);
	if (!ppdu)
		return NULL;
	ppdu->tx_rate = tx_rate;
	ether_addr_copy(ppdu->ra, hdr->addr1);
	if (own)
		ether_addr_copy(ppdu->ta, own);
	ppdu->basic_rates = hwsim_network_of(radio, own)->basic_rates;
	ppdu->tid = mpdu->tid;
	ppdu->ba.bits = mpdu->session ? mpdu->session->holes.bits :
					HWSIM_BA_BITS;
	ppdu->wants_answer = mpdu->wants_ack;
	ppdu->answer_kind = mpdu->kind == HWSIM_MEDIUM_FRAME_BAR ?
			    HWSIM_MEDIUM_FRAME_BA : HWSIM_MEDIUM_FRAME_ACK;
	return ppdu;
}

/*
 * Whether others wait behind a frame. That is asked each time that it is sent: they
 * may have gone since it was taken.
 */
static bool follows(const struct hwsim_mpdu *mpdu)
{
	return (mpdu->session && !list_empty(&mpdu->session->retry_queue)) ||
	       (mpdu->to_sta && mpdu->txq && hwsim_txq_holds_frames(mpdu->txq));
}

/* set what depends on all MPDUs */
static void complete_ppdu(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu,
			  enum hwsim_place place)
{
	struct hwsim_mpdu *first = ppdu->mpdus[0];
	struct hwsim_mpdu *last = ppdu->mpdus[ppdu->count - 1];
	bool more_data = radio->mac->more_data && follows(last);
	u32 i;

	if (ppdu->format == HWSIM_FORMAT_AMPDU)
		ppdu->answer_kind = HWSIM_MEDIUM_FRAME_BA;
	if (ppdu->wants_answer)
		ppdu->duration_us = hwsim_answer_us(radio, ppdu, ppdu->answer_kind);
	hwsim_ppdu_protect(radio, ppdu, first, place);
	hwsim_ppdu_set_duration(ppdu);
	for (i = 0; i < ppdu->count; i++) {
		struct ieee80211_hdr *hdr = (void *)ppdu->mpdus[i]->skb->data;

		if (ppdu->mpdus[i]->attempts)
			hdr->frame_control |= cpu_to_le16(IEEE80211_FCTL_RETRY);
		hwsim_ps_mark(radio, ppdu->mpdus[i]);
		if (radio->mac->more_data && first->wants_ack && !first->alone &&
		    !ieee80211_is_ctl(hdr->frame_control))
			hwsim_mpdu_set_more_data(ppdu->mpdus[i], more_data);
	}
}

/* one MPDU, answered by an ACK; the PHY decides whether it needs a delimiter */
static void set_single(struct hwsim_ppdu *ppdu)
{
	ppdu->format = HWSIM_FORMAT_PLAIN;
	ppdu->offsets[0] = 0;
	if (hwsim_phy_needs_delimiters(&ppdu->rate)) {
		ppdu->format = HWSIM_FORMAT_SINGLE;
		ppdu->offsets[0] = HWSIM_AMPDU_DELIMITER;
	}
	ppdu->psdu_bytes = ppdu->offsets[0] + ppdu->mpdus[0]->bytes;
}

/* build a PPDU of one MPDU; NULL: no memory, or no room in the TXOP */
static struct hwsim_ppdu *fill_with_one(struct hwsim_radio *radio,
					struct hwsim_ppdu *ppdu,
					struct hwsim_mpdu *mpdu, u64 limit_ns,
					enum hwsim_place place)
{
	if (!ppdu)
		return NULL;
	ppdu->mpdus[0] = mpdu;
	ppdu->count = 1;
	set_single(ppdu);
	complete_ppdu(radio, ppdu, place);
	if (hwsim_ppdu_fits(radio, ppdu, limit_ns, place))
		return ppdu;
	hwsim_ppdu_put(ppdu);
	return NULL;
}

static struct hwsim_ppdu *build_single(struct hwsim_radio *radio,
				       struct hwsim_ac *ac,
				       struct hwsim_mpdu *mpdu, u64 limit_ns,
				       enum hwsim_place place)
{
	struct hwsim_ppdu *ppdu = fill_with_one(radio, ppdu_for(radio, mpdu),
						mpdu, limit_ns, place);

	if (ppdu)
		return ppdu;
	list_add(&mpdu->list, &ac->queue);
	ac->queued++;
	return NULL;
}

/*
 * The next frame of a session: one to be sent again, else a new one that is
 * within the recipient's window. Frames to be sent again always are, since the
 * window has not moved back since they were taken.
 */
static struct hwsim_mpdu *next_of(struct hwsim_radio *radio,
				  struct hwsim_ac *ac,
				  struct hwsim_session *session, u16 first_seq)
{
	struct hwsim_mpdu *mpdu = hwsim_session_take(session);
	u16 ahead;

	if (mpdu)
		return mpdu;
	ahead = ieee80211_sn_sub(ieee80211_sn_inc(session->last_seq), first_seq);
	if (ahead >= session->max_count)
		return NULL;
	mpdu = hwsim_tx_dequeue(radio, session->txq);
	if (mpdu && mpdu->session != session) {
		list_add_tail(&mpdu->list, &ac->queue);
		ac->queued++;
		return NULL;
	}
	return mpdu;
}

/*
 * Whether rate control probes a rate with this frame, which is then sent alone.
 * At a fixed rate the flag has no meaning.
 */
static bool is_probe(const struct hwsim_radio *radio,
		     const struct hwsim_mpdu *mpdu)
{
	return !radio->mac->has_fixed_rate && !mpdu->attempts &&
	       IEEE80211_SKB_CB(mpdu->skb)->flags &
	       IEEE80211_TX_CTL_RATE_CTRL_PROBE;
}

/*
 * The oldest frame that the recipient may still lack: an A-MPDU that is built
 * during another one's exchange keeps to that one's window.
 */
static u16 window_start(const struct hwsim_radio *radio,
			const struct hwsim_mpdu *mpdu)
{
	const struct hwsim_ppdu *frame = radio->mac->frame;

	if (frame && frame->count && frame->mpdus[0]->session == mpdu->session &&
	    ieee80211_sn_less(frame->mpdus[0]->seq, mpdu->seq))
		return frame->mpdus[0]->seq;
	return mpdu->seq;
}

static struct hwsim_ppdu *build_ampdu(struct hwsim_radio *radio,
				      struct hwsim_ac *ac,
				      struct hwsim_mpdu *mpdu, u64 limit_ns,
				      enum hwsim_place place)
{
	struct hwsim_session *session = mpdu->session;
	u16 first_seq = window_start(radio, mpdu);
	struct hwsim_ppdu *ppdu;
	u32 bytes, offset, last = 0;
	struct hwsim_ampdu_limits limits = {
		.timing = radio->timing,
		.max_ns = radio->mac->max_ppdu_ns,
		.max_count = session->max_count,
		.spacing_ns = session->spacing_ns,
	};

	if (mpdu->reselect)
		hwsim_rates_select(radio, session->txq->sta, mpdu);
	ppdu = ieee80211_sn_sub(mpdu->seq, first_seq) < session->max_count ?
	       ppdu_for(radio, mpdu) : NULL;
	if (!ppdu) {
		hwsim_session_retry(radio, mpdu);
		return NULL;
	}
	session->rate = ppdu->rate;
	limits.rate = ppdu->rate;
	limits.max_bytes = ppdu->rate.class == HWSIM_PHY_VHT ?
			   session->max_vht_bytes : session->max_bytes;
	if (limit_ns)
		limits.max_ns = min_t(u64, limits.max_ns,
				      hwsim_ppdu_room_ns(radio, ppdu,
							 limits.max_bytes, limit_ns,
							 place == HWSIM_PLACE_FIRST));
	/* no A-MPDU at legacy rates, and only one frame is risked on a probe */
	if (ppdu->rate.class < HWSIM_PHY_HT || is_probe(radio, mpdu))
		limits.max_count = 1;
	while (mpdu) {
		bytes = hwsim_ampdu_append(&limits, ppdu->psdu_bytes,
					   ppdu->count, last, mpdu->bytes,
					   &offset);
		if (!bytes || (ppdu->count && is_probe(radio, mpdu))) {
			mpdu->reselect = !mpdu->attempts;
			hwsim_session_retry(radio, mpdu);
			break;
		}
		ppdu->offsets[ppdu->count] = offset;
		ppdu->mpdus[ppdu->count++] = mpdu;
		ppdu->psdu_bytes = bytes;
		last = mpdu->bytes;
		if (ppdu->count >= limits.max_count)
			break;
		mpdu = next_of(radio, ac, session, first_seq);
	}
	ppdu->format = HWSIM_FORMAT_AMPDU;
	if (ppdu->count == 1)
		set_single(ppdu);
	complete_ppdu(radio, ppdu, place);
	if (hwsim_ppdu_fits(radio, ppdu, limit_ns, place))
		return ppdu;
	while (ppdu->count)
		hwsim_session_retry(radio, ppdu->mpdus[--ppdu->count]);
	hwsim_ppdu_put(ppdu);
	return NULL;
}

/* build a BlockAckReq, at a lower rate after each unanswered one */
static struct hwsim_ppdu *build_bar(struct hwsim_radio *radio,
				    struct hwsim_mpdu *mpdu, u64 limit_ns,
				    enum hwsim_place place)
{
	const struct ieee80211_bar *bar = (void *)mpdu->skb->data;
	u16 basic_rates = hwsim_network_of(radio, bar->ta)->basic_rates;
	struct hwsim_phy_rate rate;
	struct hwsim_ppdu *ppdu;

	rate = hwsim_phy_control(&mpdu->session->rate, basic_rates,
				 mpdu->session->bar_failures);
	rate.width = min3(rate.width, (u8)radio->width, radio->mac->txop_width);
	ppdu = hwsim_ppdu_new(radio, HWSIM_MEDIUM_FRAME_BAR, &rate);
	if (ppdu) {
		ether_addr_copy(ppdu->ra, bar->ra);
		ether_addr_copy(ppdu->ta, bar->ta);
		ppdu->basic_rates = basic_rates;
		ppdu->tid = mpdu->tid;
		ppdu->ba.bits = mpdu->session->holes.bits;
		ppdu->wants_answer = true;
		ppdu->answer_kind = HWSIM_MEDIUM_FRAME_BA;
	}
	ppdu = fill_with_one(radio, ppdu, mpdu, limit_ns, place);
	if (!ppdu)
		hwsim_mpdu_drop(radio, mpdu);
	return ppdu;
}

/* whether a BlockAckReq is on the air: no frame of the session follows it */
static bool asks_now(const struct hwsim_radio *radio,
		     const struct hwsim_session *session)
{
	const struct hwsim_ppdu *frame = radio->mac->frame;

	return frame && frame->count && hwsim_mpdu_is_own_bar(frame->mpdus[0]) &&
	       frame->mpdus[0]->session == session;
}

/* a session's BlockAckReq that is due, or its first frame to be sent again */
static struct hwsim_mpdu *first_of_session(struct hwsim_radio *radio,
					   struct hwsim_session *session)
{
	if (hwsim_session_wants_bar(radio, session))
		return hwsim_bar_new(radio, session);
	return hwsim_session_take(session);
}

/* the first frame of a queue's turn: one of its session, else a new one */
static struct hwsim_mpdu *first_of(struct hwsim_radio *radio,
				   struct hwsim_session *session,
				   struct ieee80211_txq *txq)
{
	if (!session)
		return hwsim_tx_dequeue(radio, txq);
	if (asks_now(radio, session) || !hwsim_session_is_served(radio, session))
		return NULL;
	return hwsim_session_pending(radio, session) ?
	       first_of_session(radio, session) : hwsim_tx_dequeue(radio, txq);
}

/*
 * The first PPDU of a TXOP uses the parameters of its interface, which may
 * differ from the one that the radio contended for.
 */
static u64 limit_of(struct hwsim_radio *radio, struct hwsim_ac *ac,
		    const u8 *own, u64 limit_ns, enum hwsim_place place)
{
	if (place != HWSIM_PLACE_FIRST)
		return limit_ns;
	hwsim_network_use(radio, ac, hwsim_network_of(radio, own));
	return ac->edca.txop_ns;
}

/* build a PPDU from frames of the queue that mac80211 schedules next */
static struct hwsim_ppdu *build_from_txqs(struct hwsim_radio *radio,
					  struct hwsim_ac *ac, u64 limit_ns,
					  enum hwsim_place place)
{
	struct hwsim_session *session = NULL;
	struct hwsim_ppdu *ppdu = NULL;
	struct hwsim_mpdu *mpdu = NULL;
	struct ieee80211_txq *txq;
	u8 number = ac - radio->mac->acs;
	bool is_left = false;

	rcu_read_lock();
	ieee80211_txq_schedule_start(radio->hw, number);
	while ((txq = ieee80211_next_txq(radio->hw, number))) {
		const u8 *own = txq->vif->addr;

		/* mac80211 may wake queues of a station that dozes */
		if (txq->sta && hwsim_peer_sleeps(radio, own, txq->sta->addr)) {
			ieee80211_return_txq(radio->hw, txq, false);
			continue;
		}
		/* a TXOP belongs to one interface */
		if (place != HWSIM_PLACE_FIRST &&
		    !hwsim_network_may_follow(radio, ac, own)) {
			ieee80211_return_txq(radio->hw, txq, true);
			is_left = true;
			continue;
		}
		session = txq->sta ? hwsim_session_of(radio, own, txq->sta->addr,
						      txq->tid) : NULL;
		mpdu = first_of(radio, session, txq);
		if (mpdu)
			break;
		/* no memory, or not now: it is served later */
		ieee80211_return_txq(radio->hw, txq,
				     session &&
				     hwsim_session_pending(radio, session));
	}
	if (mpdu)
		limit_ns = limit_of(radio, ac, txq->vif->addr, limit_ns, place);
	if (mpdu && mpdu->session && mpdu->kind == HWSIM_MEDIUM_FRAME_BAR)
		ppdu = build_bar(radio, mpdu, limit_ns, place);
	else if (mpdu && mpdu->session)
		ppdu = build_ampdu(radio, ac, mpdu, limit_ns, place);
	else if (mpdu)
		ppdu = build_single(radio, ac, mpdu, limit_ns, place);
	else
		ac->txqs = is_left;
	if (txq)
		ieee80211_return_txq(radio->hw, txq,
				     session && hwsim_session_pending(radio, session));
	ieee80211_txq_schedule_end(radio->hw, number);
	rcu_read_unlock();
	return ppdu;
}

/**
 * hwsim_tx_build - build the PPDU that an access category sends
 * @radio: the sender
 * @ac: the access category
 * @limit_ns: what is left of the TXOP, 0: no limit
 * @place: its place there; the first is sent even if it is too long
 *
 * Return: the PPDU, or NULL if nothing to send fits
 */
struct hwsim_ppdu *hwsim_tx_build(struct hwsim_radio *radio,
				  struct hwsim_ac *ac, u64 limit_ns,
				  enum hwsim_place place)
{
	struct hwsim_ppdu *ppdu = NULL;
	struct hwsim_mpdu *mpdu;

	if (!list_empty(&ac->queue)) {
		mpdu = list_first_entry(&ac->queue, struct hwsim_mpdu, list);
		if (place != HWSIM_PLACE_FIRST &&
		    !hwsim_network_may_follow(radio, ac, hwsim_mpdu_sender(mpdu)))
			return NULL;
		list_del_init(&mpdu->list);
		hwsim_ac_unqueued(radio, ac);
		limit_ns = limit_of(radio, ac, hwsim_mpdu_sender(mpdu), limit_ns,
				    place);
		ppdu = build_single(radio, ac, mpdu, limit_ns, place);
	} else if (ac->txqs) {
		ppdu = build_from_txqs(radio, ac, limit_ns, place);
	}
	if (ppdu) {
		/* beacons count as voice */
		ppdu->ac = hwsim_ac_is_ibss(radio, ac) ? IEEE80211_AC_VO :
							 ac - radio->mac->acs;
		ac->attempts++;
	}
	return ppdu;
}
