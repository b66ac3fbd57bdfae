// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a radio of the hwsim medium gets to send: contention of its access
 * categories, and the exchange that follows (RTS, CTS, frame, answer).
 *
 * IEEE 802.11-2020 10.3 (DCF) and 10.23.2 (EDCA).
 *
 * Not modelled: fragments.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include "hwsim_medium_int.h"

/* a busy medium is noticed that much later (aCCATime), Tables 15-5 and 17-21 */
#define CCA_OFDM_NS	4000
#define CCA_DSSS_NS	15000

/* since when the medium is idle for a radio, or from when on it will be */
static u64 idle_from(const struct hwsim_radio *radio)
{
	u64 idle = max3(radio->busy_until_ns, radio->nav_until_ns,
			radio->hold_until_ns);

	if (radio->eifs_from_ns)
		idle = max(idle, radio->eifs_from_ns + radio->eifs_extra_ns);
	return idle;
}

/* when an access category begins to count slots */
static u64 counting_from(const struct hwsim_radio *radio,
			 const struct hwsim_ac *ac)
{
	return idle_from(radio) + hwsim_edca_aifs_ns(&ac->edca,
						     radio->timing.sifs_ns,
						     radio->timing.slot_ns);
}

static u64 start_of(const struct hwsim_radio *radio, const struct hwsim_ac *ac)
{
	u64 start;

	if (!ac->waiting)
		return HWSIM_NEVER;
	if (ac->committed_ns != HWSIM_NEVER)
		return ac->committed_ns;
	start = counting_from(radio, ac) +
		(u64)ac->edca.slots * radio->timing.slot_ns;
	return max(start, ac->ready_ns);
}

/**
 * hwsim_access_update - find out when a radio will send
 * @radio: the radio
 *
 * Return: what hwsim_access_next() will return until something changes
 */
u64 hwsim_access_update(struct hwsim_radio *radio)
{
	u64 next = HWSIM_NEVER;
	bool contends = false;
	int i;

	for (i = 0; i < IEEE80211_NUM_ACS; i++) {
		const struct hwsim_ac *ac = &radio->acs[i];

		contends |= ac->waiting || ac->edca.drawn;
		if (ac->waiting)
			next = min(next, start_of(radio, ac));
	}
	radio->contends = contends;
	radio->next_ns = radio->stage == HWSIM_STAGE_NONE ? next : HWSIM_NEVER;
	radio->next_known = true;
	return radio->next_ns;
}

/*
 * Stop all counts at @at_ns: what was counted is taken off. A backoff that ran
 * out without a frame is over: the next frame draws one of its own.
 */
static void stop_counts(struct hwsim_radio *radio, u64 at_ns)
{
	u32 slot_ns = radio->timing.slot_ns;
	int i;

	for (i = 0; i < IEEE80211_NUM_ACS; i++) {
		struct hwsim_ac *ac = &radio->acs[i];
		u64 from;

		if (!ac->edca.drawn)
			continue;
		from = counting_from(radio, ac);
		if (!ac->waiting &&
		    from + (u64)ac->edca.slots * slot_ns <= at_ns) {
			ac->edca.slots = 0;
			ac->edca.drawn = false;
		} else if (ac->edca.slots) {
			hwsim_edca_stop(&ac->edca, from, at_ns, slot_ns);
		}
	}
}

/**
 * hwsim_access_ready - an access category has something to send
 * @radio: the radio
 * @ac: the access category
 * @at_ns: since when
 *
 * If the medium is idle and no backoff is left, it goes out after AIFS; if the
 * medium is busy, a backoff is drawn first (10.3.4.2).
 *
 * Where computation takes no time, hosts that do something at the same tick of
 * their clocks would send at the same instant. So a frame may be given some
 * time to get into the radio.
 */
void hwsim_access_ready(struct hwsim_radio *radio, struct hwsim_ac *ac,
			u64 at_ns)
{
	u64 counted;

	if (ac->waiting)
		return;
	hwsim_access_changed(radio);
	ac->waiting = true;
	ac->ready_ns = at_ns;
	if (radio->latency_ns)
		ac->ready_ns += hwsim_stream_below(&radio->latency,
						   radio->latency_ns);
	ac->committed_ns = HWSIM_NEVER;
	counted = counting_from(radio, ac) +
		  (u64)ac->edca.slots * radio->timing.slot_ns;
	if (radio->stage == HWSIM_STAGE_NONE && counted <= at_ns) {
		ac->edca.slots = 0;
		ac->edca.drawn = false;
	}
	if (!ac->edca.drawn &&
	    (idle_from(radio) > at_ns || radio->stage != HWSIM_STAGE_NONE))
		hwsim_edca_draw(&ac->edca);
}

/**
 * hwsim_access_busy - a radio hears a transmission begin
 * @radio: the radio
 * @until_ns: when it will end
 */
void hwsim_access_busy(struct hwsim_radio *radio, u64 until_ns)
{
	u64 now = radio->medium->now_ns;
	u32 cca_ns = radio->timing.slot_ns > 2 * CCA_OFDM_NS + 1000 ?
		     CCA_DSSS_NS : CCA_OFDM_NS;
	int i;

	hwsim_access_next(radio);
	if (radio->contends && radio->stage == HWSIM_STAGE_NONE) {
		for (i = 0; i < IEEE80211_NUM_ACS; i++) {
			struct hwsim_ac *ac = &radio->acs[i];
			u64 start = start_of(radio, ac);

			/* too late to notice */
			if (start != HWSIM_NEVER && start < now + cca_ns)
				ac->committed_ns = start;
		}
		stop_counts(radio, now);
		for (i = 0; i < IEEE80211_NUM_ACS; i++) {
			struct hwsim_ac *ac = &radio->acs[i];

			/* it was about to go out without a backoff */
			if (ac->waiting && !ac->edca.drawn &&
			    ac->committed_ns == HWSIM_NEVER)
				hwsim_edca_draw(&ac->edca);
		}
	}
	if (until_ns > radio->busy_until_ns) {
		/* no idle time yet from which EIFS could count */
		if (radio->eifs_from_ns == radio->busy_until_ns &&
		    now < radio->busy_until_ns)
			radio->eifs_from_ns = until_ns;
		radio->busy_until_ns = until_ns;
	}
	if (radio->contends)
		hwsim_access_changed(radio);
}

/* the exchange is over: contend again, if there is more to send */
static void finish(struct hwsim_radio *radio)
{
	struct hwsim_ac *ac = radio->sender;

	hwsim_access_changed(radio);
	radio->stage = HWSIM_STAGE_NONE;
	radio->hold_until_ns = radio->medium->now_ns;
	hwsim_event_cancel(radio->medium, &radio->timeout);
	hwsim_ppdu_put(radio->frame);
	radio->frame = NULL;
	radio->sender = NULL;
	ac->waiting = false;
	if (hwsim_tx_pending(ac)) {
		ac->waiting = true;
		ac->ready_ns = radio->medium->now_ns;
		ac->committed_ns = HWSIM_NEVER;
	}
}

/* what was to follow in the TXOP does not */
static void give_back(struct hwsim_radio *radio)
{
	if (radio->ahead)
		hwsim_tx_unbuild(radio, radio->sender, radio->ahead);
	radio->ahead = NULL;
}

static void exchange_failed(struct hwsim_radio *radio)
{
	struct hwsim_ppdu *frame = radio->frame;
	struct hwsim_ac *ac = radio->sender;
	bool again;

	give_back(radio);
	again = hwsim_tx_done(radio, ac, frame, NULL);
	finish(radio);
	if (again)
		hwsim_edca_failure(&ac->edca);
	else
		hwsim_edca_success(&ac->edca);
}

static void on_timeout(struct hwsim_medium *medium, struct hwsim_event *event)
{
	exchange_failed(container_of(event, struct hwsim_radio, timeout));
}

/* wait for an answer: ACK or CTS time-out (10.3.2.9, 10.3.2.11) */
static void await_answer(struct hwsim_radio *radio,
			 const struct hwsim_phy_rate *rate)
{
	struct hwsim_phy_rate answer =
		hwsim_phy_response(rate, radio->basic_rates);
	u64 until = radio->medium->now_ns + radio->timing.sifs_ns +
		    radio->timing.slot_ns + hwsim_phy_preamble_ns(&answer);

	radio->hold_until_ns = until;
	radio->timeout.happen = on_timeout;
	hwsim_event_add(radio->medium, &radio->timeout, until);
}

/* duration of an answer of @bytes to a frame at @rate, with SIFS before */
static u32 answer_ns(const struct hwsim_radio *radio,
		     const struct hwsim_phy_rate *rate, u32 bytes)
{
	struct hwsim_phy_rate answer =
		hwsim_phy_response(rate, radio->basic_rates);

	return radio->timing.sifs_ns +
	       hwsim_phy_duration_ns(&answer, &radio->timing, bytes);
}

/* precede the frame of the exchange by RTS, or by CTS to oneself */
static bool send_protection(struct hwsim_radio *radio, u64 at_ns)
{
	struct hwsim_ppdu *frame = radio->frame, *ppdu;
	bool rts = frame->protection == HWSIM_PROTECTION_RTS;
	u32 ns;

	ppdu = hwsim_ppdu_new(radio, rts ? HWSIM_MEDIUM_FRAME_RTS :
					   HWSIM_MEDIUM_FRAME_CTS,
			      &frame->protection_rate);
	if (!ppdu)
		return false;
	ppdu->psdu_bytes = rts ? HWSIM_MEDIUM_RTS_BYTES : HWSIM_MEDIUM_CTS_BYTES;
	ether_addr_copy(ppdu->ra, rts ? frame->ra : frame->ta);
	if (rts)
		ether_addr_copy(ppdu->ta, frame->ta);
	ppdu->wanted_ns = frame->wanted_ns;
	ppdu->deferred_ns = frame->deferred_ns;
	ppdu->counting_ns = frame->counting_ns;
	frame->wanted_ns = 0;
	ns = radio->timing.sifs_ns +
	     hwsim_phy_duration_ns(&frame->rate, &radio->timing,
				   frame->psdu_bytes) +
	     (frame->duration_us - frame->next_us) * NSEC_PER_USEC;
	if (rts)
		ns += answer_ns(radio, &ppdu->rate, HWSIM_MEDIUM_CTS_BYTES);
	ppdu->duration_us = DIV_ROUND_UP(ns, NSEC_PER_USEC);
	radio->stage = HWSIM_STAGE_PROTECT;
	hwsim_ppdu_send(ppdu, at_ns);
	return true;
}

/* from the start of an exchange to the start of its frame */
static u32 protection_ns(const struct hwsim_radio *radio,
			 const struct hwsim_ppdu *frame)
{
	const struct hwsim_phy_rate *rate = &frame->protection_rate;
	u32 sifs_ns = radio->timing.sifs_ns;

	switch (frame->protection) {
	case HWSIM_PROTECTION_RTS:
		return hwsim_phy_duration_ns(rate, &radio->timing,
					     HWSIM_MEDIUM_RTS_BYTES) +
		       answer_ns(radio, rate, HWSIM_MEDIUM_CTS_BYTES) + sifs_ns;
	case HWSIM_PROTECTION_CTS:
		return hwsim_phy_duration_ns(rate, &radio->timing,
					     HWSIM_MEDIUM_CTS_BYTES) + sifs_ns;
	default:
		return 0;
	}
}

/*
 * What follows in the same TXOP is built already when a frame is sent, since
 * that reserves the medium for both. If the frame fails, the other goes back.
 */
static void look_ahead(struct hwsim_radio *radio, u64 start_ns)
{
	const struct hwsim_phy_timing *timing = &radio->timing;
	struct hwsim_ppdu *frame = radio->frame, *ahead;
	struct hwsim_ac *ac = radio->sender;
	u64 next;

	next = start_ns + protection_ns(radio, frame) +
	       hwsim_phy_duration_ns(&frame->rate, timing, frame->psdu_bytes) +
	       frame->duration_us * NSEC_PER_USEC + timing->sifs_ns;
	if (!ac->edca.txop_ns || next >= radio->txop_end_ns)
		return;
	ahead = hwsim_tx_build(radio, ac, radio->txop_end_ns - next,
			       HWSIM_PLACE_RESERVED);
	radio->ahead = ahead;
	if (ahead)
		hwsim_tx_reserve(frame, ahead->duration_us +
				 DIV_ROUND_UP(timing->sifs_ns +
					      hwsim_phy_duration_ns(&ahead->rate,
								    timing,
								    ahead->psdu_bytes),
					      NSEC_PER_USEC));
}

static void send_frame(struct hwsim_radio *radio, u64 at_ns)
{
	radio->stage = HWSIM_STAGE_DATA;
	radio->frame->uses++;	/* the air's */
	hwsim_tx_stamp(radio, radio->frame, at_ns);
	hwsim_ppdu_send(radio->frame, at_ns);
}

/*
 * Whether the secondary channel was idle before a TXOP that begins now: for
 * PIFS, at 2.4 GHz for DIFS (11.15.9).
 */
static bool secondary_is_idle(const struct hwsim_radio *radio, u64 now)
{
	u32 slots = radio->channel->band == NL80211_BAND_2GHZ ? 2 : 1;

	return radio->secondary_until_ns + radio->timing.sifs_ns +
	       slots * radio->timing.slot_ns <= now;
}

/**
 * hwsim_access_grant - a radio's backoff has ended
 * @radio: the radio
 *
 * If several of its access categories are through, the highest one sends and
 * the others do as after a collision (10.23.2.4).
 */
void hwsim_access_grant(struct hwsim_radio *radio)
{
	struct hwsim_medium *medium = radio->medium;
	struct hwsim_ac *winner = NULL;
	u64 now = medium->now_ns, counting = 0, wanted = 0;
	struct hwsim_ppdu *frame, *ppdu;
	unsigned long losers = 0;
	int i;

	hwsim_access_changed(radio);
	radio->txop_is_narrow = !secondary_is_idle(radio, now);
	for (i = 0; i < IEEE80211_NUM_ACS; i++) {
		struct hwsim_ac *ac = &radio->acs[i];

		if (start_of(radio, ac) > now)
			continue;
		ppdu = hwsim_tx_build(radio, ac, ac->edca.txop_ns,
				      HWSIM_PLACE_FIRST);
		if (!ppdu) {
			/* mac80211 had nothing after all */
			ac->waiting = false;
			ac->committed_ns = HWSIM_NEVER;
			continue;
		}
		if (winner) {
			hwsim_tx_unbuild(radio, ac, ppdu);
			losers |= BIT(i);
			continue;
		}
		frame = ppdu;
		winner = ac;
		wanted = ac->ready_ns;
		counting = counting_from(radio, ac);
	}
	if (!winner)
		return;
	stop_counts(radio, now);
	radio->hold_until_ns = now;
	winner->edca.slots = 0;
	winner->edca.drawn = false;
	winner->committed_ns = HWSIM_NEVER;
	for_each_set_bit(i, &losers, IEEE80211_NUM_ACS) {
		radio->acs[i].inside++;
		radio->acs[i].committed_ns = HWSIM_NEVER;
		hwsim_edca_failure(&radio->acs[i].edca);
	}
	radio->sender = winner;
	radio->frame = frame;
	radio->txop_end_ns = now + winner->edca.txop_ns;
	frame->wanted_ns = wanted;
	frame->deferred_ns = radio->energy_until_ns;
	frame->counting_ns = counting;
	look_ahead(radio, now);
	if (frame->protection == HWSIM_PROTECTION_NONE ||
	    !send_protection(radio, now))
		send_frame(radio, now);
}

/**
 * hwsim_access_damaged - a radio has received a damaged frame
 * @radio: the radio
 *
 * EIFS counts from when the medium is idle, which others may still keep busy
 * (10.3.2.3.7).
 */
void hwsim_access_damaged(struct hwsim_radio *radio)
{
	radio->eifs_from_ns = max(radio->busy_until_ns, radio->medium->now_ns);
}

/**
 * hwsim_access_heard - a radio begins to receive something
 * @radio: the radio; if it awaits an answer, this may be it
 */
void hwsim_access_heard(struct hwsim_radio *radio)
{
	/* something follows the RTS of others: what it reserved holds */
	if (radio->medium->now_ns <= radio->nav_until_ns)
		radio->nav_until_ns = max(radio->nav_until_ns,
					  radio->nav_if_heard_ns);
	radio->nav_if_heard_ns = 0;
	hwsim_access_moved(radio);
	if (radio->stage == HWSIM_STAGE_PROTECT ||
	    radio->stage == HWSIM_STAGE_ANSWER)
		hwsim_event_cancel(radio->medium, &radio->timeout);
}

/**
 * hwsim_access_unheard - what a radio received was no answer
 * @radio: the radio; if it awaited one, it has failed
 */
void hwsim_access_unheard(struct hwsim_radio *radio)
{
	bool awaits = radio->stage == HWSIM_STAGE_ANSWER ||
		      (radio->stage == HWSIM_STAGE_PROTECT && !radio->sending);

	if (awaits && RB_EMPTY_NODE(&radio->timeout.node))
		exchange_failed(radio);
}

/* the frame went through, or wants no answer */
static void exchange_succeeded(struct hwsim_radio *radio,
			       const struct hwsim_ppdu *answer)
{
	struct hwsim_medium *medium = radio->medium;
	struct hwsim_ac *ac = radio->sender;
	struct hwsim_ppdu *frame;
	u64 next;

	hwsim_event_cancel(medium, &radio->timeout);
	hwsim_tx_done(radio, ac, radio->frame, answer);
	next = medium->now_ns + radio->timing.sifs_ns;
	frame = radio->ahead;
	radio->ahead = NULL;
	/* not known when this frame went out, or not yet there */
	if (!frame && ac->edca.txop_ns && next < radio->txop_end_ns)
		frame = hwsim_tx_build(radio, ac, radio->txop_end_ns - next,
				       HWSIM_PLACE_LATER);
	if (frame) {
		hwsim_ppdu_put(radio->frame);
		radio->frame = frame;
		radio->hold_until_ns = medium->now_ns;
		look_ahead(radio, next);
		send_frame(radio, next);
		return;
	}
	finish(radio);
	hwsim_edca_success(&ac->edca);
}

/**
 * hwsim_access_sent - a radio's own transmission has ended
 * @radio: the radio
 * @ppdu: the transmission
 */
void hwsim_access_sent(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu)
{
	u64 now = radio->medium->now_ns;

	if (radio->sending != ppdu)
		return;		/* it has left that channel meanwhile */
	radio->sending = NULL;
	if (ppdu == radio->answer) {
		radio->answer = NULL;
		return;
	}
	if (ppdu == radio->frame) {
		radio->sender->airtime_ns += ppdu->end_ns - ppdu->start_ns;
		if (ppdu->wants_answer) {
			radio->stage = HWSIM_STAGE_ANSWER;
			await_answer(radio, &ppdu->rate);
		} else {
			exchange_succeeded(radio, NULL);
		}
	} else if (ppdu->kind == HWSIM_MEDIUM_FRAME_RTS &&
		   radio->stage == HWSIM_STAGE_PROTECT) {
		await_answer(radio, &ppdu->rate);
	} else if (ppdu->kind == HWSIM_MEDIUM_FRAME_CTS &&
		   radio->stage == HWSIM_STAGE_PROTECT) {
		send_frame(radio, now + radio->timing.sifs_ns);
	}
}

/**
 * hwsim_access_answered - a radio has received an answer to what it sent
 * @radio: the radio
 * @ppdu: CTS, ACK or BlockAck addressed to it
 *
 * Return: whether it awaited that
 */
bool hwsim_access_answered(struct hwsim_radio *radio,
			   const struct hwsim_ppdu *ppdu)
{
	if (ppdu->kind == HWSIM_MEDIUM_FRAME_CTS) {
		if (radio->stage != HWSIM_STAGE_PROTECT)
			return false;
		hwsim_event_cancel(radio->medium, &radio->timeout);
		send_frame(radio, radio->medium->now_ns + radio->timing.sifs_ns);
		return true;
	}
	if (radio->stage != HWSIM_STAGE_ANSWER ||
	    ppdu->kind != radio->frame->answer_kind)
		return false;
	exchange_succeeded(radio, ppdu);
	return true;
}

/**
 * hwsim_access_reset - a radio gives its exchange up
 * @radio: the radio
 *
 * Frames of an exchange that is going on go back to their queues. What is on
 * the air stays there until it ends, and the medium is as busy as before.
 */
void hwsim_access_reset(struct hwsim_radio *radio)
{
	int i;

	hwsim_access_changed(radio);
	hwsim_event_cancel(radio->medium, &radio->timeout);
	if (radio->stage != HWSIM_STAGE_NONE) {
		give_back(radio);
		hwsim_tx_done(radio, radio->sender, radio->frame, NULL);
		finish(radio);
	}
	radio->answer = NULL;
	for (i = 0; i < IEEE80211_NUM_ACS; i++) {
		radio->acs[i].committed_ns = HWSIM_NEVER;
		hwsim_edca_reset(&radio->acs[i].edca);
	}
}
