/* SPDX-License-Identifier: MIT */
#include "track.h"

#include <stdlib.h>
#include <string.h>

struct track_chunk {
	struct track_chunk *next;
	uint32_t seq;
	uint32_t length;
	bool fin; /* a FIN follows it */
	uint8_t bytes[];
};

bool track_same(const struct segment_end *a, const struct segment_end *b)
{
	return a->port == b->port && !memcmp(a->address, b->address, sizeof(a->address));
}

/* FNV-1a. */
static uint32_t hashed(const struct segment_end *end)
{
	uint32_t hash = 2166136261;

	for (size_t i = 0; i < sizeof(end->address); i++)
		hash = (hash ^ end->address[i]) * 16777619;
	hash = (hash ^ end->port >> 8) * 16777619;
	return (hash ^ (end->port & 0xff)) * 16777619;
}

static size_t cost(const struct track_chunk *chunk)
{
	return sizeof(*chunk) + chunk->length;
}

static void drop_first(struct track *track, struct track_connection *connection, struct track_flow *flow)
{
	struct track_chunk *first = flow->ahead;

	connection->stored -= cost(first);
	track->stored -= cost(first);
	flow->ahead = first->next;
	free(first);
}

static void release(struct track *track, struct track_connection *connection)
{
	for (unsigned int i = 0; i < TRACK_DIRECTIONS; i++)
		while (connection->flow[i].ahead)
			drop_first(track, connection, &connection->flow[i]);
	if (track->released)
		track->released(track->context, connection);
	connection->own = NULL;
}

void track_leave(struct track *track, struct track_connection *connection, enum track_left why)
{
	if (connection->left || connection->closed)
		return;
	connection->left = why;
	track->counts.left[why]++;
	release(track, connection);
}

static void close_connection(struct track *track, struct track_connection *connection)
{
	connection->closed = true;
	if (!connection->left)
		release(track, connection);
}

void track_forget(struct track *track, struct track_connection *connection)
{
	if (!connection->closed)
		close_connection(track, connection);
	connection->used = false;
}

/* How much rather than others a connection is to be forgotten; 0: not at all. */
static unsigned int rank(const struct track_connection *one, uint64_t now_ns)
{
	if (!one->used)
		return 4;
	if (one->closed)
		return 3;
	if (!one->flow[TRACK_TO_CLIENT].begun && !one->left)
		return 2;
	return now_ns - one->seen_ns > TRACK_IDLE_NS;
}

static struct track_connection *set_of(struct track *track, const struct segment *segment)
{
	uint32_t hash = hashed(&segment->from) + hashed(&segment->to); /* equal for both directions */

	return track->connections[(hash ^ hash >> 16) % TRACK_SETS];
}

/* Whether a segment is of a connection. */
static bool is_of(const struct track_connection *one, const struct segment *segment)
{
	return one->used && one->version == segment->version &&
	       ((track_same(&one->client, &segment->from) && track_same(&one->server, &segment->to)) ||
		(track_same(&one->server, &segment->from) && track_same(&one->client, &segment->to)));
}

struct track_connection *track_known(struct track *track, const struct segment *segment)
{
	struct track_connection *set = set_of(track, segment);

	for (struct track_connection *one = set; one < set + TRACK_WAYS; one++)
		if (is_of(one, segment))
			return one->left || one->closed ? NULL : one;
	return NULL;
}

/* Returns the connection of a segment; begins it if it is not known. NULL: there is no place. */
static struct track_connection *found(struct track *track, const struct segment *segment, uint64_t now_ns)
{
	struct track_connection *set = set_of(track, segment), *place = set;

	for (struct track_connection *one = set; one < set + TRACK_WAYS; one++) {
		unsigned int here = rank(one, now_ns), there = rank(place, now_ns);

		if (is_of(one, segment)) {
			one->seen_ns = now_ns;
			return one;
		}
		if (here > there || (here == there && one->seen_ns < place->seen_ns))
			place = one;
	}
	if (!rank(place, now_ns)) {
		track->counts.not_followed++;
		return NULL;
	}
	if (place->used && !place->closed)
		close_connection(track, place);
	*place = (struct track_connection){ .used = true,
					    .version = segment->version,
					    .client = segment->from,
					    .server = segment->to,
					    .seen_ns = now_ns };
	track->counts.connections++;
	return place;
}

static void begin_flow(struct track_flow *flow, const struct segment *segment)
{
	flow->begun = true;
	flow->first = flow->next = flow->acked = segment->seq;
	flow->edge = segment->seq + UINT16_MAX; /* the largest window of a SYN's answer */
}

/* A SYN without an acknowledgement: of a new connection, unless it is repeated, or not one that its ends would take. */
static void begin(struct track *track, struct track_connection *connection, const struct segment *segment)
{
	struct track_flow *flow = &connection->flow[TRACK_TO_SERVER];
	bool known = flow->begun || connection->left || connection->closed;

	if (known && !connection->closed && !connection->left &&
	    (flow->next == segment->seq + 1 || connection->flow[TRACK_TO_CLIENT].begun))
		return;
	if (known) {
		if (!connection->closed)
			close_connection(track, connection);
		track->counts.connections++;
	}
	*connection = (struct track_connection){ .used = true,
						 .version = connection->version,
						 .client = segment->from,
						 .server = segment->to,
						 .seen_ns = connection->seen_ns };
	begin_flow(flow, segment);
}

static void acknowledge(struct track *track, struct track_connection *connection, struct track_flow *flow, uint32_t ack,
			uint64_t now_ns)
{
	if (!flow->begun || segment_after(ack, flow->next)) {
		track_leave(track, connection, TRACK_LEFT_GAP);
		return;
	}
	if (!segment_after(ack, flow->acked))
		return;
	if (flow->acked == flow->first)
		flow->handshake_ns = now_ns - flow->syn_ns;
	flow->acked = ack;
}

/* Pass on what is in order, of a segment that begins at seq. */
static void deliver(struct track *track, struct track_connection *connection, enum track_direction direction, uint32_t seq,
		    const uint8_t *bytes, uint32_t length, bool fin)
{
	struct track_flow *flow = &connection->flow[direction];
	uint32_t old = flow->next - seq; /* of its bytes, those that were there before */

	if (old < length) {
		flow->next += length - old;
		track->bytes(track->context, connection, direction, bytes + old, length - old);
	}
	if (fin && flow->next == seq + length) {
		flow->next++;
		flow->finished = true;
	}
}

/* The FIN of a flow that is handed over has come, and all before it. */
static void finish_handed(struct track_flow *flow)
{
	if (!flow->ends || flow->finished || flow->next != flow->end)
		return;
	flow->next++;
	flow->finished = true;
}

void track_hand(struct track_connection *connection, enum track_direction direction)
{
	connection->flow[direction].handed = true;
}

void track_bytes(struct track *track, struct track_connection *connection, enum track_direction direction,
		 const uint8_t *bytes, size_t length)
{
	struct track_flow *flow = &connection->flow[direction];

	flow->next += (uint32_t)length;
	track->bytes(track->context, connection, direction, bytes, length);
	finish_handed(flow);
}

/* Pass on what has waited for a gap to be filled. */
static void deliver_ahead(struct track *track, struct track_connection *connection, enum track_direction direction)
{
	struct track_flow *flow = &connection->flow[direction];

	/* a connection that is left meanwhile has nothing ahead any more */
	while (flow->ahead && !segment_after(flow->ahead->seq, flow->next)) {
		struct track_chunk *first = flow->ahead;

		flow->ahead = first->next;
		connection->stored -= cost(first);
		track->stored -= cost(first);
		deliver(track, connection, direction, first->seq, first->bytes, first->length, first->fin);
		free(first);
	}
}

static void keep(struct track *track, struct track_connection *connection, struct track_flow *flow,
		 const struct segment *segment)
{
	uint32_t length = segment_payload(segment);
	bool fin = segment->flags & SEGMENT_FIN;
	struct track_chunk **place = &flow->ahead, *chunk;

	for (; *place && !segment_after((*place)->seq, segment->seq); place = &(*place)->next)
		if (!segment_after(segment->seq + length, (*place)->seq + (*place)->length) && (!fin || (*place)->fin))
			return; /* it is there */
	if (connection->stored + sizeof(*chunk) + length > TRACK_STORED ||
	    track->stored + sizeof(*chunk) + length > TRACK_ALL_STORED ||
	    !(chunk = malloc(sizeof(*chunk) + length))) {
		track_leave(track, connection, TRACK_LEFT_MEMORY);
		return;
	}
	*chunk = (struct track_chunk){ .next = *place, .seq = segment->seq, .length = length, .fin = fin };
	memcpy(chunk->bytes, segment->packet + segment->payload, length);
	*place = chunk;
	connection->stored += cost(chunk);
	track->stored += cost(chunk);
}

/* The payload, SYN and FIN of a segment. */
static enum track_kind content(struct track *track, struct track_connection *connection, enum track_direction direction,
			       const struct segment *segment, uint64_t now_ns)
{
	struct track_flow *flow = &connection->flow[direction];
	uint32_t end = segment_next(segment);

	if (end == segment->seq)
		return TRACK_NOTHING;
	if (!segment_after(end, flow->next)) {
		if (segment->flags & SEGMENT_SYN)
			flow->syn_ns = now_ns; /* of a SYN that is repeated, most often no other one was answered */
		return TRACK_REPEATED;
	}
	if (flow->finished) {
		track_leave(track, connection, TRACK_LEFT_ODD);
		return TRACK_NOT_FOLLOWED;
	}
	if (flow->handed) {
		flow->ends |= segment->flags & SEGMENT_FIN;
		flow->end = segment->flags & SEGMENT_FIN ? end - 1 : flow->end;
		finish_handed(flow);
		return segment_after(segment->seq, flow->next) ? TRACK_AHEAD : TRACK_NEW;
	}
	if (segment_after(segment->seq, flow->next)) {
		keep(track, connection, flow, segment);
		return TRACK_AHEAD;
	}
	if (segment->flags & SEGMENT_SYN) {
		flow->next++;
		flow->syn_ns = now_ns;
		return TRACK_NEW;
	}
	deliver(track, connection, direction, segment->seq, segment->packet + segment->payload, segment_payload(segment),
		segment->flags & SEGMENT_FIN);
	deliver_ahead(track, connection, direction);
	return TRACK_NEW;
}

static void note_options(struct track_flow *flow, const struct segment *segment)
{
	flow->window = segment->window;
	if (segment->flags & SEGMENT_SYN || segment_after(segment->stamp, flow->stamp))
		flow->stamp = segment->stamp;
	if (!(segment->flags & SEGMENT_SYN))
		return;
	flow->mss = segment->mss;
	flow->scaled = segment->has_scale;
	flow->scale = segment->scale > 14 ? 14 : segment->scale; /* RFC 7323 2.3 */
	flow->sack = segment->sack_permitted;
	flow->stamps = segment->has_timestamps;
	flow->ecn = segment->flags & SEGMENT_ECE;
}

/* Its sender takes bytes up to there. */
static void note_edge(struct track_connection *connection, enum track_direction direction, const struct segment *segment)
{
	const struct track_flow *its = &connection->flow[direction];
	struct track_flow *other = &connection->flow[!direction];
	bool scaled = its->scaled && other->scaled && !(segment->flags & SEGMENT_SYN);
	uint32_t edge = segment->ack + ((uint32_t)segment->window << (scaled ? its->scale : 0));

	if (segment_after(edge, other->edge))
		other->edge = edge;
}

static bool is_established(const struct track_connection *connection)
{
	return connection->flow[0].begun && connection->flow[1].begun;
}

/* Whether a part of a segment is in the window of its receiver. */
static bool in_window(const struct track_flow *flow, const struct segment *segment)
{
	return !segment_after(flow->acked, segment_next(segment)) && !segment_after(segment->seq, flow->edge);
}

/* Whether all that a segment has was seen before. */
static bool is_repeated(const struct track_flow *flow, const struct segment *segment)
{
	return segment_next(segment) != segment->seq && !segment_after(segment_next(segment), flow->next);
}

/* Whether the receiver of a reset believes it. An answer to a SYN has no number yet. */
static bool resets(const struct track_connection *connection, enum track_direction direction, const struct segment *segment)
{
	const struct track_flow *its = &connection->flow[direction], *other = &connection->flow[!direction];

	if (!its->begun)
		return segment->flags & SEGMENT_ACK && other->begun && segment->ack == other->next;
	return !segment_after(its->acked, segment->seq) && !segment_after(segment->seq, its->next);
}

/* Whether a segment cannot be one of a connection that is followed; then it is left. */
static bool refused(struct track *track, struct track_connection *connection, enum track_direction direction,
		    const struct segment *segment)
{
	struct track_flow *flow = &connection->flow[direction];

	if (!connection->flow[TRACK_TO_SERVER].begun)
		track_leave(track, connection, TRACK_LEFT_MIDDLE);
	else if (segment->foreign || segment->flags & SEGMENT_URG)
		track_leave(track, connection, TRACK_LEFT_OPTIONS);
	else if (!flow->begun || !segment->whole)
		track_leave(track, connection, TRACK_LEFT_ODD);
	return connection->left;
}

struct track_seen track_segment(struct track *track, const struct segment *segment, uint64_t now_ns)
{
	struct track_connection *connection = found(track, segment, now_ns);
	struct track_seen seen = { .connection = connection, .kind = TRACK_NOT_FOLLOWED };
	struct track_flow *flow;

	if (!connection)
		return seen;
	if ((segment->flags & (SEGMENT_SYN | SEGMENT_ACK)) == SEGMENT_SYN)
		begin(track, connection, segment);
	seen.direction = track_same(&connection->client, &segment->from) ? TRACK_TO_SERVER : TRACK_TO_CLIENT;
	flow = &connection->flow[seen.direction];
	if (connection->closed || connection->left)
		return seen;
	if (segment->flags & SEGMENT_RST) {
		if (resets(connection, seen.direction, segment))
			close_connection(track, connection);
		else
			seen.kind = TRACK_NOTHING;
		return seen;
	}
	if (seen.direction == TRACK_TO_CLIENT && !flow->begun && segment->flags & SEGMENT_SYN) {
		begin_flow(flow, segment);
	}
	if (is_established(connection) && !in_window(flow, segment)) {
		seen.kind = is_repeated(flow, segment) ? TRACK_REPEATED : TRACK_NOTHING;
		return seen;
	}
	if (refused(track, connection, seen.direction, segment))
		return seen;
	if (segment->flags & SEGMENT_SYN && segment->seq != flow->first) {
		seen.kind = TRACK_NOTHING; /* its ends do not take it, either (RFC 9293 3.10.7.4) */
		return seen;
	}
	note_options(flow, segment);
	if (segment->flags & SEGMENT_ACK) {
		acknowledge(track, connection, &connection->flow[!seen.direction], segment->ack, now_ns);
		note_edge(connection, seen.direction, segment);
	}
	if (!connection->left)
		seen.kind = content(track, connection, seen.direction, segment, now_ns);
	if (connection->left)
		seen.kind = TRACK_NOT_FOLLOWED;
	else if (connection->flow[0].finished && connection->flow[1].finished &&
		 connection->flow[0].acked == connection->flow[0].next &&
		 connection->flow[1].acked == connection->flow[1].next)
		close_connection(track, connection);
	return seen;
}
