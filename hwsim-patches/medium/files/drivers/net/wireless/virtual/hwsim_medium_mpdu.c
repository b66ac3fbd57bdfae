// SPDX-License-Identifier: GPL-2.0-only
/*
 * A frame of mac80211 in the hwsim medium: its place in queues, its attempts, its
 * outcome.
 */
#include <linux/kernel.h>
#include "hwsim_medium_mac.h"

/**
 * hwsim_queue_first - send a frame before others, except beacons
 * @ac: the access category
 * @mpdu: the frame, in no queue
 */
void hwsim_queue_first(struct hwsim_ac *ac, struct hwsim_mpdu *mpdu)
{
	struct list_head *at = &ac->queue;
	struct hwsim_mpdu *other;

	list_for_each_entry(other, &ac->queue, list) {
		if (other->kind != HWSIM_MEDIUM_FRAME_BEACON)
			break;
		at = &other->list;
	}
	list_add(&mpdu->list, at);
}

/**
 * hwsim_ac_pending - whether an access category may have something to send
 * @ac: the access category; mac80211's queues may turn out to be empty
 */
bool hwsim_ac_pending(const struct hwsim_ac *ac)
{
	return !list_empty(&ac->queue) || ac->txqs;
}

/**
 * hwsim_ac_may_send - whether nothing of another category comes first
 * @radio: the radio
 * @ac: the access category
 *
 * The beacon of an ad hoc network does (11.1.3.5). So do group frames that were
 * buffered until a DTIM (11.2.3.6): stations that woke up for them doze again
 * after the last one.
 */
bool hwsim_ac_may_send(const struct hwsim_radio *radio,
		       const struct hwsim_ac *ac)
{
	const struct hwsim_ac *first = &radio->mac->acs[IEEE80211_AC_VO];
	const struct hwsim_mpdu *mpdu;

	if (radio->mac->acs[HWSIM_AC_IBSS].waiting)
		return hwsim_ac_is_ibss(radio, ac);
	if (ac == first || !first->waiting)
		return true;
	list_for_each_entry(mpdu, &first->queue, list)
		if (mpdu->is_own && !mpdu->wants_ack &&
		    mpdu->kind == HWSIM_MEDIUM_FRAME_DATA)
			return false;
	return true;
}

/**
 * hwsim_txq_holds_frames - whether mac80211 has more in a queue
 * @txq: the queue
 */
bool hwsim_txq_holds_frames(struct ieee80211_txq *txq)
{
	unsigned long frames, bytes;

	ieee80211_txq_get_depth(txq, &frames, &bytes);
	return frames;
}

/**
 * hwsim_mpdu_set_more_data - set or clear a frame's MORE DATA
 * @mpdu: a data frame
 * @more_data: whether they will
 */
void hwsim_mpdu_set_more_data(struct hwsim_mpdu *mpdu, bool more_data)
{
	struct ieee80211_hdr *hdr = (void *)mpdu->skb->data;

	hdr->frame_control &= cpu_to_le16(~IEEE80211_FCTL_MOREDATA);
	if (more_data)
		hdr->frame_control |= cpu_to_le16(IEEE80211_FCTL_MOREDATA);
}

/*
 * Limit of a frame's attempts. Rate control's table has it, but its entries for
 * management frames are meant for radios that count differently. Those use
 * dot11ShortRetryLimit, otherwise frames for stations that have left would clog
 * an access point.
 */
static u32 attempts_of(const struct hwsim_radio *radio,
		       const struct hwsim_mpdu *mpdu)
{
	u32 limit = radio->hw->conf.short_frame_max_tx_count;
	u32 i, count = 0;

	if (mpdu->no_retry)
		return 1;
	if (radio->mac->retries && mpdu->kind == HWSIM_MEDIUM_FRAME_DATA)
		return radio->mac->retries;
	for (i = 0; i < IEEE80211_TX_MAX_RATES && mpdu->rates[i].idx >= 0; i++)
		count += mpdu->rates[i].count;
	return mpdu->kind == HWSIM_MEDIUM_FRAME_DATA ? count : min(count, limit);
}

/**
 * hwsim_mpdu_is_exhausted - whether a frame is not sent again
 * @radio: the sender
 * @mpdu: the frame
 *
 * With a BlockAck agreement a frame is sent until it has outlived
 * dot11EDCATableMSDULifetime; or until the limit of attempts is reached, if that
 * is set. In that case, a BlockAckReq for it counts as an attempt, too.
 */
bool hwsim_mpdu_is_exhausted(const struct hwsim_radio *radio,
			     const struct hwsim_mpdu *mpdu)
{
	if (!mpdu->session || mpdu->no_retry)
		return mpdu->attempts >= attempts_of(radio, mpdu);
	if (hwsim_now_ns(radio) - mpdu->since_ns >= HWSIM_LIFETIME_NS)
		return true;
	return radio->mac->retries &&
	       mpdu->attempts + mpdu->bars >= radio->mac->retries;
}

/**
 * hwsim_mpdu_give_up - do not send a frame again after its present attempt
 * @mpdu: the frame
 */
void hwsim_mpdu_give_up(struct hwsim_mpdu *mpdu)
{
	mpdu->no_retry = true;
	mpdu->rts_failures = HWSIM_RTS_ATTEMPTS;
}

/**
 * hwsim_mpdu_done - report a frame's outcome to mac80211
 * @radio: the sender
 * @ppdu: its last transmission, or the BlockAckReq that asked about it
 * @mpdu: the frame, which the medium no longer owns
 *
 * mac80211 does not count retries of frames in A-MPDUs, so they are counted here.
 */
void hwsim_mpdu_done(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu,
		     struct hwsim_mpdu *mpdu)
{
	if (mpdu->to_sta && mpdu->attempts > 1)
		hwsim_peer_retried(radio, ppdu->ta, ppdu->ra, mpdu->attempts - 1);
	hwsim_count_done(ppdu, mpdu);
	hwsim_up_status(radio, mpdu);
}
