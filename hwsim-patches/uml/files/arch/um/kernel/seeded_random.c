// SPDX-License-Identifier: GPL-2.0-only
/*
 * lab.seed=<number>: random numbers that the command line decides.
 *
 * A run of the lab must give the same bytes whenever it is repeated. So, with a
 * seed, what the kernel otherwise takes from its host (arch_get_random_longs(),
 * the hardware RNG) comes from here, and drivers/char/random.c mixes nothing
 * else into its pool: no clock, no interrupt, no command line, no host name.
 *
 * The generator is ChaCha20 (RFC 8439, section 2.3) with the seed, little endian
 * and padded with zeros, as its key. The stream's number is the last word of the
 * nonce, the phase the one before it; the first two words count blocks. An
 * independent implementation gives the same bytes:
 *
 *	head -c 64 /dev/zero | openssl enc -chacha20 \
 *		-K <seed, 8 bytes little endian, then 24 zero bytes> \
 *		-iv <8 zero bytes, then phase and stream, 4 bytes little endian each>
 *
 * A phase begins with each initcall and with the first program (seeded_boot.c).
 *
 * Not for secrets: who knows the seed knows every key that the guest ever makes.
 */

#include <linux/cache.h>
#include <linux/kstrtox.h>
#include <linux/minmax.h>
#include <linux/seeded_random.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <init.h>
#include <kern.h>
#include <os.h>

#include "seeded_random.h"

bool seeded_random_is_on __ro_after_init;

static u64 seeded_random_seed __initdata;
static struct seeded_stream streams[SEEDED_RANDOM_USERS];
static DEFINE_SPINLOCK(streams_lock);

/**
 * seeded_random_parse() - read the number of lab.seed=
 * @text: decimal, or hexadecimal with 0x before it
 * @seed: where it goes
 *
 * Zeros in front do not make it octal: a seed copied from a table stays what it is.
 *
 * Return: 0, -EINVAL (not a number) or -ERANGE (more than 64 bits).
 */
int seeded_random_parse(const char *text, u64 *seed)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

	/* kstrtoull() takes a sign and a newline at the end, a seed has neither */
	if (text[0] == '+' || strchr(text, '\n'))
		return -EINVAL;
	return kstrtoull(text, hex ? 16 : 10, seed);
}

/**
 * seeded_stream_start() - begin a sequence
 * @stream: to begin
 * @seed: decides all sequences
 * @number: which of them
 * @phase: of the machine's life
 */
void seeded_stream_start(struct seeded_stream *stream, u64 seed, u32 number, u32 phase)
{
	u32 key[CHACHA_KEY_SIZE / sizeof(u32)] = { lower_32_bits(seed), upper_32_bits(seed) };
	u8 iv[CHACHA_IV_SIZE] = {};

	put_unaligned_le32(phase, iv + 8);
	put_unaligned_le32(number, iv + 12);
	chacha_init_generic(stream->state, key, iv);
	stream->used = CHACHA_BLOCK_SIZE;
}

/**
 * seeded_stream_read() - the next bytes of a sequence
 * @stream: begun before
 * @buf: where they go
 * @len: how many
 */
void seeded_stream_read(struct seeded_stream *stream, void *buf, size_t len)
{
	while (len) {
		size_t part;

		if (stream->used == CHACHA_BLOCK_SIZE) {
			chacha20_block(stream->state, stream->block);
			if (!stream->state[12])	/* 256 GiB on: carry */
				stream->state[13]++;
			stream->used = 0;
		}
		part = min_t(size_t, len, CHACHA_BLOCK_SIZE - stream->used);
		memcpy(buf, stream->block + stream->used, part);
		stream->used += part;
		buf += part;
		len -= part;
	}
}

/**
 * seeded_random_get() - draw bytes; only with seeded_random_active()
 * @user: who draws
 * @buf: where they go
 * @len: how many
 */
void seeded_random_get(enum seeded_random_user user, void *buf, size_t len)
{
	unsigned long flags;

	spin_lock_irqsave(&streams_lock, flags);
	seeded_stream_read(&streams[user], buf, len);
	spin_unlock_irqrestore(&streams_lock, flags);
}

static void __init start_all(u32 phase)
{
	u32 user;

	for (user = 0; user < SEEDED_RANDOM_USERS; user++)
		seeded_stream_start(&streams[user], seeded_random_seed, user, phase);
}

/**
 * seeded_random_begin() - begin a phase: its numbers do not depend on those drawn before
 * @phase: its number
 */
void __init seeded_random_begin(u32 phase)
{
	unsigned long flags;

	spin_lock_irqsave(&streams_lock, flags);
	start_all(phase);
	spin_unlock_irqrestore(&streams_lock, flags);
}

#define SEED_HELP						\
	"lab.seed=<number>\n"					\
	"    Every random number of this machine follows from this one.\n\n"

/* Runs before start_kernel(), hence before anything draws, and before lockdep knows a task. */
static int __init seeded_random_setup(char *text, int *add)
{
	if (seeded_random_parse(text, &seeded_random_seed)) {
		os_warn("lab.seed=%s: give a whole number below 2^64, decimal or as 0x...\n", text);
		exit(1);
	}
	start_all(SEEDED_PHASE_START);
	seeded_random_is_on = true;
	return 0;
}

__uml_setup("lab.seed=", seeded_random_setup, SEED_HELP);
