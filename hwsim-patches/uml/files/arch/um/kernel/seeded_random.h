/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generator behind lab.seed=, for seeded_random.c and its test.
 */
#ifndef __UM_SEEDED_RANDOM_H
#define __UM_SEEDED_RANDOM_H

#include <linux/bits.h>
#include <linux/types.h>
#include <crypto/chacha.h>

/**
 * struct seeded_stream - one sequence of bytes
 * @state: of ChaCha20: constants, key, block counter, stream number
 * @block: the bytes at hand
 * @used: how many of them are spent
 */
struct seeded_stream {
	u32 state[CHACHA_STATE_WORDS];
	u8 block[CHACHA_BLOCK_SIZE];
	unsigned int used;
};

/* Phases; each initcall has one of its own, above these. */
enum {
	SEEDED_PHASE_START,
	SEEDED_PHASE_PROGRAMS,
};

#define SEEDED_PHASE_INITCALL BIT(31)

int seeded_random_parse(const char *text, u64 *seed);
void seeded_stream_start(struct seeded_stream *stream, u64 seed, u32 number, u32 phase);
void seeded_stream_read(struct seeded_stream *stream, void *buf, size_t len);
void seeded_random_begin(u32 phase);

#endif /* __UM_SEEDED_RANDOM_H */
