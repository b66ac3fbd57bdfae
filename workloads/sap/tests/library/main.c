/* SPDX-License-Identifier: MIT */
/* Runs tests: without arguments it lists them, else it runs those that are named. */
#include <string.h>

#include "check.h"
#include "table.h"

static const struct test *find(const char *name)
{
	for (const struct test *const *table = tables; *table; table++) {
		for (const struct test *test = *table; test->name; test++) {
			if (!name)
				puts(test->name);
			else if (strcmp(name, test->name) == 0)
				return test;
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc == 1)
		find(NULL);
	for (int i = 1; i < argc; i++) {
		const struct test *const test = find(argv[i]);

		if (!test) {
			fprintf(stderr, "no test %s\n", argv[i]);
			return 2;
		}
		test->run();
	}
	return 0;
}
