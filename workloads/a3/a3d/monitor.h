/* SPDX-License-Identifier: MIT */
/*
 * What the monitor of a browser's state says, in a datagram (UDP): which objects of a page are on the screen.
 *
 *	bytes 0-3	"A3s1"
 *	byte 4		how many objects follow, 1 to MONITOR_OBJECTS
 *	then of each	1 byte: 1 if it is on the screen, else 0; 2 bytes, the more significant one first: length of what a
 *			request for it asks for, 1 to MONITOR_TARGET; that many bytes of it: /picture.png?size=3
 *
 * One that does not end with its last object, or is anything else, says nothing at all. No sockets.
 */
#ifndef A3D_MONITOR_H
#define A3D_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MONITOR_PORT = 7643, /* of UDP; no registered one */
	MONITOR_OBJECTS = 64, /* of a datagram */
	MONITOR_TARGET = 1024, /* bytes */
	MONITOR_LONGEST = 8192, /* bytes of a datagram */
};

typedef void (*monitor_handler)(void *context, bool on_screen, const char *target, size_t length);

/* Read a datagram: the handler is called for each object. False: it says nothing. */
bool monitor_read(const uint8_t *bytes, size_t length, monitor_handler handler, void *context);

#endif
