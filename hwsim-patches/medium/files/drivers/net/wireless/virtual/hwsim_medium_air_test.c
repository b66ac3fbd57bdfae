// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the hwsim medium's events: who sends when, what collides, and
 * what goes with an answer.
 */
#include "hwsim_medium_air_test.h"

static void air_equal_backoffs_collide(struct kunit *test)
{
	struct air_test *air = test->priv;

	hear(air, 0, 1);
	hear(air, 1, 0);
	hear(air, 0, 2);
	hear(air, 1, 2);
	send(air, 0, 2, 4);
	send(air, 1, 2, 4);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 2, air->count);
	KUNIT_EXPECT_EQ(test, after(air, 4), air->seen[0].start_ns);
	KUNIT_EXPECT_EQ(test, after(air, 4), air->seen[1].start_ns);
	KUNIT_EXPECT_TRUE(test, air->seen[0].wrong);
	KUNIT_EXPECT_TRUE(test, air->seen[1].wrong);
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_COLLIDED));
	KUNIT_EXPECT_EQ(test, 0, count_of(air, 0, 2, HWSIM_COUNT_DELIVERED));
}

/* half a channel apart half of the power is noise; two apart there is none */
static void air_channels_overlap(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *other = air->radios[1];
	struct hwsim_link *beside;
	int i;

	hear(air, 0, 2);
	hear(air, 2, 0);
	hear(air, 1, 2);
	beside = link_of(air, 1, 2);
	for (i = 1; i < CHANNELS; i++) {
		u64 count = count_of(air, 0, 2, HWSIM_COUNT_DELIVERED);

		listen_to(other, &air->channels[i]);
		other->busy_until_ns = air->radios[0]->busy_until_ns;
		/* 27 dB less at the third, with half a band between them */
		beside->setting.gain_mb = GAIN_MB(i == 2 ? LEVEL_MB + 1500 : LEVEL_MB);
		send(air, 0, 2, 3);
		send(air, 1, 0, 3);
		run_for(air, 10 * NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, i > 1,
				count_of(air, 0, 2, HWSIM_COUNT_DELIVERED) - count);
		hwsim_radio_flush(other, NULL, true);
		hwsim_radio_flush(air->radios[0], NULL, true);
	}
}

/* a frame that is loud enough half a channel away keeps others silent */
static void air_energy_of_other_channels_is_heard(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *other = air->radios[1];
	int i;

	hear(air, 0, 1);
	for (i = 0; i < 2; i++) {
		u32 count = air->count;

		listen_to(other, &air->channels[1]);
		other->busy_until_ns = air->radios[0]->busy_until_ns;
		/* -62 dBm is 32 dB over noise, and half of the power 3 dB less */
		link_of(air, 0, 1)->setting.gain_mb =
			GAIN_MB(i ? 3400 : 3600);
		send(air, 0, 2, 0);
		send(air, 1, 2, 1);
		run_for(air, 10 * NSEC_PER_MSEC);
		KUNIT_ASSERT_EQ(test, count + 2, air->count);
		KUNIT_EXPECT_EQ(test, i,
				air->seen[count + 1].start_ns <
				air->seen[count].start_ns + DATA_NS);
		KUNIT_EXPECT_FALSE(test, air->seen[count + 1].wrong);
	}
}

/* that time is neither interframe space nor idle, nor anybody's transmission */
static void air_energy_of_other_channels_takes_time(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[1];
	const u64 *ns;

	hear(air, 0, 1);
	listen_to(radio, &air->channels[1]);
	radio->busy_until_ns = air->radios[0]->busy_until_ns;
	link_of(air, 0, 1)->setting.gain_mb = GAIN_MB(3600);
	ns = radio->air->airtimes_ns;
	send(air, 0, 2, 0);
	send(air, 1, 2, 1);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 2, air->count);
	/* what the other sends, and before that AIFS, which nobody noticed */
	KUNIT_EXPECT_EQ(test, after(air, 0) + DATA_NS - air->start_ns,
			ns[HWSIM_AIRTIME_ENERGY] +
			ns[HWSIM_AIRTIME_IDLE]);
	KUNIT_EXPECT_GE(test, ns[HWSIM_AIRTIME_ENERGY], DATA_NS);
	KUNIT_EXPECT_EQ(test, 34000, ns[HWSIM_AIRTIME_IFS]);
}

/* who comes to a channel hears the energy of what is on it already */
static void air_who_tunes_in_hears_energy(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[1];
	u64 end = after(air, 0) + DATA_NS;
	int i;

	hear(air, 0, 1);
	send(air, 0, 2, 0);
	run_for(air, after(air, 0) + 1000 - air->start_ns);
	for (i = 0; i < 3; i++) {
		listen_to(radio, &air->channels[4]);
		KUNIT_EXPECT_EQ(test, 0, radio->busy_until_ns);
		/* -62 dBm is 32 dB over noise; half a channel away it is less */
		link_of(air, 0, 1)->setting.gain_mb =
			GAIN_MB(i == 1 ? 3100 : 3400);
		listen_to(radio, &air->channels[i == 2]);
		KUNIT_EXPECT_EQ(test, i ? 0 : end, radio->busy_until_ns);
	}
}

/* 40 MHz only if the secondary channel was idle, else 20 (11.15.9) */
static void air_a_busy_secondary_channel_is_left_alone(struct kunit *test)
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
		/* in the last round PIFS has passed */
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

/*
 * A frame of 40 MHz has a preamble in its secondary channel, too (19.3.9.1): a
 * radio of 20 MHz there waits for its end, though its energy is below the limit.
 */
static void air_a_wide_preamble_is_heard_in_the_secondary_channel(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *wide = air->radios[0], *narrow = air->radios[1];
	struct hwsim_link *link;
	u64 free;
	int i;

	hear(air, 0, 1);
	link = link_of(air, 0, 1);
	for (i = 0; i < 2; i++) {
		/* half of the power is in 20 MHz */
		link->setting.gain_mb =
			GAIN_MB(narrow->detect_ofdm_mb + HWSIM_HALF_MB - i);
		listen_to(narrow, &air->channels[2]);
		use_40mhz(air, wide);
		free = air->medium->clock.now_ns + BUSY_NS;
		wide->busy_until_ns = free;
		narrow->busy_until_ns = free;
		send(air, 0, 2, 0);
		use_mcs(wide, 0, IEEE80211_TX_RC_40_MHZ_WIDTH);
		while (!wide->sending && step(air))
			;
		KUNIT_ASSERT_NOT_NULL(test, wide->sending);
		KUNIT_EXPECT_EQ(test, i ? free : wide->sending->end_ns,
				narrow->busy_until_ns);
		run_for(air, 10 * NSEC_PER_MSEC);
		/* it cannot understand the rest */
		KUNIT_EXPECT_EQ(test, !i, !!narrow->mac->eifs_from_ns);
		narrow->mac->eifs_from_ns = 0;
	}
}

/* what protects a wide frame is the same in both of its channels (19.3.11.12) */
static void air_a_wide_frame_is_protected_in_both_channels(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *narrow = air->radios[1];
	u64 end;
	u32 i;

	hear(air, 0, 2);
	hear(air, 2, 0);
	hear(air, 2, 1);	/* it hears the CTS only */
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

/* streams share the power: two of them need 3 dB more */
static void air_streams_share_the_power(struct kunit *test)
{
	static const struct {
		int mcs;
		s32 snr_mb;
		bool arrives;
	} rows[] = {
		{ 0, 590, false }, { 0, 610, true }, { 8, 610, false },
		{ 8, 890, false }, { 8, 910, true },
	};
	struct air_test *air = test->priv;
	struct hwsim_link *link;
	u64 delivered = 0;
	int i;

	hear(air, 0, 2);
	hear(air, 2, 0);
	link = link_of(air, 0, 2);
	air->radios[2]->detect_ofdm_mb = 0;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		link->setting.gain_mb = GAIN_MB(rows[i].snr_mb);
		send(air, 0, 2, 0);
		use_mcs(air->radios[0], rows[i].mcs, 0);
		run_for(air, 10 * NSEC_PER_MSEC);
		delivered += rows[i].arrives;
		KUNIT_EXPECT_EQ_MSG(test, delivered,
				    count_of(air, 0, 2, HWSIM_COUNT_DELIVERED),
				    "row %d", i);
	}
}

/* a frame far below the noise does not count as a collision */
static void air_a_whisper_does_not_collide(struct kunit *test)
{
	struct air_test *air = test->priv;
	int i;

	hear(air, 0, 2);
	hear(air, 1, 2);
	link_of(air, 0, 2)->setting.gain_mb = GAIN_MB(300);
	for (i = 0; i < 2; i++) {
		link_of(air, 1, 2)->setting.gain_mb =
			GAIN_MB(i ? -500 : -2000);
		air->radios[2]->detect_ofdm_mb = 0;
		send(air, 0, 2, 3);
		send(air, 1, 0, 5);
		run_for(air, 10 * NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, i, count_of(air, 0, 2, HWSIM_COUNT_COLLIDED));
	}
	KUNIT_EXPECT_EQ(test, 2, count_of(air, 0, 2, HWSIM_COUNT_SENT));
}

static void air_backoff_freezes(struct kunit *test)
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

static void air_a_backoff_without_a_frame_ends(struct kunit *test)
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
	/* nor is one that has not ended forgotten */
	edca->backs_off = true;
	edca->slots = 1000;
	hwsim_access_changed(air->radios[0]);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_TRUE(test, edca->backs_off);
}

static void air_hidden_stations_collide(struct kunit *test)
{
	struct air_test *air = test->priv;

	hear(air, 0, 2);
	hear(air, 1, 2);
	send(air, 0, 2, 3);
	send(air, 1, 2, 8);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 2, air->count);
	KUNIT_EXPECT_EQ(test, after(air, 3), air->seen[0].start_ns);
	KUNIT_EXPECT_EQ(test, after(air, 8), air->seen[1].start_ns);
	KUNIT_EXPECT_TRUE(test, air->seen[0].wrong);
	KUNIT_EXPECT_TRUE(test, air->seen[1].wrong);
}

static void air_a_stronger_frame_captures(struct kunit *test)
{
	struct air_test *air = test->priv;

	hear(air, 0, 2);
	hear(air, 1, 2);
	link_of(air, 1, 2)->setting.gain_mb += 2000;
	air->medium->has_capture = true;
	air->medium->capture_mb = 1000;
	send(air, 0, 2, 3);
	send(air, 1, 2, 8);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_COLLIDED));
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 1, 2, HWSIM_COUNT_DELIVERED));
	/* a capture of the air shows which of them arrived */
	KUNIT_ASSERT_LE(test, 2, air->count);
	KUNIT_EXPECT_TRUE(test, air->seen[0].wrong);
	KUNIT_EXPECT_FALSE(test, air->seen[1].wrong);
}

static void air_categories_collide_inside(struct kunit *test)
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
	/* both went out in the end, one after the other */
	KUNIT_ASSERT_EQ(test, 4, air->count);
	KUNIT_EXPECT_EQ(test, after(air, 4), air->seen[0].start_ns);
	KUNIT_EXPECT_FALSE(test, air->seen[0].wrong);
	KUNIT_EXPECT_FALSE(test, air->seen[2].wrong);
}

/* a category that had frames, but has none left, collides with nobody */
static void air_an_empty_category_does_not_collide(struct kunit *test)
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

/* a monitor's CTS is ten bytes long, and nobody answers it */
static void air_an_injected_cts_is_sent_once(struct kunit *test)
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
	/* what follows the ten bytes is not of this frame */
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

/* a dozing station hears data only while it has something to send itself */
static void air_who_dozes_hears_little(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[2];

	hear(air, 0, 2);
	hear(air, 2, 0);
	hwsim_radio_doze(radio, true);
	ether_addr_copy(radio->mac->bssid, address(0));
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
	/* that was it: no more data */
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 2, count_of(air, 0, 2, HWSIM_COUNT_DELIVERED));
	/* frames to others, and those that ask for nothing, change nothing */
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

/*
 * Each attempt says whether the station dozes then, whatever an earlier one
 * said; and once the access point knows that it does, none says otherwise.
 */
/* a station that falls asleep after a DTIM beacon still hears its group frames */
static void air_who_falls_asleep_hears_group_frames(struct kunit *test)
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
	ether_addr_copy(radio->mac->bssid, address(0));
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

static void air_each_attempt_says_who_dozes(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[2];
	struct hwsim_mpdu *mpdu;
	int i;

	hear(air, 2, 0);	/* no ACK comes back */
	ether_addr_copy(radio->mac->bssid, address(0));
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
	KUNIT_EXPECT_TRUE(test, radio->mac->told_asleep);
	/* what comes later wakes it */
	send(air, 2, 0, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 10, air->count);
	KUNIT_EXPECT_FALSE(test, ieee80211_has_pm(air->seen[8].fc));
	KUNIT_EXPECT_FALSE(test, radio->mac->told_asleep);
}

/* who reads another one's answer still waits for its own */
static void air_who_dozes_waits_for_its_own_frame(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[2];

	hear(air, 0, 2);
	hear(air, 2, 0);
	hear(air, 0, 1);
	hear(air, 1, 0);
	hwsim_radio_doze(radio, true);
	hwsim_radio_filter(radio, FIF_OTHER_BSS);	/* a monitor */
	ether_addr_copy(radio->mac->bssid, address(0));
	send_kind(air, 2, 0, 0, cpu_to_le16(IEEE80211_FTYPE_DATA |
					    IEEE80211_STYPE_QOS_NULLFUNC));
	run_for(air, 10 * NSEC_PER_MSEC);
	send(air, 0, 1, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_DELIVERED));
}

/* group frames of many beacons wait: each beacon says so, and none waits */
static void air_beacons_pass_group_frames(struct kunit *test)
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
	/* the beacon and three of the others go out */
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
	/* never without end */
	for (i = 0; i < HWSIM_MAX_OWN + 2; i++) {
		skb = frame_of(air, 0, all, cpu_to_le16(IEEE80211_FTYPE_DATA));
		hwsim_radio_tx(radio, NULL, skb, &air->channels[0], true);
	}
	KUNIT_EXPECT_EQ(test, HWSIM_MAX_OWN, ac->queued);
}

/* of two interfaces one is flushed */
static void air_a_flush_spares_other_interfaces(struct kunit *test)
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
		/* the medium compares them, and asks for basic rates */
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
static void air_each_frame_ends_once(struct kunit *test)
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

static void air_rts_reserves_the_medium(struct kunit *test)
{
	struct air_test *air = test->priv;
	u64 at = after(air, 0);

	hear(air, 0, 1);
	hear(air, 0, 2);
	hear(air, 2, 0);
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

static void air_an_unanswered_rts_reserves_little(struct kunit *test)
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

static void air_a_txop_holds_several_exchanges(struct kunit *test)
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

/* what a frame has reserved for the next one needs no RTS, but CTS to oneself */
static void air_a_txop_is_protected_once(struct kunit *test)
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
	air->radios[0]->mac->has_fixed_rate = true;
	air->radios[0]->mac->fixed_rate.class = HWSIM_PHY_OFDM;
	air->radios[0]->mac->fixed_rate.mcs = RATE_54;
	air->radios[0]->mac->fixed_rate.streams = 1;
	air->protects = true;
	send(air, 0, 2, 0);
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	/* twice CTS, data, ACK */
	KUNIT_ASSERT_EQ(test, 12, air->count);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_cts(air->seen[6].fc));
	KUNIT_EXPECT_TRUE(test, ieee80211_is_cts(air->seen[9].fc));
}

/* only the station that has reserved the medium is answered (10.23.2.4) */
static void air_a_txop_holder_gets_its_cts(struct kunit *test)
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

/* a frame that noise damages does not collide with what is not heard there */
static void air_a_collision_is_one_where_both_are_heard(struct kunit *test)
{
	struct air_test *air = test->priv;

	hear(air, 0, 2);
	link_of(air, 0, 2)->setting.gain_mb = GAIN_MB(500);
	send(air, 0, 2, 3);
	send(air, 1, 0, 3);
	run_for(air, after(air, 4) + DATA_NS - air->start_ns);
	KUNIT_ASSERT_EQ(test, 2, air->count);
	KUNIT_EXPECT_TRUE(test, air->seen[0].wrong);
	KUNIT_EXPECT_EQ(test, 0, count_of(air, 0, 2, HWSIM_COUNT_COLLIDED));
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_HEADER));
}

static struct hwsim_fault *make_fault(struct air_test *air,
				      enum hwsim_medium_fault_action action)
{
	struct hwsim_fault *fault = kzalloc(sizeof(*fault), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(air->test, fault);
	fault->kind = HWSIM_MEDIUM_FRAME_DATA;
	fault->action = action;
	fault->count = 1;
	list_add_tail(&fault->list, &air->medium->faults);
	return fault;
}

/* each frame of a TXOP but the last, and each ACK, is for the next one, too */
static void air_a_txop_reserves_its_next_frame(struct kunit *test)
{
	struct air_test *air = test->priv;
	u64 *nav = &air->radios[1]->mac->nav_until_ns;
	u64 next = DATA_NS + SIFS_NS + ANSWER_NS, at = after(air, 0);

	hear(air, 0, 1);
	hear(air, 0, 2);
	hear(air, 2, 0);
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

/* a frame that was to follow one that failed goes out later, and once */
static void air_a_txop_ends_with_a_failure(struct kunit *test)
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

/* the second frame to one station is lost; those to another do not count */
static void air_a_fault_counts_frames_to_one(struct kunit *test)
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

/* each of a share, and a fault ends with a radio that it names */
static void air_a_fault_hits_a_share(struct kunit *test)
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

/* frames to a station on another channel are sent, and counted as that */
static void air_frames_to_the_absent_count(struct kunit *test)
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

/*
 * Two signals below the detection of preambles and of energy are busy together,
 * for as long as both last (frames of one length, 8 slots apart).
 */
static void air_weak_signals_add_up(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[2];
	u64 first_end = after(air, 0) + DATA_NS;

	hear(air, 0, 2);
	hear(air, 1, 2);
	radio->detect_ofdm_mb = LEVEL_MB + 100;
	radio->ed_mbm = radio->noise_mbm + LEVEL_MB + 100;
	send(air, 0, 1, 0);
	send(air, 1, 0, 8);
	run_for(air, after(air, 8) + 1000 - air->start_ns);
	KUNIT_EXPECT_EQ(test, first_end, radio->busy_until_ns);
	/* 3 dB more than one is what two are */
	radio->busy_until_ns = 0;
	radio->ed_mbm = radio->noise_mbm + LEVEL_MB + 350;
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 0, radio->busy_until_ns);
}

/* an exchange is given up while its RTS is on the air: nobody awaits a CTS */
static void air_a_flush_ends_an_exchange(struct kunit *test)
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
	/* what comes next waits until the RTS is over */
	air->wiphy->rts_threshold = U32_MAX;
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_GE(test, air->count, 2);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_rts(air->seen[0].fc));
	KUNIT_EXPECT_FALSE(test, air->seen[0].wrong);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_data(air->seen[air->count - 2].fc));
	KUNIT_EXPECT_GE(test, air->seen[air->count - 2].start_ns, rts_end);
}

/* two faults of one kind: the second sees what the first lets pass */
static void air_faults_follow_each_other(struct kunit *test)
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

/* CTS to oneself, SIFS, data: for stations that do not understand the data */
static void air_cts_to_oneself_protects(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_mpdu *mpdu;
	u64 at = after(air, 0);

	hear(air, 0, 1);
	hear(air, 0, 2);
	hear(air, 2, 0);
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

static void air_eifs_follows_a_damaged_frame(struct kunit *test)
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

/* EIFS begins when all are silent, not when the damaged frame ends */
static void air_eifs_waits_for_silence(struct kunit *test)
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

/* a fixed rate does not switch off what protects others */
static void air_a_fixed_rate_is_protected(struct kunit *test)
{
	struct air_test *air = test->priv;
	u64 at = after(air, 0);

	hear(air, 0, 2);
	hear(air, 2, 0);
	air->radios[0]->mac->has_fixed_rate = true;
	air->radios[0]->mac->fixed_rate.class = HWSIM_PHY_OFDM;
	air->radios[0]->mac->fixed_rate.mcs = RATE_54;
	air->radios[0]->mac->fixed_rate.streams = 1;
	air->protects = true;
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 3, air->count);
	KUNIT_EXPECT_TRUE(test, ieee80211_is_cts(air->seen[0].fc));
	KUNIT_EXPECT_EQ(test, at, air->seen[0].start_ns);
	/* no basic rates are known here: a CTS at 24 Mbit/s, which is mandatory */
	at += ANSWER_NS + SIFS_NS;
	KUNIT_EXPECT_EQ(test, at, air->seen[1].start_ns);
}

/* of OFDM a radio of 802.11b hears the energy: it waits, and nothing else */
static void air_dsss_hears_the_energy_of_ofdm(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[1];

	hear(air, 0, 1);
	radio->dsss_only = true;
	radio->ed_mbm = radio->noise_mbm + LEVEL_MB + 1;
	send(air, 0, 2, 0);
	run_for(air, after(air, 0) + 1000 - air->start_ns);
	KUNIT_EXPECT_NULL(test, radio->locked);
	KUNIT_EXPECT_LT(test, radio->busy_until_ns, after(air, 0));
	run_for(air, NSEC_PER_MSEC);
	radio->ed_mbm = radio->noise_mbm + LEVEL_MB;
	air->start_ns = air->medium->clock.now_ns;
	send(air, 0, 2, 0);
	run_for(air, 40000);
	KUNIT_EXPECT_NULL(test, radio->locked);
	KUNIT_EXPECT_GT(test, radio->busy_until_ns, air->start_ns + DATA_NS);
}

/* of a BlockAckReq without agreement mac80211 hears, which answers by DELBA */
static void air_an_unexpected_bar_goes_up(struct kunit *test)
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

/* whether a frame of radio 0 is answered by radio 2 */
static bool is_answered(struct air_test *air)
{
	u32 before = air->count;

	send(air, 0, 2, 3);
	run_for(air, 10 * NSEC_PER_MSEC);
	return air->count == before + 2;
}

static void air_level_follows_power(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];

	hear(air, 0, 2);
	hear(air, 2, 0);
	radio->mac->retries = 1;
	KUNIT_EXPECT_TRUE(test, is_answered(air));
	radio->power_mbm = 2000 - LEVEL_MB + 600;
	KUNIT_EXPECT_TRUE(test, is_answered(air));
	radio->power_mbm--;
	KUNIT_EXPECT_FALSE(test, is_answered(air));
}

static void air_power_is_within_what_mac80211_allows(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];

	KUNIT_EXPECT_EQ(test, 2000, hwsim_radio_power_mbm(radio));
	hwsim_radio_limit_power(radio, 20);
	KUNIT_EXPECT_EQ(test, 2000, hwsim_radio_power_mbm(radio));
	hwsim_radio_limit_power(radio, 19);
	KUNIT_EXPECT_EQ(test, 1900, hwsim_radio_power_mbm(radio));
	KUNIT_EXPECT_EQ(test, 19, hwsim_radio_txpower_dbm(radio));
	radio->power_mbm = -275;
	KUNIT_EXPECT_EQ(test, -275, hwsim_radio_power_mbm(radio));
	KUNIT_EXPECT_EQ(test, -3, hwsim_radio_txpower_dbm(radio));
}

static void air_an_answer_waits_for_the_way(struct kunit *test)
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
	/* and its sender hears the end of it later */
	KUNIT_EXPECT_EQ(test, air->seen[1].start_ns + ANSWER_NS + 3000,
			air->radios[0]->busy_until_ns);
}

/* what ended before another began may still be on its way */
static void air_what_arrives_late_collides(struct kunit *test)
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
static void air_group_frames_arrive_late(struct kunit *test)
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

/* what mac80211 is told of BlockAck agreements, and forgets again */
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

/* an agreement begins, and ends, without frames outside of it on their way */
static void air_agreements_wait_for_older_frames(struct kunit *test)
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
	struct ieee80211_sta *sta;
	struct ieee80211_txq *txq;
	int i, k;

	sta = kunit_kzalloc(test, sizeof(*sta), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, sta);
	txq = kunit_kzalloc(test, sizeof(*txq), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, txq);
	ether_addr_copy(sta->addr, address(1));
	sta->txq[0] = txq;
	params.sta = sta;
	params.action = IEEE80211_AMPDU_TX_START;
	hear(air, 0, 1);
	hear(air, 1, 0);
	KUNIT_EXPECT_EQ(test, IEEE80211_AMPDU_TX_START_IMMEDIATE,
			hwsim_radio_ampdu(radio, NULL, &params));
	for (i = 0; i < ARRAY_SIZE(actions); i++) {
		for (k = 0; k < 2; k++)
			send_kind(air, 0, 1, 0,
				  cpu_to_le16(IEEE80211_FTYPE_DATA |
					      IEEE80211_STYPE_QOS_DATA));
		params.action = actions[i];
		KUNIT_EXPECT_EQ(test, i ? 0 : IEEE80211_AMPDU_TX_START_DELAY_ADDBA,
				hwsim_radio_ampdu(radio, NULL, &params));
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
		KUNIT_ASSERT_EQ(test, 0, hwsim_radio_ampdu(radio, NULL, &params));
	}
	/* a radio that is gone waits for nothing */
	send_kind(air, 0, 1, 0, cpu_to_le16(IEEE80211_FTYPE_DATA |
					    IEEE80211_STYPE_QOS_DATA));
	params.action = IEEE80211_AMPDU_TX_START;
	hwsim_radio_ampdu(radio, NULL, &params);
	hwsim_radio_forget_sta(radio, address(1));
	KUNIT_EXPECT_EQ(test, 0, radio->mac->draining);
}

static void air_bytes_go_with_an_answer(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *sender = air->radios[0], *receiver = air->radios[2];
	struct hwsim_peer *peer;

	hear(air, 0, 2);
	hear(air, 2, 0);
	KUNIT_EXPECT_EQ(test, -EINVAL,
			hwsim_peer_set_payload(receiver, address(0), "", 256,
					       NULL));
	KUNIT_EXPECT_EQ(test, 0,
			hwsim_peer_set_payload(receiver, address(0), "hello", 5,
					       NULL));
	sender->mac->more_data = true;
	send(air, 0, 2, 0);
	list_last_entry(&sender->mac->acs[IEEE80211_AC_BE].queue, struct hwsim_mpdu,
			list)->more_data = true;
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
			hwsim_peer_set_payload(receiver, address(0), NULL, 0,
					       NULL));
	send(air, 0, 2, 0);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_ASSERT_EQ(test, 4, air->count);
	KUNIT_EXPECT_EQ(test, 10, air->seen[3].bytes);
	KUNIT_EXPECT_FALSE(test, peer->more_data);
}

/* a radio busy with one preamble does not notice the next one, only its energy */
static void air_a_preamble_below_a_frame_is_not_noticed(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *listener = air->radios[2];
	u64 from, until;
	int loud, k;

	hear(air, 0, 2);
	hear(air, 1, 2);
	for (loud = 0; loud < 2; loud++) {
		listener->ed_mbm = listener->noise_mbm + LEVEL_MB + !loud;
		from = air->medium->clock.now_ns;
		for (k = 0; k < 2; k++)
			air->radios[k]->busy_until_ns = from + BUSY_NS;
		send(air, 0, 2, 0);
		send(air, 1, 2, 6);
		run_for(air, BUSY_NS + 34000 + 100000);
		until = from + BUSY_NS + 34000 + DATA_NS + loud * 6 * 9000;
		KUNIT_EXPECT_EQ_MSG(test, until, listener->busy_until_ns,
				    "loud: %d", loud);
		run_for(air, 10 * NSEC_PER_MSEC);
		for (k = 0; k < 2; k++)
			hwsim_radio_flush(air->radios[k], NULL, true);
	}
}

/* a radio that sends notices no preamble either */
static void air_who_sends_notices_no_preamble(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *sender = air->radios[0];

	hear(air, 1, 0);
	link_of(air, 1, 0)->setting.gain_mb = GAIN_MB(LEVEL_MB - 1500);
	send(air, 0, 2, 0);
	send(air, 1, 2, 6);
	run_for(air, BUSY_NS + 34000 + 100000);
	KUNIT_EXPECT_EQ(test, after(air, 0) + DATA_NS, sender->busy_until_ns);
}

/* a radio that retunes at once acknowledges first what it has just received */
static void air_who_leaves_acknowledges(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *leaver = air->radios[2];
	u64 data_end = after(air, 0) + DATA_NS;

	hear(air, 0, 2);
	hear(air, 2, 0);
	send(air, 0, 2, 0);
	run_for(air, data_end + 1000 - air->start_ns);
	listen_to(leaver, &air->channels[CHANNELS - 1]);
	/* and what it sends elsewhere waits */
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

/* group frames that were kept come before other data, whoever draws less */
static void air_group_frames_come_first(struct kunit *test)
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

/* a frame that falls back in rate takes its RTS with it */
static void air_an_rts_follows_the_rate_of_its_frame(struct kunit *test)
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

/* of any number of interfaces each gets its answers */
static void air_a_radio_has_many_addresses(struct kunit *test)
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

static const u8 cell[] = { 2, 0xca, 0xff, 0xee, 0xba, 1 };
static const u8 other_cell[] = { 2, 0xca, 0xff, 0xee, 0xba, 2 };

/* it is time for a beacon of a radio's ad hoc network; it draws so many slots */
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

static void air_one_member_of_an_ibss_sends_its_beacon(struct kunit *test)
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

/* that of another network is just a frame: the count stops while it lasts */
static void air_another_ibss_spares_no_beacon(struct kunit *test)
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

/* what has counted seven of its ten slots by the TBTT has three left after it */
static void air_counts_wait_for_the_beacon_of_an_ibss(struct kunit *test)
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

/* nor does the backoff that follows a frame end meanwhile */
static void air_a_frame_waits_for_the_beacon_of_an_ibss(struct kunit *test)
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

/* who is spared a beacon, or leaves, goes on with what it had to send */
static void air_counts_go_on_without_a_beacon(struct kunit *test)
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

/* between none and twice CWmin, each as often */
static void air_beacons_of_an_ibss_draw_their_delays(struct kunit *test)
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

/* a member sets its clock by whoever is ahead, and never back */
static void air_members_of_an_ibss_keep_the_latest_time(struct kunit *test)
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

static struct kunit_case hwsim_medium_air_cases[] = {
	KUNIT_CASE(air_equal_backoffs_collide),
	KUNIT_CASE(air_channels_overlap),
	KUNIT_CASE(air_energy_of_other_channels_is_heard),
	KUNIT_CASE(air_energy_of_other_channels_takes_time),
	KUNIT_CASE(air_who_tunes_in_hears_energy),
	KUNIT_CASE(air_a_busy_secondary_channel_is_left_alone),
	KUNIT_CASE(air_a_wide_preamble_is_heard_in_the_secondary_channel),
	KUNIT_CASE(air_a_wide_frame_is_protected_in_both_channels),
	KUNIT_CASE(air_streams_share_the_power),
	KUNIT_CASE(air_a_whisper_does_not_collide),
	KUNIT_CASE(air_backoff_freezes),
	KUNIT_CASE(air_a_backoff_without_a_frame_ends),
	KUNIT_CASE(air_hidden_stations_collide),
	KUNIT_CASE(air_a_stronger_frame_captures),
	KUNIT_CASE(air_categories_collide_inside),
	KUNIT_CASE(air_an_empty_category_does_not_collide),
	KUNIT_CASE(air_an_injected_cts_is_sent_once),
	KUNIT_CASE(air_who_dozes_hears_little),
	KUNIT_CASE(air_who_dozes_waits_for_its_own_frame),
	KUNIT_CASE(air_who_falls_asleep_hears_group_frames),
	KUNIT_CASE(air_each_attempt_says_who_dozes),
	KUNIT_CASE(air_beacons_pass_group_frames),
	KUNIT_CASE(air_a_flush_spares_other_interfaces),
	KUNIT_CASE(air_each_frame_ends_once),
	KUNIT_CASE(air_rts_reserves_the_medium),
	KUNIT_CASE(air_an_unanswered_rts_reserves_little),
	KUNIT_CASE(air_a_txop_holds_several_exchanges),
	KUNIT_CASE(air_a_txop_reserves_its_next_frame),
	KUNIT_CASE(air_a_txop_ends_with_a_failure),
	KUNIT_CASE(air_a_txop_is_protected_once),
	KUNIT_CASE(air_a_txop_holder_gets_its_cts),
	KUNIT_CASE(air_a_collision_is_one_where_both_are_heard),
	KUNIT_CASE(air_eifs_follows_a_damaged_frame),
	KUNIT_CASE(air_eifs_waits_for_silence),
	KUNIT_CASE(air_a_fixed_rate_is_protected),
	KUNIT_CASE(air_dsss_hears_the_energy_of_ofdm),
	KUNIT_CASE(air_a_fault_counts_frames_to_one),
	KUNIT_CASE(air_a_fault_hits_a_share),
	KUNIT_CASE(air_frames_to_the_absent_count),
	KUNIT_CASE(air_weak_signals_add_up),
	KUNIT_CASE(air_cts_to_oneself_protects),
	KUNIT_CASE(air_a_flush_ends_an_exchange),
	KUNIT_CASE(air_faults_follow_each_other),
	KUNIT_CASE(air_an_unexpected_bar_goes_up),
	KUNIT_CASE(air_level_follows_power),
	KUNIT_CASE(air_power_is_within_what_mac80211_allows),
	KUNIT_CASE(air_an_answer_waits_for_the_way),
	KUNIT_CASE(air_what_arrives_late_collides),
	KUNIT_CASE(air_group_frames_arrive_late),
	KUNIT_CASE(air_agreements_wait_for_older_frames),
	KUNIT_CASE(air_bytes_go_with_an_answer),
	KUNIT_CASE(air_a_preamble_below_a_frame_is_not_noticed),
	KUNIT_CASE(air_who_sends_notices_no_preamble),
	KUNIT_CASE(air_who_leaves_acknowledges),
	KUNIT_CASE(air_group_frames_come_first),
	KUNIT_CASE(air_an_rts_follows_the_rate_of_its_frame),
	KUNIT_CASE(air_a_radio_has_many_addresses),
	KUNIT_CASE(air_one_member_of_an_ibss_sends_its_beacon),
	KUNIT_CASE(air_another_ibss_spares_no_beacon),
	KUNIT_CASE(air_counts_wait_for_the_beacon_of_an_ibss),
	KUNIT_CASE(air_a_frame_waits_for_the_beacon_of_an_ibss),
	KUNIT_CASE(air_counts_go_on_without_a_beacon),
	KUNIT_CASE(air_beacons_of_an_ibss_draw_their_delays),
	KUNIT_CASE(air_members_of_an_ibss_keep_the_latest_time),
	{}
};

static struct kunit_suite hwsim_medium_air_suite = {
	.name = "hwsim-medium-air",
	.init = air_test_init,
	.exit = air_test_exit,
	.test_cases = hwsim_medium_air_cases,
};

kunit_test_suite(hwsim_medium_air_suite);
