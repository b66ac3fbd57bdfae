// SPDX-License-Identifier: GPL-2.0-only
/*
 * TCP/HACK in the driver: the interfaces of a radio, and their packets. TCP ACKs
 * are held before mac80211 numbers and encrypts them; from uncompressed ones, both
 * ends learn the flows.
 *
 * Packets are seen at the egress and ingress hooks of netfilter, after all
 * filters. An ACK that was held and is then sent uncompressed passes the egress
 * hooks a second time.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/netfilter_netdev.h>
#include <linux/slab.h>
#include <net/cfg80211.h>
#include <net/dst.h>
#include "hwsim_medium_hack.h"
#include "hwsim_medium_mac.h"

/* time for the new access point to learn of the station */
#define BACK_NS		(1 * NSEC_PER_MSEC)

/* guards hooks and interfaces; taken within the RTNL, if that is held */
static DEFINE_MUTEX(ifaces_mutex);
static LIST_HEAD(ifaces);

/* ---- packets ---- */

/*
 * The receiver of a packet of an interface over the air, NULL: none that TCP/HACK is
 * for. By 4-address frames and in a mesh, others lie behind the receiver, and the
 * access point sees such frames at another interface, which has no hooks.
 */
static const u8 *peer_addr(const struct hwsim_hack_iface *iface,
			   const u8 *station)
{
	if (iface->netdev->ieee80211_ptr->use_4addr)
		return NULL;
	switch (iface->vif->type) {
	case NL80211_IFTYPE_STATION:
		return iface->vif->cfg.assoc ? iface->vif->bss_conf.bssid : NULL;
	case NL80211_IFTYPE_AP:
	case NL80211_IFTYPE_ADHOC:
		return station;
	default:
		return NULL;
	}
}

/* Return: the state of the receiver of a packet, or NULL */
static struct hwsim_hack *known_receiver(struct hwsim_hack_iface *iface,
					 const struct sk_buff *skb)
{
	const u8 *addr = peer_addr(iface, eth_hdr(skb)->h_dest);
	struct hwsim_peer *peer;

	peer = addr ? hwsim_peer_of(iface->radio, iface->vif->addr, addr) : NULL;
	return peer ? peer->hack : NULL;
}

static bool is_ip(const struct sk_buff *skb)
{
	return !skb_vlan_tag_present(skb) &&
	       (skb->protocol == htons(ETH_P_IP) ||
		skb->protocol == htons(ETH_P_IPV6));
}

/* Return: whether a packet can be a TCP ACK */
static bool is_small(const struct sk_buff *skb, u32 bytes)
{
	return bytes <= HWSIM_HACK_PACKET_MAX && !skb_is_nonlinear(skb) &&
	       is_ip(skb);
}

/*
 * An ACK that is held contends for the medium like one that is not. It is released
 * just before the radio wins the medium (hwsim_exchange_contend()), so that it is
 * in mac80211's queue by then.
 */
static void contend(struct hwsim_hack *hack, struct sk_buff *skb, u64 now)
{
	static const u8 acs[] = {
		IEEE80211_AC_BE, IEEE80211_AC_BK, IEEE80211_AC_BK,
		IEEE80211_AC_BE, IEEE80211_AC_VI, IEEE80211_AC_VI,
		IEEE80211_AC_VO, IEEE80211_AC_VO,
	};
	struct hwsim_radio *radio = hack->radio;
	struct hwsim_ac *ac;

	hack->ac = hwsim_network_of(radio, hack->own)->qos ?
		   acs[cfg80211_classify8021d(skb, NULL) & 7] : IEEE80211_AC_BE;
	ac = &radio->mac->acs[hack->ac];
	ac->holds_acks = true;
	if (radio->air)
		hwsim_access_ready(radio, ac, now + HWSIM_HACK_LEAD_NS);
}

static bool take(struct hwsim_hack_iface *iface, struct sk_buff *skb,
		 const struct hwsim_hack_segment *segment,
		 enum hwsim_hack_kind kind, u64 now,
		 struct sk_buff_head *before)
{
	const u8 *addr = peer_addr(iface, eth_hdr(skb)->h_dest);
	struct hwsim_hack *hack = addr ? hwsim_hack_get(iface, addr) : NULL;

	if (!hack)
		return false;
	if (kind == HWSIM_HACK_ACK && hwsim_hack_take(hack, skb, segment, now)) {
		if (iface->radio->mac->hack.mode ==
		    HWSIM_MEDIUM_HACK_OPPORTUNISTIC)
			contend(hack, skb, now);
		return true;
	}
	if (hwsim_hack_holds(&hack->sender, &segment->flow))
		hwsim_hack_give_up(hack, before);
	if (kind == HWSIM_HACK_EDGE)
		hwsim_hack_end(hack, skb, segment);
	else
		hwsim_hack_pass(hack, skb, segment, now);
	return false;
}

/*
 * A packet that is not a TCP ACK. ACKs that are held for its flow are older, and go
 * first.
 */
static void go_before(struct hwsim_hack_iface *iface, struct sk_buff *skb,
		      struct sk_buff_head *before)
{
	struct hwsim_hack *hack = known_receiver(iface, skb);
	struct hwsim_hack_segment segment;

	if (!hack)
		return;
	if (hack->sender.num_held && is_ip(skb) &&
	    hwsim_hack_parse_skb(skb, &segment) != HWSIM_HACK_OTHER &&
	    hwsim_hack_holds(&hack->sender, &segment.flow))
		hwsim_hack_give_up(hack, before);
	if (skb->len <= HWSIM_HACK_NATIVE_MOST)
		hwsim_hack_unknown(hack, skb);
}

static unsigned int on_egress(void *priv, struct sk_buff *skb,
			      const struct nf_hook_state *state)
{
	struct hwsim_hack_iface *iface = priv;
	struct hwsim_radio *radio = iface->radio;
	enum hwsim_hack_kind kind = HWSIM_HACK_OTHER;
	struct hwsim_hack_segment segment;
	struct sk_buff_head before;
	bool is_taken = false;
	u64 now;

	if (!READ_ONCE(radio->mac->hack.mode) ||
	    hwsim_hack_is_own_packet(false) || skb->len <= ETH_HLEN)
		return NF_ACCEPT;
	if (is_small(skb, skb->len - ETH_HLEN))
		kind = hwsim_hack_parse_skb(skb, &segment);
	__skb_queue_head_init(&before);
	if (kind == HWSIM_HACK_ACK)
		skb_dst_force(skb); /* it may be held for longer than this */
	now = hwsim_medium_enter(radio->medium);
	skb_queue_splice_tail_init(&iface->going, &before);
	if (kind == HWSIM_HACK_ACK || kind == HWSIM_HACK_EDGE)
		is_taken = take(iface, skb, &segment, kind, now, &before);
	else
		go_before(iface, skb, &before);
	hwsim_medium_leave(radio->medium);
	hwsim_hack_send_on(&before);
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

	if (!READ_ONCE(radio->mac->hack.mode) ||
	    hwsim_hack_is_own_packet(true) || hwsim_up_is_damaged() ||
	    !is_small(skb, skb->len))
		return NF_ACCEPT;
	kind = hwsim_hack_parse(skb->data, skb->len, false, &segment);
	if (kind != HWSIM_HACK_ACK && kind != HWSIM_HACK_EDGE)
		return NF_ACCEPT;
	addr = peer_addr(iface, eth_hdr(skb)->h_source);
	hwsim_medium_enter(radio->medium);
	hack = addr ? hwsim_hack_get(iface, addr) : NULL;
	if (hack && kind == HWSIM_HACK_EDGE) {
		hwsim_hack_unlearn(&hack->receiver, &segment.flow);
	} else if (hack) {
		memcpy(segment.flow.link, eth_hdr(skb), sizeof(segment.flow.link));
		hwsim_hack_note(hack, &segment);
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
		netdev_warn(iface->netdev, "TCP ACKs are sent uncompressed\n");
	else
		iface->is_hooked = true;
}

/* ---- a station that changes its access point ---- */

static void on_back(struct hwsim_clock *clock, struct hwsim_event *event)
{
	struct hwsim_hack_iface *iface =
		container_of(event, struct hwsim_hack_iface, back);

	if (clock->now_ns - iface->kept_ns >= HWSIM_HACK_KEPT_FOR_NS)
		__skb_queue_purge(&iface->kept);
	hwsim_up_packets(iface->radio, iface->netdev, &iface->kept,
			 hwsim_hack_send_on);
}

/*
 * A network device has changed. ACKs that a station held when it left its last
 * access point are sent to the next one as soon as it may send there.
 */
static int on_change(struct notifier_block *block, unsigned long what,
		     void *info)
{
	struct net_device *netdev = netdev_notifier_info_to_dev(info);
	struct hwsim_hack_iface *iface;
	u64 now;

	if (what != NETDEV_CHANGE || !netdev->ieee80211_ptr ||
	    !netif_oper_up(netdev))
		return NOTIFY_DONE;
	mutex_lock(&ifaces_mutex);
	list_for_each_entry(iface, &ifaces, all) {
		if (iface->netdev != netdev)
			continue;
		now = hwsim_medium_enter(iface->radio->medium);
		if (!skb_queue_empty(&iface->kept)) {
			hwsim_event_cancel(&iface->radio->medium->clock,
					   &iface->back);
			hwsim_event_add(&iface->radio->medium->clock,
					&iface->back, now + BACK_NS);
		}
		hwsim_medium_leave(iface->radio->medium);
	}
	mutex_unlock(&ifaces_mutex);
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = on_change };

/**
 * hwsim_hack_watch - watch for stations that join a network
 *
 * Not once a radio uses TCP/HACK: its wiphy is locked then, and a notifier is
 * registered under pernet_ops_rwsem, within which others lock wiphys.
 *
 * Return: 0, or an error
 */
int __init hwsim_hack_watch(void)
{
	return register_netdevice_notifier(&notifier);
}

/**
 * hwsim_hack_unwatch - stop watching
 */
void hwsim_hack_unwatch(void)
{
	unregister_netdevice_notifier(&notifier);
}

/* ---- interfaces ---- */

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
	__skb_queue_head_init(&iface->going);
	__skb_queue_head_init(&iface->kept);
	hwsim_event_init(&iface->back, HWSIM_PHASE_TIMEOUT);
	iface->back.handler = on_back;
	mutex_lock(&ifaces_mutex);
	list_for_each_entry(other, &radio->mac->hack_ifaces, list) {
		if (other->vif == vif) { /* mac80211 starts over */
			mutex_unlock(&ifaces_mutex);
			kfree(iface);
			return;
		}
	}
	list_add_tail(&iface->list, &radio->mac->hack_ifaces);
	list_add_tail(&iface->all, &ifaces);
	if (radio->mac->hack.mode)
		hook(iface);
	mutex_unlock(&ifaces_mutex);
}
EXPORT_SYMBOL_GPL(hwsim_hack_add_interface);

static void remove(struct hwsim_hack_iface *iface)
{
	struct hwsim_radio *radio = iface->radio;

	list_del(&iface->list);
	list_del(&iface->all);
	if (iface->is_hooked)
		nf_unregister_net_hooks(dev_net(iface->netdev), iface->ops,
					ARRAY_SIZE(iface->ops));
	synchronize_net();
	hwsim_medium_enter(radio->medium);
	hwsim_hack_leave_interface(iface);
	hwsim_medium_leave(radio->medium);
	synchronize_net(); /* wait for hooks that are running */
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
		hwsim_hack_forget_peer(radio, NULL, NULL);
	/* others may have found that this radio does not support it */
	for (j = 0; j < HWSIM_MEDIUM_MAX_RADIOS; j++)
		if (radio->medium->radios[j])
			hash_for_each(radio->medium->radios[j]->mac->peers, i,
				      peer, node)
				peer->hack_asked = false;
	hwsim_medium_leave(radio->medium);
}
