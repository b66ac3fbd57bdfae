// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contention of the hwsim medium: DCF and EDCA (IEEE 802.11-2020 10.3, 10.23).
 *
 * Not modelled: admission control, HCCA, the PCF.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include "hwsim_medium_edca.h"

/**
 * hwsim_edca_reset - forget retries and backoff
 * @edca: the access category
 */
void hwsim_edca_reset(struct hwsim_edca *edca)
{
	edca->cw = edca->cw_min;
	edca->slots = 0;
	edca->backs_off = false;
}

/**
 * hwsim_edca_invoke - invoke the backoff procedure
 * @edca: the access category
 */
void hwsim_edca_invoke(struct hwsim_edca *edca)
{
	edca->slots = hwsim_stream_below(&edca->stream, edca->cw + 1);
	edca->backs_off = true;
}

/**
 * hwsim_edca_success - a frame was delivered or given up
 * @edca: the access category
 */
void hwsim_edca_success(struct hwsim_edca *edca)
{
	edca->cw = edca->cw_min;
	hwsim_edca_invoke(edca);
}

/**
 * hwsim_edca_failure - a frame failed and will be sent again
 * @edca: the access category
 */
void hwsim_edca_failure(struct hwsim_edca *edca)
{
	edca->cw = min(2 * (edca->cw + 1) - 1, (int)edca->cw_max);
	hwsim_edca_invoke(edca);
}

/**
 * hwsim_edca_stop - subtract elapsed slots when the medium becomes busy
 * @edca: the access category
 * @counting_from_ns: end of AIFS
 * @at_ns: when the medium became busy
 * @slot_ns: one slot
 *
 * DCF counts a slot at its end (10.3.4.3), EDCA at each slot boundary, the
 * first of which is the end of AIFS (10.23.2.4): one more in each busy period.
 */
void hwsim_edca_stop(struct hwsim_edca *edca, u64 counting_from_ns, u64 at_ns,
		     u32 slot_ns)
{
	u64 passed;

	if (at_ns < counting_from_ns)
		return;
	passed = div_u64(at_ns - counting_from_ns, slot_ns);
	if (edca->is_edca)
		passed++;
	edca->slots -= min_t(u64, passed, edca->slots);
}
