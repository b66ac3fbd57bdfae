// SPDX-License-Identifier: GPL-2.0-only
/*
 * TCP/HACK in the driver: TCP ACKs to and from the peers of a radio's interfaces
 * (L. Salameh et al., USENIX ATC 2014, sections 3.1 to 3.4).
 *
 * A TCP ACK is held on its way into an interface, before mac80211 numbers and
 * encrypts it, if the peer has announced by MORE DATA that it will send again. It
 * is appended to the next ACK or BlockAck to the peer, and to each one after that
 * until the peer shows that it has received it: by an A-MPDU, or by a frame with
 * another sequence number. If the peer has given up waiting for the answer, it
 * sets SYNC. ACKs that arrive with an answer are restored, and delivered as if
 * they had come through the interface.
 *
 * How long an answer may become: a station that decodes a frame defers until the
 * end of its answer and for an AIFS of at least SIFS and a slot after that (voice
 * of an access point); one that does not defers for EIFS, which is as long as an
 * ACK at the lowest basic rate and that AIFS. So an answer that grows by no more
 * than that is as safe as any other, without a longer reservation. Only a BlockAck
 * at the lowest rates is by itself longer than that ACK. A station that does not
 * decode the frame, but sends best effort, still waits until its end.
 *
 * SYNC and RESET are two of the reserved bits of the SERVICE field (IEEE
 * 802.11-2020 17.3.5.2), so they take no time.
 *
 * ACKs in answers are not encrypted. So none is held or restored once a frame to
 * or from the peer has been encrypted, unless the radio is configured to do so.
 *
 * Not modelled: announcing TCP/HACK in a radio's capabilities. Radios look up
 * which others on their medium support it.
 *
 * ACKs from one station to another through their access point do not leave
 * mac80211 there, and those of stations in a VLAN leave it by another interface.
 * So the access point learns nothing about their flows, and answers the first
 * compressed ACK by RESET; after a few failures, the flow is not compressed for
 * a while.
 */
#include <crypto/hash.h>
#include <linux/etherdevice.h>
#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/unaligned.h>
#include "hwsim_medium_hack.h"
#include "hwsim_medium_mac.h"

#define MD5_BYTES	16
#define KEPT_MOST	HWSIM_HACK_HELD
#define BEST_EFFORT_AIFSN	3

/* an ACK that has been released is not held again */
static DEFINE_PER_CPU(bool, is_let_go);
/* flows are not learnt from ACKs that have been restored */
static DEFINE_PER_CPU(bool, is_restored);

static struct crypto_shash *md5;

/* ---- packets that are released or restored ---- */

/**
 * hwsim_hack_is_own_packet - whether a hook sees a packet of TCP/HACK itself
 * @is_restored_packet: ask for packets that were restored, else for released ones
 *
 * About the packet that is being sent or received on this CPU.
 */
bool hwsim_hack_is_own_packet(bool is_restored_packet)
{
	return is_restored_packet ? __this_cpu_read(is_restored) :
				    __this_cpu_read(is_let_go);
}

/**
 * hwsim_hack_send_on - send packets that were held
 * @skbs: the packets; the list is emptied
 */
void hwsim_hack_send_on(struct sk_buff_head *skbs)
{
	struct sk_buff *skb;

	__this_cpu_write(is_let_go, true);
	while ((skb = __skb_dequeue(skbs)))
		dev_queue_xmit(skb);
	__this_cpu_write(is_let_go, false);
}

static void go_up(struct sk_buff_head *skbs)
{
	struct sk_buff *skb;

	__this_cpu_write(is_restored, true);
	while ((skb = __skb_dequeue(skbs)))
		netif_receive_skb(skb);
	__this_cpu_write(is_restored, false);
}

/* ACKs that leave with an answer pass neither queues nor the taps behind them */
static void go_by(struct sk_buff_head *skbs)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(skbs))) {
		dev_queue_xmit_nit(skb, skb->dev);
		consume_skb(skb);
	}
}

/* show the taps of the interface, such as tcpdump, ACKs that have just been sent */
static void show(struct hwsim_hack *hack, u32 from)
{
	struct net_device *netdev = hack->iface->netdev;
	struct sk_buff_head skbs;
	struct sk_buff *skb;
	u32 i;

	if (!dev_nit_active(netdev))
		return;
	__skb_queue_head_init(&skbs);
	for (i = from; i < hack->sender.num_sent; i++) {
		skb = skb_clone(hwsim_hack_owner(&hack->sender, i), GFP_ATOMIC);
		if (skb)
			__skb_queue_tail(&skbs, skb);
	}
	hwsim_up_packets(hack->radio, netdev, &skbs, go_by);
}

/* ---- peers ---- */

/* whether the radio with that address supports TCP/HACK */
static bool knows_hack(struct hwsim_radio *radio, const u8 *addr,
		       bool is_protected)
{
	struct hwsim_radio *other;
	u32 i, j;

	for (i = 0; i < HWSIM_MEDIUM_MAX_RADIOS; i++) {
		other = radio->medium->radios[i];
		if (!other || !other->mac->hack.mode ||
		    (is_protected && !other->mac->hack.in_clear))
			continue;
		for (j = 0; j < other->num_addresses; j++)
			if (ether_addr_equal(other->addresses[j].addr, addr))
				return true;
	}
	return false;
}

static void on_timer(struct hwsim_clock *clock, struct hwsim_event *event);

/**
 * hwsim_hack_get - the TCP/HACK state of a peer
 * @iface: the interface
 * @addr: address of the peer
 *
 * Return: the state, or NULL if the peer does not support TCP/HACK
 */
struct hwsim_hack *hwsim_hack_get(struct hwsim_hack_iface *iface,
				  const u8 *addr)
{
	struct hwsim_radio *radio = iface->radio;
	struct hwsim_peer *peer;
	struct hwsim_hack *hack;

	if (!is_valid_ether_addr(addr))
		return NULL;
	peer = hwsim_peer_of(radio, iface->vif->addr, addr);
	if (peer && peer->hack)
		return peer->hack->iface == iface ? peer->hack : NULL;
	if (peer && peer->hack_asked)
		return NULL;
	if (!knows_hack(radio, addr, false)) {
		if (peer)
			peer->hack_asked = true;
		return NULL;
	}
	peer = hwsim_peer_get(radio, iface->vif->addr, addr);
	if (!peer)
		return NULL;
	hack = kzalloc(sizeof(*hack), GFP_ATOMIC);
	if (!hack)
		return NULL;
	hack->radio = radio;
	hack->iface = iface;
	ether_addr_copy(hack->own, iface->vif->addr);
	ether_addr_copy(hack->addr, addr);
	hwsim_hack_compressor_init(&hack->sender);
	hwsim_hack_decompressor_init(&hack->receiver);
	hwsim_event_init(&hack->timer, HWSIM_PHASE_TIMEOUT);
	hack->timer.handler = on_timer;
	peer->hack = hack;
	return hack;
}

/* by which both ends identify a flow: the first 4 bytes of the MD5 of its 5-tuple */
static u32 tag_of(const struct hwsim_hack_flow *flow)
{
	u8 tuple[HWSIM_HACK_TUPLE_BYTES], digest[MD5_BYTES];
	u32 bytes = hwsim_hack_tuple(flow, tuple);

	if (crypto_shash_tfm_digest(md5, tuple, bytes, digest))
		return 0;
	return get_unaligned_le32(digest);
}

/* ---- what is held ---- */

/*
 * Release an ACK. One that has not been in a payload is sent uncompressed. So is
 * the last of its flow: it may not have arrived, and TCP copes with receiving it
 * twice. The others acknowledge nothing more than the last. Duplicates among them
 * are lost if the answer was, and are not sent again: mostly they have arrived, and
 * TCP would count them twice.
 */
static void let_go(void *context, void *owner, bool was_sent, bool is_last)
{
	struct sk_buff_head *skbs = context;

	if (was_sent && !is_last)
		dev_kfree_skb_any(owner);
	else
		__skb_queue_tail(skbs, owner);
}

/* identifies a packet when its frame is acknowledged */
static u32 cookie_of(const struct sk_buff *skb)
{
	return (uintptr_t)skb;
}

/**
 * hwsim_hack_pass - an ACK is sent uncompressed
 * @hack: state of its peer
 * @skb: its packet
 * @segment: the parsed ACK
 * @now: the time
 */
void hwsim_hack_pass(struct hwsim_hack *hack, const struct sk_buff *skb,
		     const struct hwsim_hack_segment *segment, u64 now)
{
	hwsim_hack_native(&hack->sender, segment,
			  hwsim_hack_knows(&hack->sender, &segment->flow) ?
			  0 : tag_of(&segment->flow), now, cookie_of(skb));
}

/**
 * hwsim_hack_note - an uncompressed ACK has arrived
 * @hack: state of its peer
 * @segment: the parsed ACK
 */
void hwsim_hack_note(struct hwsim_hack *hack,
		     const struct hwsim_hack_segment *segment)
{
	hwsim_hack_learn(&hack->receiver, segment,
			 hwsim_hack_has_learnt(&hack->receiver, &segment->flow) ?
			 0 : tag_of(&segment->flow));
}

/**
 * hwsim_hack_end - a flow begins or ends
 * @hack: state of its peer
 * @skb: the packet that says so
 * @segment: the parsed packet
 */
void hwsim_hack_end(struct hwsim_hack *hack, const struct sk_buff *skb,
		    const struct hwsim_hack_segment *segment)
{
	hwsim_hack_forget(&hack->sender, &segment->flow, cookie_of(skb));
}

/**
 * hwsim_hack_unknown - a packet is sent that cannot be compressed
 * @hack: state of its peer
 * @skb: the packet; an earlier packet at the same address in memory has been
 *	freed, and must not be mistaken for it when this one is acknowledged
 */
void hwsim_hack_unknown(struct hwsim_hack *hack, const struct sk_buff *skb)
{
	hwsim_hack_native_gone(&hack->sender, cookie_of(skb));
}

/**
 * hwsim_hack_parse_skb - parse a packet that is sent
 * @skb: the packet, from its Ethernet header on
 * @segment: see hwsim_hack_parse()
 */
enum hwsim_hack_kind hwsim_hack_parse_skb(const struct sk_buff *skb,
					  struct hwsim_hack_segment *segment)
{
	u8 headers[HWSIM_HACK_HEADERS_MOST];
	u32 bytes = skb->len - ETH_HLEN;
	enum hwsim_hack_kind kind;

	/* of a packet that is longer, nothing else is looked at */
	if (skb_copy_bits(skb, ETH_HLEN, headers, min_t(u32, bytes, sizeof(headers))))
		return HWSIM_HACK_OTHER;
	kind = hwsim_hack_parse(headers, bytes,
				skb->ip_summed == CHECKSUM_PARTIAL, segment);
	memcpy(segment->flow.link, skb->data, sizeof(segment->flow.link));
	return kind;
}

/**
 * hwsim_hack_give_up - release all ACKs that are held for a peer
 * @hack: state of the peer
 * @skbs: gets the packets to be sent uncompressed, in order, at its end
 */
void hwsim_hack_give_up(struct hwsim_hack *hack, struct sk_buff_head *skbs)
{
	struct hwsim_hack_segment segment;
	struct sk_buff_head own;
	struct sk_buff *skb;

	__skb_queue_head_init(&own);
	hwsim_hack_flush(&hack->sender, let_go, &own);
	skb_queue_walk(&own, skb)
		if (hwsim_hack_parse_skb(skb, &segment) == HWSIM_HACK_ACK)
			hwsim_hack_pass(hack, skb, &segment,
					hwsim_now_ns(hack->radio));
	skb_queue_splice_tail_init(&own, skbs);
	hwsim_event_cancel(&hack->radio->medium->clock, &hack->timer);
}

/* keep ACKs for the next access point, except the oldest: ACKs are cumulative */
static void keep(struct hwsim_hack_iface *iface, struct sk_buff_head *skbs)
{
	struct sk_buff *skb;

	if (skb_queue_empty(skbs))
		return;
	iface->kept_ns = hwsim_now_ns(iface->radio);
	skb_queue_walk(skbs, skb)
		skb_orphan(skb);
	hwsim_event_cancel(&iface->radio->medium->clock, &iface->back);
	hwsim_event_add(&iface->radio->medium->clock, &iface->back,
			iface->kept_ns + HWSIM_HACK_KEPT_FOR_NS);
	skb_queue_splice_tail_init(skbs, &iface->kept);
	while (skb_queue_len(&iface->kept) > KEPT_MOST)
		dev_kfree_skb_any(__skb_dequeue(&iface->kept));
}

static void go(void *context)
{
	struct hwsim_hack_iface *iface = context;
	struct sk_buff_head skbs;

	__skb_queue_head_init(&skbs);
	hwsim_medium_enter(iface->radio->medium);
	skb_queue_splice_tail_init(&iface->going, &skbs);
	hwsim_medium_leave(iface->radio->medium);
	hwsim_hack_send_on(&skbs);
}

/* if another ACK comes before they were sent, on_egress() sends them first */
static void flush_later(struct hwsim_hack *hack)
{
	struct hwsim_hack_iface *iface = hack->iface;

	hwsim_hack_give_up(hack, &iface->going);
	if (!skb_queue_empty(&iface->going))
		hwsim_up_call(hack->radio, go, iface);
}

/*
 * Send ACKs that are held uncompressed. @is_gone: the peer has gone, so keep them
 * for the next one; an access point may know that before its station does, and a
 * station before its configuration shows it.
 */
static void end(struct hwsim_peer *peer, bool is_gone)
{
	struct hwsim_hack *hack = peer->hack;
	struct hwsim_hack_iface *iface;
	struct sk_buff_head skbs;

	peer->hack_asked = false;
	peer->hack_reset = false;
	if (!hack)
		return;
	iface = hack->iface;
	if (iface->vif->type == NL80211_IFTYPE_STATION &&
	    (is_gone || !iface->vif->cfg.assoc)) {
		__skb_queue_head_init(&skbs);
		hwsim_hack_give_up(hack, &skbs);
		keep(iface, &skbs);
	} else {
		flush_later(hack);
	}
	peer->hack = NULL;
	kfree(hack);
}

/* end the state of both ends, or one would use flows that the other has forgotten */
static void end_both(struct hwsim_radio *radio, struct hwsim_peer *peer,
		     bool is_gone)
{
	struct hwsim_radio *other;
	struct hwsim_peer *back;
	u32 i;

	for (i = 0; peer->hack && i < HWSIM_MEDIUM_MAX_RADIOS; i++) {
		other = radio->medium->radios[i];
		back = other ? hwsim_peer_of(other, peer->addr, peer->own) : NULL;
		if (back)
			end(back, is_gone);
	}
	end(peer, is_gone);
}

static void on_timer(struct hwsim_clock *clock, struct hwsim_event *event)
{
	struct hwsim_hack *hack = container_of(event, struct hwsim_hack, timer);

	flush_later(hack);
}

static void delivered(void *context, void *owner, bool was_sent, bool is_last)
{
	struct sk_buff *skb = owner;

	dev_sw_netstats_tx_add(skb->dev, 1, skb->len);
	dev_consume_skb_any(skb);
}

static bool may_hold(const struct hwsim_hack *hack,
		     const struct hwsim_peer *peer)
{
	if (hack->is_protected &&
	    (!hack->radio->mac->hack.in_clear ||
	     !knows_hack(hack->radio, hack->addr, true)))
		return false;
	switch (hack->radio->mac->hack.mode) {
	case HWSIM_MEDIUM_HACK_TIMER:
	case HWSIM_MEDIUM_HACK_OPPORTUNISTIC:
		return true;
	case HWSIM_MEDIUM_HACK_MORE_DATA:
		return peer->more_data;
	default:
		return false;
	}
}

/**
 * hwsim_hack_take - hold an ACK, if the mode allows it
 * @hack: state of its peer
 * @skb: its packet, no longer the caller's if it is held
 * @segment: the parsed ACK
 * @now: the time
 *
 * Return: whether it is held
 */
bool hwsim_hack_take(struct hwsim_hack *hack, struct sk_buff *skb,
		     const struct hwsim_hack_segment *segment, u64 now)
{
	struct hwsim_radio *radio = hack->radio;

	if (!may_hold(hack, hwsim_peer_of(radio, hack->own, hack->addr)) ||
	    !hwsim_hack_hold(&hack->sender, segment, now, skb))
		return false;
	/* the timer runs from the oldest ACK */
	if (radio->mac->hack.timer_ns && hack->sender.num_held == 1)
		hwsim_event_add(&radio->medium->clock, &hack->timer,
				now + radio->mac->hack.timer_ns);
	return true;
}

/**
 * hwsim_hack_leave_interface - an interface goes down
 * @iface: the interface, whose peers are forgotten
 */
void hwsim_hack_leave_interface(struct hwsim_hack_iface *iface)
{
	struct hwsim_radio *radio = iface->radio;
	struct hwsim_peer *peer;
	u32 i;

	hash_for_each(radio->mac->peers, i, peer, node)
		if (peer->hack && peer->hack->iface == iface)
			end_both(radio, peer, true);
	hwsim_event_cancel(&radio->medium->clock, &iface->back);
	hwsim_up_forget_calls(radio, iface);
	__skb_queue_purge(&iface->going);
	__skb_queue_purge(&iface->kept);
}

/**
 * hwsim_hack_won - an access category is about to win the medium
 * @radio: the radio
 * @ac: its number
 *
 * In the opportunistic mode, ACKs contend like other frames while they wait for an
 * answer. Those that no answer has carried by now are sent uncompressed.
 */
void hwsim_hack_won(struct hwsim_radio *radio, u8 ac)
{
	struct hwsim_peer *peer;
	u32 i;

	hash_for_each(radio->mac->peers, i, peer, node)
		if (peer->hack && peer->hack->ac == ac &&
		    peer->hack->sender.num_held > peer->hack->sender.num_sent)
			flush_later(peer->hack);
}

/**
 * hwsim_hack_forget_peer - end the TCP/HACK state of a peer
 * @radio: the radio
 * @own: address of its interface
 * @addr: address of the peer, NULL: all peers of all interfaces
 */
void hwsim_hack_forget_peer(struct hwsim_radio *radio, const u8 *own,
			    const u8 *addr)
{
	struct hwsim_peer *peer;
	u32 i;

	hash_for_each(radio->mac->peers, i, peer, node)
		if (!addr || hwsim_peer_is(peer, own, addr))
			end_both(radio, peer, addr);
}

/**
 * hwsim_hack_prepare - allocate what radios with TCP/HACK need
 *
 * Return: 0, or an error
 */
int hwsim_hack_prepare(void)
{
	struct crypto_shash *tfm;

	if (READ_ONCE(md5))
		return 0;
	tfm = crypto_alloc_shash("md5", 0, 0);
	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	if (cmpxchg(&md5, NULL, tfm))
		crypto_free_shash(tfm); /* another caller was first */
	return 0;
}

/**
 * hwsim_hack_exit - clean up; no radio is left
 */
void hwsim_hack_exit(void)
{
	crypto_free_shash(md5);
}

/* ---- frames of the peer, and answers to them ---- */

/* Return: the longest payload that an answer may carry */
static u32 room(const struct hwsim_radio *radio,
		const struct hwsim_ppdu *answer)
{
	const struct hwsim_phy_timing *timing = &radio->timing;
	struct hwsim_phy_rate lowest = { .class = answer->rate.class };
	u32 own_ns = hwsim_phy_duration_ns(&answer->rate, timing,
					   answer->psdu_bytes);
	u32 ack_ns = hwsim_phy_duration_ns(&lowest, timing,
					   HWSIM_MEDIUM_ACK_BYTES);
	/* EIFS does not cover an answer that is longer without payload already */
	u32 slots = own_ns > ack_ns ? BEST_EFFORT_AIFSN : 1;
	u32 limit_ns = min(own_ns, ack_ns) + timing->sifs_ns +
		       slots * timing->slot_ns;
	u32 least = 0, most = HWSIM_MEDIUM_PAYLOAD_MAX;

	while (least < most) {
		u32 bytes = (least + most + 1) / 2;

		if (hwsim_phy_duration_ns(&answer->rate, timing,
					  answer->psdu_bytes + bytes) <= limit_ns)
			least = bytes;
		else
			most = bytes - 1;
	}
	return least;
}

/* Return: the state of a peer, or NULL */
static struct hwsim_hack *of_peer(struct hwsim_radio *radio, const u8 *own,
				  const u8 *addr)
{
	struct hwsim_peer *peer;

	if (!radio->mac->hack.mode)
		return NULL;
	peer = hwsim_peer_of(radio, own, addr);
	return peer ? peer->hack : NULL;
}

/**
 * hwsim_hack_answer - append ACKs that are held for its receiver to an answer
 * @radio: the radio that answers
 * @to: the frames that are answered
 * @answer: the answer
 */
void hwsim_hack_answer(struct hwsim_radio *radio, const struct hwsim_ppdu *to,
		       struct hwsim_ppdu *answer)
{
	u64 now = hwsim_now_ns(radio), turnaround = radio->mac->hack.turnaround_ns;
	struct hwsim_hack *hack = of_peer(radio, answer->ta, answer->ra);
	struct hwsim_payload *payload;
	u32 own_ns, tried;

	/* only with these frames does the peer show that it heard an answer */
	if (!hack || (to->kind != HWSIM_MEDIUM_FRAME_DATA &&
		      to->kind != HWSIM_MEDIUM_FRAME_BAR))
		return;
	if (!hack->sender.num_held || now < turnaround)
		return;
	/* frames were not encrypted yet when they were held */
	if (hack->is_protected && !radio->mac->hack.in_clear) {
		flush_later(hack);
		return;
	}
	payload = kmalloc(sizeof(*payload), GFP_ATOMIC);
	if (!payload)
		return;
	tried = hack->sender.num_tried;
	payload->bytes = hwsim_hack_fill(&hack->sender, now - turnaround,
					 payload->data, room(radio, answer));
	if (!payload->bytes) {
		kfree(payload);
		/* an ACK that never fits must not block those behind it */
		if (hwsim_hack_is_due(&hack->sender, now - turnaround))
			flush_later(hack);
		return;
	}
	show(hack, tried);
	answer->payload = payload;
	own_ns = hwsim_phy_duration_ns(&answer->rate, &radio->timing,
				       answer->psdu_bytes);
	answer->psdu_bytes += payload->bytes;
	hack->sender.statistics.air_ns +=
		hwsim_phy_duration_ns(&answer->rate, &radio->timing,
				      answer->psdu_bytes) - own_ns;
}

static bool is_protected(const struct hwsim_ppdu *ppdu)
{
	const struct ieee80211_hdr *hdr = (void *)ppdu->mpdus[0]->skb->data;

	return ieee80211_has_protected(hdr->frame_control);
}

static u16 seq_ctrl_of(const struct hwsim_ppdu *ppdu)
{
	const struct ieee80211_hdr *hdr =
		(void *)ppdu->mpdus[ppdu->count - 1]->skb->data;

	return le16_to_cpu(hdr->seq_ctrl);
}

/**
 * hwsim_hack_received - frames of a peer have arrived that are to be answered
 * @radio: the receiver
 * @ppdu: the frames
 *
 * They may show that the peer has received the last answer (section 3.4), or that
 * it could not restore what came with it.
 */
void hwsim_hack_received(struct hwsim_radio *radio,
			 const struct hwsim_ppdu *ppdu)
{
	struct hwsim_hack *hack = of_peer(radio, ppdu->ra, ppdu->ta);
	bool is_ampdu = ppdu->format == HWSIM_FORMAT_AMPDU;
	u16 seq_ctrl;

	if (!hack || ppdu->kind != HWSIM_MEDIUM_FRAME_DATA)
		return;
	hack->is_protected |= is_protected(ppdu);
	hack->sender.statistics.syncs += ppdu->is_sync;
	seq_ctrl = seq_ctrl_of(ppdu);
	if (ppdu->is_reset) {
		hwsim_hack_reset(&hack->sender, hwsim_now_ns(radio));
		flush_later(hack);
	} else if (hack->sender.num_sent && ppdu->tid == hack->tid &&
		   !ppdu->is_sync &&
		   (is_ampdu || hack->was_ampdu || seq_ctrl != hack->seq_ctrl)) {
		hwsim_hack_delivered(&hack->sender, hwsim_now_ns(radio),
				     delivered, NULL);
		hwsim_event_cancel(&radio->medium->clock, &hack->timer);
		if (hack->sender.num_held && radio->mac->hack.timer_ns)
			hwsim_event_add(&radio->medium->clock, &hack->timer,
					hwsim_now_ns(radio) +
					radio->mac->hack.timer_ns);
	}
	hack->tid = ppdu->tid;
	hack->was_ampdu = is_ampdu;
	hack->seq_ctrl = seq_ctrl;
}

/**
 * hwsim_hack_answers - frames of a peer have been answered, or not
 * @radio: the receiver
 * @ppdu: the frames
 *
 * If no more data follow, ACKs that the answer did not carry are sent at once.
 */
void hwsim_hack_answers(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu)
{
	struct hwsim_hack *hack = of_peer(radio, ppdu->ra, ppdu->ta);

	if (hack && radio->mac->hack.mode == HWSIM_MEDIUM_HACK_MORE_DATA &&
	    !hwsim_peer_of(radio, ppdu->ra, ppdu->ta)->more_data &&
	    hack->sender.num_held > hack->sender.num_sent)
		flush_later(hack);
}

/* ---- frames to the peer, and its answers ---- */

/**
 * hwsim_hack_mark - set SYNC and RESET of frames
 * @radio: the sender
 * @ppdu: frames that are about to be sent
 */
void hwsim_hack_mark(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu)
{
	struct hwsim_hack *hack;
	struct hwsim_peer *peer;

	if (ppdu->kind != HWSIM_MEDIUM_FRAME_DATA || !radio->mac->hack.mode)
		return;
	peer = hwsim_peer_of(radio, ppdu->ta, ppdu->ra);
	ppdu->is_reset = peer ? peer->hack_reset : radio->mac->hack_reset;
	hack = peer ? peer->hack : NULL;
	if (!hack)
		return;
	hack->is_protected |= is_protected(ppdu);
	/* unless it is that frame again: its number shows that */
	ppdu->is_sync = hack->unheard &&
			!(hack->unheard_is_plain &&
			  ppdu->format != HWSIM_FORMAT_AMPDU &&
			  hack->unheard_tid == ppdu->tid &&
			  hack->unheard_seq_ctrl == seq_ctrl_of(ppdu));
}

/**
 * hwsim_hack_sent - frames have been sent to a peer
 * @radio: the sender
 * @ppdu: the PPDU; its frames may have been taken out
 * @seq_ctrl: sequence control of the last of them
 * @is_answered: whether an answer came
 */
void hwsim_hack_sent(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu,
		     u16 seq_ctrl, bool is_answered)
{
	struct hwsim_peer *peer = hwsim_peer_of(radio, ppdu->ta, ppdu->ra);
	struct hwsim_hack *hack = peer ? peer->hack : NULL;

	if (!radio->mac->hack.mode)
		return;
	if (peer && is_answered && ppdu->is_reset)
		peer->hack_reset = false;
	/* only the answers to these carry payload */
	if (!hack || !ppdu->wants_answer ||
	    (ppdu->kind != HWSIM_MEDIUM_FRAME_DATA &&
	     ppdu->kind != HWSIM_MEDIUM_FRAME_BAR))
		return;
	if (is_answered) {
		hack->unheard = false;
	} else if (!hack->unheard) {
		hack->unheard = true;
		hack->unheard_is_plain =
			ppdu->kind == HWSIM_MEDIUM_FRAME_DATA &&
			ppdu->format != HWSIM_FORMAT_AMPDU;
		hack->unheard_tid = ppdu->tid;
		hack->unheard_seq_ctrl = seq_ctrl;
	}
}

/**
 * hwsim_hack_heard - all frames of a PPDU have been acknowledged
 * @radio: the sender
 * @ppdu: the frames; no earlier frame waits to be sent again, which would keep
 *	these in the peer's reorder buffer
 */
void hwsim_hack_heard(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu)
{
	struct hwsim_hack *hack = of_peer(radio, ppdu->ta, ppdu->ra);
	u32 i;

	if (!hack || ppdu->kind != HWSIM_MEDIUM_FRAME_DATA)
		return;
	for (i = 0; i < ppdu->count; i++) {
		const struct sk_buff *skb = ppdu->mpdus[i]->skb;

		/* other frames, such as EAPOL, do not pass the hooks */
		if (ppdu->mpdus[i]->bytes <= HWSIM_HACK_NATIVE_MOST &&
		    (skb->protocol == htons(ETH_P_IP) ||
		     skb->protocol == htons(ETH_P_IPV6)))
			hwsim_hack_native_arrived(&hack->sender,
						  cookie_of(skb));
	}
}

/* packets that have been restored, and their flows */
struct restored {
	struct hwsim_hack *hack;
	struct sk_buff_head skbs;
};

static void on_restored(void *context, u32 flow, const u8 *packet, u32 bytes)
{
	struct restored *restored = context;
	const struct hwsim_hack_flow *known =
		&restored->hack->receiver.flows[flow].flow;
	struct net_device *netdev = restored->hack->iface->netdev;
	struct sk_buff *skb = netdev_alloc_skb(netdev, ETH_HLEN + bytes);

	if (!skb)
		return;
	skb_put_data(skb, known->link, sizeof(known->link));
	put_unaligned_be16(known->version == 4 ? ETH_P_IP : ETH_P_IPV6,
			   skb_put(skb, sizeof(__be16)));
	skb_put_data(skb, packet, bytes);
	dev_sw_netstats_rx_add(netdev, skb->len);
	skb->protocol = eth_type_trans(skb, netdev);
	__skb_queue_tail(&restored->skbs, skb);
}

/**
 * hwsim_hack_answered - an answer with payload has arrived
 * @radio: the receiver
 * @answer: the answer
 */
void hwsim_hack_answered(struct hwsim_radio *radio,
			 const struct hwsim_ppdu *answer)
{
	const struct hwsim_payload *payload = answer->payload;
	struct hwsim_peer *peer = hwsim_peer_of(radio, answer->ra, answer->ta);
	struct hwsim_hack *hack = peer ? peer->hack : NULL;
	struct restored restored = { .hack = hack };
	u64 before;

	if (!radio->mac->hack.mode)
		return;
	/* of this peer, no flow is known */
	if (!hack) {
		*(peer ? &peer->hack_reset : &radio->mac->hack_reset) = true;
		return;
	}
	if (hack->is_protected && !radio->mac->hack.in_clear) {
		hack->receiver.statistics.unknown++;
		peer->hack_reset = true;
		return;
	}
	__skb_queue_head_init(&restored.skbs);
	before = hack->receiver.statistics.crc_failures +
		 hack->receiver.statistics.unknown;
	hwsim_hack_restore(&hack->receiver, payload->data, payload->bytes,
			   on_restored, &restored);
	if (hack->receiver.statistics.crc_failures +
	    hack->receiver.statistics.unknown != before)
		peer->hack_reset = true;
	hwsim_up_packets(radio, hack->iface->netdev, &restored.skbs, go_up);
}

/**
 * hwsim_hack_statistics_of - statistics about the TCP ACKs of a peer
 * @peer: the peer
 * @is_received: about those from it, else about those to it
 *
 * Return: the statistics, or NULL if it has none
 */
const struct hwsim_hack_statistics *
hwsim_hack_statistics_of(const struct hwsim_peer *peer, bool is_received)
{
	if (!peer->hack)
		return NULL;
	return is_received ? &peer->hack->receiver.statistics :
			     &peer->hack->sender.statistics;
}
