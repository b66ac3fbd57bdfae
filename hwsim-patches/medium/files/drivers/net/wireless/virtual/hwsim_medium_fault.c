// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults of the hwsim medium: frames that are lost or damaged on purpose.
 *
 * Each MPDU counts as a frame, also in an A-MPDU. Frames are counted as they
 * are sent, once, however many radios hear them.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include "hwsim_medium_air.h"

static bool is_for_all(const struct hwsim_ppdu *ppdu)
{
	/* CTS-to-self is for all that hear it, too */
	return is_multicast_ether_addr(ppdu->ra) ||
	       hwsim_radio_owns(ppdu->radio, ppdu->ra);
}

/* whether a fault applies to the frames of a transmission */
static bool concerns(const struct hwsim_fault *fault,
		     const struct hwsim_ppdu *ppdu)
{
	if (fault->kind != HWSIM_MEDIUM_FRAME_ANY && fault->kind != ppdu->kind)
		return false;
	if (fault->from && fault->from != ppdu->radio)
		return false;
	if (is_for_all(ppdu))
		return !fault->to || fault->to->air == ppdu->air;
	return fault->to ? fault->to == ppdu->to : ppdu->to || fault->listener;
}

/* where the frames that a fault hits are lost or damaged; NULL: wherever heard */
static struct hwsim_radio *listener_of(const struct hwsim_fault *fault,
				       const struct hwsim_ppdu *ppdu)
{
	if (fault->listener)
		return fault->listener;
	return is_for_all(ppdu) ? fault->to : ppdu->to;
}

/* whether a fault hits the next of its frames; the last hit ends it */
static bool hits(struct hwsim_fault *fault)
{
	if (fault->skip) {
		fault->skip--;
		return false;
	}
	if (fault->share &&
	    hwsim_stream_next(&fault->stream) >> 32 >= fault->share)
		return false;
	fault->count--;
	return true;
}

static bool is_hit(const struct hwsim_ppdu *ppdu)
{
	return !bitmap_empty(ppdu->lost, HWSIM_AMPDU_MAX) ||
	       !bitmap_empty(ppdu->damaged, HWSIM_AMPDU_MAX);
}

/* the first fault that hits a frame decides its fate */
static void judge(struct hwsim_ppdu *ppdu, u32 i)
{
	struct list_head *faults = &ppdu->radio->medium->faults;
	struct hwsim_fault *fault, *next;

	list_for_each_entry_safe(fault, next, faults, list) {
		struct hwsim_radio *at = listener_of(fault, ppdu);

		if (!concerns(fault, ppdu) ||
		    (is_hit(ppdu) && at != ppdu->hit_at) ||
		    !hits(fault))
			continue;
		ppdu->hit_at = at;
		if (fault->action == HWSIM_MEDIUM_FAULT_LOSE)
			__set_bit(i, ppdu->lost);
		else
			__set_bit(i, ppdu->damaged);
		if (!fault->count) {
			list_del(&fault->list);
			kfree(fault);
		}
		return;
	}
}

/**
 * hwsim_fault_judge - decide which frames of a transmission faults hit
 * @ppdu: the transmission, which has ended
 *
 * All frames of a transmission are hit at one radio, or wherever they are
 * heard.
 */
void hwsim_fault_judge(struct hwsim_ppdu *ppdu)
{
	u32 i, frames = hwsim_is_response(ppdu) ? 1 : ppdu->count;

	for (i = 0; i < frames; i++)
		judge(ppdu, i);
}

/**
 * hwsim_fault_forget - end the faults that name a radio
 * @radio: the radio, which leaves the medium
 */
void hwsim_fault_forget(struct hwsim_radio *radio)
{
	struct hwsim_fault *fault, *next;

	list_for_each_entry_safe(fault, next, &radio->medium->faults, list) {
		if (fault->from != radio && fault->to != radio &&
		    fault->listener != radio)
			continue;
		list_del(&fault->list);
		kfree(fault);
	}
}
