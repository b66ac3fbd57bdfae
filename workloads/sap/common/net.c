/* SPDX-License-Identifier: MIT */
/* Address lookup, clock, pacing and signals. */
#define _GNU_SOURCE /* ppoll */
#include "net.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "errors.h"


static volatile sig_atomic_t stop_requested;

struct address address_of(const char *host, uint16_t port)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_DGRAM };
	struct addrinfo *found;
	struct address address = { .length = 0 };
	char service[6];
	int error;

	snprintf(service, sizeof(service), "%u", (unsigned int)port);
	error = getaddrinfo(host, service, &hints, &found);
	if (error)
		refuse("cannot resolve host %s: %s", host, gai_strerror(error));
	memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
	address.length = found->ai_addrlen;
	freeaddrinfo(found);
	return address;
}

uint64_t now_ns(void)
{
	return (uint64_t)sap_clock_ns(CLOCK_MONOTONIC);
}

int wait_until(sap_sock_t *sock, uint64_t at_ns)
{
	uint64_t now = now_ns();
	int error = SAP_OK;

	while (!error && now < at_ns) {
		struct pollfd descriptor = { .fd = -1 };
		uint64_t ns = at_ns - now;
		struct timespec timeout;

		if (sock) {
			const int64_t due_ns = sap_next_timeout_ns(sock);

			if (due_ns >= 0 && (uint64_t)due_ns < ns)
				ns = (uint64_t)due_ns;
			descriptor = (struct pollfd){ .fd = sap_fd(sock), .events = sap_poll_events(sock) };
		}
		timeout = sap_timespec((int64_t)ns);
		if (ppoll(&descriptor, 1, &timeout, NULL) < 0 && errno != EINTR)
			return SAP_ERR_SYSTEM;
		if (sock)
			error = sap_process(sock);
		now = now_ns();
	}
	return error;
}

static void request_stop(int signal)
{
	(void)signal;
	stop_requested = 1;
}

void stop_on_signals(void)
{
	const struct sigaction action = { .sa_handler = request_stop };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

bool stop_asked(void)
{
	return stop_requested;
}

/* How often to look for a signal: libsap keeps waiting when one arrives. */
enum { SLICE_MS = 100 };

ssize_t receive(sap_sock_t *sock, void *data, size_t size, struct sap_message *message, uint64_t idle_ns)
{
	const uint64_t start_ns = now_ns();
	ssize_t got;

	for (;;) {
		if (stop_asked()) /* even if data is available */
			return SAP_ERR_AGAIN;
		sap_set_timeout(sock, SLICE_MS);
		got = sap_recv(sock, data, size, message);
		if (got != SAP_ERR_TIMEDOUT)
			return got;
		if (idle_ns && now_ns() - start_ns >= idle_ns)
			return SAP_ERR_TIMEDOUT;
	}
}
