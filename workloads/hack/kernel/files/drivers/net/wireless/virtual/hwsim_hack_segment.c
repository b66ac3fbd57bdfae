// SPDX-License-Identifier: GPL-2.0-only
/*
 * Conversion of TCP ACKs from packet to struct and back, bit for bit.
 *
 * A packet that would not be restored identically is "odd" and sent
 * uncompressed: with a wrong checksum, reserved bits, options of another kind
 * or in another order.
 */
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include "hwsim_hack.h"

#define IPV4_BYTES	20
#define IPV6_BYTES	40
#define TCP_BYTES	20
#define TCP_CHECKSUM	16
#define CHECKSUM_ZERO	0xffff	/* as much as 0 in one's complement */
#define PROTOCOL_TCP	6
#define FRAGMENT	0x3fff	/* MF and offset: ports may be missing */

#define FLAG_FIN	0x01
#define FLAG_SYN	0x02
#define FLAG_RST	0x04
#define FLAG_ACK	0x10
#define FLAGS_KEPT	(HWSIM_HACK_FLAG_CWR | HWSIM_HACK_FLAG_ECE | \
			 HWSIM_HACK_FLAG_PSH)

/* options, as Linux aligns them: RFC 7323 appendix A, RFC 2018 section 3 */
#define TIMESTAMPS	0x0101080aU	/* NOP, NOP, kind 8, length 10 */
#define TIMESTAMPS_BYTES 12
#define SACK		0x01010500U	/* NOP, NOP, kind 5, length */
#define SACK_BYTES	4		/* and 8 for each block */
#define OPTION_BYTES	2		/* kind and length of SACK's option */

static u32 sum_of(u32 sum, const u8 *data, u32 bytes)
{
	u32 i;

	for (i = 0; i + 1 < bytes; i += 2)
		sum += get_unaligned_be16(data + i);
	if (bytes & 1)
		sum += (u32)data[bytes - 1] << 8;
	return sum;
}

static u16 folded(u32 sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/*
 * RFC 9293, 3.1, and RFC 8200, 8.1; the checksum in the segment is 0. Like
 * skb_checksum_help(), never 0: the end that sends an ACK sees it before Linux
 * computes its checksum, and the other end must not find it odd.
 */
static u16 tcp_checksum(const struct hwsim_hack_flow *flow, const u8 *tcp,
			u32 bytes)
{
	u32 length = flow->version == 4 ? 4 : 16;
	u32 sum = PROTOCOL_TCP + bytes;

	sum = sum_of(sum, flow->source, length);
	sum = sum_of(sum, flow->destination, length);
	return folded(sum_of(sum, tcp, bytes)) ?: CHECKSUM_ZERO;
}

/* Return: where TCP begins, 0 if the packet is not a complete TCP packet */
static u32 parse_ipv4(const u8 *packet, u32 bytes,
		      struct hwsim_hack_segment *segment)
{
	struct hwsim_hack_flow *flow = &segment->flow;
	u32 header = (packet[0] & 0xf) * 4;

	if (bytes < IPV4_BYTES || header < IPV4_BYTES || bytes < header ||
	    get_unaligned_be16(packet + 2) != bytes ||
	    get_unaligned_be16(packet + 6) & FRAGMENT ||
	    packet[9] != PROTOCOL_TCP)
		return 0;
	flow->version = 4;
	flow->tos = packet[1];
	flow->fragments = packet[6];
	flow->hops = packet[8];
	memcpy(flow->source, packet + 12, 4);
	memcpy(flow->destination, packet + 16, 4);
	segment->ack.id = get_unaligned_be16(packet + 4);
	return header;
}

static u32 parse_ipv6(const u8 *packet, u32 bytes,
		      struct hwsim_hack_segment *segment)
{
	struct hwsim_hack_flow *flow = &segment->flow;

	if (bytes < IPV6_BYTES || packet[6] != PROTOCOL_TCP ||
	    get_unaligned_be16(packet + 4) != bytes - IPV6_BYTES)
		return 0;
	flow->version = 6;
	flow->label = get_unaligned_be32(packet);
	flow->hops = packet[7];
	memcpy(flow->source, packet + 8, 16);
	memcpy(flow->destination, packet + 24, 16);
	return IPV6_BYTES;
}

static void parse_options(const u8 *options, u32 bytes,
			  struct hwsim_hack_segment *segment)
{
	struct hwsim_hack_ack *ack = &segment->ack;
	u32 i;

	if (bytes >= TIMESTAMPS_BYTES &&
	    get_unaligned_be32(options) == TIMESTAMPS) {
		segment->flow.has_timestamps = true;
		ack->timestamp = get_unaligned_be32(options + 4);
		ack->echo = get_unaligned_be32(options + 8);
		options += TIMESTAMPS_BYTES;
		bytes -= TIMESTAMPS_BYTES;
	}
	ack->num_sacks = min_t(u32, bytes / 8, HWSIM_HACK_SACKS);
	for (i = 0; i < ack->num_sacks; i++) {
		if (bytes < SACK_BYTES + 8 * (i + 1))
			break;
		ack->sacks[i].left = get_unaligned_be32(options + 4 + 8 * i);
		ack->sacks[i].right = get_unaligned_be32(options + 8 + 8 * i);
	}
}

/* whether hwsim_hack_build() reproduces the packet */
static bool is_restorable(const u8 *packet, u32 bytes, u32 tcp, bool is_partial,
			  const struct hwsim_hack_segment *segment)
{
	u8 built[HWSIM_HACK_PACKET_MAX];

	if (bytes > sizeof(built) || hwsim_hack_build(segment, built) != bytes)
		return false;
	if (is_partial) /* the packet then has a partial sum */
		memcpy(built + tcp + TCP_CHECKSUM, packet + tcp + TCP_CHECKSUM,
		       2);
	return !memcmp(built, packet, bytes);
}

/**
 * hwsim_hack_parse - classify and parse a packet
 * @packet: an IP packet
 * @bytes: its length
 * @is_partial: whether the TCP checksum is still to be computed
 * @segment: gets the fields of an ACK without data, and addresses and ports of
 *	any TCP segment, so that the flow can be found
 */
enum hwsim_hack_kind hwsim_hack_parse(const u8 *packet, u32 bytes,
				      bool is_partial,
				      struct hwsim_hack_segment *segment)
{
	struct hwsim_hack_flow *flow = &segment->flow;
	u32 start, header;
	const u8 *tcp;

	memset(segment, 0, sizeof(*segment));
	if (!bytes)
		return HWSIM_HACK_OTHER;
	if (packet[0] >> 4 == 4)
		start = parse_ipv4(packet, bytes, segment);
	else if (packet[0] >> 4 == 6)
		start = parse_ipv6(packet, bytes, segment);
	else
		start = 0;
	if (!start || bytes - start < TCP_BYTES)
		return HWSIM_HACK_OTHER;
	tcp = packet + start;
	header = (tcp[12] >> 4) * 4;
	if (header < TCP_BYTES || header > bytes - start)
		return HWSIM_HACK_OTHER;
	flow->source_port = get_unaligned_be16(tcp);
	flow->destination_port = get_unaligned_be16(tcp + 2);
	flow->seq = get_unaligned_be32(tcp + 4);
	if (tcp[13] & (FLAG_SYN | FLAG_FIN | FLAG_RST))
		return HWSIM_HACK_EDGE;
	if (bytes - start > header)
		return HWSIM_HACK_DATA;
	segment->ack.ack = get_unaligned_be32(tcp + 8);
	segment->ack.window = get_unaligned_be16(tcp + 14);
	segment->ack.flags = tcp[13] & FLAGS_KEPT;
	parse_options(tcp + TCP_BYTES, header - TCP_BYTES, segment);
	if (!is_restorable(packet, bytes, start, is_partial, segment))
		return HWSIM_HACK_ODD;
	return HWSIM_HACK_ACK;
}

static u32 build_options(const struct hwsim_hack_segment *segment, u8 *options)
{
	const struct hwsim_hack_ack *ack = &segment->ack;
	u32 bytes = 0;
	u32 i;

	if (segment->flow.has_timestamps) {
		put_unaligned_be32(TIMESTAMPS, options);
		put_unaligned_be32(ack->timestamp, options + 4);
		put_unaligned_be32(ack->echo, options + 8);
		bytes = TIMESTAMPS_BYTES;
	}
	if (!ack->num_sacks)
		return bytes;
	put_unaligned_be32(SACK + OPTION_BYTES + 8 * ack->num_sacks,
			   options + bytes);
	bytes += SACK_BYTES;
	for (i = 0; i < ack->num_sacks; i++) {
		put_unaligned_be32(ack->sacks[i].left, options + bytes);
		put_unaligned_be32(ack->sacks[i].right, options + bytes + 4);
		bytes += 8;
	}
	return bytes;
}

static u32 build_ip(const struct hwsim_hack_segment *segment, u32 bytes,
		    u8 *packet)
{
	const struct hwsim_hack_flow *flow = &segment->flow;

	if (flow->version == 6) {
		put_unaligned_be32(flow->label, packet);
		put_unaligned_be16(bytes, packet + 4);
		packet[6] = PROTOCOL_TCP;
		packet[7] = flow->hops;
		memcpy(packet + 8, flow->source, 16);
		memcpy(packet + 24, flow->destination, 16);
		return IPV6_BYTES;
	}
	packet[0] = 0x45;
	packet[1] = flow->tos;
	put_unaligned_be16(IPV4_BYTES + bytes, packet + 2);
	put_unaligned_be16(segment->ack.id, packet + 4);
	packet[6] = flow->fragments;
	packet[7] = 0;
	packet[8] = flow->hops;
	packet[9] = PROTOCOL_TCP;
	put_unaligned_be16(0, packet + 10);
	memcpy(packet + 12, flow->source, 4);
	memcpy(packet + 16, flow->destination, 4);
	put_unaligned_be16(folded(sum_of(0, packet, IPV4_BYTES)), packet + 10);
	return IPV4_BYTES;
}

/**
 * hwsim_hack_build - build the packet of an ACK
 * @segment: its fields
 * @packet: room for HWSIM_HACK_PACKET_MAX bytes
 *
 * Return: its length; 0 if options do not fit
 */
u32 hwsim_hack_build(const struct hwsim_hack_segment *segment, u8 *packet)
{
	const struct hwsim_hack_flow *flow = &segment->flow;
	const struct hwsim_hack_ack *ack = &segment->ack;
	u32 start = flow->version == 6 ? IPV6_BYTES : IPV4_BYTES;
	u8 *tcp = packet + start;
	u32 bytes = TCP_BYTES;

	/* RFC 9293, 3.1: at most 40 bytes of options */
	if (ack->num_sacks > (flow->has_timestamps ? 3 : HWSIM_HACK_SACKS))
		return 0;
	bytes += build_options(segment, tcp + TCP_BYTES);
	put_unaligned_be16(flow->source_port, tcp);
	put_unaligned_be16(flow->destination_port, tcp + 2);
	put_unaligned_be32(flow->seq, tcp + 4);
	put_unaligned_be32(ack->ack, tcp + 8);
	tcp[12] = bytes / 4 << 4;
	tcp[13] = FLAG_ACK | ack->flags;
	put_unaligned_be16(ack->window, tcp + 14);
	put_unaligned_be32(0, tcp + TCP_CHECKSUM); /* and no urgent pointer */
	put_unaligned_be16(tcp_checksum(flow, tcp, bytes), tcp + TCP_CHECKSUM);
	return build_ip(segment, bytes, packet) + bytes;
}

/**
 * hwsim_hack_tuple - input of the MD5 of a flow
 * @flow: the flow
 * @tuple: room for HWSIM_HACK_TUPLE_BYTES: addresses, ports and protocol
 *
 * Return: its length in bytes
 */
u32 hwsim_hack_tuple(const struct hwsim_hack_flow *flow, u8 *tuple)
{
	u32 length = flow->version == 4 ? 4 : 16;

	memcpy(tuple, flow->source, length);
	memcpy(tuple + length, flow->destination, length);
	put_unaligned_be16(flow->source_port, tuple + 2 * length);
	put_unaligned_be16(flow->destination_port, tuple + 2 * length + 2);
	tuple[2 * length + 4] = PROTOCOL_TCP;
	return 2 * length + 5;
}

/**
 * hwsim_hack_same_flow - whether two packets have the same 5-tuple
 * @a: of one
 * @b: of the other
 */
bool hwsim_hack_same_flow(const struct hwsim_hack_flow *a,
			  const struct hwsim_hack_flow *b)
{
	return a->version == b->version && a->source_port == b->source_port &&
	       a->destination_port == b->destination_port &&
	       !memcmp(a->source, b->source, sizeof(a->source)) &&
	       !memcmp(a->destination, b->destination, sizeof(a->destination));
}

/**
 * hwsim_hack_is_newer - whether an ACK was not sent before another one
 * @ack: the one
 * @than: the other one, of the same flow; it may be as new
 */
bool hwsim_hack_is_newer(const struct hwsim_hack_ack *ack,
			 const struct hwsim_hack_ack *than)
{
	return (s32)(ack->ack - than->ack) >= 0 &&
	       (s32)(ack->timestamp - than->timestamp) >= 0;
}

/**
 * hwsim_hack_crc8 - compute a CRC-8
 * @data: the bytes
 * @bytes: length
 *
 * The polynomial of RFC 3095, 5.9.2, which RFC 4995 does not change:
 * 1 + x + x^2 + x^8, all bits 1 at the start.
 */
u8 hwsim_hack_crc8(const u8 *data, u32 bytes)
{
	static const u8 after_half[16] = { /* four steps: >> 1, and ^ 0xe0 if odd */
		0x00, 0x1c, 0x38, 0x24, 0x70, 0x6c, 0x48, 0x54,
		0xe0, 0xfc, 0xd8, 0xc4, 0x90, 0x8c, 0xa8, 0xb4,
	};
	u8 crc = 0xff;
	u32 i;

	for (i = 0; i < bytes; i++) {
		crc ^= data[i];
		crc = crc >> 4 ^ after_half[crc & 0xf];
		crc = crc >> 4 ^ after_half[crc & 0xf];
	}
	return crc;
}
