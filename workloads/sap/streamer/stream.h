/* SPDX-License-Identifier: MIT */
/*
 * A stream of datagrams whose content both ends know in advance, as in the paper's Streamer (section 4.1):
 *
 *   "The sender and receiver agree on the contents of the entire stream in advance by choosing an initial 32-bit seed,
 *   which the sender sends to the receiver precisely, and which is incremented for each datagram. Each datagram
 *   consists of the result of passing the 32-bit counter through a hash function that outputs 32 unbiased bits."
 *
 * Interpretation. Datagram n has the counter c = seed + n (modulo 2^32). The hash of c has 32 bits, but a datagram is
 * 1 KB (the payload of all SAP datagrams in the paper, section 4.3), 256 times as much. So the first 32-bit word of the
 * datagram is hash(c), and word i > 0 is hash(hash(c) + i * 0x9e3779b9). Repeating hash(c) 256 times would match the
 * description too, but fill the frame with the same 32 bits; results should not depend on what the scrambler and the
 * code of 802.11 do with such a frame. Words are in network byte order; if the length of a datagram is not a multiple
 * of 4 bytes, its last word is cut off.
 *
 * The hash is a bijection of the 32-bit numbers, so over all counters each bit is 0 exactly as often as 1.
 *
 * The first datagram is precise. It is the opening and has the parameters that the receiver needs. All others are
 * precise or approximate, as the user of the sender chose; a file may start with a precise part, such as the header of
 * an image.
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
	uint32_t payload; /* bytes in each datagram except the last, 1 to SAP_PAYLOAD_BYTES_MAX */
	uint32_t seed;
	uint32_t precise; /* number of leading datagrams that are precise; the others are approximate */
	uint64_t bytes;	  /* in all datagrams, at least 1 */
};

/* Wire format of the opening: "SAPs", version (1), content (1), payload (2), seed (4), precise (4), bytes (8). */
#define STREAM_OPENING_BYTES 24

void stream_opening_pack(const struct stream_opening *opening, uint8_t to[STREAM_OPENING_BYTES]);
/* Returns false if it is not a valid opening. */
bool stream_opening_unpack(struct stream_opening *opening, const uint8_t *from, size_t length);

/* Return the number of datagrams, at most 2^32 - 1, and the length of one of them in bytes. */
uint64_t stream_datagrams(const struct stream_opening *opening);
uint32_t stream_length(const struct stream_opening *opening, uint64_t index);

/*
 * Finds the index of a received datagram in the stream: precise ones have the guaranteed numbers from 1 on, after the
 * opening; approximate ones follow them. Returns false if the number or the length does not belong to the stream.
 */
bool stream_index(const struct stream_opening *opening, const struct sap_message *message, uint64_t *index);

uint32_t stream_hash(uint32_t counter);
/* Generates datagram number index of the pattern. */
void stream_fill(const struct stream_opening *opening, uint64_t index, uint8_t *to, size_t length);
/* Returns the number of bits that differ. */
uint64_t stream_wrong_bits(const uint8_t *left, const uint8_t *right, size_t length);

/* Counts of what has arrived of a stream. */
struct stream_tally {
	uint64_t arrived;      /* datagrams */
	uint64_t foreign;      /* datagrams that do not belong to the stream */
	uint64_t bits;	       /* in the datagrams that arrived */
	uint64_t damaged;      /* datagrams with at least one wrong bit; patterns only */
	uint64_t damaged_bits; /* all bits in damaged datagrams */
	uint64_t wrong_bits;
};

/* Counts a datagram whose index stream_index() has found. */
void stream_count(struct stream_tally *tally, const struct stream_opening *opening, uint64_t index,
		  const uint8_t *data, size_t length);

#endif
