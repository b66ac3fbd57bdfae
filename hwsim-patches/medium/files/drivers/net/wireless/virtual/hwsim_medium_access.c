// SPDX-License-Identifier: GPL-2.0-only
/*
 * Channel access of a radio of the hwsim medium: contention of its access
 * categories, and frame exchanges (RTS, CTS, frame, answer).
 *
 * IEEE 802.11-2020 10.3 (DCF) and 10.23.2 (EDCA).
 *
 * Not modelled: fragments.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include "hwsim_medium_mac.h"

/* how late a busy medium is detected (aCCATime), Tables 15-5 and 17-21 */
#define CCA_OFDM_NS	4000
#define CCA_DSSS_NS	15000

/* when the medium became, or will become, idle for a radio */
static u64 idle_from(const struct hwsim_radio *radio)
{
	u64 idle = max3(radio->busy_until_ns, radio->mac->nav_until_ns,
			radio->mac->hold_until_ns);

	idle = max(idle, radio->mac->answers_at_ns);
	if (radio->mac->eifs_from_ns)
		idle = max(idle, radio->mac->eifs_from_ns + radio->mac->eifs_extra_ns);
	return idle;
}

/* when an access category starts to count slots */
static u64 counting_from(const struct hwsim_radio *radio,
			 const struct hwsim_ac *ac)
{
	u64 from = idle_from(radio) + hwsim_edca_aifs_ns(&ac->edca,
							 radio->timing.sifs_ns,
							 radio->timing.slot_ns);

	return hwsim_ac_is_ibss(radio, ac) ? max(from, ac->ready_ns) : from;
}

static u64 start_of(const struct hwsim_radio *radio, const struct hwsim_ac *ac)
{
	u64 start;

	if (!ac->waiting || !hwsim_ac_may_send(radio, ac))
		return HWSIM_NEVER;
	if (ac->committed_ns != HWSIM_NEVER)
		return ac->committed_ns;
	start = counting_from(radio, ac) +
		(u64)ac->edca.slots * radio->timing.slot_ns;
	return max(start, ac->ready_ns);
}

/**
 * hwsim_access_update - compute when a radio will send
 * @radio: the radio
 *
 * Return: what hwsim_access_next() will return until something changes
 */
u64 hwsim_access_update(struct hwsim_radio *radio)
{
	u64 next = HWSIM_NEVER;
	bool contends = false;
	int i;

	for (i = 0; i < HWSIM_NUM_ACS; i++) {
		const struct hwsim_ac *ac = &radio->mac->acs[i];

		contends |= ac->waiting || ac->edca.backs_off;
		if (ac->waiting)
			next = min(next, start_of(radio, ac));
	}
	radio->mac->contends = contends;
	radio->mac->next_ns = radio->mac->stage == HWSIM_STAGE_NONE ? next : HWSIM_NEVER;
	radio->mac->next_known = true;
	return radio->mac->next_ns;
}

/*
 * Suspend all countdowns at @at_ns and subtract the elapsed slots. A backoff
 * that expired without a frame to send is over: the next frame draws a new one.
 * While the beacon of an ad hoc network waits, nothing else counts down.
 */
static void stop_counts(struct hwsim_radio *radio, u64 at_ns)
{
	const struct hwsim_ac *ibss = &radio->mac->acs[HWSIM_AC_IBSS];
	u32 slot_ns = radio->timing.slot_ns;
	int i;

	for (i = 0; i < HWSIM_NUM_ACS; i++) {
		struct hwsim_ac *ac = &radio->mac->acs[i];
		u64 from;

		if (!ac->edca.backs_off)
			continue;
		if (ibss->waiting && ac != ibss)
			continue;
		from = counting_from(radio, ac);
		if (!ac->waiting &&
		    from + (u64)ac->edca.slots * slot_ns <= at_ns) {
			ac->edca.slots = 0;
			ac->edca.backs_off = false;
		} else if (ac->edca.slots) {
			hwsim_edca_stop(&ac->edca, from, at_ns, slot_ns);
		}
	}
}

/*
 * The medium is no longer idle: frames that would have been sent immediately
 * back off.
 */
static void back_off(struct hwsim_radio *radio)
{
	int i;

	for (i = 0; i < HWSIM_NUM_ACS; i++) {
		struct hwsim_ac *ac = &radio->mac->acs[i];

		if (ac->waiting && !ac->edca.backs_off &&
		    ac->committed_ns == HWSIM_NEVER)
			hwsim_edca_invoke(&ac->edca);
	}
}

/*
 * Another interface's frame has become the next one of an access category that
 * contends. Its backoff continues with the parameters of that interface: if it
 * would have ended already, at the next slot.
 */
static void reconsider(struct hwsim_radio *radio, struct hwsim_ac *ac, u64 at_ns)
{
	const struct hwsim_network *network = ac->network;
	u32 slot_ns = radio->timing.slot_ns;
	u64 start;

	if (radio->mac->stage != HWSIM_STAGE_NONE ||
	    ac->committed_ns != HWSIM_NEVER)
		return;
	hwsim_network_expect(radio, ac);
	if (ac->network == network || !ac->edca.backs_off)
		return;
	start = counting_from(radio, ac) + (u64)ac->edca.slots * slot_ns;
	if (start < at_ns)
		ac->edca.slots += div_u64(at_ns - start + slot_ns - 1, slot_ns);
}

/**
 * hwsim_access_ready - an access category has something to send
 * @radio: the radio
 * @ac: the access category
 * @at_ns: since when
 *
 * If the medium is idle and no backoff is left, it sends after AIFS; if the
 * medium is busy, a backoff is drawn first (10.3.4.2).
 *
 * Where computation takes no time, hosts that act on the same clock tick would
 * send at the same instant. A frame may therefore get a random latency on its
 * way into the radio.
 */
void hwsim_access_ready(struct hwsim_radio *radio, struct hwsim_ac *ac,
			u64 at_ns)
{
	bool held = radio->mac->acs[HWSIM_AC_IBSS].waiting;
	u64 counted;

	if (ac->waiting) {
		reconsider(radio, ac, at_ns);
		return;
	}
	hwsim_network_expect(radio, ac);
	hwsim_access_changed(radio);
	ac->waiting = true;
	ac->ready_ns = at_ns;
	if (radio->mac->latency_ns)
		ac->ready_ns += hwsim_stream_below(&radio->mac->latency,
						   radio->mac->latency_ns);
	ac->committed_ns = HWSIM_NEVER;
	counted = counting_from(radio, ac) +
		  (u64)ac->edca.slots * radio->timing.slot_ns;
	if (radio->mac->stage == HWSIM_STAGE_NONE && !held && counted <= at_ns) {
		ac->edca.slots = 0;
		ac->edca.backs_off = false;
	}
	if (!ac->edca.backs_off &&
	    (held || idle_from(radio) > at_ns ||
	     radio->mac->stage != HWSIM_STAGE_NONE))
		hwsim_edca_invoke(&ac->edca);
}

/**
 * hwsim_access_tbtt - it is time for a beacon of an ad hoc network
 * @radio: a member, whose beacon is queued
 * @at_ns: now
 *
 * Every member prepares one. They draw random delays, which count down as a
 * backoff does; all other countdowns of the radio are suspended meanwhile
 * (11.1.3.5).
 */
void hwsim_access_tbtt(struct hwsim_radio *radio, u64 at_ns)
{
	struct hwsim_ac *ac = &radio->mac->acs[HWSIM_AC_IBSS];

	hwsim_network_expect(radio, ac);
	hwsim_access_changed(radio);
	if (radio->mac->stage == HWSIM_STAGE_NONE && !ac->waiting) {
		stop_counts(radio, at_ns);
		back_off(radio);
	}
	ac->waiting = true;
	ac->ready_ns = at_ns;
	ac->committed_ns = HWSIM_NEVER;
	hwsim_edca_invoke(&ac->edca);
}

/**
 * hwsim_access_spared - a member of an ad hoc network need not send its beacon
 * @radio: the member, whose beacon is no longer queued
 * @at_ns: now
 */
void hwsim_access_spared(struct hwsim_radio *radio, u64 at_ns)
{
	struct hwsim_ac *ac = &radio->mac->acs[HWSIM_AC_IBSS];

	hwsim_access_changed(radio);
	ac->waiting = false;
	ac->committed_ns = HWSIM_NEVER;
	hwsim_edca_reset(&ac->edca);
	/* the other countdowns were suspended until now */
	radio->mac->hold_until_ns = max(radio->mac->hold_until_ns, at_ns);
}

/**
 * hwsim_access_busy - a radio hears a transmission begin
 * @radio: the radio
 * @until_ns: when it will end
 */
void hwsim_access_busy(struct hwsim_radio *radio, u64 until_ns)
{
	u64 now = hwsim_now_ns(radio);
	u32 cca_ns = radio->timing.slot_ns > 2 * CCA_OFDM_NS + 1000 ?
		     CCA_DSSS_NS : CCA_OFDM_NS;
	int i;

	hwsim_access_next(radio);
	if (radio->mac->contends && radio->mac->stage == HWSIM_STAGE_NONE) {
		for (i = 0; i < HWSIM_NUM_ACS; i++) {
			struct hwsim_ac *ac = &radio->mac->acs[i];
			u64 start = start_of(radio, ac);

			/* too late to be detected */
			if (start != HWSIM_NEVER && start < now + cca_ns)
				ac->committed_ns = start;
		}
		stop_counts(radio, now);
		back_off(radio);
	}
	if (until_ns > radio->busy_until_ns) {
		/* EIFS starts once the medium is idle */
		if (radio->mac->eifs_from_ns == radio->busy_until_ns &&
		    now < radio->busy_until_ns)
			radio->mac->eifs_from_ns = until_ns;
		radio->busy_until_ns = until_ns;
	}
	if (radio->mac->contends)
		hwsim_access_changed(radio);
}

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
 * hwsim_access_give_back - do not send the next PPDU of the TXOP
 * @radio: the radio
 */
void hwsim_access_give_back(struct hwsim_radio *radio)
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
	hwsim_access_give_back(radio);
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

/*
 * Width of a TXOP that begins now: its secondary channels were idle for PIFS, at
 * 2.4 GHz for DIFS (11.15.9, 10.23.2.5).
 */
static u8 idle_width(const struct hwsim_radio *radio, u64 now)
{
	u32 slots = radio->channel->band == NL80211_BAND_2GHZ ? 2 : 1;
	u64 needed_ns = radio->timing.sifs_ns + slots * radio->timing.slot_ns;
	u8 width = HWSIM_PHY_20MHZ;

	while (width < radio->width &&
	       radio->secondary_until_ns[width + 1] + needed_ns <= now)
		width++;
	return width;
}

/*
 * A radio's backoff has ended.
 *
 * If several of its access categories finish together, the highest one sends
 * and the others behave as after a collision (10.23.2.4).
 */
static void grant(struct hwsim_radio *radio)
{
	struct hwsim_medium *medium = radio->medium;
	struct hwsim_ac *winner = NULL;
	u64 now = medium->clock.now_ns, counting = 0, wanted = 0;
	struct hwsim_ppdu *frame, *ppdu;
	unsigned long losers = 0;
	u64 idle;
	int i;

	hwsim_access_changed(radio);
	radio->mac->txop_width = idle_width(radio, now);
	for (i = 0; i < HWSIM_NUM_ACS; i++) {
		struct hwsim_ac *ac = &radio->mac->acs[i];

		if (start_of(radio, ac) > now)
			continue;
		/* airtime fairness may have chosen another queue since */
		reconsider(radio, ac, now);
		if (start_of(radio, ac) > now)
			continue;
		ppdu = radio->mac->frames->build(radio, ac, ac->edca.txop_ns,
				      HWSIM_PLACE_FIRST);
		if (!ppdu) {
			/* mac80211 had no frame after all */
			ac->waiting = false;
			ac->committed_ns = HWSIM_NEVER;
			continue;
		}
		if (winner) {
			radio->mac->frames->unbuild(radio, ac, ppdu);
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
	idle = max(idle_from(radio), wanted);
	winner->acquired_ns += idle < now ? now - idle : 0;
	stop_counts(radio, now);
	radio->mac->hold_until_ns = now;
	winner->edca.slots = 0;
	winner->edca.backs_off = false;
	winner->committed_ns = HWSIM_NEVER;
	for_each_set_bit(i, &losers, IEEE80211_NUM_ACS) {
		radio->mac->acs[i].inside++;
		radio->mac->acs[i].committed_ns = HWSIM_NEVER;
		hwsim_edca_failure(&radio->mac->acs[i].edca);
	}
	radio->mac->sender = winner;
	radio->mac->frame = frame;
	radio->mac->txop_end_ns = now + winner->edca.txop_ns;
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
 * EIFS starts when the medium becomes idle; others may still keep it busy
 * (10.3.2.3.7).
 */
void hwsim_access_damaged(struct hwsim_radio *radio)
{
	radio->mac->eifs_from_ns = max(radio->busy_until_ns, hwsim_now_ns(radio));
}

/**
 * hwsim_access_heard - a radio begins to receive something
 * @radio: the radio; if it awaits an answer, this may be it
 */
void hwsim_access_heard(struct hwsim_radio *radio)
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
 * hwsim_access_unheard - a radio received something other than an answer
 * @radio: the radio; if it was waiting for one, its exchange has failed
 */
void hwsim_access_unheard(struct hwsim_radio *radio)
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
 * hwsim_access_sent - a radio's own transmission has ended
 * @radio: the radio
 * @ppdu: the transmission
 */
void hwsim_access_sent(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu)
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
 * hwsim_access_answered - a radio has received an answer to what it sent
 * @radio: the radio
 * @ppdu: CTS, ACK or BlockAck addressed to it
 *
 * Return: whether it was waiting for that
 */
bool hwsim_access_answered(struct hwsim_radio *radio,
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
 * hwsim_access_reset - abort the exchange of a radio
 * @radio: the radio
 *
 * Frames of the current exchange return to their queues. A transmission on the
 * air continues to its end, and the medium stays busy.
 */
void hwsim_access_reset(struct hwsim_radio *radio)
{
	int i;

	hwsim_access_changed(radio);
	hwsim_event_cancel(&radio->medium->clock, &radio->mac->timeout);
	if (radio->mac->stage != HWSIM_STAGE_NONE) {
		hwsim_access_give_back(radio);
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
 * hwsim_access_left - a radio has left its channel
 * @radio: the radio
 *
 * It does not send on another channel until its transmission on the old one has
 * ended.
 */
void hwsim_access_left(struct hwsim_radio *radio)
{
	const struct hwsim_ppdu *answer = radio->mac->answer;
	u64 until = radio->sends_until_ns;

	if (answer && hwsim_is_acknowledgment(answer))
		until = max(until, answer->end_ns);
	hwsim_access_reset(radio);
	radio->mac->hold_until_ns = max(radio->mac->hold_until_ns, until);
	radio->mac->nav_until_ns = 0;
	radio->mac->nav_if_heard_ns = 0;
	radio->mac->eifs_from_ns = 0;
}

/**
 * hwsim_access_dropped - an answer cannot begin, since the radio is sending
 * @radio: the radio
 * @ppdu: the answer
 */
void hwsim_access_dropped(struct hwsim_radio *radio,
			  const struct hwsim_ppdu *ppdu)
{
	radio->mac->answer = NULL;
}

/**
 * hwsim_access_contention_ns - the earliest start of a radio that contends
 * @event: contention in a channel
 *
 * Return: nominal ns, or HWSIM_NEVER
 */
u64 hwsim_access_contention_ns(struct hwsim_event *event)
{
	struct hwsim_air *air = container_of(event, struct hwsim_air, contention);
	struct hwsim_radio *radio;
	u64 next = HWSIM_NEVER;

	list_for_each_entry(radio, &air->radios, tuned)
		next = min(next, hwsim_access_next(radio));
	return next;
}

/**
 * hwsim_access_contend - let the radios whose backoff has ended send
 * @clock: the medium's clock
 * @event: contention in that channel
 *
 * They do not hear each other: their transmissions start in later events of the
 * same instant.
 */
void hwsim_access_contend(struct hwsim_clock *clock, struct hwsim_event *event)
{
	struct hwsim_air *air = container_of(event, struct hwsim_air, contention);
	struct hwsim_radio *radio;

	list_for_each_entry(radio, &air->radios, tuned)
		if (hwsim_access_next(radio) <= clock->now_ns)
			grant(radio);
	hwsim_event_touch(clock, event);
}
