/* SPDX-License-Identifier: MIT */
#include "fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fail_errno(const char *what)
{
	fprintf(stderr, "wp2pd: %s: %s\n", what, strerror(errno));
	exit(1);
}

void refuse(const char *format, ...)
{
	va_list words;

	va_start(words, format);
	fputs("wp2pd: ", stderr);
	vfprintf(stderr, format, words);
	fputc('\n', stderr);
	va_end(words);
	exit(2);
}
