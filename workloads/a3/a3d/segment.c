/* SPDX-License-Identifier: MIT */
#include "segment.h"

#include <string.h>

enum {
	IP4_HEADER = 20,
	IP4_CHECKSUM = 10,
	IP6_HEADER = 40,
	TCP_HEADER = 20,
	TCP_CHECKSUM = 16,
	PROTOCOL_TCP = 6,

	OPTION_END = 0,
	OPTION_NOP = 1,
	OPTION_MSS = 2,
	OPTION_SCALE = 3,
	OPTION_SACK_PERMITTED = 4,
	OPTION_SACK = 5,
	OPTION_TIMESTAMPS = 8,
};

static uint16_t get16(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static uint32_t get32(const uint8_t *bytes)
{
	return (uint32_t)get16(bytes) << 16 | get16(bytes + 2);
}

/* False: they are malformed. */
static bool read_options(struct segment *segment, const uint8_t *options, size_t bytes)
{
	size_t length;

	for (size_t at = 0; at < bytes && options[at] != OPTION_END; at += length) {
		length = 1;
		if (options[at] == OPTION_NOP)
			continue;
		if (bytes - at < 2 || options[at + 1] < 2 || options[at + 1] > bytes - at)
			return false;
		length = options[at + 1];
		switch (options[at]) {
		case OPTION_TIMESTAMPS:
			segment->has_timestamps = true;
			break;
		case OPTION_MSS:
		case OPTION_SCALE:
		case OPTION_SACK_PERMITTED:
		case OPTION_SACK:
			break;
		default:
			segment->foreign = true;
		}
	}
	return true;
}

/* bytes: those that are there, from the first of the packet. */
static bool read_tcp(struct segment *segment, const uint8_t *packet, size_t bytes)
{
	const uint8_t *tcp = packet + segment->tcp;
	size_t header;

	if (bytes < segment->tcp + TCP_HEADER || segment->length < segment->tcp + TCP_HEADER)
		return false;
	header = (size_t)(tcp[12] >> 4) * 4;
	segment->payload = segment->tcp + header;
	if (header < TCP_HEADER || segment->payload > bytes || segment->payload > segment->length)
		return false;
	segment->from.port = get16(tcp);
	segment->to.port = get16(tcp + 2);
	segment->seq = get32(tcp + 4);
	segment->ack = get32(tcp + 8);
	segment->flags = tcp[13];
	segment->packet = packet;
	segment->whole = bytes >= segment->length;
	if (!read_options(segment, tcp + TCP_HEADER, header - TCP_HEADER))
		return false;
	segment->foreign |= segment->flags & SEGMENT_SYN && segment->payload < segment->length;
	return true;
}

static bool read_ip4(struct segment *segment, const uint8_t *packet, size_t bytes)
{
	if (bytes < IP4_HEADER)
		return false;
	segment->tcp = (size_t)(packet[0] & 0x0f) * 4;
	segment->length = get16(packet + 2);
	if (segment->tcp < IP4_HEADER || packet[9] != PROTOCOL_TCP)
		return false;
	if (get16(packet + 6) & 0x3fff) /* a fragment */
		return false;
	segment->id = get16(packet + 4);
	memcpy(segment->from.address, packet + 12, 4);
	memcpy(segment->to.address, packet + 16, 4);
	return read_tcp(segment, packet, bytes);
}

static bool read_ip6(struct segment *segment, const uint8_t *packet, size_t bytes)
{
	if (bytes < IP6_HEADER || packet[6] != PROTOCOL_TCP)
		return false;
	segment->tcp = IP6_HEADER;
	segment->length = IP6_HEADER + get16(packet + 4);
	memcpy(segment->from.address, packet + 8, 16);
	memcpy(segment->to.address, packet + 24, 16);
	return read_tcp(segment, packet, bytes);
}

bool segment_read(struct segment *segment, const uint8_t *packet, size_t bytes)
{
	memset(segment, 0, sizeof(*segment));
	if (!bytes)
		return false;
	segment->version = packet[0] >> 4;
	if (segment->version == 4)
		return read_ip4(segment, packet, bytes);
	return segment->version == 6 && read_ip6(segment, packet, bytes);
}

/* FNV-1a. */
static uint64_t hashed(uint64_t hash, const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
	return hash;
}

bool segment_identity(const struct segment *segment, uint64_t *identity)
{
	const uint8_t *tcp = segment->packet + segment->tcp;
	size_t after = TCP_CHECKSUM + 2; /* the network card may have computed it or not */
	uint64_t hash = UINT64_C(14695981039346656037);

	if (!segment->whole || !(segment->has_timestamps || segment->id))
		return false;
	hash = (hash ^ segment->id) * UINT64_C(1099511628211);
	hash = hashed(hash, tcp, TCP_CHECKSUM);
	*identity = hashed(hash, tcp + after, segment->length - segment->tcp - after);
	return true;
}

/* Add bytes to a sum of 16-bit words; the last one may be half. */
static uint32_t sum(uint32_t sum16, const uint8_t *bytes, size_t length)
{
	for (; length > 1; length -= 2, bytes += 2)
		sum16 += get16(bytes);
	return length ? sum16 + (uint32_t)(*bytes << 8) : sum16;
}

/* Write a checksum over what has been summed. */
static void put_checksum(uint8_t *bytes, uint32_t sum16)
{
	while (sum16 >> 16)
		sum16 = (sum16 & 0xffff) + (sum16 >> 16);
	bytes[0] = (uint8_t)(~sum16 >> 8);
	bytes[1] = (uint8_t)~sum16;
}

size_t segment_copy(const struct segment *segment, uint8_t *packet, size_t room)
{
	size_t tcp_length = segment->length - segment->tcp, address = segment->version == 6 ? 16 : 4;
	uint8_t *tcp = packet + segment->tcp;
	uint32_t pseudo = PROTOCOL_TCP + (uint32_t)tcp_length;

	if (segment->length > room)
		return 0;
	memcpy(packet, segment->packet, segment->length);
	if (segment->version == 4) {
		memset(packet + IP4_CHECKSUM, 0, 2);
		put_checksum(packet + IP4_CHECKSUM, sum(0, packet, segment->tcp));
	}
	memset(tcp + TCP_CHECKSUM, 0, 2);
	pseudo = sum(sum(pseudo, segment->from.address, address), segment->to.address, address);
	put_checksum(tcp + TCP_CHECKSUM, sum(pseudo, tcp, tcp_length));
	return segment->length;
}
