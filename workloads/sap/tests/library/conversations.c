/* SPDX-License-Identifier: MIT */
/* Whole conversations: over good channels, over every bad one that is small enough to try all, over many at random. */
#include "check.h"
#include "tests.h"

static void handshake(void)
{
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);
	struct pair *pair = pair_new(&config, 1, NULL);
	uint8_t byte = 0;

	CHECK_EQUAL(sap_core_send(pair->sides[CONNECTS].core, &byte, 1, 1, true), SAP_ERR_AGAIN);
	CHECK_EQUAL(sap_core_send(pair->sides[LISTENS].core, &byte, 1, 1, true), SAP_ERR_UNCONNECTED);
	CHECK_EQUAL(sap_core_fin(pair->sides[LISTENS].core), SAP_ERR_UNCONNECTED);
	pair_output(pair);
	CHECK_EQUAL(pair->on_wire, 1); /* PING */
	pair_step(pair, LONG);
	CHECK_EQUAL(pair->on_wire, 2); /* PING_ACK, and nothing kept */
	CHECK(!(sap_core_ready(pair->sides[LISTENS].core, true) & SAP_CONNECTED));
	CHECK_EQUAL(sap_core_peer(pair->sides[LISTENS].core).length, 0);
	pair_step(pair, LONG);
	CHECK(sap_core_ready(pair->sides[CONNECTS].core, true) & SAP_CONNECTED);
	pair_step(pair, LONG);
	CHECK(sap_core_ready(pair->sides[LISTENS].core, true) & SAP_CONNECTED);
	CHECK_EQUAL(sap_core_peer(pair->sides[LISTENS].core).bytes[1], CONNECTS);
	CHECK_EQUAL(pair->now_ns, 1000 * MS + 3 * MS);
	pair_step(pair, LONG);
	CHECK(!pair_step(pair, LONG)); /* all is quiet */
	CHECK_EQUAL(pair->on_wire, 4);
	pair_free(pair);
}

/* All three kinds both ways, over a good channel: what is on the wire, and what is reported about each. */
static void kinds(enum sap_control control)
{
	struct sap_core_config config = test_config(control);
	struct pair *pair = test_connected(&config, NULL);
	struct sap_message message;
	uint8_t bytes[64];

	CHECK_EQUAL(pair_send(pair, CONNECTS, 10, 10, true), SAP_OK);
	CHECK_EQUAL(pair_send(pair, CONNECTS, 20, 0, false), SAP_OK);
	CHECK_EQUAL(pair_send(pair, CONNECTS, 21, 4, false), SAP_OK);
	CHECK(pair_run(pair, CONNECTS, SAP_FLUSHED, LONG));
	CHECK_EQUAL(pair_send(pair, CONNECTS, 30, 5, true), SAP_OK);
	test_settle(pair, 5 * MS);
	CHECK_EQUAL(sap_core_receive(pair->sides[LISTENS].core, bytes, 29, &message), SAP_ERR_TOO_SHORT);
	CHECK_EQUAL(message.length, 30);
	CHECK_EQUAL(sap_core_receive(pair->sides[LISTENS].core, bytes, 30, &message), SAP_OK);
	CHECK(message.guaranteed && message.precise == 5 && message.number == 1 && message.after == 2);
	pair->sides[LISTENS].taken_guaranteed++;
	CHECK_EQUAL(sap_core_receive(pair->sides[LISTENS].core, bytes, 30, &message), SAP_ERR_AGAIN);
	CHECK_EQUAL(pair_send(pair, LISTENS, 0, 0, true), SAP_OK); /* empty ones too */
	CHECK_EQUAL(pair_send(pair, LISTENS, 0, 0, false), SAP_OK);
	CHECK_EQUAL(pair_send(pair, LISTENS, 64, 64, false), SAP_OK);
	CHECK_EQUAL(pair_fin(pair, LISTENS), SAP_OK);
	CHECK(pair_run(pair, LISTENS, SAP_FLUSHED, LONG));
	CHECK(pair->sides[CONNECTS].ended);
	CHECK_EQUAL(pair_send(pair, LISTENS, 1, 1, true), SAP_ERR_CLOSED);
	CHECK_EQUAL(pair_send(pair, CONNECTS, 1, 1, true), SAP_OK); /* the other direction continues */
	CHECK_EQUAL(pair_fin(pair, CONNECTS), SAP_OK);
	CHECK(pair_run(pair, CONNECTS, SAP_DONE, LONG));
	CHECK(pair_run(pair, LISTENS, SAP_DONE, LONG));
	CHECK_EQUAL(test_stats(pair, CONNECTS).retransmitted + test_stats(pair, LISTENS).retransmitted, 0);
	CHECK_EQUAL(pair->sides[LISTENS].taken_approximate, 2);
	CHECK_EQUAL(pair->sides[CONNECTS].taken_approximate, 2);
	pair_check_stats(pair);
	pair_free(pair);
}

static void kinds_stop_and_wait(void)
{
	kinds(SAP_STOP_AND_WAIT);
}

static void kinds_window(void)
{
	kinds(SAP_WINDOW);
}

static void arguments(void)
{
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);
	struct pair *pair = test_connected(&config, NULL);
	struct sap_core *const core = pair->sides[CONNECTS].core;
	uint8_t bytes[65] = { 0 };
	struct sap_output out;

	CHECK_EQUAL(sap_core_send(core, bytes, 65, 65, true), SAP_ERR_TOO_LONG);
	CHECK_EQUAL(sap_core_send(core, bytes, 10, 11, true), SAP_ERR_ARGUMENT);
	CHECK_EQUAL(sap_core_send(core, bytes, 10, 0, true), SAP_ERR_ARGUMENT);
	CHECK_EQUAL(sap_core_send(core, bytes, 10, 10, true), SAP_OK);
	CHECK_EQUAL(sap_core_send(core, bytes, 10, 0, false), SAP_ERR_AGAIN); /* the last one is not out yet */
	CHECK(!sap_core_output(core, bytes, sizeof(bytes), &out, pair->now_ns)); /* too little room */
	pair_free(pair);
}

struct pattern {
	unsigned int fates;	/* digits base fates: the fate of each of the first datagrams */
	unsigned int code;
	unsigned int digits;
};

static enum fate pattern_fate(struct pair *pair, uint64_t index)
{
	const struct pattern *const pattern = pair->context;
	unsigned int code = pattern->code;

	if (index >= pattern->digits)
		return PASSES;
	for (uint64_t i = 0; i < index; i++)
		code /= pattern->fates;
	return (enum fate)(code % pattern->fates);
}

/* A whole conversation over a channel with that fate of each of the first datagrams: it always ends well. */
static void converse(enum sap_control control, struct pattern *pattern)
{
	struct sap_core_config config = test_config(control);
	struct pair *pair;

	config.first_number = UINT32_MAX - 1; /* numbers wrap on the way */
	pair = pair_new(&config, pattern->code + 1, pattern_fate);
	pair->context = pattern;
	CHECK(pair_run(pair, CONNECTS, SAP_CONNECTED, LONG));
	for (int i = 0; i < 3; i++) {
		CHECK(pair_run(pair, CONNECTS, SAP_WRITABLE, LONG));
		CHECK_EQUAL(pair_send(pair, CONNECTS, 12, i == 1 ? 3 : 12, true), SAP_OK);
		CHECK_EQUAL(pair_send(pair, CONNECTS, 12, 0, false), SAP_OK);
	}
	CHECK(pair_run(pair, LISTENS, SAP_CONNECTED | SAP_WRITABLE, LONG));
	CHECK_EQUAL(pair_send(pair, LISTENS, 9, 9, true), SAP_OK);
	CHECK_EQUAL(pair_fin(pair, CONNECTS), SAP_OK);
	CHECK_EQUAL(pair_fin(pair, LISTENS), SAP_OK);
	CHECK(pair_run(pair, CONNECTS, SAP_DONE, LONG));
	CHECK(pair_run(pair, LISTENS, SAP_DONE, LONG));
	CHECK(!(sap_core_ready(pair->sides[CONNECTS].core, true) & SAP_FAILED));
	CHECK(!(sap_core_ready(pair->sides[LISTENS].core, true) & SAP_FAILED));
	CHECK_EQUAL(pair->sides[LISTENS].taken_guaranteed, 3);
	CHECK_EQUAL(pair->sides[CONNECTS].taken_guaranteed, 1);
	CHECK(pair->sides[LISTENS].ended && pair->sides[CONNECTS].ended);
	pair_check_stats(pair);
	pair_free(pair);
}

static void every_pattern(enum sap_control control, unsigned int fates, unsigned int digits)
{
	struct pattern pattern = { .fates = fates, .digits = digits };
	unsigned int codes = 1;

	for (unsigned int i = 0; i < digits; i++)
		codes *= fates;
	for (; pattern.code < codes; pattern.code++)
		converse(control, &pattern);
}

/* Every way to lose some of the first twelve datagrams, then every fate of each of the first six. */
static void every_loss_stop_and_wait(void)
{
	every_pattern(SAP_STOP_AND_WAIT, LOST + 1, 12);
}

static void every_loss_window(void)
{
	every_pattern(SAP_WINDOW, LOST + 1, 12);
}

static void every_fate_stop_and_wait(void)
{
	every_pattern(SAP_STOP_AND_WAIT, DAMAGED + 1, 6);
}

static void every_fate_window(void)
{
	every_pattern(SAP_WINDOW, DAMAGED + 1, 6);
}

static enum fate bad_channel(struct pair *pair, uint64_t index)
{
	const uint64_t dice = next_random(&pair->random) % 100;

	(void)index;
	if (dice < 60)
		return PASSES;
	if (dice < 75)
		return LOST;
	if (dice < 80)
		return DOUBLED;
	if (dice < 85)
		return DELAYED;
	return dice < 95 ? DAMAGED : DAMAGED_TAIL;
}

/* Hundreds of datagrams of every kind both ways over a channel that spoils two of five; seeds differ. */
static void long_conversation(enum sap_control control, uint64_t seed)
{
	struct sap_core_config config = test_config(control);
	const uint32_t count = 300;
	struct pair *pair;

	config.first_number = UINT32_MAX - 100;
	config.rto_min_ns = 20 * MS;
	config.give_up_ns = 100000 * MS;
	config.linger_ns = 100000 * MS;
	pair = pair_new(&config, seed, bad_channel);
	for (uint32_t i = 0; i < count; i++) {
		for (unsigned int side = 0; side < SIDES; side++) {
			const size_t length = next_random(&pair->random) % 65;
			const size_t head = length ? 1 + next_random(&pair->random) % length : 0;

			CHECK(pair_run(pair, side, SAP_CONNECTED | SAP_WRITABLE, LONG));
			CHECK_EQUAL(pair_send(pair, side, length, head, true), SAP_OK);
			CHECK_EQUAL(pair_send(pair, side, length, i % 2 ? head : 0, false), SAP_OK);
		}
	}
	CHECK_EQUAL(pair_fin(pair, CONNECTS), SAP_OK);
	CHECK_EQUAL(pair_fin(pair, LISTENS), SAP_OK);
	CHECK(pair_run(pair, CONNECTS, SAP_FLUSHED, LONG));
	CHECK(pair_run(pair, LISTENS, SAP_FLUSHED, LONG));
	for (unsigned int side = 0; side < SIDES; side++) {
		const struct sap_stats stats = test_stats(pair, side);

		CHECK_EQUAL(pair->sides[side].taken_guaranteed, count);
		CHECK(pair->sides[side].ended);
		/* the channel did what it should, and the counters saw it */
		CHECK(stats.rejected_damaged && stats.duplicates && stats.retransmitted && stats.lost_approximate);
		CHECK(pair->sides[side].wrong_bits);
		CHECK_EQUAL(stats.sent_guaranteed, count);
		CHECK_EQUAL(stats.sent_approximate, count);
		CHECK(pair->sides[side].taken_approximate > count / 2);
	}
	pair_check_stats(pair);
	pair_free(pair);
}

static void bad_channel_stop_and_wait(void)
{
	for (uint64_t seed = 1; seed <= 20; seed++)
		long_conversation(SAP_STOP_AND_WAIT, seed);
}

static void bad_channel_window(void)
{
	for (uint64_t seed = 1; seed <= 20; seed++)
		long_conversation(SAP_WINDOW, seed);
}

const struct test conversation_tests[] = {
	TEST(handshake),
	TEST(kinds_stop_and_wait),
	TEST(kinds_window),
	TEST(arguments),
	TEST(every_loss_stop_and_wait),
	TEST(every_loss_window),
	TEST(every_fate_stop_and_wait),
	TEST(every_fate_window),
	TEST(bad_channel_stop_and_wait),
	TEST(bad_channel_window),
	END_OF_TESTS,
};
