/* SPDX-License-Identifier: MIT */
/* What the files of tests share. Each has a table; tables_unit.c and tables_sockets.c put them together. */
#ifndef TESTS_H
#define TESTS_H

#include "pair.h"
#include "table.h"
#include "wire.h"

#define MS UINT64_C(1000000)
#define LONG UINT64_C(600000000000) /* more than any test takes */

extern const struct test pieces_tests[], conversation_tests[], sending_tests[], attack_tests[], options_tests[],
	socket_tests[];

/* Small: 64 bytes of payload, 16 datagrams of either kind. */
struct sap_core_config test_config(enum sap_control control);

/* A pair that is connected and quiet, with this fate of what follows (NULL: all passes). */
struct pair *test_connected(const struct sap_core_config *config, fate_function *fate);

struct sap_stats test_stats(const struct pair *pair, unsigned int side);
struct sap_core_estimates test_estimates(const struct pair *pair, unsigned int side);

/* Steps until nothing happens within a while, without receiving. */
void test_settle(struct pair *pair, uint64_t for_ns);

#endif
