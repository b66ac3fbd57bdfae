// SPDX-License-Identifier: GPL-2.0-only
/*
 * Outcome of the frames between two radios of the hwsim medium.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include "hwsim_medium_air.h"

/* counters of a transmission's frames, or NULL if memory ran out */
static u64 *counts_of(const struct hwsim_ppdu *ppdu, struct hwsim_radio *to)
{
	u32 from = ppdu->radio->slot;
	struct hwsim_counts *counts = xa_load(&to->counts, from);

	if (!counts) {
		counts = kzalloc(sizeof(*counts), GFP_ATOMIC);
		if (counts && xa_err(xa_store(&to->counts, from, counts,
					      GFP_ATOMIC))) {
			kfree(counts);
			counts = NULL;
		}
	}
	return counts ? counts->of[ppdu->ac] : NULL;
}

/* BlockAckReqs are not counted, as other control frames are not */
static bool is_counted(const struct hwsim_ppdu *ppdu)
{
	return ppdu->count && ppdu->kind != HWSIM_MEDIUM_FRAME_BAR;
}

/**
 * hwsim_count_sent - count frames that have been sent to a radio
 * @ppdu: a transmission that has ended
 *
 * Their outcome is counted where that radio listens: by hwsim_receive() or
 * hwsim_count_missed(), or here if it listens elsewhere, or if nothing is on
 * its way to it.
 */
void hwsim_count_sent(struct hwsim_ppdu *ppdu)
{
	u64 *counts;
	u32 i;

	if (!ppdu->to || !is_counted(ppdu))
		return;
	counts = counts_of(ppdu, ppdu->to);
	if (!counts)
		return;
	counts[HWSIM_COUNT_SENT] += ppdu->count;
	for (i = 0; i < ppdu->count; i++) {
		u32 before = ppdu->mpdus[i]->attempts;

		if (before)
			counts[HWSIM_COUNT_RETRIES]++;
		if (before == 1)
			counts[HWSIM_COUNT_REPEATED]++;
	}
	if (ppdu->to->air != ppdu->air)
		counts[HWSIM_COUNT_AWAY] += ppdu->count;
	else if (ppdu->delayed && !hwsim_link_of(ppdu->radio, ppdu->to))
		hwsim_count_missed(ppdu->to, ppdu, HWSIM_COUNT_LOST);
}

/**
 * hwsim_count_done - count the outcome of a frame at its sender
 * @ppdu: how it was sent last
 * @mpdu: the frame
 */
void hwsim_count_done(struct hwsim_ppdu *ppdu, const struct hwsim_mpdu *mpdu)
{
	struct hwsim_radio *radio = ppdu->radio, *to;
	u64 *counts;

	if (!mpdu->wants_ack || mpdu->kind == HWSIM_MEDIUM_FRAME_BAR || !radio)
		return;
	to = hwsim_radio_owning(radio->medium, radio->air, ppdu->ra);
	counts = to ? counts_of(ppdu, to) : NULL;
	if (counts)
		counts[mpdu->acked ? HWSIM_COUNT_ACKED : HWSIM_COUNT_DROPPED]++;
}

/**
 * hwsim_count_missed - a transmission has ended that its receiver did not receive
 * @radio: the receiver; if it was for another one, nothing is counted
 * @ppdu: the transmission
 * @why: what to count if it did not collide
 */
void hwsim_count_missed(struct hwsim_radio *radio,
			const struct hwsim_ppdu *ppdu,
			 enum hwsim_count why)
{
	u64 *counts;

	if (ppdu->to != radio || !is_counted(ppdu))
		return;
	if (hwsim_collided_at(radio, ppdu))
		why = HWSIM_COUNT_COLLIDED;
	counts = counts_of(ppdu, radio);
	if (counts)
		counts[why] += ppdu->count;
}

/**
 * hwsim_count_received - count the outcome of an MPDU at its receiver
 * @radio: the radio; if it was for another one, nothing is counted
 * @reception: the transmission
 * @i: index of the MPDU
 */
void hwsim_count_received(struct hwsim_radio *radio,
			  const struct hwsim_reception *reception, u32 i)
{
	const struct hwsim_ppdu *ppdu = reception->ppdu;
	u64 *counts;

	if (ppdu->to != radio || !is_counted(ppdu))
		return;
	counts = counts_of(ppdu, radio);
	if (!counts)
		return;
	if (test_bit(i, reception->right)) {
		counts[HWSIM_COUNT_DELIVERED]++;
		counts[HWSIM_COUNT_BYTES] += ppdu->mpdus[i]->bytes;
	} else if (reception->collided) {
		counts[HWSIM_COUNT_COLLIDED]++;
	} else if (test_bit(i, reception->lost)) {
		counts[HWSIM_COUNT_LOST]++;
	} else {
		counts[HWSIM_COUNT_DAMAGED]++;
	}
}

/**
 * hwsim_count_approximate - a damaged frame is accepted
 * @radio: the radio
 * @reception: the transmission
 */
void hwsim_count_approximate(struct hwsim_radio *radio,
			     const struct hwsim_reception *reception)
{
	u64 *counts = NULL;

	if (reception->ppdu->to == radio)
		counts = counts_of(reception->ppdu, radio);
	if (counts)
		counts[HWSIM_COUNT_APPROXIMATE]++;
}
