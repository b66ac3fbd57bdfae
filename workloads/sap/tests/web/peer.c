/* SPDX-License-Identifier: MIT */
/*
 * Sends what a server would not: `peer PORT TOKEN WORD...` connects to a port of 127.0.0.1, with a token in hexadecimal
 * (0: none), and sends a datagram for each word, p1024 a precise one of 1024 bytes, a100 an approximate one of 100; then
 * the FIN, unless the last word is "gone"; if it is "forever", the FIN again and again. With the word "stranger" first, it is not answered for 200 ms.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "../library/check.h"
#include "sap.h"
#include "sap_core.h"

/* The last datagram. The linker has the library call this instead of sendto(). */
static uint8_t last[SAP_DATAGRAM_BYTES_MAX];
static size_t last_length;

ssize_t __real_sendto(int fd, const void *data, size_t length, int flags, const struct sockaddr *to, socklen_t to_length);
ssize_t __wrap_sendto(int fd, const void *data, size_t length, int flags, const struct sockaddr *to, socklen_t to_length);

ssize_t __wrap_sendto(int fd, const void *data, size_t length, int flags, const struct sockaddr *to, socklen_t to_length)
{
	CHECK(length <= sizeof(last));
	memcpy(last, data, length);
	last_length = length;
	return __real_sendto(fd, data, length, flags, to, to_length);
}

/* Until it is killed. */
static void repeat(int fd, const struct sockaddr_in *to)
{
	const struct timespec pause = { .tv_nsec = 50 * 1000 * 1000 };

	for (;;) {
		(void)__real_sendto(fd, last, last_length, 0, (const struct sockaddr *)to, sizeof(*to));
		nanosleep(&pause, NULL);
	}
}

int main(int argc, char **argv)
{
	static const uint8_t bytes[SAP_PAYLOAD_BYTES];
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sap_options options;
	sap_sock_t *sock;

	CHECK(argc >= 3);
	to.sin_port = htons((uint16_t)atoi(argv[1]));
	sap_options_init(&options);
	options.token = strtoull(argv[2], NULL, 16);
	if (argc > 3 && strcmp(argv[3], "stranger") == 0) {
		options.timeout_ms = 200;
		CHECK(sap_connect(&sock, (struct sockaddr *)&to, sizeof(to), &options) == SAP_ERR_TIMEDOUT);
		return 0;
	}
	CHECK(sap_connect(&sock, (struct sockaddr *)&to, sizeof(to), &options) == SAP_OK);
	for (int i = 3; i < argc; i++) {
		const size_t length = strtoul(argv[i] + 1, NULL, 10);

		if (strcmp(argv[i], "gone") == 0)
			return 0;
		if (strcmp(argv[i], "forever") == 0) {
			CHECK(sap_fin(sock) == SAP_OK);
			repeat(sap_fd(sock), &to);
		}
		CHECK(length <= sizeof(bytes));
		CHECK(sap_set_mode(sock, argv[i][0] == 'p' ? SAP_PRECISE : SAP_APPROXIMATE) == SAP_OK);
		CHECK(sap_send(sock, bytes, length) >= 0);
		CHECK(sap_flush(sock) == SAP_OK);
	}
	CHECK(sap_fin(sock) == SAP_OK);
	sap_close(sock);
	return 0;
}
