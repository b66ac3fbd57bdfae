// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of power save in the hwsim medium.
 */
#include "hwsim_medium_air_test.h"

/* a dozing station hears data only while it has something to send itself */
static void doze_a_dozing_station_hears_little(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[2];

	hear(air, 0, 2);
	hear(air, 2, 0);
	hwsim_radio_doze(radio, true);
	ether_addr_copy(radio->mac->no_network.bssid, address(0));
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 1, air->count);
	KUNIT_EXPECT_EQ(test, 0, count_of(air, 0, 2, HWSIM_COUNT_DELIVERED));
	send_kind(air, 2, 0, 500, cpu_to_le16(IEEE80211_FTYPE_DATA |
					      IEEE80211_STYPE_QOS_DATA));
	send(air, 0, 2, 0);
	run_for(air, NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_DELIVERED));
	/* its own frame is acknowledged, and may have asked for something */
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 5, air->count);
	KUNIT_EXPECT_TRUE(test, ieee80211_has_pm(air->seen[3].fc));
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 2, count_of(air, 0, 2, HWSIM_COUNT_DELIVERED));
	/* the service period is over: no more data */
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 2, count_of(air, 0, 2, HWSIM_COUNT_DELIVERED));
	/* frames to others, and those that are not triggers, change nothing */
	send(air, 2, 0, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 2, count_of(air, 0, 2, HWSIM_COUNT_DELIVERED));
	hwsim_radio_doze(radio, false);
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 3, count_of(air, 0, 2, HWSIM_COUNT_DELIVERED));
	send(air, 2, 0, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_FALSE(test, ieee80211_has_pm(air->seen[air->count - 2].fc));
}

/* a station that falls asleep after a DTIM beacon still hears its group frames */
static void doze_group_frames_are_heard_to_the_end(struct kunit *test)
{
	static const u8 tim[] = { WLAN_EID_TIM, 4, 0, 1, 1, 0 };
	const size_t head = offsetof(struct ieee80211_mgmt, u.beacon.variable);
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[2];
	struct sk_buff *skb;
	u8 all[ETH_ALEN];
	int more;

	eth_broadcast_addr(all);
	hear(air, 0, 2);
	ether_addr_copy(radio->mac->no_network.bssid, address(0));
	skb = frame_of(air, 0, all, cpu_to_le16(IEEE80211_FTYPE_MGMT |
						IEEE80211_STYPE_BEACON));
	memcpy(skb->data + head, tim, sizeof(tim));
	hwsim_radio_tx(air->radios[0], NULL, skb, &air->channels[0], true);
	run_for(air, 10 * NSEC_PER_MSEC);
	hwsim_radio_doze(radio, true);
	/* the second one says that it is the last */
	for (more = 1; more >= 0; more--) {
		KUNIT_EXPECT_TRUE(test, radio->mac->awake_for);
		skb = frame_of(air, 0, all,
			       cpu_to_le16(IEEE80211_FTYPE_DATA |
					   (more ? IEEE80211_FCTL_MOREDATA : 0)));
		hwsim_radio_tx(air->radios[0], NULL, skb, &air->channels[0], true);
		run_for(air, 10 * NSEC_PER_MSEC);
	}
	KUNIT_EXPECT_FALSE(test, radio->mac->awake_for);
}

/*
 * Each attempt has the station's present power management bit, whatever an
 * earlier one had; and once the access point knows that it dozes, none clears
 * it.
 */
static void doze_each_attempt_has_the_present_pm_bit(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[2];
	struct hwsim_mpdu *mpdu;
	int i;

	hear(air, 2, 0);	/* no ACK comes back */
	ether_addr_copy(radio->mac->no_network.bssid, address(0));
	hwsim_radio_doze(radio, true);
	send(air, 2, 0, 0);
	mpdu = list_first_entry(&radio->mac->acs[IEEE80211_AC_BE].queue,
				struct hwsim_mpdu, list);
	mpdu->rates[0].count = 5;
	for (i = 0; i < 4; i++) {
		while (air->count == i && step(air))
			;
		KUNIT_ASSERT_EQ(test, i + 1, air->count);
		KUNIT_EXPECT_EQ(test, i % 2 == 0,
				ieee80211_has_pm(air->seen[i].fc));
		hwsim_radio_doze(radio, i % 2);
	}
	/* a null frame with PM overtakes it, and is acknowledged */
	while (radio->mac->stage != HWSIM_STAGE_NONE && step(air))
		;
	hwsim_radio_doze(radio, false);
	hear(air, 0, 2);
	hwsim_radio_tx(radio, NULL,
		       frame_of(air, 2, address(0),
				cpu_to_le16(IEEE80211_FTYPE_DATA |
					    IEEE80211_STYPE_NULLFUNC |
					    IEEE80211_FCTL_PM)),
		       radio->channel, true);
	list_move(radio->mac->acs[IEEE80211_AC_BE].queue.prev,
		  &radio->mac->acs[IEEE80211_AC_BE].queue);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 8, air->count);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_nullfunc(air->seen[4].fc));
	KUNIT_EXPECT_TRUE(test, ieee80211_has_pm(air->seen[6].fc));
	KUNIT_EXPECT_TRUE(test, radio->mac->no_network.known_asleep);
	/* later frames wake it */
	send(air, 2, 0, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 10, air->count);
	KUNIT_EXPECT_FALSE(test, ieee80211_has_pm(air->seen[8].fc));
	KUNIT_EXPECT_FALSE(test, radio->mac->no_network.known_asleep);
}

/* a radio that overhears another's answer still waits for its own */
static void doze_a_dozing_station_waits_for_its_answer(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[2];

	hear(air, 0, 2);
	hear(air, 2, 0);
	hear(air, 0, 1);
	hear(air, 1, 0);
	hwsim_radio_doze(radio, true);
	hwsim_radio_filter(radio, FIF_OTHER_BSS);	/* a monitor */
	ether_addr_copy(radio->mac->no_network.bssid, address(0));
	send_kind(air, 2, 0, 0, cpu_to_le16(IEEE80211_FTYPE_DATA |
					    IEEE80211_STYPE_QOS_NULLFUNC));
	run_for(air, 10 * NSEC_PER_MSEC);
	send(air, 0, 1, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_DELIVERED));
}

/*
 * Group frames of many beacons wait: each beacon announces them, and is not
 * delayed.
 */
static void doze_beacons_pass_group_frames(struct kunit *test)
{
	static const u8 tim[] = { WLAN_EID_TIM, 4, 1, 2, 0, 0 };
	const __le16 fc = cpu_to_le16(IEEE80211_FTYPE_MGMT |
				      IEEE80211_STYPE_BEACON);
	const size_t head = offsetof(struct ieee80211_mgmt, u.beacon.variable);
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	struct hwsim_ac *ac = &radio->mac->acs[IEEE80211_AC_VO];
	struct hwsim_mpdu *mpdu, *next;
	u8 all[ETH_ALEN];
	struct sk_buff *skb;
	int i;

	eth_broadcast_addr(all);
	for (i = 0; i < 2; i++) {
		skb = frame_of(air, 0, all, fc);
		memcpy(skb->data + head, tim, sizeof(tim));
		hwsim_radio_tx(radio, NULL, skb, &air->channels[0], true);
		KUNIT_EXPECT_EQ(test, i ? HWSIM_MAX_QUEUED + 3 : 1, ac->queued);
		mpdu = list_first_entry(&ac->queue, struct hwsim_mpdu, list);
		KUNIT_EXPECT_PTR_EQ(test, skb, mpdu->skb);
		KUNIT_EXPECT_EQ(test, i, mpdu->skb->data[head + 4]);
		while (ac->queued < HWSIM_MAX_QUEUED + 3) {
			skb = frame_of(air, 0, all,
				       cpu_to_le16(IEEE80211_FTYPE_DATA));
			hwsim_radio_tx(radio, NULL, skb, &air->channels[0], true);
		}
		/* a frame that is sent again may come before a beacon */
		if (!i)
			list_move(&mpdu->list, mpdu->list.next);
	}
	/* the beacon and three of the others are sent */
	list_for_each_entry_safe_reverse(mpdu, next, &ac->queue, list) {
		if (ac->queued == 4)
			break;
		list_del_init(&mpdu->list);
		ac->queued--;
		hwsim_mpdu_drop(radio, mpdu);
	}
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 4, air->count);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_beacon(air->seen[0].fc));
	for (i = 1; i < 4; i++)
		KUNIT_EXPECT_EQ(test, i < 3,
				ieee80211_has_moredata(air->seen[i].fc));
	/* it ends */
	for (i = 0; i < HWSIM_MAX_OWN + 2; i++) {
		skb = frame_of(air, 0, all, cpu_to_le16(IEEE80211_FTYPE_DATA));
		hwsim_radio_tx(radio, NULL, skb, &air->channels[0], true);
	}
	KUNIT_EXPECT_EQ(test, HWSIM_MAX_OWN, ac->queued);
}

static struct kunit_case doze_cases[] = {
	KUNIT_CASE(doze_a_dozing_station_hears_little),
	KUNIT_CASE(doze_a_dozing_station_waits_for_its_answer),
	KUNIT_CASE(doze_group_frames_are_heard_to_the_end),
	KUNIT_CASE(doze_each_attempt_has_the_present_pm_bit),
	KUNIT_CASE(doze_beacons_pass_group_frames),
	{}
};

static struct kunit_suite doze_suite = {
	.name = "hwsim-medium-doze",
	.init = air_test_init,
	.exit = air_test_exit,
	.test_cases = doze_cases,
};

kunit_test_suite(doze_suite);
