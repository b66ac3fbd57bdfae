/* SPDX-License-Identifier: MIT */
/* What is written on a command line: numbers with units. */
#ifndef APPS_WORDS_H
#define APPS_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* A whole number in decimal digits, least to most. False: it is something else. */
bool word_number(const char *word, uint64_t least, uint64_t most, uint64_t *value);

/*
 * Bytes: 4096, 10M, 10MiB (both 10 * 2^20) or 10MB (10^7); K and G likewise, as in GNU's programs; B behind a plain
 * number is allowed. False: something else.
 */
bool word_bytes(const char *word, uint64_t *bytes);

/* A duration with its unit: 5ms, 250us, 1.5s, 100ns. False: no unit, or something else. */
bool word_duration(const char *word, uint64_t *ns);

/* The same for options: a mistake ends the program and says what to write. */
uint64_t option_number(const char *option, const char *word, uint64_t least, uint64_t most);
uint64_t option_bytes(const char *option, const char *word);
uint64_t option_duration(const char *option, const char *word);
/* In whole milliseconds, at least one; what is finer is cut off. */
uint32_t option_duration_ms(const char *option, const char *word);
/* 1 to 65535. */
uint16_t option_port(const char *option, const char *word);
/* One of two words; returns whether it is the first. */
bool option_choice(const char *option, const char *word, const char *first, const char *second);

#endif
