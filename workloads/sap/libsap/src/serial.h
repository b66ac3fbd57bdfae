/* SPDX-License-Identifier: MIT */
/* Serial number arithmetic (RFC 1982): datagram numbers wrap around at 2^32. */
#ifndef SAP_SERIAL_H
#define SAP_SERIAL_H

#include <stdint.h>

/* Returns the distance from `from` to `number`; negative: number is behind. */
static inline int64_t sap_ahead(uint32_t number, uint32_t from)
{
	const uint32_t distance = number - from;

	return distance < UINT32_C(0x80000000) ? (int64_t)distance : (int64_t)distance - INT64_C(0x100000000);
}

#endif
