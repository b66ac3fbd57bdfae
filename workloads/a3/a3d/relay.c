/* SPDX-License-Identifier: MIT */
#include "relay_parts.h"

#include <stdlib.h>
#include <string.h>

enum {
	MSS_UNKNOWN = 536, /* RFC 9293 3.7.1 */
	STAMP_OPTION = 12,
};

#define NEVER RELAY_NEVER
#define MS_NS UINT64_C(1000000)

/* Streams. */

static void copy_in(struct stream *stream, const uint8_t *bytes, size_t length)
{
	size_t at = stream->end % RELAY_ROOM, first = (size_t)least(length, RELAY_ROOM - at);

	memcpy(stream->ring + at, bytes, first);
	memcpy(stream->ring, bytes + first, length - first);
	stream->end += length;
}

static void copy_out(const struct stream *stream, uint64_t from, uint8_t *bytes, size_t length)
{
	size_t at = from % RELAY_ROOM, first = (size_t)least(length, RELAY_ROOM - at);

	memcpy(bytes, stream->ring + at, first);
	memcpy(bytes + first, stream->ring, length - first);
}

/* Let the transformer keep what is in memory before a byte, as far as it can. */
static void keep_until(struct stream *stream, uint64_t until)
{
	struct relay *relay = stream->relay;
	uint64_t from = delivered(relay, stream->direction);

	while (stream->start < until) {
		size_t at = stream->start % RELAY_ROOM, length = (size_t)least(until - stream->start, RELAY_ROOM - at);

		if (!relay->transformer->keep(relay->context, stream->direction, from, stream->start, stream->ring + at,
					      length))
			return;
		stream->start += length;
	}
}

/* Forget what is needed no more, or on disk if that does not suffice. Returns how many bytes can come. */
static size_t make_room(struct stream *stream, size_t wanted)
{
	uint64_t gone = least(delivered(stream->relay, stream->direction), stream->end);
	uint64_t over = stream->end + wanted > RELAY_ROOM ? stream->end + wanted - RELAY_ROOM : 0;

	stream->start = most(stream->start, gone);
	if (stream->start < over && stream->relay->transformer) {
		keep_until(stream, least(most(over, stream->start + RELAY_ROOM / 4), stream->end));
	} else if (stream->start < over) {
		gone = least(safe(stream->relay, stream->direction), stream->end);
		stream->start = most(stream->start, least(gone, over));
	}
	return (size_t)(RELAY_ROOM - (stream->end - stream->start));
}

/* Read what is not in memory any more. */
static bool read_old(struct relay *relay, enum track_direction direction, uint64_t at, uint8_t *bytes, size_t length)
{
	if (relay->transformer)
		return relay->transformer->kept(relay->context, direction, at, bytes, length);
	return stored_here(relay, direction) && journal_read(&relay->journal, at, bytes, length);
}

/* For a half: of the stream towards its host. Its context is the other one. */
static bool read_stream(void *context, uint64_t at, uint8_t *bytes, size_t length)
{
	const struct stream *own = context, *stream = &own->relay->stream[!own->direction];
	size_t old = at < stream->start ? (size_t)least(length, stream->start - at) : 0;

	if (at + length > stream->end)
		return false;
	if (old && !read_old(stream->relay, stream->direction, at, bytes, old))
		return false;
	copy_out(stream, at + old, bytes + old, length - old);
	return true;
}

bool relay_give(struct relay *relay, enum track_direction direction, const uint8_t *bytes, size_t length)
{
	struct stream *stream = &relay->stream[direction];

	if (make_room(stream, length) < length || stream->finished)
		return false;
	copy_in(stream, bytes, length);
	half_offer(sink(relay, direction), stream->end, false);
	relay->touched = true;
	return true;
}

size_t relay_room(const struct relay *relay, enum track_direction direction)
{
	const struct stream *stream = &relay->stream[direction];
	const struct half *half = &relay->half[!direction];
	uint64_t kept = stream->end - least(stream->end, half->acked);

	return kept < RELAY_ROOM / 2 ? (size_t)(RELAY_ROOM / 2 - kept) : 0;
}

void relay_finish(struct relay *relay, enum track_direction direction)
{
	struct stream *stream = &relay->stream[direction];

	stream->finished = true;
	half_offer(sink(relay, direction), stream->end, true);
	relay->touched = true;
}

/* Whether the far host of a transformer is gone: the near one gets what has come, and nothing more. */
static bool is_cut_off(const struct relay *relay)
{
	return relay->half[relay->relays->settings.inward].state != HALF_OPEN;
}

/* Say which bytes of the near host's peer were taken. */
static void tell_taken(const struct stream *stream, const uint8_t *bytes, size_t length)
{
	const struct relay *relay = stream->relay;
	const struct relay_settings *settings = &relay->relays->settings;

	if (settings->taken && stream->direction == settings->inward && length)
		settings->taken(settings->context, relay->version, relay->ends, bytes, length);
}

/* The next bytes of a host. */
static size_t came(void *context, const uint8_t *bytes, size_t length)
{
	struct stream *stream = context;
	struct relay *relay = stream->relay;
	size_t room;

	if (relay->over)
		return 0;
	if (relay->transformer) {
		if (is_cut_off(relay))
			return 0;
		if (make_room(stream, RELAY_ROOM / 4) < RELAY_ROOM / 4 ||
		    make_room(&relay->stream[!stream->direction], RELAY_SLACK) < RELAY_SLACK)
			return 0;
		length = (size_t)least(length, RELAY_ROOM / 4);
		tell_taken(stream, bytes, length);
		relay->broken |= !relay->transformer->bytes(relay->context, relay, stream->direction, bytes, length);
		return length;
	}
	room = make_room(stream, length);
	if (room < length && stored_here(relay, stream->direction)) {
		relay_commit(relay);
		room = make_room(stream, length);
	}
	length = (size_t)least(length, room);
	tell_taken(stream, bytes, length);
	copy_in(stream, bytes, length);
	half_offer(sink(relay, stream->direction), stream->end, false);
	return length;
}

/* Beginning and end. */

static void leave_transformer(struct relay *relay)
{
	if (relay->transformer)
		relay->transformer->released(relay->context);
	relay->transformer = NULL;
}

static void release(struct relay *relay)
{
	struct relays *relays = relay->relays;

	for (unsigned int i = 0; i < RELAY_MOST; i++)
		if (relays->all[i] == relay)
			relays->all[i] = NULL;
	relays->open--;
	for (unsigned int i = 0; i < TRACK_DIRECTIONS; i++) {
		half_end(&relay->half[i]);
		free(relay->stream[i].ring);
	}
	leave_transformer(relay);
	free(relay);
}

static bool note(struct relay *relay, bool on)
{
	const struct relay_settings *settings = &relay->relays->settings;

	return !settings->changed ||
	       settings->changed(settings->context, relay->version, &relay->ends[0], &relay->ends[1], on);
}

/* Whether one of the hosts has surely forgotten the connection: then it answers with a reset what the other one sends. */
static bool is_forgotten(const struct relay *relay)
{
	return !relay->was_reset || relay->half[0].state == HALF_RESET_BY_HOST || relay->half[1].state == HALF_RESET_BY_HOST;
}

/* Forget a connection that is over. If both hosts may still know one that was reset, none of its packets may pass. */
static void forget(struct relay *relay)
{
	relay_remove_journal(relay);
	if (is_forgotten(relay))
		note(relay, false);
	relay->relays->counts.over++;
	release(relay);
}

static void reset(struct relay *relay, uint64_t now_ns);

/* Whether a device has all the places that one may have. */
static bool has_many(const struct relays *relays, const struct segment_end *client)
{
	unsigned int its = 0;

	for (unsigned int i = 0; i < RELAY_MOST; i++)
		its += relays->all[i] && !relays->all[i]->over &&
		       !memcmp(relays->all[i]->ends[0].address, client->address, SEGMENT_DEVICE);
	return its >= RELAY_DEVICE;
}

/*
 * Have a place for one more connection: forget the one that has been over for the longest time. If none is over, reset the
 * one that has been idle for the longest time, if that was long enough. Return NULL if there is no place.
 */
static struct relay **free_place(struct relays *relays, uint64_t now_ns)
{
	struct relay **place = relays->all, **oldest = NULL, *idle = NULL;

	for (; place < relays->all + RELAY_MOST && *place; place++) {
		if ((*place)->over && (!oldest || (*place)->over_ns < (*oldest)->over_ns))
			oldest = place;
		if (!idle || (*place)->moved_ns < idle->moved_ns)
			idle = *place;
	}
	if (place < relays->all + RELAY_MOST)
		return place;
	if (oldest)
		forget(*oldest);
	else if (now_ns - idle->moved_ns >= RELAY_IDLE_NS)
		reset(idle, now_ns);
	return oldest;
}

struct relay *relay_make(struct relays *relays, const struct half_settings settings[TRACK_DIRECTIONS], uint64_t now_ns)
{
	struct relay *relay, **place;

	if (has_many(relays, &settings[0].host) || !(place = free_place(relays, now_ns)) ||
	    !(relay = calloc(1, sizeof(*relay))))
		return NULL;
	*place = relay;
	relays->open++;
	relay->relays = relays;
	relay->version = settings[0].version;
	relay->commit_ns = relay->end_ns = NEVER;
	relay->touched = true;
	relay->now_ns = relay->moved_ns = now_ns;
	for (unsigned int i = 0; i < TRACK_DIRECTIONS; i++) {
		relay->ends[i] = settings[i].host;
		relay->stream[i] = (struct stream){ .relay = relay, .direction = i, .ring = malloc(RELAY_ROOM) };
	}
	for (unsigned int i = 0; i < TRACK_DIRECTIONS; i++) {
		const struct half_owner owner = { came, read_stream, &relay->stream[i] };

		half_begin(&relay->half[i], &settings[i], &owner);
		relay->half[i].ask_ns = now_ns + HALF_KEEP_NS;
	}
	if (relay->stream[0].ring && relay->stream[1].ring)
		return relay;
	release(relay);
	return NULL;
}

/* What both ends of a connection have settled, for the half that plays the other one towards a host. */
static struct half_settings settled(const struct relays *relays, const struct track_connection *connection,
				    enum track_direction host, uint64_t now_ns)
{
	const struct track_flow *its = &connection->flow[host], *other = &connection->flow[!host];
	bool stamps = its->stamps && other->stamps, scaled = its->scaled && other->scaled;
	uint16_t mss = (uint16_t)least(its->mss ? its->mss : MSS_UNKNOWN, other->mss ? other->mss : MSS_UNKNOWN);

	mss = (uint16_t)least(most(mss, 88), HALF_PACKET - 140);
	return (struct half_settings){
		.version = connection->version,
		.host = host == TRACK_TO_SERVER ? connection->client : connection->server,
		.self = host == TRACK_TO_SERVER ? connection->server : connection->client,
		.send = other->next,
		.receive = its->next,
		.mss = (uint16_t)(mss - (stamps ? STAMP_OPTION : 0)),
		.send_scale = scaled ? its->scale : 0,
		.receive_scale = scaled ? other->scale : 0,
		.sack = its->sack && other->sack,
		.stamps = stamps,
		.stamp = other->stamp + 1 - (uint32_t)(now_ns / MS_NS),
		.echo = its->stamp,
		.window = (uint64_t)its->window << (scaled ? its->scale : 0),
		.least_rto_ns = relays->settings.least_rto_ns,
	};
}

/* What is done after something has happened. */

/*
 * How far a transformer takes the bytes of a host. Half of the memory is for what it adds. What the near host sends is not
 * far away, and may have to wait for the transformer; it gets a small window.
 */
static uint64_t transformed_edge(struct relay *relay, enum track_direction direction)
{
	const struct half *from = source(relay, direction);
	const struct stream *stream = &relay->stream[direction];
	uint64_t largest = (uint64_t)UINT16_MAX << from->settings.receive_scale;
	uint64_t under_way = stream->end - least(stream->end, delivered(relay, direction)), all, room = RELAY_ROOM / 2;

	if (direction != relay->relays->settings.inward)
		largest = RELAY_ROOM / 4;
	if (relay->transformer->waits && relay->transformer->waits(relay->context, direction))
		largest = most(from->edge, from->received) - from->received; /* what was told may still come */
	all = under_way + largest;
	room += relay->transformer->keeps(relay->context, direction, all > room ? all - room : 0);
	return from->received + least(room > under_way ? room - under_way : 0, largest);
}

/* How far the bytes of a host are taken. */
static uint64_t edge(struct relay *relay, enum track_direction direction)
{
	const struct relay_settings *settings = &relay->relays->settings;
	const struct half *to = sink(relay, direction), *from = source(relay, direction);
	uint64_t there = safe(relay, direction), left, offers;

	if (relay->transformer)
		return transformed_edge(relay, direction);
	/* what the receiver offers; and a little, so that there is something to ask it with when its window is closed */
	offers = least(delivered(relay, direction) + most(to->window, 2 * (uint64_t)to->settings.mss), there + RELAY_ROOM);
	if (direction != settings->inward)
		return least(offers, relay_noted_edge(relay));
	if (relay_writes(relay) && !relay->full) {
		left = least(settings->quota - least(settings->quota, relay->journal.size),
			     settings->quota_all - least(settings->quota_all, relay->relays->stored));
		left -= left / 16; /* for the heads of records */
		return most(offers, there + least(left, (uint64_t)UINT16_MAX << from->settings.receive_scale));
	}
	return offers;
}

/* A transformer takes bytes as they come, and says itself when all are given. */
static void end_transformed(struct relay *relay, enum track_direction direction)
{
	struct stream *stream = &relay->stream[direction];

	if (!source(relay, direction)->finished || stream->ended)
		return;
	stream->ended = true;
	relay->broken |= !relay->transformer->ended(relay->context, relay, direction);
}

/* The receiver may have got bytes before a restart of which nothing was known here; and the FIN may have come. */
static void follow(struct relay *relay, enum track_direction direction)
{
	struct stream *stream = &relay->stream[direction];
	struct half *from = source(relay, direction);
	uint64_t there = least(delivered(relay, direction), from->end);

	if (there > stream->end && !stream->finished) {
		stream->start = stream->end = there;
		half_skip(from, there);
		half_offer(sink(relay, direction), there, false);
	}
	/*
	 * All has come, and a FIN. That is noted on disk before the FIN goes on, so that a number that a host acknowledges
	 * after a restart is never one of which nobody knows whether it is that of a byte.
	 */
	if (from->finished && !stream->finished && stream->end == from->end && relay_note_end(relay, direction))
		relay_finish(relay, direction);
}

static void settle_direction(struct relay *relay, enum track_direction direction)
{
	struct half *from = source(relay, direction);

	if (relay->waits[direction])
		return;
	if (relay->transformer)
		end_transformed(relay, direction);
	else
		follow(relay, direction);
	if (relay->transformer)
		half_permit(from, from->received, relay->stream[direction].ended);
	else
		half_permit(from, safe(relay, direction),
			    sink(relay, direction)->acked_end ||
				    (stored_here(relay, direction) && relay->journal.ended[direction]));
	half_take(from, edge(relay, direction));
}

static void end_relay(struct relay *relay, uint64_t now_ns)
{
	relay->over = true;
	relay->over_ns = now_ns;
	relay_remove_journal(relay);
	leave_transformer(relay); /* so that its room is free for others */
	for (unsigned int i = 0; i < TRACK_DIRECTIONS; i++) {
		free(relay->stream[i].ring);
		relay->stream[i].ring = NULL;
	}
}

static void reset(struct relay *relay, uint64_t now_ns)
{
	if (relay->over)
		return;
	for (unsigned int i = 0; i < TRACK_DIRECTIONS; i++)
		if (relay->half[i].state != HALF_RESET_BY_HOST)
			half_reset(&relay->half[i]);
	relay->was_reset = true;
	relay->relays->counts.resets++;
	end_relay(relay, now_ns);
}

/* Whether the near host lacks bytes that were acknowledged in its name, or that are here. */
static bool lacks(struct relay *relay)
{
	const struct stream *stream = &relay->stream[relay->relays->settings.inward];

	if (relay->waits[stream->direction])
		return relay->journal.count || relay->journal.ended[stream->direction];
	return delivered(relay, stream->direction) < stream->end ||
	       (stream->finished && !sink(relay, stream->direction)->acked_end);
}

/* Whether it is over: by both FINs, a reset, or a host that is gone. */
static void look_for_end(struct relay *relay, uint64_t now_ns)
{
	struct half *far = source(relay, relay->relays->settings.inward), *near = sink(relay, relay->relays->settings.inward);

	if (relay->broken || near->state != HALF_OPEN || (far->state != HALF_OPEN && !lacks(relay)))
		reset(relay, now_ns);
	else if (near->acked_end && near->told_end && far->acked_end && far->told_end)
		end_relay(relay, now_ns);
}

static void settle(struct relay *relay, uint64_t now_ns)
{
	const struct half *half = relay->half;
	uint64_t moved = half[0].received + half[1].received + half[0].acked + half[1].acked;

	relay->now_ns = now_ns;
	if (relay->over)
		return;
	if (moved != relay->moved)
		relay->moved_ns = now_ns;
	relay->moved = moved;
	relay->end_ns = NEVER;
	for (unsigned int i = 0; i < TRACK_DIRECTIONS; i++)
		if (relay->waits[i] && !sink(relay, i)->learning)
			relay_resume(relay, i);
	if (relay->transformer && relay->transformer->room && !is_cut_off(relay))
		relay->broken |= !relay->transformer->room(relay->context, relay);
	settle_direction(relay, TRACK_TO_SERVER);
	settle_direction(relay, TRACK_TO_CLIENT);
	relay_renew_journal(relay);
	relay_plan_commit(relay);
	look_for_end(relay, now_ns);
}

/* Segments. */

bool relays_ready(const struct relays *relays, uint64_t now_ns)
{
	return relays->take_ns <= now_ns + (RELAY_TAKES - 1) * RELAY_TAKE_NS;
}

bool relays_take(struct relays *relays, const struct track_connection *connection,
		 const struct relay_transformer *transformer, void *context, uint64_t now_ns)
{
	const struct half_settings settings[] = {
		settled(relays, connection, TRACK_TO_SERVER, now_ns),
		settled(relays, connection, TRACK_TO_CLIENT, now_ns),
	};
	struct relay *relay;

	if ((connection->flow[0].ecn && connection->flow[1].ecn) || !(relay = relay_make(relays, settings, now_ns))) {
		relays->counts.no_room++;
		return false;
	}
	relays->take_ns = most(relays->take_ns, now_ns) + RELAY_TAKE_NS;
	if ((!transformer && relays->settings.ib && !relay_open_journal(relay)) || !note(relay, true)) {
		relays->counts.no_room++;
		relay_remove_journal(relay);
		release(relay);
		return false;
	}
	relay->transformer = transformer;
	relay->context = context;
	relays->counts.taken++;
	settle_direction(relay, TRACK_TO_SERVER);
	settle_direction(relay, TRACK_TO_CLIENT);
	return true;
}


static struct relay *found(const struct relays *relays, const struct segment *segment, enum track_direction *direction)
{
	for (unsigned int i = 0; relays->open && i < RELAY_MOST; i++) {
		struct relay *relay = relays->all[i];

		if (!relay || relay->version != segment->version)
			continue;
		*direction = track_same(&relay->ends[0], &segment->from) ? TRACK_TO_SERVER : TRACK_TO_CLIENT;
		if (track_same(&relay->ends[*direction], &segment->from) && track_same(&relay->ends[!*direction], &segment->to))
			return relay;
	}
	return NULL;
}

bool relays_known(const struct relays *relays, const struct segment *segment, enum track_direction *direction)
{
	return found(relays, segment, direction);
}

bool relays_over(const struct relays *relays, const struct segment *segment)
{
	enum track_direction direction;
	const struct relay *relay = found(relays, segment, &direction);

	return relay && relay->over;
}

void relays_replaced(struct relays *relays, const struct segment_end *client, const struct segment_end *server,
		     uint8_t version)
{
	const struct relay_settings *settings = &relays->settings;
	enum track_direction direction;
	struct relay *relay = found(relays, &(struct segment){ .version = version, .from = *client, .to = *server },
				    &direction);

	if (relay) {
		relay->was_reset = false; /* the hosts have forgotten it */
		forget(relay);
		return;
	}
	relay_remove_left(relays, version, client, server);
	if (settings->changed)
		settings->changed(settings->context, version, client, server, false);
}

bool relays_segment(struct relays *relays, const struct segment *segment, uint64_t now_ns)
{
	enum track_direction direction;
	struct relay *relay = found(relays, segment, &direction);

	if (!relay)
		return false;
	relay->touched = true;
	relay->now_ns = now_ns;
	if (segment->whole)
		half_segment(&relay->half[direction], segment, now_ns);
	return true;
}

void relays_too_long(struct relays *relays, const uint8_t *packet, size_t length)
{
	enum track_direction direction;
	struct segment segment;
	struct relay *relay = segment_read(&segment, packet, length) ? found(relays, &segment, &direction) : NULL;

	if (!relay)
		return;
	half_too_long(&relay->half[!direction], length);
	relay->touched = true;
}

static size_t due(struct relay *relay, uint64_t now_ns, uint8_t *packet, bool *outward)
{
	enum track_direction inward = relay->relays->settings.inward;
	const struct half *half = relay->half;
	size_t length;

	do {
		enum half_state states[] = { half[0].state, half[1].state };

		settle(relay, now_ns);
		*outward = false;
		length = half_due(sink(relay, inward), now_ns, packet, HALF_PACKET);
		if (length)
			return length;
		*outward = true;
		length = half_due(source(relay, inward), now_ns, packet, HALF_PACKET);
		if (length)
			return length;
		if (half[0].state != states[0] || half[1].state != states[1])
			continue; /* one of them has given up */
		if (!relay_is_to_commit(relay, now_ns))
			break;
		relay_commit(relay);
	} while (true);
	relay->touched = false;
	return 0;
}

/* When one that is over is forgotten: one that was reset as soon as both hosts have forgotten it. */
static uint64_t forget_ns(const struct relay *relay)
{
	bool waits = false;

	for (unsigned int i = 0; i < TRACK_DIRECTIONS; i++)
		waits |= relay->half[i].state == HALF_RESETTING || (!relay->was_reset && relay->half[i].state == HALF_OPEN);
	return waits ? relay->over_ns + RELAY_LINGER_NS : 0;
}

static uint64_t next_ns(const struct relay *relay)
{
	uint64_t next = least(half_next_ns(&relay->half[0]), half_next_ns(&relay->half[1]));

	if (relay->touched)
		return 0;
	if (relay->over)
		return least(next, forget_ns(relay));
	return least(next, least(relay->commit_ns, relay->end_ns));
}

bool relays_due(struct relays *relays, uint64_t now_ns, struct relay_packet *packet)
{
	for (unsigned int i = 0; relays->open && i < RELAY_MOST; i++) {
		struct relay *relay = relays->all[i];
		size_t length;
		bool outward;

		if (!relay || next_ns(relay) > now_ns)
			continue;
		if (relay->over && now_ns >= forget_ns(relay)) {
			forget(relay);
			continue;
		}
		length = due(relay, now_ns, relays->packet, &outward);
		if (!length)
			continue;
		relay->touched = true;
		*packet = (struct relay_packet){ relay->version, outward, relays->packet, length };
		return true;
	}
	return false;
}

uint64_t relays_next_ns(const struct relays *relays)
{
	uint64_t next = NEVER;

	for (unsigned int i = 0; relays->open && i < RELAY_MOST; i++)
		if (relays->all[i])
			next = least(next, next_ns(relays->all[i]));
	return next;
}

void relays_leave(struct relays *relays, uint64_t now_ns)
{
	for (unsigned int i = 0; i < RELAY_MOST; i++) {
		struct relay *relay = relays->all[i];

		if (!relay || !relay->transformer)
			continue;
		reset(relay, now_ns);
		for (unsigned int j = 0; j < TRACK_DIRECTIONS; j++)
			relay->half[j].ask_ns = now_ns; /* at once */
		relay->touched = true;
	}
}

bool relays_are_left(const struct relays *relays)
{
	for (unsigned int i = 0; i < RELAY_MOST; i++)
		if (relays->all[i] && relays->all[i]->over && !is_forgotten(relays->all[i]))
			return false;
	return true;
}

void relays_end(struct relays *relays)
{
	for (unsigned int i = 0; i < RELAY_MOST; i++) {
		struct relay *relay = relays->all[i];

		if (!relay)
			continue;
		if (relay->over) {
			forget(relay);
			continue;
		}
		if (relay->stores) {
			relay->stores = false;
			journal_close(&relay->journal);
		}
		release(relay);
	}
}
