// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fixed-point arithmetic and random streams of the hwsim medium.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include "hwsim_medium_math.h"

#define MB_PER_DECADE		1000
#define TABLE_STEP_MB		10
#define POWER_MAX_MB		(110 * 100)
#define MB_PER_OCTAVE_Q32	1292913986492ULL	/* 1000 log10(2) 2^32 */
#define LN2_Q63			6393154322601327829ULL
#define SERIES_BITS		8
#define MB_PRECISION		20	/* an error of 0.0003 mB */

/* 10^(i / 100) in Q24 */
static const u32 decade[MB_PER_DECADE / TABLE_STEP_MB + 1] = {
	16777216, 17168008, 17567902, 17977111, 18395852, 18824346,
	19262821, 19711510, 20170650, 20640485, 21121264, 21613241,
	22116678, 22631842, 23159005, 23698447, 24250455, 24815321,
	25393344, 25984831, 26590095, 27209458, 27843248, 28491801,
	29155460, 29834578, 30529514, 31240638, 31968326, 32712964,
	33474947, 34254679, 35052572, 35869052, 36704549, 37559508,
	38434381, 39329633, 40245738, 41183182, 42142461, 43124085,
	44128574, 45156461, 46208290, 47284619, 48386019, 49513075,
	50666382, 51846554, 53054215, 54290007, 55554583, 56848616,
	58172790, 59527809, 60914389, 62333268, 63785196, 65270944,
	66791300, 68347069, 69939077, 71568167, 73235204, 74941071,
	76686673, 78472935, 80300804, 82171250, 84085265, 86043862,
	88048081, 90098984, 92197659, 94345219, 96542801, 98791572,
	101092723, 103447475, 105857077, 108322805, 110845967, 113427901,
	116069976, 118773593, 121540186, 124371220, 127268198, 130232655,
	133266164, 136370331, 139546804, 142797267, 146123443, 149527095,
	153010028, 156574090, 160221169, 163953199, 167772160,
};

/**
 * hwsim_power_of_mb - a level as a ratio
 * @mb: level in mB over noise
 *
 * Return: 10^(mb / 1000) in Q24, within 0.01 %; 0 below -70 dB; the same for
 * all levels from 110 dB
 */
u64 hwsim_power_of_mb(s32 mb)
{
	s32 tens, rest;
	u64 power;
	u32 index;

	if (mb < HWSIM_POWER_MIN_MB)
		return 0;
	mb = min(mb, POWER_MAX_MB);
	tens = (mb - HWSIM_POWER_MIN_MB) / MB_PER_DECADE;
	rest = (mb - HWSIM_POWER_MIN_MB) % MB_PER_DECADE;
	tens += HWSIM_POWER_MIN_MB / MB_PER_DECADE;
	index = rest / TABLE_STEP_MB;
	power = decade[index] + (u64)(decade[index + 1] - decade[index]) *
		(rest % TABLE_STEP_MB) / TABLE_STEP_MB;
	for (; tens > 0; tens--)
		power *= 10;
	for (; tens < 0; tens++)
		power = div_u64(power + 5, 10);
	return power;
}

/* log2 of a number not 0, in Q32: one squaring for each bit behind the point */
static u64 log2_q32(u64 number, int precision)
{
	int bits = fls64(number) - 1, i;
	u64 mantissa = number << (63 - bits);	/* 1 to 2 in Q63 */
	u64 log = bits;

	for (i = 0; i < precision; i++) {
		mantissa = mul_u64_u64_shr(mantissa, mantissa, 64);
		log <<= 1;
		if (mantissa & BIT_ULL(63))
			log |= 1;	/* the square is 2 or more */
		else
			mantissa <<= 1;
	}
	return log << (32 - precision);
}

/**
 * hwsim_mb_of_power - a ratio as a level
 * @power: ratio to noise in Q24
 *
 * Return: 1000 log10(power) in mB, rounded; HWSIM_POWER_MIN_MB for 0
 */
s32 hwsim_mb_of_power(u64 power)
{
	u64 log;

	if (!power)
		return HWSIM_POWER_MIN_MB;
	log = log2_q32(power, MB_PRECISION);
	log = mul_u64_u64_shr(log, MB_PER_OCTAVE_Q32, 32);
	return (s32)((log + BIT_ULL(31)) >> 32) -
	       (s32)((HWSIM_POWER_SHIFT * MB_PER_OCTAVE_Q32 + BIT_ULL(31)) >> 32);
}

/**
 * hwsim_minus_ln - convert a uniform random number to a hazard
 * @chance: 64 random bits: a number u from 2^-64 to 1 - 2^-64
 *
 * Minus ln of a uniform number is exponentially distributed with mean 1, and
 * the gap to the next error in bits is that over the hazard of one bit.
 *
 * Return: -ln(1 - u) in Q56, within 2^-24 of its value
 */
u64 hwsim_minus_ln(u64 chance)
{
	u64 log;

	if (!(chance >> (64 - SERIES_BITS))) {
		/* u + u^2/2 + u^3/3 + u^4/4: log2 is imprecise there */
		u64 square = mul_u64_u64_shr(chance, chance, 64);
		u64 cube = mul_u64_u64_shr(square, chance, 64);
		u64 fourth = mul_u64_u64_shr(cube, chance, 64);

		return (chance + square / 2 + cube / 3 + fourth / 4) >>
		       (64 - HWSIM_HAZARD_SHIFT);
	}
	log = (64ULL << 32) - log2_q32(-chance, 32);
	return mul_u64_u64_shr(log, LN2_Q63, 63 + 32 - HWSIM_HAZARD_SHIFT);
}

/**
 * hwsim_stream_init - start a stream
 * @stream: the stream
 * @seed: of the medium
 * @use: what it is for
 * @first: its owner
 * @second: its second owner
 */
void hwsim_stream_init(struct hwsim_stream *stream, u64 seed,
		       enum hwsim_stream_use use, u64 first, u64 second)
{
	siphash_key_t seeded = { { seed, 0x6d656469756d0000ULL | use } };

	stream->key.key[0] = siphash_2u64(first, second, &seeded);
	stream->key.key[1] = siphash_3u64(first, second, 1, &seeded);
	stream->drawn = 0;
}

/**
 * hwsim_stream_at - a number of a stream, without drawing
 * @stream: the stream
 * @number: which
 */
u64 hwsim_stream_at(const struct hwsim_stream *stream, u64 number)
{
	return siphash_1u64(number, &stream->key);
}

/**
 * hwsim_stream_next - draw 64 random bits
 * @stream: the stream
 */
u64 hwsim_stream_next(struct hwsim_stream *stream)
{
	return hwsim_stream_at(stream, stream->drawn++);
}

/**
 * hwsim_stream_below - draw a number
 * @stream: the stream
 * @limit: one more than the largest
 *
 * Return: 0 to limit - 1, equally likely to within 2^-32
 */
u32 hwsim_stream_below(struct hwsim_stream *stream, u32 limit)
{
	return ((u64)(u32)hwsim_stream_next(stream) * limit) >> 32;
}
