/* SPDX-License-Identifier: MIT */
/* When what is sent: windows, timers, losses, room at the receiver. */
#include "check.h"
#include "tests.h"

/* Loses the datagrams whose bits are set in *context. */
static enum fate lost_by_mask(struct pair *pair, uint64_t index)
{
	const uint64_t *const mask = pair->context;

	return index < 64 && *mask >> index & 1 ? LOST : PASSES;
}

static enum fate lost_always(struct pair *pair, uint64_t index)
{
	(void)pair;
	(void)index;
	return LOST;
}

/* The paper's precise mode: one in flight, so one datagram per round trip, whatever the window is. */
static void one_in_flight(void)
{
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);
	struct pair *const pair = test_connected(&config, NULL);
	const uint64_t begin_ns = pair->now_ns;

	for (int i = 0; i < 100; i++) {
		CHECK(pair_run(pair, CONNECTS, SAP_WRITABLE, LONG));
		CHECK_EQUAL(pair_send(pair, CONNECTS, 64, 64, true), SAP_OK);
		CHECK_EQUAL(pair_send(pair, CONNECTS, 64, 64, true), SAP_ERR_AGAIN);
	}
	CHECK(pair_run(pair, CONNECTS, SAP_FLUSHED, LONG));
	CHECK_EQUAL(pair->busy_most, 1);
	CHECK_EQUAL(pair->now_ns - begin_ns, 100 * 2 * pair->delay_ns);
	CHECK_EQUAL(pair->on_wire, 200); /* each with an ACK of its own */
	pair_free(pair);
}

/* ... with a fixed timeout, which does not grow. */
static void fixed_timeout(void)
{
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);
	struct pair *const pair = test_connected(&config, lost_by_mask);
	const uint64_t begin_ns = pair->now_ns;
	uint64_t mask = 0x1f;

	pair->context = &mask;
	CHECK_EQUAL(pair_send(pair, CONNECTS, 64, 64, true), SAP_OK);
	CHECK(pair_run(pair, CONNECTS, SAP_FLUSHED, LONG));
	CHECK_EQUAL(pair->now_ns - begin_ns, 5 * config.rto_ns + 2 * pair->delay_ns);
	CHECK_EQUAL(test_stats(pair, CONNECTS).retransmitted, 5);
	CHECK_EQUAL(test_stats(pair, CONNECTS).timeouts, 5);
	CHECK_EQUAL(test_stats(pair, CONNECTS).retransmitted_fast, 0);
	pair_free(pair);
}

/* Fills the window as often as there is room, until count were sent and acknowledged. */
static void pour(struct pair *pair, uint32_t count)
{
	while (pair->sides[CONNECTS].sent_guaranteed < count) {
		const int error = pair_send(pair, CONNECTS, 64, 64, true);

		CHECK(!error || error == SAP_ERR_AGAIN);
		if (error)
			CHECK(pair_run(pair, CONNECTS, SAP_WRITABLE, LONG));
	}
	CHECK(pair_run(pair, CONNECTS, SAP_FLUSHED, LONG));
}

/* Slow start: 10, 20, 40, 80, ... datagrams a round trip. */
static void slow_start(void)
{
	struct sap_core_config config = test_config(SAP_WINDOW);
	struct pair *pair;
	uint64_t begin_ns;

	config.window = SAP_WINDOW_MAX;
	pair = test_connected(&config, NULL);
	begin_ns = pair->now_ns;
	pour(pair, 10 + 20 + 40 + 80);
	CHECK_EQUAL(pair->now_ns - begin_ns, 4 * 2 * pair->delay_ns);
	CHECK_EQUAL(pair->busy_most, 80);
	CHECK(test_estimates(pair, CONNECTS).congestion_window >= 80);
	CHECK_EQUAL(test_estimates(pair, CONNECTS).srtt_ns, 2 * pair->delay_ns);
	CHECK_EQUAL(test_estimates(pair, CONNECTS).rto_ns, config.rto_min_ns);
	pair_free(pair);
}

/* An application that sends little does not grow the window. */
static void unused_window(void)
{
	struct sap_core_config config = test_config(SAP_WINDOW);
	struct pair *const pair = test_connected(&config, NULL);

	for (uint32_t i = 1; i <= 50; i++)
		pour(pair, i);
	CHECK_EQUAL(test_estimates(pair, CONNECTS).congestion_window, 10);
	pair_free(pair);
}

/* One lost of a window: repeated once, after three later ones, without the timer, and the window is halved. */
static void fast_retransmit(void)
{
	struct sap_core_config config = test_config(SAP_WINDOW);
	struct pair *const pair = test_connected(&config, lost_by_mask);
	const uint64_t begin_ns = pair->now_ns;
	uint64_t mask = 1u << 2;

	pair->context = &mask;
	pour(pair, 10);
	CHECK_EQUAL(pair->now_ns - begin_ns, 2 * 2 * pair->delay_ns);
	CHECK_EQUAL(test_stats(pair, CONNECTS).retransmitted, 1);
	CHECK_EQUAL(test_stats(pair, CONNECTS).retransmitted_fast, 1);
	CHECK_EQUAL(test_stats(pair, CONNECTS).timeouts, 0);
	CHECK_EQUAL(test_estimates(pair, CONNECTS).congestion_window, 4); /* half of the 8 that were not acknowledged */
	pair_free(pair);
}

/* Two later datagrams at the peer do not indicate a loss; the timer does. */
static void two_later_ones(void)
{
	struct sap_core_config config = test_config(SAP_WINDOW);
	struct pair *const pair = test_connected(&config, lost_by_mask);
	uint64_t mask = 1;

	pair->context = &mask;
	pour(pair, 3);
	CHECK_EQUAL(test_stats(pair, CONNECTS).retransmitted, 1);
	CHECK_EQUAL(test_stats(pair, CONNECTS).retransmitted_fast, 0);
	CHECK_EQUAL(test_stats(pair, CONNECTS).timeouts, 1);
	pair_free(pair);
}

/* Several lost of one window are one event: each is repeated, and the window is halved once. */
static void several_lost(void)
{
	struct sap_core_config config = test_config(SAP_WINDOW);
	struct pair *const pair = test_connected(&config, lost_by_mask);
	uint64_t mask = 1u << 0 | 1u << 2 | 1u << 5;

	pair->context = &mask;
	pour(pair, 10);
	CHECK_EQUAL(test_stats(pair, CONNECTS).retransmitted, 3);
	CHECK_EQUAL(test_stats(pair, CONNECTS).retransmitted_fast, 3);
	CHECK_EQUAL(test_stats(pair, CONNECTS).timeouts, 0);
	CHECK_EQUAL(test_estimates(pair, CONNECTS).congestion_window, 5);
	pair_free(pair);
}

static enum fate doubled_by_mask(struct pair *pair, uint64_t index)
{
	return lost_by_mask(pair, index) == LOST ? DOUBLED : PASSES;
}

/* A channel that doubles everything: late copies do not indicate a loss. */
static void doubled_is_no_loss(void)
{
	struct sap_core_config config = test_config(SAP_WINDOW);
	struct pair *const pair = test_connected(&config, doubled_by_mask);
	uint64_t mask = UINT64_MAX;

	pair->context = &mask;
	pour(pair, 30);
	CHECK_EQUAL(test_stats(pair, CONNECTS).retransmitted, 0);
	CHECK(test_stats(pair, LISTENS).duplicates > 20);
	pair_free(pair);
}

/* All of a window lost: the timer, twice as long each time; then slow start from one. */
static void backoff(void)
{
	struct sap_core_config config = test_config(SAP_WINDOW);
	struct pair *const pair = test_connected(&config, lost_by_mask);
	const uint64_t begin_ns = pair->now_ns;
	uint64_t mask = (1u << 10) - 1 + (3u << 10);

	pair->context = &mask;
	for (int i = 0; i < 10; i++)
		CHECK_EQUAL(pair_send(pair, CONNECTS, 64, 64, true), SAP_OK);
	CHECK_EQUAL(pair_send(pair, CONNECTS, 64, 64, true), SAP_ERR_AGAIN);
	test_settle(pair, config.rto_ns);
	CHECK_EQUAL(pair->on_wire, 11); /* one, not ten */
	CHECK_EQUAL(test_estimates(pair, CONNECTS).congestion_window, 1);
	CHECK_EQUAL(test_estimates(pair, CONNECTS).rto_ns, 2 * config.rto_ns);
	CHECK(pair_run(pair, CONNECTS, SAP_FLUSHED, LONG));
	/* 50 + 100 + 200 ms, then 1, 2, 4 and 3 of the ten in a round trip each */
	CHECK_EQUAL(pair->now_ns - begin_ns, 7 * config.rto_ns + 4 * 2 * pair->delay_ns);
	CHECK_EQUAL(test_stats(pair, CONNECTS).timeouts, 3);
	pair_free(pair);
}

/* The timer of a connection grows up to a quarter of give_up_ns, so that there are always a few more attempts. */
static void capped_backoff(void)
{
	struct sap_core_config config = test_config(SAP_WINDOW);
	struct pair *const pair = test_connected(&config, lost_always);
	const uint64_t begin_ns = pair->now_ns;

	CHECK_EQUAL(pair_send(pair, CONNECTS, 64, 64, true), SAP_OK);
	CHECK(pair_run(pair, CONNECTS, SAP_FAILED, LONG));
	CHECK_EQUAL(pair->now_ns - begin_ns, config.give_up_ns);
	/* after 50, 150, 350, 750, 1550 and 3150 ms, then every 2500 ms */
	CHECK_EQUAL(test_stats(pair, CONNECTS).timeouts, 8);
	CHECK_EQUAL(test_estimates(pair, CONNECTS).rto_ns, config.give_up_ns / 4);
	pair_free(pair);
}

/* A receiver that does not receive stops the sender, loses nothing, and wakes it as soon as it receives. */
static void no_room(enum sap_control control)
{
	struct sap_core_config config = test_config(control);
	struct pair *const pair = test_connected(&config, NULL);
	uint64_t begin_ns;

	for (int i = 0; i < 100; i++) {
		(void)pair_send(pair, CONNECTS, 64, 64, true);
		pair_step(pair, LONG);
	}
	/* sixteen are kept there, one more asks for the window */
	CHECK_EQUAL(pair->sides[CONNECTS].sent_guaranteed, config.window + 1);
	CHECK_EQUAL(test_stats(pair, LISTENS).waiting, config.window);
	test_settle(pair, 3 * config.give_up_ns); /* however long it takes */
	CHECK(!(sap_core_ready(pair->sides[CONNECTS].core, true) & SAP_FAILED));
	CHECK(test_stats(pair, LISTENS).overruns > 0);
	begin_ns = pair->now_ns;
	pair_receive(pair, LISTENS);
	CHECK(pair_run(pair, CONNECTS, SAP_FLUSHED, LONG));
	CHECK_EQUAL(pair->now_ns - begin_ns, 3 * pair->delay_ns); /* news of the window, datagram, ACK */
	CHECK_EQUAL(pair->sides[LISTENS].taken_guaranteed, config.window + 1);
	pair_check_stats(pair);
	pair_free(pair);
}

static void no_room_stop_and_wait(void)
{
	no_room(SAP_STOP_AND_WAIT);
}

static void no_room_window(void)
{
	no_room(SAP_WINDOW);
}

/* A peer that is gone: after give_up_ns to the nanosecond, while connecting, sending or ending. */
static void gone_while_connecting(void)
{
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);
	struct pair *const pair = pair_new(&config, 1, lost_always);
	const uint64_t begin_ns = pair->now_ns;

	CHECK(pair_run(pair, CONNECTS, SAP_FAILED, LONG));
	CHECK_EQUAL(pair->now_ns - begin_ns, config.give_up_ns);
	CHECK_EQUAL(pair->on_wire, config.give_up_ns / config.rto_ns);
	CHECK_EQUAL(sap_core_next_ns(pair->sides[CONNECTS].core), SAP_NEVER);
	pair_free(pair);
}

static void gone(enum sap_control control)
{
	struct sap_core_config config = test_config(control);
	struct pair *const pair = test_connected(&config, lost_always);
	const uint64_t begin_ns = pair->now_ns;
	struct sap_message message;
	uint8_t bytes[64];

	CHECK_EQUAL(pair_send(pair, CONNECTS, 64, 64, true), SAP_OK);
	CHECK(pair_run(pair, CONNECTS, SAP_FAILED | SAP_DONE, LONG));
	CHECK_EQUAL(pair->now_ns - begin_ns, config.give_up_ns);
	CHECK_EQUAL(pair_send(pair, CONNECTS, 64, 64, true), SAP_ERR_UNREACHED);
	CHECK_EQUAL(pair_send(pair, CONNECTS, 64, 0, false), SAP_ERR_UNREACHED);
	CHECK_EQUAL(sap_core_fin(pair->sides[CONNECTS].core), SAP_ERR_UNREACHED);
	CHECK_EQUAL(sap_core_receive(pair->sides[CONNECTS].core, bytes, 64, &message), SAP_ERR_UNREACHED);
	pair_free(pair);
}

static void gone_stop_and_wait(void)
{
	gone(SAP_STOP_AND_WAIT);
}

static void gone_window(void)
{
	gone(SAP_WINDOW);
}

/* Silence is not a failure while nothing is awaited: the clock of give_up starts with what is sent. */
static void silence(void)
{
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);
	struct pair *const pair = test_connected(&config, NULL);

	test_settle(pair, 20 * config.give_up_ns);
	CHECK_EQUAL(pair->on_wire, 0);
	pour(pair, 1);
	CHECK_EQUAL(pair->on_wire, 2);
	pair_free(pair);
}

/* Approximate ones: sent once, gaps counted, those behind a lost guaranteed one are not held up, and say where from. */
static void approximate_overtakes(void)
{
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);
	struct pair *const pair = test_connected(&config, lost_by_mask);
	struct sap_message message;
	uint64_t mask = 1u << 0 | 1u << 2; /* the guaranteed one and the second approximate one */
	uint8_t bytes[64];

	pair->context = &mask;
	CHECK_EQUAL(pair_send(pair, CONNECTS, 8, 8, true), SAP_OK);
	for (int i = 0; i < 3; i++)
		CHECK_EQUAL(pair_send(pair, CONNECTS, 8, 0, false), SAP_OK);
	test_settle(pair, 10 * MS);
	for (uint32_t i = 0; i < 3; i += 2) {
		CHECK_EQUAL(sap_core_receive(pair->sides[LISTENS].core, bytes, sizeof(bytes), &message), SAP_OK);
		CHECK(!message.guaranteed && message.number == i && message.after == 1 && message.precise == 0);
	}
	CHECK_EQUAL(sap_core_receive(pair->sides[LISTENS].core, bytes, sizeof(bytes), &message), SAP_ERR_AGAIN);
	CHECK_EQUAL(test_stats(pair, LISTENS).lost_approximate, 1);
	test_settle(pair, 100 * MS);
	CHECK_EQUAL(sap_core_receive(pair->sides[LISTENS].core, bytes, sizeof(bytes), &message), SAP_OK);
	CHECK(message.guaranteed && message.number == 0 && message.after == 0);
	CHECK_EQUAL(test_stats(pair, CONNECTS).sent, 5 + 2); /* one repetition, two of the handshake */
	pair_free(pair);
}

/* Approximate ones lost at the very end: FIN tells how many there were. */
static void lost_before_fin(void)
{
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);
	struct pair *const pair = test_connected(&config, lost_by_mask);
	uint64_t mask = 3u << 3;

	pair->context = &mask;
	for (int i = 0; i < 5; i++)
		CHECK_EQUAL(pair_send(pair, CONNECTS, 8, 0, false), SAP_OK);
	CHECK_EQUAL(pair_fin(pair, CONNECTS), SAP_OK);
	CHECK(pair_run(pair, CONNECTS, SAP_FLUSHED, LONG));
	CHECK_EQUAL(test_stats(pair, LISTENS).lost_approximate, 2);
	CHECK_EQUAL(test_stats(pair, LISTENS).delivered_approximate, 3);
	pair_check_stats(pair);
	pair_free(pair);
}

/* Nobody receives: a full queue drops approximate ones, and does not take room from guaranteed ones, nor they from it. */
static void overrun(void)
{
	struct sap_core_config config = test_config(SAP_WINDOW);
	struct pair *const pair = test_connected(&config, NULL);

	for (int i = 0; i < 40; i++)
		CHECK_EQUAL(pair_send(pair, CONNECTS, 8, 0, false), SAP_OK);
	test_settle(pair, 10 * MS);
	CHECK_EQUAL(test_stats(pair, LISTENS).overruns, 40 - config.approximate_queue);
	CHECK_EQUAL(test_stats(pair, LISTENS).lost_approximate, 0);
	for (int i = 0; i < 10; i++)
		CHECK_EQUAL(pair_send(pair, CONNECTS, 8, 8, true), SAP_OK);
	test_settle(pair, 10 * MS);
	CHECK_EQUAL(test_stats(pair, LISTENS).waiting, config.approximate_queue + 10);
	CHECK(sap_core_ready(pair->sides[CONNECTS].core, true) & SAP_FLUSHED);
	pair_receive(pair, LISTENS);
	pair_check_stats(pair);
	pair_free(pair);
}

/* A sender that has sent FIN and lost all answers still gets one as long as the receiver lingers. */
static void linger(void)
{
	struct sap_core_config config = test_config(SAP_STOP_AND_WAIT);
	struct pair *const pair = test_connected(&config, lost_by_mask);
	uint64_t mask = 1u << 1 | 1u << 3; /* the first two FIN_ACK */

	pair->context = &mask;
	CHECK_EQUAL(pair_fin(pair, CONNECTS), SAP_OK);
	CHECK(pair_run(pair, LISTENS, SAP_ENDED, LONG));
	CHECK(!(sap_core_ready(pair->sides[LISTENS].core, true) & SAP_DONE));
	CHECK(pair_run(pair, CONNECTS, SAP_FLUSHED | SAP_DONE, LONG));
	CHECK_EQUAL(test_stats(pair, CONNECTS).retransmitted, 2);
	CHECK(pair_run(pair, LISTENS, SAP_DONE, LONG));
	CHECK_EQUAL(sap_core_next_ns(pair->sides[LISTENS].core), SAP_NEVER);
	pair_free(pair);
}

const struct test sending_tests[] = {
	TEST(one_in_flight),
	TEST(fixed_timeout),
	TEST(slow_start),
	TEST(unused_window),
	TEST(fast_retransmit),
	TEST(two_later_ones),
	TEST(several_lost),
	TEST(doubled_is_no_loss),
	TEST(backoff),
	TEST(capped_backoff),
	TEST(no_room_stop_and_wait),
	TEST(no_room_window),
	TEST(gone_while_connecting),
	TEST(gone_stop_and_wait),
	TEST(gone_window),
	TEST(silence),
	TEST(approximate_overtakes),
	TEST(lost_before_fin),
	TEST(overrun),
	TEST(linger),
	END_OF_TESTS,
};
