/* SPDX-License-Identifier: MIT */
#include "queue.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fail.h"

#ifndef SOL_NETLINK
#define SOL_NETLINK 270
#endif

enum {
	HEADERS = 256, /* bytes of each packet: those of IP and TCP, with all options */
	WAITING = 4096, /* packets in the queue */
	SOCKET_BYTES = 8 << 20,
};

/* the kernel's NLA_HDRLEN and NLA_ALIGN mix signs */
#define ATTRIBUTE_HEADER sizeof(struct nlattr)

static size_t aligned(size_t bytes)
{
	return (bytes + NLA_ALIGNTO - 1) & ~(size_t)(NLA_ALIGNTO - 1);
}

/* A request to nfnetlink_queue. */
struct request {
	_Alignas(8) uint8_t bytes[256];
};

static struct nlmsghdr *begin(struct request *request, uint16_t type, uint16_t flags, uint16_t number)
{
	struct nlmsghdr *head = (struct nlmsghdr *)request->bytes;
	struct nfgenmsg *message = NLMSG_DATA(head);

	memset(request, 0, sizeof(*request));
	head->nlmsg_len = NLMSG_LENGTH(sizeof(*message));
	head->nlmsg_type = (uint16_t)(NFNL_SUBSYS_QUEUE << 8 | type);
	head->nlmsg_flags = NLM_F_REQUEST | flags;
	message->version = NFNETLINK_V0;
	message->res_id = htons(number);
	return head;
}

static void put(struct nlmsghdr *head, uint16_t type, const void *value, uint16_t bytes)
{
	struct nlattr *attribute = (struct nlattr *)((uint8_t *)head + head->nlmsg_len);

	attribute->nla_type = type;
	attribute->nla_len = (uint16_t)(ATTRIBUTE_HEADER + bytes);
	memcpy((uint8_t *)attribute + ATTRIBUTE_HEADER, value, bytes);
	head->nlmsg_len += (uint32_t)aligned(attribute->nla_len);
}

static void put32(struct nlmsghdr *head, uint16_t type, uint32_t value)
{
	value = htonl(value);
	put(head, type, &value, sizeof(value));
}

static bool sent(int queue, const struct nlmsghdr *head)
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	return sendto(queue, head, head->nlmsg_len, 0, (const struct sockaddr *)&kernel, sizeof(kernel)) >= 0;
}

/* Send a request, and wait for the kernel's answer. */
static void ask(int queue, const struct nlmsghdr *head, const char *what)
{
	struct request answer;
	const struct nlmsghdr *got = (const struct nlmsghdr *)answer.bytes;
	ssize_t bytes;

	if (!sent(queue, head))
		fail_errno(what);
	bytes = recv(queue, answer.bytes, sizeof(answer.bytes), 0);
	if (bytes < 0)
		fail_errno(what);
	if ((size_t)bytes < NLMSG_LENGTH(sizeof(struct nlmsgerr)) || got->nlmsg_type != NLMSG_ERROR)
		refuse("%s: an answer that is not one", what);
	errno = -((const struct nlmsgerr *)NLMSG_DATA(got))->error;
	if (errno)
		fail_errno(what);
}

static void configure(int queue, uint16_t number)
{
	const struct nfqnl_msg_config_cmd bind = { .command = NFQNL_CFG_CMD_BIND };
	const struct nfqnl_msg_config_params copy = { .copy_range = htonl(HEADERS), .copy_mode = NFQNL_COPY_PACKET };
	/*
	 * Segments that the kernel has joined stay so. Without NFQA_CFG_F_FAIL_OPEN, a full queue drops what comes, and TCP
	 * repeats it: let past, it would overtake those that wait, and its acknowledgements would not be known here.
	 */
	const uint32_t flags = NFQA_CFG_F_GSO;
	struct request request;
	struct nlmsghdr *head = begin(&request, NFQNL_MSG_CONFIG, NLM_F_ACK, number);

	put(head, NFQA_CFG_CMD, &bind, sizeof(bind));
	ask(queue, head, "cannot serve the queue");
	head = begin(&request, NFQNL_MSG_CONFIG, NLM_F_ACK, number);
	put(head, NFQA_CFG_PARAMS, &copy, sizeof(copy));
	put32(head, NFQA_CFG_QUEUE_MAXLEN, WAITING);
	put32(head, NFQA_CFG_FLAGS, flags);
	put32(head, NFQA_CFG_MASK, flags);
	ask(queue, head, "cannot configure the queue");
}

int queue_open(uint16_t number)
{
	const struct sockaddr_nl own = { .nl_family = AF_NETLINK };
	const int yes = 1, bytes = SOCKET_BYTES;
	int queue = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);

	if (queue < 0 || bind(queue, (const struct sockaddr *)&own, sizeof(own)))
		fail_errno("no netlink");
	configure(queue, number);
	/* do not report messages that found no room: their packets are dropped, as by a full queue */
	setsockopt(queue, SOL_NETLINK, NETLINK_NO_ENOBUFS, &yes, sizeof(yes));
	if (setsockopt(queue, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(queue, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	return queue;
}

bool queue_receive(int queue, struct queue_messages *messages)
{
	struct sockaddr_nl from = { 0 };
	socklen_t size = sizeof(from);
	ssize_t bytes = recvfrom(queue, messages->bytes, sizeof(messages->bytes), MSG_DONTWAIT,
				 (struct sockaddr *)&from, &size);

	messages->at = messages->length = 0;
	if (bytes < 0 && errno != EAGAIN && errno != EINTR && errno != ENOBUFS)
		fail_errno("the queue");
	if (bytes <= 0 || from.nl_pid) /* nothing, or not from the kernel */
		return false;
	messages->length = (size_t)bytes;
	return true;
}

/* Read the attributes of a packet. False: it has no header, so no verdict can be given. */
static bool read_packet(struct queue_packet *packet, const uint8_t *attributes, size_t left)
{
	bool known = false;

	packet->interface = 0;
	packet->bytes = NULL;
	packet->length = 0;
	while (left >= ATTRIBUTE_HEADER) {
		const struct nlattr *one = (const struct nlattr *)attributes;
		const uint8_t *value = attributes + ATTRIBUTE_HEADER;
		size_t step = aligned(one->nla_len);

		if (one->nla_len < ATTRIBUTE_HEADER || one->nla_len > left)
			break;
		if ((one->nla_type & NLA_TYPE_MASK) == NFQA_PACKET_HDR &&
		    one->nla_len >= ATTRIBUTE_HEADER + sizeof(struct nfqnl_msg_packet_hdr)) {
			struct nfqnl_msg_packet_hdr header;

			memcpy(&header, value, sizeof(header));
			packet->id = header.packet_id;
			packet->sending = header.hook == NF_INET_LOCAL_OUT;
			known = true;
		} else if ((one->nla_type & NLA_TYPE_MASK) == NFQA_IFINDEX_OUTDEV &&
			   one->nla_len == ATTRIBUTE_HEADER + sizeof(packet->interface)) {
			memcpy(&packet->interface, value, sizeof(packet->interface));
			packet->interface = ntohl(packet->interface);
		} else if ((one->nla_type & NLA_TYPE_MASK) == NFQA_PAYLOAD) {
			packet->bytes = value;
			packet->length = one->nla_len - ATTRIBUTE_HEADER;
		}
		if (step > left)
			break;
		attributes += step;
		left -= step;
	}
	return known;
}

bool queue_next(struct queue_messages *messages, struct queue_packet *packet)
{
	while (messages->length - messages->at >= sizeof(struct nlmsghdr)) {
		const struct nlmsghdr *head = (const struct nlmsghdr *)(messages->bytes + messages->at);
		size_t left = messages->length - messages->at, length = head->nlmsg_len, step = NLMSG_ALIGN(length);

		if (length < NLMSG_LENGTH(sizeof(struct nfgenmsg)) || length > left)
			break;
		messages->at += step < left ? step : left;
		if (head->nlmsg_type == (NFNL_SUBSYS_QUEUE << 8 | NFQNL_MSG_PACKET) &&
		    read_packet(packet, (const uint8_t *)head + NLMSG_LENGTH(sizeof(struct nfgenmsg)),
				length - NLMSG_LENGTH(sizeof(struct nfgenmsg))))
			return true;
	}
	return false;
}

void queue_verdict(int queue, uint16_t number, const struct queue_packet *packet, bool accept)
{
	const struct nfqnl_msg_verdict_hdr verdict = { .verdict = htonl(accept ? NF_ACCEPT : NF_DROP),
						       .id = packet->id };
	struct request request;
	struct nlmsghdr *head = begin(&request, NFQNL_MSG_VERDICT, 0, number);

	put(head, NFQA_VERDICT_HDR, &verdict, sizeof(verdict));
	if (!sent(queue, head))
		fail_errno("a verdict");
}
