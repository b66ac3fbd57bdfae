// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frame exchanges of a radio of the hwsim medium: RTS, CTS, frame and answer, one
 * after another in a TXOP (IEEE 802.11-2020 10.3.2, 10.23.2).
 *
 * Not modelled: fragments.
 */
#include <linux/kernel.h>
#include "hwsim_medium_mac.h"

/* the exchange is over: contend again, if there is more to send */
static void finish(struct hwsim_radio *radio)
{
	struct hwsim_ac *ac = radio->mac->sender;

	hwsim_access_changed(radio);
	radio->mac->stage = HWSIM_STAGE_NONE;
	radio->mac->hold_until_ns = hwsim_now_ns(radio);
	hwsim_event_cancel(&radio->medium->clock, &radio->mac->timeout);
	hwsim_ppdu_put(radio->mac->frame);
	radio->mac->frame = NULL;
	radio->mac->sender = NULL;
	ac->waiting = false;
	if (hwsim_ac_pending(ac)) {
		hwsim_network_expect(radio, ac);
		ac->waiting = true;
		ac->ready_ns = hwsim_now_ns(radio);
		ac->committed_ns = HWSIM_NEVER;
	}
}

/**
 * hwsim_exchange_give_back - do not send the next PPDU of the TXOP
 * @radio: the radio
 */
void hwsim_exchange_give_back(struct hwsim_radio *radio)
{
	struct hwsim_ppdu *ahead = radio->mac->ahead;

	radio->mac->ahead = NULL;
	if (ahead)
		radio->mac->frames->unbuild(radio, radio->mac->sender, ahead);
}

static void exchange_failed(struct hwsim_radio *radio)
{
	struct hwsim_ppdu *frame = radio->mac->frame;
	struct hwsim_ac *ac = radio->mac->sender;
	bool again;

	if (radio->mac->stage == HWSIM_STAGE_ANSWER) {
		ac->answered_ns += hwsim_now_ns(radio) - frame->end_ns;
		ac->bars_unanswered += frame->kind == HWSIM_MEDIUM_FRAME_BAR;
	} else if (radio->mac->stage == HWSIM_STAGE_PROTECT) {
		ac->rts_unanswered++;
	}
	hwsim_exchange_give_back(radio);
	again = radio->mac->frames->done(radio, ac, frame, NULL);
	finish(radio);
	if (again)
		hwsim_edca_failure(&ac->edca);
	else
		hwsim_edca_success(&ac->edca);
}

static void on_timeout(struct hwsim_clock *clock, struct hwsim_event *event)
{
	exchange_failed(container_of(event, struct hwsim_mac, timeout)->radio);
}

/* wait for an answer: ACK or CTS time-out (10.3.2.9, 10.3.2.11) */
static void await_answer(struct hwsim_radio *radio,
			 const struct hwsim_phy_rate *rate)
{
	struct hwsim_phy_rate answer =
		hwsim_phy_response(rate, radio->mac->frame->basic_rates);
	u64 until = hwsim_now_ns(radio) + radio->timing.sifs_ns +
		    radio->timing.slot_ns + hwsim_phy_preamble_ns(&answer) +
		    radio->mac->answer_wait_ns;

	radio->mac->hold_until_ns = until;
	radio->mac->timeout.handler = on_timeout;
	hwsim_event_add(&radio->medium->clock, &radio->mac->timeout, until);
}

/* duration of the CTS that answers an RTS before a frame, with SIFS before */
static u32 cts_ns(const struct hwsim_radio *radio,
		  const struct hwsim_ppdu *frame)
{
	struct hwsim_phy_rate cts = hwsim_phy_response(&frame->protection_rate,
						       frame->basic_rates);

	return radio->timing.sifs_ns +
	       hwsim_phy_duration_ns(&cts, &radio->timing,
				     HWSIM_MEDIUM_CTS_BYTES);
}

/* precede the frame of the exchange by RTS, or by CTS-to-self */
static bool send_protection(struct hwsim_radio *radio, u64 at_ns)
{
	struct hwsim_ppdu *frame = radio->mac->frame, *ppdu;
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
		ns += cts_ns(radio, frame);
	ppdu->duration_us = DIV_ROUND_UP(ns, NSEC_PER_USEC);
	radio->mac->stage = HWSIM_STAGE_PROTECT;
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
		       cts_ns(radio, frame) + sifs_ns;
	case HWSIM_PROTECTION_CTS:
		return hwsim_phy_duration_ns(rate, &radio->timing,
					     HWSIM_MEDIUM_CTS_BYTES) + sifs_ns;
	default:
		return 0;
	}
}

/*
 * The next PPDU of the TXOP is built before a frame is sent, because that
 * frame's duration field covers both. If the frame fails, the next PPDU's
 * frames return to their queue.
 */
static void look_ahead(struct hwsim_radio *radio, u64 start_ns)
{
	const struct hwsim_phy_timing *timing = &radio->timing;
	struct hwsim_ppdu *frame = radio->mac->frame, *ahead;
	struct hwsim_ac *ac = radio->mac->sender;
	u64 next;

	next = start_ns + protection_ns(radio, frame) +
	       hwsim_phy_duration_ns(&frame->rate, timing, frame->psdu_bytes) +
	       frame->duration_us * NSEC_PER_USEC + timing->sifs_ns;
	if (!ac->edca.txop_ns || next >= radio->mac->txop_end_ns)
		return;
	ahead = radio->mac->frames->build(radio, ac, radio->mac->txop_end_ns - next,
			       HWSIM_PLACE_RESERVED);
	radio->mac->ahead = ahead;
	if (ahead)
		radio->mac->frames->reserve(frame, ahead->duration_us +
				 DIV_ROUND_UP(timing->sifs_ns +
					      hwsim_phy_duration_ns(&ahead->rate,
								    timing,
								    ahead->psdu_bytes),
					      NSEC_PER_USEC));
}

static void send_frame(struct hwsim_radio *radio, u64 at_ns)
{
	radio->mac->stage = HWSIM_STAGE_DATA;
	radio->mac->frame->uses++;	/* the air's */
	radio->mac->frames->stamp(radio, radio->mac->frame, at_ns);
	hwsim_ppdu_send(radio->mac->frame, at_ns);
}

/* a radio's backoff has ended: begin a TXOP, if there is something to send */
static void grant(struct hwsim_radio *radio)
{
	struct hwsim_ppdu *frame = hwsim_access_win(radio);
	u64 now = hwsim_now_ns(radio);

	if (!frame)
		return;
	radio->mac->frame = frame;
	radio->mac->txop_end_ns = now + radio->mac->sender->edca.txop_ns;
	look_ahead(radio, now);
	if (frame->protection == HWSIM_PROTECTION_NONE ||
	    !send_protection(radio, now))
		send_frame(radio, now);
}

/**
 * hwsim_exchange_contend - let the radios whose backoff has ended send
 * @clock: the medium's clock
 * @event: contention in that channel
 *
 * They do not hear each other: their transmissions start in later events of the
 * same instant.
 */
void hwsim_exchange_contend(struct hwsim_clock *clock, struct hwsim_event *event)
{
	struct hwsim_air *air = container_of(event, struct hwsim_air, contention);
	struct hwsim_radio *radio;

	list_for_each_entry(radio, &air->radios, tuned)
		if (hwsim_access_next(radio) <= clock->now_ns)
			grant(radio);
	hwsim_event_touch(clock, event);
}

/**
 * hwsim_exchange_heard - a radio begins to receive something
 * @radio: the radio; if it awaits an answer, this may be it
 */
void hwsim_exchange_heard(struct hwsim_radio *radio)
{
	/* something follows another station's RTS, so its reservation holds */
	if (hwsim_now_ns(radio) <= radio->mac->nav_until_ns)
		radio->mac->nav_until_ns = max(radio->mac->nav_until_ns,
					       radio->mac->nav_if_heard_ns);
	radio->mac->nav_if_heard_ns = 0;
	hwsim_access_moved(radio);
	if (radio->mac->stage == HWSIM_STAGE_PROTECT ||
	    radio->mac->stage == HWSIM_STAGE_ANSWER)
		hwsim_event_cancel(&radio->medium->clock, &radio->mac->timeout);
}

/**
 * hwsim_exchange_unheard - a radio received something other than an answer
 * @radio: the radio; if it was waiting for one, its exchange has failed
 */
void hwsim_exchange_unheard(struct hwsim_radio *radio)
{
	bool awaits = radio->mac->stage == HWSIM_STAGE_ANSWER ||
		      (radio->mac->stage == HWSIM_STAGE_PROTECT && !radio->sending);

	if (awaits && RB_EMPTY_NODE(&radio->mac->timeout.node))
		exchange_failed(radio);
}

/* the frame was delivered, or needs no answer */
static void exchange_succeeded(struct hwsim_radio *radio,
			       const struct hwsim_ppdu *answer)
{
	struct hwsim_medium *medium = radio->medium;
	struct hwsim_ac *ac = radio->mac->sender;
	struct hwsim_ppdu *frame;
	u64 next;

	if (answer)
		ac->answered_ns += medium->clock.now_ns -
				   radio->mac->frame->end_ns;
	hwsim_event_cancel(&medium->clock, &radio->mac->timeout);
	radio->mac->frames->done(radio, ac, radio->mac->frame, answer);
	next = medium->clock.now_ns + radio->timing.sifs_ns;
	frame = radio->mac->ahead;
	radio->mac->ahead = NULL;
	/* it did not exist yet, or was not known, when this frame was sent */
	if (!frame && ac->edca.txop_ns && next < radio->mac->txop_end_ns)
		frame = radio->mac->frames->build(radio, ac, radio->mac->txop_end_ns - next,
				       HWSIM_PLACE_LATER);
	if (frame) {
		hwsim_ppdu_put(radio->mac->frame);
		radio->mac->frame = frame;
		radio->mac->hold_until_ns = medium->clock.now_ns;
		look_ahead(radio, next);
		send_frame(radio, next);
		return;
	}
	finish(radio);
	/* a beacon's random delay precedes it */
	if (hwsim_ac_is_ibss(radio, ac))
		radio->mac->sent_beacon = true;
	else
		hwsim_edca_success(&ac->edca);
}

/**
 * hwsim_exchange_sent - a radio's own transmission has ended
 * @radio: the radio
 * @ppdu: the transmission
 */
void hwsim_exchange_sent(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu)
{
	u64 now = hwsim_now_ns(radio);

	if (radio->sending != ppdu)
		return;		/* it has left that channel in the meantime */
	radio->sending = NULL;
	if (ppdu == radio->mac->answer) {
		radio->mac->answer = NULL;
		return;
	}
	if (ppdu == radio->mac->frame) {
		radio->mac->sender->airtime_ns += ppdu->end_ns - ppdu->start_ns;
		if (ppdu->wants_answer) {
			radio->mac->stage = HWSIM_STAGE_ANSWER;
			await_answer(radio, &ppdu->rate);
		} else {
			exchange_succeeded(radio, NULL);
		}
	} else if (ppdu->kind == HWSIM_MEDIUM_FRAME_RTS &&
		   radio->mac->stage == HWSIM_STAGE_PROTECT) {
		await_answer(radio, &ppdu->rate);
	} else if (ppdu->kind == HWSIM_MEDIUM_FRAME_CTS &&
		   radio->mac->stage == HWSIM_STAGE_PROTECT) {
		send_frame(radio, now + radio->timing.sifs_ns);
	}
}

/**
 * hwsim_exchange_answered - a radio has received an answer to what it sent
 * @radio: the radio
 * @ppdu: CTS, ACK or BlockAck addressed to it
 *
 * Return: whether it was waiting for that
 */
bool hwsim_exchange_answered(struct hwsim_radio *radio,
			     const struct hwsim_ppdu *ppdu)
{
	if (ppdu->kind == HWSIM_MEDIUM_FRAME_CTS) {
		if (radio->mac->stage != HWSIM_STAGE_PROTECT)
			return false;
		hwsim_event_cancel(&radio->medium->clock, &radio->mac->timeout);
		send_frame(radio, hwsim_now_ns(radio) + radio->timing.sifs_ns);
		return true;
	}
	if (radio->mac->stage != HWSIM_STAGE_ANSWER ||
	    ppdu->kind != radio->mac->frame->answer_kind)
		return false;
	exchange_succeeded(radio, ppdu);
	return true;
}

/**
 * hwsim_exchange_reset - abort the exchange of a radio
 * @radio: the radio
 *
 * Frames of the current exchange return to their queues. A transmission on the
 * air continues to its end, and the medium stays busy.
 */
void hwsim_exchange_reset(struct hwsim_radio *radio)
{
	int i;

	hwsim_access_changed(radio);
	hwsim_event_cancel(&radio->medium->clock, &radio->mac->timeout);
	if (radio->mac->stage != HWSIM_STAGE_NONE) {
		hwsim_exchange_give_back(radio);
		radio->mac->frames->done(radio, radio->mac->sender, radio->mac->frame, NULL);
		finish(radio);
	}
	radio->mac->answer = NULL;
	for (i = 0; i < HWSIM_NUM_ACS; i++) {
		radio->mac->acs[i].committed_ns = HWSIM_NEVER;
		hwsim_edca_reset(&radio->mac->acs[i].edca);
	}
}

/**
 * hwsim_exchange_left - a radio has left its channel
 * @radio: the radio
 *
 * It does not send on another channel until its transmission on the old one has
 * ended.
 */
void hwsim_exchange_left(struct hwsim_radio *radio)
{
	const struct hwsim_ppdu *answer = radio->mac->answer;
	u64 until = radio->sends_until_ns;

	if (answer && hwsim_is_acknowledgment(answer))
		until = max(until, answer->end_ns);
	hwsim_exchange_reset(radio);
	radio->mac->hold_until_ns = max(radio->mac->hold_until_ns, until);
	radio->mac->nav_until_ns = 0;
	radio->mac->nav_if_heard_ns = 0;
	radio->mac->eifs_from_ns = 0;
}

/**
 * hwsim_exchange_dropped - an answer cannot begin, since the radio is sending
 * @radio: the radio
 * @ppdu: the answer
 */
void hwsim_exchange_dropped(struct hwsim_radio *radio,
			    const struct hwsim_ppdu *ppdu)
{
	radio->mac->answer = NULL;
}
