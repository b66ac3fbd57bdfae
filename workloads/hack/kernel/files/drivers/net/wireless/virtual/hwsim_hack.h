/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * TCP ACKs that are compressed to fit into link-layer ACKs (TCP/HACK: L.
 * Salameh et al., "HACK: Hierarchical ACKs for Efficient Wireless Medium
 * Utilization", USENIX ATC 2014, sections 3.3.2 and 3.4).
 *
 * A compressor holds the TCP ACKs for a peer, and fills a payload with them
 * whenever an ACK or BlockAck to the peer is due. It keeps them until the
 * caller reports that the payload has arrived. The peer's decompressor restores
 * the packets bit for bit. Neither uses sockets, mac80211 or the clock: callers
 * pass packets, times and bytes.
 *
 * Only ACKs without data are compressed: IPv4 without options or fragments, or
 * IPv6 without extension headers; TCP with no options, or with timestamps, SACK
 * blocks or both, laid out as Linux does. Everything else, and the first ACKs
 * of a flow, are sent unchanged ("native"); both sides learn from these.
 *
 * A payload:
 *
 *	MSN		1 byte: master sequence number of its first item;
 *			the others count on
 *	items		in the order in which the ACKs were held
 *
 * An item, all numbers in network byte order:
 *
 *	CID		1 byte: the lowest byte of the MD5 of the flow's 5-tuple
 *	0 aaa tt ee	short: the ACK number grows by aaa units, the timestamp
 *			by tt and its echo by ee; the IPv4 identification by 1;
 *			all else is as before
 *	CRC		1 byte: CRC-8 of the restored packet
 *
 * or
 *
 *	CID		as above
 *	1 0 0 0 00 00	medium: the window changes, too
 *	window		1 byte, signed: by how much
 *	0 aaa tt ee	as above
 *	CRC		as above
 *
 * or
 *
 *	CID		as above
 *	1 i w m aa tt	long: which of the following fields are present
 *	c u sss e r p	if m: c: claim, u: unit, sss: number of SACK blocks,
 *			e, r, p: the flags ECE, CWR and PSH
 *	claim		if c, 3 bytes: the rest of the flow's tag (below)
 *	unit		if u, 2 bytes: bytes of a unit of the ACK number
 *	identification	if i, 2 bytes
 *	window		if w, 2 bytes
 *	ACK number	aa = 0: as before; 1: 1 byte, it grows by so many units;
 *			2: its lowest 2 bytes; 3: all of it
 *	timestamps	tt = 0: as before; 1: 1 byte, 4 bits each, by which
 *			timestamp and echo grow; 2: the lowest 2 bytes of each;
 *			3: all of both
 *	SACK blocks	each: its left edge less the ACK number, with its sign
 *			in the lowest bit, and its length. Both in units if they
 *			are whole; one bit more, the lowest, says so. In groups
 *			of 7 bits, the lowest first, the highest bit set in all
 *			but the last
 *	CRC		as above
 *
 * "The lowest 2 bytes" are W-LSB encoded (RFC 6846, 4.10): the number is the
 * lowest one with these bytes that is not below what the decompressor knows,
 * whichever packet it has seen last.
 *
 * An item of a flow can only be restored after the items of the flow before it,
 * so only the first says which of the flows with its CID it belongs to: the
 * claim is the rest of the tag, and the flow has the CID until another claims
 * it.
 *
 * Bounds. At most HWSIM_HACK_FLOWS flows to a peer are known, those that were
 * used last, and twice as many from a peer, which sees their order a little
 * later. At most HWSIM_HACK_HELD ACKs are held, and a payload is as long as the
 * caller allows.
 *
 * Three checks protect against wrong packets: the FCS of the frame that carries
 * the payload; the MSN, by which repeated items are dropped; and the CRC of
 * each restored packet, which the caller only gets if it is correct. Addresses
 * and ports are never in a payload. A CRC-8 accepts one wrong packet in 256:
 * after the first that fails, a flow waits for a native ACK.
 */
#ifndef __HWSIM_HACK_H
#define __HWSIM_HACK_H

#include <linux/if_ether.h>
#include <linux/time64.h>
#include <linux/types.h>

#define HWSIM_HACK_FLOWS	32	/* to a peer */
#define HWSIM_HACK_FROM		(2 * HWSIM_HACK_FLOWS)	/* flows from it */
#define HWSIM_HACK_HELD		96	/* fewer than half of the MSNs */
#define HWSIM_HACK_PENDING	4	/* native ACKs of a flow in flight */
#define HWSIM_HACK_FAILURES	3	/* then a flow stays native for a while */
#define HWSIM_HACK_FAILURES_MOST 9	/* then for the longest time */
#define HWSIM_HACK_PAUSE_NS	NSEC_PER_SEC	/* after the third, then doubled */
#define HWSIM_HACK_SACKS	4	/* blocks in an ACK: RFC 2018, 3 */
#define HWSIM_HACK_PACKET_MAX	100	/* IPv6 40, TCP 60 bytes */
#define HWSIM_HACK_ITEM_MAX	65	/* with all fields */
#define HWSIM_HACK_TUPLE_BYTES	37	/* addresses, ports, protocol: IPv6 */

/**
 * enum hwsim_hack_kind - kinds of packets
 * @HWSIM_HACK_OTHER: not related to ACKs
 * @HWSIM_HACK_ACK: a TCP ACK that can be compressed
 * @HWSIM_HACK_ODD: a TCP ACK without data that cannot
 * @HWSIM_HACK_DATA: a TCP segment with data
 * @HWSIM_HACK_EDGE: start or end of a connection: SYN, FIN or RST
 */
enum hwsim_hack_kind {
	HWSIM_HACK_OTHER,
	HWSIM_HACK_ACK,
	HWSIM_HACK_ODD,
	HWSIM_HACK_DATA,
	HWSIM_HACK_EDGE,
};

/**
 * struct hwsim_hack_flow - what all ACKs of a flow have in common
 * @link: Ethernet addresses, destination and source, which the caller sets
 * @source: address: 4 or 16 bytes
 * @destination: address
 * @source_port: of TCP
 * @destination_port: of TCP
 * @seq: sequence number
 * @label: version, traffic class and flow label of IPv6
 * @version: 4 or 6
 * @tos: of IPv4
 * @hops: TTL or hop limit
 * @fragments: flags of IPv4: DF or nothing
 * @has_timestamps: whether packets have the timestamps option
 * @reserved: 0
 */
struct hwsim_hack_flow {
	u8 link[2 * ETH_ALEN];
	u8 source[16];
	u8 destination[16];
	u16 source_port;
	u16 destination_port;
	u32 seq;
	u32 label;
	u8 version;
	u8 tos;
	u8 hops;
	u8 fragments;
	u8 has_timestamps;
	u8 reserved[3];
};

/**
 * struct hwsim_hack_ack - what differs from ACK to ACK
 * @ack: ACK number
 * @timestamp: TSval
 * @echo: TSecr
 * @window: as in the header
 * @id: identification of IPv4
 * @flags: ECE, CWR and PSH
 * @num_sacks: number of SACK blocks
 * @sacks: left and right edges
 */
struct hwsim_hack_ack {
	u32 ack;
	u32 timestamp;
	u32 echo;
	u16 window;
	u16 id;
	u8 flags;
	u8 num_sacks;
	struct {
		u32 left;
		u32 right;
	} sacks[HWSIM_HACK_SACKS];
};

/**
 * struct hwsim_hack_segment - a TCP ACK without data
 * @flow: its flow
 * @ack: its fields
 */
struct hwsim_hack_segment {
	struct hwsim_hack_flow flow;
	struct hwsim_hack_ack ack;
};

enum hwsim_hack_kind hwsim_hack_parse(const u8 *packet, u32 bytes,
				      bool is_partial,
				      struct hwsim_hack_segment *segment);
u32 hwsim_hack_build(const struct hwsim_hack_segment *segment, u8 *packet);
u32 hwsim_hack_tuple(const struct hwsim_hack_flow *flow, u8 *tuple);

/**
 * struct hwsim_hack_statistics - what a compressor or decompressor has done
 * @acks: ACKs that were compressed, or restored
 * @bytes: of their items, MSNs not included
 * @packet_bytes: of their IP packets
 * @payloads: sent or received
 * @natives: ACKs sent or received uncompressed
 * @refused: ACKs of known flows that could not be held
 * @flushed: held ACKs that were dropped or returned
 * @duplicates: items received before
 * @crc_failures: restored packets whose CRC is wrong
 * @unknown: items of flows that are not known, or wait for a native ACK
 * @malformed: payloads that end within an item
 * @resets: how often the other end reported that it cannot follow
 * @held_ns: how long the ACKs that arrived were held, in all
 * @syncs: frames received with SYNC; the caller counts them
 * @air_ns: by how much payloads made frames longer; the caller counts it
 */
struct hwsim_hack_statistics {
	u64 acks;
	u64 bytes;
	u64 packet_bytes;
	u64 payloads;
	u64 natives;
	u64 refused;
	u64 flushed;
	u64 duplicates;
	u64 crc_failures;
	u64 unknown;
	u64 malformed;
	u64 resets;
	u64 held_ns;
	u64 syncs;
	u64 air_ns;
};

/* ---- the compressor ---- */

/**
 * struct hwsim_hack_pending - a native ACK in flight
 * @cookie: identifies it to the caller
 * @is_gone: the caller no longer uses the cookie
 * @ack: its fields
 */
struct hwsim_hack_pending {
	u32 cookie;
	bool is_gone;
	struct hwsim_hack_ack ack;
};

/**
 * struct hwsim_hack_sender - a flow whose ACKs are compressed
 * @flow: what they have in common
 * @tag: of the flow; its lowest byte is the CID
 * @last: what the decompressor knows for certain
 * @pending: native ACKs after that, the oldest first
 * @num_pending: how many; of more, the newest counts
 * @used_ns: when it last had an ACK
 * @delta: by which the ACK number grew last
 * @unit: of the ACK number; 0: the decompressor does not know it
 * @failures: how often the decompressor could not follow, since it last could
 * @native_until_ns: until when it stays native, because of them
 * @is_used: whether this is a flow
 * @is_certain: whether @last is valid
 * @has_claimed: whether the CID is its
 */
struct hwsim_hack_sender {
	struct hwsim_hack_flow flow;
	u32 tag;
	struct hwsim_hack_ack last;
	struct hwsim_hack_pending pending[HWSIM_HACK_PENDING];
	u32 num_pending;
	u64 used_ns;
	u64 native_until_ns;
	u32 delta;
	u16 unit;
	u8 failures;
	bool is_used;
	bool is_certain;
	bool has_claimed;
};

/**
 * struct hwsim_hack_item - a held ACK
 * @held_ns: when it was held
 * @owner: pointer of the caller, such as the packet itself
 * @flow: index of its flow
 * @packet_bytes: length of the packet
 * @bytes: length of the item
 * @data: the item
 */
struct hwsim_hack_item {
	u64 held_ns;
	void *owner;
	u8 flow;
	u8 packet_bytes;
	u8 bytes;
	u8 data[HWSIM_HACK_ITEM_MAX];
};

/**
 * struct hwsim_hack_compressor - the ACKs to a peer
 * @statistics: what it has done
 * @flows: known flows
 * @items: held ACKs, a ring
 * @first: the oldest of them
 * @num_held: how many are held
 * @num_sent: how many of the oldest were in the last payload
 * @num_tried: how many have been in any
 * @msn: MSN of the oldest
 */
struct hwsim_hack_compressor {
	struct hwsim_hack_statistics statistics;
	struct hwsim_hack_sender flows[HWSIM_HACK_FLOWS];
	struct hwsim_hack_item items[HWSIM_HACK_HELD];
	u32 first;
	u32 num_held;
	u32 num_sent;
	u32 num_tried;
	u8 msn;
};

/**
 * typedef hwsim_hack_let_go - called when an ACK is no longer held
 * @context: of the caller
 * @owner: of the ACK
 * @was_sent: it has been in a payload
 * @is_last: no other ACK of its flow is held
 */
typedef void hwsim_hack_let_go(void *context, void *owner, bool was_sent,
			       bool is_last);

void hwsim_hack_compressor_init(struct hwsim_hack_compressor *compressor);
bool hwsim_hack_hold(struct hwsim_hack_compressor *compressor,
		     const struct hwsim_hack_segment *segment, u64 now_ns,
		     void *owner);
void hwsim_hack_native(struct hwsim_hack_compressor *compressor,
		       const struct hwsim_hack_segment *segment, u32 tag,
		       u64 now_ns, u32 cookie);
void hwsim_hack_native_gone(struct hwsim_hack_compressor *compressor,
			    u32 cookie);
void hwsim_hack_native_arrived(struct hwsim_hack_compressor *compressor,
			       u32 cookie);
void hwsim_hack_forget(struct hwsim_hack_compressor *compressor,
		       const struct hwsim_hack_flow *flow, u32 cookie);
bool hwsim_hack_knows(struct hwsim_hack_compressor *compressor,
		      const struct hwsim_hack_flow *flow);
bool hwsim_hack_holds(struct hwsim_hack_compressor *compressor,
		      const struct hwsim_hack_flow *flow);
void *hwsim_hack_owner(struct hwsim_hack_compressor *compressor, u32 index);
bool hwsim_hack_is_due(const struct hwsim_hack_compressor *compressor,
		       u64 until_ns);
u32 hwsim_hack_fill(struct hwsim_hack_compressor *compressor, u64 until_ns,
		    u8 *payload, u32 room);
void hwsim_hack_delivered(struct hwsim_hack_compressor *compressor, u64 now_ns,
			  hwsim_hack_let_go *let_go, void *context);
void hwsim_hack_flush(struct hwsim_hack_compressor *compressor,
		      hwsim_hack_let_go *let_go, void *context);
void hwsim_hack_reset(struct hwsim_hack_compressor *compressor, u64 now_ns);

/* ---- the decompressor ---- */

/**
 * struct hwsim_hack_receiver - a flow whose ACKs are restored
 * @flow: what they have in common
 * @tag: of the flow
 * @last: the newest ACK
 * @used: when it last had an ACK, as a number that grows
 * @unit: of the ACK number; 0: not known
 * @is_used: whether this is a flow
 * @is_certain: whether @last is valid
 * @has_claimed: whether the CID is its
 */
struct hwsim_hack_receiver {
	struct hwsim_hack_flow flow;
	u32 tag;
	struct hwsim_hack_ack last;
	u64 used;
	u16 unit;
	bool is_used;
	bool is_certain;
	bool has_claimed;
};

/**
 * struct hwsim_hack_decompressor - the ACKs of a peer
 * @statistics: what it has done
 * @flows: known flows
 * @uses: how often any was used
 * @msn: MSN of the next item
 * @has_begun: whether @msn is known
 */
struct hwsim_hack_decompressor {
	struct hwsim_hack_statistics statistics;
	struct hwsim_hack_receiver flows[HWSIM_HACK_FROM];
	u64 uses;
	u8 msn;
	bool has_begun;
};

/**
 * typedef hwsim_hack_restored - called when a packet has been restored
 * @context: of the caller
 * @flow: index of its flow in the decompressor
 * @packet: the IP packet
 * @bytes: its length
 */
typedef void hwsim_hack_restored(void *context, u32 flow, const u8 *packet,
				 u32 bytes);

void hwsim_hack_decompressor_init(struct hwsim_hack_decompressor *decompressor);
int hwsim_hack_learn(struct hwsim_hack_decompressor *decompressor,
		     const struct hwsim_hack_segment *segment, u32 tag);
bool hwsim_hack_has_learnt(struct hwsim_hack_decompressor *decompressor,
			   const struct hwsim_hack_flow *flow);
void hwsim_hack_unlearn(struct hwsim_hack_decompressor *decompressor,
			const struct hwsim_hack_flow *flow);
void hwsim_hack_restore(struct hwsim_hack_decompressor *decompressor,
			const u8 *payload, u32 bytes,
			hwsim_hack_restored *restored, void *context);

/* ---- shared ---- */

#define HWSIM_HACK_FLAG_CWR	0x80	/* in the TCP header: RFC 3168, 6.1 */
#define HWSIM_HACK_FLAG_ECE	0x40
#define HWSIM_HACK_FLAG_PSH	0x08

#define HWSIM_HACK_MEDIUM	0x80	/* a long form that would say nothing */
#define HWSIM_HACK_LONG		0x80
#define HWSIM_HACK_LONG_ID	0x40
#define HWSIM_HACK_LONG_WINDOW	0x20
#define HWSIM_HACK_LONG_MORE	0x10
#define HWSIM_HACK_LONG_ACK	0x0c
#define HWSIM_HACK_LONG_TIMES	0x03
#define HWSIM_HACK_MORE_CLAIM	0x80
#define HWSIM_HACK_MORE_UNIT	0x40
#define HWSIM_HACK_MORE_SACKS	0x38
#define HWSIM_HACK_MORE_ECE	0x04
#define HWSIM_HACK_MORE_CWR	0x02
#define HWSIM_HACK_MORE_PSH	0x01

/* encoding of a number; the position of the field in the second byte */
enum hwsim_hack_width {
	HWSIM_HACK_SAME,
	HWSIM_HACK_SMALL,
	HWSIM_HACK_LOW,
	HWSIM_HACK_WHOLE,
};

bool hwsim_hack_same_flow(const struct hwsim_hack_flow *a,
			  const struct hwsim_hack_flow *b);
bool hwsim_hack_is_newer(const struct hwsim_hack_ack *ack,
			 const struct hwsim_hack_ack *than);
u8 hwsim_hack_crc8(const u8 *data, u32 bytes);

#endif
