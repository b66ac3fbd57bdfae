/* SPDX-License-Identifier: MIT */
#include "relay.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	FORMAT = 2, /* of a journal's head */
	RESTART_SIZE = 1 << 20, /* bytes of a journal that is begun again when all of it is delivered */
	MSS_UNKNOWN = 536, /* RFC 9293 3.7.1 */
	STAMP_OPTION = 12,
	RECORD_HEAD = 64, /* bytes of it, and more */
};

#define NEVER UINT64_MAX
#define MS_NS UINT64_C(1000000)
#define HEAD_BYTES (UINT64_C(16) << 20) /* so far a head's numbers may be behind */

/* What a journal says about its connection. */
struct head {
	uint32_t format, size;
	struct half_settings settings[TRACK_DIRECTIONS];
	uint64_t bytes[TRACK_DIRECTIONS]; /* of each direction, that its receiver has acknowledged */
};

/* Bytes on their way to a host; of a number n, the place is n % RELAY_ROOM. */
struct stream {
	struct relay *relay;
	enum track_direction direction;
	uint8_t *ring;
	uint64_t start, end; /* that are in memory */
	bool ended; /* the transformer knows that no more will come */
	bool finished; /* a FIN follows */
};

struct relay {
	struct relays *relays;
	struct segment_end ends[TRACK_DIRECTIONS]; /* client, server */
	uint8_t version;
	const struct relay_transformer *transformer;
	void *context;
	struct half half[TRACK_DIRECTIONS]; /* towards the client, towards the server */
	struct stream stream[TRACK_DIRECTIONS]; /* to the server, to the client */
	uint64_t now_ns; /* when something happened last */
	bool touched; /* there may be something to do */
	bool over; /* both FINs are acknowledged, or it is reset */
	bool was_reset;
	bool broken; /* the transformer refuses */
	uint64_t over_ns;

	bool stores; /* journal is open */
	struct journal journal;
	uint64_t number; /* of its file */
	uint64_t head_bytes[TRACK_DIRECTIONS]; /* that its head says */
	uint64_t commit_ns; /* when what is not delivered is stored; NEVER: nothing waits */
	uint64_t full_ns; /* until then the disk is taken to be full */
	bool full;

	bool waits[TRACK_DIRECTIONS]; /* after a restart: until its receiver has said what it has */
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The half whose host sends the bytes of a direction, and that whose host gets them. */
static struct half *source(struct relay *relay, enum track_direction direction)
{
	return &relay->half[direction];
}

static struct half *sink(struct relay *relay, enum track_direction direction)
{
	return &relay->half[!direction];
}

/* Bytes of a direction that its receiver has acknowledged, without the FIN. */
static uint64_t delivered(struct relay *relay, enum track_direction direction)
{
	const struct half *half = sink(relay, direction);

	return half->acked - half->acked_end;
}

static bool stored_here(const struct relay *relay, enum track_direction direction)
{
	return relay->stores && direction == relay->relays->settings.inward;
}

/* Where the bytes end that are delivered or on disk. */
static uint64_t safe(struct relay *relay, enum track_direction direction)
{
	uint64_t there = delivered(relay, direction);

	return stored_here(relay, direction) && relay->journal.count ? most(there, relay->journal.end) : there;
}

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

static bool fits(struct relay *relay, uint64_t length)
{
	const struct relays *relays = relay->relays;
	const uint64_t more = length + RECORD_HEAD * (1 + length / JOURNAL_RECORD);

	return relay->journal.size + more <= relays->settings.quota &&
	       relays->stored + more <= relays->settings.quota_all;
}

/* The journal has another size now. */
static void count_size(struct relay *relay, uint64_t before)
{
	relay->relays->stored += relay->journal.size - before;
}

/* Whether something can be added to the journal. */
static bool writes(const struct relay *relay)
{
	return relay->stores && !relay->journal.broken;
}

/* Put on disk what the near host has not acknowledged yet. */
static void commit(struct relay *relay)
{
	const uint64_t now_ns = relay->now_ns;
	enum track_direction inward = relay->relays->settings.inward;
	struct stream *stream = &relay->stream[inward];
	uint64_t from = safe(relay, inward), before = relay->journal.size;
	size_t length = stream->end > from ? (size_t)(stream->end - from) : 0, at = from % RELAY_ROOM;
	size_t first = (size_t)least(length, RELAY_ROOM - at);
	const struct iovec parts[] = { { stream->ring + at, first }, { stream->ring, length - first } };
	bool good;

	relay->commit_ns = NEVER;
	if (!writes(relay) || relay->waits[inward] || !length || now_ns < relay->full_ns)
		return;
	good = fits(relay, length) && journal_add(&relay->journal, from, parts, delivered(relay, !inward));
	count_size(relay, before);
	relay->relays->sync_ns = now_ns + RELAY_SYNC_NS;
	relay->relays->counts.syncs++;
	relay->full = !good;
	if (good) {
		relay->relays->counts.stored += length;
	} else {
		relay->relays->counts.full++;
		relay->full_ns = now_ns + RELAY_FULL_NS;
	}
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
		relay->broken |= !relay->transformer->bytes(relay->context, relay, stream->direction, bytes, length);
		return length;
	}
	room = make_room(stream, length);
	if (room < length && stored_here(relay, stream->direction)) {
		commit(relay);
		room = make_room(stream, length);
	}
	length = (size_t)least(length, room);
	copy_in(stream, bytes, length);
	half_offer(sink(relay, stream->direction), stream->end, false);
	return length;
}

/* Beginning and end. */

static struct head head_of(struct relay *relay)
{
	struct head head;

	memset(&head, 0, sizeof(head));
	head.format = FORMAT;
	head.size = sizeof(head);
	for (unsigned int i = 0; i < TRACK_DIRECTIONS; i++) {
		head.settings[i] = relay->half[i].settings;
		head.settings[i].echo = relay->half[i].stamp_latest;
		head.bytes[i] = delivered(relay, i);
	}
	return head;
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
	if (relay->transformer)
		relay->transformer->released(relay->context);
	free(relay);
}

static void remove_journal(struct relay *relay)
{
	if (!relay->stores)
		return;
	relay->relays->stored -= relay->journal.size;
	relay->stores = false;
	relay->commit_ns = NEVER;
	journal_remove(&relay->journal);
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
	remove_journal(relay);
	if (is_forgotten(relay))
		note(relay, false);
	relay->relays->counts.over++;
	release(relay);
}

/* Have a place for one more connection: forget the one that has been over for the longest time. NULL: there is none. */
static struct relay **free_place(struct relays *relays)
{
	struct relay **place = relays->all, **oldest = NULL;

	for (; place < relays->all + RELAY_MOST && *place; place++)
		if ((*place)->over && (!oldest || (*place)->over_ns < (*oldest)->over_ns))
			oldest = place;
	if (place < relays->all + RELAY_MOST)
		return place;
	if (oldest)
		forget(*oldest);
	return oldest;
}

static struct relay *make(struct relays *relays, const struct half_settings settings[TRACK_DIRECTIONS],
			  uint64_t now_ns)
{
	struct relay *relay, **place = free_place(relays);

	if (!place || !(relay = calloc(1, sizeof(*relay))))
		return NULL;
	*place = relay;
	relays->open++;
	relay->relays = relays;
	relay->version = settings[0].version;
	relay->commit_ns = NEVER;
	relay->touched = true;
	relay->now_ns = now_ns;
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

/* Files of the two sides have other names, since near is far for the other one. */
static const char *prefix(const struct relays *relays)
{
	return relays->settings.inward == TRACK_TO_CLIENT ? "client-" : "server-";
}

static bool open_journal(struct relay *relay)
{
	struct relays *relays = relay->relays;
	struct head head = head_of(relay);
	char name[64];

	relay->number = relays->number++;
	snprintf(name, sizeof(name), "%s%" PRIu64, prefix(relays), relay->number);
	if (relays->stored + sizeof(head) + RECORD_HEAD > relays->settings.quota_all ||
	    !journal_create(&relay->journal, relays->settings.folder, name, relays->settings.inward, &head, sizeof(head)))
		return false;
	relay->stores = true;
	relays->stored += relay->journal.size;
	return true;
}

/* What is done after something has happened. */

/*
 * How far a transformer takes the bytes of a host. Half of the memory is for what it adds. What the near host sends is not
 * far away, and may have to wait for the transformer; it is told a small window.
 */
static uint64_t transformed_edge(struct relay *relay, enum track_direction direction)
{
	const struct half *from = source(relay, direction);
	const struct stream *stream = &relay->stream[direction];
	uint64_t largest = (uint64_t)UINT16_MAX << from->settings.receive_scale;
	uint64_t room = RELAY_ROOM / 2 + relay->transformer->keeps(relay->context, direction);
	uint64_t under_way = stream->end - least(stream->end, delivered(relay, direction));
	uint64_t left = room > under_way ? room - under_way : 0;

	if (direction != relay->relays->settings.inward)
		largest = RELAY_ROOM / 4;
	if (relay->transformer->waits && relay->transformer->waits(relay->context, direction))
		left = 0;
	return most(from->edge, from->received + least(left, largest));
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
	if (stored_here(relay, direction) && writes(relay) && !relay->full) {
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

/*
 * All of a direction has come, and its FIN. That is noted on disk before the FIN goes on, so that a number that a host
 * acknowledges after a restart is never one of which nobody knows whether it is that of a byte. If the disk does not take
 * it, the FIN goes on all the same, and is not acknowledged before its receiver has it.
 */
static void finish(struct relay *relay, enum track_direction direction)
{
	uint64_t before = relay->journal.size;

	if (writes(relay)) {
		journal_add_end(&relay->journal, direction, relay->stream[direction].end);
		count_size(relay, before);
	}
	relay_finish(relay, direction);
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
	if (from->finished && !stream->finished && stream->end == from->end)
		finish(relay, direction);
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
	remove_journal(relay);
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

/* A journal of which all is delivered begins again, before it is long or its head is old, or if it is broken. */
static void renew_journal(struct relay *relay)
{
	enum track_direction inward = relay->relays->settings.inward;
	uint64_t size = relay->journal.size, quota = relay->relays->settings.quota;
	bool large = relay->journal.count && (size >= RESTART_SIZE || size >= quota / 2 || relay->full);
	bool old = relay->half[0].acked - relay->head_bytes[TRACK_TO_CLIENT] >= HEAD_BYTES ||
		   relay->half[1].acked - relay->head_bytes[TRACK_TO_SERVER] >= HEAD_BYTES;
	struct head head;

	if (!relay->stores || relay->waits[0] || relay->waits[1] || relay->journal.damaged ||
	    !(large || old || relay->journal.broken) || relay->now_ns < relay->full_ns ||
	    (relay->journal.count && delivered(relay, inward) < relay->journal.end))
		return;
	head = head_of(relay);
	if (!journal_renew(&relay->journal, &head, sizeof(head))) {
		relay->full_ns = relay->now_ns + RELAY_FULL_NS;
		return;
	}
	memcpy(relay->head_bytes, head.bytes, sizeof(head.bytes));
	count_size(relay, size);
	relay->full = false;
}

/* When bytes are to be stored: when the near host has not acknowledged them for a while. */
static void plan_commit(struct relay *relay)
{
	const struct stream *stream = &relay->stream[relay->relays->settings.inward];

	if (!writes(relay) || relay->waits[stream->direction] || safe(relay, stream->direction) >= stream->end) {
		relay->commit_ns = NEVER;
		return;
	}
	if (relay->commit_ns == NEVER)
		relay->commit_ns = relay->now_ns + RELAY_COMMIT_NS;
	relay->commit_ns = most(relay->commit_ns, most(relay->full_ns, relay->relays->sync_ns));
}

/* Whether bytes are to be stored now. It does not wait if the near host does not even take them. */
static bool is_to_commit(struct relay *relay, uint64_t now_ns)
{
	const struct stream *stream = &relay->stream[relay->relays->settings.inward];

	if (relay->over || relay->commit_ns == NEVER)
		return false;
	if (sink(relay, stream->direction)->sent < stream->end)
		relay->commit_ns = most(now_ns, most(relay->full_ns, relay->relays->sync_ns));
	return relay->commit_ns <= now_ns;
}

/* The receiver of a direction has said what it has: go on from there. */
static void resume(struct relay *relay, enum track_direction direction)
{
	const struct journal *journal = &relay->journal;
	struct half *to = sink(relay, direction), *from = source(relay, direction);
	struct stream *stream = &relay->stream[direction];
	uint64_t there = to->acked;

	relay->waits[direction] = false;
	from->end = journal->ended[direction] ? journal->ends[direction] : HALF_NO_END;
	there = least(there, from->end);
	if (direction == relay->relays->settings.inward) {
		relay->relays->counts.resumed++;
		if (journal->damaged && to->acked < journal->sealed_end + journal->sealed_fin)
			half_reset(from); /* what it was told to be there is not */
		if (journal->count)
			there = most(there, journal->end);
	}
	stream->start = stream->end = there;
	half_skip(from, there);
	half_offer(to, there, false);
}

static void settle(struct relay *relay, uint64_t now_ns)
{
	relay->now_ns = now_ns;
	if (relay->over)
		return;
	for (unsigned int i = 0; i < TRACK_DIRECTIONS; i++)
		if (relay->waits[i] && !sink(relay, i)->learning)
			resume(relay, i);
	if (relay->transformer && relay->transformer->room && !is_cut_off(relay))
		relay->broken |= !relay->transformer->room(relay->context, relay);
	settle_direction(relay, TRACK_TO_SERVER);
	settle_direction(relay, TRACK_TO_CLIENT);
	renew_journal(relay);
	plan_commit(relay);
	look_for_end(relay, now_ns);
}

/* After a restart. */

/* Of two journals for the same addresses, the older one is of a connection that was there before. */
static bool is_older(struct relays *relays, const struct half_settings settings[TRACK_DIRECTIONS], uint64_t number)
{
	for (unsigned int i = 0; i < RELAY_MOST; i++) {
		struct relay *other = relays->all[i];

		if (!other || other->version != settings[0].version || !track_same(&other->ends[0], &settings[0].host) ||
		    !track_same(&other->ends[1], &settings[1].host))
			continue;
		if (other->number > number)
			return true;
		remove_journal(other);
		release(other);
	}
	return false;
}

/* Take a connection over from an a3d that has ended. If that cannot be, its packets are answered with resets. */
static void inherit(struct relays *relays, const char *name, uint64_t number, uint64_t now_ns)
{
	enum track_direction inward = relays->settings.inward, outward = !inward;
	uint64_t low[TRACK_DIRECTIONS], slack, end;
	struct journal journal;
	enum journal_opened opened;
	struct relay *relay;
	struct head head;

	opened = journal_open(&journal, relays->settings.folder, name, inward, &head, sizeof(head));
	if (opened == JOURNAL_NONE)
		unlinkat(relays->settings.folder, name, 0);
	if (opened != JOURNAL_OPENED)
		return;
	if (head.format != FORMAT || head.size != sizeof(head) || is_older(relays, head.settings, number)) {
		journal_remove(&journal);
		return;
	}
	relay = make(relays, head.settings, now_ns);
	if (!relay) {
		journal_close(&journal);
		return;
	}
	relay->stores = true;
	relay->journal = journal;
	relay->number = number;
	relays->stored += journal.size;
	memcpy(relay->head_bytes, head.bytes, sizeof(head.bytes));
	/* what the near host had acknowledged at least, and what the far one had been told */
	low[inward] = journal.count ? most(head.bytes[inward], journal.from) : head.bytes[inward];
	low[outward] = journal.count ? most(head.bytes[outward], journal.other) : head.bytes[outward];
	end = journal.count ? most(low[inward], journal.end) : low[inward];
	slack = HEAD_BYTES + (end - low[inward]) +
		((uint64_t)UINT16_MAX << most(head.settings[0].receive_scale, head.settings[1].receive_scale));
	half_resume(source(relay, inward), end, low[outward], slack, now_ns);
	half_resume(sink(relay, inward), low[outward], low[inward], slack, now_ns);
	for (unsigned int i = 0; i < TRACK_DIRECTIONS; i++) {
		relay->waits[i] = true;
		relay->stream[i].start = relay->stream[i].end = i == inward ? end : low[i];
	}
	note(relay, true);
}

/* The number in the name of a journal of this side. False: it is none; `torn` says whether it is one that was not ready. */
static bool is_journal(const struct relays *relays, const char *name, uint64_t *number, bool *torn)
{
	size_t length = strlen(prefix(relays));
	char *rest;

	*torn = false;
	if (strncmp(name, prefix(relays), length))
		return false;
	*number = strtoull(name + length, &rest, 10);
	*torn = rest != name + length && !strcmp(rest, ".new");
	return rest != name + length && !*rest;
}

void relays_begin(struct relays *relays, const struct relay_settings *settings, uint64_t now_ns)
{
	const struct dirent *entry;
	int copy = settings->ib ? dup(settings->folder) : -1;
	DIR *folder = copy >= 0 ? fdopendir(copy) : NULL;

	*relays = (struct relays){ .settings = *settings };
	if (!folder)
		return;
	rewinddir(folder);
	while ((entry = readdir(folder))) {
		uint64_t number;
		bool torn;

		if (is_journal(relays, entry->d_name, &number, &torn)) {
			relays->number = most(relays->number, number + 1);
			inherit(relays, entry->d_name, number, now_ns);
		} else if (torn) {
			unlinkat(relays->settings.folder, entry->d_name, 0);
		}
	}
	closedir(folder);
}

/* Segments. */

bool relays_take(struct relays *relays, const struct track_connection *connection,
		 const struct relay_transformer *transformer, void *context, uint64_t now_ns)
{
	const struct half_settings settings[] = {
		settled(relays, connection, TRACK_TO_SERVER, now_ns),
		settled(relays, connection, TRACK_TO_CLIENT, now_ns),
	};
	struct relay *relay;

	if ((connection->flow[0].ecn && connection->flow[1].ecn) || !(relay = make(relays, settings, now_ns))) {
		relays->counts.no_room++;
		return false;
	}
	if ((!transformer && relays->settings.ib && !open_journal(relay)) || !note(relay, true)) {
		relays->counts.no_room++;
		remove_journal(relay);
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
	} else if (settings->changed) {
		settings->changed(settings->context, version, client, server, false);
	}
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
		if (!is_to_commit(relay, now_ns))
			break;
		commit(relay);
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
	return least(next, relay->commit_ns);
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
