// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of faults of the hwsim medium, and counters of frames that did
 * not arrive.
 */
#include "hwsim_medium_air_test.h"

/* the second frame to one station is lost; those to another do not count */
static void fault_a_fault_counts_frames_to_one(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_fault *fault = make_fault(air, HWSIM_MEDIUM_FAULT_LOSE);

	fault->skip = 1;
	fault->to = air->radios[2];
	hear(air, 0, 1);
	hear(air, 0, 2);
	hear(air, 1, 0);
	hear(air, 2, 0);
	send(air, 0, 1, 0);
	send(air, 0, 2, 0);
	send(air, 0, 1, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_FALSE(test, list_empty(&air->medium->faults));
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_TRUE(test, list_empty(&air->medium->faults));
	KUNIT_EXPECT_EQ(test, 2, count_of(air, 0, 2, HWSIM_COUNT_SENT));
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_DELIVERED));
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_LOST));
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_DROPPED));
	KUNIT_EXPECT_EQ(test, 2, count_of(air, 0, 1, HWSIM_COUNT_DELIVERED));
}

/*
 * Each frame with some probability, and a fault ends with a radio that it names.
 */
static void fault_a_fault_hits_a_share(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_fault *fault = make_fault(air, HWSIM_MEDIUM_FAULT_LOSE);
	u64 lost;
	int i;

	fault->count = U32_MAX;
	fault->share = U32_MAX / 4;
	fault->from = air->radios[0];
	hwsim_stream_init(&fault->stream, 1, HWSIM_STREAM_FAULTS, 0, 0);
	hear(air, 0, 2);
	hear(air, 2, 0);
	for (i = 0; i < 400; i++) {
		air->count = 0;
		send(air, 0, 2, 0);
		run_for(air, NSEC_PER_MSEC);
	}
	lost = count_of(air, 0, 2, HWSIM_COUNT_LOST);
	/* 100, and four times sqrt(400 * 1/4 * 3/4) */
	KUNIT_EXPECT_GT(test, lost, 65);
	KUNIT_EXPECT_LT(test, lost, 135);
	KUNIT_EXPECT_EQ(test, 400, count_of(air, 0, 2, HWSIM_COUNT_SENT));
	mutex_lock(&hwsim_media_mutex);
	hwsim_radio_detach(air->radios[0]);
	mutex_unlock(&hwsim_media_mutex);
	KUNIT_EXPECT_TRUE(test, list_empty(&air->medium->faults));
}

/* frames to a station on another channel are sent, and counted as away */
static void fault_frames_to_absent_radios_count(struct kunit *test)
{
	struct air_test *air = test->priv;

	hear(air, 0, 2);
	hwsim_air_tune(air->radios[2], NULL);
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_SENT));
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_AWAY));
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_DROPPED));
}

/* two faults of one kind: the second applies to what the first lets pass */
static void fault_faults_follow_each_other(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_fault *first = make_fault(air, HWSIM_MEDIUM_FAULT_LOSE);

	first->skip = 2;
	make_fault(air, HWSIM_MEDIUM_FAULT_DAMAGE);
	hear(air, 0, 2);
	hear(air, 2, 0);
	send(air, 0, 2, 0);
	send(air, 0, 2, 0);
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_DAMAGED));
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_DELIVERED));
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_LOST));
	KUNIT_EXPECT_TRUE(test, list_empty(&air->medium->faults));
}

/* wrong bits of a frame, as its receiver hands it up */
static u32 wrong_bits(struct kunit *test, struct air_test *air)
{
	struct hwsim_clock *clock = &air->medium->clock;
	u8 sent[DATA_BYTES];
	struct hwsim_up *up;
	u32 wrong = 0, i;
	u64 next;

	send(air, 0, 2, 0);
	memcpy(sent, first_queued(air->radios[0])->skb->data, DATA_BYTES);
	do {
		next = hwsim_clock_run(clock, clock->now_ns);
		list_for_each_entry(up, &clock->up, later.list) {
			if (!up->skb)
				continue;
			KUNIT_ASSERT_EQ(test, DATA_BYTES, up->skb->len);
			/* type and duration have changed since */
			for (i = 4; i < DATA_BYTES; i++)
				wrong += hweight8(up->skb->data[i] ^ sent[i]);
		}
		drop_up(air);
		if (next != HWSIM_NEVER)
			hwsim_clock_run(clock, next);
	} while (!wrong && next != HWSIM_NEVER);
	run_for(air, 10 * NSEC_PER_MSEC);
	return wrong;
}

static void fault_damages_one_bit(struct kunit *test)
{
	struct air_test *air = test->priv;

	hear(air, 0, 2);
	air->radios[2]->filter = FIF_FCSFAIL;
	make_fault(air, HWSIM_MEDIUM_FAULT_DAMAGE);
	KUNIT_EXPECT_EQ(test, 1, wrong_bits(test, air));
}

static struct kunit_case fault_cases[] = {
	KUNIT_CASE(fault_damages_one_bit),
	KUNIT_CASE(fault_a_fault_counts_frames_to_one),
	KUNIT_CASE(fault_a_fault_hits_a_share),
	KUNIT_CASE(fault_frames_to_absent_radios_count),
	KUNIT_CASE(fault_faults_follow_each_other),
	{}
};

static struct kunit_suite fault_suite = {
	.name = "hwsim-medium-fault",
	.init = air_test_init,
	.exit = air_test_exit,
	.test_cases = fault_cases,
};

kunit_test_suite(fault_suite);
