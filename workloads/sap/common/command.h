/* SPDX-License-Identifier: MIT */
/* Command line of a program with subcommands (verbs): sap-NAME VERB --option VALUE ... */
#ifndef APPS_COMMAND_H
#define APPS_COMMAND_H

#include <getopt.h>
#include <stddef.h>

struct verb {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the verb; returns the exit status */
};

/*
 * Runs the verb named by argv[1] and returns the program's exit status. --help, in place of the verb or directly after
 * it, prints the usage on stdout. If the verb is missing or unknown, prints the usage on stderr and returns 2.
 */
int command_run(const char *usage, const struct verb *verbs, size_t count, int argc, char **argv);

/*
 * Calls set() for each option with the val of its struct option and its value (NULL if it takes none). Exits with
 * status 2 if an option is unknown, lacks its value, or an argument is not an option.
 */
void command_options(int argc, char **argv, const struct option *options,
		     void (*set)(void *context, int option, const char *value), void *context);

#endif
