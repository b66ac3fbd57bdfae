/* SPDX-License-Identifier: MIT */
/*
 * Two cores and a channel between them that loses, doubles, delays and damages what it is told to, with a clock of its
 * own. It checks all that the protocol promises, whatever the channel does:
 *
 *   - guaranteed datagrams come once, in order, with the precise bytes that were sent;
 *   - approximate ones come at most once, with the length and precise bytes that were sent;
 *   - the end comes after all guaranteed ones, and only if there was a FIN;
 *   - the counters add up.
 */
#ifndef PAIR_H
#define PAIR_H

#include "sap_core.h"

enum fate {
	PASSES,
	LOST,
	DOUBLED,
	DELAYED,	/* by a bit more than the datagrams that follow need */
	DAMAGED,	/* one bit anywhere, past UDP-Lite's checksum */
	DAMAGED_TAIL,	/* one bit of the approximate tail, if it has one */
	FATES,
};

/* A generator of numbers: xorshift64*, S. Vigna 2016. The state must not be 0. */
static inline uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}

enum {
	CONNECTS,
	LISTENS,
	SIDES,
	FLYING_MAX = 256,
	MESSAGES_MAX = 1024,
};

/* Each bit says of one number whether it came. */
struct came {
	uint8_t bits[MESSAGES_MAX / 8];
};

struct side {
	struct sap_core *core;
	struct sap_address address;
	uint32_t sent_guaranteed, sent_approximate;
	/* lengths of what was sent, by number: length << 16 | precise */
	uint32_t guaranteed[MESSAGES_MAX], approximate[MESSAGES_MAX];
	uint32_t taken_guaranteed, taken_approximate;
	struct came came;
	uint64_t wrong_bits; /* in tails */
	bool fin, ended;
};

struct flying {
	bool used;
	unsigned int to;
	struct sap_address from;
	uint64_t at_ns;
	uint64_t order;
	size_t length;
	uint8_t bytes[SAP_DATAGRAM_BYTES_MAX];
};

struct pair;

/* What becomes of a datagram on the channel: the index-th that was sent, from 0. */
typedef enum fate fate_function(struct pair *pair, uint64_t index);

struct pair {
	struct side sides[SIDES];
	struct flying flying[FLYING_MAX];
	uint64_t now_ns;
	uint64_t delay_ns;	/* of the channel, one way */
	uint64_t random;
	uint64_t on_wire;	/* datagrams sent so far */
	uint64_t bytes_on_wire;
	fate_function *fate;
	void *context;		/* for fate */
	unsigned int busy_most;	/* datagrams of the connecting side in flight at most, DATA only */
};

/* Both sides with this configuration (role, peer and random are set here). */
struct pair *pair_new(const struct sap_core_config *config, uint64_t seed, fate_function *fate);
void pair_free(struct pair *pair);

/* Sends the next datagram of this side: its bytes follow from its kind and number. Returns what the core returned. */
int pair_send(struct pair *pair, unsigned int side, size_t length, size_t head, bool guaranteed);
int pair_fin(struct pair *pair, unsigned int side);

/* Takes everything that is ready on this side, and checks it. */
void pair_receive(struct pair *pair, unsigned int side);

/* Puts what the cores have to say on the channel, without moving the clock. */
void pair_output(struct pair *pair);

/* Goes to the next event and lets it happen; false: nothing will ever happen, or not before until_ns. */
bool pair_step(struct pair *pair, uint64_t until_ns);

/* Steps until the flags are there on that side, receiving on both; false: they never are, or not before until_ns. */
bool pair_run(struct pair *pair, unsigned int side, unsigned int flags, uint64_t until_ns);

/* Whether the counters of both sides add up. */
void pair_check_stats(const struct pair *pair);

#endif
