// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of propagation delays of the hwsim medium.
 */
#include "hwsim_medium_air_test.h"

static void delay_the_ack_timeout_covers_the_delay(struct kunit *test)
{
	struct air_test *air = test->priv;

	hear(air, 0, 2);
	hear(air, 2, 0);
	delay(air, 0, 2, 1000);
	delay(air, 2, 0, 3000);
	send(air, 0, 2, 3);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 2, air->count);
	KUNIT_EXPECT_EQ(test, after(air, 3), air->seen[0].start_ns);
	KUNIT_EXPECT_EQ(test, after(air, 3) + DATA_NS + 1000 + SIFS_NS,
			air->seen[1].start_ns);
	KUNIT_EXPECT_EQ(test, 1, air->radios[0]->mac->acs[IEEE80211_AC_BE].successes);
	/* and its sender hears its end later */
	KUNIT_EXPECT_EQ(test, air->seen[1].start_ns + ANSWER_NS + 3000,
			air->radios[0]->busy_until_ns);
}

/* a frame that ended before another began may still be in flight */
static void delay_late_arrivals_collide(struct kunit *test)
{
	struct air_test *air = test->priv;
	int i, k;

	hear(air, 0, 2);
	hear(air, 1, 2);
	for (i = 0; i < 2; i++) {
		if (i)
			delay(air, 0, 2, 20000);
		for (k = 0; k < 2; k++)
			air->radios[k]->busy_until_ns =
				air->medium->clock.now_ns + BUSY_NS;
		send(air, 0, 2, 3);
		send(air, 1, 2, 3 + DATA_NS / 9000 + 1);
		run_for(air, 10 * NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_DELIVERED));
		KUNIT_EXPECT_EQ(test, i, count_of(air, 0, 2, HWSIM_COUNT_COLLIDED));
	}
	KUNIT_EXPECT_FALSE(test, air->seen[air->count - 1].wrong);
}

/* group frames are not answered, but arrive, unless their receiver has left */
static void delay_group_frames_arrive_late(struct kunit *test)
{
	static const u8 all[ETH_ALEN] = { [0 ... ETH_ALEN - 1] = 255 };
	struct air_test *air = test->priv;
	struct hwsim_radio *sender = air->radios[0];
	struct hwsim_up *up;
	u64 start_ns, next;
	int i, arrived;

	hear(air, 0, 1);
	hear(air, 0, 2);
	delay(air, 0, 1, 500);
	delay(air, 0, 2, 2000);
	for (i = 0; i < 2; i++) {
		arrived = 0;
		start_ns = air->medium->clock.now_ns;
		hwsim_radio_tx(sender, NULL,
			       frame_of(air, 0, all,
					cpu_to_le16(IEEE80211_FTYPE_DATA)),
			       sender->channel, true);
		do {
			next = hwsim_clock_run(&air->medium->clock,
					       start_ns + 10 * NSEC_PER_MSEC);
			if (i && sender->sending)
				listen_to(air->radios[2], &air->channels[4]);
			list_for_each_entry(up, &air->medium->clock.up,
					    later.list)
				arrived += up->skb && up->hw;
			drop_up(air);
		} while (next <= start_ns + 10 * NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, 2 - i, arrived);
		KUNIT_EXPECT_EQ(test, 0, sender->mac->held);
		air->medium->clock.now_ns = start_ns + 10 * NSEC_PER_MSEC;
	}
}

static struct kunit_case delay_cases[] = {
	KUNIT_CASE(delay_the_ack_timeout_covers_the_delay),
	KUNIT_CASE(delay_late_arrivals_collide),
	KUNIT_CASE(delay_group_frames_arrive_late),
	{}
};

static struct kunit_suite delay_suite = {
	.name = "hwsim-medium-delay",
	.init = air_test_init,
	.exit = air_test_exit,
	.test_cases = delay_cases,
};

kunit_test_suite(delay_suite);
