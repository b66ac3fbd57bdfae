/* SPDX-License-Identifier: MIT */
#include "siphash.h"

#include "bytes.h"

static uint64_t rotate(uint64_t value, unsigned int bits)
{
	return value << bits | value >> (64 - bits);
}

static void rounds(uint64_t v[4], unsigned int count)
{
	while (count--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static void absorb(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	rounds(v, 2);
	v[0] ^= word;
}

uint64_t sap_siphash(const uint8_t key[16], const uint8_t *bytes, size_t length)
{
	const uint64_t k0 = sap_get_le(key, 8), k1 = sap_get_le(key + 8, 8);
	/* constants of the SipHash paper: "somepseudorandomlygeneratedbytes" */
	uint64_t v[4] = {
		k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d,
		k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573,
	};
	const size_t rest = length % 8;
	size_t at = 0;

	for (; at + 8 <= length; at += 8)
		absorb(v, sap_get_le(bytes + at, 8));
	absorb(v, sap_get_le(bytes + at, (unsigned int)rest) | (uint64_t)length << 56);
	v[2] ^= 0xff;
	rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
