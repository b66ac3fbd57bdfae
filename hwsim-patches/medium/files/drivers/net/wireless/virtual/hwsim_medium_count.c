// SPDX-License-Identifier: GPL-2.0-only
/*
 * What became of the frames between two radios of the hwsim medium.
 */
#include <linux/kernel.h>
#include "hwsim_medium_air.h"

static u64 *counts_of(struct hwsim_link *link, const struct hwsim_ppdu *ppdu)
{
	return link->counts[ppdu->ac];
}

/* a BlockAckReq is no more counted than other control frames are */
static bool is_counted(const struct hwsim_ppdu *ppdu)
{
	return ppdu->kind != HWSIM_MEDIUM_FRAME_BAR;
}

/**
 * hwsim_count_sent - count frames that have been sent to a radio
 * @ppdu: a transmission that has ended
 *
 * What became of them is counted where that radio listens: by
 * hwsim_receive() or hwsim_count_missed(), or here if it listens elsewhere.
 */
void hwsim_count_sent(struct hwsim_ppdu *ppdu)
{
	struct hwsim_link *link;
	u64 *counts;
	u32 i;

	link = ppdu->to ? hwsim_link_of(ppdu->radio, ppdu->to) : NULL;
	if (!link || !is_counted(ppdu))
		return;
	counts = counts_of(link, ppdu);
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
}

/**
 * hwsim_count_done - count what became of a frame for its sender
 * @ppdu: how it was sent last
 * @mpdu: the frame
 */
void hwsim_count_done(struct hwsim_ppdu *ppdu, const struct hwsim_mpdu *mpdu)
{
	struct hwsim_radio *radio = ppdu->radio, *to;
	struct hwsim_link *link;

	if (!mpdu->wants_ack || mpdu->kind == HWSIM_MEDIUM_FRAME_BAR || !radio)
		return;
	to = hwsim_radio_owning(radio->medium, radio->air, ppdu->ra);
	link = to ? hwsim_link_of(radio, to) : NULL;
	if (link)
		counts_of(link, ppdu)[mpdu->acked ?
				      HWSIM_COUNT_ACKED :
				      HWSIM_COUNT_DROPPED]++;
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
	struct hwsim_link *link = hwsim_link_of(ppdu->radio, radio);

	if (!link || ppdu->to != radio || !is_counted(ppdu))
		return;
	if (hwsim_collided_at(radio, ppdu))
		why = HWSIM_COUNT_COLLIDED;
	counts_of(link, ppdu)[why] += ppdu->count;
}

/**
 * hwsim_count_received - count what became of an MPDU at its receiver
 * @radio: the radio; if it was for another one, nothing is counted
 * @reception: the transmission
 * @i: index of the MPDU
 */
void hwsim_count_received(struct hwsim_radio *radio,
			  const struct hwsim_reception *reception, u32 i)
{
	const struct hwsim_ppdu *ppdu = reception->ppdu;
	u64 *counts = counts_of(reception->link, ppdu);

	if (ppdu->to != radio || !is_counted(ppdu))
		return;
	if (reception->right & BIT_ULL(i)) {
		counts[HWSIM_COUNT_DELIVERED]++;
		counts[HWSIM_COUNT_BYTES] += ppdu->mpdus[i]->bytes;
	} else if (reception->collided) {
		counts[HWSIM_COUNT_COLLIDED]++;
	} else if (reception->lost & BIT_ULL(i)) {
		counts[HWSIM_COUNT_LOST]++;
	} else {
		counts[HWSIM_COUNT_DAMAGED]++;
	}
}

/**
 * hwsim_count_approximate - a damaged frame is taken all the same
 * @radio: the radio
 * @reception: the transmission
 */
void hwsim_count_approximate(struct hwsim_radio *radio,
			     const struct hwsim_reception *reception)
{
	if (reception->ppdu->to == radio)
		counts_of(reception->link,
			  reception->ppdu)[HWSIM_COUNT_APPROXIMATE]++;
}
