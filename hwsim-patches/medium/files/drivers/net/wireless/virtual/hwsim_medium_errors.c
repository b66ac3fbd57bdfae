// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bit errors of the hwsim medium: curves from user space, and where in a
 * frame the errors fall.
 *
 * Not modelled: the receiver's soft decisions, the scrambler's error
 * propagation, errors of channel estimation.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/netlink.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include "hwsim_medium_errors.h"

#define HAZARD_SHIFT	60
#define BURST_ONE	256
#define BURST_MAX	(64 * BURST_ONE)
#define STEP_MAX_MB	100
#define HAZARD_MIN	4	/* 2^-60; below: no error, gaps fit in 64 bits */

/**
 * hwsim_curve_new - validate and copy a curve
 * @start_mb: SINR of the first point
 * @step_mb: from point to point
 * @burst: mean wrong bits of an error event, in 1/256
 * @hazards: hazard of a bit at each point, in 2^-60
 * @points: number of points
 * @extack: for error messages
 *
 * Return: the curve, to be freed by hwsim_curve_free(), or ERR_PTR()
 */
struct hwsim_curve *hwsim_curve_new(s32 start_mb, u32 step_mb, u32 burst,
				    const u64 *hazards, u32 points,
				    struct netlink_ext_ack *extack)
{
	struct hwsim_curve *curve;
	u32 i;

	if (!points || points > HWSIM_MEDIUM_MAX_POINTS) {
		NL_SET_ERR_MSG(extack, "a curve must have 1 to 4096 points");
		return ERR_PTR(-EINVAL);
	}
	if (!step_mb || step_mb > STEP_MAX_MB) {
		NL_SET_ERR_MSG(extack, "the step of a curve must be 0.01 to 1 dB");
		return ERR_PTR(-EINVAL);
	}
	if (!hwsim_level_is_valid(start_mb)) {
		NL_SET_ERR_MSG(extack, "a curve must start between -200 and 200 dB");
		return ERR_PTR(-EINVAL);
	}
	if (burst < BURST_ONE || burst > BURST_MAX) {
		NL_SET_ERR_MSG(extack, "an error event must have 1 to 64 wrong bits");
		return ERR_PTR(-EINVAL);
	}
	for (i = 1; i < points; i++) {
		if (hazards[i] > hazards[i - 1]) {
			NL_SET_ERR_MSG(extack, "hazards must not rise with the SINR");
			return ERR_PTR(-EINVAL);
		}
	}
	curve = kvmalloc(struct_size(curve, hazards, points),
			 GFP_KERNEL_ACCOUNT);
	if (!curve)
		return ERR_PTR(-ENOMEM);
	curve->points = points;
	curve->start_mb = start_mb;
	curve->step_mb = step_mb;
	curve->burst = burst;
	curve->flips = NULL;
	memcpy(curve->hazards, hazards, array_size(points, sizeof(*hazards)));
	return curve;
}

/**
 * hwsim_curve_free - free a curve
 * @curve: the curve, or NULL
 */
void hwsim_curve_free(struct hwsim_curve *curve)
{
	if (curve)
		kvfree(curve->flips);
	kvfree(curve);
}

/**
 * hwsim_curve_hazard - hazard of one bit
 * @curve: the curve
 * @sinr_mb: signal over noise and interference
 *
 * Return: in 2^-60, linear between points
 */
u64 hwsim_curve_hazard(const struct hwsim_curve *curve, s32 sinr_mb)
{
	u32 above, index, rest;
	u64 here, next;

	if (sinr_mb <= curve->start_mb)
		return curve->hazards[0];
	above = sinr_mb - curve->start_mb;
	index = above / curve->step_mb;
	rest = above % curve->step_mb;
	if (index >= curve->points)
		return 0;
	here = curve->hazards[index];
	if (!rest)
		return here;
	next = index + 1 < curve->points ? curve->hazards[index + 1] : 0;
	return here - div_u64(here - next, curve->step_mb) * rest;
}

/**
 * hwsim_hazard_of_bits - hazard of many bits
 * @hazard: of each, in 2^-60
 * @bits: how many
 *
 * Return: in Q56; no more than U64_MAX / 4, which is beyond any draw
 */
u64 hwsim_hazard_of_bits(u64 hazard, u32 bits)
{
	const u64 most = U64_MAX / 4;

	if (mul_u64_u64_shr(hazard, bits, HAZARD_SHIFT) >=
	    (most >> HWSIM_HAZARD_SHIFT))
		return most;
	return mul_u64_u64_shr(hazard, bits, HAZARD_SHIFT - HWSIM_HAZARD_SHIFT);
}

/**
 * hwsim_errors_any - whether a frame is damaged
 * @stretches: its bits
 * @count: number of stretches
 * @stream: random stream; not used if an error is impossible
 */
bool hwsim_errors_any(const struct hwsim_stretch *stretches, u32 count,
		      struct hwsim_stream *stream)
{
	u64 sum = 0, chance;
	u32 i;

	for (i = 0; i < count; i++) {
		u64 more = hwsim_hazard_of_bits(stretches[i].hazard,
						stretches[i].bits);

		if (check_add_overflow(sum, more, &sum))
			sum = U64_MAX;
	}
	if (!sum)
		return false;
	chance = hwsim_stream_next(stream);
	if (hwsim_minus_ln_least(chance) >= sum)
		return false;
	return hwsim_minus_ln(chance) < sum;
}

static void flip(u8 *data, u64 bit)
{
	data[bit / 8] ^= BIT(bit % 8);
}

/*
 * Wrong bits of an event that starts at @bit: the first one, and each
 * following bit ends the event with a chance of 1/(2m - 1) or else is wrong
 * half of the time, which makes m wrong bits on average.
 *
 * Returns the bit after the event.
 */
static u32 flip_event(u8 *data, u32 bit, u32 end, u32 burst,
		      struct hwsim_stream *stream, u32 *flips)
{
	u32 length = 2 * burst - BURST_ONE;

	flip(data, bit++);
	(*flips)++;
	for (; burst > BURST_ONE && bit < end; bit++) {
		u64 draw = hwsim_stream_next(stream);

		if (((draw >> 32) * length) >> 32 < BURST_ONE)
			break;
		if (draw & 1) {
			flip(data, bit);
			(*flips)++;
		}
	}
	return bit;
}

/* an exponentially distributed number, given that it is below @limit > 0 */
static u64 budget_below(u64 limit, struct hwsim_stream *stream)
{
	u64 budget;

	if (limit >> HWSIM_HAZARD_SHIFT) {
		do {
			budget = hwsim_minus_ln(hwsim_stream_next(stream));
		} while (budget >= limit);
		return budget;
	}
	/* a small limit: propose uniformly, accept with exp(-budget) */
	do {
		budget = mul_u64_u64_shr(hwsim_stream_next(stream), limit, 64);
	} while (hwsim_minus_ln(hwsim_stream_next(stream)) < budget);
	return budget;
}

/**
 * hwsim_errors_flip - damage a frame that is known to be damaged
 * @data: its bytes, as many bits as the stretches have
 * @stretches: its bits
 * @count: number of stretches
 * @burst: mean wrong bits of an error event, in 1/256
 * @stream: random stream
 *
 * The first event is drawn on condition that one exists, so its position is
 * distributed as in a frame with an error. No bit is flipped twice.
 *
 * Return: number of flipped bits; 0 only if an error is impossible
 */
u32 hwsim_errors_flip(u8 *data, const struct hwsim_stretch *stretches,
		      u32 count, u32 burst, struct hwsim_stream *stream)
{
	u32 end = 0, position = 0, stretch_end = 0, flips = 0, i;
	u64 budget, total = 0;

	for (i = 0; i < count; i++) {
		if (stretches[i].hazard < HAZARD_MIN)
			continue;
		total += min(hwsim_hazard_of_bits(stretches[i].hazard,
						  stretches[i].bits),
			     div_u64(U64_MAX, count));
	}
	if (!total)
		return 0;
	for (i = 0; i < count; i++)
		end += stretches[i].bits;

	budget = budget_below(total, stream);
	for (i = 0; i < count; i++) {
		u64 hazard = stretches[i].hazard;

		stretch_end += stretches[i].bits;
		while (hazard >= HAZARD_MIN && position < stretch_end) {
			/* budget is Q56, hazards are Q60 */
			u64 gap = mul_u64_u64_div_u64(budget, 16, hazard);

			if (gap >= stretch_end - position) {
				budget -= min(budget, hwsim_hazard_of_bits(hazard,
									   stretch_end - position));
				break;
			}
			position = flip_event(data, position + gap, end, burst,
					      stream, &flips);
			budget = hwsim_minus_ln(hwsim_stream_next(stream));
		}
		position = max(position, stretch_end);
	}
	if (!flips)	/* rounding at the last bit */
		flip_event(data, end - 1, end, burst, stream, &flips);
	return flips;
}
