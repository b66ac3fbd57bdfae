/* SPDX-License-Identifier: MIT */
/*
 * Packets in, packets out: what wp2pd does, without netfilter and without a clock.
 *
 *	drive YOUNG-BELOW all|thin < lines
 *
 * A line is "in" or "out", the time in microseconds, and a packet in hexadecimal. For each, it prints "pass", "drop", or
 * "ack" and the pure ACK that goes before the packet; for a packet that is not a TCP segment, "none". Then the counts.
 * Each packet has its own memory, so that AddressSanitizer sees what reads behind its end.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "age.h"

static struct age age;

static uint8_t nibble(char digit)
{
	return (uint8_t)(digit >= 'a' ? digit - 'a' + 10 : digit - '0');
}

static uint8_t *bytes_of(const char *hex, size_t *length)
{
	uint8_t *bytes;

	*length = strlen(hex) / 2;
	bytes = malloc(*length ? *length : 1);
	if (!bytes)
		exit(1);
	for (size_t i = 0; i < *length; i++)
		bytes[i] = (uint8_t)(nibble(hex[2 * i]) << 4 | nibble(hex[2 * i + 1]));
	return bytes;
}

static void handle(bool sending, uint64_t now_ns, const uint8_t *packet, size_t length)
{
	static const char *const said[] = { [AGE_PASS] = "pass", [AGE_ACK_FIRST] = "ack", [AGE_DROP] = "drop" };
	enum age_verdict verdict = AGE_PASS;
	uint8_t pure[SEGMENT_PURE_MAX];
	struct segment segment;
	uint32_t seq = 0;

	if (!segment_read(&segment, packet, length)) {
		puts("none");
		return;
	}
	if (sending)
		verdict = age_sending(&age, &segment, now_ns, &seq);
	else
		age_received(&age, &segment, now_ns);
	fputs(said[verdict], stdout);
	if (verdict == AGE_ACK_FIRST) {
		length = segment_pure_ack(pure, &segment, seq);
		putchar(' ');
		for (size_t i = 0; i < length; i++)
			printf("%02x", pure[i]);
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	static char line[1 << 18], hex[1 << 17];
	unsigned int young, mature;
	uint64_t now_us = 0;
	char way[4];

	if (argc != 3)
		return 2;
	age.settings.young_below = strtoull(argv[1], NULL, 10);
	age.settings.thin_duplicates = !strcmp(argv[2], "thin");
	while (fgets(line, sizeof(line), stdin)) {
		size_t length;
		uint8_t *packet;

		*hex = 0;
		if (sscanf(line, "%3s %" SCNu64 " %131071s", way, &now_us, hex) < 2)
			return 2;
		packet = bytes_of(hex, &length);
		handle(!strcmp(way, "out"), now_us * 1000, packet, length);
		free(packet);
	}
	age_census(&age, 0, &young, &mature);
	printf("{\"added\": %" PRIu64 ", \"left_alone\": %" PRIu64 ", \"duplicates\": %" PRIu64 ", \"dropped\": %" PRIu64
	       ", \"refused\": %" PRIu64 ", \"young\": %u, \"mature\": %u}\n",
	       age.counts.added, age.counts.left_alone, age.counts.duplicates, age.counts.dropped, age.counts.refused,
	       young, mature);
	return 0;
}
