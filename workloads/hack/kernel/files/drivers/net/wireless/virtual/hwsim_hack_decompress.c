// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decompressor: restores TCP ACKs from payloads; see hwsim_hack.h.
 *
 * Everything in a payload may be damaged, forged or repeated: nothing is read
 * beyond its end, and nothing is used before the CRC of the packet matches.
 *
 * Callers ensure that only one function runs at a time.
 */
#include <linux/string.h>
#include <linux/unaligned.h>
#include "hwsim_hack.h"

/**
 * hwsim_hack_decompressor_init - initialise a decompressor
 * @decompressor: the decompressor, without flows
 */
void hwsim_hack_decompressor_init(struct hwsim_hack_decompressor *decompressor)
{
	memset(decompressor, 0, sizeof(*decompressor));
}

static struct hwsim_hack_receiver *
receiver_of(struct hwsim_hack_decompressor *decompressor,
	    const struct hwsim_hack_flow *flow)
{
	u32 i;

	for (i = 0; i < HWSIM_HACK_FROM; i++)
		if (decompressor->flows[i].is_used &&
		    hwsim_hack_same_flow(&decompressor->flows[i].flow, flow))
			return &decompressor->flows[i];
	return NULL;
}

/* Return: an unused flow, or the least recently used one */
static struct hwsim_hack_receiver *
oldest(struct hwsim_hack_decompressor *decompressor)
{
	struct hwsim_hack_receiver *found = &decompressor->flows[0];
	u32 i;

	for (i = 0; i < HWSIM_HACK_FROM; i++) {
		if (!decompressor->flows[i].is_used)
			return &decompressor->flows[i];
		if (decompressor->flows[i].used < found->used)
			found = &decompressor->flows[i];
	}
	return found;
}

/**
 * hwsim_hack_learn - a native ACK has arrived
 * @decompressor: of the peer
 * @segment: the ACK
 * @tag: the first 4 bytes of the MD5 of its 5-tuple, the first one lowest; not
 *	used if the flow is known
 *
 * Return: the index of its flow, which may replace another one
 */
int hwsim_hack_learn(struct hwsim_hack_decompressor *decompressor,
		     const struct hwsim_hack_segment *segment, u32 tag)
{
	struct hwsim_hack_receiver *receiver;

	decompressor->statistics.natives++;
	receiver = receiver_of(decompressor, &segment->flow);
	if (!receiver) {
		receiver = oldest(decompressor);
		memset(receiver, 0, sizeof(*receiver));
		receiver->is_used = true;
		receiver->tag = tag;
	}
	receiver->used = ++decompressor->uses;
	/* one that was overtaken by an item tells nothing new */
	if (!receiver->is_certain ||
	    hwsim_hack_is_newer(&segment->ack, &receiver->last)) {
		receiver->flow = segment->flow;
		receiver->last = segment->ack;
		receiver->is_certain = true;
	}
	return receiver - decompressor->flows;
}

/**
 * hwsim_hack_has_learnt - whether a flow is known
 * @decompressor: of the peer
 * @flow: the flow
 */
bool hwsim_hack_has_learnt(struct hwsim_hack_decompressor *decompressor,
			   const struct hwsim_hack_flow *flow)
{
	return receiver_of(decompressor, flow);
}

/**
 * hwsim_hack_unlearn - a flow begins or ends
 * @decompressor: of the peer
 * @flow: the flow
 */
void hwsim_hack_unlearn(struct hwsim_hack_decompressor *decompressor,
			const struct hwsim_hack_flow *flow)
{
	struct hwsim_hack_receiver *receiver = receiver_of(decompressor, flow);

	if (receiver)
		memset(receiver, 0, sizeof(*receiver));
}

/* ---- reading an item ---- */

/* what is left of a payload; @is_short: more was read than there was */
struct reader {
	const u8 *at;
	u32 left;
	bool is_short;
};

static u32 get(struct reader *reader, u32 bytes)
{
	u32 number = 0;

	if (reader->left < bytes) {
		reader->is_short = true;
		reader->left = 0;
		return 0;
	}
	reader->left -= bytes;
	while (bytes--)
		number = number << 8 | *reader->at++;
	return number;
}

/* a number, in units or not */
struct scaled {
	u32 number;
	bool is_whole;
};

static struct scaled get_scaled(struct reader *reader)
{
	struct scaled scaled = { };
	u64 number = 0;
	u32 shift, group;

	for (shift = 0; shift < 35; shift += 7) {
		group = get(reader, 1);
		number |= (u64)(group & 0x7f) << shift;
		if (!(group & 0x80))
			break;
	}
	scaled.is_whole = number & 1;
	scaled.number = number >> 1;
	if (shift == 35 || number >> 33)
		reader->is_short = true; /* the number is invalid */
	return scaled;
}

/* an item's fields; absent numbers are 0 */
struct fields {
	u8 cid;
	u8 head;
	u8 more;
	u8 crc;
	u32 claim;
	u32 unit;
	u32 id;
	u32 window;
	s8 window_step;
	u32 ack;
	u32 timestamp;
	u32 echo;
	struct scaled offsets[HWSIM_HACK_SACKS];
	struct scaled lengths[HWSIM_HACK_SACKS];
};

static const u8 width_bytes[] = {
	[HWSIM_HACK_SAME] = 0,
	[HWSIM_HACK_SMALL] = 1,
	[HWSIM_HACK_LOW] = 2,
	[HWSIM_HACK_WHOLE] = 4,
};

static u32 num_sacks(const struct fields *fields)
{
	return (fields->more & HWSIM_HACK_MORE_SACKS) >> 3;
}

static enum hwsim_hack_width ack_width(const struct fields *fields)
{
	return (fields->head & HWSIM_HACK_LONG_ACK) >> 2;
}

static enum hwsim_hack_width times_width(const struct fields *fields)
{
	return fields->head & HWSIM_HACK_LONG_TIMES;
}

static void get_long(struct reader *reader, struct fields *fields)
{
	u32 times = width_bytes[times_width(fields)];
	u32 i;

	if (fields->head & HWSIM_HACK_LONG_MORE)
		fields->more = get(reader, 1);
	if (fields->more & HWSIM_HACK_MORE_CLAIM)
		fields->claim = get(reader, 3);
	if (fields->more & HWSIM_HACK_MORE_UNIT)
		fields->unit = get(reader, 2);
	if (fields->head & HWSIM_HACK_LONG_ID)
		fields->id = get(reader, 2);
	if (fields->head & HWSIM_HACK_LONG_WINDOW)
		fields->window = get(reader, 2);
	fields->ack = get(reader, width_bytes[ack_width(fields)]);
	fields->timestamp = get(reader, times);
	if (times > 1)
		fields->echo = get(reader, times);
	if (num_sacks(fields) > HWSIM_HACK_SACKS)
		reader->is_short = true; /* no option has that many */
	for (i = 0; i < num_sacks(fields) && !reader->is_short; i++) {
		fields->offsets[i] = get_scaled(reader);
		fields->lengths[i] = get_scaled(reader);
	}
}

/* Return: false if the item is incomplete */
static bool get_item(struct reader *reader, struct fields *fields)
{
	memset(fields, 0, sizeof(*fields));
	fields->cid = get(reader, 1);
	fields->head = get(reader, 1);
	if (fields->head == HWSIM_HACK_MEDIUM) {
		fields->window_step = get(reader, 1);
		fields->head = get(reader, 1);
		if (fields->head & HWSIM_HACK_LONG)
			reader->is_short = true; /* the form is invalid */
	} else if (fields->head & HWSIM_HACK_LONG) {
		get_long(reader, fields);
	}
	fields->crc = get(reader, 1);
	return !reader->is_short;
}

/* ---- its meaning ---- */

/* the lowest number with these 2 bytes that is not below the known one */
static u32 from_low(u32 known, u32 low)
{
	return known + (u16)(low - known);
}

static u8 flags_of(u8 more)
{
	return (more & HWSIM_HACK_MORE_ECE ? HWSIM_HACK_FLAG_ECE : 0) |
	       (more & HWSIM_HACK_MORE_CWR ? HWSIM_HACK_FLAG_CWR : 0) |
	       (more & HWSIM_HACK_MORE_PSH ? HWSIM_HACK_FLAG_PSH : 0);
}

static void apply_short(const struct fields *fields,
			const struct hwsim_hack_receiver *receiver,
			struct hwsim_hack_ack *ack)
{
	ack->window += fields->window_step;
	ack->ack += (u32)(fields->head >> 4) * receiver->unit;
	ack->timestamp += fields->head >> 2 & 3;
	ack->echo += fields->head & 3;
}

static void apply_long(const struct fields *fields, u32 unit,
		       struct hwsim_hack_ack *ack)
{
	u32 offset, i;

	if (fields->head & HWSIM_HACK_LONG_MORE)
		ack->flags = flags_of(fields->more);
	if (fields->head & HWSIM_HACK_LONG_ID)
		ack->id = fields->id;
	if (fields->head & HWSIM_HACK_LONG_WINDOW)
		ack->window = fields->window;
	switch (ack_width(fields)) {
	case HWSIM_HACK_SAME:
		break;
	case HWSIM_HACK_SMALL:
		ack->ack += fields->ack * unit;
		break;
	case HWSIM_HACK_LOW:
		ack->ack = from_low(ack->ack, fields->ack);
		break;
	case HWSIM_HACK_WHOLE:
		ack->ack = fields->ack;
		break;
	}
	switch (times_width(fields)) {
	case HWSIM_HACK_SAME:
		break;
	case HWSIM_HACK_SMALL:
		ack->timestamp += fields->timestamp >> 4;
		ack->echo += fields->timestamp & 0xf;
		break;
	case HWSIM_HACK_LOW:
		ack->timestamp = from_low(ack->timestamp, fields->timestamp);
		ack->echo = from_low(ack->echo, fields->echo);
		break;
	case HWSIM_HACK_WHOLE:
		ack->timestamp = fields->timestamp;
		ack->echo = fields->echo;
		break;
	}
	ack->num_sacks = num_sacks(fields);
	for (i = 0; i < ack->num_sacks; i++) {
		offset = fields->offsets[i].number;
		offset = offset >> 1 ^ -(offset & 1);
		if (fields->offsets[i].is_whole)
			offset *= unit;
		ack->sacks[i].left = ack->ack + offset;
		offset = fields->lengths[i].number;
		if (fields->lengths[i].is_whole)
			offset *= unit;
		ack->sacks[i].right = ack->sacks[i].left + offset;
	}
}

/* Return: the flow of an item, or NULL */
static struct hwsim_hack_receiver *
flow_of(struct hwsim_hack_decompressor *decompressor,
	const struct fields *fields)
{
	const bool claims = fields->more & HWSIM_HACK_MORE_CLAIM;
	const u32 tag = fields->claim << 8 | fields->cid;
	u32 i;

	for (i = 0; i < HWSIM_HACK_FROM; i++) {
		struct hwsim_hack_receiver *receiver = &decompressor->flows[i];

		if (receiver->is_used &&
		    (claims ? receiver->tag == tag :
		     receiver->has_claimed && (u8)receiver->tag == fields->cid))
			return receiver;
	}
	return NULL;
}

static void claim(struct hwsim_hack_decompressor *decompressor,
		  struct hwsim_hack_receiver *receiver)
{
	u32 i;

	for (i = 0; i < HWSIM_HACK_FROM; i++)
		if ((u8)decompressor->flows[i].tag == (u8)receiver->tag)
			decompressor->flows[i].has_claimed = false;
	receiver->has_claimed = true;
}

/* whether the fields include options or numbers that the flow lacks */
static bool is_foreign(const struct hwsim_hack_flow *flow,
		       const struct fields *fields)
{
	bool has_times = fields->head & (fields->head & HWSIM_HACK_LONG ?
					 HWSIM_HACK_LONG_TIMES : 0xf);

	return (has_times && !flow->has_timestamps) ||
	       (fields->head & HWSIM_HACK_LONG &&
		fields->head & HWSIM_HACK_LONG_ID && flow->version == 6);
}

/* Return: whether the item was valid */
static bool restore_item(struct hwsim_hack_decompressor *decompressor,
			 const struct fields *fields,
			 hwsim_hack_restored *restored, void *context)
{
	struct hwsim_hack_statistics *statistics = &decompressor->statistics;
	struct hwsim_hack_segment segment;
	struct hwsim_hack_receiver *receiver;
	u8 packet[HWSIM_HACK_PACKET_MAX];
	u32 unit, bytes;

	receiver = flow_of(decompressor, fields);
	if (!receiver || !receiver->is_certain) {
		statistics->unknown++;
		return false;
	}
	unit = fields->more & HWSIM_HACK_MORE_UNIT ? fields->unit :
	       receiver->unit;
	segment.flow = receiver->flow;
	segment.ack = receiver->last;
	segment.ack.num_sacks = 0;
	if (receiver->flow.version == 4)
		segment.ack.id++;
	if (fields->head & HWSIM_HACK_LONG)
		apply_long(fields, unit, &segment.ack);
	else
		apply_short(fields, receiver, &segment.ack);
	bytes = is_foreign(&segment.flow, fields) ? 0 :
		hwsim_hack_build(&segment, packet);
	if (!bytes || hwsim_hack_crc8(packet, bytes) != fields->crc) {
		statistics->crc_failures++;
		receiver->is_certain = false;
		return false;
	}
	receiver->last = segment.ack;
	receiver->unit = unit;
	receiver->used = ++decompressor->uses;
	claim(decompressor, receiver);
	statistics->acks++;
	statistics->packet_bytes += bytes;
	restored(context, receiver - decompressor->flows, packet, bytes);
	return true;
}

/**
 * hwsim_hack_restore - restore the ACKs of a payload
 * @decompressor: of the peer
 * @payload: payload of an ACK or BlockAck
 * @bytes: its length
 * @restored: called for each packet, in order; must not call the decompressor
 * @context: for that
 */
void hwsim_hack_restore(struct hwsim_hack_decompressor *decompressor,
			const u8 *payload, u32 bytes,
			hwsim_hack_restored *restored, void *context)
{
	struct hwsim_hack_statistics *statistics = &decompressor->statistics;
	struct reader reader = { .at = payload, .left = bytes };
	struct fields fields;
	u32 before;
	u8 msn;

	statistics->payloads++;
	msn = get(&reader, 1);
	if (!decompressor->has_begun && !reader.is_short) {
		decompressor->has_begun = true;
		decompressor->msn = msn;
	}
	for (; reader.left; msn++) {
		before = reader.left;
		if (!get_item(&reader, &fields))
			break;
		/* a compressor does not repeat more than it can hold */
		if ((u8)(decompressor->msn - msn - 1) < HWSIM_HACK_HELD) {
			statistics->duplicates++;
			continue;
		}
		statistics->bytes += before - reader.left;
		/* only a valid item may skip others */
		if (restore_item(decompressor, &fields, restored, context) ||
		    msn == decompressor->msn)
			decompressor->msn = msn + 1;
	}
	if (reader.is_short)
		statistics->malformed++;
}
