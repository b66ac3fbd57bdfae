/* SPDX-License-Identifier: MIT */
#ifndef SAP_CRC32C_H
#define SAP_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the CRC-32C (Castagnoli; RFC 3385 and RFC 9260 appendix A) of bytes. crc is 0, or the result for the bytes
 * before. Its polynomial differs from that of 802.11's FCS, so an error that one misses is no more likely to be missed
 * by the other.
 */
uint32_t sap_crc32c(uint32_t crc, const uint8_t *bytes, size_t length);

#endif
