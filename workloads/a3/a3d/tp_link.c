/* SPDX-License-Identifier: MIT */
#include "tp_link.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert((int)OBSERVE_TO_SERVER == (int)TRACK_TO_SERVER && (int)OBSERVE_TO_CLIENT == (int)TRACK_TO_CLIENT,
	       "directions have the same numbers");

/* Parts of a file: blocks, and the bytes of each direction. */
enum {
	BLOCKS,
	STREAMS,
	PARTS = STREAMS + OBSERVE_WAYS,
};

_Static_assert(TP_BLOCKS * TP_BLOCK <= TP_LINK_KEPT, "a part has room for all blocks");

struct tp_link {
	struct tp_links *links;
	struct tp_link *next;
	struct relay *relay;
	struct tp_link **owner; /* that has it, until it is taken */
	uint64_t seen_ns;
	bool taken;
	bool failed; /* there was no room for what was to be sent */
	bool ended[OBSERVE_WAYS], finished[OBSERVE_WAYS];
	struct tp_pair pair;
	int file; /* -1: none yet */
	struct part {
		uint64_t room; /* bytes of the quota that it has, */
		uint64_t most; /* and may have */
		uint64_t first; /* byte of a stream that is at the beginning; it goes round in its room */
		uint64_t next; /* behind the last byte that was kept */
	} parts[PARTS]; /* one behind the other, each with room for the largest */

	/* bytes of each host that TP has not taken */
	uint8_t *held[OBSERVE_WAYS];
	size_t held_length[OBSERVE_WAYS];

	max_align_t tp[];
};

static struct tp *tp_of(const struct tp_link *link)
{
	return (struct tp *)link->tp;
}

static void send_bytes(void *context, enum observe_way way, const uint8_t *bytes, size_t length)
{
	struct tp_link *link = context;

	if (!link->failed)
		link->failed = !relay_give(link->relay, (enum track_direction)way, bytes, length);
}

static size_t room(void *context, enum observe_way way)
{
	const struct tp_link *link = context;

	return relay_room(link->relay, (enum track_direction)way);
}

/* Make a file that is gone when it is closed. */
static bool open_file(struct tp_link *link)
{
	static const char name[] = "blocks";

	if (link->file >= 0)
		return true;
	unlinkat(link->links->settings.folder, name, 0); /* if an a3d was killed before it could */
	link->file = openat(link->links->settings.folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (link->file < 0)
		return false;
	unlinkat(link->links->settings.folder, name, 0);
	return true;
}

static off_t place(unsigned int part, uint64_t at)
{
	return (off_t)(part * (uint64_t)TP_LINK_KEPT + at);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What all connections of a device have of the quota. */
static uint64_t device_has(const struct tp_link *one)
{
	uint64_t has = 0;

	for (const struct tp_link *link = one->links->all; link; link = link->next)
		if (!memcmp(link->pair.client, one->pair.client, SEGMENT_DEVICE))
			for (unsigned int i = 0; i < PARTS; i++)
				has += link->parts[i].room;
	return has;
}

/*
 * Let a part have so many bytes, or as many as there are. Half of the quota is for blocks: windows, which hosts were told
 * and may never use, do not get it. Returns how many it has.
 */
static uint64_t claim(struct tp_link *link, unsigned int which, uint64_t bytes)
{
	struct tp_links *links = link->links;
	struct part *part = &link->parts[which];
	uint64_t all = links->settings.quota / (which == BLOCKS ? 1 : 2), device = all / TP_LINK_DEVICES, has, left;

	bytes = least(bytes, part->most);
	if (bytes <= part->room)
		return part->room;
	has = device_has(link);
	left = least(all - least(all, links->stored), device - least(device, has));
	bytes = least(bytes - part->room, left);
	links->stored += bytes;
	part->room += bytes;
	return part->room;
}

/* A write has failed: what is kept stays, and the part does not grow any more. */
static void stop_at(struct tp_link *link, struct part *part, uint64_t at)
{
	uint64_t used = at - part->first;

	if (used >= part->room)
		return; /* it has gone round */
	link->links->stored -= part->room - used;
	part->room = part->most = used;
}

static bool put(const struct tp_link *link, unsigned int which, uint64_t at, const uint8_t *bytes, size_t length)
{
	return pwrite(link->file, bytes, length, place(which, at)) == (ssize_t)length;
}

static bool get(const struct tp_link *link, unsigned int which, uint64_t at, uint8_t *bytes, size_t length)
{
	return link->file >= 0 && pread(link->file, bytes, length, place(which, at)) == (ssize_t)length;
}

static bool store(void *context, uint64_t at, const uint8_t *bytes, size_t length)
{
	return put(context, BLOCKS, at, bytes, length); /* there is room: it was reserved */
}

static bool load(void *context, uint64_t at, uint8_t *bytes, size_t length)
{
	return get(context, BLOCKS, at, bytes, length);
}

static bool reserve(void *context, uint64_t at, size_t length)
{
	struct tp_link *link = context;

	return open_file(link) && claim(link, BLOCKS, at + length) >= at + length &&
	       !posix_fallocate(link->file, place(BLOCKS, at), (off_t)length);
}

static uint64_t now_ns(void *context)
{
	return ((const struct tp_link *)context)->links->settings.now_ns();
}

/* Whether a session of these hosts was broken here. */
static bool is_noted(const struct tp_links *links, const struct tp_pair *pair)
{
	for (unsigned int i = 0; i < TP_PAIRS && i < links->pairs; i++)
		if (!memcmp(&links->pair[i], pair, sizeof(*pair)))
			return true;
	return false;
}

/* Whether one gives its place away rather than another one. */
static bool comes_before(const struct tp_link *link, const struct tp_link *other)
{
	bool ready = tp_is_ready(tp_of(link)), other_ready = tp_is_ready(tp_of(other));

	return ready == other_ready ? link->seen_ns < other->seen_ns : !ready;
}

/* Have a place. False: there is none. */
static bool make_place(struct tp_links *links)
{
	struct tp_link *first = NULL;

	if (links->open < TP_LINKS)
		return true;
	for (struct tp_link *link = links->all; link; link = link->next)
		if (!link->taken && (!first || comes_before(link, first)))
			first = link;
	if (!first)
		return false;
	*first->owner = NULL;
	tp_link_end(first);
	return true;
}

struct tp_link *tp_link_begin(struct tp_links *links, const struct segment_end *client, const struct segment_end *server,
			      struct tp_link **owner)
{
	static const struct tp_calls calls = { send_bytes, room, store, load, reserve, now_ns };
	struct tp_link *link;
	struct tp_pair pair;

	memcpy(pair.client, client->address, sizeof(pair.client));
	memcpy(pair.server, server->address, sizeof(pair.server));
	if (is_noted(links, &pair) || !make_place(links))
		return NULL;
	link = calloc(1, sizeof(*link) + tp_size());
	if (!link)
		return NULL;
	link->links = links;
	link->pair = pair;
	link->owner = owner;
	link->seen_ns = links->settings.now_ns();
	link->file = -1;
	for (unsigned int i = 0; i < PARTS; i++)
		link->parts[i].most = TP_LINK_KEPT;
	link->next = links->all;
	links->all = link;
	links->open++;
	tp_begin(tp_of(link), &links->settings.tp, &calls, link);
	return link;
}

void tp_link_watches(struct tp_link *link, enum track_direction direction, const uint8_t *bytes, size_t length)
{
	link->seen_ns = link->links->settings.now_ns();
	if (!link->taken)
		tp_bytes(tp_of(link), (enum observe_way)direction, bytes, length);
}

bool tp_link_wants(const struct tp_link *link, const uint8_t *bytes, size_t length)
{
	return link && !link->taken && tp_wants(tp_of(link), bytes, length);
}

bool tp_link_take(struct tp_link *link)
{
	if (!tp_take(tp_of(link)))
		return false;
	link->taken = true;
	link->links->taken++;
	return true;
}

static void add(struct tp_links_counts *counts, const struct tp_link *link)
{
	const struct tp_counts *more = tp_counts(tp_of(link));

	counts->all.predicted += more->predicted;
	counts->all.answered += more->answered;
	counts->all.fetched += more->fetched;
	counts->all.served += more->served;
	counts->all.wasted += more->wasted;
	counts->all.oplocks += more->oplocks;
	counts->all.breaks += more->breaks;
	counts->all.stale += more->stale;
	counts->left += tp_state(tp_of(link)) == TP_LEFT;
	counts->broken += tp_state(tp_of(link)) == TP_BROKEN;
}

void tp_link_end(struct tp_link *link)
{
	struct tp_link **place;

	if (!link)
		return;
	for (place = &link->links->all; *place != link;)
		place = &(*place)->next;
	*place = link->next;
	link->links->open--;
	add(&link->links->over, link);
	if (tp_state(tp_of(link)) == TP_BROKEN || link->failed)
		link->links->pair[link->links->pairs++ % TP_PAIRS] = link->pair;
	for (unsigned int i = 0; i < PARTS; i++)
		link->links->stored -= link->parts[i].room;
	if (link->file >= 0)
		close(link->file);
	free(link->held[0]);
	free(link->held[1]);
	free(link);
}

struct tp_links_counts tp_links_count(const struct tp_links *links)
{
	struct tp_links_counts all = links->over;

	for (const struct tp_link *link = links->all; link; link = link->next)
		add(&all, link);
	return all;
}

/* Keep bytes that TP does not take yet. */
static bool hold(struct tp_link *link, enum observe_way way, const uint8_t *bytes, size_t length)
{
	size_t before = link->held_length[way];
	uint8_t *all;

	if (!length)
		return true;
	if (before + length > TP_LINK_HELD + RELAY_ROOM) /* it was told to wait */
		return false;
	all = realloc(link->held[way], before + length);
	if (!all)
		return false;
	memcpy(all + before, bytes, length);
	link->held[way] = all;
	link->held_length[way] = before + length;
	return true;
}

/* Let it take what is held; end directions that have. False: to be reset. */
static bool go_on(struct tp_link *link)
{
	bool more = true;

	tp_continue(tp_of(link));
	while (more) {
		more = false;
		for (enum observe_way way = 0; way < OBSERVE_WAYS; way++) {
			size_t most = relay_room(link->relay, (enum track_direction)way), taken = link->held_length[way];

			taken = taken < most ? taken : most;
			if (!taken)
				continue;
			taken = tp_bytes(tp_of(link), way, link->held[way], taken);
			link->held_length[way] -= taken;
			memmove(link->held[way], link->held[way] + taken, link->held_length[way]);
			more |= taken > 0;
		}
	}
	for (enum observe_way way = 0; way < OBSERVE_WAYS; way++) {
		if (!link->ended[way] || link->finished[way] || link->held_length[way] || !tp_ended(tp_of(link), way))
			continue;
		link->finished[way] = true;
		relay_finish(link->relay, (enum track_direction)way);
	}
	return !link->failed && tp_state(tp_of(link)) != TP_BROKEN;
}

static bool on_bytes(void *context, struct relay *relay, enum track_direction direction, const uint8_t *bytes, size_t length)
{
	struct tp_link *link = context;
	enum observe_way way = (enum observe_way)direction;
	size_t taken = 0;

	link->relay = relay;
	if (!link->held_length[way])
		taken = tp_bytes(tp_of(link), way, bytes, length);
	return hold(link, way, bytes + taken, length - taken) && go_on(link);
}

static bool on_ended(void *context, struct relay *relay, enum track_direction direction)
{
	struct tp_link *link = context;

	link->relay = relay;
	link->ended[direction] = true;
	return go_on(link);
}

static bool on_room(void *context, struct relay *relay)
{
	struct tp_link *link = context;

	link->relay = relay;
	return go_on(link);
}

static bool on_waits(void *context, enum track_direction direction)
{
	return ((const struct tp_link *)context)->held_length[direction] >= TP_LINK_HELD;
}

static uint64_t on_keeps(void *context, enum track_direction direction, uint64_t bytes)
{
	struct tp_link *link = context;
	const struct part *part = &link->parts[STREAMS + direction];

	/* once it has gone round, more room would move what is kept */
	return part->next - part->first > part->room ? part->room : claim(link, STREAMS + direction, bytes);
}

/* How many of some bytes are in front of the end of a part's room. */
static size_t before_end(const struct part *part, uint64_t there, size_t length)
{
	return (size_t)least(length, part->room - there);
}

static bool on_keep(void *context, enum track_direction direction, uint64_t from, uint64_t at, const uint8_t *bytes, size_t length)
{
	struct tp_link *link = context;
	const unsigned int which = STREAMS + direction;
	struct part *part = &link->parts[which];
	size_t whole;
	uint64_t there;

	if (from >= at) /* all that is kept */
		part->first = part->next = at;
	if (at + length - from > part->room || !open_file(link))
		return false;
	there = (at - part->first) % part->room;
	whole = before_end(part, there, length);
	if (!put(link, which, there, bytes, whole) || !put(link, which, 0, bytes + whole, length - whole)) {
		stop_at(link, part, at);
		return false;
	}
	part->next = at + length;
	return true;
}

static bool on_kept(void *context, enum track_direction direction, uint64_t at, uint8_t *bytes, size_t length)
{
	const struct tp_link *link = context;
	const unsigned int which = STREAMS + direction;
	const struct part *part = &link->parts[which];
	uint64_t there;
	size_t whole;

	if (!part->room)
		return false;
	there = (at - part->first) % part->room;
	whole = before_end(part, there, length);
	return get(link, which, there, bytes, whole) && get(link, which, 0, bytes + whole, length - whole);
}

static void on_released(void *context)
{
	tp_link_end(context);
}

const struct relay_transformer tp_link_transformer = {
	.bytes = on_bytes,
	.ended = on_ended,
	.room = on_room,
	.waits = on_waits,
	.keeps = on_keeps,
	.keep = on_keep,
	.kept = on_kept,
	.released = on_released,
};
