/* SPDX-License-Identifier: MIT */
/* The stream: its opening, its content, and counting what arrived. */
#include "stream.h"

#include <string.h>

#include "bytes.h"

enum { VERSION = 1 };

static const char MAGIC[4] = "SAPs";

/* 2^32 divided by the golden ratio; odd, so its multiples cover all 32-bit numbers */
static const uint32_t STEP = 0x9e3779b9;

void stream_opening_pack(const struct stream_opening *opening, uint8_t to[STREAM_OPENING_BYTES])
{
	memcpy(to, MAGIC, sizeof(MAGIC));
	sap_put_be(to + 4, VERSION, 1);
	sap_put_be(to + 5, opening->content, 1);
	sap_put_be(to + 6, opening->payload, 2);
	sap_put_be(to + 8, opening->seed, 4);
	sap_put_be(to + 12, opening->precise, 4);
	sap_put_be(to + 16, opening->bytes, 8);
}

bool stream_opening_unpack(struct stream_opening *opening, const uint8_t *from, size_t length)
{
	if (length != STREAM_OPENING_BYTES || memcmp(from, MAGIC, sizeof(MAGIC)) || from[4] != VERSION ||
	    from[5] > STREAM_FILE)
		return false;
	opening->content = from[5] ? STREAM_FILE : STREAM_PATTERN;
	opening->payload = (uint32_t)sap_get_be(from + 6, 2);
	opening->seed = (uint32_t)sap_get_be(from + 8, 4);
	opening->precise = (uint32_t)sap_get_be(from + 12, 4);
	opening->bytes = sap_get_be(from + 16, 8);
	if (!opening->payload || opening->payload > SAP_PAYLOAD_BYTES_MAX || !opening->bytes)
		return false;
	return (opening->bytes - 1) / opening->payload < UINT32_MAX &&
	       opening->precise <= stream_datagrams(opening);
}

uint64_t stream_datagrams(const struct stream_opening *opening)
{
	return (opening->bytes - 1) / opening->payload + 1;
}

uint32_t stream_length(const struct stream_opening *opening, uint64_t index)
{
	const uint64_t rest = opening->bytes - index * opening->payload;

	return rest < opening->payload ? (uint32_t)rest : opening->payload;
}

bool stream_index(const struct stream_opening *opening, const struct sap_message *message, uint64_t *index)
{
	if (message->guaranteed) {
		if (!message->number || message->number > opening->precise)
			return false;
		*index = message->number - 1;
	} else {
		*index = (uint64_t)opening->precise + message->number;
		if (*index >= stream_datagrams(opening))
			return false;
	}
	return message->length == stream_length(opening, *index);
}

/*
 * The 32-bit finalizer of MurmurHash3 (fmix32, Austin Appleby): multiplications by odd numbers and xor-shifts, all of
 * which are invertible.
 */
uint32_t stream_hash(uint32_t counter)
{
	counter ^= counter >> 16;
	counter *= 0x85ebca6b;
	counter ^= counter >> 13;
	counter *= 0xc2b2ae35;
	return counter ^ counter >> 16;
}

void stream_fill(const struct stream_opening *opening, uint64_t index, uint8_t *to, size_t length)
{
	const uint32_t first = stream_hash(opening->seed + (uint32_t)index);
	uint8_t word[4];

	for (size_t i = 0; i * sizeof(word) < length; i++) {
		const size_t rest = length - i * sizeof(word);

		sap_put_be(word, i ? stream_hash(first + (uint32_t)i * STEP) : first, sizeof(word));
		memcpy(to + i * sizeof(word), word, rest < sizeof(word) ? rest : sizeof(word));
	}
}

uint64_t stream_wrong_bits(const uint8_t *left, const uint8_t *right, size_t length)
{
	uint64_t wrong = 0;

	for (size_t i = 0; i < length; i++)
		wrong += (uint64_t)__builtin_popcount((unsigned int)(left[i] ^ right[i]));
	return wrong;
}

void stream_count(struct stream_tally *tally, const struct stream_opening *opening, uint64_t index,
		  const uint8_t *data, size_t length)
{
	uint8_t expected[SAP_PAYLOAD_BYTES_MAX];
	uint64_t wrong;

	tally->arrived++;
	tally->bits += 8 * length;
	if (opening->content != STREAM_PATTERN)
		return;
	stream_fill(opening, index, expected, length);
	wrong = stream_wrong_bits(expected, data, length);
	tally->wrong_bits += wrong;
	if (wrong) {
		tally->damaged++;
		tally->damaged_bits += 8 * length;
	}
}
