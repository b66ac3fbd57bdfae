/* SPDX-License-Identifier: MIT */
/* Parses numbers with units from the command line. */
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

/* The same for the value of an option. If it is invalid, they exit with a message that says what to write. */
uint64_t option_number(const char *option, const char *word, uint64_t least, uint64_t most);
uint64_t option_bytes(const char *option, const char *word);
uint64_t option_duration(const char *option, const char *word);
/* In whole milliseconds, rounded down; at least 1. */
uint32_t option_duration_ms(const char *option, const char *word);
/* A port from 1 to 65535. */
uint16_t option_port(const char *option, const char *word);
/* One of two words. Returns true for the first. */
bool option_choice(const char *option, const char *word, const char *first, const char *second);

#endif
