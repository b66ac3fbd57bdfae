/* SPDX-License-Identifier: MIT */
/* Command line of a program with subcommands (verbs): sap-NAME VERB --option VALUE ... */
#ifndef APPS_COMMAND_H
#define APPS_COMMAND_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/*
 * Parse the value of an option: a number, bytes or a duration as in words.h. If it is invalid, they exit with a message
 * that says what to write.
 */
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
