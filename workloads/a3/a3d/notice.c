/* SPDX-License-Identifier: MIT */
#include "notice.h"

#include <string.h>

enum {
	IP4_HEADER = 20,
	IP6_HEADER = 40,
	TCP_HEADER = 20,
	MARK = 2, /* bytes */
	ENTRY = 8,
};

static const uint8_t mark[MARK] = { 0xa3, 0x02 };

/* The bytes of IP's header; 0: it has another protocol, or is a fragment. */
static size_t ip_header(const uint8_t *packet, size_t bytes)
{
	size_t header;

	if (bytes >= IP6_HEADER && packet[0] >> 4 == 6)
		return packet[6] == NOTICE_PROTOCOL ? IP6_HEADER : 0;
	if (bytes < IP4_HEADER || packet[0] >> 4 != 4 || packet[9] != NOTICE_PROTOCOL || packet[6] & 0x3f || packet[7])
		return 0;
	header = (size_t)(packet[0] & 0x0f) * 4;
	return header >= IP4_HEADER && header <= bytes ? header : 0;
}

bool notice_is(const uint8_t *packet, size_t bytes)
{
	size_t header = ip_header(packet, bytes);

	return header && bytes >= header + TCP_HEADER + MARK && !memcmp(packet + header + TCP_HEADER, mark, MARK);
}

static uint16_t get16(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

bool notice_read(struct notice *notice, const uint8_t *packet, size_t bytes)
{
	size_t header = ip_header(packet, bytes), address, at = header + TCP_HEADER + MARK, length;

	memset(notice, 0, sizeof(*notice));
	if (!notice_is(packet, bytes))
		return false;
	notice->version = packet[0] >> 4;
	length = notice->version == 6 ? (size_t)(IP6_HEADER + get16(packet + 4)) : get16(packet + 2);
	address = notice->version == 6 ? 16 : 4;
	if (length != bytes || length == at || (length - at) % ENTRY || (length - at) / ENTRY > NOTICE_ENTRIES)
		return false;
	memcpy(notice->client.address, packet + (notice->version == 6 ? 8 : 12), address);
	memcpy(notice->server.address, packet + (notice->version == 6 ? 24 : 16), address);
	notice->client.port = get16(packet + header);
	notice->server.port = get16(packet + header + 2);
	for (; at < length; at += ENTRY) {
		uint64_t offset = 0;

		if (packet[at] > 1)
			return false;
		for (unsigned int i = 1; i < ENTRY; i++)
			offset = offset << 8 | packet[at + i];
		notice->entries[notice->count].later = packet[at];
		notice->entries[notice->count++].offset = offset;
	}
	return true;
}

static void put16(uint8_t *bytes, size_t value)
{
	bytes[0] = (uint8_t)(value >> 8);
	bytes[1] = (uint8_t)value;
}

size_t notice_write(const struct notice *notice, uint8_t packet[NOTICE_LONGEST])
{
	size_t header = notice->version == 6 ? IP6_HEADER : IP4_HEADER, address = notice->version == 6 ? 16 : 4;
	size_t at = header + TCP_HEADER + MARK, length = at + (size_t)notice->count * ENTRY;

	memset(packet, 0, at);
	if (notice->version == 6) {
		packet[0] = 0x60;
		put16(packet + 4, length - IP6_HEADER);
		packet[6] = NOTICE_PROTOCOL;
		packet[7] = 64; /* hops */
	} else {
		packet[0] = 0x45; /* the kernel computes the checksum of what it sends */
		put16(packet + 2, length);
		packet[8] = 64;
		packet[9] = NOTICE_PROTOCOL;
	}
	memcpy(packet + header - 2 * address, notice->client.address, address);
	memcpy(packet + header - address, notice->server.address, address);
	put16(packet + header, notice->client.port);
	put16(packet + header + 2, notice->server.port);
	packet[header + 12] = TCP_HEADER / 4 << 4;
	memcpy(packet + header + TCP_HEADER, mark, MARK);
	for (unsigned int i = 0; i < notice->count; i++, at += ENTRY) {
		packet[at] = notice->entries[i].later;
		for (unsigned int byte = 1; byte < ENTRY; byte++)
			packet[at + byte] = (uint8_t)(notice->entries[i].offset >> 8 * (ENTRY - 1 - byte));
	}
	return length;
}
