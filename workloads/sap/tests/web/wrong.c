// SPDX-License-Identifier: MIT
/* What the detectors must find: "leak" loses memory, "read" decides by memory that nobody wrote. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	char *block = malloc(100);

	if (argc > 1 && !strcmp(argv[1], "read") && block[50])
		puts("set");
	if (argc > 1 && !strcmp(argv[1], "leak"))
		block = NULL;
	free(block);
	return argc > 1 && !strcmp(argv[1], "three") ? 3 : 0;
}
