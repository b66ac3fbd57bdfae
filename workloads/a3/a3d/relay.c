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
	FORMAT = 1, /* of a journal's head */
	RESTART_SIZE = 1 << 20, /* bytes of a journal that is begun again when all of it is delivered */
	MSS_UNKNOWN = 536, /* RFC 9293 3.7.1 */
	STAMP_OPTION = 12,
};

#define NEVER UINT64_MAX
#define MS_NS UINT64_C(1000000)
#define ASK_NS UINT64_C(500000000)
#define RESTART_BYTES (UINT64_C(1) << 30) /* so far a head's numbers may be behind */

/* What a journal says about its connection. */
struct head {
	uint32_t format, size;
	char boot[40]; /* timestamps go on only as long as the clock does */
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
	bool broken; /* the transformer refuses */
	bool last; /* the far host is gone: what is there is delivered, and then the near one reset */
	uint64_t over_ns;

	bool stores; /* journal is open */
	struct journal journal;
	uint64_t head_bytes[TRACK_DIRECTIONS]; /* that its head says */
	uint64_t commit_ns; /* when what is not delivered is stored; NEVER: nothing waits */
	uint64_t full_ns; /* until then the disk is taken to be full */
	bool full;

	bool asking; /* after a restart: hosts have not said yet what they have */
	unsigned int asked;
	uint64_t ask_ns;
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

/* Forget what is needed no more, or on disk if that does not suffice. Returns how many bytes can come. */
static size_t make_room(struct stream *stream, size_t wanted)
{
	uint64_t gone = least(delivered(stream->relay, stream->direction), stream->end);
	uint64_t over = stream->end + wanted > RELAY_ROOM ? stream->end + wanted - RELAY_ROOM : 0;

	stream->start = most(stream->start, gone);
	if (stream->start < over) {
		gone = least(safe(stream->relay, stream->direction), stream->end);
		stream->start = most(stream->start, least(gone, over));
	}
	return (size_t)(RELAY_ROOM - (stream->end - stream->start));
}

/* For a half: of the stream towards its host. Its context is the other one. */
static bool read_stream(void *context, uint64_t at, uint8_t *bytes, size_t length)
{
	const struct stream *own = context, *stream = &own->relay->stream[!own->direction];
	size_t old = at < stream->start ? (size_t)least(length, stream->start - at) : 0;

	if (at + length > stream->end)
		return false;
	if (old && (!stored_here(stream->relay, stream->direction) ||
		    !journal_read(&stream->relay->journal, at, bytes, old)))
		return false;
	copy_out(stream, at + old, bytes + old, length - old);
	return true;
}

static bool fits(struct relay *relay, uint64_t length)
{
	const struct relays *relays = relay->relays;
	const uint64_t more = length + 64; /* with the record's head */

	return relay->journal.size + more <= relays->settings.quota &&
	       relays->stored + more <= relays->settings.quota_all;
}

/* Put on disk what the near host has not acknowledged yet, and the FIN behind it. */
static void commit(struct relay *relay)
{
	const uint64_t now_ns = relay->now_ns;
	enum track_direction inward = relay->relays->settings.inward;
	struct stream *stream = &relay->stream[inward];
	uint64_t from = safe(relay, inward), before = relay->journal.size;
	size_t length = stream->end > from ? (size_t)(stream->end - from) : 0, at = from % RELAY_ROOM;
	size_t first = (size_t)least(length, RELAY_ROOM - at);
	const struct iovec parts[] = { { stream->ring + at, first }, { stream->ring, length - first } };
	bool good = true;

	relay->commit_ns = NEVER;
	if (!relay->stores || relay->asking || (!length && !stream->finished))
		return;
	if (now_ns < relay->full_ns) {
		relay->commit_ns = relay->full_ns;
		return;
	}
	if (length)
		good = fits(relay, length) && journal_append(&relay->journal, from, parts, 2);
	if (good && stream->finished)
		good = journal_finish(&relay->journal);
	good = journal_sync(&relay->journal) && good;
	relay->relays->stored += relay->journal.size - before;
	relay->relays->counts.syncs++;
	relay->full = !good;
	if (good) {
		relay->relays->counts.stored += length;
	} else {
		relay->relays->counts.full++;
		relay->full_ns = relay->commit_ns = now_ns + RELAY_FULL_NS;
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

/* The next bytes of a host. */
static size_t came(void *context, const uint8_t *bytes, size_t length)
{
	struct stream *stream = context;
	struct relay *relay = stream->relay;
	size_t room;

	if (relay->transformer) {
		if (make_room(&relay->stream[0], RELAY_ROOM / 4) < RELAY_ROOM / 4 ||
		    make_room(&relay->stream[1], RELAY_ROOM / 4) < RELAY_ROOM / 4)
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

static const char *boot(void)
{
	static char id[40];
	int file;

	if (*id)
		return id;
	strcpy(id, "unknown");
	file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	if (file >= 0) {
		ssize_t length = read(file, id, sizeof(id) - 1);

		if (length < 0)
			length = 0;
		id[length] = 0;
		close(file);
	}
	return id;
}

static struct head head_of(struct relay *relay)
{
	struct head head;

	memset(&head, 0, sizeof(head));
	head.format = FORMAT;
	head.size = sizeof(head);
	snprintf(head.boot, sizeof(head.boot), "%s", boot());
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

/* Forget a connection that is over. */
static void forget(struct relay *relay)
{
	remove_journal(relay);
	note(relay, false);
	relay->relays->counts.over++;
	release(relay);
}

static struct relay *make(struct relays *relays, const struct half_settings settings[TRACK_DIRECTIONS],
			  uint64_t now_ns)
{
	struct relay *relay = NULL, **place = relays->all;

	while (place < relays->all + RELAY_MOST && *place)
		place++;
	if (place == relays->all + RELAY_MOST || !(relay = calloc(1, sizeof(*relay))))
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
	}
	if (relay->stream[0].ring && relay->stream[1].ring)
		return relay;
	release(relay);
	return NULL;
}

/* What both ends of a connection have settled, for the half that plays the other one towards a host. */
static struct half_settings settled(const struct relays *relays, const struct track_connection *connection,
				    enum track_direction host, bool believes, uint64_t now_ns)
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
		.believes = believes,
		.least_rto_ns = relays->settings.least_rto_ns,
	};
}

static bool open_journal(struct relay *relay)
{
	struct relays *relays = relay->relays;
	struct head head = head_of(relay);
	char name[64];

	snprintf(name, sizeof(name), "%" PRIu64, relays->number++);
	if (relays->stored + sizeof(head) + 64 > relays->settings.quota_all ||
	    !journal_create(&relay->journal, relays->settings.folder, name, &head, sizeof(head)))
		return false;
	relay->stores = true;
	relays->stored += relay->journal.size;
	return true;
}

/* What is done after something has happened. */

/* How far the bytes of a host are taken. */
static uint64_t edge(struct relay *relay, enum track_direction direction)
{
	const struct relay_settings *settings = &relay->relays->settings;
	const struct half *to = sink(relay, direction), *from = source(relay, direction);
	uint64_t there = safe(relay, direction), left, other, kept, offers;

	if (relay->transformer) {
		kept = RELAY_ROOM;
		for (unsigned int i = 0; i < TRACK_DIRECTIONS; i++) {
			other = RELAY_ROOM - (relay->stream[i].end - least(relay->stream[i].end, delivered(relay, i)));
			kept = least(kept, other);
		}
		left = kept > RELAY_ROOM / 2 ? least(kept - RELAY_ROOM / 2, RELAY_ROOM / 4) : 0;
		return most(from->edge, from->received + left);
	}
	/* what the receiver offers; and a little, so that there is something to ask it with when its window is closed */
	offers = least(delivered(relay, direction) + most(to->window, 2 * (uint64_t)to->settings.mss), there + RELAY_ROOM);
	if (stored_here(relay, direction) && !relay->full) {
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

/* The receiver may have got bytes around us, before a restart; and the FIN may have come. */
static void follow(struct relay *relay, enum track_direction direction)
{
	struct stream *stream = &relay->stream[direction];
	struct half *from = source(relay, direction);
	uint64_t there = delivered(relay, direction);

	if (there > stream->end && !stream->finished) {
		stream->start = stream->end = there;
		half_skip(from, there, false);
		half_offer(sink(relay, direction), there, false);
	}
	if (from->finished && !stream->finished) {
		stream->end = from->received;
		stream->start = least(stream->start, stream->end);
		relay_finish(relay, direction);
	}
}

static void settle_direction(struct relay *relay, enum track_direction direction)
{
	struct half *from = source(relay, direction);

	if (relay->transformer)
		end_transformed(relay, direction);
	else
		follow(relay, direction);
	if (relay->transformer)
		half_permit(from, from->received, relay->stream[direction].ended);
	else
		half_permit(from, safe(relay, direction),
			    sink(relay, direction)->acked_end ||
				    (stored_here(relay, direction) && relay->journal.finished));
	half_take(from, edge(relay, direction));
}

static void end_relay(struct relay *relay, uint64_t now_ns)
{
	relay->over = true;
	relay->over_ns = now_ns;
	remove_journal(relay);
}

static void reset(struct relay *relay, uint64_t now_ns)
{
	if (relay->over)
		return;
	half_reset(&relay->half[0]);
	half_reset(&relay->half[1]);
	relay->relays->counts.resets++;
	end_relay(relay, now_ns);
}

/* Whether the near host lacks bytes that were acknowledged in its name, or that are here. */
static bool lacks(struct relay *relay)
{
	const struct stream *stream = &relay->stream[relay->relays->settings.inward];

	return !relay->transformer && (delivered(relay, stream->direction) < stream->end ||
				       (stream->finished && !sink(relay, stream->direction)->acked_end));
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

/* A journal of which all is delivered begins again, before it is long or its head is old. */
static void restart_journal(struct relay *relay)
{
	enum track_direction inward = relay->relays->settings.inward;
	uint64_t size = relay->journal.size, quota = relay->relays->settings.quota;
	bool large = relay->journal.count && (size >= RESTART_SIZE || size >= quota / 2 || relay->full);
	bool old = relay->half[0].acked - relay->head_bytes[TRACK_TO_CLIENT] >= RESTART_BYTES ||
		   relay->half[1].acked - relay->head_bytes[TRACK_TO_SERVER] >= RESTART_BYTES;
	struct head head;

	if (!relay->stores || relay->journal.finished || !(large || old) ||
	    (relay->journal.count && delivered(relay, inward) < relay->journal.end))
		return;
	head = head_of(relay);
	memcpy(relay->head_bytes, head.bytes, sizeof(head.bytes));
	relay->full = false;
	relay->full_ns = 0;
	if (journal_restart(&relay->journal, &head, sizeof(head)))
		relay->relays->stored += relay->journal.size - size;
	else
		remove_journal(relay); /* nothing in it is needed; the next a3d resets the connection */
}

static void settle(struct relay *relay, uint64_t now_ns)
{
	const struct stream *stream = &relay->stream[relay->relays->settings.inward];
	bool waits;

	relay->now_ns = now_ns;
	if (relay->over)
		return;
	if (relay->transformer && relay->transformer->room)
		relay->transformer->room(relay->context, relay);
	settle_direction(relay, TRACK_TO_SERVER);
	settle_direction(relay, TRACK_TO_CLIENT);
	restart_journal(relay);
	waits = relay->stores && (safe(relay, stream->direction) < stream->end ||
				  (stream->finished && !relay->journal.finished &&
				   !sink(relay, stream->direction)->acked_end));
	if (!waits)
		relay->commit_ns = NEVER;
	else if (relay->commit_ns == NEVER)
		relay->commit_ns = most(now_ns + RELAY_COMMIT_NS, relay->full_ns);
	look_for_end(relay, now_ns);
}

/* Whether bytes are to be stored now: the near host does not take them, or has not acknowledged them for a while. */
static bool is_to_commit(struct relay *relay, uint64_t now_ns)
{
	const struct stream *stream = &relay->stream[relay->relays->settings.inward];

	return relay->commit_ns != NEVER && now_ns >= relay->full_ns && !relay->over &&
	       (relay->commit_ns <= now_ns || sink(relay, stream->direction)->sent < stream->end + stream->finished);
}

/* After a restart. */

/* Both hosts have said what they have: go on from there. */
static void resume(struct relay *relay)
{
	enum track_direction inward = relay->relays->settings.inward, outward = !inward;
	struct half *near = sink(relay, inward), *far = source(relay, inward);
	bool end = relay->journal.finished;
	uint64_t on_disk = relay->journal.count ? relay->journal.end : 0;
	uint64_t there = end ? most(on_disk, near->acked - (near->acked > on_disk)) : most(on_disk, near->acked);

	relay->asking = false;
	relay->stream[inward].start = relay->stream[inward].end = there;
	relay->stream[inward].finished = end;
	half_skip(far, there, end);
	half_permit(far, there, end);
	half_offer(near, there, end);
	relay->stream[outward].start = relay->stream[outward].end = far->acked;
	half_skip(near, far->acked, false);
	half_permit(near, far->acked, false);
	half_offer(far, far->acked, false);
	relay->relays->counts.resumed++;
}

/*
 * Whether both hosts have said what they have. The near one had acknowledged all that is not in the journal, so an
 * acknowledgement of less is an old one that was overtaken.
 */
static bool answered(struct relay *relay)
{
	const struct half *near = sink(relay, relay->relays->settings.inward);

	return relay->half[0].heard && relay->half[1].heard &&
	       (!relay->journal.count || near->acked >= relay->journal.from);
}

static size_t ask(struct relay *relay, uint64_t now_ns, uint8_t *packet, size_t room, bool *outward)
{
	struct half *near = sink(relay, relay->relays->settings.inward), *far = source(relay, relay->relays->settings.inward);

	if (now_ns < relay->ask_ns)
		return 0;
	if (relay->asked == 2 * RELAY_ASKS) {
		relay->asking = false;
		reset(relay, now_ns);
		return 0;
	}
	*outward = relay->asked++ % 2;
	if (*outward)
		relay->ask_ns = now_ns + ASK_NS;
	return half_ask(*outward ? far : near, now_ns, packet, room);
}

/* Take a connection over from an a3d that has ended. */
static void inherit(struct relays *relays, const char *name, uint64_t now_ns)
{
	struct journal journal;
	struct relay *relay;
	struct head head;

	if (!journal_open(&journal, relays->settings.folder, name, &head, sizeof(head))) {
		unlinkat(relays->settings.folder, name, 0); /* nothing was changed before its head was synced */
		return;
	}
	if (head.format != FORMAT || head.size != sizeof(head) || !(relay = make(relays, head.settings, now_ns))) {
		journal_remove(&journal); /* packets of the connection are answered with resets */
		return;
	}
	relay->stores = true;
	relay->journal = journal;
	relays->stored += journal.size;
	memcpy(relay->head_bytes, head.bytes, sizeof(head.bytes));
	for (unsigned int i = 0; i < TRACK_DIRECTIONS; i++) {
		half_resume(&relay->half[i], head.bytes[i], head.bytes[!i]);
		relay->stream[i].start = relay->stream[i].end = head.bytes[i];
	}
	relay->asking = true;
	note(relay, true);
	if (strcmp(head.boot, boot())) {
		relay->asking = false;
		reset(relay, now_ns);
	}
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
		char *rest;
		uint64_t number = strtoull(entry->d_name, &rest, 10);

		if (rest == entry->d_name || *rest)
			continue;
		relays->number = most(relays->number, number + 1);
		inherit(relays, entry->d_name, now_ns);
	}
	closedir(folder);
}

/* Segments. */

bool relays_take(struct relays *relays, const struct track_connection *connection,
		 const struct relay_transformer *transformer, void *context, uint64_t now_ns)
{
	const struct half_settings settings[] = {
		settled(relays, connection, TRACK_TO_SERVER, !transformer, now_ns),
		settled(relays, connection, TRACK_TO_CLIENT, !transformer, now_ns),
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

void relays_unknown(struct relays *relays, const struct segment *segment)
{
	const struct relay_settings *settings = &relays->settings;

	if (settings->changed)
		settings->changed(settings->context, segment->version, &segment->from, &segment->to, false);
}

bool relays_segment(struct relays *relays, const struct segment *segment, uint64_t now_ns)
{
	enum track_direction direction;
	struct relay *relay = found(relays, segment, &direction);

	if (!relay)
		return false;
	if (relay->over && (segment->flags & (SEGMENT_SYN | SEGMENT_ACK)) == SEGMENT_SYN) {
		forget(relay); /* a new connection with the same ports */
		return false;
	}
	relay->touched = true;
	relay->now_ns = now_ns;
	if (segment->whole && !(segment->flags & SEGMENT_URG))
		half_segment(&relay->half[direction], segment, now_ns);
	if (relay->asking && answered(relay))
		resume(relay);
	return true;
}

static size_t due(struct relay *relay, uint64_t now_ns, uint8_t *packet, bool *outward)
{
	enum track_direction inward = relay->relays->settings.inward;
	size_t length;

	if (relay->asking)
		return ask(relay, now_ns, packet, HALF_PACKET, outward);
	do {
		settle(relay, now_ns);
		*outward = false;
		length = half_due(sink(relay, inward), now_ns, packet, HALF_PACKET);
		if (length)
			return length;
		*outward = true;
		length = half_due(source(relay, inward), now_ns, packet, HALF_PACKET);
		if (length)
			return length;
		if (!is_to_commit(relay, now_ns))
			break;
		commit(relay);
	} while (true);
	relay->touched = false;
	return 0;
}

static uint64_t next_ns(const struct relay *relay)
{
	uint64_t next = least(half_next_ns(&relay->half[0]), half_next_ns(&relay->half[1]));

	if (relay->asking)
		return relay->ask_ns;
	if (relay->touched)
		return 0;
	if (relay->over)
		return least(next, relay->over_ns + RELAY_LINGER_NS);
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
		if (relay->over && now_ns >= relay->over_ns + RELAY_LINGER_NS) {
			forget(relay);
			continue;
		}
		length = due(relay, now_ns, relays->packet, &outward);
		if (!length)
			continue;
		relay->touched |= !relay->asking;
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
		if (relay->stores) {
			relay->stores = false;
			journal_close(&relay->journal);
		}
		release(relay);
	}
}
