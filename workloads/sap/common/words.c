/* SPDX-License-Identifier: MIT */
/* Parses numbers with units. */
#include "words.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* Parses the digits that *word starts with and advances *word. False: no digits, or more than 64 bits. */
static bool digits(const char **word, uint64_t *value)
{
	if (!isdigit((unsigned char)**word))
		return false;
	for (*value = 0; isdigit((unsigned char)**word); (*word)++) {
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(**word - '0'), value))
			return false;
	}
	return true;
}

bool word_number(const char *word, uint64_t least, uint64_t most, uint64_t *value)
{
	return digits(&word, value) && !*word && *value >= least && *value <= most;
}

bool word_bytes(const char *word, uint64_t *bytes)
{
	static const struct {
		const char *unit;
		uint64_t bytes;
	} units[] = {
		{ "", 1 }, { "B", 1 }, { "KB", 1000 }, { "kB", 1000 }, { "MB", 1000000 }, { "GB", 1000000000 },
		{ "K", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 },
		{ "KiB", 1 << 10 }, { "MiB", 1 << 20 }, { "GiB", 1 << 30 },
	};

	if (!digits(&word, bytes))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(word, units[i].unit))
			return !__builtin_mul_overflow(*bytes, units[i].bytes, bytes);
	}
	return false;
}

bool word_duration(const char *word, uint64_t *ns)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	uint64_t whole, fraction = 0, scale = 1;

	if (!digits(&word, &whole))
		return false;
	if (*word == '.') {
		word++;
		if (!isdigit((unsigned char)*word))
			return false;
		for (; isdigit((unsigned char)*word); word++) {
			if (scale >= 1000000000)
				return false;
			scale *= 10;
			fraction = fraction * 10 + (uint64_t)(*word - '0');
		}
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(word, units[i].unit))
			continue;
		if (fraction * units[i].ns % scale || __builtin_mul_overflow(whole, units[i].ns, ns))
			return false;
		return !__builtin_add_overflow(*ns, fraction * units[i].ns / scale, ns);
	}
	return false;
}
