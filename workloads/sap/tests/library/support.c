/* SPDX-License-Identifier: MIT */
/* Functions that the tests of the core share: tests.h. */
#include "check.h"
#include "tests.h"

struct sap_core_config test_config(enum sap_control control)
{
	struct sap_core_config config;

	sap_core_config_init(&config);
	config.control = control;
	config.payload_bytes = 64;
	config.window = 16;
	config.approximate_queue = 16;
	return config;
}

void test_settle(struct pair *pair, uint64_t for_ns)
{
	const uint64_t until_ns = pair->now_ns + for_ns;

	while (pair_step(pair, until_ns))
		;
	pair->now_ns = until_ns;
}

struct pair *test_connected(const struct sap_core_config *config, fate_function *fate)
{
	struct pair *const pair = pair_new(config, 1, NULL);

	CHECK(pair_run(pair, LISTENS, SAP_CONNECTED, LONG));
	test_settle(pair, 10 * MS);
	pair->on_wire = 0;
	pair->fate = fate;
	return pair;
}

struct sap_stats test_stats(const struct pair *pair, unsigned int side)
{
	struct sap_stats stats;

	sap_core_get_stats(pair->sides[side].core, &stats);
	return stats;
}

struct sap_core_estimates test_estimates(const struct pair *pair, unsigned int side)
{
	struct sap_core_estimates estimates;

	sap_core_get_estimates(pair->sides[side].core, &estimates);
	return estimates;
}

