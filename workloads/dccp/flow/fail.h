/* SPDX-License-Identifier: MIT */
/* Error messages, and the exits after them. */
#ifndef FLOW_FAIL_H
#define FLOW_FAIL_H

/* Prints "flow: what: reason of errno"; exits with status 1. */
_Noreturn void fail_errno(const char *what);
/* For mistakes of the user: prints "flow: message"; exits with status 2. */
_Noreturn void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
