/* SPDX-License-Identifier: MIT */
/*
 * Two cores that keep the rules, over a channel whose every fate the bytes decide, as they decide what the applications
 * do. When they are used up the channel is good: then everything has to be delivered and to end. pair.c checks all the
 * promises on the way.
 */
#include "../check.h"
#include "../pair.h"
#include "fuzz.h"

static enum fate fate(struct pair *pair, uint64_t index)
{
	struct reader *const reader = pair->context;

	(void)index;
	return reader->length ? (enum fate)(read_byte(reader) % FATES) : PASSES;
}

static void step(struct pair *pair, struct reader *reader)
{
	const uint8_t what = read_byte(reader);
	const unsigned int side = what / 8 % 2;
	const size_t length = read_byte(reader) % 33;
	int error = SAP_OK;

	switch (what % 8) {
	case 0:
		error = pair_send(pair, side, length, length, true);
		break;
	case 1:
		error = pair_send(pair, side, length, length ? 1 + what / 16 % length : 0, true);
		break;
	case 2:
		error = pair_send(pair, side, length, length / 2, false);
		break;
	case 3:
		pair_receive(pair, side);
		break;
	case 4:
		if (what > 200)
			error = pair_fin(pair, side);
		break;
	default:
		/* not so far that anybody could give up: that would be an end too, but not the one checked here */
		pair_step(pair, pair->now_ns + UINT64_C(100000000));
	}
	CHECK(error == SAP_OK || error == SAP_ERR_AGAIN || error == SAP_ERR_UNCONNECTED || error == SAP_ERR_CLOSED);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct reader reader = { bytes, length > 600 ? 600 : length };
	const uint64_t never = UINT64_C(1) << 62;
	struct sap_core_config config;
	struct pair *pair;

	sap_core_config_init(&config);
	config.control = read_byte(&reader) % 2 ? SAP_WINDOW : SAP_STOP_AND_WAIT;
	config.payload_bytes = 32;
	config.window = 1 + read_byte(&reader) % 32;
	config.approximate_queue = 1 + read_byte(&reader) % 8;
	config.first_number = (uint32_t)(int8_t)read_byte(&reader);
	config.give_up_ns = UINT64_C(1000000000000000);
	config.linger_ns = config.give_up_ns;
	pair = pair_new(&config, 1, fate);
	pair->context = &reader;
	while (reader.length)
		step(pair, &reader);
	CHECK(pair_run(pair, LISTENS, SAP_CONNECTED, never));
	for (unsigned int side = 0; side < SIDES; side++)
		CHECK_EQUAL(pair_fin(pair, side), SAP_OK);
	for (unsigned int side = 0; side < SIDES; side++)
		CHECK(pair_run(pair, side, SAP_FLUSHED | SAP_ENDED, never));
	pair_check_stats(pair);
	pair_free(pair);
	return 0;
}
