/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A link with random events, for tests of compressor and decompressor: native
 * ACKs that are late or lost, payloads that are lost or repeated, ACKs that are
 * given up. Whatever happens, each restored packet is one that was held, with
 * the same bytes, in the order of its flow, and only once.
 *
 * Not modelled: native ACKs of a flow that overtake each other, which the
 * reorder buffer of their TID prevents.
 *
 * KUnit draws the events from a seed, a fuzzer from its input.
 */
#ifndef __HWSIM_HACK_SCENARIO_H
#define __HWSIM_HACK_SCENARIO_H

#include <linux/string.h>
#include <linux/unaligned.h>
#include "hwsim_hack.h"

#define SCENARIO_FLOWS	4
#define SCENARIO_LOG	256
#define SCENARIO_NATIVES 6
#define SCENARIO_ROOM	512

/**
 * struct scenario - a link
 * @choose: draw a number from 0 to less than @below; 0 once input ends
 * @fail: called with a description of a failure
 * @context: for both
 * @compressor: at one end
 * @decompressor: at the other
 * @flows: the last ACK of each
 * @log: ACKs that were held, a ring
 * @num_logged: how many
 * @natives: in flight, the oldest first
 * @num_natives: how many
 * @cookie: of the last one
 * @now_ns: the time
 * @restored: packets that were restored
 * @wrong: of these, those that were not held or were repeated
 * @is_faithful: whether payloads arrive as they were sent, if they do
 */
struct scenario {
	u32 (*choose)(void *context, u32 below);
	void (*fail)(void *context, const char *what);
	void *context;
	struct hwsim_hack_compressor compressor;
	struct hwsim_hack_decompressor decompressor;
	struct hwsim_hack_segment flows[SCENARIO_FLOWS];
	struct scenario_entry {
		u8 packet[HWSIM_HACK_PACKET_MAX];
		u32 bytes;
		u32 flow;
		bool is_restored;
	} log[SCENARIO_LOG];
	u32 num_logged;
	struct {
		struct hwsim_hack_segment segment;
		u32 tag;
		u32 cookie;
	} natives[SCENARIO_NATIVES];
	u32 num_natives;
	u32 cookie;
	u64 now_ns;
	u32 restored;
	u32 wrong;
	bool is_faithful;
};

/* two flows have the same CID */
static inline u32 scenario_tag(u32 flow)
{
	return flow << 16 | (flow / 2 ? 7 : 5);
}

static inline void scenario_init(struct scenario *link, bool is_faithful)
{
	struct hwsim_hack_flow *flow;
	u32 i;

	hwsim_hack_compressor_init(&link->compressor);
	hwsim_hack_decompressor_init(&link->decompressor);
	link->is_faithful = is_faithful;
	for (i = 0; i < SCENARIO_FLOWS; i++) {
		flow = &link->flows[i].flow;
		flow->version = i == 1 ? 6 : 4;
		flow->label = i == 1 ? 0x60012345 : 0;
		flow->fragments = i == 1 ? 0 : 0x40;
		flow->hops = 64;
		flow->source[0] = 10;
		flow->destination[0] = 11;
		flow->source_port = 5000 + i;
		flow->destination_port = 80;
		flow->has_timestamps = i != 2;
		flow->seq = link->choose(link->context, 1000);
		link->flows[i].ack.ack = link->choose(link->context, 2) ?
					 0xfffff000 : 1000;
		link->flows[i].ack.window = 500;
	}
}

/* the next ACK of a flow, mostly as in a download */
static inline void scenario_grow(struct scenario *link,
				 struct hwsim_hack_segment *segment)
{
	struct hwsim_hack_ack *ack = &segment->ack;
	u32 what = link->choose(link->context, 32);
	u32 i;

	ack->num_sacks = 0;
	if (segment->flow.version == 4)
		ack->id++;
	if (segment->flow.has_timestamps) {
		ack->timestamp += link->choose(link->context, 3);
		ack->echo += link->choose(link->context, 3);
	}
	switch (what) {
	case 0:
		ack->ack += link->choose(link->context, 200000);
		break;
	case 1:
		ack->window = link->choose(link->context, 65536);
		break;
	case 8:
	case 9:
		ack->window += link->choose(link->context, 300) - 150;
		ack->ack += 1448 * link->choose(link->context, 9);
		break;
	case 2:
		ack->flags ^= 1U << (3 + link->choose(link->context, 2) * 3);
		break;
	case 3:
		if (segment->flow.version == 4)
			ack->id += link->choose(link->context, 9);
		break;
	case 4:
		if (segment->flow.has_timestamps) {
			ack->timestamp += link->choose(link->context, 1 << 20);
			ack->echo += link->choose(link->context, 1 << 20);
		}
		break;
	case 5:
		segment->flow.seq += link->choose(link->context, 3);
		break;
	case 6:
	case 7:
		ack->num_sacks = 1 + link->choose(link->context, 3);
		for (i = 0; i < ack->num_sacks; i++) {
			ack->sacks[i].left = ack->ack - 2896 +
				(what == 6 ? 1 : 1448) *
				link->choose(link->context, 90000);
			ack->sacks[i].right = ack->sacks[i].left + 1448 *
				link->choose(link->context, 200);
		}
		break;
	default:
		ack->ack += 1448 * (1 + link->choose(link->context, 6));
		break;
	}
}

static inline void scenario_let_go(void *context, void *owner, bool was_sent,
				   bool is_last)
{
}

static inline void scenario_send(struct scenario *link)
{
	u32 flow = link->choose(link->context, SCENARIO_FLOWS);
	struct hwsim_hack_segment *segment = &link->flows[flow];
	struct hwsim_hack_segment parsed;
	struct scenario_entry *entry;
	u8 packet[HWSIM_HACK_PACKET_MAX];
	u32 bytes;

	scenario_grow(link, segment);
	bytes = hwsim_hack_build(segment, packet);
	if (hwsim_hack_parse(packet, bytes, false, &parsed) != HWSIM_HACK_ACK ||
	    memcmp(&parsed, segment, sizeof(parsed))) {
		/* beyond num_sacks there may be old blocks */
		if (memcmp(&parsed.flow, &segment->flow, sizeof(parsed.flow)))
			link->fail(link->context, "a packet was not parsed");
	}
	link->now_ns++;
	entry = &link->log[link->num_logged % SCENARIO_LOG];
	if (link->choose(link->context, 8) &&
	    hwsim_hack_hold(&link->compressor, &parsed, link->now_ns, entry)) {
		memcpy(entry->packet, packet, bytes);
		entry->bytes = bytes;
		entry->flow = flow;
		entry->is_restored = false;
		link->num_logged++;
		return;
	}
	hwsim_hack_flush(&link->compressor, scenario_let_go, NULL);
	if (link->num_natives == SCENARIO_NATIVES)
		return; /* its queue is full */
	link->natives[link->num_natives].segment = parsed;
	link->natives[link->num_natives].tag = scenario_tag(flow);
	link->natives[link->num_natives].cookie = ++link->cookie;
	link->num_natives++;
	hwsim_hack_native(&link->compressor, &parsed, scenario_tag(flow),
			  link->now_ns, link->cookie);
}

/* the oldest native ACK arrives or is lost */
static inline void scenario_native(struct scenario *link)
{
	if (!link->num_natives)
		return;
	if (link->choose(link->context, 4)) {
		hwsim_hack_learn(&link->decompressor,
				 &link->natives[0].segment,
				 link->natives[0].tag);
		hwsim_hack_native_arrived(&link->compressor,
					  link->natives[0].cookie);
	}
	link->num_natives--;
	memmove(link->natives, link->natives + 1,
		link->num_natives * sizeof(link->natives[0]));
}

static inline void scenario_restored(void *context, u32 flow,
				     const u8 *packet, u32 bytes)
{
	struct scenario *link = context;
	u32 from = link->num_logged < SCENARIO_LOG ? 0 :
		   link->num_logged - SCENARIO_LOG;
	struct scenario_entry *entry, *found = NULL;
	u32 i;

	link->restored++;
	for (i = from; i < link->num_logged; i++) {
		entry = &link->log[i % SCENARIO_LOG];
		if (entry->bytes == bytes && !entry->is_restored &&
		    !memcmp(entry->packet, packet, bytes)) {
			found = entry;
			break;
		}
	}
	if (!found) {
		link->wrong++;
		if (link->is_faithful)
			link->fail(link->context,
				   "a restored packet was not held");
		return;
	}
	for (i++; i < link->num_logged; i++) {
		entry = &link->log[i % SCENARIO_LOG];
		if (entry->flow == found->flow && entry->is_restored &&
		    link->is_faithful)
			link->fail(link->context, "packets were reordered");
	}
	found->is_restored = true;
}

static inline void scenario_damage(struct scenario *link, u8 *payload,
				   u32 *bytes)
{
	u32 what = link->choose(link->context, 4);

	if (!what)
		*bytes = link->choose(link->context, *bytes + 1);
	if (what == 1)
		*bytes = link->choose(link->context, SCENARIO_ROOM);
	if (what > 1 && *bytes)
		payload[link->choose(link->context, *bytes)] ^=
			1U << link->choose(link->context, 8);
}

/* an ACK or BlockAck */
static inline void scenario_answer(struct scenario *link)
{
	u8 payload[SCENARIO_ROOM] = { };
	u64 until_ns = link->now_ns - link->choose(link->context, 3);
	u32 room = link->choose(link->context, 4) ? SCENARIO_ROOM : 40;
	u32 bytes = hwsim_hack_fill(&link->compressor, until_ns, payload, room);
	u32 fate = link->choose(link->context, 8);

	if (!link->is_faithful && !link->choose(link->context, 4))
		scenario_damage(link, payload, &bytes);
	if (!bytes || !fate)
		return;
	hwsim_hack_restore(&link->decompressor, payload, bytes,
			   scenario_restored, link);
	if (fate == 1) /* the sender does not learn that it arrived */
		return;
	hwsim_hack_delivered(&link->compressor, link->now_ns, scenario_let_go,
			     NULL);
	if (fate == 2) /* it is repeated */
		hwsim_hack_restore(&link->decompressor, payload, bytes,
				   scenario_restored, link);
}

/* one event */
static inline void scenario_step(struct scenario *link)
{
	switch (link->choose(link->context, 8)) {
	case 0:
	case 1:
		scenario_native(link);
		break;
	case 2:
	case 3:
		scenario_answer(link);
		break;
	default:
		scenario_send(link);
		break;
	}
	if (link->is_faithful &&
	    link->decompressor.statistics.crc_failures +
	    link->decompressor.statistics.unknown +
	    link->decompressor.statistics.malformed)
		link->fail(link->context, "an item could not be restored");
}

#endif
