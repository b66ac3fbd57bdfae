/* SPDX-License-Identifier: MIT */
#include "tests.h"

const struct test *const tables[] = { pieces_tests, conversation_tests, sending_tests, attack_tests, options_tests,
					NULL };
