/* SPDX-License-Identifier: MIT */
/*
 * Tests of the sockets on the loopback interface.
 *
 * Both ends live in one thread that works for one, then for the other; what waits does so in poll(). Only tests of
 * waiting itself have a second thread.
 */
#define _DEFAULT_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "sap.h"
#include "tests.h"
#include "wire.h"

/* How often the kernel refuses to send from now on, and with which error: the linker puts this before sendto(). */
static unsigned int refusals;
static int refusal;

ssize_t __real_sendto(int fd, const void *data, size_t length, int flags, const struct sockaddr *to, socklen_t to_length);
ssize_t __wrap_sendto(int fd, const void *data, size_t length, int flags, const struct sockaddr *to, socklen_t to_length);

ssize_t __wrap_sendto(int fd, const void *data, size_t length, int flags, const struct sockaddr *to, socklen_t to_length)
{
	if (!refusals)
		return __real_sendto(fd, data, length, flags, to, to_length);
	refusals--;
	errno = refusal;
	return -1;
}

static void refuse(unsigned int times, int error)
{
	refusals = times;
	refusal = error;
}

static struct sap_options options_of(int timeout_ms)
{
	struct sap_options options;

	sap_options_init(&options);
	options.timeout_ms = timeout_ms;
	return options;
}

static socklen_t loopback(struct sockaddr_storage *address, int family)
{
	struct sockaddr_in *const in = (struct sockaddr_in *)address;
	struct sockaddr_in6 *const in6 = (struct sockaddr_in6 *)address;

	memset(address, 0, sizeof(*address));
	address->ss_family = (sa_family_t)family;
	in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (family == AF_INET)
		return sizeof(*in);
	memset(in6, 0, sizeof(*in6));
	in6->sin6_family = AF_INET6;
	in6->sin6_addr = in6addr_loopback;
	return sizeof(*in6);
}

/* A socket that listens on a port that the kernel chose, and that address. */
static sap_sock_t *listening(struct sockaddr_storage *at, socklen_t *length, int family,
			     const struct sap_options *options)
{
	sap_sock_t *sock;

	*length = loopback(at, family);
	CHECK_EQUAL(sap_listen(&sock, (struct sockaddr *)at, *length, options), SAP_OK);
	CHECK_EQUAL(sap_local(sock, at, length), SAP_OK);
	return sock;
}

/* Works for two sockets until one of them has the flags or an error, as an event loop would. */
static int worked_until(sap_sock_t *const socks[2], int which, unsigned int flags)
{
	int result;

	while ((sap_ready(socks[which]) & flags) != flags) {
		struct pollfd descriptors[2];
		int64_t least_ns = -1;

		for (int i = 0; i < 2; i++) {
			const int64_t ns = sap_next_timeout_ns(socks[i]);

			descriptors[i] = (struct pollfd){ .fd = sap_fd(socks[i]), .events = sap_poll_events(socks[i]) };
			if (ns >= 0 && (least_ns < 0 || ns < least_ns))
				least_ns = ns;
		}
		CHECK(poll(descriptors, 2, least_ns < 0 ? -1 : (int)(least_ns / 1000000 + 1)) >= 0);
		for (int i = 0; i < 2; i++) {
			if ((result = sap_process(socks[i])) != SAP_OK)
				return result;
		}
	}
	return SAP_OK;
}

static void work_until(sap_sock_t *const socks[2], int which, unsigned int flags)
{
	CHECK_EQUAL(worked_until(socks, which, flags), SAP_OK);
}

static int connected_pair(sap_sock_t *socks[2], int family, const struct sap_options *options)
{
	struct sockaddr_storage at;
	socklen_t length;
	int result;

	socks[1] = listening(&at, &length, family, options);
	result = sap_connect(&socks[0], (struct sockaddr *)&at, length, options);
	if (result == SAP_OK)
		result = worked_until(socks, 0, SAP_CONNECTED);
	return result == SAP_OK ? worked_until(socks, 1, SAP_CONNECTED) : result;
}

static void connect_pair(sap_sock_t *socks[2], int family, const struct sap_options *options)
{
	CHECK_EQUAL(connected_pair(socks, family, options), SAP_OK);
}

static void close_pair(sap_sock_t *socks[2])
{
	sap_close(socks[0]);
	sap_close(socks[1]);
}

/* All kinds, both ways, without waiting. */
static void talk(int family, enum sap_control control)
{
	struct sap_options options = options_of(0);
	struct sockaddr_storage address;
	struct sap_message message;
	struct sap_stats stats;
	sap_sock_t *socks[2];
	uint8_t data[1024], got[1024];
	socklen_t length;

	memset(data, 0x5a, sizeof(data));
	options.control = control;
	connect_pair(socks, family, &options);
	CHECK_EQUAL(sap_get_mode(socks[0]), SAP_PRECISE);
	for (uint8_t i = 0; i < 100; i++) {
		data[0] = i;
		work_until(socks, 0, SAP_WRITABLE);
		CHECK_EQUAL(sap_send(socks[0], data, sizeof(data)), sizeof(data));
		work_until(socks, 1, SAP_READABLE);
		CHECK_EQUAL(sap_recv(socks[1], got, sizeof(got), &message), sizeof(data));
		CHECK(message.guaranteed && message.precise == 1024 && message.number == i && got[0] == i);
	}
	CHECK_EQUAL(sap_recv(socks[1], got, sizeof(got), &message), SAP_ERR_AGAIN);
	CHECK_EQUAL(sap_set_mode(socks[1], SAP_APPROXIMATE), SAP_OK);
	CHECK_EQUAL(sap_send(socks[1], data, 500), 500);
	work_until(socks, 0, SAP_READABLE);
	CHECK_EQUAL(sap_recv(socks[0], got, 499, &message), SAP_ERR_TOO_SHORT);
	CHECK_EQUAL(sap_recv(socks[0], got, 500, &message), 500);
	CHECK(!message.guaranteed && message.precise == 0 && message.number == 0);
	CHECK_EQUAL(sap_send_head(socks[1], data, 500, 20, 0), 500);
	CHECK_EQUAL(sap_send_head(socks[1], data, 500, 20, SAP_ONCE), 500);
	for (int i = 0; i < 2; i++) {
		work_until(socks, 0, SAP_READABLE);
		CHECK_EQUAL(sap_recv(socks[0], got, 500, &message), 500);
		CHECK(message.guaranteed == !i && message.precise == 20);
	}
	CHECK_EQUAL(sap_peer(socks[1], &address, &length), SAP_OK);
	CHECK_EQUAL(address.ss_family, family);
	for (int i = 0; i < 2; i++) {
		const int error = sap_fin(socks[i]);

		CHECK(error == SAP_OK || error == SAP_ERR_AGAIN);
		work_until(socks, i, SAP_FLUSHED);
		CHECK_EQUAL(sap_fin(socks[i]), SAP_OK);
		work_until(socks, !i, SAP_ENDED);
		CHECK_EQUAL(sap_recv(socks[!i], got, sizeof(got), NULL), SAP_ERR_END);
		CHECK_EQUAL(sap_send(socks[i], data, 1), SAP_ERR_CLOSED);
	}
	work_until(socks, 0, SAP_DONE);
	work_until(socks, 1, SAP_DONE);
	sap_get_stats(socks[1], &stats);
	CHECK_EQUAL(stats.delivered_guaranteed, 100);
	CHECK_EQUAL(stats.sent_approximate, 2);
	CHECK_EQUAL(stats.rejected_damaged + stats.rejected_foreign + stats.rejected_senseless, 0);
	close_pair(socks);
}

static void ipv4(void)
{
	talk(AF_INET, SAP_STOP_AND_WAIT);
}

static void ipv6(void)
{
	talk(AF_INET6, SAP_STOP_AND_WAIT);
}

static void window(void)
{
	talk(AF_INET, SAP_WINDOW);
}

/* A plain UDP-Lite socket in the place of the listener, which takes nothing that is covered by less than least. */
static int plain(struct sockaddr_storage *at, socklen_t *length, int least)
{
	const int peer = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, IPPROTO_UDPLITE);

	*length = loopback(at, AF_INET);
	CHECK(peer >= 0);
	CHECK(setsockopt(peer, IPPROTO_UDPLITE, 11, &least, sizeof(least)) == 0); /* UDPLITE_RECV_CSCOV */
	CHECK(bind(peer, (struct sockaddr *)at, *length) == 0);
	CHECK(getsockname(peer, (struct sockaddr *)at, length) == 0);
	return peer;
}

/* The checksum covers the headers and the precise head, to the byte: one more is asked for, and nothing comes. */
static void coverage(void)
{
	const struct sap_options options = options_of(0);
	const struct sap_header pong = { .type = SAP_TYPE_PING_ACK, .token = 5, .count = 9 };
	enum { HEAD = 100 };

	for (int more = 0; more < 2; more++) {
		struct sap_header header = pong, ping;
		uint8_t datagram[2048] = { 0 };
		struct sockaddr_storage at;
		socklen_t length;
		const int peer = plain(&at, &length, 8 + SAP_HEADER_BYTES + HEAD + more);
		sap_sock_t *sock;

		CHECK_EQUAL(sap_connect(&sock, (struct sockaddr *)&at, length, &options), SAP_OK);
		length = sizeof(at);
		CHECK_EQUAL(recvfrom(peer, datagram, sizeof(datagram), 0, (struct sockaddr *)&at, &length),
			    SAP_HEADER_BYTES); /* PING is covered wholly */
		CHECK(sap_wire_read(&ping, datagram, SAP_HEADER_BYTES));
		header.connection = ping.connection;
		CHECK_EQUAL(sendto(peer, datagram, sap_wire_write(datagram, &header, NULL), 0,
				   (struct sockaddr *)&at, length), SAP_HEADER_BYTES);
		CHECK_EQUAL(sap_process(sock), SAP_OK);
		CHECK(sap_ready(sock) & SAP_CONNECTED);
		CHECK_EQUAL(recv(peer, datagram, sizeof(datagram), 0), SAP_HEADER_BYTES); /* PING with the token */
		CHECK_EQUAL(sap_send_head(sock, datagram, 500, HEAD, SAP_ONCE), 500);
		CHECK_EQUAL(recv(peer, datagram, sizeof(datagram), 0), more ? -1 : SAP_HEADER_BYTES + 500);
		CHECK_EQUAL(sap_set_mode(sock, SAP_APPROXIMATE), SAP_OK);
		CHECK_EQUAL(sap_send(sock, datagram, 500), 500); /* covered by less */
		CHECK_EQUAL(recv(peer, datagram, sizeof(datagram), 0), -1);
		CHECK_EQUAL(sap_set_mode(sock, SAP_PRECISE), SAP_OK);
		CHECK_EQUAL(sap_send(sock, datagram, 500), 500); /* wholly */
		CHECK_EQUAL(recv(peer, datagram, sizeof(datagram), 0), SAP_HEADER_BYTES + 500);
		close(peer);
		sap_close(sock);
	}
}

/* Somebody else, while a connection is there: not heard. */
static void strangers(void)
{
	struct sap_options options = options_of(0);
	struct sockaddr_storage at;
	struct sap_stats stats;
	sap_sock_t *socks[2], *stranger;
	socklen_t length;
	uint8_t byte;

	connect_pair(socks, AF_INET, &options);
	CHECK_EQUAL(sap_local(socks[1], &at, &length), SAP_OK);
	CHECK_EQUAL(sap_connect(&stranger, (struct sockaddr *)&at, length, &options), SAP_OK);
	CHECK_EQUAL(sap_process(socks[1]), SAP_OK);
	CHECK_EQUAL(sap_process(stranger), SAP_OK); /* an ICMP error at most */
	CHECK(!(sap_ready(stranger) & SAP_CONNECTED));
	CHECK_EQUAL(sap_recv(socks[1], &byte, 1, NULL), SAP_ERR_AGAIN);
	sap_get_stats(socks[1], &stats);
	CHECK_EQUAL(stats.control, 2); /* the two PINGs of the peer */
	sap_close(stranger);
	close_pair(socks);
}

/* Connects, and sends and receives a byte. */
static void connects(sap_sock_t *listener, const struct sockaddr_storage *at, socklen_t length,
		     const struct sap_options *options)
{
	sap_sock_t *socks[2] = { NULL, listener };
	uint8_t byte = 0;

	CHECK_EQUAL(sap_connect(&socks[0], (const struct sockaddr *)at, length, options), SAP_OK);
	work_until(socks, 0, SAP_CONNECTED);
	CHECK_EQUAL(sap_send(socks[0], "1", 1), 1);
	work_until(socks, 1, SAP_READABLE);
	CHECK_EQUAL(sap_recv(socks[1], &byte, 1, NULL), 1);
	CHECK_EQUAL(byte, '1');
	close_pair(socks);
}

/* Pings, and is not answered. */
static void does_not_connect(sap_sock_t *listener, const struct sockaddr_storage *at, socklen_t length,
			     const struct sap_options *options)
{
	sap_sock_t *stranger;

	CHECK_EQUAL(sap_connect(&stranger, (const struct sockaddr *)at, length, options), SAP_OK);
	CHECK_EQUAL(sap_process(listener), SAP_OK);
	CHECK_EQUAL(sap_process(stranger), SAP_OK);
	CHECK(!(sap_ready(stranger) & SAP_CONNECTED) && !(sap_ready(listener) & SAP_CONNECTED));
	sap_close(stranger);
}

/* Strangers on the same host ping first. */
static void the_token_decides(void)
{
	struct sap_options options = options_of(0), wrong = options_of(0), none = options_of(0);
	struct sockaddr_storage at;
	struct sap_stats stats;
	sap_sock_t *listener;
	socklen_t length;

	options.token = UINT64_C(0xfedcba9876543210);
	wrong.token = options.token + 1;
	listener = listening(&at, &length, AF_INET, &options);
	does_not_connect(listener, &at, length, &none);
	does_not_connect(listener, &at, length, &wrong);
	sap_get_stats(listener, &stats);
	CHECK_EQUAL(stats.rejected_foreign, 2);
	connects(listener, &at, length, &options);
}

/* An address, with the port and without. */
static void the_peer_is_expected(int family)
{
	struct sap_options options = options_of(0), plain = options_of(0);
	struct sockaddr_storage at, peer, other;
	struct sap_header ping = { .type = SAP_TYPE_PING, .connection = 5 };
	uint8_t datagram[SAP_HEADER_BYTES];
	const int known = socket(family, SOCK_DGRAM | SOCK_NONBLOCK, IPPROTO_UDPLITE);
	sap_sock_t *listener;
	socklen_t length = loopback(&peer, family);

	options.peer = (struct sockaddr *)&peer;
	listener = listening(&at, &length, family, &options); /* any port of the loopback address */
	connects(listener, &at, length, &plain);
	CHECK(known >= 0 && bind(known, (struct sockaddr *)&peer, length) == 0);
	CHECK(getsockname(known, (struct sockaddr *)&peer, &length) == 0);
	listener = listening(&at, &length, family, &options); /* this port */
	does_not_connect(listener, &at, length, &plain);
	CHECK_EQUAL(sendto(known, datagram, sap_wire_write(datagram, &ping, NULL), 0, (struct sockaddr *)&at, length),
		    SAP_HEADER_BYTES);
	CHECK_EQUAL(sap_process(listener), SAP_OK);
	CHECK_EQUAL(recv(known, datagram, sizeof(datagram), 0), SAP_HEADER_BYTES);
	CHECK(sap_wire_read(&ping, datagram, sizeof(datagram)) && ping.type == SAP_TYPE_PING_ACK);
	close(known);
	sap_close(listener);
	loopback(&other, family); /* another host */
	if (family == AF_INET)
		((struct sockaddr_in *)&other)->sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
	else
		((struct sockaddr_in6 *)&other)->sin6_addr.s6_addr[0] = 0xfd;
	options.peer = (struct sockaddr *)&other;
	listener = listening(&at, &length, family, &options);
	does_not_connect(listener, &at, length, &plain);
	sap_close(listener);
}

static void the_peer_is_expected_ipv4(void)
{
	the_peer_is_expected(AF_INET);
}

static void the_peer_is_expected_ipv6(void)
{
	the_peer_is_expected(AF_INET6);
}

static void refused(void)
{
	struct sap_options options = options_of(0);
	struct sockaddr_storage at, bad = { .ss_family = AF_UNIX };
	sap_sock_t *sock, *second;
	socklen_t length;
	uint8_t data[1025] = { 0 };

	CHECK_EQUAL(sap_connect(&sock, (struct sockaddr *)&bad, sizeof(bad), NULL), SAP_ERR_ARGUMENT);
	CHECK(!sock);
	options.window = 0;
	length = loopback(&at, AF_INET);
	CHECK_EQUAL(sap_listen(&sock, (struct sockaddr *)&at, length, &options), SAP_ERR_ARGUMENT);
	options = options_of(-2);
	CHECK_EQUAL(sap_listen(&sock, (struct sockaddr *)&at, length, &options), SAP_ERR_ARGUMENT);
	options = options_of(0);
	options.size = 5;
	CHECK_EQUAL(sap_listen(&sock, (struct sockaddr *)&at, length, &options), SAP_ERR_ARGUMENT);
	options = options_of(0);
	options.peer = (struct sockaddr *)&bad; /* of another family */
	CHECK_EQUAL(sap_listen(&sock, (struct sockaddr *)&at, length, &options), SAP_ERR_ARGUMENT);
	options.peer = (struct sockaddr *)&at; /* only for listeners */
	CHECK_EQUAL(sap_connect(&sock, (struct sockaddr *)&at, length, &options), SAP_ERR_ARGUMENT);
	options = options_of(0);
	sock = listening(&at, &length, AF_INET, &options);
	CHECK_EQUAL(sap_listen(&second, (struct sockaddr *)&at, length, &options), SAP_ERR_SYSTEM);
	CHECK_EQUAL(errno, EADDRINUSE);
	CHECK(!second);
	CHECK_EQUAL(sap_peer(sock, &at, &length), SAP_ERR_UNCONNECTED);
	CHECK_EQUAL(sap_accept(sock), SAP_ERR_AGAIN);
	CHECK_EQUAL(sap_send(sock, data, 1), SAP_ERR_UNCONNECTED);
	CHECK_EQUAL(sap_send(sock, data, sizeof(data)), SAP_ERR_TOO_LONG);
	CHECK_EQUAL(sap_send_head(sock, data, 1, 2, 0), SAP_ERR_ARGUMENT);
	CHECK_EQUAL(sap_send_head(sock, data, 1, 1, 2), SAP_ERR_ARGUMENT);
	CHECK_EQUAL(sap_fin(sock), SAP_ERR_UNCONNECTED);
	CHECK_EQUAL(sap_flush(sock), SAP_OK);
	CHECK_EQUAL(sap_set_mode(sock, (enum sap_mode)2), SAP_ERR_ARGUMENT);
	CHECK_EQUAL(sap_set_timeout(sock, -2), SAP_ERR_ARGUMENT);
	sap_close(sock);
	sap_close(NULL);
}

/* The kernel's buffer is full: what was taken stays and goes out later, nothing more is taken meanwhile. */
static void full_kernel(void)
{
	struct sap_options options = options_of(0);
	sap_sock_t *socks[2];
	uint8_t byte = 0;

	connect_pair(socks, AF_INET, &options);
	CHECK_EQUAL(sap_set_mode(socks[0], SAP_APPROXIMATE), SAP_OK);
	refuse(3, EAGAIN);
	CHECK_EQUAL(sap_send(socks[0], "1", 1), 1);
	CHECK_EQUAL(sap_poll_events(socks[0]), POLLIN | POLLOUT);
	CHECK_EQUAL(sap_next_timeout_ns(socks[0]), -1);
	CHECK(!(sap_ready(socks[0]) & (SAP_WRITABLE | SAP_FLUSHED)));
	CHECK_EQUAL(sap_send(socks[0], "2", 1), SAP_ERR_AGAIN); /* tries twice: before and after it looks */
	CHECK_EQUAL(refusals, 0);
	CHECK_EQUAL(sap_send(socks[0], "2", 1), 1);
	CHECK_EQUAL(sap_poll_events(socks[0]), POLLIN);
	for (char expected = '1'; expected <= '2'; expected++) {
		work_until(socks, 1, SAP_READABLE);
		CHECK_EQUAL(sap_recv(socks[1], &byte, 1, NULL), 1);
		CHECK_EQUAL(byte, expected);
	}
	CHECK_EQUAL(sap_set_timeout(socks[0], SAP_WAIT_FOREVER), SAP_OK);
	refuse(10, EAGAIN);
	CHECK_EQUAL(sap_send(socks[0], "3", 1), 1);
	CHECK_EQUAL(sap_send(socks[0], "4", 1), 1); /* waits for room */
	CHECK_EQUAL(refusals, 0);
	close_pair(socks);
}

/* Errors of sending: those that mean a lost datagram do not count as errors; others do, and leave the socket usable. */
static void errors_of_sending(void)
{
	struct sap_options options = options_of(0);
	struct sap_stats stats;
	sap_sock_t *socks[2];
	uint8_t byte;

	options.rto_ms = 5;
	connect_pair(socks, AF_INET, &options);
	refuse(1, ECONNREFUSED); /* of an earlier datagram: this one goes out at once */
	CHECK_EQUAL(sap_send(socks[0], "1", 1), 1);
	work_until(socks, 1, SAP_READABLE);
	refuse(2, ENETUNREACH); /* lost, and repeated */
	work_until(socks, 0, SAP_FLUSHED);
	CHECK_EQUAL(sap_send(socks[0], "2", 1), 1);
	work_until(socks, 0, SAP_FLUSHED);
	sap_get_stats(socks[0], &stats);
	CHECK(stats.retransmitted);
	refuse(1, EINTR);
	CHECK_EQUAL(sap_send(socks[0], "3", 1), 1);
	work_until(socks, 0, SAP_FLUSHED);
	refuse(1, EMSGSIZE);
	CHECK_EQUAL(sap_send(socks[0], "4", 1), SAP_ERR_SYSTEM);
	CHECK_EQUAL(errno, EMSGSIZE);
	work_until(socks, 0, SAP_FLUSHED); /* the timer sends it again */
	for (char expected = '1'; expected <= '4'; expected++) {
		CHECK_EQUAL(sap_recv(socks[1], &byte, 1, NULL), 1);
		CHECK_EQUAL(byte, expected);
	}
	close_pair(socks);
}

/* Nobody listens: ICMP says so at once, and is not believed; the timeout is an error. */
static void nobody(void)
{
	struct sap_options options = options_of(30);
	struct sockaddr_storage at;
	sap_sock_t *sock;
	socklen_t length;

	sock = listening(&at, &length, AF_INET, NULL);
	sap_close(sock); /* its port is free now */
	options.rto_ms = 5;
	CHECK_EQUAL(sap_connect(&sock, (struct sockaddr *)&at, length, &options), SAP_ERR_TIMEDOUT);
	CHECK(!sock);
	options.give_up_ms = 20;
	CHECK_EQUAL(sap_connect(&sock, (struct sockaddr *)&at, length, &options), SAP_ERR_UNREACHED);
}

/* A pair that is connected for both ends, and owes each other nothing; or the error of one that gave up. */
static int greeted_pair(sap_sock_t *socks[2], const struct sap_options *options)
{
	int result = connected_pair(socks, AF_INET, options);
	uint8_t byte = 1;

	if (result == SAP_OK)
		result = sap_send(socks[1], &byte, 1) == 1 ? SAP_OK : SAP_ERR_UNREACHED;
	if (result == SAP_OK)
		result = worked_until(socks, 0, SAP_READABLE);
	if (result == SAP_OK)
		result = sap_recv(socks[0], &byte, 1, NULL) == 1 ? SAP_OK : SAP_ERR_UNREACHED;
	return result == SAP_OK ? worked_until(socks, 1, SAP_FLUSHED) : result;
}

/* A peer that goes away without FIN. */
static void gone(void)
{
	struct sap_options options = options_of(0);
	sap_sock_t *socks[2];
	uint8_t byte = 1;
	int result;

	options.give_up_ms = 30;
	options.rto_ms = 10;
	/* that holds while they connect, too: on a busy machine the answer may come later */
	while ((result = greeted_pair(socks, &options)) == SAP_ERR_UNREACHED)
		close_pair(socks);
	CHECK_EQUAL(result, SAP_OK);
	sap_close(socks[1]);
	CHECK_EQUAL(sap_set_timeout(socks[0], 20), SAP_OK);
	CHECK_EQUAL(sap_recv(socks[0], &byte, 1, NULL), SAP_ERR_TIMEDOUT);
	CHECK_EQUAL(sap_send(socks[0], &byte, 1), 1);
	CHECK_EQUAL(sap_set_timeout(socks[0], SAP_WAIT_FOREVER), SAP_OK);
	CHECK_EQUAL(sap_flush(socks[0]), SAP_ERR_UNREACHED);
	CHECK_EQUAL(sap_send(socks[0], &byte, 1), SAP_ERR_UNREACHED);
	CHECK_EQUAL(sap_recv(socks[0], &byte, 1, NULL), SAP_ERR_UNREACHED);
	CHECK(sap_ready(socks[0]) & SAP_FAILED);
	sap_close(socks[0]);
}

enum { MESSAGES = 2000 };

static void *receive_all(void *argument)
{
	sap_sock_t *const sock = argument;
	struct sap_message message;
	uint32_t data[256], next = 0;
	ssize_t length;

	CHECK_EQUAL(sap_accept(sock), SAP_OK);
	while ((length = sap_recv(sock, data, sizeof(data), &message)) >= 0) {
		CHECK_EQUAL(length, sizeof(data));
		if (message.guaranteed)
			CHECK_EQUAL(data[0], next++);
	}
	CHECK_EQUAL(length, SAP_ERR_END);
	CHECK_EQUAL(next, MESSAGES);
	sap_close(sock);
	return NULL;
}

/* A sender and a receiver that wait, each in its thread; modes change all the time. */
static void threads(enum sap_control control)
{
	struct sap_options options = options_of(SAP_WAIT_FOREVER);
	struct sockaddr_storage at;
	sap_sock_t *listener, *sock;
	uint32_t data[256] = { 0 };
	socklen_t length;
	pthread_t thread;

	options.control = control;
	options.linger_ms = 20;
	listener = listening(&at, &length, AF_INET, &options);
	CHECK(pthread_create(&thread, NULL, receive_all, listener) == 0);
	CHECK_EQUAL(sap_connect(&sock, (struct sockaddr *)&at, length, &options), SAP_OK);
	for (uint32_t i = 0; i < MESSAGES; i++) {
		data[0] = i;
		CHECK_EQUAL(sap_set_mode(sock, SAP_PRECISE), SAP_OK);
		CHECK_EQUAL(sap_send(sock, data, sizeof(data)), sizeof(data));
		CHECK_EQUAL(sap_set_mode(sock, SAP_APPROXIMATE), SAP_OK);
		CHECK_EQUAL(sap_send(sock, data, sizeof(data)), sizeof(data));
	}
	CHECK_EQUAL(sap_fin(sock), SAP_OK);
	CHECK(pthread_join(thread, NULL) == 0);
	sap_close(sock);
}

static void threads_stop_and_wait(void)
{
	threads(SAP_STOP_AND_WAIT);
}

static void threads_window(void)
{
	threads(SAP_WINDOW);
}

static void errors_have_words(void)
{
	for (int error = SAP_ERR_SYSTEM; error <= SAP_OK; error++)
		CHECK(strcmp(sap_strerror(error), sap_strerror(1)) != 0);
}

const struct test socket_tests[] = {
	TEST(ipv4),
	TEST(ipv6),
	TEST(window),
	TEST(coverage),
	TEST(strangers),
	TEST(the_token_decides),
	TEST(the_peer_is_expected_ipv4),
	TEST(the_peer_is_expected_ipv6),
	TEST(refused),
	TEST(full_kernel),
	TEST(errors_of_sending),
	TEST(nobody),
	TEST(gone),
	TEST(threads_stop_and_wait),
	TEST(threads_window),
	TEST(errors_have_words),
	END_OF_TESTS,
};
