// SPDX-License-Identifier: GPL-2.0-only
/*
 * Channels of the hwsim medium: which radios listen there, and when
 * transmissions start and end.
 *
 * A frame wider than 20 MHz begins with a preamble in each of its channels of
 * 20 MHz (19.3.9.1), and its control frames are duplicated in all of them.
 * Radios tuned to any of these channels hear both.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include "hwsim_medium_air.h"

/* whether a channel of 20 MHz is part of a transmission's band */
static bool is_within(const struct hwsim_air *air, const struct hwsim_ppdu *ppdu)
{
	u32 offset_mhz = abs((s32)air->freq_mhz - (s32)ppdu->centre_mhz);

	if (ppdu->rate.width == HWSIM_PHY_20MHZ)
		return air == ppdu->air;
	return offset_mhz < 10U << ppdu->rate.width && offset_mhz % 20 == 10;
}

static struct hwsim_air *air_of(struct hwsim_medium *medium, u32 freq_mhz)
{
	struct hwsim_air *air;

	list_for_each_entry(air, &medium->airs, list)
		if (air->freq_mhz == freq_mhz)
			return air;
	air = kzalloc(sizeof(*air), GFP_ATOMIC);
	if (!air)
		return NULL;
	air->freq_mhz = freq_mhz;
	INIT_LIST_HEAD(&air->radios);
	INIT_LIST_HEAD(&air->ppdus);
	hwsim_event_init(&air->contention, HWSIM_PHASE_CONTEND);
	air->contention.when = medium->mac_ops->contention_ns;
	air->contention.handler = medium->mac_ops->contend;
	air->contention.serial = medium->num_airs++;
	air->since_ns = medium->clock.now_ns;
	list_add_tail(&air->list, &medium->airs);
	return air;
}

/* all radios on its channels hear the end of a transmission at the same time */
static void end_for_all(struct hwsim_medium *medium, struct hwsim_ppdu *ppdu)
{
	struct hwsim_radio *radio, *next;
	struct hwsim_air *air;

	list_for_each_entry(air, &medium->airs, list) {
		if (!is_within(air, ppdu))
			continue;
		list_for_each_entry_safe(radio, next, &air->radios, tuned)
			hwsim_hear_end(radio, ppdu);
	}
}

/* a transmission has reached all receivers */
static void ppdu_settled(struct hwsim_clock *clock, struct hwsim_event *event)
{
	struct hwsim_ppdu *ppdu = container_of(event, struct hwsim_ppdu, event);

	if (ppdu->radio)
		hwsim_medium_of(clock)->mac_ops->tx_end(ppdu->radio, ppdu);
	hwsim_ppdu_put(ppdu);
}

/*
 * Frames that need no answer are completed when their transmission ends. With
 * propagation delays, its sender waits until it has reached all receivers.
 */
static void end_for_sender(struct hwsim_medium *medium, struct hwsim_ppdu *ppdu)
{
	if (!ppdu->delayed || !ppdu->count || ppdu->wants_answer) {
		medium->mac_ops->tx_end(ppdu->radio, ppdu);
		return;
	}
	ppdu->uses++;
	ppdu->event.handler = ppdu_settled;
	hwsim_event_add(&medium->clock, &ppdu->event,
			ppdu->end_ns + medium->longest_ns);
}

static void ppdu_end(struct hwsim_clock *clock, struct hwsim_event *event)
{
	struct hwsim_medium *medium = hwsim_medium_of(clock);
	struct hwsim_ppdu *ppdu = container_of(event, struct hwsim_ppdu, event);
	struct hwsim_air *air = ppdu->air;

	hwsim_air_account(air, medium->clock.now_ns);
	air->sounding--;
	ppdu->ended = true;
	if (ppdu->radio) {
		ppdu->to = hwsim_radio_owning(medium, air, ppdu->ra);
		if (!list_empty(&medium->faults))
			hwsim_fault_judge(ppdu);
		hwsim_count_sent(ppdu);
		if (!ppdu->delayed)
			end_for_all(medium, ppdu);
		/* its receiver has decided about it; with a delay, not yet */
		hwsim_capture_ppdu(ppdu);
		end_for_sender(medium, ppdu);
	}
	hwsim_ppdus_forget(medium);
}

/* all radios on its channels hear a transmission begin, now or later */
static void begin_for_all(struct hwsim_medium *medium, struct hwsim_ppdu *ppdu)
{
	struct hwsim_radio *radio;
	struct hwsim_air *air;

	list_for_each_entry(air, &medium->airs, list) {
		if (!is_within(air, ppdu))
			continue;
		list_for_each_entry(radio, &air->radios, tuned) {
			if (radio == ppdu->radio)
				continue;
			if (ppdu->delayed)
				hwsim_delay_arrive(radio, ppdu);
			else
				hwsim_hear_begin(radio, ppdu);
		}
	}
}

static void ppdu_start(struct hwsim_clock *clock, struct hwsim_event *event)
{
	struct hwsim_medium *medium = hwsim_medium_of(clock);
	struct hwsim_ppdu *ppdu = container_of(event, struct hwsim_ppdu, event);
	struct hwsim_air *air = ppdu->air;
	struct hwsim_ppdu *other;

	/* its sender has left, but still acknowledges what it received there */
	if (!ppdu->radio ||
	    (ppdu->radio->air != air && !hwsim_is_acknowledgment(ppdu))) {
		hwsim_ppdu_put(ppdu);
		return;
	}
	if (medium->clock.now_ns < ppdu->radio->sends_until_ns) {
		/* a radio cannot answer while it sends */
		medium->mac_ops->tx_dropped(ppdu->radio, ppdu);
		hwsim_ppdu_put(ppdu);
		return;
	}
	hwsim_air_account_silence(air, ppdu);
	hwsim_air_account(air, medium->clock.now_ns);
	air->sounding++;
	if (air->sounding > 1) {
		ppdu->overlapped = true;
		list_for_each_entry(other, &air->ppdus, list)
			if (!other->ended)
				other->overlapped = true;
	}
	if (medium->longest_ns)
		hwsim_delay_overlap(medium, ppdu);
	list_add_tail(&ppdu->list, &air->ppdus);
	hwsim_sense_nearby(medium, ppdu);
	ppdu->radio->sends_until_ns = ppdu->end_ns;
	if (ppdu->radio->air == air) {
		ppdu->radio->sending = ppdu;
		ppdu->radio->locked = NULL;
		hwsim_sense_busy(ppdu->radio, ppdu->end_ns);
		hwsim_survey_sent(ppdu->radio, ppdu);
	}
	if (!ppdu->delayed)
		begin_for_all(medium, ppdu);
	event->handler = ppdu_end;
	event->phase = HWSIM_PHASE_END;
	hwsim_event_add(clock, event, ppdu->end_ns);
	if (ppdu->delayed)
		begin_for_all(medium, ppdu);
}

/**
 * hwsim_air_tune - listen to another channel
 * @radio: the radio
 * @channel: the channel, or NULL: listen to none
 *
 * Reception is aborted. A transmission of the radio continues to its end, and
 * an ACK or BlockAck that is due is sent there: a radio takes longer to retune
 * than SIFS.
 */
void hwsim_air_tune(struct hwsim_radio *radio,
		    struct ieee80211_channel *channel)
{
	struct hwsim_air *air = NULL;
	struct hwsim_clock *clock;

	if (channel)
		air = air_of(radio->medium, channel->center_freq);
	if (radio->air == air)
		return;
	clock = &radio->medium->clock;
	if (radio->air) {
		hwsim_event_touch(clock, &radio->air->contention);
		list_del(&radio->tuned);
		hwsim_delay_forget(radio);
		radio->locked = NULL;
		radio->medium->mac_ops->left(radio);
		radio->sending = NULL;
		radio->busy_until_ns = 0;
		radio->energy_until_ns = 0;
		memset(radio->secondary_until_ns, 0,
		       sizeof(radio->secondary_until_ns));
	}
	hwsim_survey_tune(radio, air ? channel : NULL);
	radio->air = air;
	if (!air)
		return;
	hwsim_event_touch(clock, &air->contention);
	list_add_tail(&radio->tuned, &air->radios);
	/* it hears the energy of transmissions that have already begun */
	hwsim_sense_energy(radio);
	hwsim_sense_secondary(radio);
}

/**
 * hwsim_ppdu_send - put a transmission on the air
 * @ppdu: the transmission, complete
 * @start_ns: when it starts; no carrier sense is done then
 */
void hwsim_ppdu_send(struct hwsim_ppdu *ppdu, u64 start_ns)
{
	const struct hwsim_radio *radio = ppdu->radio;

	ppdu->centre_mhz = ppdu->air->freq_mhz;
	if (ppdu->rate.width != HWSIM_PHY_20MHZ)
		ppdu->centre_mhz = radio->centre_mhz;
	ppdu->power_mbm = hwsim_radio_power_mbm(radio);
	ppdu->start_ns = start_ns;
	ppdu->payload_ns = start_ns + hwsim_phy_preamble_ns(&ppdu->rate);
	ppdu->payload_end_ns = ppdu->payload_ns +
		hwsim_phy_payload_ns(&ppdu->rate, ppdu->psdu_bytes);
	ppdu->end_ns = start_ns +
		hwsim_phy_duration_ns(&ppdu->rate, &radio->timing,
				      ppdu->psdu_bytes);
	if (!ppdu->wanted_ns)
		ppdu->counting_ns = start_ns;	/* SIFS after another frame */
	ppdu->event.handler = ppdu_start;
	hwsim_event_add(&radio->medium->clock, &ppdu->event, start_ns);
}

/* abort the reception of a radio's transmissions */
static void lose_receptions(struct hwsim_radio *radio)
{
	struct hwsim_medium *medium = radio->medium;
	u32 slot;

	for (slot = 0; slot < HWSIM_MEDIUM_MAX_RADIOS; slot++) {
		struct hwsim_radio *other = medium->radios[slot];

		if (!other || !other->locked || other->locked->radio != radio)
			continue;
		other->locked = NULL;
		medium->mac_ops->rx_lost(other);
	}
}

/**
 * hwsim_air_forget - a radio leaves the medium
 * @radio: the radio; others that heard its frame begin stay busy until it ends
 */
void hwsim_air_forget(struct hwsim_radio *radio)
{
	struct hwsim_medium *medium = radio->medium;
	struct hwsim_ppdu *ppdu;
	struct hwsim_air *air;
	struct rb_node *node;

	hwsim_air_tune(radio, NULL);
	lose_receptions(radio);
	list_for_each_entry(air, &medium->airs, list) {
		list_for_each_entry(ppdu, &air->ppdus, list) {
			if (ppdu->radio != radio)
				continue;
			ppdu->radio = NULL;
			ppdu->count = 0;
		}
	}
	/* transmissions that have not begun */
	for (node = rb_first_cached(&medium->clock.events); node; node = rb_next(node)) {
		struct hwsim_event *event =
			rb_entry(node, struct hwsim_event, node);

		if (event->handler != ppdu_start)
			continue;
		ppdu = container_of(event, struct hwsim_ppdu, event);
		if (ppdu->radio == radio)
			ppdu->radio = NULL;
	}
}
