// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a radio of the hwsim medium and another say to each other beside their
 * frames: bytes that go with ACK and BlockAck, and whether more will follow.
 * And how often frames to it were sent again.
 *
 * The medium does not look at the bytes. They make an answer longer, so they
 * take air time and a share of the bit errors; they arrive with it or not at
 * all.
 *
 * What frames reserve of the medium does not grow by them. Who sets more of
 * them than fit into the AIFS that others wait anyway risks a collision with
 * whoever does not hear the answer.
 */
#include <linux/etherdevice.h>
#include <linux/kernel.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include "hwsim_medium_mac.h"

#define MAX_PEERS	1024	/* of a radio */

static u32 peer_hash(const u8 *addr)
{
	return addr[3] << 16 | addr[4] << 8 | addr[5];
}

/**
 * hwsim_peer_of - what is known of another
 * @radio: the radio
 * @addr: the other
 *
 * Return: that, or NULL
 */
struct hwsim_peer *hwsim_peer_of(struct hwsim_radio *radio, const u8 *addr)
{
	struct hwsim_peer *peer;

	hash_for_each_possible(radio->mac->peers, peer, node, peer_hash(addr))
		if (ether_addr_equal(peer->addr, addr))
			return peer;
	return NULL;
}

/* nothing else knows of it, and what it counts may start anew */
static bool is_idle(const struct hwsim_peer *peer)
{
	return !peer->out.bytes && !peer->asked && !peer->starting &&
	       !peer->stopping && !peer->sleeps &&
	       list_empty(&peer->kept);
}

static void forget(struct hwsim_radio *radio, struct hwsim_peer *peer)
{
	hash_del(&peer->node);
	list_del(&peer->used);
	radio->mac->num_peers--;
	kfree(peer);
}

/* anybody can send from addresses that nobody has: they come and go */
static void make_room(struct hwsim_radio *radio)
{
	struct hwsim_peer *peer;

	list_for_each_entry(peer, &radio->mac->peers_used, used) {
		if (!is_idle(peer))
			continue;
		forget(radio, peer);
		return;
	}
}

/**
 * hwsim_peer_get - what is known of another, from now on at least
 * @radio: the radio
 * @addr: the other
 *
 * Of 1024 peers, the one that was used least recently makes room for another.
 *
 * Return: that; NULL if there is no memory, or if the radio has 1024 peers of
 * which more is known than may be forgotten
 */
struct hwsim_peer *hwsim_peer_get(struct hwsim_radio *radio, const u8 *addr)
{
	struct hwsim_peer *peer = hwsim_peer_of(radio, addr);

	if (peer) {
		list_move_tail(&peer->used, &radio->mac->peers_used);
		return peer;
	}
	if (radio->mac->num_peers >= MAX_PEERS)
		make_room(radio);
	if (radio->mac->num_peers >= MAX_PEERS)
		return NULL;
	peer = kzalloc(sizeof(*peer), GFP_ATOMIC);
	if (!peer)
		return NULL;
	INIT_LIST_HEAD(&peer->kept);
	peer->radio = radio->index;
	ether_addr_copy(peer->addr, addr);
	hash_add(radio->mac->peers, &peer->node, peer_hash(addr));
	list_add_tail(&peer->used, &radio->mac->peers_used);
	radio->mac->num_peers++;
	return peer;
}

/**
 * hwsim_peer_set_payload - what is to go with answers
 * @radio: who answers
 * @addr: whom
 * @data: the bytes
 * @bytes: how many, at most HWSIM_MEDIUM_PAYLOAD_MAX; 0: no longer any
 * @extack: gets what is wrong
 */
int hwsim_peer_set_payload(struct hwsim_radio *radio, const u8 *addr,
			   const void *data, u32 bytes,
			   struct netlink_ext_ack *extack)
{
	struct hwsim_peer *peer;

	if (!is_valid_ether_addr(addr)) {
		NL_SET_ERR_MSG(extack, "answers go to one station's address");
		return -EINVAL;
	}
	if (bytes > HWSIM_MEDIUM_PAYLOAD_MAX) {
		NL_SET_ERR_MSG(extack, "at most 255 bytes go with an answer");
		return -EINVAL;
	}
	peer = hwsim_peer_get(radio, addr);
	if (!peer) {
		NL_SET_ERR_MSG(extack, "no memory, or the radio has 1024 peers");
		return -ENOSPC;
	}
	memcpy(peer->out.data, data, bytes);
	peer->out.bytes = bytes;
	peer->has_said = true;
	return 0;
}

/**
 * hwsim_peer_answer - add to an ACK or BlockAck what is to go with it
 * @radio: who answers
 * @answer: the answer
 */
void hwsim_peer_answer(struct hwsim_radio *radio, struct hwsim_ppdu *answer)
{
	struct hwsim_peer *peer = hwsim_peer_of(radio, answer->ra);

	if (!peer || !peer->out.bytes || answer->payload)
		return;
	answer->payload = kmemdup(&peer->out, sizeof(peer->out), GFP_ATOMIC);
	if (answer->payload)
		answer->psdu_bytes += peer->out.bytes;
}

/**
 * hwsim_peer_answered - an answer with payload has arrived
 * @radio: who received it
 * @answer: the answer
 */
void hwsim_peer_answered(struct hwsim_radio *radio,
			 const struct hwsim_ppdu *answer)
{
	struct hwsim_peer *peer = hwsim_peer_get(radio, answer->ta);

	if (!peer)
		return;
	peer->in = *answer->payload;
	peer->arrivals++;
	peer->has_said = true;
}

/**
 * hwsim_peer_more_data - note whether more will follow
 * @radio: who received it
 * @ppdu: a data frame; nothing is noted of radios that never said so
 */
void hwsim_peer_more_data(struct hwsim_radio *radio,
			  const struct hwsim_ppdu *ppdu)
{
	const struct ieee80211_hdr *hdr;
	struct hwsim_peer *peer;
	bool more;

	if (ppdu->kind != HWSIM_MEDIUM_FRAME_DATA)
		return;
	hdr = (void *)ppdu->mpdus[ppdu->count - 1]->skb->data;
	more = ieee80211_has_moredata(hdr->frame_control);
	peer = more ? hwsim_peer_get(radio, ppdu->ta) : hwsim_peer_of(radio, ppdu->ta);
	if (!peer)
		return;
	peer->more_data = more;
	peer->has_said |= more;
}

/**
 * hwsim_peer_retried - frames to a station were sent again
 * @radio: who sent
 * @addr: the station
 * @times: how often
 */
void hwsim_peer_retried(struct hwsim_radio *radio, const u8 *addr, u32 times)
{
	struct hwsim_peer *peer = hwsim_peer_get(radio, addr);

	if (peer)
		peer->retries += times;
}

/**
 * hwsim_peer_retries - how often frames to a station were sent again
 * @radio: who sent
 * @addr: the station
 */
u32 hwsim_peer_retries(struct hwsim_radio *radio, const u8 *addr)
{
	const struct hwsim_peer *peer = hwsim_peer_of(radio, addr);

	return peer ? peer->retries : 0;
}

/**
 * hwsim_peer_set_ssn - a BlockAck agreement is asked for
 * @radio: the originator
 * @addr: the recipient
 * @tid: the TID
 * @ssn: sequence number with which it begins; mac80211 says so only once
 *
 * Return: false if there is no memory
 */
bool hwsim_peer_set_ssn(struct hwsim_radio *radio, const u8 *addr, u8 tid,
			u16 ssn)
{
	struct hwsim_peer *peer = hwsim_peer_get(radio, addr);

	if (!peer)
		return false;
	peer->ssns[tid] = ssn;
	peer->asked |= BIT(tid);
	return true;
}

/**
 * hwsim_peer_ssn - the sequence number with which a BlockAck agreement begins
 * @radio: the originator
 * @addr: the recipient
 * @tid: the TID
 */
u16 hwsim_peer_ssn(struct hwsim_radio *radio, const u8 *addr, u8 tid)
{
	const struct hwsim_peer *peer = hwsim_peer_of(radio, addr);

	return peer ? peer->ssns[tid] : 0;
}

/**
 * hwsim_peer_sleeps - whether a station dozes
 * @radio: its access point
 * @addr: the station
 */
bool hwsim_peer_sleeps(struct hwsim_radio *radio, const u8 *addr)
{
	const struct hwsim_peer *peer;

	if (!radio->mac->num_asleep)
		return false;
	peer = hwsim_peer_of(radio, addr);
	return peer && peer->sleeps;
}

/**
 * hwsim_peer_set_sleeps - a station dozes, or is awake
 * @radio: its access point
 * @sta: the station
 * @sleeps: whether it dozes
 *
 * Return: what is known of it, or NULL: it counts as awake
 */
struct hwsim_peer *hwsim_peer_set_sleeps(struct hwsim_radio *radio,
					 struct ieee80211_sta *sta, bool sleeps)
{
	struct hwsim_peer *peer = hwsim_peer_get(radio, sta->addr);

	if (!peer)
		return NULL;
	radio->mac->num_asleep += sleeps - peer->sleeps;
	peer->sleeps = sleeps;
	peer->sta = sta;
	return peer;
}

/**
 * hwsim_peer_forget - forget what was said and counted
 * @radio: the radio
 * @addr: to and by whom, NULL: everybody
 */
void hwsim_peer_forget(struct hwsim_radio *radio, const u8 *addr)
{
	struct hwsim_mpdu *mpdu, *next_mpdu;
	struct hwsim_peer *peer;
	struct hlist_node *next;
	int i;

	hash_for_each_safe(radio->mac->peers, i, next, peer, node) {
		if (addr && !ether_addr_equal(peer->addr, addr))
			continue;
		list_for_each_entry_safe(mpdu, next_mpdu, &peer->kept, list) {
			list_del_init(&mpdu->list);
			hwsim_mpdu_drop(radio, mpdu);
		}
		radio->mac->num_asleep -= peer->sleeps;
		radio->mac->draining -= hweight16(peer->starting) +
					hweight16(peer->stopping);
		forget(radio, peer);
	}
}
