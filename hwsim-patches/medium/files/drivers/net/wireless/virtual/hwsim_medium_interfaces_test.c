// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of radios of the hwsim medium with several interfaces: peers,
 * BlockAck agreements and network parameters belong to one of them.
 */
#include "hwsim_medium_air_test.h"

#define INTERFACES	2
#define TXOP_LIMIT	94	/* 3.008 ms, in units of 32 us */

static const u8 second[ETH_ALEN] = { 2, 0x40, 0, 0, 0, 1 };

/* two interfaces of a radio, up */
struct two {
	struct hwsim_radio *radio;
	struct ieee80211_vif *vifs[INTERFACES];
};

static void bring_up(struct air_test *air, int i, struct two *two)
{
	int k;

	two->radio = air->radios[i];
	for (k = 0; k < INTERFACES; k++) {
		two->vifs[k] = kunit_kzalloc(air->test, sizeof(*two->vifs[k]),
					     GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(air->test, two->vifs[k]);
		two->vifs[k]->type = NL80211_IFTYPE_MESH_POINT;
		ether_addr_copy(two->vifs[k]->addr, k ? second : address(i));
		two->vifs[k]->bss_conf.bssid = two->vifs[k]->addr;
		hwsim_radio_add_interface(two->radio, two->vifs[k]);
	}
}

static void take_down(struct two *two)
{
	int k;

	hwsim_tx_purge(two->radio, NULL);
	for (k = 0; k < INTERFACES; k++)
		hwsim_radio_remove_interface(two->radio, two->vifs[k]);
}

static struct ieee80211_sta *station(struct kunit *test, const u8 *addr,
				     struct ieee80211_vif *vif)
{
	struct ieee80211_sta *sta = kunit_kzalloc(test, sizeof(*sta), GFP_KERNEL);
	struct ieee80211_txq *txq = kunit_kzalloc(test, sizeof(*txq), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, sta);
	KUNIT_ASSERT_NOT_NULL(test, txq);
	ether_addr_copy(sta->addr, addr);
	txq->vif = vif;
	sta->txq[0] = txq;
	return sta;
}

/* an agreement with a station at TID 0, in both directions */
static void agree(struct kunit *test, struct two *two, int k, const u8 *addr)
{
	static const enum ieee80211_ampdu_mlme_action actions[] = {
		IEEE80211_AMPDU_TX_OPERATIONAL, IEEE80211_AMPDU_RX_START,
	};
	struct ieee80211_ampdu_params params = {
		.sta = station(test, addr, two->vifs[k]),
		.ssn = 100 * k,
		.buf_size = 256,
	};
	int i;

	KUNIT_EXPECT_TRUE(test, hwsim_peer_set_ssn(two->radio, two->vifs[k]->addr,
						   addr, 0, 100 * k));
	for (i = 0; i < ARRAY_SIZE(actions); i++) {
		params.action = actions[i];
		KUNIT_ASSERT_EQ(test, 0, hwsim_radio_ampdu(two->radio, two->vifs[k],
							   &params));
	}
}

/* the same station, in two BSSs of a radio: it leaves one */
static void interfaces_have_their_own_agreements(struct kunit *test)
{
	struct air_test *air = test->priv;
	const struct hwsim_session *session;
	const u8 *own[INTERFACES];
	struct two two;
	int k;

	bring_up(air, 0, &two);
	for (k = 0; k < INTERFACES; k++) {
		own[k] = two.vifs[k]->addr;
		agree(test, &two, k, address(1));
	}
	for (k = 0; k < INTERFACES; k++) {
		session = hwsim_session_of(two.radio, own[k], address(1), 0);
		KUNIT_ASSERT_NOT_NULL(test, session);
		KUNIT_EXPECT_EQ(test, 100 * k, session->oldest_seq);
		KUNIT_EXPECT_PTR_EQ(test, two.vifs[k], session->txq->vif);
		hwsim_peer_retried(two.radio, own[k], address(1), k + 1);
	}
	hwsim_radio_forget_sta(two.radio, two.vifs[0], address(1));
	KUNIT_EXPECT_NULL(test, hwsim_session_of(two.radio, own[0], address(1), 0));
	KUNIT_EXPECT_NULL(test, hwsim_recipient_of(two.radio, own[0], address(1), 0));
	KUNIT_EXPECT_EQ(test, 0, hwsim_peer_retries(two.radio, own[0], address(1)));
	KUNIT_EXPECT_NOT_NULL(test,
			      hwsim_session_of(two.radio, own[1], address(1), 0));
	KUNIT_EXPECT_NOT_NULL(test,
			      hwsim_recipient_of(two.radio, own[1], address(1), 0));
	KUNIT_EXPECT_EQ(test, 2, hwsim_peer_retries(two.radio, own[1], address(1)));
	take_down(&two);
}

static void a_frame_counts_for_its_interface(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_recipient *recipient;
	struct ieee80211_hdr *hdr;
	struct sk_buff *skb;
	struct two two;
	int k;

	hear(air, 0, 2);
	hear(air, 2, 0);
	bring_up(air, 2, &two);
	for (k = 0; k < INTERFACES; k++)
		agree(test, &two, k, address(0));
	skb = frame_of(air, 0, second, cpu_to_le16(IEEE80211_FTYPE_DATA |
						   IEEE80211_STYPE_QOS_DATA));
	hdr = (void *)skb->data;
	hdr->seq_ctrl = cpu_to_le16(IEEE80211_SN_TO_SEQ(101));
	hwsim_radio_tx(air->radios[0], NULL, skb, &air->channels[0], true);
	run_for(air, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 2, air->count);
	for (k = 0; k < INTERFACES; k++) {
		recipient = hwsim_recipient_of(two.radio, two.vifs[k]->addr,
					       address(0), 0);
		KUNIT_ASSERT_NOT_NULL(test, recipient);
		KUNIT_EXPECT_EQ(test, 100 * k, recipient->scoreboard.start);
		KUNIT_EXPECT_EQ(test, k,
				bitmap_weight(recipient->scoreboard.bitmap, 64));
		KUNIT_EXPECT_EQ(test, k,
				test_bit(1, recipient->scoreboard.bitmap));
	}
	take_down(&two);
}

/* mac80211 asks for 256; a radio has 64 unless it is set to more */
static void agreements_have_a_window(struct kunit *test)
{
	static const u16 windows[] = { 64, 65, 256 };
	static const u16 bits[] = { 64, 256, 256 };
	struct air_test *air = test->priv;
	const struct hwsim_recipient *recipient;
	const struct hwsim_session *session;
	struct two two;
	int i;

	bring_up(air, 0, &two);
	KUNIT_EXPECT_EQ(test, 64, two.radio->mac->ba_window);
	for (i = 0; i < ARRAY_SIZE(windows); i++) {
		two.radio->mac->ba_window = windows[i];
		agree(test, &two, 0, address(1));
		session = hwsim_session_of(two.radio, two.vifs[0]->addr,
					   address(1), 0);
		recipient = hwsim_recipient_of(two.radio, two.vifs[0]->addr,
					       address(1), 0);
		KUNIT_ASSERT_NOT_NULL(test, session);
		KUNIT_ASSERT_NOT_NULL(test, recipient);
		KUNIT_EXPECT_EQ(test, windows[i], session->max_count);
		KUNIT_EXPECT_EQ(test, bits[i], session->holes.bits);
		KUNIT_EXPECT_EQ(test, bits[i], recipient->scoreboard.bits);
	}
	take_down(&two);
}

static void end_agreement(struct kunit *test, struct two *two, const u8 *addr)
{
	struct ieee80211_ampdu_params params = {
		.sta = station(test, addr, two->vifs[0]),
		.action = IEEE80211_AMPDU_TX_STOP_CONT,
	};

	KUNIT_EXPECT_EQ(test, 0, hwsim_radio_ampdu(two->radio, two->vifs[0],
						   &params));
}

/* frames to be sent again leave an agreement that ends, which waits for them */
static void agreements_end_after_their_frames(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_session *session;
	struct hwsim_mpdu *mpdu;
	struct hwsim_ac *ac;
	struct two two;
	int i;

	bring_up(air, 0, &two);
	ac = &two.radio->mac->acs[IEEE80211_AC_BE];
	agree(test, &two, 0, address(1));
	session = hwsim_session_of(two.radio, two.vifs[0]->addr, address(1), 0);
	KUNIT_ASSERT_NOT_NULL(test, session);
	for (i = 0; i < 3; i++) {
		send_kind(air, 0, 1, 0, cpu_to_le16(IEEE80211_FTYPE_DATA |
						    IEEE80211_STYPE_QOS_DATA));
		mpdu = first_queued(two.radio);
		list_del_init(&mpdu->list);
		ac->queued--;
		mpdu->session = session;
		mpdu->unknown = true;
		mpdu->seq = i;
		hwsim_session_put_back(session, mpdu);
		session->unknown++;
	}
	KUNIT_EXPECT_EQ(test, 0, ac->queued);
	end_agreement(test, &two, address(1));
	KUNIT_EXPECT_EQ(test, 3, ac->queued);
	list_for_each_entry(mpdu, &ac->queue, list) {
		KUNIT_EXPECT_NULL(test, mpdu->session);
		KUNIT_EXPECT_FALSE(test, mpdu->unknown);
	}
	KUNIT_ASSERT_PTR_EQ(test, session,
			    hwsim_session_of(two.radio, two.vifs[0]->addr,
					     address(1), 0));
	KUNIT_EXPECT_TRUE(test, session->stopping);
	KUNIT_EXPECT_EQ(test, 0, session->unknown);
	ac->txqs = false;
	take_down(&two);
}

/* what a vanished recipient was asked about is sent again after some questions */
static void agreements_ask_a_limited_number_of_times(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_mpdu question = {}, *mpdu;
	struct hwsim_session *session;
	struct hwsim_ppdu *bar;
	struct hwsim_ac *ac;
	struct two two;
	int i;

	bring_up(air, 0, &two);
	hwsim_radio_listen(two.radio, NULL);	/* it need not contend */
	ac = &two.radio->mac->acs[IEEE80211_AC_BE];
	bar = kunit_kzalloc(test, sizeof(*bar), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, bar);
	agree(test, &two, 0, address(1));
	session = hwsim_session_of(two.radio, two.vifs[0]->addr, address(1), 0);
	KUNIT_ASSERT_NOT_NULL(test, session);
	question.session = session;
	bar->mpdus[0] = &question;
	for (i = 0; i < 3; i++) {
		send_kind(air, 0, 1, 0, cpu_to_le16(IEEE80211_FTYPE_DATA |
						    IEEE80211_STYPE_QOS_DATA));
		mpdu = first_queued(two.radio);
		list_del_init(&mpdu->list);
		ac->queued--;
		mpdu->session = session;
		mpdu->unknown = true;
		mpdu->seq = i;
		hwsim_session_put_back(session, mpdu);
		session->unknown++;
	}
	for (i = 1; i < 7; i++) {	/* dot11ShortRetryLimit */
		KUNIT_EXPECT_TRUE(test, hwsim_bar_done(two.radio, bar, NULL));
		KUNIT_EXPECT_EQ(test, 3, session->unknown);
		KUNIT_EXPECT_EQ(test, i, session->bar_failures);
	}
	KUNIT_EXPECT_FALSE(test, hwsim_bar_done(two.radio, bar, NULL));
	KUNIT_EXPECT_EQ(test, 0, session->unknown);
	KUNIT_EXPECT_EQ(test, 0, session->bar_failures);
	for (i = 0; i < 3; i++) {
		mpdu = hwsim_session_take(session);
		KUNIT_ASSERT_NOT_NULL(test, mpdu);
		KUNIT_EXPECT_FALSE(test, mpdu->unknown);
		KUNIT_EXPECT_EQ(test, 7, mpdu->bars);
		list_add_tail(&mpdu->list, &ac->queue);
		ac->queued++;
	}
	ac->txqs = false;
	take_down(&two);
}

/* without a hole to report, or if it cannot be reported now, one ends at once */
static void agreements_end_without_a_bar(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_session *session;
	struct two two;
	int i;

	bring_up(air, 0, &two);
	hwsim_radio_listen(two.radio, NULL);	/* it need not contend */
	for (i = 0; i < 3; i++) {
		agree(test, &two, 0, address(1));
		session = hwsim_session_of(two.radio, two.vifs[0]->addr,
					   address(1), 0);
		KUNIT_ASSERT_NOT_NULL(test, session);
		if (i)
			hwsim_session_given_up(session, 5);
		session->silent = i == 1;
		session->asleep = i == 2;
		end_agreement(test, &two, address(1));
		KUNIT_EXPECT_NULL(test, hwsim_session_of(two.radio,
							 two.vifs[0]->addr,
							 address(1), 0));
		two.radio->mac->acs[IEEE80211_AC_BE].txqs = false;
	}
	take_down(&two);
}

/* mac80211 learns of the air time of the station of that interface */
static void a_report_names_its_interface(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct hwsim_up *up;
	struct two two;
	u64 next;
	int sent = 0, received = 0;

	hear(air, 0, 2);
	hear(air, 2, 0);
	bring_up(air, 2, &two);
	hwsim_radio_tx(air->radios[0], NULL,
		       frame_of(air, 0, second, cpu_to_le16(IEEE80211_FTYPE_DATA)),
		       &air->channels[0], true);
	do {
		next = hwsim_clock_run(&air->medium->clock,
				       air->start_ns + 10 * NSEC_PER_MSEC);
		list_for_each_entry(up, &air->medium->clock.up, later.list) {
			if (up->tx_us) {
				KUNIT_EXPECT_MEMEQ(test, address(0), up->own, ETH_ALEN);
				KUNIT_EXPECT_MEMEQ(test, second, up->peer, ETH_ALEN);
				sent++;
			}
			if (up->rx_us) {
				KUNIT_EXPECT_MEMEQ(test, second, up->own, ETH_ALEN);
				KUNIT_EXPECT_MEMEQ(test, address(0), up->peer, ETH_ALEN);
				received++;
			}
		}
		drop_up(air);
	} while (next <= air->start_ns + 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, 1, sent);
	KUNIT_EXPECT_EQ(test, 1, received);
	take_down(&two);
}

/* mac80211 reads the rates of a report up to the first that is unused */
static void a_report_has_one_rate(struct kunit *test)
{
	struct air_test *air = test->priv;
	const struct ieee80211_tx_rate *reported;
	struct hwsim_ppdu *ppdu;
	struct hwsim_up *up;

	ppdu = hwsim_ppdu_new(air->radios[0], HWSIM_MEDIUM_FRAME_DATA,
			      &(struct hwsim_phy_rate){ .class = HWSIM_PHY_HT,
							.streams = 1 });
	KUNIT_ASSERT_NOT_NULL(test, ppdu);
	ppdu->tx_rate.idx = 5;
	hwsim_up_sent(air->radios[0], ppdu, 3, 2);
	up = list_last_entry(&air->medium->clock.up, struct hwsim_up, later.list);
	reported = up->tx_info.status.rates;
	KUNIT_EXPECT_EQ(test, 5, reported[0].idx);
	/* a bit-field */
	KUNIT_EXPECT_TRUE(test, reported[0].count == 1);
	KUNIT_EXPECT_EQ(test, -1, reported[1].idx);
	KUNIT_EXPECT_EQ(test, 3, up->tx_info.status.ampdu_len);
	KUNIT_EXPECT_EQ(test, 2, up->tx_info.status.ampdu_ack_len);
	hwsim_up_sent(air->radios[0], ppdu, 256, 256);
	up = list_last_entry(&air->medium->clock.up, struct hwsim_up, later.list);
	KUNIT_EXPECT_EQ(test, 255, up->tx_info.status.ampdu_len);
	KUNIT_EXPECT_EQ(test, 255, up->tx_info.status.ampdu_ack_len);
	drop_up(air);
	hwsim_ppdu_put(ppdu);
}

/* contention parameters of best effort, with WMM */
static void set_params(struct two *two, int k, u8 aifs, u16 txop)
{
	const struct ieee80211_tx_queue_params params = {
		.aifs = aifs, .cw_min = 15, .cw_max = 1023, .txop = txop,
	};

	two->vifs[k]->bss_conf.qos = true;
	hwsim_radio_bss(two->radio, two->vifs[k], &two->vifs[k]->bss_conf);
	hwsim_radio_conf_tx(two->radio, two->vifs[k], IEEE80211_AC_BE, &params);
}

/* a frame of an interface of radio 0, with a backoff of this many slots */
static void send_of(struct air_test *air, struct two *two, int k, u32 slots)
{
	struct hwsim_edca *edca = &two->radio->mac->acs[IEEE80211_AC_BE].edca;
	struct sk_buff *skb = frame_of(air, 0, address(2),
				       cpu_to_le16(IEEE80211_FTYPE_DATA));
	struct ieee80211_hdr *hdr = (void *)skb->data;

	ether_addr_copy(hdr->addr2, two->vifs[k]->addr);
	edca->slots = slots;
	edca->backs_off = true;
	hwsim_radio_tx(two->radio, NULL, skb, &air->channels[0], true);
}

static void a_frame_contends_with_the_parameters_of_its_interface(struct kunit *test)
{
	static const u8 aifs[INTERFACES] = { 3, 7 };
	struct air_test *air = test->priv;
	struct two two;
	u64 from;
	int k;

	hear(air, 0, 2);
	hear(air, 2, 0);
	bring_up(air, 0, &two);
	for (k = 0; k < INTERFACES; k++)
		set_params(&two, k, aifs[k], 0);
	for (k = INTERFACES - 1; k >= 0; k--) {
		air->count = 0;
		from = air->medium->clock.now_ns + BUSY_NS;
		two.radio->busy_until_ns = from;
		send_of(air, &two, k, 2);
		pass(air, 10 * NSEC_PER_MSEC);
		KUNIT_ASSERT_EQ(test, 2, air->count);
		KUNIT_EXPECT_EQ(test, from + SIFS_NS + (aifs[k] + 2) * 9000,
				air->seen[0].start_ns);
	}
	take_down(&two);
}

/* a frame of another interface comes first: the slots continue with its AIFS */
static void a_backoff_continues_for_another_interface(struct kunit *test)
{
	static const u8 aifs[INTERFACES] = { 3, 7 };
	struct air_test *air = test->priv;
	struct hwsim_ac *ac;
	struct two two;
	u64 from;
	int k;

	hear(air, 0, 2);
	hear(air, 2, 0);
	bring_up(air, 0, &two);
	ac = &two.radio->mac->acs[IEEE80211_AC_BE];
	for (k = 0; k < INTERFACES; k++)
		set_params(&two, k, aifs[k], 0);
	for (k = 0; k < INTERFACES; k++) {
		air->count = 0;
		from = air->medium->clock.now_ns + BUSY_NS;
		two.radio->busy_until_ns = from;
		send_of(air, &two, !k, 8);
		/* after the AIFS of both, and in the middle of a slot */
		pass(air, BUSY_NS + SIFS_NS + 8 * 9000 + 4000);
		send_of(air, &two, k, 8);
		list_rotate_left(&ac->queue);
		hwsim_access_ready(two.radio, ac, air->medium->clock.now_ns);
		KUNIT_EXPECT_EQ(test, aifs[k], ac->edca.aifsn);
		pass(air, 10 * NSEC_PER_MSEC);
		KUNIT_ASSERT_EQ(test, 4, air->count);
		KUNIT_EXPECT_EQ(test, from + SIFS_NS + (aifs[k] + 8) * 9000,
				air->seen[0].start_ns);
	}
	take_down(&two);
}

/* a beacon without WMM only affects its own BSS */
static void a_beacon_affects_its_own_network(struct kunit *test)
{
	static const u8 all[ETH_ALEN] = { [0 ... ETH_ALEN - 1] = 255 };
	struct air_test *air = test->priv;
	struct sk_buff *skb;
	struct two two;
	int k;

	bring_up(air, 0, &two);
	for (k = 0; k < INTERFACES; k++)
		set_params(&two, k, 3, TXOP_LIMIT);
	two.vifs[0]->type = NL80211_IFTYPE_AP;
	skb = frame_of(air, 0, all, cpu_to_le16(IEEE80211_FTYPE_MGMT |
						IEEE80211_STYPE_BEACON));
	hwsim_radio_tx(two.radio, NULL, skb, &air->channels[0], true);
	KUNIT_EXPECT_FALSE(test, hwsim_network_of(two.radio, address(0))->qos);
	KUNIT_EXPECT_TRUE(test, hwsim_network_of(two.radio, second)->qos);
	/* and a mesh beacon has no such element */
	skb = frame_of(air, 0, all, cpu_to_le16(IEEE80211_FTYPE_MGMT |
						IEEE80211_STYPE_BEACON));
	ether_addr_copy(((struct ieee80211_mgmt *)skb->data)->sa, second);
	hwsim_radio_tx(two.radio, NULL, skb, &air->channels[0], true);
	KUNIT_EXPECT_TRUE(test, hwsim_network_of(two.radio, second)->qos);
	take_down(&two);
}

/* the next frame follows after SIFS only if it is of the same interface */
static void a_txop_belongs_to_one_interface(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct two two;
	int k;

	hear(air, 0, 2);
	hear(air, 2, 0);
	bring_up(air, 0, &two);
	for (k = 0; k < INTERFACES; k++)
		set_params(&two, k, 3, TXOP_LIMIT);
	for (k = 0; k < INTERFACES; k++) {
		air->count = 0;
		two.radio->busy_until_ns = air->medium->clock.now_ns + BUSY_NS;
		send_of(air, &two, 0, 2);
		send_of(air, &two, k, 2);
		pass(air, 10 * NSEC_PER_MSEC);
		KUNIT_ASSERT_EQ(test, 4, air->count);
		if (k)
			KUNIT_EXPECT_GE(test, air->seen[2].start_ns,
					air->seen[1].start_ns + ANSWER_NS +
					SIFS_NS + 3 * 9000);
		else
			KUNIT_EXPECT_EQ(test, air->seen[2].start_ns,
					air->seen[1].start_ns + ANSWER_NS + SIFS_NS);
	}
	take_down(&two);
}

/* slots are short if all networks of a radio have short ones */
static void slots_are_those_of_the_radio(struct kunit *test)
{
	struct air_test *air = test->priv;
	struct two two;
	int k;

	air->channels[0].band = NL80211_BAND_2GHZ;
	air->wiphy->bands[NL80211_BAND_2GHZ] = &air->band;
	bring_up(air, 0, &two);
	for (k = 0; k < INTERFACES; k++) {
		two.vifs[k]->bss_conf.use_short_slot = !k;
		two.vifs[k]->bss_conf.basic_rates = BIT(2 * k);
		hwsim_radio_bss(two.radio, two.vifs[k], &two.vifs[k]->bss_conf);
		KUNIT_EXPECT_EQ(test, k ? 20000 : 9000, two.radio->timing.slot_ns);
	}
	/*
	 * Basic rates of 6 and 12 Mbit/s; an answer uses those of its own BSS.
	 */
	KUNIT_EXPECT_EQ(test, BIT(4) | BIT(6), two.radio->mac->basic_rates);
	KUNIT_EXPECT_EQ(test, BIT(6),
			hwsim_network_of(two.radio, second)->basic_rates);
	/* a network that is gone no longer counts */
	hwsim_radio_remove_interface(two.radio, two.vifs[1]);
	KUNIT_EXPECT_EQ(test, 9000, two.radio->timing.slot_ns);
	KUNIT_EXPECT_EQ(test, BIT(4), two.radio->mac->basic_rates);
	hwsim_radio_remove_interface(two.radio, two.vifs[0]);
	/* parameters of the last interface hold until another one comes */
	KUNIT_EXPECT_EQ(test, BIT(4), two.radio->mac->basic_rates);
	air->channels[0].band = NL80211_BAND_5GHZ;
}

static struct kunit_case interfaces_cases[] = {
	KUNIT_CASE(interfaces_have_their_own_agreements),
	KUNIT_CASE(agreements_have_a_window),
	KUNIT_CASE(agreements_end_after_their_frames),
	KUNIT_CASE(agreements_ask_a_limited_number_of_times),
	KUNIT_CASE(agreements_end_without_a_bar),
	KUNIT_CASE(a_frame_counts_for_its_interface),
	KUNIT_CASE(a_report_names_its_interface),
	KUNIT_CASE(a_report_has_one_rate),
	KUNIT_CASE(a_frame_contends_with_the_parameters_of_its_interface),
	KUNIT_CASE(a_backoff_continues_for_another_interface),
	KUNIT_CASE(a_beacon_affects_its_own_network),
	KUNIT_CASE(a_txop_belongs_to_one_interface),
	KUNIT_CASE(slots_are_those_of_the_radio),
	{}
};

static struct kunit_suite interfaces_suite = {
	.name = "hwsim-medium-interfaces",
	.init = air_test_init,
	.exit = air_test_exit,
	.test_cases = interfaces_cases,
};

kunit_test_suite(interfaces_suite);
