/* SPDX-License-Identifier: MIT */
/* The command line of a program with verbs: sap-NAME VERB --option word ... */
#ifndef APPS_COMMAND_H
#define APPS_COMMAND_H

#include <getopt.h>
#include <stddef.h>

struct verb {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the verb; returns the exit status */
};

/*
 * Runs the verb that argv[1] names; returns the program's exit status. --help, instead of the verb or right behind
 * it, prints the usage on stdout. Without a verb, or with an unknown one, the usage goes to stderr and the status is 2.
 */
int command_run(const char *usage, const struct verb *verbs, size_t count, int argc, char **argv);

/*
 * Gives take() each option by its struct option's val, with its word (NULL: it takes none). Ends the program with status
 * 2 where an option is unknown, lacks its word, or a word stands alone.
 */
void command_options(int argc, char **argv, const struct option *options,
		     void (*take)(void *context, int option, const char *word), void *context);

#endif
