/* SPDX-License-Identifier: MIT */
#include "age.h"

#include <string.h>

static bool same(const struct segment_end *a, const struct segment_end *b)
{
	return a->port == b->port && !memcmp(a->address, b->address, sizeof(a->address));
}

/* FNV-1a. */
static uint32_t hashed(uint32_t hash, const struct segment_end *end)
{
	for (size_t i = 0; i < sizeof(end->address); i++)
		hash = (hash ^ end->address[i]) * 16777619;
	hash = (hash ^ end->port >> 8) * 16777619;
	return (hash ^ (end->port & 0xff)) * 16777619;
}

/* Returns the connection between these endpoints; creates it if it is not known. */
static struct age_connection *found(struct age *age, uint8_t version, const struct segment_end *local,
				    const struct segment_end *remote, uint64_t now_ns)
{
	struct age_connection *set = age->connections[hashed(hashed(2166136261, local), remote) % AGE_SETS];
	struct age_connection *place = set;

	for (struct age_connection *one = set; one < set + AGE_WAYS; one++) {
		if (one->used && one->version == version && same(&one->local, local) && same(&one->remote, remote)) {
			one->seen_ns = now_ns;
			return one;
		}
		if (place->used && (!one->used || one->seen_ns < place->seen_ns))
			place = one;
	}
	*place = (struct age_connection){
		.used = true, .local = *local, .remote = *remote, .version = version, .seen_ns = now_ns
	};
	return place;
}

/* Forget all but the ends. */
static void renew(struct age_connection *connection)
{
	*connection = (struct age_connection){ .used = true,
					       .local = connection->local,
					       .remote = connection->remote,
					       .version = connection->version,
					       .seen_ns = connection->seen_ns };
}

/* End the round trips that are over. If more than one is, nothing arrived in the last of them. */
static void roll(struct age_connection *connection, uint64_t now_ns)
{
	uint64_t rounds;

	if (!connection->rtt_ns || now_ns < connection->round_ns)
		return;
	rounds = (now_ns - connection->round_ns) / connection->rtt_ns;
	if (!rounds)
		return;
	connection->estimate = rounds == 1 ? connection->round_bytes : 0;
	connection->round_bytes = 0;
	connection->round_ns += rounds * connection->rtt_ns;
}

static bool young(const struct age *age, const struct age_connection *connection)
{
	return connection->estimate < age->settings.young_below;
}

static void measured(struct age_connection *connection, uint64_t now_ns)
{
	uint64_t rtt_ns = now_ns > connection->timed_ns ? now_ns - connection->timed_ns : 1;

	connection->timing = false;
	if (connection->rtt_ns) {
		connection->rtt_ns = (7 * connection->rtt_ns + rtt_ns) / 8;
		connection->rtt_ns += !connection->rtt_ns;
		return;
	}
	connection->rtt_ns = rtt_ns;
	connection->round_ns = now_ns;
	connection->round_bytes = 0;
}

void age_received(struct age *age, const struct segment *segment, uint64_t now_ns)
{
	struct age_connection *connection =
		found(age, segment->version, &segment->to, &segment->from, now_ns);
	uint32_t received_end = segment->seq + segment->payload;

	if (segment->flags & SEGMENT_RST) {
		connection->used = false;
		return;
	}
	if ((segment->flags & (SEGMENT_SYN | SEGMENT_ACK)) == SEGMENT_SYN)
		renew(connection);
	if (connection->timing && segment->flags & SEGMENT_ACK && !segment_after(connection->timed_end, segment->ack))
		measured(connection, now_ns);
	roll(connection, now_ns);
	connection->round_bytes += segment->payload;
	if (segment->payload && (!connection->received_known || segment_after(received_end, connection->received_end))) {
		connection->received_known = true;
		connection->received_end = received_end;
	}
}

/* Note what a segment sends, for the next ones, and for the round trip. */
static void note_sent(struct age_connection *connection, const struct segment *segment, uint64_t now_ns)
{
	uint32_t end = segment->seq + segment->payload;

	end += segment->flags & SEGMENT_SYN ? 1 : 0;
	end += segment->flags & SEGMENT_FIN ? 1 : 0;
	if (!connection->sent_known) {
		connection->sent_known = true;
		connection->sent_end = segment->seq;
	}
	if (connection->timing && end != segment->seq && segment_after(connection->timed_end, segment->seq))
		connection->timing = false; /* repeated: its acknowledgement could be that of either (Karn) */
	if (segment_after(end, connection->sent_end)) {
		if (!connection->timing && !segment_after(connection->sent_end, segment->seq)) {
			connection->timing = true;
			connection->timed_end = end;
			connection->timed_ns = now_ns;
		}
		connection->sent_end = end;
	}
	if (segment->flags & SEGMENT_ACK &&
	    (!connection->acked_known || segment_after(segment->ack, connection->acked))) {
		connection->acked_known = true;
		connection->acked = segment->ack;
		connection->duplicates = 0;
		connection->dropped_last = false;
	}
	connection->window = segment->window;
	memcpy(connection->told, segment->block, sizeof(connection->told));
	connection->told_blocks = segment->blocks;
}

/* Whether the last segment sent had all that the SACK blocks of this one say. */
static bool told(const struct age_connection *connection, const struct segment *segment)
{
	unsigned int known = 0;

	for (unsigned int i = 0; i < segment->blocks; i++) {
		for (unsigned int j = 0; j < connection->told_blocks; j++) {
			if (!segment_after(connection->told[j].start, segment->block[i].start) &&
			    !segment_after(segment->block[i].end, connection->told[j].end)) {
				known++;
				break;
			}
		}
	}
	return known == segment->blocks;
}

/* Whether something has arrived behind a gap. Without SACK, only what has arrived tells. */
static bool has_gap(const struct age_connection *connection, const struct segment *segment)
{
	return segment->blocks ||
	       (connection->received_known && segment_after(connection->received_end, segment->ack));
}

/* A pure ACK without a new acknowledgement: it may be one of those that report a gap. */
static enum age_verdict duplicate(struct age *age, struct age_connection *connection, const struct segment *segment)
{
	bool drop;

	if (!has_gap(connection, segment) || segment->ack != connection->acked ||
	    segment->window != connection->window)
		return AGE_PASS;
	age->counts.duplicates++;
	connection->duplicates++;
	drop = age->settings.thin_duplicates && !young(age, connection) &&
	       connection->duplicates > AGE_FAST_RETRANSMIT && connection->data_since && !connection->dropped_last &&
	       told(connection, segment) && !segment_reports_duplicate(segment) && !segment->other_options;
	connection->dropped_last = drop;
	connection->data_since = false;
	age->counts.dropped += drop;
	return drop ? AGE_DROP : AGE_PASS;
}

enum age_verdict age_sending(struct age *age, const struct segment *segment, uint64_t now_ns, uint32_t *seq)
{
	static const uint8_t untouched = SEGMENT_SYN | SEGMENT_FIN | SEGMENT_RST | SEGMENT_URG;
	struct age_connection *connection =
		found(age, segment->version, &segment->from, &segment->to, now_ns);
	enum age_verdict verdict = AGE_PASS;
	bool new_ack;

	if (segment->flags & SEGMENT_RST) {
		connection->used = false;
		return AGE_PASS;
	}
	if (segment->flags & SEGMENT_SYN && (!connection->sent_known || segment->seq + 1 != connection->sent_end))
		renew(connection);
	roll(connection, now_ns);
	new_ack = connection->acked_known && segment->flags & SEGMENT_ACK &&
		  segment_after(segment->ack, connection->acked);
	*seq = segment->seq;
	if (connection->sent_known && segment_after(connection->sent_end, segment->seq))
		*seq = connection->sent_end; /* a repeated segment: its own number would be out of the window */
	if (segment->payload && new_ack && !(segment->flags & untouched)) {
		if (!young(age, connection))
			age->counts.left_alone++;
		else if (segment->other_options)
			age->counts.refused++;
		else
			verdict = AGE_ACK_FIRST;
	} else if (!segment->payload && connection->acked_known && !new_ack && !(segment->flags & untouched)) {
		verdict = duplicate(age, connection, segment);
	}
	age->counts.added += verdict == AGE_ACK_FIRST;
	if (verdict != AGE_DROP)
		note_sent(connection, segment, now_ns);
	connection->data_since |= segment->payload > 0;
	return verdict;
}

void age_census(const struct age *age, uint64_t since_ns, unsigned int *young_ones, unsigned int *mature_ones)
{
	*young_ones = *mature_ones = 0;
	for (size_t i = 0; i < AGE_SETS * (size_t)AGE_WAYS; i++) {
		const struct age_connection *one = &age->connections[i / AGE_WAYS][i % AGE_WAYS];

		if (one->used && one->seen_ns >= since_ns)
			++*(young(age, one) ? young_ones : mature_ones);
	}
}
