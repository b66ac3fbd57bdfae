/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bit errors of the hwsim medium: curves from user space, and where in a
 * frame the errors fall.
 *
 * The hazard of a bit is -ln(1 - p), p its error probability; hazards of bits
 * add up, and a stretch of bits is free of errors with probability exp(-sum).
 * So one exponentially distributed number is drawn, the budget, and the first
 * error is where the hazards so far exceed it: gaps are sampled, not bits.
 */
#ifndef __HWSIM_MEDIUM_ERRORS_H
#define __HWSIM_MEDIUM_ERRORS_H

#include <linux/types.h>
#include "hwsim_medium_math.h"
#include "hwsim_medium_uapi.h"

struct netlink_ext_ack;

/**
 * struct hwsim_curve - hazard of a bit over SINR
 * @start_mb: SINR of the first point; below, that point holds
 * @step_mb: from one point to the next
 * @points: number of points; no errors beyond the last
 * @burst: mean wrong bits of an error event, in 1/256
 * @flips: hazard of an error event in a frame that is damaged, NULL: as here
 * @hazards: in 2^-60, never rising
 *
 * The hazards say how likely a frame is damaged. Bounds are good for that, but
 * not for how many bits are wrong then: they are above 1 where a decoder still
 * gets most bits right.
 */
struct hwsim_curve {
	s32 start_mb;
	u32 step_mb;
	u32 points;
	u32 burst;
	struct hwsim_curve *flips;
	u64 hazards[] __counted_by(points);
};

struct hwsim_curve *hwsim_curve_new(s32 start_mb, u32 step_mb, u32 burst,
				    const u64 *hazards, u32 points,
				    struct netlink_ext_ack *extack);
void hwsim_curve_free(struct hwsim_curve *curve);
u64 hwsim_curve_hazard(const struct hwsim_curve *curve, s32 sinr_mb);

/**
 * struct hwsim_stretch - bits of a frame with the same SINR
 * @bits: how many
 * @hazard: of each, in 2^-60
 */
struct hwsim_stretch {
	u32 bits;
	u64 hazard;
};

u64 hwsim_hazard_of_bits(u64 hazard, u32 bits);
bool hwsim_errors_any(const struct hwsim_stretch *stretches, u32 count,
		      struct hwsim_stream *stream);
u32 hwsim_errors_flip(u8 *data, const struct hwsim_stretch *stretches,
		      u32 count, u32 burst, struct hwsim_stream *stream);

#endif
