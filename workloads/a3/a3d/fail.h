/* SPDX-License-Identifier: MIT */
#ifndef A3D_FAIL_H
#define A3D_FAIL_H

/* Print what failed, with errno, and end the program with 1. */
_Noreturn void fail_errno(const char *what);

/* Print why the program cannot do this, and end it with 2. */
__attribute__((format(printf, 1, 2))) _Noreturn void refuse(const char *format, ...);

#endif
