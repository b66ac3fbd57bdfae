/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * TCP/HACK in the driver: shared by hwsim_medium_hook.c, which handles packets,
 * and hwsim_medium_hack.c, which handles frames.
 */
#ifndef __HWSIM_MEDIUM_HACK_H
#define __HWSIM_MEDIUM_HACK_H

#include <linux/if_ether.h>
#include <linux/list.h>
#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include "hwsim_hack.h"
#include "hwsim_medium_core.h"

/* the longest frame that may be a TCP ACK */
#define HWSIM_HACK_NATIVE_MOST	200
/* the longest headers of IP and TCP, each with options */
#define HWSIM_HACK_HEADERS_MOST	120
/* how long a station keeps ACKs for its next access point */
#define HWSIM_HACK_KEPT_FOR_NS	NSEC_PER_SEC

struct hwsim_peer;
struct hwsim_radio;

/**
 * struct hwsim_hack - TCP ACKs to and from a peer
 * @radio: the radio
 * @own: address of the interface
 * @addr: address of the peer
 * @iface: the interface
 * @sender: ACKs to the peer
 * @receiver: ACKs from it
 * @timer: ACKs have been held for too long
 * @seq_ctrl: sequence control of the last frame that was answered with payload
 * @was_ampdu: that frame was in an A-MPDU
 * @tid: its TID
 * @unheard: the peer has not answered since this frame was sent to it:
 * @unheard_is_plain: the frame is not in an A-MPDU
 * @unheard_tid: its TID
 * @unheard_seq_ctrl: its sequence control
 * @is_protected: frames to or from it are encrypted
 * @ac: access category of the last ACK that is held for it
 */
struct hwsim_hack {
	struct hwsim_radio *radio;
	u8 own[ETH_ALEN];
	u8 addr[ETH_ALEN];
	struct hwsim_hack_iface *iface;
	struct hwsim_hack_compressor sender;
	struct hwsim_hack_decompressor receiver;
	struct hwsim_event timer;
	u16 seq_ctrl;
	bool was_ampdu;
	u8 tid;
	bool unheard;
	bool unheard_is_plain;
	u8 unheard_tid;
	u16 unheard_seq_ctrl;
	bool is_protected;
	u8 ac;
};

/**
 * struct hwsim_hack_iface - an interface of a radio
 * @list: in radio->mac->hack_ifaces
 * @all: in the list of interfaces of all radios
 * @radio: the radio
 * @vif: mac80211's
 * @netdev: the network device
 * @ops: egress and ingress
 * @is_hooked: they are registered
 * @going: packets that have been released, but not sent yet
 * @kept: packets that could not be sent, since the station has left its network
 * @kept_ns: since when
 * @back: the station is in a network again
 */
struct hwsim_hack_iface {
	struct list_head list;
	struct list_head all;
	struct hwsim_radio *radio;
	struct ieee80211_vif *vif;
	struct net_device *netdev;
	struct nf_hook_ops ops[2];
	bool is_hooked;
	struct sk_buff_head going;
	struct sk_buff_head kept;
	u64 kept_ns;
	struct hwsim_event back;
};

bool hwsim_hack_is_own_packet(bool is_restored);
struct hwsim_hack *hwsim_hack_get(struct hwsim_hack_iface *iface,
				  const u8 *addr);
void hwsim_hack_note(struct hwsim_hack *hack,
		     const struct hwsim_hack_segment *segment);
enum hwsim_hack_kind hwsim_hack_parse_skb(const struct sk_buff *skb,
					  struct hwsim_hack_segment *segment);
bool hwsim_hack_take(struct hwsim_hack *hack, struct sk_buff *skb,
		     const struct hwsim_hack_segment *segment, u64 now);
void hwsim_hack_pass(struct hwsim_hack *hack, const struct sk_buff *skb,
		     const struct hwsim_hack_segment *segment, u64 now);
void hwsim_hack_end(struct hwsim_hack *hack, const struct sk_buff *skb,
		    const struct hwsim_hack_segment *segment);
void hwsim_hack_unknown(struct hwsim_hack *hack, const struct sk_buff *skb);
void hwsim_hack_give_up(struct hwsim_hack *hack, struct sk_buff_head *skbs);
void hwsim_hack_send_on(struct sk_buff_head *skbs);
void hwsim_hack_leave_interface(struct hwsim_hack_iface *iface);

#endif
