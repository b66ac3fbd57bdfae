/* SPDX-License-Identifier: MIT */
/* What is stored on disk for a connection that was taken over, and how the connection continues after a restart. */
#include "relay_parts.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	FORMAT = 3, /* of a journal's head; its numbers: bytes of each direction that its receiver has acknowledged */
	RESTART_SIZE = 1 << 20, /* bytes of a journal that is begun again when all of it is delivered */
	RECORD_HEAD = 64, /* bytes of it, and more */
	NAME_PARTS = 5, /* of a journal: the side, and the address and port of each end */
};

/* What a journal says about its connection. */
struct head {
	uint32_t format, size;
	struct half_settings settings[TRACK_DIRECTIONS];
};

_Static_assert(sizeof(struct head) <= JOURNAL_HEAD, "what is written over is in one sector");

/* Writing. */

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

bool relay_writes(const struct relay *relay)
{
	return relay->stores && !relay->journal.broken;
}

bool relay_keeps(struct relay *relay)
{
	enum track_direction inward = relay->relays->settings.inward;

	return relay->stores && ((relay->journal.count && delivered(relay, inward) < relay->journal.end) ||
				 (relay->journal.ended[inward] && !sink(relay, inward)->acked_end));
}

void relay_commit(struct relay *relay)
{
	const uint64_t now_ns = relay->now_ns;
	enum track_direction inward = relay->relays->settings.inward;
	struct stream *stream = &relay->stream[inward];
	uint64_t from = safe(relay, inward), before = relay->journal.size;
	size_t length = stream->end > from ? (size_t)(stream->end - from) : 0, at = from % RELAY_ROOM;
	size_t first = (size_t)least(length, RELAY_ROOM - at);
	const struct iovec parts[] = { { stream->ring + at, first }, { stream->ring, length - first } };
	bool good;

	relay->commit_ns = RELAY_NEVER;
	if (!relay_writes(relay) || relay->waits[inward] || !length || now_ns < relay->full_ns)
		return;
	good = fits(relay, length) && journal_add(&relay->journal, from, parts);
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

/* When bytes are to be stored: when the near host has not acknowledged them for a while. */
void relay_plan_commit(struct relay *relay)
{
	const struct stream *stream = &relay->stream[relay->relays->settings.inward];

	if (!relay_writes(relay) || relay->waits[stream->direction] || safe(relay, stream->direction) >= stream->end) {
		relay->commit_ns = RELAY_NEVER;
		return;
	}
	if (relay->commit_ns == RELAY_NEVER)
		relay->commit_ns = relay->now_ns + RELAY_COMMIT_NS;
	relay->commit_ns = most(relay->commit_ns, most(relay->full_ns, relay->relays->sync_ns));
}

/* It does not wait if the near host does not even take them. */
bool relay_is_to_commit(struct relay *relay, uint64_t now_ns)
{
	const struct stream *stream = &relay->stream[relay->relays->settings.inward];

	if (relay->over || relay->commit_ns == RELAY_NEVER)
		return false;
	if (sink(relay, stream->direction)->sent < stream->end)
		relay->commit_ns = most(now_ns, most(relay->full_ns, relay->relays->sync_ns));
	return relay->commit_ns <= now_ns;
}

/* When syncs of what is not bytes may go on: some at once, then one in each RELAY_SYNC_NS. */
static uint64_t notes_ns(const struct relays *relays)
{
	const uint64_t at_once_ns = (RELAY_NOTES - 1) * RELAY_SYNC_NS;

	return relays->note_ns > at_once_ns ? relays->note_ns - at_once_ns : 0;
}

static void count_notes(struct relay *relay, unsigned int syncs)
{
	struct relays *relays = relay->relays;

	relays->note_ns = most(relays->note_ns, relay->now_ns) + syncs * RELAY_SYNC_NS;
}

bool relay_note_end(struct relay *relay, enum track_direction direction)
{
	if (!relay->stores)
		return true;
	relay->end_ns = notes_ns(relay->relays);
	if (relay->now_ns < relay->end_ns)
		return false;
	relay->end_ns = RELAY_NEVER;
	count_notes(relay, 1);
	return journal_add_end(&relay->journal, direction, relay->stream[direction].end) || !relay_keeps(relay);
}

static struct head head_of(struct relay *relay)
{
	struct head head;

	memset(&head, 0, sizeof(head));
	head.format = FORMAT;
	head.size = sizeof(head);
	for (unsigned int i = 0; i < TRACK_DIRECTIONS; i++) {
		head.settings[i] = relay->half[i].settings;
		head.settings[i].echo = relay->half[i].stamp_latest;
	}
	return head;
}

uint64_t relay_noted_edge(struct relay *relay)
{
	const struct relay_settings *settings = &relay->relays->settings;

	return relay_keeps(relay) ? relay->journal.noted[!settings->inward] + settings->behind : UINT64_MAX;
}

static void begin_again(struct relay *relay)
{
	struct head head = head_of(relay);
	uint64_t size = relay->journal.size;

	count_notes(relay, 2);
	if (!journal_renew(&relay->journal, &head, sizeof(head))) {
		relay->full_ns = relay->now_ns + RELAY_FULL_NS;
		return;
	}
	count_size(relay, size);
	relay->full = false;
	if (relay->journal.broken) /* the folder cannot be synced; not at every packet */
		relay->full_ns = relay->now_ns + RELAY_FULL_NS;
}

/* A journal of which all is delivered begins again, before it is long, or if it is broken. */
void relay_renew_journal(struct relay *relay)
{
	enum track_direction inward = relay->relays->settings.inward;
	uint64_t size = relay->journal.size, quota = relay->relays->settings.quota, behind = 0;
	bool large = relay->journal.count && (size >= RESTART_SIZE || size >= quota / 2 || relay->full);

	if (!relay->stores || relay->waits[0] || relay->waits[1])
		return;
	for (unsigned int i = 0; i < TRACK_DIRECTIONS; i++) {
		relay->journal.numbers[i] = delivered(relay, i);
		behind = most(behind, relay->journal.numbers[i] - relay->journal.noted[i]);
	}
	if (relay->now_ns < most(relay->full_ns, notes_ns(relay->relays)))
		return;
	if (!relay->journal.damaged && (large || relay->journal.broken) &&
	    (!relay->journal.count || delivered(relay, inward) >= relay->journal.end)) {
		begin_again(relay);
	} else if (behind >= relay->relays->settings.behind / 2) {
		count_notes(relay, 1);
		if (!journal_note(&relay->journal))
			relay->full_ns = relay->now_ns + RELAY_FULL_NS;
	}
}

/* Files. */

/* The name of a journal. Those of the two sides have other names, since near is far for the other one. */
static void name_of(const struct relays *relays, uint8_t version, const struct segment_end *client,
		    const struct segment_end *server, char name[JOURNAL_NAME])
{
	const struct segment_end *ends[] = { client, server };
	unsigned int bytes = version == 4 ? 4 : 16;
	int length = snprintf(name, JOURNAL_NAME, "%s",
			      relays->settings.inward == TRACK_TO_CLIENT ? "client" : "server");

	for (unsigned int i = 0; i < 2; i++) {
		length += snprintf(name + length, JOURNAL_NAME - (size_t)length, "-");
		for (unsigned int j = 0; j < bytes; j++)
			length += snprintf(name + length, JOURNAL_NAME - (size_t)length, "%02x", ends[i]->address[j]);
		length += snprintf(name + length, JOURNAL_NAME - (size_t)length, "-%04x", ends[i]->port);
	}
}

/* Read an end of a connection in a name. Returns the version of IP; 0: it is none. */
static uint8_t read_end(const char *address, const char *port, struct segment_end *end)
{
	size_t digits = strlen(address);
	unsigned int number;

	*end = (struct segment_end){ .port = (uint16_t)strtoul(port, NULL, 16) };
	if (digits != 8 && digits != 32)
		return 0;
	for (size_t i = 0; i < digits / 2; i++) {
		if (sscanf(address + 2 * i, "%2x", &number) != 1)
			return 0;
		end->address[i] = (uint8_t)number;
	}
	return digits == 8 ? 4 : 6;
}

/* Whose journal a file of this side is. Returns the version of IP; 0: it is none. */
static uint8_t owner_of(const struct relays *relays, const char *name, struct segment_end *client,
			struct segment_end *server)
{
	char copy[JOURNAL_NAME], again[JOURNAL_NAME], *rest = copy, *parts[NAME_PARTS] = { NULL };
	uint8_t version;

	if (strlen(name) >= sizeof(copy))
		return 0;
	strcpy(copy, name);
	for (unsigned int i = 0; i < NAME_PARTS; i++)
		if (!(parts[i] = strsep(&rest, "-")))
			return 0;
	version = read_end(parts[1], parts[2], client);
	if (!version || read_end(parts[3], parts[4], server) != version)
		return 0;
	name_of(relays, version, client, server, again);
	return strcmp(name, again) ? 0 : version;
}

bool relay_open_journal(struct relay *relay)
{
	struct relays *relays = relay->relays;
	struct head head = head_of(relay);
	char name[JOURNAL_NAME];

	name_of(relays, relay->version, &relay->ends[0], &relay->ends[1], name);
	if (relays->stored + sizeof(head) + RECORD_HEAD > relays->settings.quota_all ||
	    !journal_create(&relay->journal, relays->settings.folder, name, relays->settings.inward, &head, sizeof(head)))
		return false;
	relay->stores = true;
	relays->stored += relay->journal.size;
	return true;
}

void relay_remove_journal(struct relay *relay)
{
	if (!relay->stores)
		return;
	relay->relays->stored -= relay->journal.size;
	relay->stores = false;
	relay->commit_ns = RELAY_NEVER;
	journal_remove(&relay->journal);
}

void relay_remove_left(const struct relays *relays, uint8_t version, const struct segment_end *client,
		       const struct segment_end *server)
{
	char name[JOURNAL_NAME];

	name_of(relays, version, client, server, name);
	if (relays->settings.ib)
		unlinkat(relays->settings.folder, name, 0);
}

/* After a restart. */

void relay_resume(struct relay *relay, enum track_direction direction)
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

/* Take a connection over from an a3d that has ended. If that cannot be, its packets are answered with resets. */
static void inherit(struct relays *relays, const char *name, uint64_t now_ns)
{
	enum track_direction inward = relays->settings.inward, outward = !inward;
	uint64_t low[TRACK_DIRECTIONS], slack, end;
	struct journal journal;
	struct relay *relay;
	struct head head;

	if (!journal_open(&journal, relays->settings.folder, name, inward, &head, sizeof(head)))
		return;
	if (head.format != FORMAT || head.size != sizeof(head) || !(relay = relay_make(relays, head.settings, now_ns))) {
		journal_close(&journal);
		return;
	}
	relay->stores = true;
	relay->journal = journal;
	relays->stored += journal.size;
	/* what the near host had acknowledged at least, and what the far one had been told */
	low[inward] = journal.count ? most(journal.numbers[inward], journal.from) : journal.numbers[inward];
	low[outward] = journal.numbers[outward];
	end = journal.count ? most(low[inward], journal.end) : low[inward];
	slack = relays->settings.behind + (end - low[inward]) +
		((uint64_t)UINT16_MAX << most(head.settings[0].receive_scale, head.settings[1].receive_scale));
	half_resume(source(relay, inward), end, low[outward], slack, now_ns);
	half_resume(sink(relay, inward), low[outward], low[inward], slack, now_ns);
	for (unsigned int i = 0; i < TRACK_DIRECTIONS; i++) {
		relay->waits[i] = true;
		relay->stream[i].start = relay->stream[i].end = i == inward ? end : low[i];
	}
}

/* A journal, whose connection is a changed one, whatever can be read of it; or one that was not ready. */
static void left_behind(struct relays *relays, const char *name, uint64_t now_ns)
{
	const struct relay_settings *settings = &relays->settings;
	struct segment_end client, server;
	size_t length = strcspn(name, ".");
	char whose[JOURNAL_NAME];
	uint8_t version;

	if (length >= sizeof(whose) || (name[length] && strcmp(name + length, ".new")))
		return;
	memcpy(whose, name, length);
	whose[length] = 0;
	version = owner_of(relays, whose, &client, &server);
	if (!version)
		return;
	if (name[length]) {
		unlinkat(settings->folder, name, 0);
		return;
	}
	if (settings->changed)
		settings->changed(settings->context, version, &client, &server, true);
	inherit(relays, name, now_ns);
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
	while ((entry = readdir(folder)))
		left_behind(relays, entry->d_name, now_ns);
	closedir(folder);
}
