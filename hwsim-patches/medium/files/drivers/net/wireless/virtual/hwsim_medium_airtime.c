// SPDX-License-Identifier: GPL-2.0-only
/*
 * How the time of a channel of the hwsim medium is spent.
 */
#include <linux/kernel.h>
#include "hwsim_medium_air.h"

/**
 * hwsim_air_account - account for the time of a channel
 * @air: the channel
 * @until_ns: end of that time, during which the air has not changed
 *
 * Silence is accounted for when it ends: see hwsim_air_account_silence().
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

/**
 * hwsim_air_account_silence - account for the silence before a transmission
 * @air: the channel
 * @ppdu: the transmission, which starts now
 *
 * It was idle until the sender had something to send, then deferral to other
 * channels' energy, then interframe space until slots are counted, then backoff.
 */
void hwsim_air_account_silence(struct hwsim_air *air,
			       const struct hwsim_ppdu *ppdu)
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
