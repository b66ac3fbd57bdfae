/* SPDX-License-Identifier: MIT */
/* The transport protocols, and their sockets. */
#ifndef FLOW_PROTOCOL_H
#define FLOW_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct settings {
	const char *host; /* sender: the sink's; sink: to bind to, or NULL for any */
	uint16_t port;
	int buffer_bytes;	/* SO_SNDBUF or SO_RCVBUF, which the kernel doubles; 0: the system's default */
	const char *congestion; /* TCP: congestion control; NULL: the system's */
	int segment_bytes;	/* TCP: TCP_MAXSEG; 0: as the path allows */
	int ccid;		/* DCCP: 2 or 3, in both directions; the sink takes either */
	uint32_t service;	/* DCCP: service code (RFC 4340 8.1.2) */
	int coverage;		/* DCCP: CsCov (RFC 4340 9.2), 0: all. Sink: the least that it accepts */
};

struct protocol {
	const char *name;
	int type, number; /* of socket(2) */
	bool stream;	  /* packets follow each other without boundaries */
	bool connected;	  /* the sink accepts a connection, and it ends */
	/* Sets options before connect() or listen(). Exits with a message if one cannot be set. */
	void (*prepare)(int fd, const struct settings *settings, bool sender);
	/* The most bytes that a packet can carry to the sink, once there is a connection; 0: it is not known. */
	int (*packet_most)(int fd);
	/* Adds the state of congestion control to a line. False: it has no state. */
	bool (*state)(int fd, const struct settings *settings, FILE *to);
};

/* Returns NULL if no protocol has that name. */
const struct protocol *protocol_named(const char *name);

/* They exit with a message on failure. This one returns a non-blocking socket. */
int protocol_connect(const struct protocol *protocol, const struct settings *settings);
/* For a protocol that is not connected, this is the socket to receive from. */
int protocol_listen(const struct protocol *protocol, const struct settings *settings);

/* Returns what the socket holds before sending blocks, with what the kernel adds to each packet. */
uint64_t protocol_room_bytes(int fd);

#endif
