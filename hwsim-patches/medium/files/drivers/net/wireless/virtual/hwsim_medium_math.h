/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fixed-point arithmetic and random streams of the hwsim medium.
 *
 * Levels are in mB (1/100 dB), as everywhere in cfg80211. Powers that have to
 * be added are ratios to the receiver's noise in Q24. Logarithms of chances
 * are in Q56 (a chance of 2^-64 is 44.4).
 */
#ifndef __HWSIM_MEDIUM_MATH_H
#define __HWSIM_MEDIUM_MATH_H

#include <linux/bits.h>
#include <linux/overflow.h>
#include <linux/siphash.h>
#include <linux/types.h>

#define HWSIM_POWER_SHIFT	24
#define HWSIM_POWER_NOISE	BIT_ULL(HWSIM_POWER_SHIFT)
#define HWSIM_HAZARD_SHIFT	56
#define HWSIM_POWER_MIN_MB	(-70 * 100)	/* below, ratios are 0 */
#define HWSIM_LEVEL_MAX_MB	(200 * 100)	/* of anything that user space sets */

/**
 * hwsim_level_is_valid - whether a level or gain may be set
 * @mb: in mB, any number
 *
 * Return: true from -200 to 200 dB
 */
static inline bool hwsim_level_is_valid(s32 mb)
{
	return mb >= -HWSIM_LEVEL_MAX_MB && mb <= HWSIM_LEVEL_MAX_MB;
}

/**
 * hwsim_power_sum - add powers
 * @one: ratio to noise in Q24
 * @other: another
 *
 * Return: their sum, at most U64_MAX: a dozen signals of 110 dB are more
 */
static inline u64 hwsim_power_sum(u64 one, u64 other)
{
	u64 sum;

	return check_add_overflow(one, other, &sum) ? U64_MAX : sum;
}

u64 hwsim_power_of_mb(s32 mb);
s32 hwsim_mb_of_power(u64 power);
u64 hwsim_minus_ln(u64 chance);

/**
 * hwsim_minus_ln_least - lower bound of hwsim_minus_ln()
 * @chance: its argument
 *
 * -ln(1 - u) is never below u. So most frames need no logarithm.
 *
 * Return: in Q56, with room for its rounding
 */
static inline u64 hwsim_minus_ln_least(u64 chance)
{
	u64 least = chance >> (64 - HWSIM_HAZARD_SHIFT);

	return least - (least >> 20);
}

/**
 * struct hwsim_stream - a named stream of random numbers
 * @key: from the seed and the name
 * @drawn: numbers drawn so far
 *
 * The n-th number depends on seed, name and n only, so what one station draws
 * never shifts what another one gets.
 */
struct hwsim_stream {
	siphash_key_t key;
	u64 drawn;
};

/* what a stream is for */
enum hwsim_stream_use {
	HWSIM_STREAM_BACKOFF,	/* of a radio and an access category */
	HWSIM_STREAM_ERRORS,	/* of a link */
	HWSIM_STREAM_FADING,	/* of a link */
	HWSIM_STREAM_LATENCY,	/* of a radio */
	HWSIM_STREAM_CHOICES,	/* of a radio */
	HWSIM_STREAM_FAULTS,	/* of a fault, by its number */
	HWSIM_STREAM_FLIPS,	/* of a link */
};

void hwsim_stream_init(struct hwsim_stream *stream, u64 seed,
		       enum hwsim_stream_use use, u64 first, u64 second);
u64 hwsim_stream_next(struct hwsim_stream *stream);
u64 hwsim_stream_at(const struct hwsim_stream *stream, u64 number);
u32 hwsim_stream_below(struct hwsim_stream *stream, u32 limit);

#endif
