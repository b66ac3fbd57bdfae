/* SPDX-License-Identifier: MIT */
/* Numbers in network byte order. */
#ifndef APPS_BYTES_H
#define APPS_BYTES_H

#include <stdint.h>

static inline void put_be(uint8_t *to, uint64_t value, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> (8 * (bytes - 1 - i)));
}

static inline uint64_t get_be(const uint8_t *from, unsigned int bytes)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < bytes; i++)
		value = value << 8 | from[i];
	return value;
}

#endif
