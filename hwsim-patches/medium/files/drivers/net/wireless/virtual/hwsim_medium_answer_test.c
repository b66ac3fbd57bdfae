// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of answers in the hwsim medium: ACK, BlockAck, and which radio
 * sends them.
 */
#include "hwsim_medium_air_test.h"

/* a BlockAckReq without agreement reaches mac80211, which answers by DELBA */
static void answer_an_unexpected_bar_goes_up(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct ieee80211_bar *bar;
	struct hwsim_up *up;
	struct sk_buff *skb;
	u32 count = 0;

	hear(air, 0, 2);
	hear(air, 2, 0);
	skb = alloc_skb(sizeof(*bar), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	bar = skb_put_zero(skb, sizeof(*bar));
	bar->frame_control = cpu_to_le16(IEEE80211_FTYPE_CTL |
					 IEEE80211_STYPE_BACK_REQ);
	ether_addr_copy(bar->ra, address(2));
	ether_addr_copy(bar->ta, address(0));
	IEEE80211_SKB_CB(skb)->control.rates[0].count = 1;
	IEEE80211_SKB_CB(skb)->control.rates[1].idx = -1;
	hwsim_radio_tx(air->radios[0], NULL, skb, &air->channels[0], true);
	hwsim_clock_run(&air->medium->clock, air->start_ns + NSEC_PER_MSEC);
	list_for_each_entry(up, &air->medium->clock.up, later.list)
		count += up->skb && ieee80211_is_back_req(*(__le16 *)up->skb->data);
	KUNIT_EXPECT_EQ(test, 1, count);
	run_for(air, 10 * NSEC_PER_MSEC);
	/* no answer, and nothing to count */
	KUNIT_EXPECT_EQ(test, 1, air->count);
	KUNIT_EXPECT_NULL(test, xa_load(&air->radios[2]->counts,
					air->radios[0]->slot));
}

static struct hwsim_peer *only_peer(struct hwsim_radio *radio)
{
	struct hwsim_peer *peer;
	int i;

	hash_for_each(radio->mac->peers, i, peer, node)
		return peer;
	return NULL;
}

/*
 * What is reported to mac80211 about BlockAck agreements, and cancelled again.
 */
static enum hwsim_session_step session_step(struct air_test *air)
{
	enum hwsim_session_step step = HWSIM_SESSION_NOTHING;
	struct hwsim_up *up;

	list_for_each_entry(up, &air->medium->clock.up, later.list)
		if (up->session)
			step = up->session;
	drop_up(air);
	return step;
}

/* an agreement begins and ends while no frames outside of it are pending */
static void answer_agreements_wait_for_older_frames(struct kunit *test)
{
	static const enum ieee80211_ampdu_mlme_action actions[] = {
		IEEE80211_AMPDU_TX_START, IEEE80211_AMPDU_TX_STOP_CONT,
	};
	static const enum hwsim_session_step steps[] = {
		HWSIM_SESSION_STARTS, HWSIM_SESSION_STOPPED,
	};
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	struct ieee80211_ampdu_params params = {};
	struct ieee80211_vif *vif;
	struct ieee80211_sta *sta;
	struct ieee80211_txq *txq;
	int i, k;

	sta = kunit_kzalloc(test, sizeof(*sta), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, sta);
	txq = kunit_kzalloc(test, sizeof(*txq), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, txq);
	ether_addr_copy(sta->addr, address(1));
	vif = kunit_kzalloc(test, sizeof(*vif), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, vif);
	ether_addr_copy(vif->addr, address(0));
	txq->vif = vif;
	sta->txq[0] = txq;
	params.sta = sta;
	params.action = IEEE80211_AMPDU_TX_START;
	hear(air, 0, 1);
	hear(air, 1, 0);
	KUNIT_EXPECT_EQ(test, IEEE80211_AMPDU_TX_START_IMMEDIATE,
			hwsim_radio_ampdu(radio, vif, &params));
	for (i = 0; i < ARRAY_SIZE(actions); i++) {
		for (k = 0; k < 2; k++)
			send_kind(air, 0, 1, 0,
				  cpu_to_le16(IEEE80211_FTYPE_DATA |
					      IEEE80211_STYPE_QOS_DATA));
		params.action = actions[i];
		KUNIT_EXPECT_EQ(test, i ? 0 : IEEE80211_AMPDU_TX_START_DELAY_ADDBA,
				hwsim_radio_ampdu(radio, vif, &params));
		KUNIT_EXPECT_EQ(test, 1, radio->mac->draining);
		while (radio->mac->held) {
			KUNIT_EXPECT_EQ(test, HWSIM_SESSION_NOTHING,
					session_step(air));
			hwsim_clock_run(&air->medium->clock,
					hwsim_clock_run(&air->medium->clock, 0));
		}
		KUNIT_EXPECT_EQ(test, steps[i], session_step(air));
		KUNIT_EXPECT_EQ(test, 0, radio->mac->draining);
		params.action = IEEE80211_AMPDU_TX_OPERATIONAL;
		KUNIT_ASSERT_EQ(test, 0, hwsim_radio_ampdu(radio, vif, &params));
	}
	/* a radio that is gone does not wait */
	send_kind(air, 0, 1, 0, cpu_to_le16(IEEE80211_FTYPE_DATA |
					    IEEE80211_STYPE_QOS_DATA));
	params.action = IEEE80211_AMPDU_TX_START;
	hwsim_radio_ampdu(radio, vif, &params);
	hwsim_radio_forget_sta(radio, vif, address(1));
	KUNIT_EXPECT_EQ(test, 0, radio->mac->draining);
}

static void answer_carries_a_payload(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *sender = air->radios[0], *receiver = air->radios[2];
	struct hwsim_mpdu *mpdu;
	struct hwsim_peer *peer;

	hear(air, 0, 2);
	hear(air, 2, 0);
	KUNIT_EXPECT_EQ(test, -EINVAL,
			hwsim_peer_set_payload(receiver, address(2), address(0), "", 256,
					       NULL));
	KUNIT_EXPECT_EQ(test, 0,
			hwsim_peer_set_payload(receiver, address(2), address(0), "hello", 5,
					       NULL));
	sender->mac->more_data = true;
	send(air, 0, 2, 0);
	mpdu = list_last_entry(&sender->mac->acs[IEEE80211_AC_BE].queue,
			       struct hwsim_mpdu, list);
	mpdu->alone = true;
	hwsim_mpdu_set_more_data(mpdu, true);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 2, air->count);
	KUNIT_EXPECT_EQ(test, 10 + 5, air->seen[1].bytes);
	KUNIT_ASSERT_EQ(test, 1, sender->mac->num_peers);
	peer = only_peer(sender);
	KUNIT_ASSERT_NOT_NULL(test, peer);
	KUNIT_EXPECT_EQ(test, 1, peer->arrivals);
	KUNIT_EXPECT_EQ(test, 5, peer->in.bytes);
	KUNIT_EXPECT_MEMEQ(test, "hello", peer->in.data, 5);
	KUNIT_EXPECT_TRUE(test, ieee80211_has_moredata(air->seen[0].fc));
	peer = only_peer(receiver);
	KUNIT_ASSERT_NOT_NULL(test, peer);
	KUNIT_EXPECT_TRUE(test, peer->more_data);
	/* the next frame is the last one, and the answer is a plain one */
	KUNIT_EXPECT_EQ(test, 0,
			hwsim_peer_set_payload(receiver, address(2), address(0), NULL, 0,
					       NULL));
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 4, air->count);
	KUNIT_EXPECT_EQ(test, 10, air->seen[3].bytes);
	KUNIT_EXPECT_FALSE(test, peer->more_data);
}

/*
 * A radio that retunes immediately first acknowledges what it has just received.
 */
static void answer_a_leaving_radio_acknowledges(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *leaver = air->radios[2];
	u64 data_end = after(air, 0) + DATA_NS;

	hear(air, 0, 2);
	hear(air, 2, 0);
	send(air, 0, 2, 0);
	run_for(air, data_end + 1000 - air->start_ns);
	listen_to(leaver, &air->channels[CHANNELS - 1]);
	/* and its frames on the other channel wait */
	send(air, 2, 1, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_ACKED));
	KUNIT_ASSERT_EQ(test, 3, air->count);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_ack(air->seen[1].fc));
	KUNIT_EXPECT_EQ(test, data_end + SIFS_NS, air->seen[1].start_ns);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_data(air->seen[2].fc));
	KUNIT_EXPECT_GE(test, air->seen[2].start_ns,
			data_end + SIFS_NS + ANSWER_NS);
}

/* each of many interfaces gets its answers */
static void answer_a_radio_has_many_addresses(struct kunit *test)
{
	struct air_test *air = test->priv;
	u8 addr[ETH_ALEN] = { 2, 0, 0, 0, 1, 0 };
	int i;

	for (i = 0; i < 100; i++) {
		addr[5] = i;
		hwsim_radio_add_address(air->radios[0], addr);
	}
	for (i = 0; i < 100; i++) {
		addr[5] = i;
		KUNIT_EXPECT_TRUE(test, hwsim_radio_owns(air->radios[0], addr));
		hwsim_radio_remove_address(air->radios[0], addr);
		KUNIT_EXPECT_FALSE(test, hwsim_radio_owns(air->radios[0], addr));
	}
	KUNIT_EXPECT_TRUE(test, hwsim_radio_owns(air->radios[0], address(0)));
}

/* the bitmap of a BlockAck is as long as its agreement has it (9.3.1.8.2) */
static void answer_bitmaps_have_a_length(struct kunit *test)
{
	static const u16 bits[] = { 64, 256 };
	static const u16 fragments[] = { 0, 4 };
	struct hwsim_phy_rate rate = { .class = HWSIM_PHY_OFDM, .streams = 1 };
	struct air_test *air = test->priv;
	struct hwsim_ppdu *ppdu;
	struct sk_buff *skb;
	const u8 *data;
	int i;

	for (i = 0; i < ARRAY_SIZE(bits); i++) {
		ppdu = hwsim_ppdu_new(air->radios[0], HWSIM_MEDIUM_FRAME_BA, &rate);
		KUNIT_ASSERT_NOT_NULL(test, ppdu);
		ppdu->ba.start = 1000;
		ppdu->ba.bits = bits[i];
		hwsim_scoreboard_set(&ppdu->ba, 1000);
		hwsim_scoreboard_set(&ppdu->ba, 1000 + bits[i] - 1);
		skb = hwsim_control_frame(ppdu);
		KUNIT_ASSERT_NOT_NULL(test, skb);
		KUNIT_EXPECT_EQ(test, hwsim_ba_bytes(bits[i]), skb->len + 4);
		data = skb->data + skb->len - bits[i] / 8;
		KUNIT_EXPECT_EQ(test, 1000 << 4 | fragments[i],
				get_unaligned_le16(data - 2));
		KUNIT_EXPECT_EQ(test, 1, data[0]);
		KUNIT_EXPECT_EQ(test, 0x80, data[bits[i] / 8 - 1]);
		kfree_skb(skb);
		/* 20 us, and four for each 24 of SERVICE, frame and tail */
		KUNIT_EXPECT_EQ(test, i ? 16 + 20 + 4 * 20 : 16 + 20 + 4 * 12,
				hwsim_answer_us(air->radios[0], ppdu,
						HWSIM_MEDIUM_FRAME_BA));
		hwsim_ppdu_put(ppdu);
	}
}

static struct kunit_case answer_cases[] = {
	KUNIT_CASE(answer_an_unexpected_bar_goes_up),
	KUNIT_CASE(answer_agreements_wait_for_older_frames),
	KUNIT_CASE(answer_bitmaps_have_a_length),
	KUNIT_CASE(answer_carries_a_payload),
	KUNIT_CASE(answer_a_leaving_radio_acknowledges),
	KUNIT_CASE(answer_a_radio_has_many_addresses),
	{}
};

static struct kunit_suite answer_suite = {
	.name = "hwsim-medium-answer",
	.init = air_test_init,
	.exit = air_test_exit,
	.test_cases = answer_cases,
};

kunit_test_suite(answer_suite);
