/* SPDX-License-Identifier: MIT */
#include "fail.h"

#include <err.h>
#include <stdarg.h>

void fail_errno(const char *what)
{
	err(1, "%s", what);
}

void refuse(const char *format, ...)
{
	va_list words;

	va_start(words, format);
	verrx(2, format, words);
}
