// SPDX-License-Identifier: GPL-2.0-only
/*
 * TCP/HACK in the driver: what a radio does about TCP ACKs to and from its
 * peers (L. Salameh et al., USENIX ATC 2014, sections 3.1 to 3.4).
 *
 * A TCP ACK is taken on its way into an interface, before mac80211 numbers and
 * ciphers it, if the peer has said by MORE DATA that it will send again. It
 * goes with the next ACK or BlockAck to the peer, and with each one after that
 * until the peer shows that it has heard it: by an A-MPDU, or by a frame with
 * another sequence number. If the peer has given up waiting for the answer, it
 * says so by SYNC. What comes with an answer is restored, and goes up as if it
 * had come through the interface.
 *
 * How long an answer may become. Who decodes a frame defers until the end of
 * its answer and for an AIFS of at least SIFS and two slots after that; who
 * does not, for EIFS, which is as long as an ACK at the lowest basic rate and
 * that AIFS. So an answer that grows by no more than that is as safe as any
 * other, and nothing reserves more of the medium for it.
 *
 * SYNC and RESET are two of the reserved bits of the SERVICE field (IEEE
 * 802.11-2020 17.3.5.2), so they take no time.
 *
 * Not modelled: that a radio announces in its capabilities that it knows
 * TCP/HACK. It knows of the others on its medium. And a protected network: what
 * is in an ACK is in clear, so whoever sets this up there leaks TCP headers.
 *
 * ACKs from one station to another by way of their access point go through
 * mac80211 there, so nothing is learnt of their flows. The first that comes
 * compressed cannot be restored; after some of these the flow is left alone.
 */
#include <crypto/hash.h>
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/netfilter_netdev.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/unaligned.h>
#include <net/dst.h>
#include "hwsim_hack.h"
#include "hwsim_medium_mac.h"

#define MD5_BYTES	16
#define NATIVE_MOST	200	/* bytes of a frame that may be a TCP ACK */

/**
 * struct hwsim_hack - TCP ACKs to and from a peer
 * @radio: whose peer it is
 * @addr: address of the peer
 * @iface: by which its packets come and go
 * @sender: ACKs to the peer
 * @receiver: ACKs from it
 * @headers: Ethernet headers of the flows of @receiver
 * @timer: ACKs have been held for too long
 * @seq_ctrl: of the last frame that was answered with payload
 * @was_ampdu: that was an A-MPDU
 * @tid: its TID
 * @unheard: the peer has not answered since this frame was sent to it:
 * @unheard_is_plain: one that is not in an A-MPDU
 * @unheard_tid: its TID
 * @unheard_seq_ctrl: its sequence control
 * @cannot_follow: the peer is to be told that an ACK could not be restored
 */
struct hwsim_hack {
	struct hwsim_radio *radio;
	u8 addr[ETH_ALEN];
	struct hwsim_hack_iface *iface;
	struct hwsim_hack_compressor sender;
	struct hwsim_hack_decompressor receiver;
	u8 headers[HWSIM_HACK_FLOWS][ETH_HLEN];
	struct hwsim_event timer;
	u16 seq_ctrl;
	bool was_ampdu;
	u8 tid;
	bool unheard;
	bool unheard_is_plain;
	u8 unheard_tid;
	u16 unheard_seq_ctrl;
	bool cannot_follow;
};

/**
 * struct hwsim_hack_iface - an interface of a radio
 * @list: in radio->mac->hack_ifaces
 * @radio: the radio
 * @vif: mac80211's
 * @netdev: the network device
 * @ops: egress and ingress
 * @is_hooked: they are registered
 */
struct hwsim_hack_iface {
	struct list_head list;
	struct hwsim_radio *radio;
	struct ieee80211_vif *vif;
	struct net_device *netdev;
	struct nf_hook_ops ops[2];
	bool is_hooked;
};

/* ACKs that have been taken once are not taken again */
static DEFINE_PER_CPU(bool, is_let_go);
/* and nothing is learnt from those that have been restored */
static DEFINE_PER_CPU(bool, is_restored);

/* hooks come and go under it */
static DEFINE_MUTEX(ifaces_mutex);

static struct crypto_shash *md5;

/* ---- packets that go on ---- */

static void send_on(struct sk_buff_head *skbs)
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

/* ---- peers ---- */

static bool knows_hack(struct hwsim_radio *radio, const u8 *addr)
{
	struct hwsim_radio *other;
	u32 i, j;

	for (i = 0; i < HWSIM_MEDIUM_MAX_RADIOS; i++) {
		other = radio->medium->radios[i];
		if (!other || !other->mac->hack.mode)
			continue;
		for (j = 0; j < other->num_addresses; j++)
			if (ether_addr_equal(other->addresses[j].addr, addr))
				return true;
	}
	return false;
}

static void on_timer(struct hwsim_clock *clock, struct hwsim_event *event);

/* Return: the state of a peer that knows TCP/HACK, too; or NULL */
static struct hwsim_hack *hack_of(struct hwsim_hack_iface *iface,
				  const u8 *addr)
{
	struct hwsim_radio *radio = iface->radio;
	struct hwsim_peer *peer;
	struct hwsim_hack *hack;

	if (!is_valid_ether_addr(addr))
		return NULL;
	peer = hwsim_peer_of(radio, addr);
	if (peer && peer->hack)
		return peer->hack->iface == iface ? peer->hack : NULL;
	if (peer && peer->hack_asked)
		return NULL;
	if (!knows_hack(radio, addr)) {
		if (peer)
			peer->hack_asked = true;
		return NULL;
	}
	peer = hwsim_peer_get(radio, addr);
	if (!peer)
		return NULL;
	hack = kzalloc(sizeof(*hack), GFP_ATOMIC);
	if (!hack)
		return NULL;
	hack->radio = radio;
	hack->iface = iface;
	ether_addr_copy(hack->addr, addr);
	hwsim_hack_compressor_init(&hack->sender);
	hwsim_hack_decompressor_init(&hack->receiver);
	hwsim_event_init(&hack->timer, HWSIM_PHASE_TIMEOUT);
	hack->timer.handler = on_timer;
	peer->hack = hack;
	return hack;
}

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
 * An ACK is given up. One that has not been in a payload goes as it is. So does
 * the last of its flow: nobody knows whether it arrived, and a TCP that gets it
 * twice gets by. The others are not missed, since ACKs are cumulative.
 */
static void let_go(void *context, void *owner, bool was_sent, bool is_last)
{
	struct sk_buff_head *skbs = context;

	if (was_sent && !is_last)
		dev_kfree_skb_any(owner);
	else
		__skb_queue_tail(skbs, owner);
}

static void note_native(struct hwsim_hack *hack, const struct sk_buff *skb,
			const struct hwsim_hack_segment *segment, u64 now)
{
	hwsim_hack_native(&hack->sender, segment, tag_of(&segment->flow), now,
			  (u32)(uintptr_t)skb);
}

static enum hwsim_hack_kind parse(const struct sk_buff *skb,
				  struct hwsim_hack_segment *segment)
{
	return hwsim_hack_parse(skb->data + ETH_HLEN, skb->len - ETH_HLEN,
				skb->ip_summed == CHECKSUM_PARTIAL, segment);
}

/* hold nothing any more; what goes as it is, in order, is put into @skbs */
static void flush(struct hwsim_hack *hack, struct sk_buff_head *skbs)
{
	struct hwsim_hack_segment segment;
	struct sk_buff *skb;

	hwsim_hack_flush(&hack->sender, let_go, skbs);
	skb_queue_walk(skbs, skb)
		if (parse(skb, &segment) == HWSIM_HACK_ACK)
			note_native(hack, skb, &segment,
				    hwsim_now_ns(hack->radio));
	hwsim_event_cancel(&hack->radio->medium->clock, &hack->timer);
}

static void flush_later(struct hwsim_hack *hack)
{
	struct sk_buff_head skbs;

	__skb_queue_head_init(&skbs);
	flush(hack, &skbs);
	hwsim_up_packets(hack->radio, hack->iface->netdev, &skbs, send_on);
}

/* ACKs that the peer has not been sent go out as they are */
static void end(struct hwsim_peer *peer)
{
	struct hwsim_hack *hack = peer->hack;

	peer->hack_asked = false;
	if (!hack)
		return;
	flush_later(hack);
	peer->hack = NULL;
	kfree(hack);
}

/* of both ends, else one would go on with what the other has forgotten */
static void end_both(struct hwsim_radio *radio, struct hwsim_peer *peer)
{
	struct hwsim_radio *other;
	struct hwsim_peer *back;
	u32 i, j, k;

	for (i = 0; peer->hack && i < HWSIM_MEDIUM_MAX_RADIOS; i++) {
		other = radio->medium->radios[i];
		for (j = 0; other && j < other->num_addresses; j++) {
			if (!ether_addr_equal(other->addresses[j].addr,
					      peer->addr))
				continue;
			for (k = 0; k < radio->num_addresses; k++) {
				back = hwsim_peer_of(other,
						     radio->addresses[k].addr);
				if (back)
					end(back);
			}
		}
	}
	end(peer);
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
	switch (hack->radio->mac->hack.mode) {
	case HWSIM_MEDIUM_HACK_TIMER:
		return true;
	case HWSIM_MEDIUM_HACK_MORE_DATA:
		return peer->more_data;
	default:
		return false;
	}
}

static bool hold(struct hwsim_hack *hack, struct sk_buff *skb,
		 const struct hwsim_hack_segment *segment, u64 now)
{
	struct hwsim_radio *radio = hack->radio;

	if (!may_hold(hack, hwsim_peer_of(radio, hack->addr)) ||
	    !hwsim_hack_hold(&hack->sender, segment, now, skb))
		return false;
	/* it runs from the oldest */
	if (radio->mac->hack.timer_ns && hack->sender.num_held == 1)
		hwsim_event_add(&radio->medium->clock, &hack->timer,
				now + radio->mac->hack.timer_ns);
	return true;
}

/* ---- hooks ---- */

/* whom a packet of an interface goes to over the air */
static const u8 *peer_addr(const struct hwsim_hack_iface *iface,
			   const u8 *station)
{
	if (iface->vif->type != NL80211_IFTYPE_STATION)
		return station;
	return iface->vif->cfg.assoc ? iface->vif->bss_conf.bssid : NULL;
}

/* Return: whether a packet can be a TCP ACK */
static bool is_small(const struct sk_buff *skb, u32 bytes)
{
	return bytes <= HWSIM_HACK_PACKET_MAX && !skb_is_nonlinear(skb) &&
	       !skb_vlan_tag_present(skb) &&
	       (skb->protocol == htons(ETH_P_IP) ||
		skb->protocol == htons(ETH_P_IPV6));
}

static bool take(struct hwsim_hack_iface *iface, struct sk_buff *skb,
		 const struct hwsim_hack_segment *segment,
		 enum hwsim_hack_kind kind, u64 now,
		 struct sk_buff_head *before)
{
	const u8 *addr = peer_addr(iface, eth_hdr(skb)->h_dest);
	struct hwsim_hack *hack = addr ? hack_of(iface, addr) : NULL;

	if (!hack)
		return false;
	if (kind == HWSIM_HACK_ACK && hold(hack, skb, segment, now))
		return true;
	if (hwsim_hack_holds(&hack->sender, &segment->flow))
		flush(hack, before);
	if (kind == HWSIM_HACK_EDGE)
		hwsim_hack_forget(&hack->sender, &segment->flow);
	else
		note_native(hack, skb, segment, now);
	return false;
}

static unsigned int on_egress(void *priv, struct sk_buff *skb,
			      const struct nf_hook_state *state)
{
	struct hwsim_hack_iface *iface = priv;
	struct hwsim_radio *radio = iface->radio;
	struct hwsim_hack_segment segment;
	struct sk_buff_head before;
	enum hwsim_hack_kind kind;
	bool is_taken;
	u64 now;

	if (!READ_ONCE(radio->mac->hack.mode) || __this_cpu_read(is_let_go) ||
	    skb->len <= ETH_HLEN || !is_small(skb, skb->len - ETH_HLEN))
		return NF_ACCEPT;
	kind = parse(skb, &segment);
	if (kind != HWSIM_HACK_ACK && kind != HWSIM_HACK_EDGE)
		return NF_ACCEPT;
	__skb_queue_head_init(&before);
	skb_dst_force(skb); /* it may be held for longer than this */
	now = hwsim_medium_enter(radio->medium);
	is_taken = take(iface, skb, &segment, kind, now, &before);
	hwsim_medium_leave(radio->medium);
	send_on(&before);
	return is_taken ? NF_STOLEN : NF_ACCEPT;
}

static unsigned int on_ingress(void *priv, struct sk_buff *skb,
			       const struct nf_hook_state *state)
{
	struct hwsim_hack_iface *iface = priv;
	struct hwsim_radio *radio = iface->radio;
	struct hwsim_hack_segment segment;
	enum hwsim_hack_kind kind;
	struct hwsim_hack *hack;
	const u8 *addr;
	int flow;

	if (!READ_ONCE(radio->mac->hack.mode) || __this_cpu_read(is_restored) ||
	    !is_small(skb, skb->len))
		return NF_ACCEPT;
	kind = hwsim_hack_parse(skb->data, skb->len, false, &segment);
	if (kind != HWSIM_HACK_ACK && kind != HWSIM_HACK_EDGE)
		return NF_ACCEPT;
	addr = peer_addr(iface, eth_hdr(skb)->h_source);
	hwsim_medium_enter(radio->medium);
	hack = addr ? hack_of(iface, addr) : NULL;
	if (hack && kind == HWSIM_HACK_EDGE) {
		hwsim_hack_unlearn(&hack->receiver, &segment.flow);
	} else if (hack) {
		flow = hwsim_hack_learn(&hack->receiver, &segment,
					tag_of(&segment.flow));
		memcpy(hack->headers[flow], eth_hdr(skb), ETH_HLEN);
	}
	hwsim_medium_leave(radio->medium);
	return NF_ACCEPT;
}

static void hook(struct hwsim_hack_iface *iface)
{
	static const struct nf_hook_ops ops[] = {
		{ .hook = on_egress, .hooknum = NF_NETDEV_EGRESS },
		{ .hook = on_ingress, .hooknum = NF_NETDEV_INGRESS },
	};
	u32 i;

	if (iface->is_hooked)
		return;
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		iface->ops[i] = ops[i];
		iface->ops[i].pf = NFPROTO_NETDEV;
		iface->ops[i].dev = iface->netdev;
		iface->ops[i].priv = iface;
		iface->ops[i].priority = INT_MAX; /* after all filters */
	}
	if (nf_register_net_hooks(dev_net(iface->netdev), iface->ops,
				  ARRAY_SIZE(ops)))
		netdev_warn(iface->netdev, "TCP ACKs go as they are\n");
	else
		iface->is_hooked = true;
}

/**
 * hwsim_hack_add_interface - an interface of a radio comes up
 * @radio: the radio, on a medium
 * @vif: the interface
 */
void hwsim_hack_add_interface(struct hwsim_radio *radio,
			      struct ieee80211_vif *vif)
{
	struct wireless_dev *wdev = ieee80211_vif_to_wdev(vif);
	struct hwsim_hack_iface *iface, *other;

	if (!wdev || !wdev->netdev)
		return;
	iface = kzalloc(sizeof(*iface), GFP_KERNEL);
	if (!iface)
		return;
	iface->radio = radio;
	iface->vif = vif;
	iface->netdev = wdev->netdev;
	mutex_lock(&ifaces_mutex);
	list_for_each_entry(other, &radio->mac->hack_ifaces, list) {
		if (other->vif == vif) { /* mac80211 begins anew */
			mutex_unlock(&ifaces_mutex);
			kfree(iface);
			return;
		}
	}
	list_add_tail(&iface->list, &radio->mac->hack_ifaces);
	if (radio->mac->hack.mode)
		hook(iface);
	mutex_unlock(&ifaces_mutex);
}
EXPORT_SYMBOL_GPL(hwsim_hack_add_interface);

static void remove(struct hwsim_hack_iface *iface)
{
	struct hwsim_radio *radio = iface->radio;
	struct hwsim_peer *peer;
	u32 i;

	list_del(&iface->list);
	if (iface->is_hooked)
		nf_unregister_net_hooks(dev_net(iface->netdev), iface->ops,
					ARRAY_SIZE(iface->ops));
	synchronize_net();
	hwsim_medium_enter(radio->medium);
	hash_for_each(radio->mac->peers, i, peer, node)
		if (peer->hack && peer->hack->iface == iface)
			end_both(radio, peer);
	hwsim_medium_leave(radio->medium);
	kfree(iface);
}

/**
 * hwsim_hack_remove_interface - an interface of a radio goes down
 * @radio: the radio, on a medium
 * @vif: the interface
 */
void hwsim_hack_remove_interface(struct hwsim_radio *radio,
				 struct ieee80211_vif *vif)
{
	struct hwsim_hack_iface *iface, *next;

	mutex_lock(&ifaces_mutex);
	list_for_each_entry_safe(iface, next, &radio->mac->hack_ifaces, list)
		if (iface->vif == vif)
			remove(iface);
	mutex_unlock(&ifaces_mutex);
}
EXPORT_SYMBOL_GPL(hwsim_hack_remove_interface);

/**
 * hwsim_hack_forget_peer - forget the TCP ACKs to and from a peer
 * @radio: the radio
 * @addr: the peer, NULL: all
 */
void hwsim_hack_forget_peer(struct hwsim_radio *radio, const u8 *addr)
{
	struct hwsim_peer *peer;
	u32 i;

	hash_for_each(radio->mac->peers, i, peer, node)
		if (!addr || ether_addr_equal(peer->addr, addr))
			end_both(radio, peer);
}

/**
 * hwsim_hack_prepare - make ready for a radio that is to use TCP/HACK
 *
 * Return: 0, or an error
 */
int hwsim_hack_prepare(void)
{
	struct crypto_shash *tfm;

	mutex_lock(&ifaces_mutex);
	if (!md5) {
		tfm = crypto_alloc_shash("md5", 0, 0);
		if (IS_ERR(tfm)) {
			mutex_unlock(&ifaces_mutex);
			return PTR_ERR(tfm);
		}
		md5 = tfm;
	}
	mutex_unlock(&ifaces_mutex);
	return 0;
}

/**
 * hwsim_hack_set - how a radio uses TCP/HACK
 * @radio: the radio; hwsim_hack_prepare() has been called
 * @config: how
 */
void hwsim_hack_set(struct hwsim_radio *radio,
		    const struct hwsim_hack_config *config)
{
	struct hwsim_hack_iface *iface;
	struct hwsim_peer *peer;
	u32 i, j;

	mutex_lock(&ifaces_mutex);
	list_for_each_entry(iface, &radio->mac->hack_ifaces, list)
		if (config->mode)
			hook(iface);
	mutex_unlock(&ifaces_mutex);
	if (!radio->medium) {
		radio->mac->hack = *config;
		return;
	}
	hwsim_medium_enter(radio->medium);
	radio->mac->hack = *config;
	if (!config->mode)
		hwsim_hack_forget_peer(radio, NULL);
	/* others may have asked in vain whether this one knows it */
	for (j = 0; j < HWSIM_MEDIUM_MAX_RADIOS; j++)
		if (radio->medium->radios[j])
			hash_for_each(radio->medium->radios[j]->mac->peers, i,
				      peer, node)
				peer->hack_asked = false;
	hwsim_medium_leave(radio->medium);
}

/**
 * hwsim_hack_exit - the driver ends; no radio is left
 */
void hwsim_hack_exit(void)
{
	crypto_free_shash(md5);
}

/* ---- frames of the peer, and answers to them ---- */

/* Return: how many bytes an answer may have besides its own */
static u32 room(const struct hwsim_radio *radio,
		const struct hwsim_ppdu *answer)
{
	const struct hwsim_phy_timing *timing = &radio->timing;
	struct hwsim_phy_rate lowest = { .class = answer->rate.class };
	u32 own_ns = hwsim_phy_duration_ns(&answer->rate, timing,
					   answer->psdu_bytes);
	u32 ack_ns = hwsim_phy_duration_ns(&lowest, timing,
					   HWSIM_MEDIUM_ACK_BYTES);
	u32 limit_ns = min(own_ns, ack_ns) + timing->sifs_ns +
		       2 * timing->slot_ns;
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
static struct hwsim_hack *of_peer(struct hwsim_radio *radio, const u8 *addr)
{
	struct hwsim_peer *peer;

	if (!radio->mac->hack.mode)
		return NULL;
	peer = hwsim_peer_of(radio, addr);
	return peer ? peer->hack : NULL;
}

/**
 * hwsim_hack_answer - add to an ACK or BlockAck what is held for its receiver
 * @radio: who answers
 * @to: what is answered
 * @answer: the answer
 */
void hwsim_hack_answer(struct hwsim_radio *radio, const struct hwsim_ppdu *to,
		       struct hwsim_ppdu *answer)
{
	u64 now = hwsim_now_ns(radio), turnaround = radio->mac->hack.turnaround_ns;
	struct hwsim_hack *hack = of_peer(radio, answer->ra);
	struct hwsim_payload *payload;

	/* what follows shows whether the answer to these was heard */
	if (!hack || (to->kind != HWSIM_MEDIUM_FRAME_DATA &&
		      to->kind != HWSIM_MEDIUM_FRAME_BAR))
		return;
	if (!hack->sender.num_held || now < turnaround)
		return;
	payload = kmalloc(sizeof(*payload), GFP_ATOMIC);
	if (!payload)
		return;
	payload->bytes = hwsim_hack_fill(&hack->sender, now - turnaround,
					 payload->data, room(radio, answer));
	if (!payload->bytes) {
		kfree(payload);
		return;
	}
	answer->payload = payload;
	answer->psdu_bytes += payload->bytes;
}

static u16 seq_ctrl_of(const struct hwsim_ppdu *ppdu)
{
	const struct ieee80211_hdr *hdr =
		(void *)ppdu->mpdus[ppdu->count - 1]->skb->data;

	return le16_to_cpu(hdr->seq_ctrl);
}

/**
 * hwsim_hack_received - a peer's frames have come that are to be answered
 * @radio: who received them
 * @ppdu: the frames
 *
 * They may show that the peer has heard the last answer (section 3.4).
 */
void hwsim_hack_received(struct hwsim_radio *radio,
			 const struct hwsim_ppdu *ppdu)
{
	struct hwsim_hack *hack = of_peer(radio, ppdu->ta);
	bool is_ampdu = ppdu->format == HWSIM_FORMAT_AMPDU;
	u16 seq_ctrl;

	if (!hack || ppdu->kind != HWSIM_MEDIUM_FRAME_DATA)
		return;
	seq_ctrl = seq_ctrl_of(ppdu);
	if (hack->sender.num_sent && ppdu->tid == hack->tid && !ppdu->is_sync &&
	    (is_ampdu || hack->was_ampdu || seq_ctrl != hack->seq_ctrl)) {
		hwsim_hack_delivered(&hack->sender, hwsim_now_ns(radio),
				     delivered, NULL);
		hwsim_event_cancel(&radio->medium->clock, &hack->timer);
		if (hack->sender.num_held && radio->mac->hack.timer_ns)
			hwsim_event_add(&radio->medium->clock, &hack->timer,
					hwsim_now_ns(radio) +
					radio->mac->hack.timer_ns);
	}
	if (ppdu->is_reset) {
		hwsim_hack_reset(&hack->sender);
		flush_later(hack);
	}
	hack->tid = ppdu->tid;
	hack->was_ampdu = is_ampdu;
	hack->seq_ctrl = seq_ctrl;
}

/**
 * hwsim_hack_answers - a peer's frames are answered, or not
 * @radio: who received them
 * @ppdu: the frames
 *
 * If no more data follow, ACKs that did not go with the answer go at once.
 */
void hwsim_hack_answers(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu)
{
	struct hwsim_hack *hack = of_peer(radio, ppdu->ta);

	if (hack && radio->mac->hack.mode == HWSIM_MEDIUM_HACK_MORE_DATA &&
	    !hwsim_peer_of(radio, ppdu->ta)->more_data &&
	    hack->sender.num_held > hack->sender.num_sent)
		flush_later(hack);
}

/* ---- frames to the peer, and its answers ---- */

/**
 * hwsim_hack_mark - tell a peer what it needs to know
 * @radio: who sends
 * @ppdu: frames that are about to be sent
 */
void hwsim_hack_mark(struct hwsim_radio *radio, struct hwsim_ppdu *ppdu)
{
	struct hwsim_hack *hack = of_peer(radio, ppdu->ra);

	if (!hack || ppdu->kind != HWSIM_MEDIUM_FRAME_DATA)
		return;
	/* unless it is that frame again, which says so itself */
	ppdu->is_sync = hack->unheard &&
			!(hack->unheard_is_plain &&
			  ppdu->format == HWSIM_FORMAT_PLAIN &&
			  hack->unheard_tid == ppdu->tid &&
			  hack->unheard_seq_ctrl == seq_ctrl_of(ppdu));
	ppdu->is_reset = hack->cannot_follow;
}

/**
 * hwsim_hack_sent - frames have been sent to a peer
 * @radio: who sent
 * @ppdu: the frames, which may have gone from it
 * @seq_ctrl: sequence control of the last of them
 * @is_answered: whether an answer came
 */
void hwsim_hack_sent(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu,
		     u16 seq_ctrl, bool is_answered)
{
	struct hwsim_hack *hack = of_peer(radio, ppdu->ra);

	/* only the answers to these bring payload */
	if (!hack || !ppdu->wants_answer ||
	    (ppdu->kind != HWSIM_MEDIUM_FRAME_DATA &&
	     ppdu->kind != HWSIM_MEDIUM_FRAME_BAR))
		return;
	if (is_answered) {
		hack->unheard = false;
		hack->cannot_follow &= !ppdu->is_reset;
	} else if (!hack->unheard) {
		hack->unheard = true;
		hack->unheard_is_plain =
			ppdu->kind == HWSIM_MEDIUM_FRAME_DATA &&
			ppdu->format == HWSIM_FORMAT_PLAIN;
		hack->unheard_tid = ppdu->tid;
		hack->unheard_seq_ctrl = seq_ctrl;
	}
}

/**
 * hwsim_hack_heard - all of the frames to a peer have been acknowledged
 * @radio: who sent them
 * @ppdu: the frames; none before them waits to be sent again, which would keep
 *	them in the peer's reorder buffer
 */
void hwsim_hack_heard(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu)
{
	struct hwsim_hack *hack = of_peer(radio, ppdu->ra);
	u32 i;

	if (!hack || ppdu->kind != HWSIM_MEDIUM_FRAME_DATA)
		return;
	for (i = 0; i < ppdu->count; i++)
		if (ppdu->mpdus[i]->bytes <= NATIVE_MOST)
			hwsim_hack_native_arrived(&hack->sender,
						  (u32)(uintptr_t)ppdu->mpdus[i]->skb);
}

/* packets that have been restored, and their flows */
struct restored {
	struct hwsim_hack *hack;
	struct sk_buff_head skbs;
};

static void on_restored(void *context, u32 flow, const u8 *packet, u32 bytes)
{
	struct restored *restored = context;
	struct net_device *netdev = restored->hack->iface->netdev;
	struct sk_buff *skb = netdev_alloc_skb(netdev, ETH_HLEN + bytes);

	if (!skb)
		return;
	skb_put_data(skb, restored->hack->headers[flow], ETH_HLEN);
	skb_put_data(skb, packet, bytes);
	dev_sw_netstats_rx_add(netdev, skb->len);
	skb->protocol = eth_type_trans(skb, netdev);
	__skb_queue_tail(&restored->skbs, skb);
}

/**
 * hwsim_hack_answered - an answer with payload has come
 * @radio: who received it
 * @answer: the answer
 */
void hwsim_hack_answered(struct hwsim_radio *radio,
			 const struct hwsim_ppdu *answer)
{
	const struct hwsim_payload *payload = answer->payload;
	struct hwsim_hack *hack = of_peer(radio, answer->ta);
	struct restored restored = { .hack = hack };
	u64 before;

	if (!hack)
		return;
	__skb_queue_head_init(&restored.skbs);
	before = hack->receiver.statistics.crc_failures +
		 hack->receiver.statistics.unknown;
	hwsim_hack_restore(&hack->receiver, payload->data, payload->bytes,
			   on_restored, &restored);
	if (hack->receiver.statistics.crc_failures +
	    hack->receiver.statistics.unknown != before)
		hack->cannot_follow = true;
	hwsim_up_packets(radio, hack->iface->netdev, &restored.skbs, go_up);
}

/**
 * hwsim_hack_statistics_of - what became of the TCP ACKs of a peer
 * @peer: the peer
 * @is_received: of those from it, else of those to it
 *
 * Return: that, or NULL if it has none
 */
const struct hwsim_hack_statistics *
hwsim_hack_statistics_of(const struct hwsim_peer *peer, bool is_received)
{
	if (!peer->hack)
		return NULL;
	return is_received ? &peer->hack->receiver.statistics :
			     &peer->hack->sender.statistics;
}
