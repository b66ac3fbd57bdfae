/* SPDX-License-Identifier: MIT */
/* The tests of a program: main.c runs them by name. */
#ifndef TABLE_H
#define TABLE_H

struct test {
	const char *name;
	void (*run)(void);
};

#define TEST(function) { #function, function }
#define END_OF_TESTS { 0 }

/* Those of the program, up to NULL. */
extern const struct test *const tables[];

#endif
