/* SPDX-License-Identifier: MIT */
/* Error messages, and the exits after them. */
#ifndef APPS_ERRORS_H
#define APPS_ERRORS_H

#include "sap_types.h"

/* Prints "program: what: reason" and exits with status 1. error: a libsap error; SAP_ERR_SYSTEM prints errno. */
_Noreturn void fail(const char *what, int error);
/* Same as fail(what, SAP_ERR_SYSTEM). */
_Noreturn void fail_errno(const char *what);
/* Calls fail() if error is negative. */
void must(int error, const char *what);
/* For mistakes of the user: prints "program: message" and exits with status 2. */
_Noreturn void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Name of the program in messages. */
extern const char *program;

#endif
