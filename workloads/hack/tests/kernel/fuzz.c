/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target for the compression of TCP ACKs (hwsim_hack_*.c), the very files of the kernel.
 *
 * The first byte of an input chooses what is tried with the others: packets, payloads, or the events of a link
 * (hwsim_hack_scenario.h). With -DDRIVER, `fuzz COUNT` makes so many inputs from fixed seeds.
 */
#include <stdio.h>
#include <stdlib.h>

#include "hwsim_hack_scenario.h"

struct input {
	const u8 *bytes;
	size_t length;
};

static void fail(void *context, const char *what)
{
	(void)context;
	fprintf(stderr, "%s\n", what);
	abort();
}

static u32 choose(void *context, u32 below)
{
	struct input *const input = context;
	u32 value = 0;

	for (u32 most = below - 1; most && input->length; most >>= 8) {
		value = value << 8 | *input->bytes++;
		input->length--;
	}
	return value % below;
}

/* a packet that is understood is restored as it was */
static void try_packet(const struct input *input)
{
	struct hwsim_hack_segment segment;
	u8 packet[HWSIM_HACK_PACKET_MAX];

	if (hwsim_hack_parse(input->bytes, (u32)input->length, false, &segment) != HWSIM_HACK_ACK)
		return;
	if (hwsim_hack_build(&segment, packet) != input->length || memcmp(packet, input->bytes, input->length))
		fail(NULL, "a packet is not restored as it was");
}

/* each packet that comes out is a TCP ACK of a known flow, with right checksums */
static void restored(void *context, u32 flow, const u8 *packet, u32 bytes)
{
	struct scenario *const link = context;
	struct hwsim_hack_segment segment;

	if (hwsim_hack_parse(packet, bytes, false, &segment) != HWSIM_HACK_ACK ||
	    memcmp(&segment.flow, &link->decompressor.flows[flow].flow, sizeof(segment.flow)))
		fail(NULL, "a packet came out that is no ACK of its flow");
}

static void try_payloads(struct input *input)
{
	static struct scenario link;

	memset(&link, 0, sizeof(link));
	link.choose = choose;
	link.context = input;
	scenario_init(&link, false);
	for (u32 i = 0; i < SCENARIO_FLOWS; i++)
		hwsim_hack_learn(&link.decompressor, &link.flows[i], scenario_tag(i));
	while (input->length) {
		size_t length = choose(input, SCENARIO_ROOM);

		length = length < input->length ? length : input->length;
		u8 *const payload = malloc(length); /* a sanitizer sees its end */
		if (!payload)
			abort();
		memcpy(payload, input->bytes, length);
		input->bytes += length;
		input->length -= length;
		hwsim_hack_restore(&link.decompressor, payload, (u32)length, restored, &link);
		free(payload);
	}
}

static void try_link(struct input *input, bool is_faithful)
{
	static struct scenario link;

	memset(&link, 0, sizeof(link));
	link.choose = choose;
	link.fail = fail;
	link.context = input;
	scenario_init(&link, is_faithful);
	while (input->length)
		scenario_step(&link);
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t length);

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t length)
{
	struct input input = {bytes + 1, length - 1};

	if (!length)
		return 0;
	switch (bytes[0] % 4) {
	case 0:
		try_packet(&input);
		break;
	case 1:
		try_payloads(&input);
		break;
	case 2:
		try_link(&input, false);
		break;
	default:
		try_link(&input, true);
		break;
	}
	return 0;
}

#ifdef DRIVER
/* D. E. Knuth's 64-bit linear congruential generator */
static u32 draw(u64 *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

int main(int count, char **words)
{
	static u8 bytes[1 << 14];
	u64 state = 1;

	for (long input = count > 1 ? atol(words[1]) : 0; input; input--) {
		const size_t length = draw(&state) % sizeof(bytes);

		for (size_t i = 0; i < length; i++)
			bytes[i] = (u8)(draw(&state) >> 23);
		LLVMFuzzerTestOneInput(bytes, length);
	}
	return 0;
}
#endif
