// SPDX-License-Identifier: GPL-2.0-only
/*
 * Propagation delays of the hwsim medium.
 *
 * Each receiver has its own events for the start and the end of a transmission.
 * Without delays, all hear it at the same time, and no such events are needed.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include "hwsim_medium_air.h"

/* the longest delay of all links */
static u32 longest_ns(const struct hwsim_medium *medium)
{
	struct hwsim_link *link;
	unsigned long from;
	u32 to, longest = 0;

	for (to = 0; to < HWSIM_MEDIUM_MAX_RADIOS; to++)
		if (medium->radios[to])
			xa_for_each(&medium->radios[to]->links, from, link)
				longest = max(longest, link->setting.delay_ns);
	return longest;
}

static void shorten(struct hwsim_clock *clock, struct hwsim_event *event)
{
	struct hwsim_medium *medium = hwsim_medium_of(clock);

	medium->longest_ns = longest_ns(medium);
}

/**
 * hwsim_delay_grew - the longest delay has increased, with immediate effect
 * @medium: the medium
 * @ns: its delay
 */
void hwsim_delay_grew(struct hwsim_medium *medium, u32 ns)
{
	hwsim_event_cancel(&medium->clock, &medium->shorten);
	medium->longest_ns = ns;
}

/**
 * hwsim_delay_shrank - the longest delay has decreased
 * @medium: the medium
 *
 * That takes effect once transmissions with the longer delay have arrived.
 */
void hwsim_delay_shrank(struct hwsim_medium *medium)
{
	u32 longest = longest_ns(medium);
	const struct hwsim_ppdu *ppdu;
	const struct hwsim_air *air;
	u64 end_ns;

	if (longest >= medium->longest_ns) {
		hwsim_delay_grew(medium, longest);
		return;
	}
	hwsim_event_cancel(&medium->clock, &medium->shorten);
	end_ns = hwsim_clock_now_ns(&medium->clock);
	list_for_each_entry(air, &medium->airs, list)
		list_for_each_entry(ppdu, &air->ppdus, list)
			end_ns = max(end_ns, ppdu->end_ns);
	medium->shorten.handler = shorten;
	hwsim_event_add(&medium->clock, &medium->shorten,
			end_ns + medium->longest_ns + 1);
}

/* a transmission on its way to a radio, or to NULL if that has left */
struct arrival {
	struct hwsim_event event;
	struct hwsim_ppdu *ppdu;
	struct hwsim_radio *radio;
	u32 delay_ns;
};

static void arrival_end(struct hwsim_clock *clock, struct hwsim_event *event)
{
	struct arrival *arrival = container_of(event, struct arrival, event);

	if (arrival->radio && arrival->ppdu->radio)
		hwsim_hear_end(arrival->radio, arrival->ppdu);
	hwsim_ppdu_put(arrival->ppdu);
	kfree(arrival);
}

static void arrival_begin(struct hwsim_clock *clock, struct hwsim_event *event)
{
	struct arrival *arrival = container_of(event, struct arrival, event);
	struct hwsim_ppdu *ppdu = arrival->ppdu;

	if (arrival->radio && ppdu->radio)
		hwsim_hear_begin(arrival->radio, ppdu);
	event->handler = arrival_end;
	event->phase = HWSIM_PHASE_END;
	hwsim_event_add(clock, event, ppdu->end_ns + arrival->delay_ns);
}

/**
 * hwsim_delay_overlap - note what a transmission with delays may overlap
 * @medium: the medium
 * @ppdu: the transmission, which starts now; it may overlap one that has ended,
 *	but is still on its way
 */
void hwsim_delay_overlap(struct hwsim_medium *medium, struct hwsim_ppdu *ppdu)
{
	struct hwsim_ppdu *other;

	ppdu->delayed = true;
	list_for_each_entry(other, &ppdu->air->ppdus, list) {
		if (other->end_ns + medium->longest_ns <= ppdu->start_ns)
			continue;
		other->disturbed = true;
		ppdu->disturbed = true;
	}
}

/**
 * hwsim_delay_arrive - let a radio hear a transmission after its delay
 * @radio: the radio
 * @ppdu: the transmission, which starts now
 */
void hwsim_delay_arrive(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu)
{
	struct hwsim_clock *clock = &radio->medium->clock;
	struct arrival *arrival;

	if (!hwsim_link_of(ppdu->radio, radio))
		return;
	arrival = kzalloc(sizeof(*arrival), GFP_ATOMIC);
	if (!arrival)
		return;		/* it hears nothing */
	hwsim_event_init(&arrival->event, HWSIM_PHASE_START);
	arrival->event.handler = arrival_begin;
	arrival->ppdu = ppdu;
	arrival->radio = radio;
	arrival->delay_ns = hwsim_delay_ns(ppdu, radio);
	ppdu->uses++;
	hwsim_event_add(clock, &arrival->event,
			ppdu->start_ns + arrival->delay_ns);
}

/**
 * hwsim_delay_forget - drop what is on its way to a radio
 * @radio: the radio, which leaves its channel
 */
void hwsim_delay_forget(struct hwsim_radio *radio)
{
	struct hwsim_event *event;
	struct arrival *arrival;
	struct rb_node *node;

	if (!radio->medium->longest_ns)
		return;
	for (node = rb_first_cached(&radio->medium->clock.events); node;
	     node = rb_next(node)) {
		event = rb_entry(node, struct hwsim_event, node);
		if (event->handler != arrival_begin &&
		    event->handler != arrival_end)
			continue;
		arrival = container_of(event, struct arrival, event);
		if (arrival->radio == radio)
			arrival->radio = NULL;
	}
}
