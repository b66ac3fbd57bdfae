// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of ad hoc networks on the hwsim medium.
 */
#include "hwsim_medium_air_test.h"

static const u8 cell[] = { 2, 0xca, 0xff, 0xee, 0xba, 1 };
static const u8 other_cell[] = { 2, 0xca, 0xff, 0xee, 0xba, 2 };

/* TBTT of a radio's ad hoc network; it draws this many slots */
static void tbtt(struct air_test *air, int from, const u8 *bssid, u32 slots)
{
	static const u8 broadcast[ETH_ALEN] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	};
	struct hwsim_radio *radio = air->radios[from];
	struct sk_buff *skb;

	if (!ether_addr_equal(radio->mac->ibss, bssid))
		hwsim_radio_ibss(radio, bssid);
	skb = frame_of(air, from, broadcast, cpu_to_le16(IEEE80211_STYPE_BEACON));
	ether_addr_copy(((struct ieee80211_mgmt *)skb->data)->bssid, bssid);
	hwsim_radio_tx(radio, NULL, skb, radio->channel, true);
	radio->mac->acs[HWSIM_AC_IBSS].edca.slots = slots;
}

static void all_hear_each_other(struct air_test *air)
{
	int from, to;

	for (from = 0; from < RADIOS; from++)
		for (to = 0; to < RADIOS; to++)
			if (from != to)
				hear(air, from, to);
}

static void ibss_one_member_of_an_ibss_sends_its_beacon(struct kunit *test)
{
	struct air_test *air = test->priv;

	all_hear_each_other(air);
	tbtt(air, 0, cell, 7);
	tbtt(air, 1, cell, 3);
	tbtt(air, 2, cell, 9);
	pass(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 1, air->count);
	KUNIT_EXPECT_EQ(test, after(air, 3), air->seen[0].start_ns);
	KUNIT_EXPECT_TRUE(test, hwsim_radio_sent_beacon(air->radios[1]));
	KUNIT_EXPECT_FALSE(test, hwsim_radio_sent_beacon(air->radios[0]));
	/* the others have dropped theirs, and are ready for the next TBTT */
	tbtt(air, 0, cell, 2);
	tbtt(air, 1, cell, 3);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 2, air->count);
	KUNIT_EXPECT_EQ(test, air->start_ns + 10 * NSEC_PER_MSEC + 2 * 9000,
			air->seen[1].start_ns);
	KUNIT_EXPECT_TRUE(test, hwsim_radio_sent_beacon(air->radios[0]));
	KUNIT_EXPECT_FALSE(test, hwsim_radio_sent_beacon(air->radios[1]));
}

/* another network's beacon is just a frame: it suspends the countdown */
static void ibss_a_beacon_of_another_ibss_does_not_count(struct kunit *test)
{
	struct air_test *air = test->priv;
	u64 first;

	all_hear_each_other(air);
	tbtt(air, 0, cell, 3);
	tbtt(air, 1, other_cell, 5);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 2, air->count);
	first = air->seen[0].start_ns;
	KUNIT_EXPECT_EQ(test, after(air, 3), first);
	KUNIT_EXPECT_EQ(test, first + DATA_NS + 34000 + 2 * 9000,
			air->seen[1].start_ns);
}

/* a backoff with three slots left at the TBTT has three left after it */
static void ibss_countdowns_wait_for_the_beacon(struct kunit *test)
{
	struct air_test *air = test->priv;
	u64 at;

	all_hear_each_other(air);
	send(air, 0, 1, 10);
	at = after(air, 7) + 4000;
	pass(air, at - air->start_ns);
	tbtt(air, 0, cell, 5);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_GE(test, air->count, 2);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_beacon(air->seen[0].fc));
	KUNIT_EXPECT_EQ(test, at + 5 * 9000, air->seen[0].start_ns);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_data(air->seen[1].fc));
	KUNIT_EXPECT_EQ(test, at + 5 * 9000 + DATA_NS + 34000 + 3 * 9000,
			air->seen[1].start_ns);
}

/* nor does a post-transmission backoff end meanwhile */
static void ibss_a_frame_waits_for_the_beacon_of_an_ibss(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_edca *edca = &air->radios[0]->mac->acs[IEEE80211_AC_BE].edca;

	all_hear_each_other(air);
	edca->slots = 10;
	edca->backs_off = true;
	pass(air, after(air, 7) - air->start_ns);
	tbtt(air, 0, cell, 9);
	pass(air, 8 * 9000);
	hwsim_access_ready(air->radios[0], &air->radios[0]->mac->acs[IEEE80211_AC_BE],
			   air->medium->clock.now_ns);
	KUNIT_EXPECT_TRUE(test, edca->backs_off);
	KUNIT_EXPECT_EQ(test, 3, edca->slots);
}

/*
 * A member whose beacon was cancelled, or that leaves, resumes its countdowns.
 */
static void ibss_countdowns_resume_without_a_beacon(struct kunit *test)
{
	struct air_test *air = test->priv;
	u64 at;

	all_hear_each_other(air);
	send(air, 0, 1, 10);
	at = after(air, 7);
	pass(air, at - air->start_ns);
	tbtt(air, 0, cell, 5);
	pass(air, 2 * 9000);
	hwsim_radio_ibss(air->radios[0], NULL);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_GE(test, air->count, 1);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_data(air->seen[0].fc));
	KUNIT_EXPECT_EQ(test, at + 2 * 9000 + 34000 + 3 * 9000,
			air->seen[0].start_ns);
}

/* 0 to twice CWmin slots, equally likely */
static void ibss_beacons_of_an_ibss_draw_their_delays(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	u32 drawn[31] = {}, slots;
	int i;

	tbtt(air, 0, cell, 0);
	for (i = 0; i < 3100; i++) {
		hwsim_access_tbtt(radio, air->start_ns);
		slots = radio->mac->acs[HWSIM_AC_IBSS].edca.slots;
		KUNIT_ASSERT_LT(test, slots, ARRAY_SIZE(drawn));
		drawn[slots]++;
	}
	for (i = 0; i < ARRAY_SIZE(drawn); i++) {
		KUNIT_EXPECT_GT(test, drawn[i], 60);
		KUNIT_EXPECT_LT(test, drawn[i], 140);
	}
}

/* a member sets its clock to any that is ahead, and never back */
static void ibss_members_of_an_ibss_keep_the_latest_time(struct kunit *test)
{
	static const struct {
		s64 member_us;	/* ahead of the sender */
		u64 advanced_us;
	} cases[] = { { -70, 70 }, { 0, 0 }, { 70, 0 } };
	struct air_test *air = test->priv;
	int i;

	hear(air, 0, 1);
	hwsim_radio_ibss(air->radios[1], cell);
	pass(air, NSEC_PER_MSEC);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		advanced_us = 0;
		tbtt(air, 0, cell, 0);
		pass(air, DATA_NS / 2);	/* it has begun */
		tsf_us = cases[i].member_us;
		pass(air, 10 * NSEC_PER_MSEC);
		tsf_us = 0;
		KUNIT_EXPECT_EQ(test, i + 1, air->count);
		KUNIT_EXPECT_EQ(test, cases[i].advanced_us, advanced_us);
	}
}

static struct kunit_case ibss_cases[] = {
	KUNIT_CASE(ibss_one_member_of_an_ibss_sends_its_beacon),
	KUNIT_CASE(ibss_a_beacon_of_another_ibss_does_not_count),
	KUNIT_CASE(ibss_countdowns_wait_for_the_beacon),
	KUNIT_CASE(ibss_a_frame_waits_for_the_beacon_of_an_ibss),
	KUNIT_CASE(ibss_countdowns_resume_without_a_beacon),
	KUNIT_CASE(ibss_beacons_of_an_ibss_draw_their_delays),
	KUNIT_CASE(ibss_members_of_an_ibss_keep_the_latest_time),
	{}
};

static struct kunit_suite ibss_suite = {
	.name = "hwsim-medium-ibss",
	.init = air_test_init,
	.exit = air_test_exit,
	.test_cases = ibss_cases,
};

kunit_test_suite(ibss_suite);
