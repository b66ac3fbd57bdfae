// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transmissions of the hwsim medium: how long they are kept.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include "hwsim_medium_air.h"

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

/**
 * hwsim_ppdus_forget - free transmissions that overlap nothing on the air
 * @medium: the medium
 */
void hwsim_ppdus_forget(struct hwsim_medium *medium)
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
