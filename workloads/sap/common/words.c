/* SPDX-License-Identifier: MIT */
/* Parses numbers with units from the command line. */
#include "words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "report.h"

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

uint64_t option_number(const char *option, const char *word, uint64_t least, uint64_t most)
{
	uint64_t value;

	if (!word_number(word, least, most, &value))
		refuse("--%s %s: must be a whole number from %" PRIu64 " to %" PRIu64, option, word, least,
		       most);
	return value;
}

uint64_t option_bytes(const char *option, const char *word)
{
	uint64_t bytes;

	if (!word_bytes(word, &bytes) || !bytes)
		refuse("--%s %s: must be a number of bytes, for example 10M (MiB), 10MB or 4096", option,
		       word);
	return bytes;
}

uint64_t option_duration(const char *option, const char *word)
{
	uint64_t ns;

	if (!word_duration(word, &ns) || !ns)
		refuse("--%s %s: must be a duration with a unit, for example 5ms, 250us or 1.5s", option,
		       word);
	return ns;
}

uint32_t option_duration_ms(const char *option, const char *word)
{
	const uint64_t ms = option_duration(option, word) / 1000000;

	if (!ms || ms > UINT32_MAX)
		refuse("--%s %s: must be from 1ms to 49 days", option, word);
	return (uint32_t)ms;
}

uint16_t option_port(const char *option, const char *word)
{
	return (uint16_t)option_number(option, word, 1, UINT16_MAX);
}

bool option_choice(const char *option, const char *word, const char *first, const char *second)
{
	const bool is_first = !strcmp(word, first);

	if (!is_first && strcmp(word, second))
		refuse("--%s %s: must be %s or %s", option, word, first, second);
	return is_first;
}
