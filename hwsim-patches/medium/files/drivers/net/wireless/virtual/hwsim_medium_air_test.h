/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fixture for KUnit tests of the hwsim medium: three radios on one medium,
 * the links between them, and a log of the air. Radios are real, their driver
 * is not.
 */
#ifndef __HWSIM_MEDIUM_AIR_TEST_H
#define __HWSIM_MEDIUM_AIR_TEST_H

#include <kunit/test.h>
#include <linux/slab.h>
#include "hwsim_medium_radio.h"

#define RADIOS		3
#define CHANNELS	5	/* each 10 MHz from the next */
#define FIRST_INDEX	9000	/* the driver has no such radios */
#define MAX_SEEN	16
#define MAX_RADIOTAP	64
#define DATA_BYTES	1000	/* with header, without FCS */
#define BUSY_NS		100000
#define RATE_54		7
#define LEVEL_MB	3000
#define GAIN_MB(level_mb)	((level_mb) - 2000 - 9400)	/* 20 dBm, noise of -94 dBm */

/* a frame on the air */
struct seen {
	u64 start_ns;
	u32 bytes;
	bool wrong;
	__le16 fc;
};

struct air_test {
	struct kunit *test;
	struct hwsim_medium *medium;
	struct wiphy *wiphy;
	struct ieee80211_hw hw;
	struct ieee80211_supported_band band;
	struct ieee80211_channel channels[CHANNELS];
	struct hwsim_radio *radios[RADIOS];
	u64 start_ns;
	bool protects;	/* mac80211 asks for CTS-to-self */
	u32 stopped;	/* queues of mac80211, a bit each */
	u32 count;
	struct seen seen[MAX_SEEN];
	u8 radiotap[MAX_RADIOTAP];	/* of the last one */
};

/* the driver's operations do not have an argument for context */
static struct air_test *under_test;

static struct ieee80211_rate rates[] = {
	{ .bitrate = 60 }, { .bitrate = 90 }, { .bitrate = 120 },
	{ .bitrate = 180 }, { .bitrate = 240 }, { .bitrate = 360 },
	{ .bitrate = 480 }, { .bitrate = 540 },
};

static inline bool is_up(struct ieee80211_hw *hw)
{
	return false;
}

/* of all radios: hw does not say which one asks */
static s64 tsf_us;

static inline s64 tsf_offset_us(struct ieee80211_hw *hw)
{
	return tsf_us;
}

/* how far a beacon has set the clocks of all radios forward */
static u64 advanced_us;

static inline void advance_tsf(struct ieee80211_hw *hw, u64 us)
{
	advanced_us += us;
}

static inline bool captured(void)
{
	return true;
}

static inline void capture(struct sk_buff *skb)
{
	struct air_test *air = under_test;
	struct seen *seen = &air->seen[air->count];
	u16 header;

	KUNIT_ASSERT_LT(air->test, air->count, MAX_SEEN);
	KUNIT_ASSERT_NOT_NULL(air->test, skb);
	header = get_unaligned_le16(skb->data + 2);
	seen->start_ns = ktime_to_ns(ktime_sub(skb->tstamp,
					       ktime_mono_to_real(0)));
	seen->bytes = skb->len - header - HWSIM_FCS_BYTES;
	seen->wrong = skb->data[16] & IEEE80211_RADIOTAP_F_BADFCS;
	seen->fc = ((struct ieee80211_hdr *)(skb->data + header))->frame_control;
	KUNIT_ASSERT_LE(air->test, header, MAX_RADIOTAP);
	memcpy(air->radiotap, skb->data, header);
	air->count++;
	kfree_skb(skb);
}

static inline void stop_queue(struct ieee80211_hw *hw, int queue)
{
	under_test->stopped |= BIT(queue);
}

static inline void wake_queue(struct ieee80211_hw *hw, int queue)
{
	under_test->stopped &= ~BIT(queue);
}

static const struct hwsim_medium_ops ops = {
	.stop_queue = stop_queue,
	.wake_queue = wake_queue,
	.is_up = is_up,
	.tsf_offset_us = tsf_offset_us,
	.advance_tsf = advance_tsf,
	.captured = captured,
	.capture = capture,
};

static inline const u8 *address(int radio)
{
	static const u8 addresses[RADIOS][ETH_ALEN] = {
		{ 2, 0, 0, 0, 0, 1 }, { 2, 0, 0, 0, 0, 2 }, { 2, 0, 0, 0, 0, 3 },
	};

	return addresses[radio];
}

static inline void hear(struct air_test *air, int from, int to)
{
	struct hwsim_link *link = hwsim_link_new(air->radios[from],
						 air->radios[to]);

	KUNIT_ASSERT_NOT_NULL(air->test, link);
	link->setting.gain_mb = GAIN_MB(LEVEL_MB);
	KUNIT_ASSERT_NULL(air->test, xa_store_bh(&air->radios[to]->links,
						 air->radios[from]->slot,
						 link, GFP_KERNEL));
}

static inline void deafen(struct air_test *air, int from, int to)
{
	hwsim_link_free(xa_erase_bh(&air->radios[to]->links,
				    air->radios[from]->slot));
}

static inline struct hwsim_link *link_of(const struct air_test *air, int from,
					 int to)
{
	return hwsim_link_of(air->radios[from], air->radios[to]);
}

static inline void delay(struct air_test *air, int from, int to, u32 ns)
{
	link_of(air, from, to)->setting.delay_ns = ns;
	air->medium->longest_ns = max(air->medium->longest_ns, ns);
}

static inline void listen_to(struct hwsim_radio *radio,
			     struct ieee80211_channel *channel)
{
	struct cfg80211_chan_def chandef;

	cfg80211_chandef_create(&chandef, channel, NL80211_CHAN_NO_HT);
	hwsim_radio_listen(radio, &chandef);
}

static inline void make_radio(struct air_test *air, int i)
{
	struct hwsim_radio *radio =
		hwsim_radio_new(&air->hw, FIRST_INDEX + i, &ops,
				&(struct hwsim_radio_limits){});

	KUNIT_ASSERT_NOT_NULL(air->test, radio);
	air->radios[i] = radio;
	mutex_lock(&hwsim_media_mutex);
	KUNIT_EXPECT_EQ(air->test, 0,
			hwsim_radio_attach(radio, air->medium, i, NULL));
	mutex_unlock(&hwsim_media_mutex);
	hwsim_radio_add_address(radio, address(i));
	listen_to(radio, &air->channels[0]);
	radio->busy_until_ns = air->start_ns + BUSY_NS;
}

static inline int air_test_init(struct kunit *test)
{
	struct air_test *air = kunit_kzalloc(test, sizeof(*air), GFP_KERNEL);
	/* all bits are wrong up to 5 dB, none from 6 dB on */
	static const u64 hazards[] = { BIT_ULL(60), 0 };
	int i;

	KUNIT_ASSERT_NOT_NULL(test, air);
	test->priv = air;
	under_test = air;
	air->test = test;
	air->wiphy = kunit_kzalloc(test, sizeof(*air->wiphy), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, air->wiphy);
	air->hw.wiphy = air->wiphy;
	air->wiphy->rts_threshold = U32_MAX;
	air->wiphy->bands[NL80211_BAND_5GHZ] = &air->band;
	air->band.bitrates = rates;
	air->band.n_bitrates = ARRAY_SIZE(rates);
	for (i = 0; i < CHANNELS; i++) {
		air->channels[i].band = NL80211_BAND_5GHZ;
		air->channels[i].center_freq = 5180 + 10 * i;
	}
	air->medium = hwsim_medium_new(U32_MAX, 1);
	KUNIT_ASSERT_NOT_NULL(test, air->medium);
	air->medium->clock.running = true;	/* the test is its clock */
	air->start_ns = NSEC_PER_SEC;
	air->medium->clock.now_ns = air->start_ns;
	for (i = 0; i < HWSIM_MEDIUM_NUM_CURVES; i++) {
		air->medium->curves[i] =
			hwsim_curve_new(500, 100, 256, hazards, 2, NULL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, air->medium->curves[i]);
	}
	for (i = 0; i < RADIOS; i++)
		make_radio(air, i);
	return 0;
}

static inline void drop_up(struct air_test *air)
{
	struct hwsim_up *up, *next;

	list_for_each_entry_safe(up, next, &air->medium->clock.up, later.list) {
		list_del(&up->later.list);
		if (up->mpdu)
			kfree_skb(up->mpdu->skb);
		kfree(up->mpdu);
		kfree_skb(up->skb);
		kfree(up);
	}
}

static inline void run_for(struct air_test *air, u64 ns)
{
	u64 until = air->medium->clock.now_ns + ns, next;

	do {
		next = hwsim_clock_run(&air->medium->clock, until);
		drop_up(air);
	} while (next <= until);
}

/* the same, and advance the time by this much, whatever happens */
static inline void pass(struct air_test *air, u64 ns)
{
	u64 until = air->medium->clock.now_ns + ns;

	run_for(air, ns);
	air->medium->clock.now_ns = until;
}

/* up to the next event; false if none is left */
static inline bool step(struct air_test *air)
{
	u64 next = hwsim_clock_run(&air->medium->clock, air->medium->clock.now_ns);

	if (next == HWSIM_NEVER)
		return false;
	hwsim_clock_run(&air->medium->clock, next);
	drop_up(air);
	return true;
}

static inline void air_test_exit(struct kunit *test)
{
	struct air_test *air = test->priv;
	int i;

	for (i = 0; i < RADIOS; i++)
		hwsim_radio_free(air->radios[i]);
	drop_up(air);
	hwsim_medium_free(air->medium);
}

/* frames sent, and those that have ended */
static int made, ended;

static inline void on_end(struct sk_buff *skb)
{
	ended++;
}

static inline struct sk_buff *frame_of(struct air_test *air, int from,
				       const u8 *to, __le16 fc)
{
	struct ieee80211_tx_info *info;
	struct ieee80211_hdr *hdr;
	struct sk_buff *skb;

	skb = alloc_skb(DATA_BYTES + 64, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(air->test, skb);
	skb_reserve(skb, 64);
	skb->destructor = on_end;
	made++;
	hdr = skb_put_zero(skb, DATA_BYTES);
	hdr->frame_control = fc;
	ether_addr_copy(hdr->addr1, to);
	ether_addr_copy(hdr->addr2, address(from));
	skb_set_queue_mapping(skb, IEEE80211_AC_BE);
	info = IEEE80211_SKB_CB(skb);
	info->control.rates[0].idx = RATE_54;
	info->control.rates[0].count = 1;
	info->control.rates[1].idx = -1;
	info->control.use_cts_prot = air->protects;
	return skb;
}

static inline void send_kind(struct air_test *air, int from, int to, u32 slots, __le16 fc)
{
	struct sk_buff *skb = frame_of(air, from, address(to), fc);
	struct hwsim_radio *radio = air->radios[from];

	radio->mac->acs[IEEE80211_AC_BE].edca.slots = slots;
	radio->mac->acs[IEEE80211_AC_BE].edca.backs_off = true;
	hwsim_radio_tx(radio, NULL, skb, radio->channel, true);
}

static inline void send(struct air_test *air, int from, int to, u32 slots)
{
	send_kind(air, from, to, slots, cpu_to_le16(IEEE80211_FTYPE_DATA));
}

static inline u64 count_of(const struct air_test *air, int from, int to,
			   enum hwsim_count what)
{
	const struct hwsim_counts *counts =
		xa_load(&air->radios[to]->counts, air->radios[from]->slot);

	return counts ? counts->of[IEEE80211_AC_BE][what] : 0;
}

/* when a station sends that counts slots from the end of the busy medium */
static inline u64 after(const struct air_test *air, u32 slots)
{
	return air->start_ns + BUSY_NS + 34000 + slots * 9000;
}

/* 16 + 4 + 4 * ceil((16 + 8 * 1004 + 6) / 216) us */
#define DATA_NS		172000
/* RTS at 24 Mbit/s: 16 + 4 + 4 * ceil((16 + 160 + 6) / 96); CTS and ACK */
#define RTS_NS		28000
#define ANSWER_NS	28000
#define SIFS_NS		16000

static inline struct hwsim_mpdu *first_queued(struct hwsim_radio *radio)
{
	return list_first_entry(&radio->mac->acs[IEEE80211_AC_BE].queue,
				struct hwsim_mpdu, list);
}

/* let the frame that a radio is about to send use an MCS of 802.11n */
static inline void use_mcs(struct hwsim_radio *radio, int mcs, u16 flags)
{
	struct hwsim_mpdu *mpdu = first_queued(radio);

	IEEE80211_SKB_CB(mpdu->skb)->flags = 0;
	mpdu->rates[0] = (struct ieee80211_tx_rate){
		.idx = mcs, .count = 1, .flags = IEEE80211_TX_RC_MCS | flags,
	};
}

/* the same for 802.11ac: one stream */
static inline void use_vht(struct hwsim_radio *radio, int mcs, u16 flags)
{
	use_mcs(radio, 0, 0);
	first_queued(radio)->rates[0].flags = IEEE80211_TX_RC_VHT_MCS | flags;
	ieee80211_rate_set_vht(&first_queued(radio)->rates[0], mcs, 1);
}

/* the first channel is primary, the third secondary */
static inline void use_40mhz(struct air_test *air, struct hwsim_radio *radio)
{
	radio->width = HWSIM_PHY_40MHZ;
	radio->centre_mhz = air->channels[1].center_freq;
}

static inline struct hwsim_fault *make_fault(struct air_test *air,
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

#endif
