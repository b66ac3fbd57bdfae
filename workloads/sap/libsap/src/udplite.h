/* SPDX-License-Identifier: MIT */
/* System calls for UDP-Lite: with socket.c, the only part of the library that depends on the operating system. */
#ifndef SAP_UDPLITE_H
#define SAP_UDPLITE_H

#include <sys/socket.h>

#include "sap_core.h"

struct sap_udplite {
	int fd;
	bool connected;		/* connect() has succeeded */
	size_t covered;		/* current checksum coverage of the payload in bytes; 0: all */
};

/* Result of sending or receiving a datagram. */
enum sap_io {
	SAP_IO_DONE,	/* received or sent (perhaps lost) */
	SAP_IO_LATER,	/* the call would block */
	SAP_IO_ERROR,	/* see errno */
};

/* Opens a non-blocking socket for this address family. Returns false and sets errno on error. */
bool sap_udplite_open(struct sap_udplite *udplite, int family);

/* Return false and set errno on error. */
bool sap_udplite_bind(struct sap_udplite *udplite, const struct sockaddr *at, socklen_t length);
bool sap_udplite_connect(struct sap_udplite *udplite, const struct sockaddr *to, socklen_t length);

enum sap_io sap_udplite_send(struct sap_udplite *udplite, const uint8_t *datagram, const struct sap_output *out);

/* *length may exceed size: then the datagram was truncated. */
enum sap_io sap_udplite_receive(struct sap_udplite *udplite, uint8_t *datagram, size_t size, size_t *length,
				struct sap_address *from);

/* Convert addresses to bytes and back: IPv4 is address (4), port (2); IPv6 is address (16), scope (4), port (2). */
bool sap_address_pack(struct sap_address *address, const struct sockaddr_storage *from);
/* The same without the port if that is 0: how the address of an expected peer begins. */
bool sap_address_pack_expected(struct sap_address *address, const struct sockaddr *from);
socklen_t sap_address_unpack(const struct sap_address *address, struct sockaddr_storage *to);

/* Returns the time of CLOCK_MONOTONIC. */
uint64_t sap_now_ns(void);

/* Fills in unpredictable random bytes. Returns false and sets errno on error. */
bool sap_random(uint8_t *bytes, size_t length);

#endif
