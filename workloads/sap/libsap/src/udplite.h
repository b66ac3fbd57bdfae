/* SPDX-License-Identifier: MIT */
/* System calls around UDP-Lite: the only part of the library that knows the operating system. */
#ifndef SAP_UDPLITE_H
#define SAP_UDPLITE_H

#include <sys/socket.h>

#include "sap_core.h"

struct sap_udplite {
	int fd;
	bool connected;		/* the kernel knows the peer */
	size_t covered;		/* bytes behind UDP-Lite's header that its checksum covers now; 0: all */
};

/* What became of a datagram that was to be sent or received. */
enum sap_io {
	SAP_IO_DONE,	/* sent, or lost on the way, which comes to the same; or received */
	SAP_IO_LATER,	/* would have to wait */
	SAP_IO_ERROR,	/* errno */
};

/* Opens a socket for addresses of this family, which does not wait. False: errno. */
bool sap_udplite_open(struct sap_udplite *udplite, int family);

/* False: errno. */
bool sap_udplite_bind(struct sap_udplite *udplite, const struct sockaddr *at, socklen_t length);
bool sap_udplite_connect(struct sap_udplite *udplite, const struct sockaddr *to, socklen_t length);

enum sap_io sap_udplite_send(struct sap_udplite *udplite, const uint8_t *datagram, const struct sap_output *out);

/* *length may be more than size: then the rest of the datagram is gone. */
enum sap_io sap_udplite_receive(struct sap_udplite *udplite, uint8_t *datagram, size_t size, size_t *length,
				struct sap_address *from);

/* Addresses as bytes: family's length tells IPv4 (4 of address, 2 of port) from IPv6 (16, 2, and 4 of scope). */
bool sap_address_pack(struct sap_address *address, const struct sockaddr_storage *from);
socklen_t sap_address_unpack(const struct sap_address *address, struct sockaddr_storage *to);

/* CLOCK_MONOTONIC. */
uint64_t sap_now_ns(void);

/* Bytes that nobody can guess. False: errno. */
bool sap_random(uint8_t *bytes, size_t length);

#endif
