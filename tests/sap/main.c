/* SPDX-License-Identifier: MIT */
/* Tests of the core. `unit` lists them, `unit NAME` runs one, `unit all` runs all. */
#include <string.h>

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

int main(int argc, char **argv)
{
	static const struct test *const tables[] = { pieces_tests, conversation_tests, sending_tests, attack_tests };
	unsigned int ran = 0;

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		for (const struct test *test = tables[i]; test->name; test++) {
			if (argc == 1)
				puts(test->name);
			if (argc > 1 && (strcmp(argv[1], test->name) == 0 || strcmp(argv[1], "all") == 0)) {
				test->run();
				ran++;
			}
		}
	}
	if (argc > 1 && !ran)
		fprintf(stderr, "no test %s\n", argv[1]);
	return argc > 1 && !ran;
}
