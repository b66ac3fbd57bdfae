/* SPDX-License-Identifier: MIT */
/* Carves arrays out of one block of memory, or without a block, counts the bytes that they need. */
#ifndef SAP_MEMORY_H
#define SAP_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct sap_memory {
	uint8_t *start; /* NULL: count only */
	size_t used;
};

/* Returns room for count elements of size bytes, aligned for any type, not zeroed; NULL when counting. */
static inline void *sap_memory_take(struct sap_memory *memory, size_t count, size_t size)
{
	const size_t align = _Alignof(max_align_t);
	const size_t at = (memory->used + align - 1) / align * align;

	memory->used = at + count * size;
	return memory->start ? memory->start + at : NULL;
}

/* Returns the smallest power of two >= value, for value from 1 to 2^31. */
static inline uint32_t sap_power_of_two(uint32_t value)
{
	uint32_t power = 1;

	while (power < value)
		power *= 2;
	return power;
}

#endif
