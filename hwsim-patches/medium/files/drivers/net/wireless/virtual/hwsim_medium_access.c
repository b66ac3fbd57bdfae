// SPDX-License-Identifier: GPL-2.0-only
/*
 * Channel access of a radio of the hwsim medium: its access categories contend.
 *
 * IEEE 802.11-2020 10.3 (DCF) and 10.23.2 (EDCA).
 */
#include <linux/kernel.h>
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

/**
 * hwsim_access_win - find what a radio sends now
 * @radio: a radio whose backoff has ended
 *
 * If several of its access categories finish together, the highest one sends
 * and the others behave as after a collision (10.23.2.4).
 *
 * Return: the PPDU, which the sender of the radio's MAC has built, or NULL
 */
struct hwsim_ppdu *hwsim_access_win(struct hwsim_radio *radio)
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
		return NULL;
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
	frame->wanted_ns = wanted;
	frame->deferred_ns = radio->energy_until_ns;
	frame->counting_ns = counting;
	return frame;
}
