// SPDX-License-Identifier: GPL-2.0-only
/*
 * State that an interface of the hwsim medium keeps for each of its peers: a
 * payload that is appended to ACKs and BlockAcks, MORE DATA, retries, power
 * save, and BlockAck agreements that wait.
 *
 * A peer is known to an interface, not to a radio: two access points of one
 * radio may serve the same station one after the other, and two stations of one
 * radio may be associated with the same access point. So its key is the pair of
 * addresses, as it is in the frames (addr1 and addr2).
 *
 * The medium does not interpret a payload. It makes an answer longer, and so
 * takes air time and a share of the bit errors; it arrives with its answer or
 * not at all. Duration fields do not cover it. A payload that is longer than the
 * AIFS that others wait anyway risks a collision with those that do not hear the
 * answer.
 */
#include <linux/etherdevice.h>
#include <linux/kernel.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include "hwsim_medium_mac.h"

#define MAX_PEERS	1024	/* of a radio */

/* interfaces with the same peer share a bucket: they are few */
static u32 peer_hash(const u8 *addr)
{
	return addr[3] << 16 | addr[4] << 8 | addr[5];
}

/**
 * hwsim_peer_of - find the state of a peer
 * @radio: the radio
 * @own: address of its interface
 * @addr: address of the peer
 *
 * Return: the peer, or NULL
 */
struct hwsim_peer *hwsim_peer_of(struct hwsim_radio *radio, const u8 *own,
				 const u8 *addr)
{
	struct hwsim_peer *peer;

	hash_for_each_possible(radio->mac->peers, peer, node, peer_hash(addr))
		if (hwsim_peer_is(peer, own, addr))
			return peer;
	return NULL;
}

/* nothing refers to it, and its counters may restart */
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

/* frames can have forged addresses, so peers that are idle are not kept */
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
 * hwsim_peer_get - find the state of a peer, or create it
 * @radio: the radio
 * @own: address of its interface
 * @addr: address of the peer
 *
 * Of 1024 peers, the least recently used one that is idle makes room for another.
 *
 * Return: the peer; NULL if memory ran out, or if 1024 peers are all in use
 */
struct hwsim_peer *hwsim_peer_get(struct hwsim_radio *radio, const u8 *own,
				  const u8 *addr)
{
	struct hwsim_peer *peer = hwsim_peer_of(radio, own, addr);

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
	ether_addr_copy(peer->own, own);
	ether_addr_copy(peer->addr, addr);
	hash_add(radio->mac->peers, &peer->node, peer_hash(addr));
	list_add_tail(&peer->used, &radio->mac->peers_used);
	radio->mac->num_peers++;
	return peer;
}

/**
 * hwsim_peer_set_payload - set the payload of answers
 * @radio: the radio that answers
 * @own: address of its interface
 * @addr: address of the peer that is answered
 * @data: the payload
 * @bytes: its length, at most HWSIM_MEDIUM_PAYLOAD_MAX; 0: none any longer
 * @extack: for error messages
 */
int hwsim_peer_set_payload(struct hwsim_radio *radio, const u8 *own,
			   const u8 *addr, const void *data, u32 bytes,
			   struct netlink_ext_ack *extack)
{
	struct hwsim_peer *peer;

	if (!is_valid_ether_addr(addr)) {
		NL_SET_ERR_MSG(extack, "a payload needs a unicast address");
		return -EINVAL;
	}
	if (bytes > HWSIM_MEDIUM_PAYLOAD_MAX) {
		NL_SET_ERR_MSG(extack, "a payload must not exceed 255 bytes");
		return -EINVAL;
	}
	peer = hwsim_peer_get(radio, own, addr);
	if (!peer) {
		NL_SET_ERR_MSG(extack, "no memory, or 1024 peers are in use");
		return -ENOSPC;
	}
	memcpy(peer->out.data, data, bytes);
	peer->out.bytes = bytes;
	peer->has_said = true;
	return 0;
}

/**
 * hwsim_peer_answer - append the payload to an ACK or BlockAck
 * @radio: the radio that answers
 * @answer: the answer
 */
void hwsim_peer_answer(struct hwsim_radio *radio, struct hwsim_ppdu *answer)
{
	struct hwsim_peer *peer = hwsim_peer_of(radio, answer->ta, answer->ra);

	if (!peer || !peer->out.bytes || answer->payload)
		return;
	answer->payload = kmemdup(&peer->out, sizeof(peer->out), GFP_ATOMIC);
	if (answer->payload)
		answer->psdu_bytes += peer->out.bytes;
}

/**
 * hwsim_peer_answered - an answer with payload has arrived
 * @radio: the radio that received it
 * @answer: the answer
 */
void hwsim_peer_answered(struct hwsim_radio *radio,
			 const struct hwsim_ppdu *answer)
{
	struct hwsim_peer *peer = hwsim_peer_get(radio, answer->ra, answer->ta);

	if (!peer)
		return;
	peer->in = *answer->payload;
	peer->arrivals++;
	peer->has_said = true;
}

/**
 * hwsim_peer_more_data - note whether a peer has more frames to send
 * @radio: the radio that received it
 * @ppdu: its data frame; peers that never set MORE DATA are not noted
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
	peer = more ? hwsim_peer_get(radio, ppdu->ra, ppdu->ta) :
		      hwsim_peer_of(radio, ppdu->ra, ppdu->ta);
	if (!peer)
		return;
	peer->more_data = more;
	peer->has_said |= more;
}

/**
 * hwsim_peer_retried - a frame to a station was sent again
 * @radio: the sender
 * @own: address of its interface
 * @addr: address of the station
 * @times: how often
 */
void hwsim_peer_retried(struct hwsim_radio *radio, const u8 *own,
			const u8 *addr, u32 times)
{
	struct hwsim_peer *peer = hwsim_peer_get(radio, own, addr);

	if (peer)
		peer->retries += times;
}

/**
 * hwsim_peer_retries - how often frames to a station were sent again
 * @radio: the sender
 * @own: address of its interface
 * @addr: address of the station
 */
u32 hwsim_peer_retries(struct hwsim_radio *radio, const u8 *own, const u8 *addr)
{
	const struct hwsim_peer *peer = hwsim_peer_of(radio, own, addr);

	return peer ? peer->retries : 0;
}

/**
 * hwsim_peer_set_ssn - mac80211 asks a recipient for a BlockAck agreement
 * @radio: the originator
 * @own: address of its interface
 * @addr: address of the recipient
 * @tid: the TID
 * @ssn: sequence number with which it begins; mac80211 passes it only once
 *
 * Return: false if memory ran out
 */
bool hwsim_peer_set_ssn(struct hwsim_radio *radio, const u8 *own,
			const u8 *addr, u8 tid, u16 ssn)
{
	struct hwsim_peer *peer = hwsim_peer_get(radio, own, addr);

	if (!peer)
		return false;
	peer->ssns[tid] = ssn;
	peer->asked |= BIT(tid);
	return true;
}

/**
 * hwsim_peer_ssn - the sequence number with which a BlockAck agreement begins
 * @radio: the originator
 * @own: address of its interface
 * @addr: address of the recipient
 * @tid: the TID
 */
u16 hwsim_peer_ssn(struct hwsim_radio *radio, const u8 *own, const u8 *addr,
		   u8 tid)
{
	const struct hwsim_peer *peer = hwsim_peer_of(radio, own, addr);

	return peer ? peer->ssns[tid] : 0;
}

/**
 * hwsim_peer_sleeps - whether a station dozes
 * @radio: its access point
 * @own: address of the interface
 * @addr: address of the station
 */
bool hwsim_peer_sleeps(struct hwsim_radio *radio, const u8 *own, const u8 *addr)
{
	const struct hwsim_peer *peer;

	if (!radio->mac->num_asleep)
		return false;
	peer = hwsim_peer_of(radio, own, addr);
	return peer && peer->sleeps;
}

/**
 * hwsim_peer_set_sleeps - a station dozes, or is awake
 * @radio: its access point
 * @own: address of the interface
 * @sta: the station
 * @sleeps: whether it dozes
 *
 * Return: its state, or NULL: it counts as awake
 */
struct hwsim_peer *hwsim_peer_set_sleeps(struct hwsim_radio *radio,
					 const u8 *own,
					 struct ieee80211_sta *sta, bool sleeps)
{
	struct hwsim_peer *peer = hwsim_peer_get(radio, own, sta->addr);

	if (!peer)
		return NULL;
	radio->mac->num_asleep += sleeps - peer->sleeps;
	peer->sleeps = sleeps;
	peer->sta = sta;
	return peer;
}

/**
 * hwsim_peer_forget - forget the state of a peer
 * @radio: the radio
 * @own: address of its interface
 * @addr: address of the peer, NULL: all peers of all interfaces
 */
void hwsim_peer_forget(struct hwsim_radio *radio, const u8 *own, const u8 *addr)
{
	struct hwsim_mpdu *mpdu, *next_mpdu;
	struct hwsim_peer *peer;
	struct hlist_node *next;
	int i;

	hash_for_each_safe(radio->mac->peers, i, next, peer, node) {
		if (addr && !hwsim_peer_is(peer, own, addr))
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
