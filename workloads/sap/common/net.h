/* SPDX-License-Identifier: MIT */
/* Address lookup, clock, pacing, and stopping on signals. */
#ifndef APPS_NET_H
#define APPS_NET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "clock.h"
#include "sap.h"

/* Default silence after which a receiver considers the sender gone. */
#define IDLE_NS ((uint64_t)(10 * SAP_NS_PER_S))

struct address {
	struct sockaddr_storage storage;
	socklen_t length;
};

/* Resolves an IPv4 or IPv6 address or a host name. Exits with a message if that fails. */
struct address address_of(const char *host, uint16_t port);

/* Current time of CLOCK_MONOTONIC. */
uint64_t now_ns(void);

/*
 * Waits until at_ns (of now_ns()). Meanwhile the socket acknowledges and retransmits; NULL: just wait. Returns 0, or a
 * libsap error if the connection fails.
 */
int wait_until(sap_sock_t *sock, uint64_t at_ns);

/* From now on SIGINT and SIGTERM do not kill the program: blocking system calls fail with EINTR, see stop_asked(). */
void stop_on_signals(void);
/* Whether SIGINT or SIGTERM has arrived. */
bool stop_asked(void);

/*
 * Waits for a datagram on a SAP socket. Returns what sap_recv() returns, SAP_ERR_TIMEDOUT if nothing arrived for
 * idle_ns (0: wait forever), or SAP_ERR_AGAIN if stop_asked().
 */
ssize_t receive(sap_sock_t *sock, void *data, size_t size, struct sap_message *message, uint64_t idle_ns);

#endif
