/* SPDX-License-Identifier: MIT */
#include "raw.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "fail.h"
#include "rules.h"

static int opened(int family)
{
	const uint32_t mark = RULES_MARK;
	int one = socket(family, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW), yes = 1;

	if (one < 0 || setsockopt(one, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)) ||
	    (family == AF_INET6 && setsockopt(one, IPPROTO_IPV6, IPV6_HDRINCL, &yes, sizeof(yes))))
		fail_errno("no socket for pure ACKs");
	return one;
}

struct raw raw_open(void)
{
	return (struct raw){ .ipv4 = opened(AF_INET), .ipv6 = opened(AF_INET6) };
}

/* Add where a message comes from and leaves. */
static void put_origin(struct msghdr *message, int level, int type, const void *origin, size_t bytes)
{
	struct cmsghdr *head = CMSG_FIRSTHDR(message);

	head->cmsg_level = level;
	head->cmsg_type = type;
	head->cmsg_len = CMSG_LEN(bytes);
	memcpy(CMSG_DATA(head), origin, bytes);
	message->msg_controllen = CMSG_SPACE(bytes);
}

bool raw_send(const struct raw *raw, const struct segment *segment, uint32_t seq, uint32_t interface)
{
	struct sockaddr_in to4 = { .sin_family = AF_INET };
	struct sockaddr_in6 to6 = { .sin6_family = AF_INET6 };
	struct in_pktinfo from4 = { .ipi_ifindex = (int)interface };
	struct in6_pktinfo from6 = { .ipi6_ifindex = interface };
	_Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(sizeof(from6))] = { 0 };
	uint8_t packet[SEGMENT_PURE_MAX];
	struct iovec bytes = { packet, segment_pure_ack(packet, segment, seq) };
	struct msghdr message = {
		.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
	};

	if (segment->version == 4) {
		memcpy(&to4.sin_addr, segment->to.address, sizeof(to4.sin_addr));
		memcpy(&from4.ipi_spec_dst, segment->from.address, sizeof(from4.ipi_spec_dst));
		message.msg_name = &to4;
		message.msg_namelen = sizeof(to4);
		put_origin(&message, IPPROTO_IP, IP_PKTINFO, &from4, sizeof(from4));
		return sendmsg(raw->ipv4, &message, MSG_DONTWAIT) >= 0;
	}
	memcpy(&to6.sin6_addr, segment->to.address, sizeof(to6.sin6_addr));
	memcpy(&from6.ipi6_addr, segment->from.address, sizeof(from6.ipi6_addr));
	message.msg_name = &to6;
	message.msg_namelen = sizeof(to6);
	put_origin(&message, IPPROTO_IPV6, IPV6_PKTINFO, &from6, sizeof(from6));
	return sendmsg(raw->ipv6, &message, MSG_DONTWAIT) >= 0;
}
