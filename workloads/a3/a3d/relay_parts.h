/* SPDX-License-Identifier: MIT */
/* What relay.c and relay_disk.c share: a connection that was taken over. Nobody else includes it. */
#ifndef A3D_RELAY_PARTS_H
#define A3D_RELAY_PARTS_H

#include "relay.h"

#define RELAY_NEVER UINT64_MAX

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
	uint64_t moved, moved_ns; /* bytes that have come or were acknowledged, and when the last one was */
	bool touched; /* there may be something to do */
	bool over; /* both FINs are acknowledged, or it is reset */
	bool was_reset;
	bool broken; /* the transformer refuses */
	uint64_t over_ns;

	bool stores; /* journal is open */
	struct journal journal;
	uint64_t commit_ns; /* when what is not delivered is stored; RELAY_NEVER: nothing waits */
	uint64_t end_ns; /* when an end can be noted that waits; RELAY_NEVER: none does */
	uint64_t full_ns; /* until then the disk is taken to be full */
	bool full;

	bool waits[TRACK_DIRECTIONS]; /* after a restart: until its receiver has said what it has */
};

static inline uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The half whose host sends the bytes of a direction, and that whose host gets them. */
static inline struct half *source(struct relay *relay, enum track_direction direction)
{
	return &relay->half[direction];
}

static inline struct half *sink(struct relay *relay, enum track_direction direction)
{
	return &relay->half[!direction];
}

/* Bytes of a direction that its receiver has acknowledged, without the FIN. */
static inline uint64_t delivered(struct relay *relay, enum track_direction direction)
{
	const struct half *half = sink(relay, direction);

	return half->acked - half->acked_end;
}

static inline bool stored_here(const struct relay *relay, enum track_direction direction)
{
	return relay->stores && direction == relay->relays->settings.inward;
}

/* Where the bytes end that are delivered or on disk. */
static inline uint64_t safe(struct relay *relay, enum track_direction direction)
{
	uint64_t there = delivered(relay, direction);

	return stored_here(relay, direction) && relay->journal.count ? most(there, relay->journal.end) : there;
}

/* relay.c */

/* Have a place for a connection. NULL: there is none, for this device or at all. */
struct relay *relay_make(struct relays *relays, const struct half_settings settings[TRACK_DIRECTIONS], uint64_t now_ns);

/* relay_disk.c */

bool relay_open_journal(struct relay *relay);
void relay_remove_journal(struct relay *relay);

/* Remove the journal of a connection that nobody knows. */
void relay_remove_left(const struct relays *relays, uint8_t version, const struct segment_end *client,
		       const struct segment_end *server);

/* Whether something can be added to the journal. */
bool relay_writes(const struct relay *relay);

/* Whether something is stored that the near host does not have. */
bool relay_keeps(struct relay *relay);

/* The number that bytes towards the far host may not pass before others are noted. */
uint64_t relay_noted_edge(struct relay *relay);

/* Put on disk what the near host has not acknowledged yet; when that is to be, and whether it is now. */
void relay_commit(struct relay *relay);
void relay_plan_commit(struct relay *relay);
bool relay_is_to_commit(struct relay *relay, uint64_t now_ns);

/* Note the end of a direction. False: not now, or the disk does not take it, and something is stored that needs it. */
bool relay_note_end(struct relay *relay, enum track_direction direction);

/* Begin the journal again, or note how far the connection is, if it is time. */
void relay_renew_journal(struct relay *relay);

/* The receiver of a direction has said what it has: go on from there. */
void relay_resume(struct relay *relay, enum track_direction direction);

#endif
