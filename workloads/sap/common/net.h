/* SPDX-License-Identifier: MIT */
/* Addresses, time, pacing, and being asked to stop. */
#ifndef APPS_NET_H
#define APPS_NET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "sap.h"

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)

/* A sender that is silent for so long is gone, unless a receiver is told otherwise. */
#define IDLE_NS (10 * NS_PER_S)

struct address {
	struct sockaddr_storage storage;
	socklen_t length;
};

/* An IPv4 or IPv6 address or a host's name. Ends the program with a message where there is none. */
struct address address_of(const char *host, uint16_t port);

/* CLOCK_MONOTONIC. */
uint64_t now_ns(void);

/*
 * Waits until a moment, and has the socket acknowledge and repeat meanwhile (NULL: only waits). Returns a libsap error
 * where the connection is given up.
 */
int wait_until(sap_sock_t *sock, uint64_t at_ns);

/* From now on SIGINT and SIGTERM only make stop_asked() true; calls that wait return with EINTR. */
void stop_on_signals(void);
bool stop_asked(void);

/*
 * Receives from a SAP socket until something is there. Returns what sap_recv() does; SAP_ERR_TIMEDOUT where nothing came
 * for idle_ns (0: wait for ever), SAP_ERR_AGAIN where stop_asked().
 */
ssize_t receive(sap_sock_t *sock, void *data, size_t size, struct sap_message *message, uint64_t idle_ns);

#endif
