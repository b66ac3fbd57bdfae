// SPDX-License-Identifier: GPL-2.0-only
/*
 * A channel of the hwsim medium: who hears a transmission, carrier sense, and
 * how the channel's time is spent.
 *
 * Transmissions on other channels are energy and noise here, as far as spectral
 * masks let them in.
 *
 * A frame wider than 20 MHz begins with a preamble in each of its channels of
 * 20 MHz (19.3.9.1), and its control frames are duplicated in all of them.
 * Radios tuned to any of these channels hear both.
 *
 * With propagation delays, each receiver has its own events for the start and
 * the end of a transmission. On other channels, energy is detected without
 * delay.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include "hwsim_medium_air.h"

/*
 * A receiver still switches to a stronger frame while it trains on the preamble
 * of another, which takes a few us.
 */
#define SYNC_OFDM_NS	4000
#define SYNC_DSSS_NS	15000

/* signals that energy detection adds up; a further one only counts by itself */
#define MAX_SIGNALS	32

/* whether a channel can receive power from another */
static bool is_near(const struct hwsim_air *air, u32 freq_mhz)
{
	return abs((s32)air->freq_mhz - (s32)freq_mhz) < HWSIM_MASK_REACH_MHZ;
}

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

/**
 * hwsim_air_account - account for the time of a channel
 * @air: the channel
 * @until_ns: end of that time, during which the air has not changed
 *
 * Silence is accounted for when it ends: see account_silence().
 */
void hwsim_air_account(struct hwsim_air *air, u64 until_ns)
{
	enum hwsim_airtime kind = HWSIM_AIRTIME_OVERLAP;
	struct hwsim_ppdu *ppdu;

	if (until_ns <= air->since_ns)
		return;
	if (!air->sounding) {
		kind = HWSIM_AIRTIME_IDLE;
	} else if (air->sounding == 1) {
		list_for_each_entry_reverse(ppdu, &air->ppdus, list)
			if (!ppdu->ended)
				break;
		switch (ppdu->kind) {
		case HWSIM_MEDIUM_FRAME_DATA:
			kind = HWSIM_AIRTIME_DATA;
			break;
		case HWSIM_MEDIUM_FRAME_MGMT:
		case HWSIM_MEDIUM_FRAME_BEACON:
			kind = HWSIM_AIRTIME_MGMT;
			break;
		default:
			kind = HWSIM_AIRTIME_CONTROL;
		}
	}
	air->airtimes_ns[kind] += until_ns - air->since_ns;
	air->since_ns = until_ns;
}

/*
 * The silence before a transmission: idle until its sender had something to
 * send, then deferral to other channels' energy, then interframe space until
 * slots are counted, then backoff.
 */
static void account_silence(struct hwsim_air *air, const struct hwsim_ppdu *ppdu)
{
	u64 start = ppdu->start_ns, from = air->since_ns;
	u64 wanted, deferred, counted;

	if (air->sounding || start <= from)
		return;
	wanted = clamp(ppdu->wanted_ns, from, start);
	counted = clamp(ppdu->counting_ns, wanted, start);
	deferred = clamp(ppdu->deferred_ns, wanted, counted);
	air->airtimes_ns[HWSIM_AIRTIME_IDLE] += wanted - from;
	air->airtimes_ns[HWSIM_AIRTIME_ENERGY] += deferred - wanted;
	air->airtimes_ns[HWSIM_AIRTIME_IFS] += counted - deferred;
	air->airtimes_ns[HWSIM_AIRTIME_BACKOFF] += start - counted;
	air->since_ns = start;
}

/**
 * hwsim_ppdu_new - allocate a transmission
 * @radio: the sender
 * @kind: &enum hwsim_medium_frame
 * @rate: its rate, which may still change for data and management frames
 *
 * Return: the transmission, to be given to hwsim_ppdu_send(), or NULL
 */
struct hwsim_ppdu *hwsim_ppdu_new(struct hwsim_radio *radio,
				  enum hwsim_medium_frame kind,
				  const struct hwsim_phy_rate *rate)
{
	struct hwsim_ppdu *ppdu = kmalloc(sizeof(*ppdu), GFP_ATOMIC);

	if (!ppdu)
		return NULL;
	/* most carry one MPDU or none, so the arrays are not cleared */
	memset(ppdu, 0, offsetof(struct hwsim_ppdu, offsets));
	ppdu->offsets[0] = 0;
	hwsim_event_init(&ppdu->event, HWSIM_PHASE_START);
	INIT_LIST_HEAD(&ppdu->list);
	ppdu->radio = radio;
	ppdu->air = radio->air;
	ppdu->kind = kind;
	ppdu->rate = *rate;
	ppdu->uses = 1;
	return ppdu;
}

/**
 * hwsim_ppdu_put - drop a reference to a transmission
 * @ppdu: the transmission; freed with the last reference
 */
void hwsim_ppdu_put(struct hwsim_ppdu *ppdu)
{
	if (--ppdu->uses)
		return;
	kfree(ppdu->payload);
	kfree(ppdu);
}

/* whether a transmission has ended wherever it is heard */
static bool is_over(const struct hwsim_medium *medium,
		    const struct hwsim_ppdu *ppdu)
{
	return ppdu->ended &&
	       (!medium->longest_ns ||
		ppdu->end_ns + medium->longest_ns < medium->clock.now_ns);
}

/* free transmissions that no longer overlap anything on the air */
static void forget_ended(struct hwsim_medium *medium)
{
	struct hwsim_ppdu *ppdu, *next;
	u64 earliest = HWSIM_NEVER;
	struct hwsim_air *air;

	list_for_each_entry(air, &medium->airs, list)
		list_for_each_entry(ppdu, &air->ppdus, list)
			if (!is_over(medium, ppdu))
				earliest = min(earliest, ppdu->start_ns);
	list_for_each_entry(air, &medium->airs, list) {
		list_for_each_entry_safe(ppdu, next, &air->ppdus, list) {
			if (!is_over(medium, ppdu) ||
			    ppdu->end_ns + medium->longest_ns > earliest)
				continue;
			list_del_init(&ppdu->list);
			hwsim_ppdu_put(ppdu);
		}
	}
}

static void receive(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu)
{
	struct hwsim_reception reception;	/* large: not cleared */

	hwsim_receive(radio, ppdu, &reception);
	radio->medium->mac_ops->rx_end(radio, &reception);
}

/* a transmission ends at a radio of its channel */
static void end_at(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu)
{
	if (radio->locked == ppdu) {
		radio->locked = NULL;
		hwsim_survey_received(radio, ppdu);
		receive(radio, ppdu);
	} else if (radio == ppdu->to) {
		hwsim_count_missed(radio, ppdu, HWSIM_COUNT_LOST);
	}
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
			end_at(radio, ppdu);
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
	forget_ended(medium);
}

/* whether a receiver starts to receive a frame that begins now */
static bool takes_up(const struct hwsim_medium *medium,
		     struct hwsim_radio *radio,
		     const struct hwsim_ppdu *ppdu, s32 level_mb)
{
	const struct hwsim_ppdu *locked = radio->locked;
	u64 start_ns, locked_ns, sync_ns;

	if (hwsim_now_ns(radio) < radio->sends_until_ns ||
	    !medium->mac_ops->listens(radio, ppdu))
		return false;
	if (!locked)
		return true;
	sync_ns = locked->rate.class == HWSIM_PHY_DSSS ? SYNC_DSSS_NS :
							  SYNC_OFDM_NS;
	start_ns = ppdu->start_ns + hwsim_delay_ns(ppdu, radio);
	locked_ns = locked->start_ns + hwsim_delay_ns(locked, radio);
	/*
	 * Frames of equal level that begin together are received equally often.
	 */
	if (start_ns == locked_ns && level_mb == radio->locked_mb)
		return !hwsim_stream_below(&radio->choices, ++radio->rivals);
	if (start_ns < locked_ns + sync_ns)
		return level_mb > radio->locked_mb;
	return medium->has_capture &&
	       level_mb >= radio->locked_mb + medium->capture_mb;
}

/* what energy detection adds up */
struct signal {
	u64 end_ns;
	u64 power;
};

/* power of a transmission at a radio, in 20 MHz */
static u64 power_at(struct hwsim_medium *medium, const struct hwsim_radio *radio,
		    const struct hwsim_ppdu *ppdu, u32 freq_mhz)
{
	struct hwsim_link *link = hwsim_link_of(ppdu->radio, radio);
	u64 power;

	if (!link)
		return 0;
	power = hwsim_link_power(radio, link, ppdu);
	return mul_u64_u64_shr(power,
			       hwsim_air_share(medium, ppdu, freq_mhz,
					       HWSIM_PHY_20MHZ),
			       HWSIM_POWER_SHIFT);
}

/* whether a transmission is on the air at a radio now */
static bool sounds_at(const struct hwsim_medium *medium,
		      const struct hwsim_radio *radio,
		      const struct hwsim_ppdu *ppdu)
{
	u64 sent_ns;

	if (!medium->longest_ns)
		return !ppdu->ended;
	/* when a signal that arrives now was sent */
	sent_ns = medium->clock.now_ns - hwsim_delay_ns(ppdu, radio);
	return ppdu->start_ns <= sent_ns && sent_ns < ppdu->end_ns;
}

/* all signals that a radio hears now in 20 MHz */
static u32 signals_at(struct hwsim_medium *medium,
		      const struct hwsim_radio *radio, u32 freq_mhz,
		      struct signal *signals)
{
	const struct hwsim_ppdu *ppdu;
	const struct hwsim_air *air;
	u32 count = 0;

	list_for_each_entry(air, &medium->airs, list) {
		if ((!air->sounding && !medium->longest_ns) ||
		    !is_near(air, freq_mhz))
			continue;
		list_for_each_entry(ppdu, &air->ppdus, list) {
			if (!sounds_at(medium, radio, ppdu) || !ppdu->radio ||
			    ppdu->radio == radio || count == MAX_SIGNALS)
				continue;
			signals[count].end_ns = ppdu->end_ns +
						hwsim_delay_ns(ppdu, radio);
			signals[count].power = power_at(medium, radio, ppdu,
							freq_mhz);
			count += signals[count].power > 0;
		}
	}
	return count;
}

static u64 power_of(const struct signal *signals, u32 count)
{
	u64 power = 0;
	u32 i;

	for (i = 0; i < count; i++)
		power = hwsim_power_sum(power, signals[i].power);
	return power;
}

/*
 * Until when the sum of the signals on the air makes a channel busy (17.3.10.6,
 * 19.3.19.5.4), or 0 if it is too weak now.
 */
static u64 loud_until(struct hwsim_medium *medium,
		      const struct hwsim_radio *radio, u32 freq_mhz)
{
	u64 limit = hwsim_power_of_mb(radio->ed_mbm - radio->noise_mbm);
	struct signal signals[MAX_SIGNALS];
	u64 until = 0;
	u32 count, first, i;

	count = signals_at(medium, radio, freq_mhz, signals);
	while (count && power_of(signals, count) >= limit) {
		first = 0;
		for (i = 1; i < count; i++)
			if (signals[i].end_ns < signals[first].end_ns)
				first = i;
		until = signals[first].end_ns;
		signals[first] = signals[--count];
	}
	return until;
}

/* a signal that a radio cannot decode is energy and noise to it */
static bool understands(const struct hwsim_radio *radio,
			const struct hwsim_ppdu *ppdu)
{
	return !radio->dsss_only || ppdu->rate.class == HWSIM_PHY_DSSS;
}

static void busy(struct hwsim_radio *radio, u64 until_ns)
{
	hwsim_survey_busy(radio, until_ns);
	radio->medium->mac_ops->busy(radio, until_ns);
}

static void hear_energy(struct hwsim_medium *medium, struct hwsim_radio *radio)
{
	u64 until = loud_until(medium, radio, radio->air->freq_mhz);

	radio->energy_until_ns = max(radio->energy_until_ns, until);
	if (until > radio->busy_until_ns)
		busy(radio, until);
}

/* a 40 MHz radio senses its secondary channel before it uses it */
static void hear_secondary(struct hwsim_medium *medium,
			   struct hwsim_radio *radio)
{
	u32 freq_mhz = 2 * radio->centre_mhz - radio->air->freq_mhz;
	u64 until;

	if (radio->width != HWSIM_PHY_40MHZ)
		return;
	until = loud_until(medium, radio, freq_mhz);
	radio->secondary_until_ns = max(radio->secondary_until_ns, until);
}

/* level of a transmission in 20 MHz of its band */
static s32 level_in_20mhz(const struct hwsim_ppdu *ppdu, s32 level_mb)
{
	return level_mb - ppdu->rate.width * HWSIM_HALF_MB;
}

/*
 * Only a radio that can receive a frame detects its preamble. To one that
 * sends, or receives another frame, it is only energy (17.3.10.6).
 */
static void ppdu_begin_at(struct hwsim_medium *medium,
			  struct hwsim_radio *radio, struct hwsim_ppdu *ppdu)
{
	const struct hwsim_link *link = hwsim_link_of(ppdu->radio, radio);
	s32 level_mb, detect_mb;
	bool detected;
	u64 end_ns;

	if (!link)
		return;
	level_mb = hwsim_link_level_mb(radio, link, ppdu);
	detect_mb = ppdu->rate.class == HWSIM_PHY_DSSS ? radio->detect_dsss_mb :
							  radio->detect_ofdm_mb;
	detected = level_in_20mhz(ppdu, level_mb) >= detect_mb &&
		   understands(radio, ppdu) &&
		   takes_up(medium, radio, ppdu, level_mb);
	end_ns = ppdu->end_ns + hwsim_delay_ns(ppdu, radio);
	if (detected || level_in_20mhz(ppdu, level_mb) + radio->noise_mbm >=
			radio->ed_mbm)
		busy(radio, end_ns);
	if (detected && radio->air != ppdu->air)
		radio->energy_until_ns = max(radio->energy_until_ns, end_ns);
	if (ppdu->overlapped || ppdu->disturbed)
		hear_energy(medium, radio);
	if (detected) {
		if (!radio->locked || level_mb != radio->locked_mb)
			radio->rivals = 1;
		radio->locked = ppdu;
		radio->locked_mb = level_mb;
		medium->mac_ops->rx_begin(radio);
	}
}

/* a transmission is energy and noise on nearby channels */
static void reach_others(struct hwsim_medium *medium, struct hwsim_ppdu *ppdu)
{
	struct hwsim_radio *radio;
	struct hwsim_ppdu *other;
	struct hwsim_air *air;
	u64 share;

	list_for_each_entry(air, &medium->airs, list) {
		if (air == ppdu->air || !is_near(air, ppdu->air->freq_mhz))
			continue;
		ppdu->disturbed |= air->sounding;
		list_for_each_entry(other, &air->ppdus, list)
			if (!other->ended)
				other->disturbed = true;
		share = hwsim_air_share(medium, ppdu, air->freq_mhz,
					HWSIM_PHY_20MHZ);
		list_for_each_entry(radio, &air->radios, tuned) {
			if (share)
				hear_energy(medium, radio);
			hear_secondary(medium, radio);
		}
	}
}

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
 * hwsim_air_delay_grew - the longest delay has increased, with immediate effect
 * @medium: the medium
 * @ns: its delay
 */
void hwsim_air_delay_grew(struct hwsim_medium *medium, u32 ns)
{
	hwsim_event_cancel(&medium->clock, &medium->shorten);
	medium->longest_ns = ns;
}

/**
 * hwsim_air_delay_shrank - the longest delay has decreased
 * @medium: the medium
 *
 * That takes effect once transmissions with the longer delay have arrived.
 */
void hwsim_air_delay_shrank(struct hwsim_medium *medium)
{
	u32 longest = longest_ns(medium);
	const struct hwsim_ppdu *ppdu;
	const struct hwsim_air *air;
	u64 end_ns;

	if (longest >= medium->longest_ns) {
		hwsim_air_delay_grew(medium, longest);
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
		end_at(arrival->radio, arrival->ppdu);
	hwsim_ppdu_put(arrival->ppdu);
	kfree(arrival);
}

static void arrival_begin(struct hwsim_clock *clock, struct hwsim_event *event)
{
	struct arrival *arrival = container_of(event, struct arrival, event);
	struct hwsim_ppdu *ppdu = arrival->ppdu;

	if (arrival->radio && ppdu->radio)
		ppdu_begin_at(hwsim_medium_of(clock), arrival->radio, ppdu);
	event->handler = arrival_end;
	event->phase = HWSIM_PHASE_END;
	hwsim_event_add(clock, event, ppdu->end_ns + arrival->delay_ns);
}

/* a delayed transmission may overlap one that began after its end */
static void delay(struct hwsim_medium *medium, struct hwsim_ppdu *ppdu)
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

static void arrive_later(struct hwsim_medium *medium, struct hwsim_radio *radio,
			 struct hwsim_ppdu *ppdu)
{
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
	hwsim_event_add(&medium->clock, &arrival->event,
			ppdu->start_ns + arrival->delay_ns);
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
				arrive_later(medium, radio, ppdu);
			else
				ppdu_begin_at(medium, radio, ppdu);
		}
	}
}

/* drop what is on its way to a radio that leaves its channel */
static void forget_arrivals(struct hwsim_radio *radio)
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
	account_silence(air, ppdu);
	hwsim_air_account(air, medium->clock.now_ns);
	air->sounding++;
	if (air->sounding > 1) {
		ppdu->overlapped = true;
		list_for_each_entry(other, &air->ppdus, list)
			if (!other->ended)
				other->overlapped = true;
	}
	if (medium->longest_ns)
		delay(medium, ppdu);
	list_add_tail(&ppdu->list, &air->ppdus);
	reach_others(medium, ppdu);
	ppdu->radio->sends_until_ns = ppdu->end_ns;
	if (ppdu->radio->air == air) {
		ppdu->radio->sending = ppdu;
		ppdu->radio->locked = NULL;
		busy(ppdu->radio, ppdu->end_ns);
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
		forget_arrivals(radio);
		radio->locked = NULL;
		radio->medium->mac_ops->left(radio);
		radio->sending = NULL;
		radio->busy_until_ns = 0;
		radio->energy_until_ns = 0;
		radio->secondary_until_ns = 0;
	}
	hwsim_survey_tune(radio, air ? channel : NULL);
	radio->air = air;
	if (!air)
		return;
	hwsim_event_touch(clock, &air->contention);
	list_add_tail(&radio->tuned, &air->radios);
	/* it hears the energy of transmissions that have already begun */
	hear_energy(radio->medium, radio);
	hear_secondary(radio->medium, radio);
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
		if (ppdu->radio == radio) {
			ppdu->radio = NULL;
			ppdu->count = 0;
		}
	}
}
