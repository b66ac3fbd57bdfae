/* SPDX-License-Identifier: MIT */
/* Numbers of datagrams wrap around after 2^32: compared by distance (RFC 1982). */
#ifndef SAP_SERIAL_H
#define SAP_SERIAL_H

#include <stdint.h>

/* How far number is ahead of from; negative: behind it. */
static inline int64_t sap_ahead(uint32_t number, uint32_t from)
{
	const uint32_t distance = number - from;

	return distance < UINT32_C(0x80000000) ? (int64_t)distance : (int64_t)distance - INT64_C(0x100000000);
}

#endif
