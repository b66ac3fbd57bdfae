/* SPDX-License-Identifier: MIT */
#ifndef SAP_SIPHASH_H
#define SAP_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * SipHash-2-4, a keyed hash that cannot be predicted without the key (J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast
 * short-input PRF", 2012).
 */
uint64_t sap_siphash(const uint8_t key[16], const uint8_t *bytes, size_t length);

#endif
