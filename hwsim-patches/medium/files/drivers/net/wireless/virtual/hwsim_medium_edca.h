/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contention of the hwsim medium: DCF and EDCA (IEEE 802.11-2020 10.3, 10.23).
 *
 * Nothing ticks. A backoff is stored as the slots that were left when the
 * medium became idle. Its end follows from that time, and slots are only
 * subtracted when another transmission suspends the countdown.
 */
#ifndef __HWSIM_MEDIUM_EDCA_H
#define __HWSIM_MEDIUM_EDCA_H

#include <linux/types.h>
#include "hwsim_medium_math.h"

/**
 * struct hwsim_edca - one access category of a station
 * @aifsn: slots of AIFS after SIFS; 2 is DIFS
 * @cw_min: smallest contention window, a power of two less one
 * @cw_max: largest one
 * @txop_ns: limit of a transmission opportunity, 0: one exchange
 * @is_edca: slots are counted as EDCA does, else as DCF
 * @cw: the current contention window
 * @slots: slots left when the backoff was drawn or last suspended
 * @backs_off: the backoff procedure is running, including its last slot
 * @stream: random stream of backoffs
 */
struct hwsim_edca {
	u8 aifsn;
	u16 cw_min;
	u16 cw_max;
	u32 txop_ns;
	bool is_edca;
	u16 cw;
	u32 slots;
	bool backs_off;
	struct hwsim_stream stream;
};

void hwsim_edca_reset(struct hwsim_edca *edca);
void hwsim_edca_invoke(struct hwsim_edca *edca);
void hwsim_edca_success(struct hwsim_edca *edca);
void hwsim_edca_failure(struct hwsim_edca *edca);
void hwsim_edca_stop(struct hwsim_edca *edca, u64 counting_from_ns, u64 at_ns,
		     u32 slot_ns);

/**
 * hwsim_edca_aifs_ns - how long the medium must be idle before slots count
 * @edca: the access category
 * @sifs_ns: SIFS
 * @slot_ns: one slot
 */
static inline u32 hwsim_edca_aifs_ns(const struct hwsim_edca *edca, u32 sifs_ns,
				     u32 slot_ns)
{
	return sifs_ns + edca->aifsn * slot_ns;
}

#endif
