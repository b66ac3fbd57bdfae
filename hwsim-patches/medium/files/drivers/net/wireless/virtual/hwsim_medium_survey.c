// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long radios of the hwsim medium heard something, by channel, for nl80211:
 * hostapd uses it to select a channel, and to report its load in beacons.
 *
 * A channel is busy while carrier sense says so, NAV apart, and while the radio
 * itself sends.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include "hwsim_medium_air.h"

static struct hwsim_survey *survey_of(struct hwsim_radio *radio,
				      struct ieee80211_channel *channel)
{
	struct hwsim_survey *survey;

	list_for_each_entry(survey, &radio->surveys, list)
		if (survey->channel == channel)
			return survey;
	survey = kzalloc(sizeof(*survey), GFP_ATOMIC);
	if (!survey)
		return NULL;	/* nothing is known about it */
	survey->channel = channel;
	list_add_tail(&survey->list, &radio->surveys);
	return survey;
}

/* count busy time that has passed */
static u64 busy_ns(const struct hwsim_survey *survey, u64 now)
{
	u64 ahead = survey->busy_until_ns > now ? survey->busy_until_ns - now : 0;

	return survey->busy_ns - ahead;
}

/**
 * hwsim_survey_tune - a radio listens to another channel
 * @radio: the radio
 * @channel: the channel, or NULL: none
 */
void hwsim_survey_tune(struct hwsim_radio *radio,
		       struct ieee80211_channel *channel)
{
	u64 now = hwsim_clock_now_ns(&radio->medium->clock);
	struct hwsim_survey *survey = radio->survey;

	if (survey) {
		survey->time_ns += now - survey->since_ns;
		survey->busy_ns = busy_ns(survey, now);
		survey->busy_until_ns = now;
	}
	survey = channel ? survey_of(radio, channel) : NULL;
	if (survey)
		survey->since_ns = now;
	radio->survey = survey;
}

/**
 * hwsim_survey_busy - the channel of a radio is busy from now on
 * @radio: the radio
 * @until_ns: at least until then
 */
void hwsim_survey_busy(struct hwsim_radio *radio, u64 until_ns)
{
	u64 from = hwsim_clock_now_ns(&radio->medium->clock);
	struct hwsim_survey *survey = radio->survey;

	if (!survey)
		return;
	from = max3(from, survey->since_ns, survey->busy_until_ns);
	if (until_ns <= from)
		return;
	survey->busy_ns += until_ns - from;
	survey->busy_until_ns = until_ns;
}

/**
 * hwsim_survey_sent - a radio sends on the channel to which it listens
 * @radio: the radio
 * @ppdu: the transmission
 */
void hwsim_survey_sent(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu)
{
	if (radio->survey)
		radio->survey->tx_ns += ppdu->end_ns - ppdu->start_ns;
}

/**
 * hwsim_survey_received - a radio has received a transmission to its end
 * @radio: the radio
 * @ppdu: the transmission, whoever it is for
 */
void hwsim_survey_received(struct hwsim_radio *radio,
			   const struct hwsim_ppdu *ppdu)
{
	if (radio->survey)
		radio->survey->rx_ns += ppdu->end_ns - ppdu->start_ns;
}

/**
 * hwsim_survey_forget - forget all that was heard
 * @radio: the radio, which listens to no channel
 */
void hwsim_survey_forget(struct hwsim_radio *radio)
{
	struct hwsim_survey *survey, *next;

	list_for_each_entry_safe(survey, next, &radio->surveys, list) {
		list_del(&survey->list);
		kfree(survey);
	}
}

static void fill(struct hwsim_radio *radio, const struct hwsim_survey *from,
		 struct survey_info *survey)
{
	u64 now = hwsim_clock_now_ns(&radio->medium->clock);
	u64 time_ns = from->time_ns;

	survey->filled = SURVEY_INFO_NOISE_DBM | SURVEY_INFO_TIME |
			 SURVEY_INFO_TIME_BUSY | SURVEY_INFO_TIME_RX |
			 SURVEY_INFO_TIME_TX;
	if (from == radio->survey) {
		survey->filled |= SURVEY_INFO_IN_USE;
		time_ns += now - from->since_ns;
	}
	survey->channel = from->channel;
	survey->noise = clamp(DIV_ROUND_CLOSEST(radio->noise_mbm, 100), S8_MIN,
			      S8_MAX);
	survey->time = div_u64(time_ns, NSEC_PER_MSEC);
	survey->time_busy = div_u64(busy_ns(from, now), NSEC_PER_MSEC);
	survey->time_rx = div_u64(from->rx_ns, NSEC_PER_MSEC);
	survey->time_tx = div_u64(from->tx_ns, NSEC_PER_MSEC);
}

/**
 * hwsim_radio_survey - what a radio has heard of a channel
 * @radio: the radio
 * @idx: index of the channels on which it has listened
 * @survey: gets the result
 *
 * Return: 0, or -ENOENT if @idx is too high
 */
int hwsim_radio_survey(struct hwsim_radio *radio, int idx,
		       struct survey_info *survey)
{
	struct hwsim_survey *from;
	int result = -ENOENT;

	hwsim_medium_enter(radio->medium);
	list_for_each_entry(from, &radio->surveys, list) {
		if (idx--)
			continue;
		fill(radio, from, survey);
		result = 0;
		break;
	}
	hwsim_medium_leave(radio->medium);
	return result;
}
EXPORT_SYMBOL_GPL(hwsim_radio_survey);
