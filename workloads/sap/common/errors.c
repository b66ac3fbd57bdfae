/* SPDX-License-Identifier: MIT */
/* Error messages and exits. */
#include "errors.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *program = "sap";

void fail(const char *what, int error)
{
	const char *why = error == SAP_ERR_SYSTEM ? strerror(errno) : sap_strerror(error);

	fprintf(stderr, "%s: %s: %s\n", program, what, why);
	exit(1);
}

void must(int error, const char *what)
{
	if (error < 0)
		fail(what, error);
}

void fail_errno(const char *what)
{
	fail(what, SAP_ERR_SYSTEM);
}

void refuse(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: ", program);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(2);
}
