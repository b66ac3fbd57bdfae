/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* getrandom */
#include "udplite.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "clock.h"

/* From linux/socket.h and linux/udp.h; the C library's headers lack them. */
enum {
	LEVEL_UDPLITE = 136,
	OPTION_SEND_COVERAGE = 10,	/* UDPLITE_SEND_CSCOV */
	OPTION_RECEIVE_COVERAGE = 11,	/* UDPLITE_RECV_CSCOV */
	UDPLITE_HEADER_BYTES = 8,	/* included in the coverage of both options */
};

bool sap_udplite_open(struct sap_udplite *udplite, int family)
{
	const int coverage_min = UDPLITE_HEADER_BYTES + SAP_HEADER_BYTES, on = 1;

	*udplite = (struct sap_udplite){
		.fd = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_UDPLITE),
	};
	if (udplite->fd < 0)
		return false;
	/* let the kernel drop datagrams whose SAP header is not covered; libsap never sends such */
	if (setsockopt(udplite->fd, LEVEL_UDPLITE, OPTION_RECEIVE_COVERAGE, &coverage_min, sizeof(coverage_min)) == 0 &&
	    (family != AF_INET6 || setsockopt(udplite->fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) == 0))
		return true;
	close(udplite->fd);
	udplite->fd = -1;
	return false;
}

bool sap_udplite_bind(struct sap_udplite *udplite, const struct sockaddr *at, socklen_t length)
{
	return bind(udplite->fd, at, length) == 0;
}

bool sap_udplite_connect(struct sap_udplite *udplite, const struct sockaddr *to, socklen_t length)
{
	udplite->connected = connect(udplite->fd, to, length) == 0;
	return udplite->connected;
}

/* Errors treated as loss of the datagram. Some belong to an earlier one and were reported by ICMP. */
static bool is_soft(int error)
{
	switch (error) {
	case ECONNREFUSED:
	case EHOSTUNREACH:
	case EHOSTDOWN:
	case ENETUNREACH:
	case ENETDOWN:
	case ENOBUFS:
	case ENOMEM:
	case ENOPROTOOPT:
	case EPROTO:
		return true;
	}
	return false;
}

static bool set_coverage(struct sap_udplite *udplite, const struct sap_output *out)
{
	const size_t covered = out->precise < out->length ? out->precise : 0;
	const int coverage = covered ? (int)covered + UDPLITE_HEADER_BYTES : 0;

	if (covered != udplite->covered &&
	    setsockopt(udplite->fd, LEVEL_UDPLITE, OPTION_SEND_COVERAGE, &coverage, sizeof(coverage)) != 0)
		return false;
	udplite->covered = covered;
	return true;
}

enum sap_io sap_udplite_send(struct sap_udplite *udplite, const uint8_t *datagram, const struct sap_output *out)
{
	struct sockaddr_storage to;
	const socklen_t length = sap_address_unpack(&out->to, &to);
	ssize_t sent;
	bool may_retry = true;

	if (!set_coverage(udplite, out))
		return SAP_IO_ERROR;
	for (;;) {
		sent = sendto(udplite->fd, datagram, out->length, MSG_NOSIGNAL,
			      udplite->connected ? NULL : (struct sockaddr *)&to, udplite->connected ? 0 : length);
		if (sent >= 0)
			return SAP_IO_DONE;
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			return SAP_IO_LATER;
		if (errno == EINTR)
			continue;
		/* the kernel reports a pending error of an earlier datagram once instead of sending this one: retry */
		if (!is_soft(errno))
			return SAP_IO_ERROR;
		if (!may_retry)
			return SAP_IO_DONE;
		may_retry = false;
	}
}

enum sap_io sap_udplite_receive(struct sap_udplite *udplite, uint8_t *datagram, size_t size, size_t *length,
				struct sap_address *from)
{
	struct sockaddr_storage address;
	socklen_t address_length;
	ssize_t received;

	for (;;) {
		memset(&address, 0, sizeof(address));
		address_length = sizeof(address);
		received = recvfrom(udplite->fd, datagram, size, MSG_TRUNC, (struct sockaddr *)&address,
				    &address_length);
		if (received >= 0 && sap_address_pack(from, &address)) {
			*length = (size_t)received;
			return SAP_IO_DONE;
		}
		if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return SAP_IO_LATER;
		if (received < 0 && errno != EINTR && !is_soft(errno))
			return SAP_IO_ERROR;
	}
}

bool sap_address_pack(struct sap_address *address, const struct sockaddr_storage *from)
{
	const struct sockaddr_in *const in = (const struct sockaddr_in *)from;
	const struct sockaddr_in6 *const in6 = (const struct sockaddr_in6 *)from;

	*address = (struct sap_address){ 0 };
	switch (from->ss_family) {
	case AF_INET:
		memcpy(address->bytes, &in->sin_addr, 4);
		memcpy(address->bytes + 4, &in->sin_port, 2);
		address->length = 6;
		return true;
	case AF_INET6:
		memcpy(address->bytes, &in6->sin6_addr, 16);
		/* other addresses have no meaningful scope, and the kernel may or may not set it */
		if (IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr))
			memcpy(address->bytes + 16, &in6->sin6_scope_id, 4);
		memcpy(address->bytes + 20, &in6->sin6_port, 2);
		address->length = 22;
		return true;
	}
	return false;
}

bool sap_address_pack_expected(struct sap_address *address, const struct sockaddr *from)
{
	struct sockaddr_storage copy = { 0 };
	in_port_t port;

	memcpy(&copy, from, from->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in));
	if (!sap_address_pack(address, &copy))
		return false;
	memcpy(&port, address->bytes + address->length - sizeof(port), sizeof(port));
	if (!port)
		address->length = (uint8_t)(address->length - sizeof(port));
	return true;
}

socklen_t sap_address_unpack(const struct sap_address *address, struct sockaddr_storage *to)
{
	struct sockaddr_in *const in = (struct sockaddr_in *)to;
	struct sockaddr_in6 *const in6 = (struct sockaddr_in6 *)to;

	memset(to, 0, sizeof(*to));
	switch (address->length) {
	case 6:
		in->sin_family = AF_INET;
		memcpy(&in->sin_addr, address->bytes, 4);
		memcpy(&in->sin_port, address->bytes + 4, 2);
		return sizeof(*in);
	case 22:
		in6->sin6_family = AF_INET6;
		memcpy(&in6->sin6_addr, address->bytes, 16);
		memcpy(&in6->sin6_scope_id, address->bytes + 16, 4);
		memcpy(&in6->sin6_port, address->bytes + 20, 2);
		return sizeof(*in6);
	}
	return 0;
}

uint64_t sap_now_ns(void)
{
	return (uint64_t)sap_clock_ns(CLOCK_MONOTONIC);
}

bool sap_random(uint8_t *bytes, size_t length)
{
	ssize_t got;

	do /* requests of up to 256 bytes are never partial once the generator is initialized */
		got = getrandom(bytes, length, 0);
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)length;
}
