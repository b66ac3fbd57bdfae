/* SPDX-License-Identifier: MIT */
/*
 * Connections that a3d has taken over: it plays the server towards the client, and the client towards the server (half.h).
 * What one of them sends goes through a transformer, if there is one, to the other one. Once a connection is taken over,
 * none of its packets passes.
 *
 * With a transformer, bytes are acknowledged when the transformer has taken them. Without one, numbers of TCP are equal on
 * both sides, and what a host has sent is acknowledged when the other one has it. IB changes this for bytes that are on
 * their way to the near host: they are acknowledged as well when they are on disk (journal.h). The same holds for the FIN
 * behind them, so that a far host that has closed may forget the connection. The near host gets all that was acknowledged,
 * also if the far host resets or is gone; then it is reset. A reset of the near host empties the journal. The end of a
 * direction is in the journal before its FIN goes on. If it cannot be synced, the FIN waits until all that is stored is
 * delivered.
 *
 * After a restart, both hosts are asked what they have. The near one's answer is enough to deliver what is stored. If
 * something that was synced cannot be read, the far host is reset at once, and the near one when it has the rest.
 */
#ifndef A3D_RELAY_H
#define A3D_RELAY_H

#include "half.h"
#include "journal.h"
#include "track.h"

enum {
	RELAY_MOST = 128, /* connections, */
	RELAY_DEVICE = 32, /* of a device */
	RELAY_TAKES = 16, /* that are taken over at once, and then one in each RELAY_TAKE_NS: each costs syncs */
	RELAY_NOTES = 16, /* syncs of ends and of new journals at once, and then one in each RELAY_SYNC_NS */
	RELAY_ROOM = 512 << 10, /* bytes on their way to a host, in memory; a power of two */
	RELAY_SLACK = RELAY_ROOM / 32, /* of them, for what a transformer adds to the other direction */
};

#define RELAY_LINGER_NS UINT64_C(60000000000) /* after both FINs: a host may repeat its own */
#define RELAY_COMMIT_NS UINT64_C(20000000) /* bytes that the near host has had the time to acknowledge are not stored */
#define RELAY_FULL_NS UINT64_C(200000000) /* after a write that failed */
#define RELAY_TAKE_NS UINT64_C(50000000)
#define RELAY_IDLE_NS UINT64_C(7440000000000) /* without a byte; then another connection may have the place (RFC 5382 5) */
#define RELAY_BEHIND (UINT64_C(16) << 20) /* bytes that what a journal says of its connection may be behind */
#define RELAY_SYNC_NS UINT64_C(5000000) /* from one sync to the next one, of all connections */

struct relay;

/* What an element does with the bytes of a connection. */
struct relay_transformer {
	/*
	 * The next bytes of one direction. It takes all of them, and may call relay_give() for either direction. False: the
	 * connection is to be reset. It is called while this direction has room for RELAY_ROOM / 4 bytes at least, and
	 * the other one for RELAY_SLACK.
	 */
	bool (*bytes)(void *context, struct relay *relay, enum track_direction direction, const uint8_t *bytes,
		      size_t length);
	/* No more bytes of this direction will come. It calls relay_finish() when all is given. False: reset. */
	bool (*ended)(void *context, struct relay *relay, enum track_direction direction);
	/* A host has acknowledged something: there may be room for what is owed. False: reset. May be NULL. */
	bool (*room)(void *context, struct relay *relay);
	/* Whether no more bytes of this direction are wanted now; some may still come. May be NULL. */
	bool (*waits)(void *context, enum track_direction direction);
	/*
	 * Bytes that a host does not take as fast as they come: keep them, or read what is kept. False: it cannot. Those
	 * before `from` are needed no more. `keeps` makes room for so many bytes of a direction, and returns for how many
	 * there is: so many can be kept at a time from now on, unless a disk fails.
	 */
	uint64_t (*keeps)(void *context, enum track_direction direction, uint64_t bytes);
	bool (*keep)(void *context, enum track_direction direction, uint64_t from, uint64_t at, const uint8_t *bytes,
		     size_t length);
	bool (*kept)(void *context, enum track_direction direction, uint64_t at, uint8_t *bytes, size_t length);
	/* The connection is over: context is to be released. */
	void (*released)(void *context);
};

/* Bytes for the host at the end of a direction. False: there is no room, and nothing is taken. */
bool relay_give(struct relay *relay, enum track_direction direction, const uint8_t *bytes, size_t length);

/* How many bytes can be given that nobody waits for, so that there is room for others. */
size_t relay_room(const struct relay *relay, enum track_direction direction);

/* All bytes of a direction were given. */
void relay_finish(struct relay *relay, enum track_direction direction);

struct relay_settings {
	bool ib;
	enum track_direction inward; /* towards the near host */
	int folder; /* of journals */
	uint64_t quota, quota_all; /* bytes of files: of a connection, of all */
	uint64_t behind; /* RELAY_BEHIND */
	uint64_t least_rto_ns;

	/* A connection is changed from now on (true), or no longer. False: it cannot be noted. */
	bool (*changed)(void *context, uint8_t version, const struct segment_end *client, const struct segment_end *server,
			bool on);
	/* Bytes of the far host that were taken, in order; ends: client, server. May be NULL. */
	void (*taken)(void *context, uint8_t version, const struct segment_end ends[TRACK_DIRECTIONS], const uint8_t *bytes,
		      size_t length);
	void *context;
};

struct relay_counts {
	uint64_t taken, over;
	uint64_t resets; /* connections that were reset here */
	uint64_t resumed; /* after a restart */
	uint64_t stored, syncs; /* bytes that were put on disk; times that they were synced */
	uint64_t full; /* times that there was no room for them */
	uint64_t no_room; /* connections that could not be taken */
};

/* A packet that is to be sent now. */
struct relay_packet {
	uint8_t version;
	bool outward; /* towards the network */
	const uint8_t *bytes;
	size_t length;
};

struct relays {
	struct relay_settings settings;
	struct relay_counts counts;
	unsigned int open;
	uint64_t stored; /* bytes of all files */
	uint64_t sync_ns; /* when the next sync may be */
	uint64_t note_ns; /* when all syncs of ends and new journals would have been, one after the other */
	uint64_t take_ns; /* when all that were taken over would have been, one after the other */
	uint8_t packet[HALF_PACKET];
	struct relay *all[RELAY_MOST];
};

void relays_begin(struct relays *relays, const struct relay_settings *settings, uint64_t now_ns);

/* Whether one more connection may be taken over now. */
bool relays_ready(const struct relays *relays, uint64_t now_ns);

/*
 * Take over a connection in which nothing is under way: all bytes that have passed are acknowledged. The transformer may be
 * NULL. False: it cannot be.
 */
bool relays_take(struct relays *relays, const struct track_connection *connection,
		 const struct relay_transformer *transformer, void *context, uint64_t now_ns);

/* A segment of a connection that is taken over. False: it is not of one; then it may pass. */
bool relays_segment(struct relays *relays, const struct segment *segment, uint64_t now_ns);

/* Whether it is of one; then, its direction. */
bool relays_known(const struct relays *relays, const struct segment *segment, enum track_direction *direction);

/* Whether it is of one that is over. */
bool relays_over(const struct relays *relays, const struct segment *segment);

/* A connection has begun where a changed one was: its addresses are as any others from now on. */
void relays_replaced(struct relays *relays, const struct segment_end *client, const struct segment_end *server,
		     uint8_t version);

/* A packet that relays_due() has made was too long for a link. */
void relays_too_long(struct relays *relays, const uint8_t *packet, size_t length);

bool relays_due(struct relays *relays, uint64_t now_ns, struct relay_packet *packet);
uint64_t relays_next_ns(const struct relays *relays);

/* It is about to end: reset connections with a transformer, which the next a3d could not go on with. */
void relays_leave(struct relays *relays, uint64_t now_ns);

/* Whether of each connection that was reset, a host has forgotten it. */
bool relays_are_left(const struct relays *relays);

/* Leave connections to the next a3d: journals and what was noted stay. Those that are over are forgotten. */
void relays_end(struct relays *relays);

#endif
