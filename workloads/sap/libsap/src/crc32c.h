/* SPDX-License-Identifier: MIT */
#ifndef SAP_CRC32C_H
#define SAP_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/*
 * CRC-32C (Castagnoli; RFC 3385 and RFC 9260 appendix A), of one piece or, with the result as crc of the next call, of
 * several; the first crc is 0. Not the polynomial of 802.11's FCS, so that an error that one misses is no likelier to be
 * missed by the other.
 */
uint32_t sap_crc32c(uint32_t crc, const uint8_t *bytes, size_t length);

#endif
