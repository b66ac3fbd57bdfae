/* SPDX-License-Identifier: MIT */
#include "packet.h"

#include <string.h>

static const char MAGIC[4] = "flow";

static void put(uint8_t *to, uint64_t value, size_t bytes)
{
	while (bytes--) {
		to[bytes] = (uint8_t)value;
		value >>= 8;
	}
}

static uint64_t get(const uint8_t *from, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value = value << 8 | from[i];
	return value;
}

void packet_pack(const struct packet *packet, uint8_t *to)
{
	memcpy(to, MAGIC, sizeof(MAGIC));
	put(to + 4, packet->type, 2);
	put(to + 6, packet->length, 2);
	put(to + 8, packet->number, 8);
	put(to + 16, packet->start_ns, 8);
	put(to + 24, packet->sent_ns, 8);
}

bool packet_unpack(struct packet *packet, const uint8_t *from)
{
	const uint64_t type = get(from + 4, 2);

	if (memcmp(from, MAGIC, sizeof(MAGIC)) || (type != PACKET_DATA && type != PACKET_END))
		return false;
	packet->type = type == PACKET_DATA ? PACKET_DATA : PACKET_END;
	packet->length = (uint16_t)get(from + 6, 2);
	packet->number = get(from + 8, 8);
	packet->start_ns = get(from + 16, 8);
	packet->sent_ns = get(from + 24, 8);
	return packet->length >= PACKET_HEADER_BYTES && packet->length <= PACKET_BYTES_MAX &&
	       packet->number <= PACKET_NUMBER_MAX && packet->sent_ns <= PACKET_TIME_MAX_NS &&
	       packet->start_ns <= packet->sent_ns;
}

bool packet_begins(const uint8_t *from, size_t length)
{
	return !memcmp(from, MAGIC, length < sizeof(MAGIC) ? length : sizeof(MAGIC));
}

/* One step of xorshift64 (Marsaglia, 2003); it never returns 0. */
static uint64_t next_word(uint64_t word)
{
	word ^= word << 13;
	word ^= word >> 7;
	return word ^ word << 17;
}

/* Number + 1, which is not 0, times an odd number, so that numbers nearby have patterns that are not. */
static uint64_t first_word(uint64_t number)
{
	return next_word((number + 1) * 0x9e3779b97f4a7c15);
}

void packet_fill(uint64_t number, uint8_t *to, size_t length)
{
	uint64_t word = first_word(number);

	for (; length >= sizeof(word); length -= sizeof(word), to += sizeof(word)) {
		put(to, word, sizeof(word));
		word = next_word(word);
	}
	put(to, word, length);
}

uint64_t packet_wrong_bits(uint64_t number, const uint8_t *from, size_t length)
{
	uint64_t word = first_word(number), wrong = 0;
	uint8_t right[sizeof(word)];

	while (length) {
		const size_t part = length < sizeof(word) ? length : sizeof(word);

		put(right, word, part);
		for (size_t i = 0; i < part; i++)
			wrong += (uint64_t)__builtin_popcount(right[i] ^ from[i]);
		word = next_word(word);
		from += part;
		length -= part;
	}
	return wrong;
}
