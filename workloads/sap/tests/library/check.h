/* SPDX-License-Identifier: MIT */
/* The least that a test in C needs: a check that says where it failed. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

/* abort(), so that fuzzers and sanitizers show where. */
#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: %s: not so: %s\n", __FILE__, __LINE__, __func__, #condition); \
			abort(); \
		} \
	} while (0)

/* The same of two whole numbers, which it prints. */
#define CHECK_EQUAL(left, right) \
	do { \
		const long long left_ = (long long)(left), right_ = (long long)(right); \
		if (left_ != right_) { \
			fprintf(stderr, "%s:%d: %s: %s is %lld, not %s, %lld\n", __FILE__, __LINE__, __func__, #left, \
				left_, #right, right_); \
			abort(); \
		} \
	} while (0)

#endif
