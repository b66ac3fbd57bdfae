/* SPDX-License-Identifier: MIT */
/* Integers to and from bytes: big endian on the wire (of the programs, too), little endian in SipHash. */
#ifndef SAP_BYTES_H
#define SAP_BYTES_H

#include <stdint.h>

static inline void sap_put_be(uint8_t *to, uint64_t value, unsigned int bytes)
{
	while (bytes--) {
		to[bytes] = (uint8_t)value;
		value >>= 8;
	}
}

static inline uint64_t sap_get_be(const uint8_t *from, unsigned int bytes)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < bytes; i++)
		value = value << 8 | from[i];
	return value;
}

static inline uint64_t sap_get_le(const uint8_t *from, unsigned int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | from[bytes];
	return value;
}

#endif
