/* SPDX-License-Identifier: MIT */
/* The packets of this host that netfilter hands over (NFQUEUE), by netlink. */
#ifndef WP2PD_QUEUE_H
#define WP2PD_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct queue_packet {
	uint32_t id; /* in the byte order of the network, for the verdict */
	bool sending; /* it is about to leave this host; otherwise it has arrived */
	uint32_t interface; /* by which it leaves; 0: it has arrived */
	const uint8_t *bytes; /* its first ones, with the IP header; NULL: none */
	size_t length;
};

/* Begin to serve a queue. Ends the program if it cannot. Packets that the queue has no room for are dropped. */
int queue_open(uint16_t number);

/*
 * Read messages of the kernel into a buffer; wait does until there is one or a signal. False: there is none.
 * queue_next() then takes packets out of the buffer.
 */
struct queue_messages {
	_Alignas(8) uint8_t bytes[65536];
	size_t length, at;
};

bool queue_receive(int queue, struct queue_messages *messages);
bool queue_next(struct queue_messages *messages, struct queue_packet *packet);

void queue_verdict(int queue, uint16_t number, const struct queue_packet *packet, bool accept);

#endif
