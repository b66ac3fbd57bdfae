// SPDX-License-Identifier: GPL-2.0-only
/*
 * Outcome of a transmission: which of its frames are done, and which are sent
 * again.
 */
#include <linux/kernel.h>
#include "hwsim_medium_mac.h"

/*
 * An attempt has ended without an ACK. If nothing came back, the next attempt
 * is at the next rate once the count of this one is used up. If a BlockAck came
 * without the frame, its rate was good enough, and rate control is asked again.
 * It is also asked once all rates have been tried and attempts are left, and
 * after a probe, since a whole A-MPDU may follow.
 */
static void next_attempt(struct hwsim_mpdu *mpdu, bool answered)
{
	const struct ieee80211_tx_rate *next = &mpdu->rates[mpdu->stage + 1];
	u32 flags = IEEE80211_SKB_CB(mpdu->skb)->flags;

	if (answered ||
	    (mpdu->session && flags & IEEE80211_TX_CTL_RATE_CTRL_PROBE)) {
		mpdu->reselect = true;
		return;
	}
	if (mpdu->tried[mpdu->stage] < mpdu->rates[mpdu->stage].count)
		return;
	if (mpdu->stage + 1 < IEEE80211_TX_MAX_RATES && next->idx >= 0 &&
	    next->count)
		mpdu->stage++;
	else if (mpdu->session)
		mpdu->reselect = true;
}

static bool is_acked(const struct hwsim_mpdu *mpdu,
		     const struct hwsim_ppdu *frame,
		     const struct hwsim_ppdu *answer)
{
	if (!answer)
		return false;
	if (answer->kind != HWSIM_MEDIUM_FRAME_BA ||
	    mpdu->kind == HWSIM_MEDIUM_FRAME_BAR)
		return true;
	return hwsim_scoreboard_has(&answer->ba, mpdu->seq);
}

static void try_again(struct hwsim_radio *radio, struct hwsim_ac *ac,
		      struct hwsim_mpdu *mpdu)
{
	if (mpdu->session && !mpdu->alone) {
		hwsim_session_retry(radio, mpdu);
		return;
	}
	if (hwsim_keep(radio, mpdu, true))
		return;
	list_add(&mpdu->list, &ac->queue);
	ac->queued++;
}

/**
 * hwsim_tx_unbuild - a PPDU is not sent after all
 * @radio: the radio
 * @ac: the access category
 * @ppdu: the PPDU; its MPDUs go back to where they came from
 */
void hwsim_tx_unbuild(struct hwsim_radio *radio, struct hwsim_ac *ac,
		      struct hwsim_ppdu *ppdu)
{
	while (ppdu->count) {
		struct hwsim_mpdu *mpdu = ppdu->mpdus[--ppdu->count];

		if (hwsim_mpdu_is_own_bar(mpdu))
			hwsim_mpdu_drop(radio, mpdu);	/* built when needed */
		else
			try_again(radio, ac, mpdu);
	}
	ac->attempts--;
	hwsim_ppdu_put(ppdu);
}

/* a frame's exchange has ended; whether it is to be sent again */
static bool mpdu_sent(struct hwsim_radio *radio, struct hwsim_ac *ac,
		      struct hwsim_ppdu *frame, struct hwsim_mpdu *mpdu,
		      const struct hwsim_ppdu *answer)
{
	bool sent = radio->mac->stage != HWSIM_STAGE_PROTECT;

	if (sent) {
		mpdu->attempts++;
		mpdu->tried[mpdu->stage]++;
		mpdu->acked = is_acked(mpdu, frame, answer);
	} else {
		mpdu->rts_failures++;
	}
	/*
	 * It may have arrived: the recipient is asked, even after the last
	 * attempt.
	 */
	if (sent && !answer && mpdu->session &&
	    frame->answer_kind == HWSIM_MEDIUM_FRAME_BA) {
		next_attempt(mpdu, false);
		mpdu->unknown = true;
		mpdu->session->unknown++;
		try_again(radio, ac, mpdu);
		return true;
	}
	if (mpdu->wants_ack && !mpdu->acked &&
	    (sent ? !hwsim_mpdu_is_exhausted(radio, mpdu) :
		    mpdu->rts_failures < HWSIM_RTS_ATTEMPTS)) {
		if (sent)
			next_attempt(mpdu, answer);
		try_again(radio, ac, mpdu);
		return true;
	}
	if (!mpdu->acked)
		hwsim_session_lost(radio, frame->ta, frame->ra, mpdu);
	hwsim_mpdu_done(radio, frame, mpdu);
	return false;
}

/* the same for a BlockAckReq of the medium's own */
static bool bar_sent(struct hwsim_radio *radio, struct hwsim_ppdu *frame,
		     const struct hwsim_ppdu *answer)
{
	bool again = hwsim_bar_done(radio, frame, answer);

	hwsim_up_status(radio, frame->mpdus[0]);
	return again;
}

/**
 * hwsim_tx_done - an exchange has ended
 * @radio: the sender
 * @ac: the access category
 * @frame: what was sent; its MPDUs are completed or queued again
 * @answer: the answer, or NULL
 *
 * Return: whether anything is to be sent again because no answer came
 */
bool hwsim_tx_done(struct hwsim_radio *radio, struct hwsim_ac *ac,
		   struct hwsim_ppdu *frame, const struct hwsim_ppdu *answer)
{
	bool sent = radio->mac->stage != HWSIM_STAGE_PROTECT, again = false;
	u32 i = frame->count, count = frame->count, acked = 0;
	struct hwsim_session *session = NULL;

	if (count && answer)
		hwsim_ps_answered(radio, frame->mpdus[0]);
	if (count && hwsim_mpdu_is_own_bar(frame->mpdus[0])) {
		again = bar_sent(radio, frame, answer);
		i = 0;
	} else if (count) {
		session = frame->mpdus[0]->session;
	}
	while (i--) {	/* backwards, so that they go back in order */
		struct hwsim_mpdu *mpdu = frame->mpdus[i];

		acked += sent && is_acked(mpdu, frame, answer);
		again |= mpdu_sent(radio, ac, frame, mpdu, answer);
	}
	frame->count = 0;
	if (session)
		hwsim_session_sent(radio, session, answer);
	if (sent && count)
		hwsim_up_sent(radio, frame, session ? count : 0, acked);
	hwsim_sessions_drained(radio);
	if (answer)
		ac->successes++;
	return again && !answer;
}
