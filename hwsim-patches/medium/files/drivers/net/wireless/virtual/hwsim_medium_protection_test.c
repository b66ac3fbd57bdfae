// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of what reserves the hwsim medium: RTS, CTS-to-self, TXOPs.
 */
#include "hwsim_medium_air_test.h"

/* radios 0 and 2 hear each other, radio 1 only the sender */
static void overhear_sender(struct air_test *air)
{
	hear(air, 0, 1);
	hear(air, 0, 2);
	hear(air, 2, 0);
}

/* data at 54 Mbit/s that needs a CTS-to-self */
static void protect_fixed_rate(struct air_test *air)
{
	struct hwsim_mac *mac = air->radios[0]->mac;

	mac->has_fixed_rate = true;
	mac->fixed_rate.class = HWSIM_PHY_OFDM;
	mac->fixed_rate.mcs = RATE_54;
	mac->fixed_rate.streams = 1;
	air->protects = true;
}

/*
 * The protection of a wide frame is duplicated in both of its channels
 * (19.3.11.12).
 */
static void protection_a_wide_frame_is_protected_in_both_channels(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *narrow = air->radios[1];
	u64 end;
	u32 i;

	hear(air, 0, 2);
	hear(air, 2, 0);
	hear(air, 2, 1);	/* it only hears the CTS */
	listen_to(narrow, &air->channels[2]);
	use_40mhz(air, air->radios[0]);
	use_40mhz(air, air->radios[2]);
	air->wiphy->rts_threshold = 500;
	send(air, 0, 2, 0);
	use_mcs(air->radios[0], 7, IEEE80211_TX_RC_40_MHZ_WIDTH);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 4, air->count);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_FALSE(test, air->seen[i].wrong);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_cts(air->seen[1].fc));
	KUNIT_EXPECT_TRUE(test, ieee80211_is_ack(air->seen[3].fc));
	end = air->seen[3].start_ns + ANSWER_NS;
	KUNIT_EXPECT_EQ(test, end, narrow->mac->nav_until_ns);
	KUNIT_EXPECT_EQ(test, end, narrow->busy_until_ns);
}

static void protection_rts_reserves_the_medium(struct kunit *test)
{
	struct air_test *air = test->priv;
	u64 at = after(air, 0);

	overhear_sender(air);
	air->wiphy->rts_threshold = 500;
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 4, air->count);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_rts(air->seen[0].fc));
	KUNIT_EXPECT_EQ(test, at, air->seen[0].start_ns);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_cts(air->seen[1].fc));
	at += RTS_NS + SIFS_NS;
	KUNIT_EXPECT_EQ(test, at, air->seen[1].start_ns);
	at += ANSWER_NS + SIFS_NS;
	KUNIT_EXPECT_EQ(test, at, air->seen[2].start_ns);
	at += DATA_NS + SIFS_NS;
	KUNIT_EXPECT_EQ(test, at, air->seen[3].start_ns);
	/* a radio that hears only the sender waits for the answer, unheard */
	KUNIT_EXPECT_EQ(test, at + ANSWER_NS, air->radios[1]->mac->nav_until_ns);
}

static void protection_an_unanswered_rts_reserves_little(struct kunit *test)
{
	struct air_test *air = test->priv;
	u64 rts_end = after(air, 0) + RTS_NS;

	hear(air, 0, 1);
	air->wiphy->rts_threshold = 500;
	send(air, 0, 2, 0);
	run_for(air, rts_end + 1000 - air->start_ns);
	/* 2 SIFS, CTS, preamble and 2 slots (10.3.2.4) */
	KUNIT_EXPECT_EQ(test, rts_end + 2 * SIFS_NS + ANSWER_NS + 20000 + 18000,
			air->radios[1]->mac->nav_until_ns);
	/* SIFS, a slot and the preamble of the CTS */
	run_for(air, SIFS_NS + 9000 + 20000);
	KUNIT_EXPECT_EQ(test, 1,
			air->radios[0]->mac->acs[IEEE80211_AC_BE].rts_unanswered);
}

static void protection_a_txop_holds_several_exchanges(struct kunit *test)
{
	struct air_test *air = test->priv;

	hear(air, 0, 2);
	hear(air, 2, 0);
	air->radios[0]->mac->acs[IEEE80211_AC_BE].edca.txop_ns = 500000;
	send(air, 0, 2, 0);
	send(air, 0, 2, 0);
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 6, air->count);
	/* the second SIFS after the first ACK; the third does not fit */
	KUNIT_EXPECT_EQ(test, air->seen[1].start_ns + ANSWER_NS + SIFS_NS,
			air->seen[2].start_ns);
	KUNIT_EXPECT_GE(test, air->seen[4].start_ns,
			air->seen[3].start_ns + ANSWER_NS + 34000);
}

/* what a frame has reserved for the next one needs no RTS, but a CTS-to-self */
static void protection_a_txop_is_protected_once(struct kunit *test)
{
	struct air_test *air = test->priv;

	hear(air, 0, 2);
	hear(air, 2, 0);
	air->radios[0]->mac->acs[IEEE80211_AC_BE].edca.txop_ns = NSEC_PER_MSEC;
	air->wiphy->rts_threshold = 500;
	send(air, 0, 2, 0);
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	/* RTS, CTS, data, ACK, data, ACK */
	KUNIT_ASSERT_EQ(test, 6, air->count);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_rts(air->seen[0].fc));
	KUNIT_EXPECT_TRUE(test, ieee80211_is_data(air->seen[4].fc));
	KUNIT_EXPECT_EQ(test, air->seen[3].start_ns + ANSWER_NS + SIFS_NS,
			air->seen[4].start_ns);
	air->wiphy->rts_threshold = U32_MAX;
	protect_fixed_rate(air);
	send(air, 0, 2, 0);
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	/* twice CTS, data, ACK */
	KUNIT_ASSERT_EQ(test, 12, air->count);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_cts(air->seen[6].fc));
	KUNIT_EXPECT_TRUE(test, ieee80211_is_cts(air->seen[9].fc));
}

/* only the station that has reserved the medium is answered (10.23.2.4) */
static void protection_a_txop_holder_gets_its_cts(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[2];

	hear(air, 0, 2);
	hear(air, 2, 0);
	air->wiphy->rts_threshold = 500;
	radio->mac->nav_until_ns = air->start_ns + NSEC_PER_SEC;
	ether_addr_copy(radio->mac->nav_by, address(1));
	send(air, 0, 2, 0);
	run_for(air, after(air, 0) + RTS_NS + SIFS_NS + 1000 - air->start_ns);
	KUNIT_EXPECT_EQ(test, 1, air->count);
	KUNIT_EXPECT_NULL(test, radio->sending);
	ether_addr_copy(radio->mac->nav_by, address(0));
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_GE(test, air->count, 3);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_rts(air->seen[1].fc));
	KUNIT_EXPECT_TRUE(test, ieee80211_is_cts(air->seen[2].fc));
}

/*
 * Each frame of a TXOP but the last, and each ACK, reserves the next one, too.
 */
static void protection_a_txop_reserves_its_next_frame(struct kunit *test)
{
	struct air_test *air = test->priv;
	u64 *nav = &air->radios[1]->mac->nav_until_ns;
	u64 next = DATA_NS + SIFS_NS + ANSWER_NS, at = after(air, 0);

	overhear_sender(air);
	air->radios[0]->mac->acs[IEEE80211_AC_BE].edca.txop_ns = 500000;
	send(air, 0, 2, 0);
	send(air, 0, 2, 0);
	at += DATA_NS;
	run_for(air, at + 1000 - air->start_ns);
	KUNIT_EXPECT_EQ(test, at + SIFS_NS + ANSWER_NS + SIFS_NS + next, *nav);
	at += SIFS_NS + ANSWER_NS + SIFS_NS + next;
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, at, *nav);
	KUNIT_EXPECT_EQ(test, 4, air->count);
	/* a radio that hears only the receiver learns it from the ACK */
	*nav = 0;
	deafen(air, 0, 1);
	hear(air, 2, 1);
	send(air, 0, 2, 0);
	send(air, 0, 2, 0);
	run_for(air, 34000 + DATA_NS + SIFS_NS + ANSWER_NS + 1000);
	KUNIT_ASSERT_EQ(test, 6, air->count);
	KUNIT_EXPECT_EQ(test, air->seen[5].start_ns + ANSWER_NS + SIFS_NS + next,
			*nav);
}

/* the successor of a frame that failed is sent later, and once */
static void protection_a_txop_ends_with_a_failure(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_fault *fault = make_fault(air, HWSIM_MEDIUM_FAULT_DAMAGE);

	made = 0;
	ended = 0;
	fault->skip = 1;
	hear(air, 0, 2);
	hear(air, 2, 0);
	air->radios[0]->mac->acs[IEEE80211_AC_BE].edca.txop_ns = NSEC_PER_MSEC;
	send(air, 0, 2, 0);
	send(air, 0, 2, 0);
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	/* data, ACK, damaged data; then data, ACK */
	KUNIT_ASSERT_EQ(test, 5, air->count);
	KUNIT_EXPECT_GT(test, air->seen[3].start_ns,
			air->seen[2].start_ns + DATA_NS + SIFS_NS + ANSWER_NS);
	KUNIT_EXPECT_EQ(test, 3, made);
	KUNIT_EXPECT_EQ(test, 3, ended);
	KUNIT_EXPECT_EQ(test, 3, air->radios[0]->mac->acs[IEEE80211_AC_BE].attempts);
}

/* CTS-to-self, SIFS, data: for stations that cannot decode the data */
static void protection_cts_to_self_protects(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_mpdu *mpdu;
	u64 at = after(air, 0);

	overhear_sender(air);
	send(air, 0, 2, 0);
	mpdu = list_first_entry(&air->radios[0]->mac->acs[IEEE80211_AC_BE].queue,
				struct hwsim_mpdu, list);
	mpdu->rates[0].flags |= IEEE80211_TX_RC_USE_CTS_PROTECT;
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 3, air->count);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_cts(air->seen[0].fc));
	KUNIT_EXPECT_EQ(test, at, air->seen[0].start_ns);
	at += ANSWER_NS + SIFS_NS;
	KUNIT_EXPECT_EQ(test, at, air->seen[1].start_ns);
	at += DATA_NS + SIFS_NS;
	KUNIT_EXPECT_EQ(test, at, air->seen[2].start_ns);
	KUNIT_EXPECT_EQ(test, at + ANSWER_NS, air->radios[1]->mac->nav_until_ns);
}

/* a fixed rate does not disable protection */
static void protection_a_fixed_rate_is_protected(struct kunit *test)
{
	struct air_test *air = test->priv;
	u64 at = after(air, 0);

	hear(air, 0, 2);
	hear(air, 2, 0);
	protect_fixed_rate(air);
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 3, air->count);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_cts(air->seen[0].fc));
	KUNIT_EXPECT_EQ(test, at, air->seen[0].start_ns);
	/* no basic rates are known here: a CTS at 24 Mbit/s, which is mandatory */
	at += ANSWER_NS + SIFS_NS;
	KUNIT_EXPECT_EQ(test, at, air->seen[1].start_ns);
}

/* a frame that falls back in rate lowers the rate of its RTS, too */
static void protection_an_rts_follows_the_rate_of_its_frame(struct kunit *test)
{
	static const u32 rts_ns[] = { RTS_NS, RTS_NS + 24000 };
	struct air_test *air = test->priv;
	struct hwsim_mpdu *mpdu;
	int i;

	make_fault(air, HWSIM_MEDIUM_FAULT_DAMAGE);
	hear(air, 0, 2);
	hear(air, 2, 0);
	air->wiphy->rts_threshold = 500;
	send(air, 0, 2, 0);
	mpdu = list_first_entry(&air->radios[0]->mac->acs[IEEE80211_AC_BE].queue,
				struct hwsim_mpdu, list);
	mpdu->rates[1].idx = 0;
	mpdu->rates[1].count = 1;
	mpdu->rates[2].idx = -1;
	run_for(air, 10 * NSEC_PER_MSEC);
	/* RTS, CTS, damaged data; RTS, CTS, data, ACK */
	KUNIT_ASSERT_EQ(test, 7, air->count);
	for (i = 0; i < ARRAY_SIZE(rts_ns); i++) {
		const struct seen *rts = &air->seen[3 * i];

		KUNIT_ASSERT_TRUE(test, ieee80211_is_rts(rts[0].fc));
		KUNIT_ASSERT_TRUE(test, ieee80211_is_cts(rts[1].fc));
		KUNIT_EXPECT_EQ(test, rts[0].start_ns + rts_ns[i] + SIFS_NS,
				rts[1].start_ns);
	}
}

static struct kunit_case protection_cases[] = {
	KUNIT_CASE(protection_a_wide_frame_is_protected_in_both_channels),
	KUNIT_CASE(protection_rts_reserves_the_medium),
	KUNIT_CASE(protection_an_unanswered_rts_reserves_little),
	KUNIT_CASE(protection_a_txop_holds_several_exchanges),
	KUNIT_CASE(protection_a_txop_reserves_its_next_frame),
	KUNIT_CASE(protection_a_txop_ends_with_a_failure),
	KUNIT_CASE(protection_a_txop_is_protected_once),
	KUNIT_CASE(protection_a_txop_holder_gets_its_cts),
	KUNIT_CASE(protection_a_fixed_rate_is_protected),
	KUNIT_CASE(protection_cts_to_self_protects),
	KUNIT_CASE(protection_an_rts_follows_the_rate_of_its_frame),
	{}
};

static struct kunit_suite protection_suite = {
	.name = "hwsim-medium-protection",
	.init = air_test_init,
	.exit = air_test_exit,
	.test_cases = protection_cases,
};

kunit_test_suite(protection_suite);
