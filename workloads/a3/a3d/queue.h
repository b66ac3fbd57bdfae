/* SPDX-License-Identifier: MIT */
/*
 * Packets that netfilter hands over (NFQUEUE), by netlink, many at a time: one system call receives a batch, and one
 * accepts it.
 *
 * There are two queues. The first one lets packets pass when nobody serves it or when it is full. The second one, with
 * the next number, is for connections that a3d has changed: it drops them then.
 */
#ifndef A3D_QUEUE_H
#define A3D_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum {
	QUEUE_ALL = 0xffff, /* bytes: whole packets */
	QUEUE_CHANGED = 2048,
};

struct queue_packet {
	uint32_t id; /* in the byte order of the network, for the verdict */
	uint16_t queue;
	const uint8_t *bytes; /* its first ones, with the IP header; NULL: none */
	size_t length;
	size_t size; /* of the packet, of which these may be the first ones */
	bool left_to_card; /* the kernel has not made its checksum yet */
};

struct queue;

/* Begin to serve a queue and the next one; of each packet, so many bytes. Ends the program if it cannot. */
struct queue *queue_open(uint16_t number, uint32_t bytes);

/*
 * Receive what waits, up to a batch; if nothing does, wait for the first packet, so long at most (NULL: until a signal).
 * False: there is nothing. queue_next() then yields the packets.
 */
bool queue_receive(struct queue *queue, const struct timespec *most);
bool queue_next(struct queue *queue, struct queue_packet *packet);

/* Accept a packet, at the latest when queue_flush() is called, or drop it. Packets stay in their order. */
void queue_accept(struct queue *queue, const struct queue_packet *packet);
void queue_drop(struct queue *queue, const struct queue_packet *packet);

/* Accept a packet, but with other bytes, at most QUEUE_CHANGED of them. */
void queue_change(struct queue *queue, const struct queue_packet *packet, const uint8_t *bytes, size_t length);
void queue_flush(struct queue *queue);

/* Keep a packet without a verdict, until queue_release(). If the program ends before, the kernel drops it. */
void queue_hold(struct queue *queue, const struct queue_packet *packet);
void queue_release(struct queue *queue, uint32_t id, uint16_t number, bool passes);

/* Let something else that can be read also end queue_receive(). */
void queue_watch(struct queue *queue, int other);

#endif
