// SPDX-License-Identifier: GPL-2.0-only
/*
 * Approximate frames in the hwsim medium: those whose sender said, by the
 * checksum coverage of UDP-Lite (RFC 3828) or DCCP (RFC 4340, 9.2), that bit
 * errors in part of them do no harm.
 *
 * They are sent once. A receiver in approximate mode delivers them with their
 * errors, without an answer. The idea is from B. Ransford and L. Ceze, SAP: an
 * Architecture for Selectively Approximate Wireless Communication, 3.1.
 *
 * With a BlockAck agreement, a recipient would wait for frames that are never
 * sent again, so a TID has none while it carries such frames.
 *
 * A sender may be told to retry them like others (retry_approx). The receiver
 * then delivers every damaged copy: no frame says which one is the last, and to
 * wait for it would take state that depends on damaged headers.
 *
 * Not recognised, and therefore sent like other frames: encrypted frames, those
 * with four addresses, fragments of IP datagrams, A-MSDUs, and datagrams in a
 * tunnel.
 */
#include <linux/dccp.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include "hwsim_medium_mac.h"

#define UDPLITE_HEADER_BYTES	sizeof(struct udphdr)
#define BLOCKACK_PAUSE_NS	NSEC_PER_SEC

/* whether UDP-Lite at @offset, the last of a packet that ends at @end, is partly covered */
static bool udplite_is_partial(const struct sk_buff *skb, u32 offset, u32 end)
{
	struct udphdr buffer;
	const struct udphdr *udplite;
	u32 coverage;

	if (end < offset + UDPLITE_HEADER_BYTES)
		return false;
	udplite = skb_header_pointer(skb, offset, sizeof(buffer), &buffer);
	if (!udplite)
		return false;
	/* the coverage replaces UDP's length; 0: all, 1 to 7: not allowed */
	coverage = ntohs(udplite->len);
	return coverage >= UDPLITE_HEADER_BYTES && coverage < end - offset;
}

/*
 * The same for DCCP, whose coverage counts words after the header and its
 * options.
 */
static bool dccp_is_partial(const struct sk_buff *skb, u32 offset, u32 end)
{
	struct dccp_hdr buffer;
	const struct dccp_hdr *dccp;
	u32 coverage;

	if (end < offset + sizeof(buffer))
		return false;
	dccp = skb_header_pointer(skb, offset, sizeof(buffer), &buffer);
	/* 0: all, 1: the header */
	if (!dccp || !dccp->dccph_cscov || dccp->dccph_doff < sizeof(buffer) / 4)
		return false;
	coverage = (dccp->dccph_doff + dccp->dccph_cscov - 1) * sizeof(u32);
	return coverage < end - offset;
}

/* whether the datagram of @protocol from @offset to @end is partly covered */
static bool is_partial(const struct sk_buff *skb, u8 protocol, u32 offset, u32 end)
{
	if (end > skb->len)
		return false;
	switch (protocol) {
	case IPPROTO_UDPLITE:
		return udplite_is_partial(skb, offset, end);
	case IPPROTO_DCCP:
		return dccp_is_partial(skb, offset, end);
	}
	return false;
}

static bool ipv4_is_approximate(const struct sk_buff *skb, u32 offset)
{
	struct iphdr buffer;
	const struct iphdr *ip;

	ip = skb_header_pointer(skb, offset, sizeof(buffer), &buffer);
	if (!ip || ip->version != 4 || ip->ihl < 5 || ip_is_fragment(ip))
		return false;
	return is_partial(skb, ip->protocol, offset + 4 * ip->ihl,
			  offset + ntohs(ip->tot_len));
}

static bool ipv6_is_approximate(const struct sk_buff *skb, u32 offset)
{
	struct ipv6hdr buffer;
	const struct ipv6hdr *ip;
	__be16 fragment;
	u8 protocol;
	int start;

	ip = skb_header_pointer(skb, offset, sizeof(buffer), &buffer);
	if (!ip || ip->version != 6)
		return false;
	protocol = ip->nexthdr;
	start = ipv6_skip_exthdr(skb, offset + sizeof(*ip), &protocol, &fragment);
	if (start < 0 || fragment)
		return false;
	return is_partial(skb, protocol, start, offset + sizeof(*ip) +
			  ntohs(ip->payload_len));
}

/**
 * hwsim_frame_is_approximate - whether bit errors in part of a frame do no harm
 * @skb: the frame, from its 802.11 header on
 *
 * Return: true for UDP-Lite and DCCP over IPv4 or IPv6 whose checksum does not
 * cover all
 */
bool hwsim_frame_is_approximate(const struct sk_buff *skb)
{
	const struct ieee80211_hdr *hdr = (const void *)skb->data;
	struct {
		u8 snap[sizeof(rfc1042_header)];
		__be16 protocol;
	} __packed buffer, *llc;
	u32 offset;

	if (skb_headlen(skb) < sizeof(struct ieee80211_hdr_3addr) ||
	    !ieee80211_is_data_present(hdr->frame_control) ||
	    ieee80211_has_protected(hdr->frame_control) ||
	    ieee80211_has_morefrags(hdr->frame_control) ||
	    ieee80211_has_a4(hdr->frame_control) ||
	    hdr->seq_ctrl & cpu_to_le16(IEEE80211_SCTL_FRAG))
		return false;
	offset = ieee80211_hdrlen(hdr->frame_control);
	if (skb_headlen(skb) < offset)
		return false;
	if (ieee80211_is_data_qos(hdr->frame_control) &&
	    *ieee80211_get_qos_ctl((void *)hdr) & IEEE80211_QOS_CTL_A_MSDU_PRESENT)
		return false;
	llc = skb_header_pointer(skb, offset, sizeof(buffer), &buffer);
	if (!llc || memcmp(llc->snap, rfc1042_header, sizeof(llc->snap)))
		return false;
	offset += sizeof(buffer);
	switch (ntohs(llc->protocol)) {
	case ETH_P_IP:
		return ipv4_is_approximate(skb, offset);
	case ETH_P_IPV6:
		return ipv6_is_approximate(skb, offset);
	}
	return false;
}

/**
 * hwsim_approx_accepts - whether a radio accepts a damaged frame
 * @radio: the radio
 * @skb: the frame as it arrived
 *
 * Only its header is checked, which may be damaged too. mac80211 checks more
 * (RX_FLAG_DELIVER_DAMAGED).
 */
bool hwsim_approx_accepts(const struct hwsim_radio *radio,
			  const struct sk_buff *skb)
{
	const struct ieee80211_hdr *hdr = (const void *)skb->data;

	return radio->approx && skb->len >= sizeof(struct ieee80211_hdr_3addr) &&
	       ieee80211_is_data_present(hdr->frame_control) &&
	       !ieee80211_has_protected(hdr->frame_control) &&
	       hwsim_radio_owns(radio, hdr->addr1);
}

static struct hwsim_approx_flow *flow_of(struct hwsim_radio *radio,
					 const u8 *own, const u8 *addr, u8 tid)
{
	int i;

	for (i = 0; i < HWSIM_MAX_APPROX_FLOWS; i++) {
		struct hwsim_approx_flow *flow = &radio->mac->approx_flows[i];

		if (flow->until_ns && flow->tid == tid &&
		    ether_addr_equal(flow->addr, addr) &&
		    ether_addr_equal(flow->own, own))
			return flow;
	}
	return NULL;
}

/**
 * hwsim_approx_sent - an approximate frame is about to be sent
 * @radio: the sender
 * @mpdu: the frame
 *
 * The BlockAck agreement of its TID, if any, is ended, and no other is made
 * while such frames follow.
 */
void hwsim_approx_sent(struct hwsim_radio *radio, const struct hwsim_mpdu *mpdu)
{
	const struct ieee80211_hdr *hdr = (const void *)mpdu->skb->data;
	struct hwsim_approx_flow *flow;
	int i;

	if (mpdu->tid >= IEEE80211_NUM_TIDS)
		return;
	flow = flow_of(radio, hdr->addr2, hdr->addr1, mpdu->tid);
	if (!flow) {	/* replace the flow that has been silent longest */
		flow = &radio->mac->approx_flows[0];
		for (i = 1; i < HWSIM_MAX_APPROX_FLOWS; i++)
			if (radio->mac->approx_flows[i].until_ns < flow->until_ns)
				flow = &radio->mac->approx_flows[i];
		ether_addr_copy(flow->own, hdr->addr2);
		ether_addr_copy(flow->addr, hdr->addr1);
		flow->tid = mpdu->tid;
	}
	flow->until_ns = hwsim_now_ns(radio) + BLOCKACK_PAUSE_NS;
	if (mpdu->session && !mpdu->session->ending)
		mpdu->session->ending =
			hwsim_up_session(radio, hdr->addr2, hdr->addr1,
					 mpdu->tid, HWSIM_SESSION_END);
}

/**
 * hwsim_approx_flows - whether approximate frames are being sent
 * @radio: the sender
 * @own: address of its interface
 * @addr: address of the peer
 * @tid: the TID
 */
bool hwsim_approx_flows(struct hwsim_radio *radio, const u8 *own,
			const u8 *addr, u8 tid)
{
	struct hwsim_approx_flow *flow = flow_of(radio, own, addr, tid);

	return flow && flow->until_ns > hwsim_now_ns(radio);
}
