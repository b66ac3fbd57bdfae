/* SPDX-License-Identifier: MIT */
/* Carries points over a TCP connection, for comparison. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "carrier.h"
#include "errors.h"

struct carrier {
	int listening, fd; /* -1: none */
	uint64_t received; /* points */
	bool opened;
	uint8_t bytes[OPENING_BYTES]; /* partially received opening or point */
	size_t filled;
};

_Static_assert(OPENING_BYTES >= TRACK_POINT_BYTES, "the buffer also holds a point");

static struct carrier *create(const struct address *address, int *fd)
{
	struct carrier *carrier = calloc(1, sizeof(*carrier));

	if (!carrier)
		fail("starting", SAP_ERR_MEMORY);
	carrier->listening = carrier->fd = -1;
	*fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd < 0)
		fail_errno("creating a TCP socket");
	return carrier;
}

static struct carrier *tcp_connect(const struct address *to, bool approximate, uint32_t give_up_ms)
{
	const int on = 1;
	const unsigned int user_timeout_ms = give_up_ms;
	int fd;
	struct carrier *carrier = create(to, &fd);

	(void)approximate; /* TCP is always precise */
	carrier->fd = fd;
	signal(SIGPIPE, SIG_IGN);
	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) ||
	    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &user_timeout_ms, sizeof(user_timeout_ms)) ||
	    connect(fd, (const struct sockaddr *)&to->storage, to->length))
		fail_errno("connecting");
	return carrier;
}

static void send_bytes(struct carrier *carrier, const uint8_t *bytes, size_t length)
{
	while (length) {
		const ssize_t sent = send(carrier->fd, bytes, length, 0);

		if (sent < 0 && errno != EINTR)
			fail_errno("sending");
		if (sent > 0) {
			bytes += sent;
			length -= (size_t)sent;
		}
	}
}

static void send_opening(struct carrier *carrier, const struct opening *opening)
{
	uint8_t bytes[OPENING_BYTES];

	opening_pack(opening, bytes);
	send_bytes(carrier, bytes, sizeof(bytes));
}

static void settle(struct carrier *carrier)
{
	(void)carrier; /* TCP loses nothing */
}

static void send_point(struct carrier *carrier, const struct track_point *point, uint64_t at_ns)
{
	uint8_t bytes[TRACK_POINT_BYTES];

	wait_until(NULL, at_ns);
	track_point_pack(point, bytes);
	send_bytes(carrier, bytes, sizeof(bytes));
}

/* Waits until the receiver has everything and closes the connection: read() then returns 0. */
static void finish(struct carrier *carrier)
{
	uint8_t byte;
	ssize_t got;

	if (shutdown(carrier->fd, SHUT_WR))
		fail_errno("ending");
	do {
		got = read(carrier->fd, &byte, 1);
	} while (got > 0 || (got < 0 && errno == EINTR));
	if (got < 0)
		fail_errno("ending");
}

static struct carrier *tcp_listen(const struct address *at)
{
	const int on = 1;
	int fd;
	struct carrier *carrier = create(at, &fd);

	carrier->listening = fd;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, (const struct sockaddr *)&at->storage, at->length) || listen(fd, 1))
		fail_errno("listening");
	return carrier;
}

/* Waits for input. Returns EVENT_POINT if there is some. Signals interrupt poll(), so they take effect at once. */
static enum event wait_for(int fd, uint64_t idle_ns)
{
	struct pollfd descriptor = { .fd = fd, .events = POLLIN };
	const int timeout_ms = idle_ns ? (int)((idle_ns + SAP_NS_PER_MS - 1) / SAP_NS_PER_MS) : -1;
	int found;

	do {
		if (stop_asked())
			return EVENT_STOPPED;
		found = poll(&descriptor, 1, timeout_ms);
	} while (found < 0 && errno == EINTR);
	if (found < 0)
		fail_errno("waiting");
	return found ? EVENT_POINT : EVENT_IDLE;
}

/* Reads until wanted bytes are complete. Returns EVENT_POINT if they are. */
static enum event fill(struct carrier *carrier, size_t wanted, uint64_t idle_ns)
{
	while (carrier->filled < wanted) {
		const enum event event = wait_for(carrier->fd, idle_ns);
		ssize_t got;

		if (event != EVENT_POINT)
			return event;
		got = read(carrier->fd, carrier->bytes + carrier->filled, wanted - carrier->filled);
		if (!got && !carrier->filled)
			return EVENT_END;
		if (got <= 0)
			return EVENT_BROKEN;
		carrier->filled += (size_t)got;
	}
	carrier->filled = 0;
	return EVENT_POINT;
}

static enum event next(struct carrier *carrier, struct opening *opening, struct arrival *arrival, uint64_t idle_ns)
{
	enum event event = EVENT_POINT;

	if (carrier->fd < 0) {
		event = wait_for(carrier->listening, idle_ns);
		if (event != EVENT_POINT)
			return event;
		carrier->fd = accept(carrier->listening, NULL, NULL);
		if (carrier->fd < 0)
			fail_errno("accepting");
	}
	event = fill(carrier, carrier->opened ? TRACK_POINT_BYTES : OPENING_BYTES, idle_ns);
	if (event != EVENT_POINT)
		return event;
	if (carrier->opened) {
		arrival->number = carrier->received++;
		arrival->point = track_point_unpack(carrier->bytes);
		return EVENT_POINT;
	}
	if (!opening_unpack(opening, carrier->bytes, OPENING_BYTES))
		refuse("the first bytes do not open a trace: another program is sending to this port");
	carrier->opened = true;
	return EVENT_OPENING;
}

static void close_carrier(struct carrier *carrier)
{
	if (carrier->fd >= 0)
		close(carrier->fd);
	if (carrier->listening >= 0)
		close(carrier->listening);
	free(carrier);
}

const struct carrier_kind carrier_tcp = {
	.connect = tcp_connect,
	.send_opening = send_opening,
	.settle = settle,
	.send_point = send_point,
	.finish = finish,
	.listen = tcp_listen,
	.next = next,
	.close = close_carrier,
	.name = "tcp",
};
