/* SPDX-License-Identifier: MIT */
#include "half.h"

#include <stdlib.h>
#include <string.h>

enum {
	IP4_HEADER = 20,
	IP6_HEADER = 40,
	TCP_HEADER = 20,
	OPTIONS_MOST = 40,
	STAMPS = 12, /* bytes of the option, with two that align it */
	BLOCKS = 3, /* of SACK, next to timestamps */
	FIRST_SEGMENTS = 10, /* RFC 6928 */
	DUPLICATES = 3,
	LEAST_MTU = 1280, /* what every way of IPv6 carries (RFC 8200 5), and those of today */
	LEAST_MTU4 = 576, /* what every host of IPv4 takes (RFC 791) */
	SHORTER_AFTER = 2, /* times that the timer has rung */
	SHORTEST_AFTER = 6,
	RESET_ASKS = 6, /* that a host may leave without an answer */
	HOPS = 64,
};

#define MS_NS UINT64_C(1000000)
#define NEVER UINT64_MAX
#define ASK_NS UINT64_C(1000000000)

struct half_piece {
	struct half_piece *next;
	uint64_t at;
	size_t length;
	uint8_t bytes[];
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void half_begin(struct half *half, const struct half_settings *settings, const struct half_owner *owner)
{
	*half = (struct half){ .settings = *settings,
			       .owner = *owner,
			       .end = HALF_NO_END,
			       .stamp_latest = settings->echo,
			       .window = settings->window,
			       .window_most = settings->window,
			       .window_seq = settings->receive,
			       .window_ack = settings->send,
			       .cwnd = (uint64_t)FIRST_SEGMENTS * settings->mss,
			       .ssthresh = UINT64_MAX,
			       .rto_ns = most(5 * settings->least_rto_ns, 1000 * MS_NS), /* RFC 6298 2.1 */
			       .timer_ns = NEVER,
			       .ask_ns = NEVER };
}

void half_resume(struct half *half, uint64_t received, uint64_t acked, uint64_t slack, uint64_t now_ns)
{
	half->learning = true;
	half->slack = slack;
	half->ask_ns = now_ns;
	half->received = half->permitted = half->told = half->edge = half->told_edge = received;
	half->acked = half->sent = half->sent_most = half->offered = half->recover = acked;
	half->window_seq = half->settings.receive + (uint32_t)received;
	half->window_ack = half->settings.send + (uint32_t)acked;
}

/* What the host sends. */

static void drop_first(struct half *half)
{
	struct half_piece *first = half->ahead;

	half->ahead = first->next;
	half->stored -= sizeof(*first) + first->length;
	half->pieces--;
	free(first);
}

static void note_end(struct half *half)
{
	if (half->received == half->end)
		half->finished = true;
}

/* Hand over those of some bytes that are the next ones. Returns whether all of them are there now. */
static bool hand_over(struct half *half, uint64_t at, const uint8_t *bytes, size_t length)
{
	uint64_t fit = half->edge > half->received ? half->edge - half->received : 0;
	size_t old = (size_t)(half->received - at);

	if (old >= length)
		return true;
	if (half->end != HALF_NO_END)
		fit = least(fit, half->end - half->received);
	fit = least(fit, length - old);
	if (fit) {
		half->handing = true;
		half->received += half->owner.received(half->owner.context, bytes + old, (size_t)fit);
		half->handing = false;
	}
	return half->received - at >= length;
}

/* Hand over what has waited for a gap to be filled, or for room. */
static void hand_over_ahead(struct half *half)
{
	while (half->ahead && half->ahead->at <= half->received &&
	       hand_over(half, half->ahead->at, half->ahead->bytes, half->ahead->length))
		drop_first(half);
	note_end(half);
}

static void keep(struct half *half, uint64_t at, const uint8_t *bytes, size_t length)
{
	struct half_piece **place = &half->ahead, *piece;

	half->newest_piece = at;
	for (; *place && (*place)->at <= at; place = &(*place)->next)
		if (at + length <= (*place)->at + (*place)->length)
			return; /* it is there */
	if (half->stored + sizeof(*piece) + length > HALF_STORED || half->pieces == HALF_PIECES ||
	    !(piece = malloc(sizeof(*piece) + length)))
		return; /* the host sends it again */
	*piece = (struct half_piece){ .next = *place, .at = at, .length = length };
	memcpy(piece->bytes, bytes, length);
	*place = piece;
	half->pieces++;
	half->stored += sizeof(*piece) + length;
}

/* Remember the timestamp of a segment in order, until it is acknowledged. */
static void note_stamp(struct half *half, uint64_t end, uint32_t stamp)
{
	half->stamp_latest = stamp;
	if (half->stamp_count < HALF_STAMPS && end > half->received) {
		half->stamps[half->stamp_count].end = end;
		half->stamps[half->stamp_count++].stamp = stamp;
	}
}

/* The payload and FIN of a segment, whose first byte is `at`. */
static void content(struct half *half, const struct segment *segment, int64_t at)
{
	const uint8_t *bytes = segment->packet + segment->payload;
	size_t length = segment_payload(segment);
	uint64_t end = (uint64_t)(at + (int64_t)length), begin;

	if (segment->flags & SEGMENT_FIN && at + (int64_t)length >= (int64_t)half->received && half->end == HALF_NO_END) {
		half->end = end;
		note_end(half);
	}
	if (at + (int64_t)length <= (int64_t)half->received) {
		half->acknowledge = true; /* it is repeated */
		return;
	}
	if (at < 0) {
		bytes += -at;
		length -= (size_t)-at;
		at = 0;
	}
	begin = (uint64_t)at;
	if (begin <= half->received) {
		half->acknowledge |= !hand_over(half, begin, bytes, length) || half->ahead;
		hand_over_ahead(half);
		return;
	}
	half->acknowledge = true;
	if (begin < half->edge)
		keep(half, begin, bytes, (size_t)least(length, half->edge - begin));
}

void half_permit(struct half *half, uint64_t bytes, bool end)
{
	half->permitted = most(half->permitted, least(bytes, half->received));
	half->permitted_end |= end && half->finished && half->permitted == half->end;
}

void half_take(struct half *half, uint64_t edge)
{
	half->edge = edge;
	if (half->ahead && !half->handing)
		hand_over_ahead(half);
	/* if the host may wait for it, tell it that there is room again */
	if (edge > half->told_edge && edge - half->told_edge >= half->settings.mss &&
	    half->told_edge < half->received + 2 * (uint64_t)half->settings.mss)
		half->acknowledge = true;
}

void half_skip(struct half *half, uint64_t bytes)
{
	half->received = most(half->received, bytes);
	hand_over_ahead(half);
}

/* What the host is sent. */

static uint64_t backed_off_ns(uint64_t wait_ns, unsigned int times)
{
	for (unsigned int i = 0; i < times && wait_ns < HALF_MOST_RTO_NS; i++)
		wait_ns *= 2;
	return least(wait_ns, HALF_MOST_RTO_NS);
}

/* RFC 6298 2.2 and 2.3. */
static void sample(struct half *half, uint64_t rtt_ns)
{
	uint64_t apart_ns = half->srtt_ns > rtt_ns ? half->srtt_ns - rtt_ns : rtt_ns - half->srtt_ns;

	if (!half->srtt_ns) {
		half->srtt_ns = most(rtt_ns, 1);
		half->rttvar_ns = rtt_ns / 2;
	} else {
		half->rttvar_ns = half->rttvar_ns - half->rttvar_ns / 4 + apart_ns / 4;
		half->srtt_ns = half->srtt_ns - half->srtt_ns / 8 + rtt_ns / 8;
	}
	half->rto_ns = half->srtt_ns + most(4 * half->rttvar_ns, MS_NS);
	half->rto_ns = least(most(half->rto_ns, half->settings.least_rto_ns), HALF_MOST_RTO_NS);
}

static uint32_t stamp(const struct half *half, uint64_t now_ns)
{
	return half->settings.stamp + (uint32_t)(now_ns / MS_NS);
}

static void measure(struct half *half, const struct segment *segment, uint64_t acked, uint64_t now_ns)
{
	uint32_t age_ms = stamp(half, now_ns) - segment->echo;

	if (half->settings.stamps) {
		if (segment->echo && age_ms < UINT32_C(1) << 22)
			sample(half, most(age_ms, 1) * MS_NS);
	} else if (half->timed_at && acked >= half->timed_at) {
		sample(half, now_ns - half->timed_ns);
		half->timed_at = 0;
	}
}

/* RFC 5681 3.1, with the bytes that are acknowledged (RFC 3465), if the window was used. */
static void grow(struct half *half, uint64_t acked)
{
	uint64_t mss = half->settings.mss, flight = half->sent - half->acked;

	if (half->cwnd > 2 * most(flight, acked))
		return;
	if (half->cwnd < half->ssthresh)
		half->cwnd += least(acked, 2 * mss);
	else
		half->cwnd += most(mss * least(acked, mss) / half->cwnd, 1);
}

static void new_acknowledgement(struct half *half, const struct segment *segment, uint64_t to, uint64_t now_ns)
{
	uint64_t acked = to - half->acked, mss = half->settings.mss;

	measure(half, segment, to, now_ns);
	if (!half->recovering) {
		grow(half, acked);
		half->dup_acks = 0;
	} else if (to >= half->recover) { /* RFC 6582 3.2, 3 */
		half->cwnd = least(half->ssthresh, most(half->sent_most - to, mss) + mss);
		half->recovering = false;
		half->dup_acks = 0;
	} else {
		half->cwnd = most(half->cwnd > acked ? half->cwnd - acked : 0, mss) + (acked >= mss ? mss : 0);
		half->again = true;
	}
	half->acked = to;
	half->sent = most(half->sent, to);
	half->acked_end = half->offered_end && to == half->offered + 1;
	half->retries = 0;
	half->probing = false;
	half->timer_ns = half->sent_most > to ? now_ns + half->rto_ns : NEVER;
}

/* RFC 5681 3.2 and RFC 6582 3.2. */
static void duplicate(struct half *half)
{
	uint64_t mss = half->settings.mss;

	half->dup_acks++;
	if (half->recovering) {
		half->cwnd += mss;
	} else if (half->dup_acks == DUPLICATES && half->acked >= half->recover) {
		half->ssthresh = most((half->sent - half->acked) / 2, 2 * mss);
		half->cwnd = half->ssthresh + DUPLICATES * mss;
		half->recover = half->sent_most;
		half->recovering = true;
		half->again = true;
	}
}

/* The host has what was never sent here. */
static void believe(struct half *half, uint64_t to)
{
	half->acked = half->sent = half->sent_most = half->recover = to;
	half->acked_end = half->offered_end && to == half->offered + 1;
	half->recovering = half->again = half->probing = false;
	half->dup_acks = half->retries = 0;
	half->timed_at = 0;
	half->timer_ns = NEVER;
}

static void tell_window(struct half *half, const struct segment *segment)
{
	uint64_t window = (uint64_t)segment->window << half->settings.send_scale;

	if (segment_after(half->window_seq, segment->seq) ||
	    (half->window_seq == segment->seq && segment_after(half->window_ack, segment->ack)))
		return;
	half->window_seq = segment->seq;
	half->window_ack = segment->ack;
	if ((half->probing || !half->window) && window > half->window) {
		half->again |= !half->probing; /* what was under way when it closed was not taken */
		half->probing = false;
		half->retries = 0;
		half->timer_ns = NEVER;
	}
	half->window = window;
	half->window_most = most(half->window_most, window);
}

/*
 * Answer what is outside the window. If the host takes the answer for the same, and answers, that would not end (RFC 5961 10);
 * data are no answer.
 */
static void refuse(struct half *half, const struct segment *segment, uint64_t now_ns)
{
	if (!segment_payload(segment) && now_ns < half->outside_ns)
		return;
	half->outside_ns = now_ns + HALF_OUTSIDE_NS;
	half->acknowledge = true;
}

/* Whether an acknowledgement of what was never sent may be true. */
static bool may_have(const struct half *half, int64_t to)
{
	return to <= (int64_t)half->trusts_to && !(half->offered_end && to > (int64_t)half->offered + 1);
}

/* False: it acknowledges what was never sent, or is much too old (RFC 5961 5.2). */
static bool acknowledgement(struct half *half, const struct segment *segment, uint64_t now_ns)
{
	int64_t to = (int64_t)half->acked + (int32_t)(segment->ack - (half->settings.send + (uint32_t)half->acked));
	bool nothing_else = !segment_payload(segment) && !(segment->flags & SEGMENT_FIN);
	uint64_t window = (uint64_t)segment->window << half->settings.send_scale;

	if (to > (int64_t)half->sent_most && !may_have(half, to))
		return false;
	if (!half->trusts)
		to = to > (int64_t)half->sent_most ? (int64_t)half->sent_most : to;
	if (to < (int64_t)half->acked - (int64_t)half->window_most) {
		refuse(half, segment, now_ns);
		return false;
	}
	if (to > (int64_t)half->sent_most)
		believe(half, (uint64_t)to);
	else if (to > (int64_t)half->acked)
		new_acknowledgement(half, segment, (uint64_t)to, now_ns);
	else if (to == (int64_t)half->acked && nothing_else && half->sent > half->acked && !half->probing &&
		 window == half->window)
		duplicate(half);
	if (to >= (int64_t)half->acked)
		tell_window(half, segment);
	return true;
}

void half_offer(struct half *half, uint64_t bytes, bool end)
{
	half->offered = bytes;
	half->offered_end = end;
	half->acked_end = end && half->acked == bytes + 1;
}

/* A reset counts only where the host has it from: the next number, or one that it was told (RFC 5961 3.2). */
static void reset_came(struct half *half, int64_t at)
{
	if (at >= (int64_t)half->told && at <= (int64_t)half->received + half->finished)
		half->state = HALF_RESET_BY_HOST;
	else if (at > (int64_t)half->received && at <= (int64_t)most(half->edge, half->told_edge))
		half->acknowledge = true;
}

/* The first byte that the host may not send. */
static int64_t right_edge(const struct half *half)
{
	return (int64_t)most(most(half->edge, half->told_edge), half->old_edge);
}

/* A host is there. */
static void heard(struct half *half, uint64_t now_ns)
{
	half->silent = half->asks = 0;
	if (now_ns >= half->trusts_ns)
		half->ask_ns = now_ns + HALF_KEEP_NS;
}

/* The first segment after half_resume() that can be true says what the host has, and what it is to be told. */
static void learn(struct half *half, const struct segment *segment, int64_t at, uint64_t now_ns)
{
	int64_t to = (int64_t)half->acked + (int32_t)(segment->ack - (half->settings.send + (uint32_t)half->acked));
	uint32_t echo_ahead = segment->echo - stamp(half, now_ns);

	if (at < 0 || at > (int64_t)(half->received + half->slack) || to < (int64_t)half->acked ||
	    to > (int64_t)(half->acked + half->slack)) {
		half->reset = true; /* a host that knows this connection does not take it */
		half->reset_seq = segment->ack;
		return;
	}
	if (half->settings.stamps && segment_after(half->stamp_latest, segment->stamp))
		return;
	half->stamp_latest = segment->stamp;
	if (half->settings.stamps && (int32_t)echo_ahead >= 0) /* the clock has begun again since */
		half->settings.stamp += echo_ahead + 1;
	half->old_edge = (uint64_t)at + ((uint64_t)UINT16_MAX << half->settings.receive_scale);
	half->learning = false;
	half->trusts_to = (uint64_t)to + 2 * ((uint64_t)UINT16_MAX << half->settings.send_scale);
	half->trusts = true;
	half->trusts_ns = now_ns + HALF_TRUST_NS;
	half->ask_ns = now_ns + ASK_NS;
	believe(half, (uint64_t)to);
	half->window_seq = segment->seq;
	half->window_ack = segment->ack;
	tell_window(half, segment);
}

/* Of a half that was reset: a reset of the host says that it has forgotten the connection. */
static void forgets(struct half *half, const struct segment *segment, int64_t at)
{
	if (segment->flags & SEGMENT_RST) {
		reset_came(half, at);
		return;
	}
	half->reset = true;
	half->reset_seq = segment->ack;
}

void half_segment(struct half *half, const struct segment *segment, uint64_t now_ns)
{
	int64_t at = (int64_t)half->received +
		     (int32_t)(segment->seq - (half->settings.receive + (uint32_t)half->received));
	int64_t end = at + (int64_t)(segment_next(segment) - segment->seq);

	if (half->state == HALF_RESETTING)
		forgets(half, segment, at);
	if (half->state != HALF_OPEN)
		return;
	if (segment->flags & SEGMENT_RST) {
		reset_came(half, at);
		return;
	}
	if (segment->flags & SEGMENT_SYN) {
		half->acknowledge = true;
		return;
	}
	if (!(segment->flags & SEGMENT_ACK) || (half->settings.stamps && !segment->has_timestamps))
		return;
	if (half->learning) {
		learn(half, segment, at, now_ns);
		return;
	}
	/* first the timestamp, then the window (RFC 7323 5.3): it begins where the last acknowledgement has said */
	if ((half->settings.stamps && segment_after(half->stamp_latest, segment->stamp)) ||
	    end < (int64_t)half->told + half->told_end || at > right_edge(half)) {
		refuse(half, segment, now_ns);
		return;
	}
	heard(half, now_ns);
	if (segment->flags & SEGMENT_URG) { /* what is urgent is not a byte of the stream for every receiver */
		half_reset(half);
		return;
	}
	if (half->settings.stamps && at <= (int64_t)half->received)
		note_stamp(half, end > 0 ? (uint64_t)end : 0, segment->stamp);
	if (acknowledgement(half, segment, now_ns) && segment_next(segment) != segment->seq)
		content(half, segment, at);
	if (now_ns >= half->trusts_ns)
		half->trusts = false;
}

/* Packets. */

static void put16(uint8_t *bytes, uint64_t value)
{
	bytes[0] = (uint8_t)(value >> 8);
	bytes[1] = (uint8_t)value;
}

static void put32(uint8_t *bytes, uint64_t value)
{
	put16(bytes, value >> 16);
	put16(bytes + 2, value);
}

/* Find the bytes around a piece that are there without a gap. */
static void run_of(const struct half_piece *piece, uint64_t *from, uint64_t *to)
{
	*from = piece->at;
	*to = piece->at + piece->length;
	for (piece = piece->next; piece && piece->at <= *to; piece = piece->next)
		*to = most(*to, piece->at + piece->length);
}

/* Write what is ahead of gaps: first what came last, then the rest in order. Returns the option's bytes. */
static size_t put_blocks(const struct half *half, uint8_t *option)
{
	uint64_t from[BLOCKS] = { 0 }, to[BLOCKS] = { 0 }, begin, end = 0;
	unsigned int count = 1;

	for (const struct half_piece *piece = half->ahead; piece; piece = piece->next) {
		if (piece->at + piece->length <= end || piece->at <= half->received)
			continue;
		run_of(piece, &begin, &end);
		if (begin <= half->newest_piece && half->newest_piece < end) {
			from[0] = begin;
			to[0] = end;
		} else if (count < BLOCKS) {
			from[count] = begin;
			to[count++] = end;
		}
	}
	option[0] = option[1] = 1;
	option[2] = 5;
	option[3] = 2;
	for (unsigned int i = 0; i < count; i++) {
		if (to[i] <= from[i])
			continue;
		put32(option + 2 + option[3], half->settings.receive + (uint32_t)from[i]);
		put32(option + 6 + option[3], half->settings.receive + (uint32_t)to[i]);
		option[3] = (uint8_t)(option[3] + 8);
	}
	return option[3] > 2 ? 2 + (size_t)option[3] : 0;
}

static size_t put_options(struct half *half, uint8_t *options, bool blocks, uint64_t now_ns)
{
	size_t length = 0;

	if (half->settings.stamps) {
		unsigned int old = 0;

		while (old < half->stamp_count && half->stamps[old].end <= half->told)
			old++;
		half->stamp_count -= old;
		memmove(half->stamps, half->stamps + old, half->stamp_count * sizeof(*half->stamps));
		options[0] = options[1] = 1;
		options[2] = 8;
		options[3] = 10;
		put32(options + 4, stamp(half, now_ns));
		put32(options + 8, half->stamp_count ? half->stamps[0].stamp : half->stamp_latest);
		length = STAMPS;
	}
	return length + (blocks && half->settings.sack ? put_blocks(half, options + length) : 0);
}

/* Write the window, and remember the edge that it tells. */
static void put_window(struct half *half, uint8_t *bytes)
{
	uint64_t edge = most(half->edge, half->received);
	uint64_t window = least((edge - half->permitted) >> half->settings.receive_scale, UINT16_MAX);

	put16(bytes, window);
	half->told_edge = half->permitted + (window << half->settings.receive_scale);
}

static void put_ip(struct half *half, uint8_t *packet, size_t tcp, size_t length)
{
	if (half->settings.version == 4) {
		packet[0] = 0x45;
		put16(packet + 2, length);
		put16(packet + 4, ++half->id);
		packet[8] = HOPS;
		packet[9] = 6;
		memcpy(packet + 12, half->settings.self.address, 4);
		memcpy(packet + 16, half->settings.host.address, 4);
	} else {
		packet[0] = 0x60;
		put16(packet + 4, length - tcp);
		packet[6] = 6;
		packet[7] = HOPS;
		memcpy(packet + 8, half->settings.self.address, 16);
		memcpy(packet + 24, half->settings.host.address, 16);
	}
}

/* Write a packet with bytes to send; flags are those in addition to ACK. Returns its length; 0: it cannot be. */
static size_t write_packet(struct half *half, uint64_t now_ns, uint8_t *packet, size_t room, uint32_t seq, unsigned int flags,
			   uint64_t at, size_t payload)
{
	size_t tcp = half->settings.version == 4 ? IP4_HEADER : IP6_HEADER, length = tcp + TCP_HEADER + OPTIONS_MOST;
	uint8_t *header = packet + tcp;

	if (room < length + payload)
		return 0;
	memset(packet, 0, length);
	length = tcp + TCP_HEADER + put_options(half, header + TCP_HEADER, !payload, now_ns);
	if (payload && !half->owner.read(half->owner.context, at, packet + length, payload)) {
		half_reset(half);
		return 0;
	}
	put_ip(half, packet, tcp, length + payload);
	put16(header, half->settings.self.port);
	put16(header + 2, half->settings.host.port);
	put32(header + 4, seq);
	put32(header + 8, half->settings.receive + (uint32_t)half->permitted + half->permitted_end);
	header[12] = (uint8_t)((length - tcp) / 4 << 4);
	header[13] = (uint8_t)(SEGMENT_ACK | flags);
	put_window(half, header + 14);
	segment_sum(packet, length + payload, tcp);
	half->told = half->permitted;
	half->told_end = half->permitted_end;
	half->acknowledge = false;
	return length + payload;
}

/* Send bytes, and a FIN if it follows them. */
static size_t send_bytes(struct half *half, uint64_t now_ns, uint8_t *packet, size_t room, uint64_t at, size_t payload)
{
	bool end = half->offered_end && at + payload == half->offered;
	uint64_t after = at + payload + end;
	unsigned int flags = (end ? SEGMENT_FIN : 0u) | (payload && at + payload == half->offered ? SEGMENT_PSH : 0u);
	size_t length = write_packet(half, now_ns, packet, room, half->settings.send + (uint32_t)at, flags, at, payload);

	if (!length)
		return 0;
	half->segments++;
	if (at < half->sent_most) {
		half->repeated++;
		half->timed_at = 0;
	} else if (!half->timed_at) {
		half->timed_at = after;
		half->timed_ns = now_ns;
	}
	half->sent = most(half->sent, after);
	half->sent_most = most(half->sent_most, after);
	half->sent_ns = now_ns;
	if (half->timer_ns == NEVER)
		half->timer_ns = now_ns + backed_off_ns(half->rto_ns, half->retries);
	return length;
}

/* How many of the next bytes may go now, and whether the FIN may. Sets closed if the window keeps all of them. */
static size_t sendable(const struct half *half, bool *end, bool *closed)
{
	uint64_t mss = half->settings.mss, flight = half->sent - half->acked, cwnd = half->cwnd, fit, bytes;

	*closed = *end = false;
	if (half->sent >= half->offered) {
		*end = half->offered_end && half->sent == half->offered;
		return 0;
	}
	if (!half->recovering && half->dup_acks < DUPLICATES) /* RFC 3042 */
		cwnd += half->dup_acks * mss;
	fit = least(cwnd, half->window);
	fit = fit > flight ? fit - flight : 0;
	bytes = least(mss, half->offered - half->sent);
	if (bytes <= fit)
		return (size_t)bytes;
	if (flight)
		return 0; /* small segments do not follow others (RFC 9293 3.8.6.2.1) */
	*closed = !fit || fit < least(mss, half->window_most / 2);
	return *closed ? 0 : (size_t)fit;
}

/* Bytes of headers in a packet with payload. */
static size_t headers(const struct half *half)
{
	size_t ip = half->settings.version == 4 ? IP4_HEADER : IP6_HEADER;

	return ip + TCP_HEADER + (half->settings.stamps ? STAMPS : 0);
}

/* Send only packets shorter than this. Return false if no shorter length is left to try. */
static bool shorten(struct half *half, size_t length)
{
	/* what links carry: tunnels of today, and RFC 1191 7.1 */
	static const uint16_t lengths[] = { 1492, 1400, LEAST_MTU, 1006, LEAST_MTU4, 296, 68 };

	for (unsigned int i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		if (lengths[i] >= length || (half->settings.version == 6 && lengths[i] < LEAST_MTU))
			continue;
		half->settings.mss = (uint16_t)least(half->settings.mss, lengths[i] - headers(half));
		return true;
	}
	return false;
}

void half_too_long(struct half *half, size_t length)
{
	/* of several that were sent at once, the first one has shortened them all */
	if (half->state != HALF_OPEN || headers(half) + half->settings.mss < length || !shorten(half, length))
		return;
	half->cwnd = least(half->cwnd, (uint64_t)FIRST_SEGMENTS * half->settings.mss);
	half->sent = half->acked;
	half->recovering = false;
	half->dup_acks = 0;
	half->again = true;
}

/* The timer has rung. Sets probe if the host is to be asked whether its window is still closed. */
static void ring(struct half *half, uint64_t now_ns, bool *probe)
{
	/* a host that answers with a closed window is there (RFC 1122 4.2.2.17) */
	unsigned int times = half->probing || !half->window ? half->silent : half->retries;

	half->silent++;
	half->retries++;
	if (times >= HALF_RETRIES) {
		half->state = HALF_GONE;
		half->timer_ns = NEVER;
		return;
	}
	half->timer_ns = now_ns + backed_off_ns(half->rto_ns, half->retries);
	if (half->probing) {
		*probe = true;
		return;
	}
	if (half->retries == 1) { /* RFC 5681 (4) */
		half->ssthresh = most((half->sent_most - half->acked) / 2, 2 * (uint64_t)half->settings.mss);
		half->recover = half->sent_most;
	}
	if (half->window && half->retries >= SHORTER_AFTER)
		shorten(half, half->retries >= SHORTEST_AFTER ? LEAST_MTU4 + 1 : LEAST_MTU + 1);
	half->cwnd = half->settings.mss;
	half->sent = half->acked;
	half->recovering = false;
	half->dup_acks = 0;
	half->again = true;
}

static size_t next_bytes(struct half *half, uint64_t now_ns, uint8_t *packet, size_t room)
{
	bool end, closed;
	size_t bytes;

	if (half->sent_most == half->acked && now_ns - half->sent_ns > half->rto_ns) /* RFC 5681 4.1 */
		half->cwnd = least(half->cwnd, (uint64_t)FIRST_SEGMENTS * half->settings.mss);
	bytes = sendable(half, &end, &closed);
	if (bytes || end)
		return send_bytes(half, now_ns, packet, room, half->sent, bytes);
	if (closed && half->timer_ns == NEVER) {
		half->probing = true;
		half->timer_ns = now_ns + half->rto_ns;
	}
	return 0;
}

size_t half_ask(struct half *half, uint64_t now_ns, uint8_t *packet, size_t room)
{
	return write_packet(half, now_ns, packet, room, half->settings.send + (uint32_t)half->acked - 1, 0, 0, 0);
}

void half_reset(struct half *half)
{
	half->state = HALF_RESETTING;
	half->reset = true;
	half->ask_ns = NEVER;
	half->asks = 0;
	half->reset_seq = half->settings.send + (uint32_t)half->sent_most;
	half->timer_ns = NEVER;
}

/* Send what fits into a window that is smaller than a segment (RFC 9293 3.8.6.2.1, 4); nothing does: ask for it. */
static size_t probe_window(struct half *half, uint64_t now_ns, uint8_t *packet, size_t room)
{
	uint64_t bytes = least(least(half->window, half->settings.mss), half->offered - half->acked);

	if (!bytes)
		return half_ask(half, now_ns, packet, room);
	half->probing = false;
	half->retries = 0;
	return send_bytes(half, now_ns, packet, room, half->acked, (size_t)bytes);
}

/* It is time to ask the host: what it has, whether it is there, or whether it still knows the connection. */
static size_t ask_again(struct half *half, uint64_t now_ns, uint8_t *packet, size_t room)
{
	unsigned int most_asks = half->state == HALF_RESETTING ? RESET_ASKS : HALF_RETRIES;

	if (half->asks == most_asks) {
		half->state = HALF_GONE;
		half->ask_ns = half->timer_ns = NEVER;
		return 0;
	}
	half->ask_ns = now_ns + backed_off_ns(ASK_NS, half->asks++);
	return half_ask(half, now_ns, packet, room);
}

size_t half_due(struct half *half, uint64_t now_ns, uint8_t *packet, size_t room)
{
	bool probe = false;
	size_t length;

	if (half->reset) {
		half->reset = false;
		if (half->ask_ns == NEVER)
			half->ask_ns = now_ns + ASK_NS;
		return write_packet(half, now_ns, packet, room, half->reset_seq, SEGMENT_RST, 0, 0);
	}
	if ((half->state == HALF_OPEN || half->state == HALF_RESETTING) && half->ask_ns <= now_ns)
		return ask_again(half, now_ns, packet, room);
	if (half->state != HALF_OPEN)
		return 0;
	if (half->timer_ns <= now_ns)
		ring(half, now_ns, &probe);
	if (half->state != HALF_OPEN)
		return 0;
	if (probe)
		return probe_window(half, now_ns, packet, room);
	if (half->again) {
		uint64_t bytes = least(half->sent_most, half->offered) - half->acked;

		half->again = false;
		if (half->acked < half->sent_most)
			return send_bytes(half, now_ns, packet, room, half->acked,
					  half->acked < half->offered ? (size_t)least(bytes, half->settings.mss) : 0);
	}
	length = next_bytes(half, now_ns, packet, room);
	if (!length && half->state == HALF_OPEN &&
	    (half->acknowledge || half->permitted > half->told || half->permitted_end != half->told_end))
		length = write_packet(half, now_ns, packet, room, half->settings.send + (uint32_t)half->sent_most, 0, 0, 0);
	return length;
}

uint64_t half_next_ns(const struct half *half)
{
	bool end, closed;

	if (half->reset)
		return 0;
	if (half->state == HALF_RESETTING)
		return half->ask_ns;
	if (half->state != HALF_OPEN)
		return NEVER;
	if (half->again || half->acknowledge || half->permitted > half->told || half->permitted_end != half->told_end ||
	    sendable(half, &end, &closed) || end || (closed && half->timer_ns == NEVER))
		return 0;
	return least(half->timer_ns, half->ask_ns);
}

void half_end(struct half *half)
{
	while (half->ahead)
		drop_first(half);
}
