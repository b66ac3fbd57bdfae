/* SPDX-License-Identifier: MIT */
#include "tests.h"

const struct test *const tables[] = { socket_tests, NULL };
