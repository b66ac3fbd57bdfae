// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of approximate frames: which frames are approximate, which of
 * them a radio accepts damaged, and how often they are sent.
 */
#include <linux/dccp.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include "hwsim_medium_air_test.h"

#define PAYLOAD_BYTES	100
#define DATAGRAM_BYTES	(sizeof(struct udphdr) + PAYLOAD_BYTES)

static const u8 here[ETH_ALEN] = { 2, 0, 0, 0, 0, 1 };

/* a data frame as a station sends it, up to where IP begins */
static struct sk_buff *frame_new(struct kunit *test, bool qos, u16 protocol)
{
	__le16 fc = cpu_to_le16(IEEE80211_FTYPE_DATA | IEEE80211_FCTL_TODS |
				(qos ? IEEE80211_STYPE_QOS_DATA : 0));
	struct sk_buff *skb = alloc_skb(400, GFP_KERNEL);
	struct ieee80211_hdr *hdr;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	hdr = skb_put_zero(skb, ieee80211_hdrlen(fc));
	hdr->frame_control = fc;
	ether_addr_copy(hdr->addr1, here);
	skb_put_data(skb, rfc1042_header, sizeof(rfc1042_header));
	put_unaligned_be16(protocol, skb_put(skb, 2));
	return skb;
}

static void put_udplite(struct sk_buff *skb, u16 coverage)
{
	struct udphdr *udplite = skb_put_zero(skb, DATAGRAM_BYTES);

	udplite->len = htons(coverage);
}

static struct iphdr *put_ipv4(struct sk_buff *skb, u8 options)
{
	struct iphdr *ip = skb_put_zero(skb, sizeof(*ip) + options);

	ip->version = 4;
	ip->ihl = (sizeof(*ip) + options) / 4;
	ip->protocol = IPPROTO_UDPLITE;
	ip->tot_len = htons(sizeof(*ip) + options + DATAGRAM_BYTES);
	return ip;
}

static struct ipv6hdr *put_ipv6(struct sk_buff *skb, u8 next, u16 extension)
{
	struct ipv6hdr *ip = skb_put_zero(skb, sizeof(*ip));

	ip->version = 6;
	ip->nexthdr = next;
	ip->payload_len = htons(extension + DATAGRAM_BYTES);
	return ip;
}

static struct sk_buff *ipv4_frame(struct kunit *test, u16 coverage)
{
	struct sk_buff *skb = frame_new(test, true, ETH_P_IP);

	put_ipv4(skb, 0);
	put_udplite(skb, coverage);
	return skb;
}

static bool judge(struct sk_buff *skb)
{
	bool is = hwsim_frame_is_approximate(skb);

	kfree_skb(skb);
	return is;
}

static void approx_by_partial_coverage(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, judge(ipv4_frame(test, 8)));
	KUNIT_EXPECT_TRUE(test, judge(ipv4_frame(test, DATAGRAM_BYTES - 1)));
	KUNIT_EXPECT_FALSE(test, judge(ipv4_frame(test, DATAGRAM_BYTES)));
	KUNIT_EXPECT_FALSE(test, judge(ipv4_frame(test, 0xffff)));
	KUNIT_EXPECT_FALSE(test, judge(ipv4_frame(test, 0)));	/* all */
	KUNIT_EXPECT_FALSE(test, judge(ipv4_frame(test, 7)));	/* not allowed */
}

/* as long as a UDP-Lite datagram here; @words: its header, as it says */
static struct sk_buff *dccp_frame(struct kunit *test, u8 words, u8 coverage)
{
	struct sk_buff *skb = frame_new(test, true, ETH_P_IP);
	struct dccp_hdr *dccp;

	put_ipv4(skb, 0)->protocol = IPPROTO_DCCP;
	dccp = skb_put_zero(skb, DATAGRAM_BYTES);
	dccp->dccph_doff = words;
	dccp->dccph_cscov = coverage;
	return skb;
}

static void approx_dccp(struct kunit *test)
{
	const u8 words = DATAGRAM_BYTES / 4;

	KUNIT_EXPECT_TRUE(test, judge(dccp_frame(test, 4, 1)));	/* header */
	KUNIT_EXPECT_TRUE(test, judge(dccp_frame(test, 4, 15)));
	KUNIT_EXPECT_TRUE(test, judge(dccp_frame(test, words - 1, 1)));
	KUNIT_EXPECT_TRUE(test, judge(dccp_frame(test, words - 14, 14)));
	KUNIT_EXPECT_FALSE(test, judge(dccp_frame(test, 4, 0)));	/* all */
	KUNIT_EXPECT_FALSE(test, judge(dccp_frame(test, words, 1)));
	KUNIT_EXPECT_FALSE(test, judge(dccp_frame(test, words - 14, 15)));
	KUNIT_EXPECT_FALSE(test, judge(dccp_frame(test, 2, 1)));	/* too short */
	KUNIT_EXPECT_FALSE(test, judge(dccp_frame(test, 255, 15)));
}

static void approx_ipv4(struct kunit *test)
{
	struct sk_buff *skb = frame_new(test, false, ETH_P_IP);
	struct iphdr *ip;

	put_ipv4(skb, 4);	/* with options */
	put_udplite(skb, 8);
	KUNIT_EXPECT_TRUE(test, judge(skb));

	skb = frame_new(test, true, ETH_P_IP);
	put_ipv4(skb, 0)->protocol = IPPROTO_UDP;
	put_udplite(skb, 8);
	KUNIT_EXPECT_FALSE(test, judge(skb));

	skb = frame_new(test, true, ETH_P_IP);
	put_ipv4(skb, 0)->frag_off = htons(IP_MF);
	put_udplite(skb, 8);
	KUNIT_EXPECT_FALSE(test, judge(skb));

	skb = frame_new(test, true, ETH_P_IP);
	put_ipv4(skb, 0)->ihl = 4;
	put_udplite(skb, 8);
	KUNIT_EXPECT_FALSE(test, judge(skb));

	/* wrong lengths */
	skb = frame_new(test, true, ETH_P_IP);
	put_ipv4(skb, 0)->tot_len = htons(0xffff);
	put_udplite(skb, 8);
	KUNIT_EXPECT_FALSE(test, judge(skb));
	skb = frame_new(test, true, ETH_P_IP);
	ip = put_ipv4(skb, 0);
	ip->tot_len = htons(sizeof(*ip) + 7);
	put_udplite(skb, 8);
	KUNIT_EXPECT_FALSE(test, judge(skb));
}

static void approx_ipv6(struct kunit *test)
{
	struct sk_buff *skb = frame_new(test, true, ETH_P_IPV6);
	u8 *extension;

	put_ipv6(skb, IPPROTO_UDPLITE, 0);
	put_udplite(skb, 20);
	KUNIT_EXPECT_TRUE(test, judge(skb));

	skb = frame_new(test, true, ETH_P_IPV6);
	put_ipv6(skb, IPPROTO_UDPLITE, 0);
	put_udplite(skb, DATAGRAM_BYTES);
	KUNIT_EXPECT_FALSE(test, judge(skb));

	skb = frame_new(test, true, ETH_P_IPV6);
	put_ipv6(skb, NEXTHDR_HOP, 8);
	extension = skb_put_zero(skb, 8);
	extension[0] = IPPROTO_UDPLITE;
	put_udplite(skb, 20);
	KUNIT_EXPECT_TRUE(test, judge(skb));

	skb = frame_new(test, true, ETH_P_IPV6);
	put_ipv6(skb, NEXTHDR_FRAGMENT, 8);
	extension = skb_put_zero(skb, 8);
	extension[0] = IPPROTO_UDPLITE;
	extension[3] = 1;	/* more follow */
	put_udplite(skb, 20);
	KUNIT_EXPECT_FALSE(test, judge(skb));
}

static void approx_frames_that_are_not_parsed(struct kunit *test)
{
	static const u16 flags[] = {
		IEEE80211_FCTL_PROTECTED, IEEE80211_FCTL_MOREFRAGS,
		IEEE80211_STYPE_NULLFUNC, IEEE80211_FCTL_FROMDS,
	};
	struct ieee80211_hdr *hdr;
	struct sk_buff *skb;
	int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		skb = ipv4_frame(test, 8);
		hdr = (void *)skb->data;
		hdr->frame_control |= cpu_to_le16(flags[i]);
		KUNIT_EXPECT_FALSE(test, judge(skb));
	}
	skb = ipv4_frame(test, 8);
	hdr = (void *)skb->data;
	hdr->seq_ctrl = cpu_to_le16(1);
	KUNIT_EXPECT_FALSE(test, judge(skb));
	skb = ipv4_frame(test, 8);
	hdr = (void *)skb->data;
	*ieee80211_get_qos_ctl(hdr) |= IEEE80211_QOS_CTL_A_MSDU_PRESENT;
	KUNIT_EXPECT_FALSE(test, judge(skb));
}

static void cut(struct kunit *test, struct sk_buff *skb)
{
	u32 whole = skb->len;

	for (; skb->len; skb_trim(skb, skb->len - 1))
		KUNIT_EXPECT_EQ(test, skb->len == whole,
				hwsim_frame_is_approximate(skb));
	kfree_skb(skb);
}

/* a frame cut to any length is not read beyond its end */
static void approx_cut_frames(struct kunit *test)
{
	cut(test, ipv4_frame(test, 8));
	cut(test, dccp_frame(test, 4, 1));
}

static void approx_a_radio_accepts_its_own_frames(struct kunit *test)
{
	struct hwsim_radio *radio = kunit_kzalloc(test, sizeof(*radio), GFP_KERNEL);
	struct sk_buff *skb = ipv4_frame(test, 8);
	struct ieee80211_hdr *hdr = (void *)skb->data;
	struct hwsim_address address;

	KUNIT_ASSERT_NOT_NULL(test, radio);
	ether_addr_copy(address.addr, here);
	radio->addresses = &address;
	radio->num_addresses = 1;
	KUNIT_EXPECT_FALSE(test, hwsim_approx_accepts(radio, skb));
	radio->approx = true;
	KUNIT_EXPECT_TRUE(test, hwsim_approx_accepts(radio, skb));
	hdr->addr1[5] ^= 4;
	KUNIT_EXPECT_FALSE(test, hwsim_approx_accepts(radio, skb));
	hdr->addr1[5] ^= 4;
	hdr->frame_control ^= cpu_to_le16(IEEE80211_FCTL_PROTECTED);
	KUNIT_EXPECT_FALSE(test, hwsim_approx_accepts(radio, skb));
	hdr->frame_control ^= cpu_to_le16(IEEE80211_FCTL_PROTECTED |
					  IEEE80211_FTYPE_DATA);
	KUNIT_EXPECT_FALSE(test, hwsim_approx_accepts(radio, skb));
	kfree_skb(skb);
}

static void approx_a_cut_header_is_rejected(struct kunit *test)
{
	struct hwsim_radio *radio = kunit_kzalloc(test, sizeof(*radio), GFP_KERNEL);
	struct sk_buff *skb = ipv4_frame(test, 8);
	struct hwsim_address address;

	KUNIT_ASSERT_NOT_NULL(test, radio);
	ether_addr_copy(address.addr, here);
	radio->addresses = &address;
	radio->num_addresses = 1;
	radio->approx = true;
	skb_trim(skb, sizeof(struct ieee80211_hdr_3addr));
	KUNIT_EXPECT_TRUE(test, hwsim_approx_accepts(radio, skb));
	skb_trim(skb, sizeof(struct ieee80211_hdr_3addr) - 1);
	KUNIT_EXPECT_FALSE(test, hwsim_approx_accepts(radio, skb));
	kfree_skb(skb);
}

static void approx_flows_end(struct kunit *test)
{
	struct hwsim_radio *radio = kunit_kzalloc(test, sizeof(*radio), GFP_KERNEL);
	struct hwsim_medium *medium = kunit_kzalloc(test, sizeof(*medium),
						    GFP_KERNEL);
	struct hwsim_mpdu mpdu = { .tid = 3 };
	static const u8 other[ETH_ALEN] = { 2, 0, 0, 0, 0, 99 };
	u8 addr[ETH_ALEN] = { 2 };
	struct ieee80211_hdr *hdr;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, radio);
	KUNIT_ASSERT_NOT_NULL(test, medium);
	mpdu.skb = ipv4_frame(test, 8);
	hdr = (void *)mpdu.skb->data;
	ether_addr_copy(hdr->addr2, here);
	radio->mac = kunit_kzalloc(test, sizeof(*radio->mac), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, radio->mac);
	radio->medium = medium;
	for (i = 0; i <= HWSIM_MAX_APPROX_FLOWS; i++) {
		medium->clock.now_ns = i + 1;
		addr[5] = i;
		ether_addr_copy(hdr->addr1, addr);
		hwsim_approx_sent(radio, &mpdu);
		KUNIT_EXPECT_TRUE(test, hwsim_approx_flows(radio, here, addr, 3));
		KUNIT_EXPECT_FALSE(test, hwsim_approx_flows(radio, here, addr, 2));
		KUNIT_EXPECT_FALSE(test, hwsim_approx_flows(radio, other, addr, 3));
	}
	addr[5] = 0;	/* gave way */
	KUNIT_EXPECT_FALSE(test, hwsim_approx_flows(radio, here, addr, 3));
	addr[5] = 1;
	KUNIT_EXPECT_TRUE(test, hwsim_approx_flows(radio, here, addr, 3));
	medium->clock.now_ns += NSEC_PER_SEC;
	KUNIT_EXPECT_FALSE(test, hwsim_approx_flows(radio, here, addr, 3));
	kfree_skb(mpdu.skb);
}

static struct kunit_case hwsim_medium_approx_cases[] = {
	KUNIT_CASE(approx_by_partial_coverage),
	KUNIT_CASE(approx_dccp),
	KUNIT_CASE(approx_ipv4),
	KUNIT_CASE(approx_ipv6),
	KUNIT_CASE(approx_frames_that_are_not_parsed),
	KUNIT_CASE(approx_cut_frames),
	KUNIT_CASE(approx_a_radio_accepts_its_own_frames),
	KUNIT_CASE(approx_a_cut_header_is_rejected),
	KUNIT_CASE(approx_flows_end),
	{}
};

static struct kunit_suite hwsim_medium_approx_suite = {
	.name = "hwsim-medium-approx",
	.test_cases = hwsim_medium_approx_cases,
};

#define ATTEMPTS	3

/*
 * Send an approximate frame, of which up to @damaged attempts arrive damaged, to
 * a radio that accepts those.
 */
static void send_approximate(struct air_test *air, u32 damaged)
{
	struct hwsim_radio *radio = air->radios[0];
	struct sk_buff *skb = ipv4_frame(air->test, 8);
	struct ieee80211_hdr *hdr = (void *)skb->data;
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(skb);

	hear(air, 0, 2);
	hear(air, 2, 0);
	air->radios[2]->approx = true;
	make_fault(air, HWSIM_MEDIUM_FAULT_DAMAGE)->count = damaged;
	ether_addr_copy(hdr->addr1, address(2));
	ether_addr_copy(hdr->addr2, address(0));
	skb_set_queue_mapping(skb, IEEE80211_AC_BE);
	info->control.rates[0].idx = RATE_54;
	info->control.rates[0].count = ATTEMPTS;
	info->control.rates[1].idx = -1;
	hwsim_radio_tx(radio, NULL, skb, radio->channel, true);
	run_for(air, NSEC_PER_SEC / 2);
	KUNIT_EXPECT_EQ(air->test, 0, radio->mac->held);
}

static void approx_sent_once(struct kunit *test)
{
	struct air_test *air = test->priv;

	send_approximate(air, ATTEMPTS);
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_SENT));
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_APPROXIMATE));
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_DROPPED));
	KUNIT_EXPECT_TRUE(test, hwsim_approx_flows(air->radios[0], address(0),
						   address(2), 0));
}

/* up to the first that arrives undamaged; agreements of its TID may stay */
static void approx_retried_if_told(struct kunit *test)
{
	struct air_test *air = test->priv;

	air->radios[0]->mac->retry_approx = true;
	send_approximate(air, ATTEMPTS - 1);
	KUNIT_EXPECT_EQ(test, ATTEMPTS, count_of(air, 0, 2, HWSIM_COUNT_SENT));
	KUNIT_EXPECT_EQ(test, ATTEMPTS - 1,
			count_of(air, 0, 2, HWSIM_COUNT_APPROXIMATE));
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_DELIVERED));
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_ACKED));
	KUNIT_EXPECT_FALSE(test, hwsim_approx_flows(air->radios[0], address(0),
						    address(2), 0));
}

/* given up like others: what has arrived is damaged */
static void approx_retried_in_vain(struct kunit *test)
{
	struct air_test *air = test->priv;

	air->radios[0]->mac->retry_approx = true;
	send_approximate(air, ATTEMPTS);
	KUNIT_EXPECT_EQ(test, ATTEMPTS, count_of(air, 0, 2, HWSIM_COUNT_SENT));
	KUNIT_EXPECT_EQ(test, ATTEMPTS,
			count_of(air, 0, 2, HWSIM_COUNT_APPROXIMATE));
	KUNIT_EXPECT_EQ(test, 1, count_of(air, 0, 2, HWSIM_COUNT_DROPPED));
}

static struct kunit_case hwsim_medium_approx_air_cases[] = {
	KUNIT_CASE(approx_sent_once),
	KUNIT_CASE(approx_retried_if_told),
	KUNIT_CASE(approx_retried_in_vain),
	{}
};

static struct kunit_suite hwsim_medium_approx_air_suite = {
	.name = "hwsim-medium-approx-air",
	.init = air_test_init,
	.exit = air_test_exit,
	.test_cases = hwsim_medium_approx_air_cases,
};

kunit_test_suites(&hwsim_medium_approx_suite, &hwsim_medium_approx_air_suite);
