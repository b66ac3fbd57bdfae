/* SPDX-License-Identifier: MIT */
/*
 * A stream of datagrams whose content both ends know in advance, after the paper's Streamer (section 4.1):
 *
 *   "The sender and receiver agree on the contents of the entire stream in advance by choosing an initial 32-bit seed,
 *   which the sender sends to the receiver precisely, and which is incremented for each datagram. Each datagram
 *   consists of the result of passing the 32-bit counter through a hash function that outputs 32 unbiased bits."
 *
 * How that is read here. Datagram n has the counter c = seed + n (modulo 2^32). The hash of c is 32 bits; a datagram is
 * 1 KB (the payload of all SAP datagrams in the paper, section 4.3), which is 256 times as much. So a datagram begins
 * with the 32 bits hash(c), and its word number i, counted from 0, is hash(c) + i * 0x9e3779b9 passed through the hash
 * again (i = 0: hash(c) itself). Repeating hash(c) 256 times would fit the sentence as well, but give a damaged frame
 * the same 32 bits everywhere; what the scrambler and the code of 802.11 make of it should not depend on that. Words
 * are sent in network byte order; a datagram that is no multiple of 4 bytes ends within a word.
 *
 * The hash is a bijection of the 32-bit numbers, so over all counters each bit is 0 exactly as often as 1.
 *
 * The first datagram is precise. It is the opening: what the receiver has to know. All others are precise or
 * approximate as the sender was told; a file may have a precise beginning, such as the header of an image.
 */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sap.h"

enum stream_content { STREAM_PATTERN = 0, STREAM_FILE = 1 };

struct stream_opening {
	enum stream_content content;
	uint32_t payload; /* bytes of each datagram but the last, 1 to SAP_PAYLOAD_BYTES_MAX */
	uint32_t seed;
	uint32_t precise; /* so many of the first datagrams are precise, the others approximate */
	uint64_t bytes;	  /* of all datagrams, at least 1 */
};

/* Of the opening on the wire: "SAPs", version, content, payload (2), seed (4), precise (4), bytes (8). */
#define STREAM_OPENING_BYTES 24

void stream_opening_pack(const struct stream_opening *opening, uint8_t to[STREAM_OPENING_BYTES]);
/* False: no opening, or one that makes no sense. */
bool stream_opening_unpack(struct stream_opening *opening, const uint8_t *from, size_t length);

/* How many datagrams there are, and how many bytes one of them has. At most 2^32 - 1. */
uint64_t stream_datagrams(const struct stream_opening *opening);
uint32_t stream_length(const struct stream_opening *opening, uint64_t index);

/*
 * Which datagram of the stream a message is: those behind the opening have the guaranteed numbers from 1, approximate
 * ones follow the precise ones. False: it is none of them, or as long as none.
 */
bool stream_index(const struct stream_opening *opening, const struct sap_message *message, uint64_t *index);

uint32_t stream_hash(uint32_t counter);
/* Fills datagram number index of a pattern. */
void stream_fill(const struct stream_opening *opening, uint64_t index, uint8_t *to, size_t length);
/* Bits in which two runs of bytes differ. */
uint64_t stream_wrong_bits(const uint8_t *left, const uint8_t *right, size_t length);

/* What has arrived of a stream. */
struct stream_tally {
	uint64_t arrived;      /* datagrams */
	uint64_t foreign;      /* that are none of the stream */
	uint64_t bits;	       /* in those that arrived */
	uint64_t damaged;      /* datagrams with at least one wrong bit; patterns only */
	uint64_t damaged_bits; /* all bits in them */
	uint64_t wrong_bits;
};

/* Counts a datagram that stream_index() has placed. */
void stream_count(struct stream_tally *tally, const struct stream_opening *opening, uint64_t index,
		  const uint8_t *data, size_t length);

#endif
