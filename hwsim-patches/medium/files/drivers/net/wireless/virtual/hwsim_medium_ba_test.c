// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the hwsim medium's BlockAck sessions: what is sent again, and
 * when a BlockAckReq is due.
 */
#include <kunit/test.h>
#include <linux/slab.h>
#include "hwsim_medium_radio.h"

struct ba_test {
	struct hwsim_radio radio;
	struct hwsim_mac mac;
	struct hwsim_session session;
};

static int ba_test_init(struct kunit *test)
{
	struct ba_test *ba = kunit_kzalloc(test, sizeof(*ba), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, ba);
	test->priv = ba;
	ba->radio.mac = &ba->mac;
	ba->mac.radio = &ba->radio;
	INIT_LIST_HEAD(&ba->session.retry_queue);
	ba->session.holes.bits = HWSIM_BA_BITS;
	for (i = 0; i < IEEE80211_NUM_ACS; i++)
		INIT_LIST_HEAD(&ba->mac.acs[i].queue);
	return 0;
}

/* two A-MPDUs of a TXOP come back with holes, the older one first */
static void ba_frames_go_back_in_order(struct kunit *test)
{
	static const u16 back[] = { 4095, 2, 50, 1, 4093 };
	static const u16 order[] = { 4093, 4095, 1, 2, 50 };
	struct hwsim_mpdu mpdus[ARRAY_SIZE(back)] = {}, *mpdu;
	struct ba_test *ba = test->priv;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(back); i++) {
		mpdus[i].seq = back[i];
		hwsim_session_put_back(&ba->session, &mpdus[i]);
	}
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		mpdu = hwsim_session_take(&ba->session);
		KUNIT_ASSERT_NOT_NULL(test, mpdu);
		KUNIT_EXPECT_EQ(test, order[i], mpdu->seq);
	}
	KUNIT_EXPECT_NULL(test, hwsim_session_take(&ba->session));
}

/* a frame that waits for its receiver to wake is not given up, either */
static void ba_frames_sent_alone_are_outstanding(struct kunit *test)
{
	struct ba_test *ba = test->priv;
	struct hwsim_mpdu alone = { .session = &ba->session, .seq = 5 };

	ba->session.last_seq = 10;
	hwsim_session_given_up(&ba->session, 7);
	KUNIT_EXPECT_TRUE(test,
			  hwsim_session_wants_bar(&ba->radio, &ba->session));
	/* in any category: a service period uses one for all */
	list_add(&alone.list, &ba->mac.acs[IEEE80211_AC_VO].queue);
	KUNIT_EXPECT_FALSE(test,
			   hwsim_session_wants_bar(&ba->radio, &ba->session));
	/* and a late return does not make the window shrink */
	hwsim_session_took(&ba->session, 5);
	KUNIT_EXPECT_EQ(test, 10, ba->session.last_seq);
}

/* a hole is reported once no earlier frame is outstanding */
static void ba_outstanding_frames_delay_a_bar(struct kunit *test)
{
	struct ba_test *ba = test->priv;
	struct hwsim_mpdu waits = { .seq = 4094 }, later = { .seq = 3 };

	ba->session.last_seq = 10;
	hwsim_session_put_back(&ba->session, &waits);
	hwsim_session_put_back(&ba->session, &later);
	/* backwards, as they come */
	hwsim_session_given_up(&ba->session, 7);
	hwsim_session_given_up(&ba->session, 4095);
	KUNIT_EXPECT_FALSE(test,
			   hwsim_session_wants_bar(&ba->radio, &ba->session));
	hwsim_session_take(&ba->session);
	KUNIT_EXPECT_TRUE(test,
			  hwsim_session_wants_bar(&ba->radio, &ba->session));
	/* the first is reported; for the second it is too early */
	hwsim_scoreboard_move(&ba->session.holes, 3);
	KUNIT_EXPECT_FALSE(test,
			   hwsim_session_wants_bar(&ba->radio, &ba->session));
	hwsim_session_take(&ba->session);
	KUNIT_EXPECT_TRUE(test,
			  hwsim_session_wants_bar(&ba->radio, &ba->session));
	hwsim_scoreboard_move(&ba->session.holes, 11);
	KUNIT_EXPECT_FALSE(test,
			   hwsim_session_wants_bar(&ba->radio, &ba->session));
	/* long after the last hole */
	ba->session.last_seq = 3000;
	hwsim_session_given_up(&ba->session, 2999);
	KUNIT_EXPECT_TRUE(test,
			  hwsim_session_wants_bar(&ba->radio, &ba->session));
}

static void ba_a_bar_starts_at_the_window(struct kunit *test)
{
	static const u8 them[ETH_ALEN] = { 2, 0, 0, 0, 0, 1 };
	static const u8 us[ETH_ALEN] = { 2, 0, 0, 0, 0, 2 };
	struct ba_test *ba = test->priv;
	struct hwsim_mpdu waits = { .seq = 9 }, flies = { .seq = 8 }, *mpdu;
	struct hwsim_ppdu *frame = kunit_kzalloc(test, sizeof(*frame), GFP_KERNEL);
	const struct ieee80211_bar *bar;

	KUNIT_ASSERT_NOT_NULL(test, frame);
	ether_addr_copy(ba->session.own, us);
	ether_addr_copy(ba->session.addr, them);
	ba->session.tid = 5;
	ba->session.last_seq = 20;
	hwsim_session_put_back(&ba->session, &waits);
	/* the window starts with a frame of the current exchange */
	flies.session = &ba->session;
	frame->mpdus[0] = &flies;
	frame->count = 1;
	ba->mac.frame = frame;
	mpdu = hwsim_bar_new(&ba->radio, &ba->session);
	KUNIT_ASSERT_NOT_NULL(test, mpdu);
	bar = (void *)mpdu->skb->data;
	KUNIT_EXPECT_TRUE(test, ieee80211_is_back_req(bar->frame_control));
	KUNIT_EXPECT_MEMEQ(test, them, bar->ra, ETH_ALEN);
	KUNIT_EXPECT_MEMEQ(test, us, bar->ta, ETH_ALEN);
	KUNIT_EXPECT_EQ(test, 0x5004, le16_to_cpu(bar->control));
	KUNIT_EXPECT_EQ(test, 8 << 4, le16_to_cpu(bar->start_seq_num));
	KUNIT_EXPECT_EQ(test, 24, mpdu->bytes);
	KUNIT_EXPECT_EQ(test, 1, ba->mac.held);
	kfree_skb(mpdu->skb);
	kfree(mpdu);
}

/* the station is gone: what is on the air is not sent again, one by one */
static void ba_a_flush_ends_frames_on_the_air(struct kunit *test)
{
	struct hwsim_session *session = kzalloc(sizeof(*session), GFP_KERNEL);
	struct hwsim_ppdu *frame = kunit_kzalloc(test, sizeof(*frame), GFP_KERNEL);
	struct ba_test *ba = test->priv;
	struct hwsim_mpdu flies = { .is_own = true };
	struct hwsim_mpdu alone = { .is_own = true };

	KUNIT_ASSERT_NOT_NULL(test, session);
	KUNIT_ASSERT_NOT_NULL(test, frame);
	INIT_LIST_HEAD(&session->retry_queue);
	hash_add(ba->mac.sessions, &session->node, 0);
	flies.session = session;
	frame->mpdus[0] = &flies;
	frame->count = 1;
	ba->mac.frame = frame;
	alone.session = session;
	list_add(&alone.list, &ba->mac.acs[IEEE80211_AC_VO].queue);
	hwsim_sessions_purge(&ba->radio, NULL);
	KUNIT_EXPECT_NULL(test, alone.session);
	KUNIT_EXPECT_NULL(test, flies.session);
	KUNIT_EXPECT_TRUE(test, flies.no_retry);
}

/* what was numbered before a session began is old for its recipient */
static void ba_old_frames_stay_outside(struct kunit *test)
{
	static const u8 them[ETH_ALEN] = { 2, };
	static const u16 seqs[] = { 2, 4090, 3 };
	struct ba_test *ba = test->priv;
	struct ieee80211_tx_info *info;
	struct ieee80211_hdr *hdr;
	u32 i;

	ether_addr_copy(ba->session.addr, them);
	ba->session.oldest_seq = 3;
	/* where hwsim_session_of() looks for it */
	hash_add(ba->mac.sessions, &ba->session.node, 0);
	for (i = 0; i < ARRAY_SIZE(seqs); i++) {
		struct hwsim_mpdu mpdu = { .seq = seqs[i] };

		mpdu.skb = alloc_skb(sizeof(*hdr), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, mpdu.skb);
		hdr = skb_put_zero(mpdu.skb, sizeof(*hdr));
		ether_addr_copy(hdr->addr1, them);
		info = IEEE80211_SKB_CB(mpdu.skb);
		info->flags = IEEE80211_TX_CTL_AMPDU;
		hwsim_session_join(&ba->radio, &mpdu);
		KUNIT_EXPECT_PTR_EQ(test, i == 2 ? &ba->session : NULL,
				    mpdu.session);
		KUNIT_EXPECT_EQ(test, i == 2 ? IEEE80211_TX_CTL_AMPDU : 0,
				info->flags);
		kfree_skb(mpdu.skb);
	}
	/* long after its start, numbers repeat */
	for (i = 3; i < 6000; i++) {
		KUNIT_EXPECT_FALSE(test, ieee80211_sn_less(i % 4096,
							   ba->session.oldest_seq));
		hwsim_session_took(&ba->session, i % 4096);
	}
	KUNIT_EXPECT_EQ(test, 5999 % 4096, ba->session.last_seq);
	KUNIT_EXPECT_TRUE(test, ieee80211_sn_less((5999 - 1025) % 4096,
						  ba->session.oldest_seq));
}

/* with an agreement, a frame's age counts, not the number of attempts */
static void ba_a_frame_lives_500_tu(struct kunit *test)
{
	struct hwsim_medium *medium =
		kunit_kzalloc(test, sizeof(*medium), GFP_KERNEL);
	struct ieee80211_hw *hw = kunit_kzalloc(test, sizeof(*hw), GFP_KERNEL);
	struct ba_test *ba = test->priv;
	struct hwsim_mpdu mpdu = {
		.kind = HWSIM_MEDIUM_FRAME_DATA,
		.since_ns = 1000,
		.attempts = 100,
		.session = &ba->session,
	};
	const u64 end_ns = 1000 + 512 * NSEC_PER_MSEC;

	KUNIT_ASSERT_NOT_NULL(test, medium);
	KUNIT_ASSERT_NOT_NULL(test, hw);
	ba->radio.hw = hw;
	ba->radio.medium = medium;
	medium->clock.now_ns = end_ns - 1;
	KUNIT_EXPECT_FALSE(test, hwsim_mpdu_is_exhausted(&ba->radio, &mpdu));
	medium->clock.now_ns = end_ns;
	KUNIT_EXPECT_TRUE(test, hwsim_mpdu_is_exhausted(&ba->radio, &mpdu));
	medium->clock.now_ns = 2000;
	ba->mac.retries = 101;
	KUNIT_EXPECT_FALSE(test, hwsim_mpdu_is_exhausted(&ba->radio, &mpdu));
	ba->mac.retries = 100;
	KUNIT_EXPECT_TRUE(test, hwsim_mpdu_is_exhausted(&ba->radio, &mpdu));
	ba->mac.retries = 0;
	hwsim_mpdu_give_up(&mpdu);
	mpdu.attempts = 1;
	KUNIT_EXPECT_TRUE(test, hwsim_mpdu_is_exhausted(&ba->radio, &mpdu));
}

static struct kunit_case ba_cases[] = {
	KUNIT_CASE(ba_frames_go_back_in_order),
	KUNIT_CASE(ba_outstanding_frames_delay_a_bar),
	KUNIT_CASE(ba_frames_sent_alone_are_outstanding),
	KUNIT_CASE(ba_a_bar_starts_at_the_window),
	KUNIT_CASE(ba_a_flush_ends_frames_on_the_air),
	KUNIT_CASE(ba_old_frames_stay_outside),
	KUNIT_CASE(ba_a_frame_lives_500_tu),
	{}
};

static struct kunit_suite ba_suite = {
	.name = "hwsim-medium-ba",
	.init = ba_test_init,
	.test_cases = ba_cases,
};

kunit_test_suite(ba_suite);
