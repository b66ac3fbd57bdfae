/* SPDX-License-Identifier: MIT */
#include "segment.h"

#include <string.h>

enum {
	IP4_HEADER = 20,
	IP4_PROTOCOL = 9,
	IP4_CHECKSUM = 10,
	IP6_HEADER = 40,
	IP6_PROTOCOL = 6,
	TCP_HEADER = 20,
	TCP_HEADER_MOST = 60,
	TCP_CHECKSUM = 16,
	OPTION_END = 0,
	OPTION_NOP = 1,
	OPTION_MSS = 2,
	OPTION_SCALE = 3,
	OPTION_SACK_PERMITTED = 4,
	OPTION_SACK = 5,
	OPTION_TIMESTAMPS = 8,
	OPTION_EXPERIMENT = 253, /* RFC 4727 */
};

/* What tells a3d's option from those of other experiments (RFC 6994); the last byte is a version. */
static const uint8_t experiment[SEGMENT_OPTION_HEAD - 2] = { 'A', '3', 'd', 1 };

static uint16_t get16(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static void put16(uint8_t *bytes, size_t value)
{
	bytes[0] = (uint8_t)(value >> 8);
	bytes[1] = (uint8_t)value;
}

static uint32_t get32(const uint8_t *bytes)
{
	return (uint32_t)get16(bytes) << 16 | get16(bytes + 2);
}

/* Whether an option is a3d's. */
static bool ours(const uint8_t *option, size_t length)
{
	return option[0] == OPTION_EXPERIMENT && length >= SEGMENT_OPTION_HEAD &&
	       !memcmp(option + 2, experiment, sizeof(experiment));
}

/* What an option takes with what fills its last word. */
static size_t padded(size_t length)
{
	return (length + 3) & ~(size_t)3;
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
			segment->stamp = length == 10 ? get32(options + at + 2) : 0;
			segment->echo = length == 10 ? get32(options + at + 6) : 0;
			break;
		case OPTION_MSS:
			segment->mss = length == 4 ? get16(options + at + 2) : 0;
			break;
		case OPTION_SCALE:
			segment->has_scale = length == 3;
			segment->scale = length == 3 ? options[at + 2] : 0;
			break;
		case OPTION_SACK_PERMITTED:
			segment->sack_permitted = true;
			break;
		case OPTION_SACK:
			break;
		default:
			if (at == 0 && ours(options, length) && padded(length) <= bytes)
				segment->option = length;
			else
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
	segment->window = get16(tcp + 14);
	segment->packet = packet;
	segment->whole = bytes >= segment->length;
	if (!read_options(segment, tcp + TCP_HEADER, header - TCP_HEADER))
		return false;
	segment->foreign |= segment->flags & SEGMENT_SYN && segment->payload < segment->length;
	return true;
}

static bool read_ip4(struct segment *segment, uint8_t protocol, const uint8_t *packet, size_t bytes)
{
	if (bytes < IP4_HEADER)
		return false;
	segment->tcp = (size_t)(packet[0] & 0x0f) * 4;
	segment->length = get16(packet + 2);
	if (segment->tcp < IP4_HEADER || packet[IP4_PROTOCOL] != protocol)
		return false;
	if (get16(packet + 6) & 0x3fff) /* a fragment */
		return false;
	segment->id = get16(packet + 4);
	memcpy(segment->from.address, packet + 12, 4);
	memcpy(segment->to.address, packet + 16, 4);
	return read_tcp(segment, packet, bytes);
}

static bool read_ip6(struct segment *segment, uint8_t protocol, const uint8_t *packet, size_t bytes)
{
	if (bytes < IP6_HEADER || packet[IP6_PROTOCOL] != protocol)
		return false;
	segment->tcp = IP6_HEADER;
	segment->length = IP6_HEADER + get16(packet + 4);
	memcpy(segment->from.address, packet + 8, 16);
	memcpy(segment->to.address, packet + 24, 16);
	return read_tcp(segment, packet, bytes);
}

bool segment_read_as(struct segment *segment, uint8_t protocol, const uint8_t *packet, size_t bytes)
{
	memset(segment, 0, sizeof(*segment));
	if (!bytes)
		return false;
	segment->version = packet[0] >> 4;
	if (segment->version == 4)
		return read_ip4(segment, protocol, packet, bytes);
	return segment->version == 6 && read_ip6(segment, protocol, packet, bytes);
}

bool segment_read(struct segment *segment, const uint8_t *packet, size_t bytes)
{
	return segment_read_as(segment, SEGMENT_TCP, packet, bytes);
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

static uint32_t folded(uint32_t sum16)
{
	while (sum16 >> 16)
		sum16 = (sum16 & 0xffff) + (sum16 >> 16);
	return sum16;
}

/* Write a checksum over what has been summed. */
static void put_checksum(uint8_t *bytes, uint32_t sum16)
{
	sum16 = folded(sum16);
	bytes[0] = (uint8_t)(~sum16 >> 8);
	bytes[1] = (uint8_t)~sum16;
}

/* The sum over the pseudo header of TCP, for a segment of so many bytes. */
static uint32_t pseudo(const struct segment *segment, size_t tcp_length)
{
	size_t address = segment->version == 6 ? 16 : 4;

	return sum(sum(SEGMENT_TCP + (uint32_t)tcp_length, segment->from.address, address), segment->to.address, address);
}

bool segment_sound(const struct segment *segment)
{
	size_t tcp_length = segment->length - segment->tcp;
	const uint8_t *tcp = segment->packet + segment->tcp;
	uint32_t head = pseudo(segment, tcp_length);

	if (!segment->whole)
		return false;
	return segment->left_to_card || folded(sum(head, tcp, tcp_length)) == 0xffff;
}

void segment_set_ip(uint8_t *packet, size_t header, size_t length, uint8_t protocol)
{
	if (packet[0] >> 4 == 4) {
		put16(packet + 2, length);
		packet[IP4_PROTOCOL] = protocol;
		memset(packet + IP4_CHECKSUM, 0, 2);
		put_checksum(packet + IP4_CHECKSUM, sum(0, packet, header));
	} else {
		put16(packet + 4, length - header);
		packet[IP6_PROTOCOL] = protocol;
	}
}

/* Complete a packet that was made of a segment, and now has this length. */
static void finish(const struct segment *segment, uint8_t *packet, size_t length)
{
	uint8_t *tcp = packet + segment->tcp;
	size_t tcp_length = length - segment->tcp;

	segment_set_ip(packet, segment->tcp, length, SEGMENT_TCP);
	memset(tcp + TCP_CHECKSUM, 0, 2);
	put_checksum(tcp + TCP_CHECKSUM, sum(pseudo(segment, tcp_length), tcp, tcp_length));
}

void segment_sum(uint8_t *packet, size_t length, size_t tcp)
{
	size_t tcp_length = length - tcp;
	uint32_t head = SEGMENT_TCP + (uint32_t)tcp_length;

	head = packet[0] >> 4 == 4 ? sum(head, packet + 12, 8) : sum(head, packet + 8, 32);
	segment_set_ip(packet, tcp, length, SEGMENT_TCP);
	memset(packet + tcp + TCP_CHECKSUM, 0, 2);
	put_checksum(packet + tcp + TCP_CHECKSUM, sum(head, packet + tcp, tcp_length));
}

size_t segment_copy(const struct segment *segment, uint8_t *packet, size_t room)
{
	if (segment->length > room)
		return 0;
	memcpy(packet, segment->packet, segment->length);
	finish(segment, packet, segment->length);
	return segment->length;
}

size_t segment_with_option(const struct segment *segment, const uint8_t *value, size_t bytes, uint8_t *packet, size_t room)
{
	size_t words = padded(SEGMENT_OPTION_HEAD + bytes), header = segment->payload - segment->tcp;
	size_t options = segment->tcp + TCP_HEADER, length = segment->length + words;
	uint8_t *option = packet + options;

	if (length > room || header + words > TCP_HEADER_MOST || segment->option || !segment_sound(segment))
		return 0;
	memcpy(packet, segment->packet, options);
	memset(option, OPTION_NOP, words);
	option[0] = OPTION_EXPERIMENT;
	option[1] = (uint8_t)(SEGMENT_OPTION_HEAD + bytes);
	memcpy(option + 2, experiment, sizeof(experiment));
	memcpy(option + SEGMENT_OPTION_HEAD, value, bytes);
	memcpy(option + words, segment->packet + options, segment->length - options);
	packet[segment->tcp + 12] = (uint8_t)((packet[segment->tcp + 12] & 0x0f) | (header + words) / 4 << 4);
	finish(segment, packet, length);
	return length;
}

size_t segment_without_option(const struct segment *segment, uint8_t *packet, size_t room)
{
	size_t words = padded(segment->option), header = segment->payload - segment->tcp;
	size_t options = segment->tcp + TCP_HEADER, length = segment->length - words;

	if (length > room || !segment->option || !segment_sound(segment))
		return 0;
	memcpy(packet, segment->packet, options);
	memcpy(packet + options, segment->packet + options + words, length - options);
	packet[segment->tcp + 12] = (uint8_t)((packet[segment->tcp + 12] & 0x0f) | (header - words) / 4 << 4);
	finish(segment, packet, length);
	return length;
}

const uint8_t *segment_option(const struct segment *segment, size_t *bytes)
{
	*bytes = segment->option ? segment->option - SEGMENT_OPTION_HEAD : 0;
	return segment->packet + segment->tcp + TCP_HEADER + SEGMENT_OPTION_HEAD;
}
