// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the hwsim medium's limits: one step before each limit, and at
 * the limit.
 */
#include "hwsim_medium_air_test.h"

#define PREAMBLE_NS	20000	/* OFDM, with PHY header */
#define SLOT_NS		9000
#define LONG_SLOT_NS	20000
#define SHORT_RETRY_LIMIT	7

/*
 * When all radios are idle; a frame that begins 1 ns earlier still has DIFS
 * before it.
 */
static u64 soon(const struct air_test *air)
{
	return air->medium->clock.now_ns + NSEC_PER_MSEC;
}

/* a radio that has heard nothing since DIFS sends at that time */
static void send_at(struct air_test *air, int from, int to, u64 at)
{
	struct hwsim_radio *radio = air->radios[from];

	radio->busy_until_ns = at - radio->timing.sifs_ns -
			       2 * radio->timing.slot_ns;
	send(air, from, to, 0);
}

/* let all that is going on end */
static void end_case(struct air_test *air)
{
	int i;

	run_for(air, 10 * NSEC_PER_MSEC);
	for (i = 0; i < RADIOS; i++)
		hwsim_radio_flush(air->radios[i], NULL, true);
	pass(air, 10 * NSEC_PER_MSEC);
	air->count = 0;
}

/* up to the end of a radio's next exchange */
static void end_exchange(struct air_test *air, struct hwsim_radio *radio)
{
	while (radio->mac->stage == HWSIM_STAGE_NONE && step(air))
		;
	while (radio->mac->stage != HWSIM_STAGE_NONE && step(air))
		;
}

static void limits_frames_that_touch_do_not_collide(struct kunit *test)
{
	struct air_test *air = test->priv;
	u64 at;
	int apart;

	hear(air, 0, 2);
	hear(air, 1, 2);
	for (apart = 0; apart < 2; apart++) {
		u64 before = count_of(air, 0, 2, HWSIM_COUNT_DELIVERED);

		at = soon(air);
		send_at(air, 1, 0, at);
		send_at(air, 0, 2, at + DATA_NS - 1 + apart);
		end_case(air);
		KUNIT_EXPECT_EQ(test, before + apart,
				count_of(air, 0, 2, HWSIM_COUNT_DELIVERED));
	}
}

static void limits_of_capture(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_link *strong;
	int enough;
	u64 at;

	hear(air, 0, 2);
	hear(air, 1, 2);
	strong = link_of(air, 1, 2);
	air->medium->has_capture = true;
	air->medium->capture_mb = 1000;
	for (enough = 0; enough < 2; enough++) {
		strong->setting.gain_mb = GAIN_MB(LEVEL_MB + 999 + enough);
		at = soon(air);
		send_at(air, 0, 2, at);
		send_at(air, 1, 2, at + PREAMBLE_NS);
		end_case(air);
		KUNIT_EXPECT_EQ(test, enough,
				count_of(air, 1, 2, HWSIM_COUNT_DELIVERED));
	}
}

/* until a receiver has synchronized to a frame, a louder one captures it */
static void limits_of_synchronization(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_link *loud;
	int early;
	u64 at;

	hear(air, 0, 2);
	hear(air, 1, 2);
	loud = link_of(air, 1, 2);
	loud->setting.gain_mb = GAIN_MB(LEVEL_MB + 2000);
	for (early = 0; early < 2; early++) {
		at = soon(air);
		send_at(air, 0, 2, at);
		send_at(air, 1, 2, at + 4000 - early);
		end_case(air);
		KUNIT_EXPECT_EQ(test, early, count_of(air, 1, 2, HWSIM_COUNT_DELIVERED));
	}
}

/* whether the last frame that ended somewhere had an intact header */
static bool decoded;

static void note_reception(struct hwsim_radio *radio,
			   const struct hwsim_reception *reception)
{
	decoded = reception->decoded;
}

/* the header is decoded from the signal up to the first bit of the payload */
static void limits_of_the_header(struct kunit *test)
{
	static struct hwsim_mac_ops mac_ops;
	struct air_test *air = test->priv;
	int late;
	u64 at;

	hear(air, 0, 2);
	hear(air, 1, 2);
	mac_ops = *air->medium->mac_ops;
	mac_ops.rx_end = note_reception;
	air->medium->mac_ops = &mac_ops;
	for (late = 0; late < 2; late++) {
		at = soon(air);
		send_at(air, 0, 2, at);
		send_at(air, 1, 0, at + PREAMBLE_NS - 1 + late);
		end_case(air);
		KUNIT_EXPECT_EQ(test, late, decoded);
		KUNIT_EXPECT_EQ(test, late + 1, count_of(air, 0, 2,
							 HWSIM_COUNT_COLLIDED));
	}
}

/*
 * aCCATime before its own start a radio still detects others (Tables 15-5,
 * 17-21).
 */
static void limits_of_carrier_sense(struct kunit *test)
{
	static const struct {
		u32 slot_ns;
		u32 cca_ns;
	} cases[] = { { SLOT_NS, 4000 }, { LONG_SLOT_NS, 15000 } };
	struct air_test *air = test->priv;
	int i, detected;
	u64 at;

	hear(air, 0, 1);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		air->radios[1]->timing.slot_ns = cases[i].slot_ns;
		for (detected = 0; detected < 2; detected++) {
			at = soon(air);
			send_at(air, 0, 2, at);
			send_at(air, 1, 2, at + cases[i].cca_ns - 1 + detected);
			run_for(air, 2 * NSEC_PER_MSEC);
			KUNIT_ASSERT_EQ(test, 2, air->count);
			KUNIT_EXPECT_EQ(test, at, air->seen[0].start_ns);
			KUNIT_EXPECT_EQ_MSG(test, detected,
					    air->seen[1].start_ns > at + DATA_NS,
					    "case %d", i);
			end_case(air);
		}
	}
}

/* SIFS, a slot and a preamble after the frame (10.3.2.11) */
static void limits_of_the_ack_timeout(struct kunit *test)
{
	static const u32 waits_ns[] = { 0, 5000 };
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	int i;

	for (i = 0; i < ARRAY_SIZE(waits_ns); i++) {
		u64 at = soon(air);

		radio->mac->answer_wait_ns = waits_ns[i];
		send_at(air, 0, 2, at);
		pass(air, at + DATA_NS + SIFS_NS + SLOT_NS + PREAMBLE_NS +
			  waits_ns[i] - 1 - air->medium->clock.now_ns);
		KUNIT_EXPECT_EQ(test, HWSIM_STAGE_ANSWER, radio->mac->stage);
		pass(air, 1);
		KUNIT_EXPECT_EQ(test, HWSIM_STAGE_NONE, radio->mac->stage);
		end_case(air);
	}
}

/* management frames follow dot11ShortRetryLimit, data rate control's table */
static void limits_of_attempts(struct kunit *test)
{
	static const struct {
		__le16 fc;
		u32 count;
		u32 attempts;
	} cases[] = {
		{ cpu_to_le16(IEEE80211_STYPE_AUTH), 6, 6 },
		{ cpu_to_le16(IEEE80211_STYPE_AUTH), 7, 7 },
		{ cpu_to_le16(IEEE80211_STYPE_AUTH), 8, 7 },
		{ cpu_to_le16(IEEE80211_FTYPE_DATA), 8, 8 },
	};
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	struct hwsim_ac *ac;
	int i;

	air->hw.conf.short_frame_max_tx_count = SHORT_RETRY_LIMIT;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		send_kind(air, 0, 2, 0, cases[i].fc);
		ac = &radio->mac->acs[IEEE80211_AC_VO];
		if (ieee80211_is_data(cases[i].fc))
			ac = &radio->mac->acs[IEEE80211_AC_BE];
		list_first_entry(&ac->queue, struct hwsim_mpdu,
				 list)->rates[0].count = cases[i].count;
		run_for(air, NSEC_PER_SEC);
		KUNIT_EXPECT_EQ_MSG(test, cases[i].attempts, air->count,
				    "case %d", i);
		KUNIT_EXPECT_EQ(test, 0, radio->mac->held);
		end_case(air);
	}
}

/* the radio's own setting overrides that table, for data only */
static void limits_of_retries(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	u32 retries;

	for (retries = 1; retries < 4; retries++) {
		radio->mac->retries = retries;
		send(air, 0, 2, 0);
		first_queued(radio)->rates[0].count = 8;
		run_for(air, NSEC_PER_SEC);
		KUNIT_EXPECT_EQ(test, retries, air->count);
		end_case(air);
	}
}

/* a frame whose sender's host wants no acknowledgment is sent once */
static void limits_without_ack(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	struct sk_buff *skb;
	int wanted;

	for (wanted = 0; wanted < 2; wanted++) {
		skb = frame_of(air, 0, address(2), cpu_to_le16(IEEE80211_FTYPE_DATA));
		IEEE80211_SKB_CB(skb)->control.rates[0].count = 3;
		if (!wanted)
			IEEE80211_SKB_CB(skb)->flags |= IEEE80211_TX_CTL_NO_ACK;
		hwsim_radio_tx(radio, NULL, skb, radio->channel, true);
		run_for(air, NSEC_PER_SEC);
		KUNIT_EXPECT_EQ(test, wanted ? 3 : 1, air->count);
		KUNIT_EXPECT_EQ(test, 0, radio->mac->held);
		end_case(air);
	}
}

static void limits_of_rts(struct kunit *test)
{
	struct air_test *air = test->priv;

	air->wiphy->rts_threshold = 500;
	send(air, 0, 2, 0);
	run_for(air, NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, HWSIM_RTS_ATTEMPTS, air->count);
	KUNIT_EXPECT_EQ(test, 0, air->radios[0]->mac->held);
}

/* doubled after each attempt except the last, which resets it */
static void limits_of_the_contention_window(struct kunit *test)
{
	static const u32 cws[] = { 31, 63, 15 };
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	const struct hwsim_edca *edca = &radio->mac->acs[IEEE80211_AC_BE].edca;
	int i;

	KUNIT_ASSERT_EQ(test, 15, edca->cw);
	send(air, 0, 2, 0);
	first_queued(radio)->rates[0].count = ARRAY_SIZE(cws);
	for (i = 0; i < ARRAY_SIZE(cws); i++) {
		end_exchange(air, radio);
		KUNIT_EXPECT_EQ(test, i + 1, air->count);
		KUNIT_EXPECT_EQ(test, cws[i], edca->cw);
		KUNIT_EXPECT_TRUE(test, edca->backs_off);
	}
	KUNIT_EXPECT_EQ(test, 0, radio->mac->held);
}

/* each rate gets exactly the attempts that rate control gives it */
static void limits_of_rate_stages(struct kunit *test)
{
	static const u32 rates_tried[] = { 7, 7, 4, 0, 0, 0 };
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	struct hwsim_mpdu *mpdu;
	int i;

	send(air, 0, 2, 0);
	mpdu = first_queued(radio);
	mpdu->rates[0].count = 2;
	mpdu->rates[1].idx = 4;
	mpdu->rates[1].count = 1;
	mpdu->rates[2].idx = 0;
	mpdu->rates[2].count = 3;
	mpdu->rates[3].idx = -1;
	for (i = 0; i < ARRAY_SIZE(rates_tried); i++) {
		while (!radio->mac->frame && step(air))
			;
		KUNIT_ASSERT_NOT_NULL(test, radio->mac->frame);
		KUNIT_EXPECT_EQ(test, rates_tried[i], radio->mac->frame->rate.mcs);
		end_exchange(air, radio);
	}
	KUNIT_EXPECT_EQ(test, 0, radio->mac->held);
}

/* a probe keeps its rate until it has been sent once */
static void limits_of_a_probe(struct kunit *test)
{
	static const struct {
		bool probes;
		u32 attempts;
		bool keeps;
	} cases[] = {
		{ true, 0, true }, { true, 1, false }, { false, 0, false },
	};
	struct air_test *air = test->priv;
	struct ieee80211_tx_info *info;
	struct hwsim_mpdu *mpdu;
	bool probes;
	int i, k;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		send(air, 0, 2, 0);
		mpdu = first_queued(air->radios[0]);
		info = IEEE80211_SKB_CB(mpdu->skb);
		info->flags = 0;
		for (k = 1; k < IEEE80211_TX_MAX_RATES; k++)
			info->control.rates[k] = info->control.rates[0];
		if (cases[i].probes)
			info->flags = IEEE80211_TX_CTL_RATE_CTRL_PROBE;
		mpdu->attempts = cases[i].attempts;
		mpdu->stage = 1;
		mpdu->tried[1] = 1;
		mpdu->reselect = true;
		hwsim_rates_select(air->radios[0], NULL, mpdu);
		probes = info->flags & IEEE80211_TX_CTL_RATE_CTRL_PROBE;
		KUNIT_EXPECT_EQ_MSG(test, cases[i].keeps, probes, "case %d", i);
		KUNIT_EXPECT_EQ_MSG(test, cases[i].keeps,
				    mpdu->rates[0].idx == RATE_54, "case %d", i);
		for (k = 1; k < IEEE80211_TX_MAX_RATES; k++)
			KUNIT_EXPECT_EQ_MSG(test, -1, mpdu->rates[k].idx,
					    "case %d, stage %d", i, k);
		KUNIT_EXPECT_EQ(test, 0, mpdu->stage);
		KUNIT_EXPECT_EQ(test, 0, mpdu->tried[1]);
		KUNIT_EXPECT_FALSE(test, mpdu->reselect);
		end_case(air);
	}
}

/* each rate of 802.11a that mac80211 has, and those beyond its table */
static void limits_of_the_rate_table(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	int idx;

	for (idx = 0; idx <= ARRAY_SIZE(rates); idx++) {
		send(air, 0, 2, 0);
		first_queued(radio)->rates[0].idx = idx;
		while (!radio->mac->frame && step(air))
			;
		KUNIT_ASSERT_NOT_NULL(test, radio->mac->frame);
		KUNIT_EXPECT_EQ(test, HWSIM_PHY_OFDM, radio->mac->frame->rate.class);
		KUNIT_EXPECT_EQ(test, min(idx, RATE_54), radio->mac->frame->rate.mcs);
		end_case(air);
	}
}

/* a band as the driver's radios have it: two streams of HT, eight of VHT */
static void fill_band(struct ieee80211_supported_band *band)
{
	memset(band->ht_cap.mcs.rx_mask, 0, sizeof(band->ht_cap.mcs.rx_mask));
	memset(band->ht_cap.mcs.rx_mask, 0xff, HWSIM_PHY_STREAMS);
	band->ht_cap.ht_supported = true;
	band->n_bitrates = 12;
	memset(&band->vht_cap.vht_mcs, 0, sizeof(band->vht_cap.vht_mcs));
	band->vht_cap.vht_mcs.rx_mcs_map = cpu_to_le16(0xaaaa);
	band->vht_cap.vht_mcs.tx_mcs_map = cpu_to_le16(0xaaaa);
}

static struct hwsim_radio *limited(struct air_test *air, u8 streams, bool dsss_only)
{
	struct hwsim_radio_limits limits = { streams, dsss_only };
	struct hwsim_radio *radio;

	radio = hwsim_radio_new(&air->hw, FIRST_INDEX + RADIOS, &ops, &limits);
	KUNIT_ASSERT_NOT_NULL(air->test, radio);
	return radio;
}

/* a radio announces as many streams as it has, of HT and of VHT */
static void limits_of_streams(struct kunit *test)
{
	static const u16 maps[HWSIM_PHY_MAX_STREAMS + 1] = {
		0xaaaa, 0xfffe, 0xfffa, 0xffea, 0xffaa,
	};
	struct air_test *air = test->priv;
	struct ieee80211_vht_mcs_info *vht = &air->band.vht_cap.vht_mcs;
	const u8 *mask = air->band.ht_cap.mcs.rx_mask;
	struct hwsim_radio *radio;
	u32 streams, i;

	for (streams = 0; streams <= HWSIM_PHY_MAX_STREAMS; streams++) {
		fill_band(&air->band);
		radio = limited(air, streams, false);
		KUNIT_EXPECT_EQ(test, streams ?: HWSIM_PHY_STREAMS, radio->streams);
		for (i = 0; i <= HWSIM_PHY_MAX_STREAMS; i++)
			KUNIT_EXPECT_EQ(test, i < radio->streams ? 0xff : 0, mask[i]);
		KUNIT_EXPECT_EQ(test, maps[streams], le16_to_cpu(vht->rx_mcs_map));
		KUNIT_EXPECT_EQ(test, maps[streams], le16_to_cpu(vht->tx_mcs_map));
		hwsim_radio_free(radio);
	}
}

/* one of 802.11b has four rates at 2.4 GHz, and no 802.11n there */
static void limits_of_dsss_only(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct ieee80211_supported_band band = {};
	struct hwsim_radio *radio;
	int dsss_only;

	air->wiphy->bands[NL80211_BAND_2GHZ] = &band;
	for (dsss_only = 0; dsss_only < 2; dsss_only++) {
		fill_band(&band);
		fill_band(&air->band);
		radio = limited(air, 0, dsss_only);
		KUNIT_EXPECT_EQ(test, dsss_only, radio->dsss_only);
		KUNIT_EXPECT_EQ(test, dsss_only ? 4 : 12, band.n_bitrates);
		KUNIT_EXPECT_EQ(test, !dsss_only, band.ht_cap.ht_supported);
		KUNIT_EXPECT_EQ(test, 12, air->band.n_bitrates);
		KUNIT_EXPECT_TRUE(test, air->band.ht_cap.ht_supported);
		hwsim_radio_free(radio);
	}
	air->wiphy->bands[NL80211_BAND_2GHZ] = NULL;
}

/* an agreement takes the receiver's exponents: of HT, and of VHT */
static void limits_of_agreements(struct kunit *test)
{
	static const struct {
		u8 ht, vht;
		u32 max_bytes, max_vht_bytes;
	} cases[] = {
		{ 0, 0, 8191, 8191 }, { 3, 0, 65535, 8191 },
		{ 3, 4, 65535, 131071 }, { 0, 7, 8191, 1048575 },
	};
	struct ieee80211_ampdu_params params = {
		.action = IEEE80211_AMPDU_TX_OPERATIONAL, .buf_size = 1024,
	};
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	const struct hwsim_session *session;
	struct ieee80211_vif *vif;
	struct ieee80211_sta *sta;
	u32 i;

	vif = kunit_kzalloc(test, sizeof(*vif), GFP_KERNEL);
	sta = kunit_kzalloc(test, sizeof(*sta), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, vif);
	KUNIT_ASSERT_NOT_NULL(test, sta);
	sta->txq[0] = kunit_kzalloc(test, sizeof(struct ieee80211_txq), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, sta->txq[0]);
	sta->txq[0]->vif = vif;
	sta->txq[0]->sta = sta;
	ether_addr_copy(vif->addr, address(0));
	ether_addr_copy(sta->addr, address(1));
	params.sta = sta;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		sta->deflink.ht_cap.ampdu_factor = cases[i].ht;
		sta->deflink.vht_cap.cap = cases[i].vht <<
			IEEE80211_VHT_CAP_MAX_A_MPDU_LENGTH_EXPONENT_SHIFT;
		radio->mac->ba_window = i % 2 ? HWSIM_BA_BITS_MAX : HWSIM_BA_BITS;
		KUNIT_ASSERT_EQ(test, 0, hwsim_radio_ampdu(radio, vif, &params));
		session = hwsim_session_of(radio, address(0), address(1), 0);
		KUNIT_ASSERT_NOT_NULL(test, session);
		KUNIT_EXPECT_EQ(test, cases[i].max_bytes, session->max_bytes);
		KUNIT_EXPECT_EQ(test, cases[i].max_vht_bytes, session->max_vht_bytes);
		KUNIT_EXPECT_EQ(test, radio->mac->ba_window, session->max_count);
	}
}

/* a backoff without a frame ends once its last slot has passed */
static void limits_of_a_backoff_without_a_frame(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	struct hwsim_edca *edca = &radio->mac->acs[IEEE80211_AC_BE].edca;
	int over;

	hear(air, 1, 0);
	for (over = 0; over < 2; over++) {
		u64 at = soon(air);

		/* the medium becomes busy */
		radio->busy_until_ns = at - 34000 - 5 * SLOT_NS + 1 - over;
		edca->backs_off = true;
		edca->slots = 5;
		hwsim_access_changed(radio);
		send_at(air, 1, 2, at);
		pass(air, at - air->medium->clock.now_ns);
		KUNIT_EXPECT_EQ(test, !over, edca->backs_off);
		KUNIT_EXPECT_EQ(test, !over, edca->slots);
		end_case(air);
		/* a frame comes */
		at = soon(air);
		radio->busy_until_ns = at - 34000 - 5 * SLOT_NS + 1 - over;
		edca->backs_off = true;
		edca->slots = 5;
		hwsim_access_changed(radio);
		pass(air, at - air->medium->clock.now_ns);
		hwsim_radio_tx(radio, NULL,
			       frame_of(air, 0, address(2),
					cpu_to_le16(IEEE80211_FTYPE_DATA)),
			       radio->channel, true);
		KUNIT_EXPECT_EQ(test, !over, edca->backs_off);
		KUNIT_EXPECT_EQ(test, over ? 0 : 5, edca->slots);
		end_case(air);
	}
}

/* PIFS in 5 GHz (11.15.9) */
static void limits_of_the_secondary_channel(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	int idle;

	use_40mhz(air, radio);
	for (idle = 0; idle < 2; idle++) {
		u64 at = soon(air);

		radio->secondary_until_ns[HWSIM_PHY_40MHZ] =
			at - SIFS_NS - SLOT_NS + 1 - idle;
		send_at(air, 0, 2, at);
		use_mcs(radio, 7, IEEE80211_TX_RC_40_MHZ_WIDTH);
		pass(air, at - air->medium->clock.now_ns);
		KUNIT_ASSERT_NOT_NULL(test, radio->mac->frame);
		KUNIT_EXPECT_EQ(test, idle ? HWSIM_PHY_40MHZ : HWSIM_PHY_20MHZ,
				radio->mac->frame->rate.width);
		end_case(air);
	}
}

/* a TXOP is as wide as all narrower secondary channels were idle */
static void limits_of_the_width(struct kunit *test)
{
	/* for each width up to 80 MHz, whether what it adds was busy */
	static const struct {
		bool busy[HWSIM_PHY_NUM_WIDTHS];
		u8 width;
		u8 mcs;
	} cases[] = {
		{ { false, false, false }, HWSIM_PHY_80MHZ, 9 },
		{ { false, false, true }, HWSIM_PHY_40MHZ, 9 },
		{ { false, true, false }, HWSIM_PHY_20MHZ, 8 },
		{ { false, true, true }, HWSIM_PHY_20MHZ, 8 },
	};
	struct air_test *air = test->priv;
	struct hwsim_radio *radio = air->radios[0];
	u8 width;
	u32 i;

	radio->width = HWSIM_PHY_80MHZ;
	radio->centre_mhz = air->channels[3].center_freq;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 at = soon(air);

		for (width = 0; width < HWSIM_PHY_NUM_WIDTHS; width++)
			radio->secondary_until_ns[width] =
				at - SIFS_NS - SLOT_NS + cases[i].busy[width];
		send_at(air, 0, 2, at);
		use_vht(radio, 9, IEEE80211_TX_RC_80_MHZ_WIDTH);
		pass(air, at - air->medium->clock.now_ns);
		KUNIT_ASSERT_NOT_NULL(test, radio->mac->frame);
		KUNIT_EXPECT_EQ_MSG(test, cases[i].width,
				    radio->mac->frame->rate.width, "case %u", i);
		KUNIT_EXPECT_EQ_MSG(test, cases[i].mcs,
				    radio->mac->frame->rate.mcs, "case %u", i);
		end_case(air);
	}
}

static struct kunit_case hwsim_medium_limits_cases[] = {
	KUNIT_CASE(limits_frames_that_touch_do_not_collide),
	KUNIT_CASE(limits_of_capture),
	KUNIT_CASE(limits_of_synchronization),
	KUNIT_CASE(limits_of_the_header),
	KUNIT_CASE(limits_of_carrier_sense),
	KUNIT_CASE(limits_of_the_ack_timeout),
	KUNIT_CASE(limits_of_attempts),
	KUNIT_CASE(limits_of_retries),
	KUNIT_CASE(limits_without_ack),
	KUNIT_CASE(limits_of_rts),
	KUNIT_CASE(limits_of_the_contention_window),
	KUNIT_CASE(limits_of_rate_stages),
	KUNIT_CASE(limits_of_a_probe),
	KUNIT_CASE(limits_of_the_rate_table),
	KUNIT_CASE(limits_of_streams),
	KUNIT_CASE(limits_of_dsss_only),
	KUNIT_CASE(limits_of_agreements),
	KUNIT_CASE(limits_of_a_backoff_without_a_frame),
	KUNIT_CASE(limits_of_the_secondary_channel),
	KUNIT_CASE(limits_of_the_width),
	{}
};

static struct kunit_suite hwsim_medium_limits_suite = {
	.name = "hwsim-medium-limits",
	.init = air_test_init,
	.exit = air_test_exit,
	.test_cases = hwsim_medium_limits_cases,
};

kunit_test_suite(hwsim_medium_limits_suite);
