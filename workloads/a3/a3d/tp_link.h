/* SPDX-License-Identifier: MIT */
/* TP on connections that a3d has taken over (relay.h): its bytes, its room and its store, which is a file without a name. */
#ifndef A3D_TP_LINK_H
#define A3D_TP_LINK_H

#include "relay.h"
#include "tp.h"

enum {
	TP_LINKS = 2 * RELAY_MOST, /* connections, with those that were not taken */
	TP_LINK_HELD = 256 << 10, /* bytes of a client that may wait for the server's answers; then TCP makes it wait */
	TP_LINK_KEPT = 32 << 20, /* bytes of a direction that are on their way to a host, and not in memory */
	TP_LINK_DEVICES = 4, /* a device may have one such part of the quota */
	TP_PAIRS = 64, /* of hosts of which a session was broken here */
};

struct tp_link_settings {
	struct tp_settings tp;
	bool on;
	int folder; /* of files */
	uint64_t quota; /* bytes of all files, but for holes in them, and those that hosts were told they may send */
	uint64_t (*now_ns)(void);
};

struct tp_links_counts {
	struct tp_counts all; /* sums */
	uint64_t left, broken; /* connections */
};

struct tp_links {
	struct tp_link_settings settings;
	struct tp_links_counts over; /* of connections that are over */
	uint64_t taken; /* connections that TP has stood in */
	unsigned int open;
	uint64_t stored; /* bytes of the quota that connections have */
	struct tp_link *all;
	struct tp_pair {
		uint8_t client[16], server[16]; /* addresses */
	} pair[TP_PAIRS];
	unsigned int pairs; /* that were ever noted */
};

struct tp_link;

/*
 * A connection of which nothing has been seen; `owner` points to it as long as it is there and was not taken. If there is no
 * place, another one loses its own: first one that could not be taken yet, of these the one that was idle for the longest
 * time. NULL: all are taken, or a session of these hosts was broken here.
 */
struct tp_link *tp_link_begin(struct tp_links *links, const struct segment_end *client, const struct segment_end *server,
			      struct tp_link **owner);

/* Bytes that pass by themselves. */
void tp_link_watches(struct tp_link *link, enum track_direction direction, const uint8_t *bytes, size_t length);

/* Whether TP wants the connection to be taken over before the next bytes of its client. link may be NULL. */
bool tp_link_wants(const struct tp_link *link, const uint8_t *bytes, size_t length);

/* Stand in a connection that is taken over now. False: not now. */
bool tp_link_take(struct tp_link *link);

/* Forget a connection that was not taken over. link may be NULL. */
void tp_link_end(struct tp_link *link);

/* What a relay calls, with a link as context. */
extern const struct relay_transformer tp_link_transformer;

/* What all connections have come to. */
struct tp_links_counts tp_links_count(const struct tp_links *links);

#endif
