/* SPDX-License-Identifier: MIT */
/*
 * The rules of nftables that lead packets of some TCP ports into two queues.
 *
 * Connections that a3d has changed are elements of a set, and not marked in conntrack, which the lab's kernel has no
 * mark in. Their packets go to the second queue, and wait for nobody: they are dropped if it is not served. All others
 * go to the first one, and pass if it is not. Sets outlive the program; rules are made again by the next one.
 */
#ifndef A3D_RULES_H
#define A3D_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segment.h"

/* Of packets that this program makes: they do not pass the queue. */
#define RULES_MARK 0x61336421u

enum rules_hook {
	RULES_FORWARD, /* of a router */
	RULES_HOST, /* what arrives at this host, and what it sends */
};

/* Be the only a3d of this node, which is its network namespace. Ends the program if not. */
void rules_alone(void);

/* The side, the queue, the hook and the folder of journals (NULL: none), by which an a3d is known as the next one. */
struct rules_owner {
	unsigned int side;
	uint16_t queue;
	enum rules_hook hook;
	const char *folder;
};

/* A number of an owner. */
uint32_t rules_identity(const struct rules_owner *owner);

/*
 * Make them, instead of those that an ended program has left behind. If that has also left connections that it has changed,
 * it has to have been one with the same owner, since another one would reset or break them. experiments: also for what the far end sends by
 * protocol 253. monitor: a port of UDP of this node, which takes nothing that comes from where answers would not go; 0:
 * none. Ends the program if it cannot.
 */
void rules_make(const struct rules_owner *owner, const uint16_t *ports, size_t count, bool experiments, uint16_t monitor);

/*
 * Note that a3d changes a connection from now on, or no longer: both its directions are put into the set, or taken out. It
 * is done when this returns. False: it cannot be.
 */
bool rules_change(uint8_t version, const struct segment_end *client, const struct segment_end *server, bool on);

/*
 * Begin to lead no more packets into the first queue; those of changed connections still go to the second one. Returns a
 * descriptor that can be read when that is done, -1: it cannot be. Meanwhile the queues are to be served, since later
 * packets would overtake those that wait.
 */
int rules_stop(uint16_t queue);
bool rules_stopped(int child);

/* Whether a connection is in the set, or nobody can say. */
bool rules_left(void);

/*
 * Remove them. Connections that were changed then pass as well, so none may be left. If another program of this node has a
 * queue, empty chains stay: the kernel drops what waits in all queues when a chain goes.
 */
void rules_remove(uint16_t queue);

#endif
