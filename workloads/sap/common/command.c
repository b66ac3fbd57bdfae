/* SPDX-License-Identifier: MIT */
/* Subcommands and their options. */
#include "command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "errors.h"
#include "words.h"

static bool asks_for_help(int argc, char **argv)
{
	return (argc >= 2 && !strcmp(argv[1], "--help")) || (argc >= 3 && !strcmp(argv[2], "--help"));
}

int command_run(const char *usage, const struct verb *verbs, size_t count, int argc, char **argv)
{
	if (asks_for_help(argc, argv)) {
		fputs(usage, stdout);
		return 0;
	}
	for (size_t i = 0; argc >= 2 && i < count; i++) {
		if (!strcmp(argv[1], verbs[i].name))
			return verbs[i].run(argc - 1, argv + 1);
	}
	fputs(usage, stderr);
	return 2;
}

void command_options(int argc, char **argv, const struct option *options,
		     void (*set)(void *context, int option, const char *value), void *context)
{
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == '?')
			exit(2); /* getopt_long() has printed the reason */
		set(context, option, optarg);
	}
	if (optind < argc)
		refuse("%s: unexpected argument; only options are allowed here", argv[optind]);
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
