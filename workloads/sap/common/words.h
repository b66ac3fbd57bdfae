/* SPDX-License-Identifier: MIT */
/* Parses numbers with units, for example from the command line. */
#ifndef APPS_WORDS_H
#define APPS_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* Parses a whole decimal number from least to most. False: word is not one. */
bool word_number(const char *word, uint64_t least, uint64_t most, uint64_t *value);

/*
 * Parses a number of bytes: 4096, 4096B, 10M, 10MiB (both 10 * 2^20) or 10MB (10^7); also K and G, as in the GNU tools.
 * False: word is not one.
 */
bool word_bytes(const char *word, uint64_t *bytes);

/* Parses a duration with a unit: 5ms, 250us, 1.5s, 100ns. False: word is not one, or has no unit. */
bool word_duration(const char *word, uint64_t *ns);

#endif
