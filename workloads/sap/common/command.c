/* SPDX-License-Identifier: MIT */
/* Subcommands and their options. */
#include "command.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

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
