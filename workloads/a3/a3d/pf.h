/* SPDX-License-Identifier: MIT */
/*
 * Prioritized fetching: objects of HTTP that are on the screen come before those that are not. No sockets, no clock.
 *
 * No byte changes, and no packet overtakes another one of its connection. The client's side knows from the monitor of the
 * browser's state which objects are on the screen, and tells the server's side by notices. The server's side is a queue
 * in front of the network, a little slower than it, so that packets wait here: it serves first what is not of a later
 * object. A packet is of the answer that passes; if one of class PF_FIRST waits behind others of its connection, these
 * count as such.
 *
 * A packet leaves at most `most_ns` later than it would have left in order of arrival. So nothing starves; and of a packet
 * that TCP repeats while the first one still waits here, only the first one leaves. If the queue is full, the newest packet
 * of a later object is dropped, else the one that comes.
 *
 * Without a far end (A3 as a point solution), the client's side holds requests of later objects back as long as an object
 * that is to come first is under way, and those that the monitor has not spoken of for a moment.
 */
#ifndef A3D_PF_H
#define A3D_PF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PF_REQUESTS = 16, /* of a connection, the newest */
	PF_HELD = 1000, /* packets that wait, at most */
	PF_ADDRESS = 16, /* bytes of a device's address; IPv4: the first four, the rest is 0 */
	PF_NEIGHBOURS = 8, /* the first of them are the same for all addresses that a device of IPv6 may have */
	PF_DEVICES = 64, /* that a monitor runs on: those that have spoken last, */
	PF_ALIKE = 16, /* of them, with such addresses, */
	PF_OBJECTS = 256, /* that each has spoken of, the newest, */
	PF_CONNECTIONS = 64, /* of each that its words are for */
	PF_FRAME = 14, /* bytes of Ethernet's header, which the network's rate counts as well */
};

#define PF_UNSAID_NS UINT64_C(100000000) /* that a request waits for the monitor's word */

enum pf_class {
	PF_UNSAID, /* served as PF_FIRST */
	PF_FIRST,
	PF_LATER,
};

struct pf_settings {
	bool on;
	bool alone; /* client's side: there is no far end */
	uint64_t rate_bps; /* server's side: what leaves; 0: as fast as it comes */
	unsigned int limit; /* packets that wait */
	uint64_t most_ns;
};

struct pf_counts {
	uint64_t requests; /* for objects, of connections that are followed */
	uint64_t later; /* of them, those that were said to be later, at any time */
	uint64_t held; /* packets that had to wait */
	uint64_t overtaken; /* of them, those that left after one that came later */
	uint64_t overdue; /* that left because they had waited long enough */
	uint64_t repeated; /* that were dropped, since the first one still waited */
	uint64_t dropped; /* for lack of room */
	uint64_t said; /* words of monitors that were taken */
	uint64_t refused; /* words of a monitor, or notices, that cannot be read */
};

/* What netfilter needs to know of a packet that it has lent. */
struct pf_ticket {
	uint32_t id;
	uint16_t queue;
	bool made; /* netfilter has not lent it: a3d has made it, and knows it by this id */
};

struct pf_request {
	bool used;
	bool held; /* alone: not yet let go */
	bool ended; /* its answer has come */
	enum pf_class class;
	uint64_t offset; /* of its first byte, in the client's bytes */
	uint32_t exchange; /* 0: only a notice has come of it */
	uint64_t object; /* client's side: pf_object(); 0: a page */
};

/* What is known of a connection. */
struct pf_memory {
	struct pf_memory *previous, *next; /* of all connections that words of monitors are for */
	uint8_t device[PF_ADDRESS];
	unsigned int newest; /* request */
	struct pf_request requests[PF_REQUESTS];
	uint32_t answer; /* the exchange of the answer that passes; 0: none yet */
	uint64_t picked; /* while a packet is picked: there is one to be sent first */
};

/* What the monitor of a device has said. */
struct pf_device {
	uint8_t address[PF_ADDRESS];
	uint64_t spoke; /* as pf_said() counts; 0: there is none */
	unsigned int next; /* object */
	struct {
		uint64_t object;
		enum pf_class class;
	} objects[PF_OBJECTS];
};

/* A packet that waits. In order of arrival. */
struct pf_packet {
	struct pf_ticket ticket;
	struct pf_memory *memory; /* NULL: its connection is not followed */
	uint32_t exchange;
	uint32_t seq, end;
	size_t bytes;
	uint64_t came_ns, in_order_ns; /* when it came, and would leave in order of arrival */
	bool overtaken;
	bool dropped; /* to make room */
};

struct pf {
	struct pf_settings settings;
	struct pf_counts counts;
	struct pf_memory *memories;
	uint64_t free_ns; /* when the next packet may leave */
	uint64_t picks;
	size_t bytes; /* that wait */
	unsigned int waiting, dropped; /* packets; of them, those that are dropped */
	bool ending; /* they leave at once, in order of arrival */
	struct pf_packet packets[PF_HELD + 1];

	/* client's side */
	uint64_t said;
	struct pf_device devices[PF_DEVICES];
};

enum pf_verdict {
	PF_PASS,
	PF_HOLD,
	PF_DROP,
};

/* A TCP segment that leaves for the network; seq == end: it has no payload that TCP would repeat. */
struct pf_segment {
	size_t bytes; /* of the packet */
	uint32_t seq, end;
};

/* Begin to look at a connection of a device. Forget it: its packets still leave in order. */
void pf_begin(struct pf *pf, struct pf_memory *memory, const uint8_t device[PF_ADDRESS]);
void pf_forget(struct pf *pf, struct pf_memory *memory);

/* A hash of what a device asks for. */
uint64_t pf_object(const char *target, size_t length);

/* Of these connections, the first one of a device that words of its monitor are for; NULL: there is none. */
struct pf_memory *pf_connection(struct pf_memory *from, const uint8_t device[PF_ADDRESS]);

/*
 * A request passes. Client's side: `object` is what it asks for (0: a page), and the class that the monitor gave is
 * returned; server's side: 0.
 */
enum pf_class pf_request(struct pf *pf, struct pf_memory *memory, uint64_t offset, uint32_t exchange, uint64_t object);

/* An answer begins or goes on; it has ended. */
void pf_answer(struct pf_memory *memory, uint32_t exchange, bool ended);

/* Server's side: a notice says the class of the request that begins at an offset. */
void pf_notice(struct pf *pf, struct pf_memory *memory, uint64_t offset, enum pf_class class);

/* Client's side: the monitor says the class of an object. For each connection of it, pf_said_of() then says what changes. */
void pf_said(struct pf *pf, const uint8_t device[PF_ADDRESS], uint64_t object, enum pf_class class);

/* Give requests of an object its class. True: one has another class now; its offset is in `offset`. Call it until false. */
bool pf_said_of(struct pf *pf, struct pf_memory *memory, uint64_t object, enum pf_class class, uint64_t *offset);

/* A packet leaves for the network; memory NULL: its connection is not followed. PF_HOLD: pf_due() says when it may. */
enum pf_verdict pf_leave(struct pf *pf, struct pf_memory *memory, const struct pf_segment *segment,
			 struct pf_ticket ticket, uint64_t now_ns);

/* Take a packet that may leave now, or that is to be dropped. False: there is none. */
bool pf_due(struct pf *pf, uint64_t now_ns, struct pf_ticket *ticket, bool *passes);

/* When there will be one; UINT64_MAX: none waits. */
uint64_t pf_next_ns(const struct pf *pf);

/* Let all that waits leave at once, in order of arrival. */
void pf_leave_all(struct pf *pf);

#endif
