/* SPDX-License-Identifier: MIT */
#include "segment.h"

#include <string.h>

enum {
	IP4_HEADER = 20,
	IP6_HEADER = 40,
	TCP_HEADER = 20,
	PROTOCOL_TCP = 6,
	DONT_FRAGMENT = 0x40,
	ECN_BITS = 0x03,

	OPTION_END = 0,
	OPTION_NOP = 1,
	OPTION_SACK = 5,
	OPTION_TIMESTAMPS = 8,
	TIMESTAMPS_LENGTH = 10,
	BLOCK_LENGTH = 8,
};

static uint16_t get16(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static uint32_t get32(const uint8_t *bytes)
{
	return (uint32_t)get16(bytes) << 16 | get16(bytes + 2);
}

static void put16(uint8_t *bytes, uint16_t value)
{
	bytes[0] = (uint8_t)(value >> 8);
	bytes[1] = (uint8_t)value;
}

static void put32(uint8_t *bytes, uint32_t value)
{
	put16(bytes, (uint16_t)(value >> 16));
	put16(bytes + 2, (uint16_t)value);
}

/* Read one option. Returns its length, 0 if it is malformed. */
static size_t read_option(struct segment *segment, const uint8_t *option, size_t left)
{
	size_t length;

	if (option[0] == OPTION_NOP)
		return 1;
	if (left < 2 || option[1] < 2 || option[1] > left)
		return 0;
	length = option[1];
	if (option[0] == OPTION_TIMESTAMPS && length == TIMESTAMPS_LENGTH) {
		segment->has_timestamps = true;
		segment->ts_value = get32(option + 2);
		segment->ts_echo = get32(option + 6);
	} else if (option[0] == OPTION_SACK && (length - 2) % BLOCK_LENGTH == 0 && !segment->blocks) {
		segment->blocks = (unsigned int)(length - 2) / BLOCK_LENGTH;
		if (segment->blocks > SEGMENT_BLOCKS)
			return 0;
		for (unsigned int i = 0; i < segment->blocks; i++) {
			segment->block[i].start = get32(option + 2 + i * BLOCK_LENGTH);
			segment->block[i].end = get32(option + 6 + i * BLOCK_LENGTH);
		}
	} else {
		segment->other_options = true;
	}
	return length;
}

static bool read_options(struct segment *segment, const uint8_t *options, size_t bytes)
{
	size_t at = 0;

	while (at < bytes && options[at] != OPTION_END) {
		size_t length = read_option(segment, options + at, bytes - at);

		if (!length)
			return false;
		at += length;
	}
	return true;
}

/* length: of TCP header and payload. */
static bool read_tcp(struct segment *segment, const uint8_t *tcp, size_t bytes, size_t length)
{
	size_t header;

	if (bytes < TCP_HEADER || length < TCP_HEADER)
		return false;
	header = (size_t)(tcp[12] >> 4) * 4;
	if (header < TCP_HEADER || header > bytes || header > length)
		return false;
	segment->from.port = get16(tcp);
	segment->to.port = get16(tcp + 2);
	segment->seq = get32(tcp + 4);
	segment->ack = get32(tcp + 8);
	segment->flags = tcp[13];
	segment->window = get16(tcp + 14);
	segment->payload = (uint32_t)(length - header);
	return read_options(segment, tcp + TCP_HEADER, header - TCP_HEADER);
}

static bool read_ip4(struct segment *segment, const uint8_t *packet, size_t bytes)
{
	size_t header = (size_t)(packet[0] & 0x0f) * 4, length;

	if (bytes < IP4_HEADER || header < IP4_HEADER || header > bytes)
		return false;
	length = get16(packet + 2);
	if (length < header || packet[9] != PROTOCOL_TCP)
		return false;
	if (get16(packet + 6) & 0x3fff) /* a fragment */
		return false;
	segment->traffic_class = packet[1];
	segment->hops = packet[8];
	memcpy(segment->from.address, packet + 12, 4);
	memcpy(segment->to.address, packet + 16, 4);
	return read_tcp(segment, packet + header, bytes - header, length - header);
}

static bool read_ip6(struct segment *segment, const uint8_t *packet, size_t bytes)
{
	if (bytes < IP6_HEADER || packet[6] != PROTOCOL_TCP)
		return false;
	segment->traffic_class = (uint8_t)(get16(packet) >> 4);
	segment->hops = packet[7];
	memcpy(segment->from.address, packet + 8, 16);
	memcpy(segment->to.address, packet + 24, 16);
	return read_tcp(segment, packet + IP6_HEADER, bytes - IP6_HEADER, get16(packet + 4));
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

bool segment_reports_duplicate(const struct segment *segment)
{
	if (!segment->blocks)
		return false;
	if (!segment_after(segment->block[0].end, segment->ack))
		return true;
	return segment->blocks > 1 && !segment_after(segment->block[1].start, segment->block[0].start) &&
	       !segment_after(segment->block[0].end, segment->block[1].end);
}

/* Append the options of a pure ACK, and return their length, a multiple of 4. */
static size_t put_options(uint8_t *options, const struct segment *segment)
{
	unsigned int first = segment_reports_duplicate(segment) ? 1 : 0;
	size_t length = 0;

	if (segment->has_timestamps) {
		memcpy(options, (uint8_t[]){ OPTION_NOP, OPTION_NOP, OPTION_TIMESTAMPS, TIMESTAMPS_LENGTH }, 4);
		put32(options + 4, segment->ts_value);
		put32(options + 8, segment->ts_echo);
		length = 12;
	}
	if (segment->blocks > first) {
		size_t blocks = (segment->blocks - first) * BLOCK_LENGTH;

		memcpy(options + length, (uint8_t[]){ OPTION_NOP, OPTION_NOP, OPTION_SACK, (uint8_t)(2 + blocks) }, 4);
		for (unsigned int i = first; i < segment->blocks; i++) {
			put32(options + length + 4 + (i - first) * BLOCK_LENGTH, segment->block[i].start);
			put32(options + length + 8 + (i - first) * BLOCK_LENGTH, segment->block[i].end);
		}
		length += 4 + blocks;
	}
	return length;
}

/* Add an even number of bytes to a sum of 16-bit words. */
static uint32_t sum(uint32_t sum16, const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i += 2)
		sum16 += get16(bytes + i);
	return sum16;
}

static uint16_t folded(uint32_t sum16)
{
	while (sum16 >> 16)
		sum16 = (sum16 & 0xffff) + (sum16 >> 16);
	return (uint16_t)~sum16;
}

/* Write the IP header before a TCP header, and return its length. */
static size_t put_ip(uint8_t *packet, const struct segment *segment, size_t tcp_length)
{
	uint8_t traffic_class = segment->traffic_class & (uint8_t)~ECN_BITS;

	if (segment->version == 6) {
		memset(packet, 0, IP6_HEADER);
		packet[0] = (uint8_t)(0x60 | traffic_class >> 4);
		packet[1] = (uint8_t)(traffic_class << 4);
		put16(packet + 4, (uint16_t)tcp_length);
		packet[6] = PROTOCOL_TCP;
		packet[7] = segment->hops;
		memcpy(packet + 8, segment->from.address, 16);
		memcpy(packet + 24, segment->to.address, 16);
		return IP6_HEADER;
	}
	memset(packet, 0, IP4_HEADER);
	packet[0] = 0x45;
	packet[1] = traffic_class;
	put16(packet + 2, (uint16_t)(IP4_HEADER + tcp_length));
	packet[6] = DONT_FRAGMENT;
	packet[8] = segment->hops;
	packet[9] = PROTOCOL_TCP;
	memcpy(packet + 12, segment->from.address, 4);
	memcpy(packet + 16, segment->to.address, 4);
	put16(packet + 10, folded(sum(0, packet, IP4_HEADER)));
	return IP4_HEADER;
}

size_t segment_pure_ack(uint8_t packet[SEGMENT_PURE_MAX], const struct segment *segment, uint32_t seq)
{
	size_t address = segment->version == 6 ? 16 : 4;
	uint8_t options[40];
	size_t tcp_length = TCP_HEADER + put_options(options, segment);
	uint8_t *tcp = packet + put_ip(packet, segment, tcp_length);
	uint32_t pseudo = PROTOCOL_TCP + (uint32_t)tcp_length;

	memset(tcp, 0, TCP_HEADER);
	put16(tcp, segment->from.port);
	put16(tcp + 2, segment->to.port);
	put32(tcp + 4, seq);
	put32(tcp + 8, segment->ack);
	tcp[12] = (uint8_t)(tcp_length / 4 << 4);
	tcp[13] = (uint8_t)(SEGMENT_ACK | (segment->flags & SEGMENT_ECE));
	put16(tcp + 14, segment->window);
	memcpy(tcp + TCP_HEADER, options, tcp_length - TCP_HEADER);
	pseudo = sum(sum(pseudo, segment->from.address, address), segment->to.address, address);
	put16(tcp + 16, folded(sum(pseudo, tcp, tcp_length)));
	return (size_t)(tcp - packet) + tcp_length;
}
