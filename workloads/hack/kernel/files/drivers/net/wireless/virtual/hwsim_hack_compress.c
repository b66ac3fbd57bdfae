// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compressor of TCP ACKs: holds them and fills payloads; see hwsim_hack.h.
 *
 * The decompressor knows a flow's last ACK, or one of the native ACKs in
 * flight. So an item is encoded to be correct after each of them. From then on
 * the decompressor knows that item: items arrive in order or not at all.
 *
 * Callers ensure that only one function runs at a time.
 */
#include <linux/gcd.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include "hwsim_hack.h"

#define LEAST_UNIT	64	/* bytes: a smaller unit is chance */

/**
 * hwsim_hack_compressor_init - initialise a compressor
 * @compressor: the compressor, without flows
 */
void hwsim_hack_compressor_init(struct hwsim_hack_compressor *compressor)
{
	memset(compressor, 0, sizeof(*compressor));
}

static struct hwsim_hack_sender *
sender_of(struct hwsim_hack_compressor *compressor,
	  const struct hwsim_hack_flow *flow)
{
	u32 i;

	for (i = 0; i < HWSIM_HACK_FLOWS; i++)
		if (compressor->flows[i].is_used &&
		    hwsim_hack_same_flow(&compressor->flows[i].flow, flow))
			return &compressor->flows[i];
	return NULL;
}

static struct hwsim_hack_item *
item_at(struct hwsim_hack_compressor *compressor, u32 index)
{
	return &compressor->items[(compressor->first + index) %
				  HWSIM_HACK_HELD];
}

/* ---- one item ---- */

/*
 * By how much an ACK exceeds what the decompressor knows, at most; @is_exact:
 * that can only be one ACK.
 */
struct growth {
	u32 ack;
	u32 timestamp;
	u32 echo;
	bool is_exact;
};

static void grow(struct growth *growth, const struct hwsim_hack_ack *now,
		 const struct hwsim_hack_ack *known)
{
	growth->ack = max(growth->ack, now->ack - known->ack);
	growth->timestamp = max(growth->timestamp,
				now->timestamp - known->timestamp);
	growth->echo = max(growth->echo, now->echo - known->echo);
}

static struct growth growth_of(const struct hwsim_hack_sender *sender,
			       const struct hwsim_hack_ack *now)
{
	struct growth growth = { .is_exact = !sender->num_pending };
	u32 i;

	grow(&growth, now, &sender->last);
	for (i = 0; i < sender->num_pending; i++)
		grow(&growth, now, &sender->pending[i].ack);
	return growth;
}

/* the unit that makes the last steps of the ACK number whole, or 0 */
static u16 unit_of(const struct hwsim_hack_sender *sender, u32 step)
{
	u32 unit = sender->unit;

	if (unit && step % unit == 0)
		return unit;
	unit = gcd(step, sender->delta);
	return unit >= LEAST_UNIT && unit <= U16_MAX ? unit : 0;
}

static enum hwsim_hack_width ack_width(const struct growth *growth, u16 unit)
{
	if (growth->is_exact && !growth->ack)
		return HWSIM_HACK_SAME;
	if (growth->is_exact && unit && growth->ack / unit <= U8_MAX)
		return HWSIM_HACK_SMALL;
	return growth->ack <= U16_MAX ? HWSIM_HACK_LOW : HWSIM_HACK_WHOLE;
}

static enum hwsim_hack_width times_width(const struct hwsim_hack_sender *sender,
					 const struct growth *growth)
{
	u32 most = max(growth->timestamp, growth->echo);

	if (!sender->flow.has_timestamps || (growth->is_exact && !most))
		return HWSIM_HACK_SAME;
	if (growth->is_exact && most <= 0xf)
		return HWSIM_HACK_SMALL;
	return most <= U16_MAX ? HWSIM_HACK_LOW : HWSIM_HACK_WHOLE;
}

/* by how much the window changes, as a signed number */
static s16 window_step(const struct hwsim_hack_sender *sender,
		       const struct hwsim_hack_ack *now)
{
	return now->window - sender->last.window;
}

/* whether an ACK can be written in the short or the medium form */
static bool is_short(const struct hwsim_hack_sender *sender,
		     const struct hwsim_hack_ack *now,
		     const struct growth *growth, u16 unit)
{
	const struct hwsim_hack_ack *last = &sender->last;
	const s16 step = window_step(sender, now);

	return growth->is_exact && sender->has_claimed && !now->num_sacks &&
	       (!growth->ack ||
		(unit && unit == sender->unit && growth->ack / unit <= 7)) &&
	       growth->timestamp <= 3 && growth->echo <= 3 &&
	       step >= S8_MIN && step <= S8_MAX && now->flags == last->flags &&
	       (sender->flow.version == 6 || now->id == (u16)(last->id + 1));
}

/* groups of 7 bits, the lowest first, the highest bit set in all but the last */
static u8 *put_groups(u8 *at, u64 number)
{
	while (number > 0x7f) {
		*at++ = number | 0x80;
		number >>= 7;
	}
	*at++ = number;
	return at;
}

static u8 *put_16(u8 *at, u16 number)
{
	put_unaligned_be16(number, at);
	return at + 2;
}

static u8 *put_32(u8 *at, u32 number)
{
	put_unaligned_be32(number, at);
	return at + 4;
}

/* a number, in units or not */
static u8 *put_scaled(u8 *at, u32 number, bool is_whole)
{
	return put_groups(at, (u64)number << 1 | is_whole);
}

static u8 *put_sacks(u8 *at, const struct hwsim_hack_ack *now, u16 unit)
{
	bool is_whole;
	u32 i, length;
	s32 offset;

	for (i = 0; i < now->num_sacks; i++) {
		/* negative: a duplicate (RFC 2883) lies below the ACK number */
		offset = now->sacks[i].left - now->ack;
		is_whole = unit && offset % unit == 0;
		if (is_whole)
			offset /= unit;
		at = put_scaled(at, (u32)offset << 1 ^ -((u32)offset >> 31),
				is_whole);
		length = now->sacks[i].right - now->sacks[i].left;
		is_whole = unit && length % unit == 0;
		at = put_scaled(at, is_whole ? length / unit : length,
				is_whole);
	}
	return at;
}

static u8 *put_times(u8 *at, enum hwsim_hack_width width,
		     const struct growth *growth,
		     const struct hwsim_hack_ack *now)
{
	switch (width) {
	case HWSIM_HACK_SAME:
		return at;
	case HWSIM_HACK_SMALL:
		*at = growth->timestamp << 4 | growth->echo;
		return at + 1;
	case HWSIM_HACK_LOW:
		return put_16(put_16(at, now->timestamp), now->echo);
	default:
		return put_32(put_32(at, now->timestamp), now->echo);
	}
}

static u8 *put_ack(u8 *at, enum hwsim_hack_width width,
		   const struct growth *growth, u16 unit,
		   const struct hwsim_hack_ack *now)
{
	switch (width) {
	case HWSIM_HACK_SAME:
		return at;
	case HWSIM_HACK_SMALL:
		*at = growth->ack / unit;
		return at + 1;
	case HWSIM_HACK_LOW:
		return put_16(at, now->ack);
	default:
		return put_32(at, now->ack);
	}
}

/* Return: the byte after the item's last field */
static u8 *put_long(u8 *at, struct hwsim_hack_sender *sender,
		    const struct hwsim_hack_ack *now,
		    const struct growth *growth, u16 unit)
{
	const enum hwsim_hack_width times = times_width(sender, growth);
	const enum hwsim_hack_width ack = ack_width(growth, unit);
	const struct hwsim_hack_ack *last = &sender->last;
	const bool is_exact = growth->is_exact;
	u8 *head = at++;
	u8 more = now->num_sacks << 3;

	*head = HWSIM_HACK_LONG | ack << 2 | times;
	if (now->flags & HWSIM_HACK_FLAG_ECE)
		more |= HWSIM_HACK_MORE_ECE;
	if (now->flags & HWSIM_HACK_FLAG_CWR)
		more |= HWSIM_HACK_MORE_CWR;
	if (now->flags & HWSIM_HACK_FLAG_PSH)
		more |= HWSIM_HACK_MORE_PSH;
	if (!sender->has_claimed)
		more |= HWSIM_HACK_MORE_CLAIM;
	if (ack == HWSIM_HACK_SMALL && unit != sender->unit)
		more |= HWSIM_HACK_MORE_UNIT;
	if (more || !is_exact || now->flags != last->flags) {
		*head |= HWSIM_HACK_LONG_MORE;
		*at++ = more;
	}
	if (more & HWSIM_HACK_MORE_CLAIM) {
		*at++ = sender->tag >> 24;
		at = put_16(at, sender->tag >> 8);
	}
	if (more & HWSIM_HACK_MORE_UNIT)
		at = put_16(at, unit);
	if (sender->flow.version == 4 &&
	    (!is_exact || now->id != (u16)(last->id + 1))) {
		*head |= HWSIM_HACK_LONG_ID;
		at = put_16(at, now->id);
	}
	if (!is_exact || now->window != last->window) {
		*head |= HWSIM_HACK_LONG_WINDOW;
		at = put_16(at, now->window);
	}
	at = put_ack(at, ack, growth, unit, now);
	at = put_times(at, times, growth, now);
	/* in the unit that the decompressor knows */
	return put_sacks(at, now, more & HWSIM_HACK_MORE_UNIT ? unit :
				  sender->unit);
}

static void write_item(struct hwsim_hack_item *item,
		       struct hwsim_hack_sender *sender,
		       const struct hwsim_hack_segment *segment)
{
	const struct hwsim_hack_ack *now = &segment->ack;
	const struct growth growth = growth_of(sender, now);
	const u16 unit = growth.ack ? unit_of(sender, growth.ack) : 0;
	u8 packet[HWSIM_HACK_PACKET_MAX];
	u8 *at = item->data;

	*at++ = sender->tag;
	if (is_short(sender, now, &growth, unit)) {
		if (window_step(sender, now)) {
			*at++ = HWSIM_HACK_MEDIUM;
			*at++ = window_step(sender, now);
		}
		*at = growth.timestamp << 2 | growth.echo;
		if (growth.ack)
			*at |= growth.ack / unit << 4;
		at++;
	} else {
		at = put_long(at, sender, now, &growth, unit);
		if (ack_width(&growth, unit) == HWSIM_HACK_SMALL)
			sender->unit = unit;
	}
	item->packet_bytes = hwsim_hack_build(segment, packet);
	*at++ = hwsim_hack_crc8(packet, item->packet_bytes);
	item->bytes = at - item->data;
}

/* ---- holding ---- */

static bool is_same(const struct hwsim_hack_flow *a,
		    const struct hwsim_hack_flow *b)
{
	return !memcmp(a, b, sizeof(*a)); /* both were zeroed first */
}

/* a pending ACK that arrives late must not count as newer than the item */
static bool is_after(const struct hwsim_hack_sender *sender,
		     const struct hwsim_hack_ack *now)
{
	u32 i;

	for (i = 0; i < sender->num_pending; i++) {
		const struct hwsim_hack_ack *other = &sender->pending[i].ack;

		if (!hwsim_hack_is_newer(now, other) ||
		    hwsim_hack_is_newer(other, now))
			return false;
	}
	return hwsim_hack_is_newer(now, &sender->last);
}

/* the others with its CID have to claim it again */
static void claim(struct hwsim_hack_compressor *compressor,
		  struct hwsim_hack_sender *sender)
{
	u32 i;

	for (i = 0; i < HWSIM_HACK_FLOWS; i++)
		if ((u8)compressor->flows[i].tag == (u8)sender->tag)
			compressor->flows[i].has_claimed = false;
	sender->has_claimed = true;
}

/**
 * hwsim_hack_hold - hold an ACK for the next payload
 * @compressor: of the peer
 * @segment: the ACK
 * @now_ns: the time
 * @owner: given back when the ACK is no longer held
 *
 * Return: false if it has to be sent uncompressed
 */
bool hwsim_hack_hold(struct hwsim_hack_compressor *compressor,
		     const struct hwsim_hack_segment *segment, u64 now_ns,
		     void *owner)
{
	struct hwsim_hack_sender *sender;
	struct hwsim_hack_item *item;
	u32 step;

	sender = sender_of(compressor, &segment->flow);
	if (!sender)
		return false;
	if (!sender->is_certain || compressor->num_held == HWSIM_HACK_HELD ||
	    now_ns < sender->native_until_ns ||
	    !is_same(&sender->flow, &segment->flow) ||
	    !is_after(sender, &segment->ack)) {
		compressor->statistics.refused++;
		return false;
	}
	item = item_at(compressor, compressor->num_held++);
	step = segment->ack.ack - sender->last.ack;
	write_item(item, sender, segment);
	item->held_ns = now_ns;
	item->owner = owner;
	item->flow = sender - compressor->flows;
	claim(compressor, sender);
	if (step)
		sender->delta = step;
	sender->last = segment->ack;
	sender->num_pending = 0;
	sender->used_ns = now_ns;
	return true;
}

/* Return: a free or the least recently used flow without held ACKs, or NULL */
static struct hwsim_hack_sender *
oldest(struct hwsim_hack_compressor *compressor)
{
	struct hwsim_hack_sender *found = NULL;
	bool is_held[HWSIM_HACK_FLOWS] = { };
	u32 i;

	for (i = 0; i < compressor->num_held; i++)
		is_held[item_at(compressor, i)->flow] = true;
	for (i = 0; i < HWSIM_HACK_FLOWS; i++) {
		struct hwsim_hack_sender *sender = &compressor->flows[i];

		if (!sender->is_used)
			return sender;
		if (!is_held[i] && (!found || sender->used_ns < found->used_ns))
			found = sender;
	}
	return found;
}

/**
 * hwsim_hack_native - note an ACK that is sent uncompressed
 * @compressor: of the peer
 * @segment: the ACK
 * @tag: the first 4 bytes of the MD5 of its 5-tuple, the first one lowest; not
 *	used if the flow is known
 * @now_ns: the time
 * @cookie: for hwsim_hack_native_arrived(); unique among the flow's ACKs in
 *	flight
 *
 * Nothing of its flow may be held.
 */
void hwsim_hack_native(struct hwsim_hack_compressor *compressor,
		       const struct hwsim_hack_segment *segment, u32 tag,
		       u64 now_ns, u32 cookie)
{
	struct hwsim_hack_sender *sender;
	struct hwsim_hack_pending *pending;

	compressor->statistics.natives++;
	/* another one had this cookie earlier */
	hwsim_hack_native_gone(compressor, cookie);
	sender = sender_of(compressor, &segment->flow);
	if (sender && !is_same(&sender->flow, &segment->flow)) {
		sender->flow = segment->flow;
		sender->is_certain = false;
		sender->num_pending = 0;
	}
	if (!sender) {
		sender = oldest(compressor);
		if (!sender)
			return;
		memset(sender, 0, sizeof(*sender));
		sender->is_used = true;
		sender->flow = segment->flow;
		sender->tag = tag;
	}
	/* it makes up for what the decompressor may have missed */
	sender->unit = 0;
	sender->has_claimed = false;
	sender->used_ns = now_ns;
	if (sender->num_pending < HWSIM_HACK_PENDING)
		sender->num_pending++;
	pending = &sender->pending[sender->num_pending - 1];
	pending->cookie = cookie;
	pending->is_gone = false;
	pending->ack = segment->ack;
}

/**
 * hwsim_hack_native_gone - it is no longer known whether an ACK has arrived
 * @compressor: of the peer
 * @cookie: of the native ACK, if any: it has been dropped, or has arrived with
 *	others of which one has not
 */
void hwsim_hack_native_gone(struct hwsim_hack_compressor *compressor,
			    u32 cookie)
{
	u32 i, j;

	for (i = 0; i < HWSIM_HACK_FLOWS; i++) {
		struct hwsim_hack_sender *sender = &compressor->flows[i];

		for (j = 0; j < sender->num_pending; j++)
			if (sender->pending[j].cookie == cookie)
				sender->pending[j].is_gone = true;
	}
}

/**
 * hwsim_hack_native_arrived - the peer has received a native ACK
 * @compressor: of the peer
 * @cookie: of the ACK
 */
void hwsim_hack_native_arrived(struct hwsim_hack_compressor *compressor,
			       u32 cookie)
{
	u32 i, j;

	for (i = 0; i < HWSIM_HACK_FLOWS; i++) {
		struct hwsim_hack_sender *sender = &compressor->flows[i];

		for (j = 0; j < sender->num_pending; j++) {
			if (sender->pending[j].cookie != cookie ||
			    sender->pending[j].is_gone)
				continue;
			sender->last = sender->pending[j].ack;
			sender->is_certain = true;
			sender->num_pending -= j + 1;
			memmove(sender->pending, sender->pending + j + 1,
				sender->num_pending *
				sizeof(*sender->pending));
			return;
		}
	}
}

/* it is not known what the decompressor knows of a flow */
static void doubt(struct hwsim_hack_sender *sender)
{
	sender->is_certain = false;
	sender->num_pending = 0;
	sender->unit = 0;
	sender->has_claimed = false;
}

/**
 * hwsim_hack_forget - a flow begins or ends
 * @compressor: of the peer
 * @flow: the flow; ACKs that are held for it stay
 * @cookie: of the packet that says so, which an earlier ACK may have had
 */
void hwsim_hack_forget(struct hwsim_hack_compressor *compressor,
		       const struct hwsim_hack_flow *flow, u32 cookie)
{
	struct hwsim_hack_sender *sender = sender_of(compressor, flow);

	hwsim_hack_native_gone(compressor, cookie);
	if (!sender)
		return;
	doubt(sender);
	sender->failures = 0;
	sender->native_until_ns = 0;
}

/**
 * hwsim_hack_knows - whether a flow is known
 * @compressor: of the peer
 * @flow: the flow
 */
bool hwsim_hack_knows(struct hwsim_hack_compressor *compressor,
		      const struct hwsim_hack_flow *flow)
{
	return sender_of(compressor, flow);
}

/**
 * hwsim_hack_holds - whether ACKs of a flow are held
 * @compressor: of the peer
 * @flow: the flow
 */
bool hwsim_hack_holds(struct hwsim_hack_compressor *compressor,
		      const struct hwsim_hack_flow *flow)
{
	const struct hwsim_hack_sender *sender = sender_of(compressor, flow);
	u32 i;

	for (i = 0; sender && i < compressor->num_held; i++)
		if (item_at(compressor, i)->flow == sender - compressor->flows)
			return true;
	return false;
}

/* ---- payloads ---- */

/**
 * hwsim_hack_is_due - whether an ACK has been held since a time
 * @compressor: of the peer
 * @until_ns: that time
 */
bool hwsim_hack_is_due(const struct hwsim_hack_compressor *compressor,
		       u64 until_ns)
{
	return compressor->num_held &&
	       compressor->items[compressor->first].held_ns <= until_ns;
}

/**
 * hwsim_hack_owner - the caller's pointer of an ACK that is held
 * @compressor: of the peer
 * @index: 0 is the oldest
 */
void *hwsim_hack_owner(struct hwsim_hack_compressor *compressor, u32 index)
{
	return item_at(compressor, index)->owner;
}

/**
 * hwsim_hack_fill - fill a payload with what is held, the oldest first
 * @compressor: of the peer
 * @until_ns: ACKs that were held later are left out
 * @payload: the payload
 * @room: its length
 *
 * Return: bytes used, 0: none
 */
u32 hwsim_hack_fill(struct hwsim_hack_compressor *compressor, u64 until_ns,
		    u8 *payload, u32 room)
{
	const struct hwsim_hack_item *item;
	u32 bytes = 1;
	u32 i;

	for (i = 0; i < compressor->num_held; i++) {
		item = item_at(compressor, i);
		if (item->held_ns > until_ns || bytes + item->bytes > room)
			break;
		memcpy(payload + bytes, item->data, item->bytes);
		bytes += item->bytes;
	}
	compressor->num_sent = i;
	compressor->num_tried = max(compressor->num_tried, i);
	if (!i)
		return 0;
	payload[0] = compressor->msn;
	compressor->statistics.payloads++;
	return bytes;
}

static void drop_first(struct hwsim_hack_compressor *compressor)
{
	compressor->first = (compressor->first + 1) % HWSIM_HACK_HELD;
	compressor->num_held--;
	/* the others have no number yet */
	if (compressor->num_tried) {
		compressor->num_tried--;
		compressor->msn++;
	}
}

/* whether the oldest ACK that is held is the only one of its flow */
static bool is_last_of_flow(struct hwsim_hack_compressor *compressor)
{
	u32 i;

	for (i = 1; i < compressor->num_held; i++)
		if (item_at(compressor, i)->flow == item_at(compressor, 0)->flow)
			return false;
	return true;
}

/**
 * hwsim_hack_delivered - the peer has received the last payload, and restored it
 * @compressor: of the peer
 * @now_ns: the time
 * @let_go: called for each ACK in it; must not call the compressor
 * @context: for that
 */
void hwsim_hack_delivered(struct hwsim_hack_compressor *compressor, u64 now_ns,
			  hwsim_hack_let_go *let_go, void *context)
{
	const struct hwsim_hack_item *item;

	for (; compressor->num_sent; compressor->num_sent--) {
		item = item_at(compressor, 0);
		compressor->flows[item->flow].failures = 0;
		compressor->statistics.acks++;
		compressor->statistics.bytes += item->bytes;
		compressor->statistics.packet_bytes += item->packet_bytes;
		compressor->statistics.held_ns += now_ns - item->held_ns;
		let_go(context, item->owner, true,
		       is_last_of_flow(compressor));
		drop_first(compressor);
	}
}

/**
 * hwsim_hack_flush - stop holding ACKs
 * @compressor: of the peer
 * @let_go: called for each ACK; must not call the compressor
 * @context: for that
 *
 * Their flows need a native ACK before the next one can be held.
 */
void hwsim_hack_flush(struct hwsim_hack_compressor *compressor,
		      hwsim_hack_let_go *let_go, void *context)
{
	const struct hwsim_hack_item *item;

	while (compressor->num_held) {
		item = item_at(compressor, 0);
		doubt(&compressor->flows[item->flow]);
		compressor->statistics.flushed++;
		let_go(context, item->owner, compressor->num_tried,
		       is_last_of_flow(compressor));
		drop_first(compressor);
	}
	compressor->num_sent = 0;
}

/* the decompressor could not follow a flow */
static void fail(struct hwsim_hack_sender *sender, u64 now_ns)
{
	if (!sender->is_certain) /* counted already, for an earlier item */
		return;
	doubt(sender);
	if (sender->failures < HWSIM_HACK_FAILURES_MOST)
		sender->failures++;
	if (sender->failures >= HWSIM_HACK_FAILURES)
		sender->native_until_ns = now_ns + (HWSIM_HACK_PAUSE_NS <<
			(sender->failures - HWSIM_HACK_FAILURES));
}

/**
 * hwsim_hack_reset - the decompressor could not follow the last payload
 * @compressor: of the peer; flush what it holds after that
 * @now_ns: the time
 *
 * RESET does not say which item it was, so all flows of the payload start over.
 * Those that can be restored are cleared by the next payload that arrives. Flows
 * whose native ACKs take another path, so that the decompressor does not see them,
 * stay native for longer and longer.
 */
void hwsim_hack_reset(struct hwsim_hack_compressor *compressor, u64 now_ns)
{
	u32 i;

	compressor->statistics.resets++;
	for (i = 0; i < compressor->num_sent; i++)
		fail(&compressor->flows[item_at(compressor, i)->flow], now_ns);
}
