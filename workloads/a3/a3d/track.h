/* SPDX-License-Identifier: MIT */
/*
 * TCP connections that pass: the bytes of both directions, in their order. No sockets, no clock.
 *
 * A connection is followed from its first SYN. One that cannot be followed is left alone for the rest of its life: to guess
 * is not allowed. What arrives ahead of a gap is kept until the gap is filled, within limits for a connection and for all.
 * What a segment says counts only if a part of it is within the window of its receiver, and a reset only if its number is
 * one that the receiver may expect next (RFC 5961).
 *
 * Not modelled: a segment that is repeated with other bytes than before (what came first counts), TCP Fast Open, MPTCP,
 * signatures (left alone).
 */
#ifndef A3D_TRACK_H
#define A3D_TRACK_H

#include "segment.h"

enum {
	TRACK_SETS = 256,
	TRACK_WAYS = 4, /* connections with the same hash */
	TRACK_STORED = 256 << 10, /* bytes of a connection that are ahead of a gap, with what it takes to keep them */
	TRACK_ALL_STORED = 16 << 20, /* of all connections */
};

#define TRACK_IDLE_NS UINT64_C(600000000000) /* then another connection may take its place */

enum track_direction {
	TRACK_TO_SERVER,
	TRACK_TO_CLIENT,
	TRACK_DIRECTIONS,
};

enum track_left {
	TRACK_FOLLOWED,
	TRACK_LEFT_MIDDLE, /* its SYN was not seen */
	TRACK_LEFT_OPTIONS, /* it has an option that is not known, or urgent data */
	TRACK_LEFT_GAP, /* its receiver has bytes that were not seen here */
	TRACK_LEFT_MEMORY, /* too much is ahead of a gap */
	TRACK_LEFT_ODD, /* it does what TCP does not */
	TRACK_LEFT_PROTOCOL, /* its content was not understood, or is not to be read */
	TRACK_LEFT_KINDS,
};

enum track_kind {
	TRACK_NOTHING, /* neither payload nor SYN or FIN */
	TRACK_NEW, /* in order, at least some of it for the first time */
	TRACK_AHEAD, /* of a gap */
	TRACK_REPEATED,
	TRACK_NOT_FOLLOWED,
};

struct track_chunk;

struct track_flow {
	bool begun; /* its SYN was seen */
	bool finished; /* so was its FIN, and all before it */
	uint32_t first; /* its SYN's number */
	uint32_t next; /* the first number that has not been seen in order */
	uint32_t acked; /* the newest acknowledgement of it */
	uint32_t edge; /* the last number that its receiver takes */
	struct track_chunk *ahead; /* by sequence number */
	bool handed; /* bytes come by track_bytes() */
	bool ends; /* then: its FIN was seen, */
	uint32_t end; /* and has this number */

	/* what its sender has said: in its SYN, and in its newest segment */
	uint16_t mss;
	bool scaled, sack, stamps, ecn;
	uint8_t scale;
	uint16_t window;
	uint32_t stamp;

	uint64_t syn_ns; /* when its SYN passed last */
	uint64_t handshake_ns; /* the round trip from here to its receiver, by that; 0: not known */
};

struct track_connection {
	bool used, closed;
	enum track_left left;
	uint8_t version;
	struct segment_end client, server;
	uint64_t seen_ns;
	size_t stored;
	struct track_flow flow[TRACK_DIRECTIONS];
	void *own; /* of who uses this */
};

struct track_counts {
	uint64_t connections;
	uint64_t not_followed; /* there was no place for them */
	uint64_t left[TRACK_LEFT_KINDS];
};

struct track {
	/* Bytes of a flow, in order. May call track_leave(). */
	void (*bytes)(void *context, struct track_connection *connection, enum track_direction direction,
		      const uint8_t *bytes, size_t length);
	/* A connection is no longer followed, or is over: own is to be released. */
	void (*released)(void *context, struct track_connection *connection);
	void *context;

	struct track_counts counts;
	size_t stored;
	struct track_connection connections[TRACK_SETS][TRACK_WAYS];
};

struct track_seen {
	struct track_connection *connection; /* NULL: there is no place for it */
	enum track_direction direction;
	enum track_kind kind;
};

/* A segment that passes. */
struct track_seen track_segment(struct track *track, const struct segment *segment, uint64_t now_ns);

/* The connection of a segment, if it is known and followed; else NULL. */
struct track_connection *track_known(struct track *track, const struct segment *segment);

/*
 * From now on, bytes of a flow are not those of segments that pass: they are handed over as its receiver takes them, which
 * keeps what is ahead of a gap.
 */
void track_hand(struct track_connection *connection, enum track_direction direction);
void track_bytes(struct track *track, struct track_connection *connection, enum track_direction direction,
		 const uint8_t *bytes, size_t length);

bool track_same(const struct segment_end *a, const struct segment_end *b);

/* Follow a connection no longer. */
void track_leave(struct track *track, struct track_connection *connection, enum track_left why);

/* Forget a connection as if it had not been seen. */
void track_forget(struct track *track, struct track_connection *connection);

#endif
