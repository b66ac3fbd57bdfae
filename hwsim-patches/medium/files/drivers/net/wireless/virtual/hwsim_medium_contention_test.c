// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of contention for the hwsim medium: backoff, EIFS, flushes, and
 * what comes first.
 */
#include "hwsim_medium_air_test.h"

/* 40 MHz only if the secondary channel was idle, else 20 (11.15.9) */
static void contention_a_busy_secondary_channel_is_not_used(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	struct hwsim_radio *other = air->radios[1];
	int i;

	use_40mhz(air, radio);
	hear(air, 1, 0);
	for (i = 0; i < 3; i++) {
		bool loud = i == 1;

		listen_to(other, &air->channels[2]);
		link_of(air, 1, 0)->setting.gain_mb = GAIN_MB(loud ? 3400 : 3000);
		radio->busy_until_ns = air->medium->clock.now_ns + BUSY_NS;
		other->busy_until_ns = radio->busy_until_ns;
		send(air, 1, 2, 0);
		/* in the last round, PIFS has passed */
		send(air, 0, 2, i == 2 ? 25 : 4);
		use_mcs(radio, 7, IEEE80211_TX_RC_40_MHZ_WIDTH);
		if (i == 2)
			link_of(air, 1, 0)->setting.gain_mb = GAIN_MB(3400);
		while (!radio->mac->frame && step(air))
			;
		KUNIT_ASSERT_NOT_NULL(test, radio->mac->frame);
		KUNIT_EXPECT_EQ(test, loud ? HWSIM_PHY_20MHZ : HWSIM_PHY_40MHZ,
				radio->mac->frame->rate.width);
		run_for(air, 10 * NSEC_PER_MSEC);
	}
}

static void contention_backoff_freezes(struct kunit *test)
{
	struct air_test *air = test->priv;
	u64 ack_end;

	hear(air, 0, 1);
	hear(air, 2, 1);
	hear(air, 0, 2);
	hear(air, 1, 2);
	hear(air, 2, 0);
	send(air, 0, 2, 3);
	send(air, 1, 2, 8);
	run_for(air, 10 * NSEC_PER_MSEC);
	/* data, ACK, data, ACK */
	KUNIT_ASSERT_EQ(test, 4, air->count);
	KUNIT_EXPECT_EQ(test, after(air, 3), air->seen[0].start_ns);
	KUNIT_EXPECT_EQ(test, DATA_BYTES, air->seen[0].bytes);
	KUNIT_EXPECT_EQ(test, air->seen[0].start_ns + DATA_NS + 16000,
			air->seen[1].start_ns);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_ack(air->seen[1].fc));
	/* an ACK at 24 Mbit/s; five slots are left */
	ack_end = air->seen[1].start_ns + 28000;
	KUNIT_EXPECT_EQ(test, ack_end + 34000 + 5 * 9000,
			air->seen[2].start_ns);
	KUNIT_EXPECT_FALSE(test, air->seen[0].wrong);
	KUNIT_EXPECT_FALSE(test, air->seen[2].wrong);
}

static void contention_a_backoff_without_a_frame_ends(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_edca *edca = &air->radios[0]->mac->acs[IEEE80211_AC_BE].edca;

	hear(air, 1, 0);
	hear(air, 1, 2);
	edca->backs_off = true;
	edca->slots = 5;
	hwsim_access_changed(air->radios[0]);
	send(air, 1, 2, 8);
	run_for(air, after(air, 9) - air->start_ns);
	KUNIT_EXPECT_FALSE(test, edca->backs_off);
	KUNIT_EXPECT_EQ(test, 0, edca->slots);
	/* nor is one that has not ended dropped */
	edca->backs_off = true;
	edca->slots = 1000;
	hwsim_access_changed(air->radios[0]);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_TRUE(test, edca->backs_off);
}

static void contention_categories_collide_inside(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	struct hwsim_ac *background = &radio->mac->acs[IEEE80211_AC_BK];
	struct hwsim_ac *best_effort = &radio->mac->acs[IEEE80211_AC_BE];

	hear(air, 0, 2);
	hear(air, 2, 0);
	send(air, 0, 2, 4);
	/* the same frame once more, in another category */
	background->edca = best_effort->edca;
	send(air, 0, 2, 4);
	list_move(best_effort->queue.prev, &background->queue);
	best_effort->queued--;
	background->queued++;
	background->waiting = true;
	hwsim_access_changed(radio);
	run_for(air, after(air, 5) - air->start_ns);
	KUNIT_EXPECT_EQ(test, 1, background->inside);
	KUNIT_EXPECT_EQ(test, 0, best_effort->inside);
	KUNIT_EXPECT_EQ(test, 31, background->edca.cw);
	run_for(air, 10 * NSEC_PER_MSEC);
	/* both were sent in the end, one after the other */
	KUNIT_ASSERT_EQ(test, 4, air->count);
	KUNIT_EXPECT_EQ(test, after(air, 4), air->seen[0].start_ns);
	KUNIT_EXPECT_FALSE(test, air->seen[0].wrong);
	KUNIT_EXPECT_FALSE(test, air->seen[2].wrong);
}

/* a category that has no frames left does not collide */
static void contention_an_empty_category_does_not_collide(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	struct hwsim_ac *background = &radio->mac->acs[IEEE80211_AC_BK];
	u32 cw;

	hear(air, 0, 2);
	hear(air, 2, 0);
	send(air, 0, 2, 4);
	background->edca = radio->mac->acs[IEEE80211_AC_BE].edca;
	background->waiting = true;
	cw = background->edca.cw;
	hwsim_access_changed(radio);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 2, air->count);
	KUNIT_EXPECT_EQ(test, 0, background->inside);
	KUNIT_EXPECT_EQ(test, cw, background->edca.cw);
	KUNIT_EXPECT_FALSE(test, background->waiting);
}

/* a monitor's CTS is ten bytes long and not answered */
static void contention_an_injected_cts_is_sent_once(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	struct ieee80211_hdr *hdr;
	struct hwsim_mpdu *mpdu;

	hear(air, 0, 2);
	hear(air, 2, 0);
	send_kind(air, 0, 2, 0, cpu_to_le16(IEEE80211_FTYPE_CTL |
					    IEEE80211_STYPE_CTS));
	mpdu = list_first_entry(&radio->mac->acs[IEEE80211_AC_VO].queue,
				struct hwsim_mpdu, list);
	hdr = (void *)mpdu->skb->data;
	KUNIT_EXPECT_FALSE(test, mpdu->wants_ack);
	/* bytes after these ten do not belong to the frame */
	ether_addr_copy(hdr->addr2, address(1));
	radio->mac->acs[IEEE80211_AC_VO].edca.slots = 0;
	hwsim_access_changed(radio);
	run_for(air, after(air, 0) + 1000 - air->start_ns);
	KUNIT_ASSERT_NOT_NULL(test, radio->mac->frame);
	KUNIT_EXPECT_TRUE(test, is_zero_ether_addr(radio->mac->frame->ta));
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 1, air->count);
	KUNIT_EXPECT_EQ(test, 0, radio->mac->held);
}

/* only one of two interfaces is flushed */
static void contention_a_flush_spares_other_interfaces(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	struct list_head *queue = &radio->mac->acs[IEEE80211_AC_BE].queue;
	struct ieee80211_vif *vifs[2];
	struct hwsim_mpdu *mpdu;
	int i = 0;

	hear(air, 0, 2);
	hear(air, 2, 0);
	send(air, 0, 2, 0);
	send(air, 0, 2, 0);
	send(air, 0, 2, 0);
	list_for_each_entry(mpdu, queue, list) {
		/* the medium compares them and uses their basic rates */
		if (i < 2)
			vifs[i] = kunit_kzalloc(test, sizeof(*vifs[i]),
						GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, vifs[i % 2]);
		IEEE80211_SKB_CB(mpdu->skb)->control.vif = vifs[i++ % 2];
	}
	/* the first is on the air, and stays there */
	run_for(air, after(air, 0) + 1000 - air->start_ns);
	KUNIT_ASSERT_EQ(test, HWSIM_STAGE_DATA, radio->mac->stage);
	hwsim_radio_flush(radio, vifs[1], true);
	KUNIT_EXPECT_EQ(test, 2, radio->mac->held);
	KUNIT_EXPECT_EQ(test, HWSIM_STAGE_DATA, radio->mac->stage);
	hwsim_radio_flush(radio, vifs[0], true);
	KUNIT_EXPECT_EQ(test, 0, radio->mac->held);
	KUNIT_EXPECT_EQ(test, HWSIM_STAGE_NONE, radio->mac->stage);
}

/* acknowledged, given up, in a collision, in a queue when the radio stops */
static void contention_each_frame_ends_once(struct kunit *test)
{
	struct air_test *air = test->priv;
	int i;

	made = 0;
	ended = 0;
	hear(air, 0, 2);
	hear(air, 1, 2);
	hear(air, 2, 0);
	send(air, 0, 2, 4);
	send(air, 1, 2, 4);	/* collides, and would not hear an ACK */
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 3, ended);
	for (i = 0; i < 5; i++)
		send(air, 1, 2, 0);
	run_for(air, 100 * NSEC_PER_USEC);	/* the first is on the air */
	KUNIT_EXPECT_EQ(test, 5, air->radios[1]->mac->held);
	hwsim_radio_stop(air->radios[1]);
	KUNIT_EXPECT_EQ(test, 0, air->radios[1]->mac->held);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 8, made);
	KUNIT_EXPECT_EQ(test, made, ended);
}

/* an exchange is aborted while its RTS is on the air: no CTS is awaited */
static void contention_a_flush_ends_an_exchange(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	u64 rts_end = after(air, 0) + RTS_NS;

	hear(air, 0, 2);
	hear(air, 2, 0);
	air->wiphy->rts_threshold = 500;
	send(air, 0, 2, 0);
	run_for(air, after(air, 0) + 1000 - air->start_ns);
	KUNIT_ASSERT_EQ(test, HWSIM_STAGE_PROTECT, radio->mac->stage);
	hwsim_radio_flush(radio, NULL, true);
	KUNIT_EXPECT_EQ(test, 0, radio->mac->held);
	/* the next frame waits until the RTS is over */
	air->wiphy->rts_threshold = U32_MAX;
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_GE(test, air->count, 2);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_rts(air->seen[0].fc));
	KUNIT_EXPECT_FALSE(test, air->seen[0].wrong);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_data(air->seen[air->count - 2].fc));
	KUNIT_EXPECT_GE(test, air->seen[air->count - 2].start_ns, rts_end);
}

static void contention_eifs_follows_a_damaged_frame(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_fault *fault = make_fault(air, HWSIM_MEDIUM_FAULT_DAMAGE);

	fault->listener = air->radios[1];
	/* the second station does not hear the ACK, which would end EIFS */
	hear(air, 0, 1);
	hear(air, 0, 2);
	hear(air, 1, 2);
	send(air, 0, 2, 0);
	send(air, 1, 2, 2);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_GE(test, air->count, 3);
	/* SIFS, ACK at 6 Mbit/s (44 us), DIFS, two slots */
	KUNIT_EXPECT_EQ(test, air->seen[0].start_ns + DATA_NS + SIFS_NS + 44000 +
			34000 + 2 * 9000, air->seen[2].start_ns);
	KUNIT_EXPECT_TRUE(test, list_empty(&air->medium->faults));
}

/* EIFS begins when the medium is idle, not when the damaged frame ends */
static void contention_eifs_waits_for_silence(struct kunit *test)
{
	struct air_test *air = test->priv;

	hear(air, 0, 2);
	hear(air, 1, 2);
	/* loud enough to be heard without its preamble */
	air->radios[2]->ed_mbm = air->radios[2]->noise_mbm + LEVEL_MB;
	send(air, 0, 1, 3);
	send(air, 1, 0, 8);
	run_for(air, after(air, 4) - air->start_ns);
	send(air, 2, 0, 2);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 3, air->count);
	KUNIT_EXPECT_EQ(test, after(air, 8) + DATA_NS + SIFS_NS + 44000 + 34000 +
			2 * 9000, air->seen[2].start_ns);
}

/* buffered group frames come before other data, whatever their backoffs */
static void contention_group_frames_come_first(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	struct hwsim_ac *ac = &radio->mac->acs[IEEE80211_AC_VO];
	struct sk_buff *skb;
	u8 all[ETH_ALEN];

	eth_broadcast_addr(all);
	skb = frame_of(air, 0, all, cpu_to_le16(IEEE80211_FTYPE_DATA));
	skb_trim(skb, DATA_BYTES / 2);
	ac->edca.slots = 5;
	ac->edca.backs_off = true;
	hwsim_radio_tx(radio, NULL, skb, radio->channel, true);
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 2, air->count);
	KUNIT_EXPECT_EQ(test, DATA_BYTES / 2, air->seen[0].bytes);
	KUNIT_EXPECT_EQ(test, DATA_BYTES, air->seen[1].bytes);
}

static struct kunit_case contention_cases[] = {
	KUNIT_CASE(contention_a_busy_secondary_channel_is_not_used),
	KUNIT_CASE(contention_backoff_freezes),
	KUNIT_CASE(contention_a_backoff_without_a_frame_ends),
	KUNIT_CASE(contention_categories_collide_inside),
	KUNIT_CASE(contention_an_empty_category_does_not_collide),
	KUNIT_CASE(contention_an_injected_cts_is_sent_once),
	KUNIT_CASE(contention_a_flush_spares_other_interfaces),
	KUNIT_CASE(contention_each_frame_ends_once),
	KUNIT_CASE(contention_eifs_follows_a_damaged_frame),
	KUNIT_CASE(contention_eifs_waits_for_silence),
	KUNIT_CASE(contention_a_flush_ends_an_exchange),
	KUNIT_CASE(contention_group_frames_come_first),
	{}
};

static struct kunit_suite contention_suite = {
	.name = "hwsim-medium-contention",
	.init = air_test_init,
	.exit = air_test_exit,
	.test_cases = contention_cases,
};

kunit_test_suite(contention_suite);
