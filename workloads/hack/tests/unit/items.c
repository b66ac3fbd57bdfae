/* SPDX-License-Identifier: MIT */
/*
 * What the kernel's decompressor finds in payloads: for each line of hexadecimal digits, the number of items, and 1 if
 * the payload ends within one.
 */
#include <stdio.h>

#include "hwsim_hack.h"

#define BYTES_MAX 4096

static void restored(void *context, u32 flow, const u8 *packet, u32 bytes)
{
	(void)context, (void)flow, (void)packet, (void)bytes; /* no flow is known */
}

int main(void)
{
	static char line[2 * BYTES_MAX + 2];
	static struct hwsim_hack_decompressor decompressor;
	u8 payload[BYTES_MAX];

	while (fgets(line, sizeof(line), stdin)) {
		unsigned int byte;
		u32 bytes = 0;

		while (sscanf(line + 2 * bytes, "%2x", &byte) == 1)
			payload[bytes++] = (u8)byte;
		hwsim_hack_decompressor_init(&decompressor);
		hwsim_hack_restore(&decompressor, payload, bytes, restored, NULL);
		printf("%llu %llu\n", (unsigned long long)decompressor.statistics.unknown,
		       (unsigned long long)decompressor.statistics.malformed);
	}
	return 0;
}
