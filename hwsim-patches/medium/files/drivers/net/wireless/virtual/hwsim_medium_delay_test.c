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

#define MANY	300	/* more than fit into an octet */

#define MANY	300	/* more than an octet can count */

/* a transmission lives until the last of its receivers has heard its end */
static void delay_many_radios_hear_one_frame(struct kunit *test)
{
	static const u8 all[ETH_ALEN] = { [0 ... ETH_ALEN - 1] = 255 };
	struct air_test *air = test->priv;
	struct hwsim_radio *sender = air->radios[0];
	struct hwsim_radio **many;
	struct hwsim_link *link;
	int i, heard = 0;
	u64 end_ns;

	many = kunit_kcalloc(test, MANY, sizeof(*many), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, many);
	air->medium->longest_ns = MANY;
	for (i = 0; i < MANY; i++) {
		many[i] = hwsim_radio_new(&air->hw, FIRST_INDEX + RADIOS + i,
					  &ops, &(struct hwsim_radio_limits){});
		KUNIT_ASSERT_NOT_NULL(test, many[i]);
		mutex_lock(&hwsim_media_mutex);
		KUNIT_EXPECT_EQ(test, 0, hwsim_radio_attach(many[i], air->medium,
							    RADIOS + i, NULL));
		mutex_unlock(&hwsim_media_mutex);
		link = hwsim_link_new(sender, many[i]);
		KUNIT_ASSERT_NOT_NULL(test, link);
		link->setting.gain_mb = GAIN_MB(LEVEL_MB);
		link->setting.delay_ns = i + 1;
		KUNIT_ASSERT_NULL(test, xa_store_bh(&many[i]->links, sender->slot,
						    link, GFP_KERNEL));
		listen_to(many[i], &air->channels[0]);
	}
	hwsim_radio_tx(sender, NULL,
		       frame_of(air, 0, all, cpu_to_le16(IEEE80211_FTYPE_DATA)),
		       sender->channel, true);
	while (!sender->sending)
		KUNIT_ASSERT_TRUE(test, step(air));
	end_ns = sender->sending->end_ns;
	/* and the air's and that of its exchange */
	KUNIT_EXPECT_EQ(test, MANY + 2, sender->sending->uses);
	/* no use after free if that is wrong */
	if (sender->sending->uses == MANY + 2)
		run_for(air, 10 * NSEC_PER_MSEC);
	for (i = 0; i < MANY; i++) {
		heard += many[i]->busy_until_ns == end_ns + i + 1;
		hwsim_radio_free(many[i]);
	}
	KUNIT_EXPECT_EQ(test, MANY, heard);
}

static struct kunit_case delay_cases[] = {
	KUNIT_CASE(delay_the_ack_timeout_covers_the_delay),
	KUNIT_CASE(delay_late_arrivals_collide),
	KUNIT_CASE(delay_group_frames_arrive_late),
	KUNIT_CASE(delay_many_radios_hear_one_frame),
	{}
};

static struct kunit_suite delay_suite = {
	.name = "hwsim-medium-delay",
	.init = air_test_init,
	.exit = air_test_exit,
	.test_cases = delay_cases,
};

kunit_test_suite(delay_suite);
