// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the air of the hwsim medium: collisions, channels, energy,
 * capture.
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

/* half a channel apart half of the power is noise; two apart it is zero */
static void air_channels_overlap(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *other = air->radios[1];
	struct hwsim_link *adjacent;
	int i;

	hear(air, 0, 2);
	hear(air, 2, 0);
	hear(air, 1, 2);
	adjacent = link_of(air, 1, 2);
	for (i = 1; i < CHANNELS; i++) {
		u64 count = count_of(air, 0, 2, HWSIM_COUNT_DELIVERED);

		listen_to(other, &air->channels[i]);
		other->busy_until_ns = air->radios[0]->busy_until_ns;
		/* 27 dB less on the third, with half a band between them */
		adjacent->setting.gain_mb = GAIN_MB(i == 2 ? LEVEL_MB + 1500 : LEVEL_MB);
		send(air, 0, 2, 3);
		send(air, 1, 0, 3);
		run_for(air, 10 * NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, i > 1,
				count_of(air, 0, 2, HWSIM_COUNT_DELIVERED) - count);
		hwsim_radio_flush(other, NULL, true);
		hwsim_radio_flush(air->radios[0], NULL, true);
	}
}

/* others defer to a frame that is loud enough half a channel away */
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

/* that time is neither interframe space, idle, nor a transmission here */
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
	/* the other's transmission, and AIFS before it, which was not used */
	KUNIT_EXPECT_EQ(test, after(air, 0) + DATA_NS - air->start_ns,
			ns[HWSIM_AIRTIME_ENERGY] +
			ns[HWSIM_AIRTIME_IDLE]);
	KUNIT_EXPECT_GE(test, ns[HWSIM_AIRTIME_ENERGY], DATA_NS);
	KUNIT_EXPECT_EQ(test, 34000, ns[HWSIM_AIRTIME_IFS]);
}

/* a radio that tunes to a channel hears the energy of ongoing transmissions */
static void air_tuning_in_hears_energy(struct kunit *test)
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
		/* it cannot decode the rest */
		KUNIT_EXPECT_EQ(test, !i, !!narrow->mac->eifs_from_ns);
		narrow->mac->eifs_from_ns = 0;
	}
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
static void air_weak_frames_do_not_collide(struct kunit *test)
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

/* a frame that noise damages does not collide with what is not heard there */
static void air_frames_collide_where_both_are_heard(struct kunit *test)
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

/* a radio of 802.11b only hears the energy of OFDM: it waits */
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

/*
 * A radio that receives one frame does not detect the next preamble, only its
 * energy.
 */
static void air_a_preamble_below_a_frame_is_not_detected(struct kunit *test)
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

/* a radio that sends does not detect preambles either */
static void air_a_sender_detects_no_preamble(struct kunit *test)
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

/* an MPDU of VHT follows a delimiter even if it is alone; an ACK answers it */
static void air_a_single_mpdu_of_vht_has_a_delimiter(struct kunit *test)
{
	static const struct hwsim_phy_rate phy_rates[] = {
		{ HWSIM_PHY_HT, 0, 1 }, { HWSIM_PHY_VHT, 0, 1 },
	};
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	const struct hwsim_ppdu *frame;
	u64 at;
	u32 i;

	hear(air, 0, 2);
	hear(air, 2, 0);
	for (i = 0; i < ARRAY_SIZE(phy_rates); i++) {
		send(air, 0, 2, 0);
		if (i)
			use_vht(radio, 0, 0);
		else
			use_mcs(radio, 0, 0);
		while (!radio->mac->frame || radio->mac->stage != HWSIM_STAGE_ANSWER)
			KUNIT_ASSERT_TRUE(test, step(air));
		frame = radio->mac->frame;
		KUNIT_EXPECT_EQ(test, i ? HWSIM_FORMAT_SINGLE : HWSIM_FORMAT_PLAIN,
				frame->format);
		KUNIT_EXPECT_EQ(test, 4 * i, frame->offsets[0]);
		at = frame->start_ns;
		run_for(air, 10 * NSEC_PER_MSEC);
		KUNIT_ASSERT_EQ(test, 2 * i + 2, air->count);
		KUNIT_EXPECT_TRUE(test, ieee80211_is_ack(air->seen[2 * i + 1].fc));
		KUNIT_EXPECT_EQ(test, at + SIFS_NS +
				hwsim_phy_duration_ns(&phy_rates[i], &radio->timing,
						      DATA_BYTES + 4 + 4 * i),
				air->seen[2 * i + 1].start_ns);
	}
}

/* a capture names the rate of a frame of VHT, as it does of HT */
static void air_captures_rates(struct kunit *test)
{
	static const struct {
		u8 mcs;
		u16 flags;
		u8 sgi, bandwidth;
	} cases[] = {
		{ 0, 0, 0, 0 },
		{ 8, IEEE80211_TX_RC_SHORT_GI, IEEE80211_RADIOTAP_VHT_FLAG_SGI, 0 },
		{ 9, IEEE80211_TX_RC_40_MHZ_WIDTH, 0, 1 },
	};
	struct air_test *air = test->priv;
	const u8 *vht;
	u32 present, i;
	u16 header;

	hear(air, 0, 2);
	use_40mhz(air, air->radios[0]);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		send(air, 0, 2, 0);
		use_vht(air->radios[0], cases[i].mcs, cases[i].flags);
		while (air->count <= 2 * i)	/* an ACK follows each */
			KUNIT_ASSERT_TRUE(test, step(air));
		header = get_unaligned_le16(air->radiotap + 2);
		present = get_unaligned_le32(air->radiotap + 4);
		KUNIT_EXPECT_EQ(test, BIT(IEEE80211_RADIOTAP_VHT),
				present & (BIT(IEEE80211_RADIOTAP_VHT) |
					   BIT(IEEE80211_RADIOTAP_MCS) |
					   BIT(IEEE80211_RADIOTAP_RATE)));
		/* it is the last field: 12 bytes */
		vht = air->radiotap + header - 12;
		KUNIT_EXPECT_EQ(test, 0, (vht - air->radiotap) % 2);
		KUNIT_EXPECT_EQ(test, IEEE80211_RADIOTAP_VHT_KNOWN_GI |
				IEEE80211_RADIOTAP_VHT_KNOWN_BANDWIDTH,
				get_unaligned_le16(vht));
		KUNIT_EXPECT_EQ(test, cases[i].sgi, vht[2]);
		KUNIT_EXPECT_EQ(test, cases[i].bandwidth, vht[3]);
		KUNIT_EXPECT_EQ(test, cases[i].mcs << 4 | 1, vht[4]);
		KUNIT_EXPECT_TRUE(test, mem_is_zero(vht + 5, 7));
		run_for(air, 10 * NSEC_PER_MSEC);
	}
}

/* what mac80211 is told about the rate of the only frame that has arrived */
static void expect_status(struct air_test *air, u8 encoding, u8 rate_idx, u8 nss)
{
	u32 received = 0;
	struct hwsim_up *up;

	list_for_each_entry(up, &air->medium->clock.up, later.list) {
		if (!up->skb)
			continue;
		received++;
		KUNIT_EXPECT_EQ(air->test, encoding, (u8)up->rx_status.encoding);
		KUNIT_EXPECT_EQ(air->test, rate_idx, (u8)up->rx_status.rate_idx);
		KUNIT_EXPECT_EQ(air->test, nss, (u8)up->rx_status.nss);
	}
	KUNIT_EXPECT_EQ(air->test, 1, received);
	drop_up(air);
}

/* HT numbers MCS across streams (19.5), VHT in each of them (21.5) */
static void air_a_receiver_reports_streams(struct kunit *test)
{
	static const u8 streams[] = { 1, 2, 4 };
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	int i, ht;

	hear(air, 0, 2);
	air->radios[2]->streams = HWSIM_PHY_MAX_STREAMS;
	for (i = 0; i < ARRAY_SIZE(streams); i++) {
		for (ht = 0; ht < 2; ht++) {
			u8 mcs = ht ? 8 * (streams[i] - 1) + 3 : 3;

			send(air, 0, 2, 0);
			if (ht) {
				use_mcs(radio, mcs, 0);
			} else {
				use_vht(radio, mcs, 0);
				ieee80211_rate_set_vht(&first_queued(radio)->rates[0],
						       mcs, streams[i]);
			}
			hwsim_clock_run(&air->medium->clock,
					air->medium->clock.now_ns + NSEC_PER_MSEC);
			expect_status(air, ht ? RX_ENC_HT : RX_ENC_VHT, mcs,
				      ht ? 0 : streams[i]);
			run_for(air, 10 * NSEC_PER_MSEC);
		}
	}
}

/* a radio of 80 MHz knows which of its channels others use */
static void air_energy_limits_the_width(struct kunit *test)
{
	static const struct {
		s32 centre_mhz;		/* from the primary channel */
		u32 channel;		/* of the other, in 20 MHz above that */
		u8 busy;
	} cases[] = {
		{ 30, 1, HWSIM_PHY_40MHZ }, { 30, 2, HWSIM_PHY_80MHZ },
		{ 10, 1, HWSIM_PHY_80MHZ }, { 10, 2, HWSIM_PHY_80MHZ },
		{ -10, 1, HWSIM_PHY_40MHZ }, { -10, 2, HWSIM_PHY_20MHZ },
	};
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	u8 width;
	u32 i;

	hear(air, 1, 0);
	link_of(air, 1, 0)->setting.gain_mb = GAIN_MB(3600);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		radio->width = HWSIM_PHY_80MHZ;
		radio->centre_mhz = air->channels[0].center_freq +
				    cases[i].centre_mhz;
		memset(radio->secondary_until_ns, 0,
		       sizeof(radio->secondary_until_ns));
		listen_to(air->radios[1], &air->channels[2 * cases[i].channel]);
		send(air, 1, 2, 0);
		run_for(air, 10 * NSEC_PER_MSEC);
		for (width = HWSIM_PHY_40MHZ; width <= HWSIM_PHY_160MHZ; width++)
			KUNIT_EXPECT_EQ_MSG(test, width == cases[i].busy,
					    radio->secondary_until_ns[width] > 0,
					    "case %u, width %u", i, width);
	}
}

static struct kunit_case air_cases[] = {
	KUNIT_CASE(air_equal_backoffs_collide),
	KUNIT_CASE(air_channels_overlap),
	KUNIT_CASE(air_energy_of_other_channels_is_heard),
	KUNIT_CASE(air_energy_of_other_channels_takes_time),
	KUNIT_CASE(air_tuning_in_hears_energy),
	KUNIT_CASE(air_a_wide_preamble_is_heard_in_the_secondary_channel),
	KUNIT_CASE(air_a_single_mpdu_of_vht_has_a_delimiter),
	KUNIT_CASE(air_captures_rates),
	KUNIT_CASE(air_a_receiver_reports_streams),
	KUNIT_CASE(air_energy_limits_the_width),
	KUNIT_CASE(air_streams_share_the_power),
	KUNIT_CASE(air_weak_frames_do_not_collide),
	KUNIT_CASE(air_hidden_stations_collide),
	KUNIT_CASE(air_a_stronger_frame_captures),
	KUNIT_CASE(air_frames_collide_where_both_are_heard),
	KUNIT_CASE(air_dsss_hears_the_energy_of_ofdm),
	KUNIT_CASE(air_weak_signals_add_up),
	KUNIT_CASE(air_level_follows_power),
	KUNIT_CASE(air_power_is_within_what_mac80211_allows),
	KUNIT_CASE(air_a_preamble_below_a_frame_is_not_detected),
	KUNIT_CASE(air_a_sender_detects_no_preamble),
	{}
};

static struct kunit_suite air_suite = {
	.name = "hwsim-medium-air",
	.init = air_test_init,
	.exit = air_test_exit,
	.test_cases = air_cases,
};

kunit_test_suite(air_suite);
