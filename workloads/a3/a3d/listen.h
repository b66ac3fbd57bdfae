/* SPDX-License-Identifier: MIT */
/* Datagrams of UDP, of IPv4 and IPv6. */
#ifndef A3D_LISTEN_H
#define A3D_LISTEN_H

#include <stddef.h>
#include <stdint.h>

/* From an address; IPv4: the first four bytes, the rest is 0. */
typedef void (*listen_handler)(void *context, const uint8_t address[16], const uint8_t *bytes, size_t length);

/* Open a socket that never waits. Port 0: any. -1: errno says why. */
int listen_open(uint16_t port);

/* Take datagrams that have come, so many at most. One that is longer than a monitor's is cut. */
void listen_take(int socket, unsigned int most, listen_handler handler, void *context);

#endif
