/* SPDX-License-Identifier: MIT */
#include "listen.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "monitor.h"

int listen_open(uint16_t port)
{
	const struct sockaddr_in6 own = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	int one = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), no = 0;

	if (one >= 0 && !setsockopt(one, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no)) &&
	    !bind(one, (const struct sockaddr *)&own, sizeof(own)))
		return one;
	if (one >= 0)
		close(one);
	return -1;
}

void listen_take(int socket, unsigned int most, listen_handler handler, void *context)
{
	uint8_t bytes[MONITOR_LONGEST + 1], address[16];
	struct sockaddr_in6 from;
	socklen_t room = sizeof(from);
	ssize_t length;

	for (; most; most--, room = sizeof(from)) {
		length = recvfrom(socket, bytes, sizeof(bytes), 0, (struct sockaddr *)&from, &room);
		if (length < 0)
			return;
		memcpy(address, &from.sin6_addr, sizeof(address));
		if (IN6_IS_ADDR_V4MAPPED(&from.sin6_addr)) {
			memset(address, 0, sizeof(address));
			memcpy(address, (const uint8_t *)&from.sin6_addr + 12, 4);
		}
		handler(context, address, bytes, (size_t)length);
	}
}
