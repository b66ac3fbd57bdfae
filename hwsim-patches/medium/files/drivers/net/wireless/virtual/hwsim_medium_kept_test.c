// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of what the hwsim medium keeps: surveys, peers, queues, delays.
 */
#include "hwsim_medium_air_test.h"

static void forge(struct kunit *test, struct hwsim_radio *radio, u32 number)
{
	const u8 addr[ETH_ALEN] = { 2, 1, 0, 0, number >> 8, number };

	KUNIT_EXPECT_NOT_NULL(test, hwsim_peer_get(radio, address(0), addr));
}

/* forged addresses do not prevent a BlockAck agreement */
static void peers_make_room(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	u32 i;

	KUNIT_EXPECT_TRUE(test, hwsim_peer_set_ssn(radio, address(0), address(1), 0, 77));
	for (i = 0; i < 1100; i++)
		forge(test, radio, i);
	KUNIT_EXPECT_EQ(test, 1024, radio->mac->num_peers);
	/* the one that waits for its agreement lives, and the most recent ones */
	KUNIT_EXPECT_EQ(test, 77, hwsim_peer_ssn(radio, address(0), address(1), 0));
	KUNIT_EXPECT_TRUE(test, hwsim_peer_set_ssn(radio, address(0), address(2), 0, 78));
	KUNIT_EXPECT_EQ(test, 78, hwsim_peer_ssn(radio, address(0), address(2), 0));
	KUNIT_EXPECT_NULL(test, hwsim_peer_of(radio, address(0), (u8[]){ 2, 1, 0, 0, 0, 0 }));
	KUNIT_EXPECT_NOT_NULL(test,
			      hwsim_peer_of(radio, address(0), (u8[]){ 2, 1, 0, 0, 4, 0 }));
}

static void mac80211_waits_while_the_queue_is_long(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	struct hwsim_ac *ac = &radio->mac->acs[IEEE80211_AC_BE];
	struct sk_buff *skb;
	u32 i;

	for (i = 0; i < HWSIM_STOP_QUEUED; i++) {
		KUNIT_EXPECT_EQ(test, 0, air->stopped);
		skb = dev_alloc_skb(DATA_BYTES);
		KUNIT_ASSERT_NOT_NULL(test, skb);
		skb_put_zero(skb, DATA_BYTES);
		*(__le16 *)skb->data = cpu_to_le16(IEEE80211_FTYPE_DATA);
		skb->data[4] = 1;	/* broadcast: no status is pending */
		skb_set_queue_mapping(skb, IEEE80211_AC_BE);
		IEEE80211_SKB_CB(skb)->hw_queue = IEEE80211_AC_BE;
		hwsim_radio_tx(radio, NULL, skb, radio->channel, false);
	}
	KUNIT_EXPECT_EQ(test, HWSIM_STOP_QUEUED, ac->queued);
	KUNIT_EXPECT_EQ(test, BIT(IEEE80211_AC_BE), air->stopped);
	hwsim_tx_drop_queued(radio, NULL);
	KUNIT_EXPECT_EQ(test, 0, air->stopped);
}

static void power_sums_do_not_wrap(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 5, hwsim_power_sum(2, 3));
	KUNIT_EXPECT_EQ(test, U64_MAX, hwsim_power_sum(U64_MAX - 1, 1));
	KUNIT_EXPECT_EQ(test, U64_MAX, hwsim_power_sum(U64_MAX, 1));
}

static void survey_reports_what_was_heard(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *sender = air->radios[0], *radio = air->radios[2];
	struct survey_info info = {};

	hear(air, 0, 2);
	hear(air, 2, 0);
	send(air, 0, 2, 3);
	pass(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, DATA_NS, sender->survey->tx_ns);
	KUNIT_EXPECT_EQ(test, ANSWER_NS, sender->survey->rx_ns);
	KUNIT_EXPECT_EQ(test, DATA_NS, radio->survey->rx_ns);
	KUNIT_EXPECT_EQ(test, ANSWER_NS, radio->survey->tx_ns);
	KUNIT_EXPECT_EQ(test, DATA_NS + ANSWER_NS, sender->survey->busy_ns);
	KUNIT_EXPECT_EQ(test, DATA_NS + ANSWER_NS, radio->survey->busy_ns);
	KUNIT_EXPECT_EQ(test, 0, hwsim_radio_survey(radio, 0, &info));
	KUNIT_EXPECT_EQ(test, 10, info.time);
	KUNIT_EXPECT_EQ(test, -94, info.noise);
	KUNIT_EXPECT_TRUE(test, info.filled & SURVEY_INFO_IN_USE);
	KUNIT_EXPECT_EQ(test, -ENOENT, hwsim_radio_survey(radio, 1, &info));
}

/* a radio that leaves in the middle of a frame has heard half of it */
static void survey_ends_with_the_channel(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[2];
	struct hwsim_survey *survey = radio->survey;
	struct survey_info info = {};

	hear(air, 0, 2);
	send(air, 0, 2, 0);
	pass(air, after(air, 0) + DATA_NS / 2 - air->start_ns);
	air->medium->clock.now_ns = after(air, 0) + DATA_NS / 2;
	listen_to(radio, &air->channels[4]);
	KUNIT_EXPECT_EQ(test, DATA_NS / 2, survey->busy_ns);
	KUNIT_EXPECT_EQ(test, 0, survey->rx_ns);
	KUNIT_EXPECT_EQ(test, after(air, 0) + DATA_NS / 2 - air->start_ns,
			survey->time_ns);
	KUNIT_EXPECT_EQ(test, 0, hwsim_radio_survey(radio, 1, &info));
	KUNIT_EXPECT_PTR_EQ(test, &air->channels[4], info.channel);
	KUNIT_EXPECT_EQ(test, 0, hwsim_radio_survey(radio, 0, &info));
	KUNIT_EXPECT_FALSE(test, info.filled & SURVEY_INFO_IN_USE);
}

static void the_longest_delay_decreases(struct kunit *test)
{
	struct air_test *air = test->priv;

	hear(air, 0, 2);
	hear(air, 2, 0);
	delay(air, 0, 2, 20000);
	delay(air, 2, 0, 3000);
	send(air, 0, 2, 3);
	run_for(air, after(air, 3) + 1000 - air->start_ns);
	link_of(air, 0, 2)->setting.delay_ns = 1000;
	hwsim_delay_shrank(air->medium);
	/* transmissions in flight arrive as before the change */
	KUNIT_EXPECT_EQ(test, 20000, air->medium->longest_ns);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 3000, air->medium->longest_ns);
	delay(air, 2, 0, 0);
	delay(air, 0, 2, 0);
	hwsim_delay_shrank(air->medium);
	run_for(air, 11 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 0, air->medium->longest_ns);
}

/* rate control knows nothing of a fixed rate, so the radio reports it */
static void statistics_name_a_fixed_rate(struct kunit *test)
{
	static const struct {
		struct hwsim_phy_rate rate;
		struct rate_info info;
	} cases[] = {
		{ { .class = HWSIM_PHY_OFDM, .streams = 1, .mcs = RATE_54 },
		  { .bw = RATE_INFO_BW_20, .legacy = 540 } },
		{ { .class = HWSIM_PHY_HT, .streams = 2, .mcs = 7 },
		  { .bw = RATE_INFO_BW_20, .flags = RATE_INFO_FLAGS_MCS, .mcs = 15 } },
		{ { .class = HWSIM_PHY_HT, .width = HWSIM_PHY_40MHZ, .streams = 1,
		    .guard = HWSIM_PHY_GUARD_400NS },
		  { .bw = RATE_INFO_BW_40,
		    .flags = RATE_INFO_FLAGS_MCS | RATE_INFO_FLAGS_SHORT_GI } },
		{ { .class = HWSIM_PHY_VHT, .width = HWSIM_PHY_80MHZ, .streams = 2,
		    .mcs = 9 },
		  { .bw = RATE_INFO_BW_80, .flags = RATE_INFO_FLAGS_VHT_MCS,
		    .mcs = 9, .nss = 2 } },
	};
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	struct ieee80211_vif *vif;
	struct station_info sinfo;
	int i;

	vif = kunit_kzalloc(test, sizeof(*vif), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, vif);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(&sinfo, 0xff, sizeof(sinfo));
		sinfo.filled = 0;
		radio->mac->fixed_rate = cases[i].rate;
		radio->mac->has_fixed_rate = true;
		hwsim_radio_sta_statistics(radio, vif, address(1), &sinfo);
		KUNIT_EXPECT_TRUE(test, sinfo.filled &
					BIT_ULL(NL80211_STA_INFO_TX_BITRATE));
		KUNIT_EXPECT_MEMEQ(test, &cases[i].info, &sinfo.txrate,
				   sizeof(sinfo.txrate));
	}
	radio->mac->has_fixed_rate = false;
	sinfo.filled = 0;
	hwsim_radio_sta_statistics(radio, vif, address(1), &sinfo);
	KUNIT_EXPECT_EQ(test, BIT_ULL(NL80211_STA_INFO_TX_RETRIES), sinfo.filled);
	KUNIT_EXPECT_EQ(test, 0, sinfo.tx_retries);
}

static struct kunit_case kept_cases[] = {
	KUNIT_CASE(peers_make_room),
	KUNIT_CASE(mac80211_waits_while_the_queue_is_long),
	KUNIT_CASE(power_sums_do_not_wrap),
	KUNIT_CASE(survey_reports_what_was_heard),
	KUNIT_CASE(survey_ends_with_the_channel),
	KUNIT_CASE(the_longest_delay_decreases),
	KUNIT_CASE(statistics_name_a_fixed_rate),
	{}
};

static struct kunit_suite kept_suite = {
	.name = "hwsim-medium-kept",
	.init = air_test_init,
	.exit = air_test_exit,
	.test_cases = kept_cases,
};

kunit_test_suite(kept_suite);
