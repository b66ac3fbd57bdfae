/* SPDX-License-Identifier: MIT */
#include "queue.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "fail.h"

#ifndef SOL_NETLINK
#define SOL_NETLINK 270
#endif

enum {
	BATCH = 64, /* messages */
	BATCHES_MOST = 1 << 20, /* bytes of their buffers */
	MESSAGE_MORE = 1024, /* bytes of a message beyond those of the packet */
	WAITING = 8192, /* packets in a queue */
	SOCKET_BYTES = 32 << 20,
	QUEUES = 2,
};

struct queue {
	int netlink;
	uint16_t number;
	size_t room; /* bytes of each message */
	unsigned int batch, received, at; /* messages: most, there, read */
	size_t read; /* bytes of message `at` */
	int other; /* queue_watch(); -1: nothing */
	unsigned int held[QUEUES]; /* packets without a verdict */
	bool accepted[QUEUES]; /* packets up to `last` are to be accepted */
	uint32_t last[QUEUES];
	struct mmsghdr headers[BATCH];
	struct iovec parts[BATCH];
	struct sockaddr_nl from[BATCH];
	uint8_t *bytes;
};

/* A request to nfnetlink_queue. */
struct request {
	_Alignas(8) uint8_t bytes[256 + QUEUE_CHANGED];
};

static size_t aligned(size_t bytes)
{
	return (bytes + NLA_ALIGNTO - 1) & ~(size_t)(NLA_ALIGNTO - 1);
}

static struct nlmsghdr *begin(struct request *request, uint16_t type, uint16_t flags, uint16_t number)
{
	struct nlmsghdr *head = (struct nlmsghdr *)request->bytes;
	struct nfgenmsg *message = NLMSG_DATA(head);

	memset(request, 0, sizeof(*request) - QUEUE_CHANGED);
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
	attribute->nla_len = (uint16_t)(sizeof(*attribute) + bytes);
	memcpy(attribute + 1, value, bytes);
	head->nlmsg_len += (uint32_t)aligned(attribute->nla_len);
}

static void put32(struct nlmsghdr *head, uint16_t type, uint32_t value)
{
	value = htonl(value);
	put(head, type, &value, sizeof(value));
}

static void send_request(const struct queue *queue, const struct nlmsghdr *head, const char *what)
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	if (sendto(queue->netlink, head, head->nlmsg_len, 0, (const struct sockaddr *)&kernel, sizeof(kernel)) < 0)
		fail_errno(what);
}

/* Send a request, and wait for the kernel's answer. */
static void ask(const struct queue *queue, const struct nlmsghdr *head, const char *what)
{
	struct request answer;
	const struct nlmsghdr *got = (const struct nlmsghdr *)answer.bytes;
	ssize_t bytes;

	send_request(queue, head, what);
	bytes = recv(queue->netlink, answer.bytes, sizeof(answer.bytes), 0);
	if (bytes < 0)
		fail_errno(what);
	if ((size_t)bytes < NLMSG_LENGTH(sizeof(struct nlmsgerr)) || got->nlmsg_type != NLMSG_ERROR)
		refuse("%s: not an answer", what);
	errno = -((const struct nlmsgerr *)NLMSG_DATA(got))->error;
	if (errno)
		fail_errno(what);
}

static void configure(const struct queue *queue, uint16_t number, uint32_t bytes)
{
	const struct nfqnl_msg_config_cmd bind = { .command = NFQNL_CFG_CMD_BIND };
	const struct nfqnl_msg_config_params copy = { .copy_range = htonl(bytes), .copy_mode = NFQNL_COPY_PACKET };
	/*
	 * Segments that the kernel has joined stay so. A full queue drops what comes, and TCP repeats it: with
	 * NFQA_CFG_F_FAIL_OPEN, it would overtake those that wait, and leave gaps in what is seen here.
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

/* Buffers for a batch: fewer of them if packets are long. */
static void make_room(struct queue *queue, uint32_t bytes)
{
	queue->room = aligned(bytes + MESSAGE_MORE);
	queue->batch = BATCHES_MOST / queue->room < BATCH ? BATCHES_MOST / (unsigned int)queue->room : BATCH;
	queue->bytes = malloc(queue->batch * queue->room);
	if (!queue->bytes)
		fail_errno("no memory");
	for (unsigned int i = 0; i < queue->batch; i++) {
		queue->parts[i] = (struct iovec){ queue->bytes + i * queue->room, queue->room };
		queue->headers[i].msg_hdr = (struct msghdr){ .msg_iov = &queue->parts[i],
							     .msg_iovlen = 1,
							     .msg_name = &queue->from[i],
							     .msg_namelen = sizeof(queue->from[i]) };
	}
}

struct queue *queue_open(uint16_t number, uint32_t bytes)
{
	const struct sockaddr_nl own = { .nl_family = AF_NETLINK };
	const int yes = 1, room = SOCKET_BYTES;
	struct queue *queue = calloc(1, sizeof(*queue));

	if (!queue)
		fail_errno("no memory");
	queue->number = number;
	queue->other = -1;
	queue->netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	if (queue->netlink < 0 || bind(queue->netlink, (const struct sockaddr *)&own, sizeof(own)))
		fail_errno("no netlink");
	configure(queue, number, bytes);
	configure(queue, (uint16_t)(number + 1), bytes);
	/* packets whose messages find no room are dropped, and that is all there is to it */
	setsockopt(queue->netlink, SOL_NETLINK, NETLINK_NO_ENOBUFS, &yes, sizeof(yes));
	if (setsockopt(queue->netlink, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		setsockopt(queue->netlink, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	make_room(queue, bytes);
	return queue;
}

bool queue_receive(struct queue *queue, const struct timespec *most)
{
	struct pollfd waits[] = { { .fd = queue->netlink, .events = POLLIN }, { .fd = queue->other, .events = POLLIN } };
	int received;

	queue->at = queue->received = 0;
	queue->read = 0;
	/* system calls are what a packet costs most of: without a limit, one is enough */
	if ((most || queue->other >= 0) && (ppoll(waits, 2, most, NULL) <= 0 || !waits[0].revents))
		return false;
	received = recvmmsg(queue->netlink, queue->headers, queue->batch, MSG_WAITFORONE, NULL);
	if (received < 0 && errno != EAGAIN && errno != EINTR && errno != ENOBUFS)
		fail_errno("the queue");
	if (received > 0)
		queue->received = (unsigned int)received;
	return received > 0;
}

/* Read the attributes of a packet. False: it has no header, so no verdict can be given. */
static bool read_packet(struct queue_packet *packet, const uint8_t *attributes, size_t left)
{
	bool known = false;
	uint32_t length = 0, info = 0;

	packet->bytes = NULL;
	packet->length = 0;
	while (left >= sizeof(struct nlattr)) {
		const struct nlattr *one = (const struct nlattr *)attributes;
		const uint8_t *value = attributes + sizeof(*one);
		size_t step = aligned(one->nla_len), bytes = one->nla_len - sizeof(*one);
		unsigned int type = one->nla_type & (unsigned int)NLA_TYPE_MASK;

		if (one->nla_len < sizeof(*one) || one->nla_len > left)
			break;
		if (type == NFQA_PACKET_HDR && bytes >= sizeof(struct nfqnl_msg_packet_hdr)) {
			memcpy(&packet->id, value + offsetof(struct nfqnl_msg_packet_hdr, packet_id), sizeof(packet->id));
			known = true;
		} else if (type == NFQA_PAYLOAD) {
			packet->bytes = value;
			packet->length = bytes;
		} else if (type == NFQA_CAP_LEN && bytes == sizeof(length)) {
			memcpy(&length, value, sizeof(length)); /* of the packet, if it was cut */
		} else if (type == NFQA_SKB_INFO && bytes == sizeof(info)) {
			memcpy(&info, value, sizeof(info));
		}
		if (step >= left)
			break;
		attributes += step;
		left -= step;
	}
	packet->size = length ? ntohl(length) : packet->length;
	packet->left_to_card = ntohl(info) & NFQA_SKB_CSUMNOTREADY;
	return known;
}

/* Read the next message of a buffer. */
static bool read_message(struct queue *queue, const uint8_t *bytes, size_t left, struct queue_packet *packet)
{
	const struct nlmsghdr *head = (const struct nlmsghdr *)bytes;
	const struct nfgenmsg *message = NLMSG_DATA(head);

	if (left < NLMSG_LENGTH(sizeof(*message)) || head->nlmsg_len < NLMSG_LENGTH(sizeof(*message)) ||
	    head->nlmsg_len > left) {
		queue->read += left;
		return false;
	}
	queue->read += NLMSG_ALIGN(head->nlmsg_len);
	packet->queue = ntohs(message->res_id);
	return head->nlmsg_type == (NFNL_SUBSYS_QUEUE << 8 | NFQNL_MSG_PACKET) &&
	       read_packet(packet, bytes + NLMSG_LENGTH(sizeof(*message)),
			   head->nlmsg_len - NLMSG_LENGTH(sizeof(*message)));
}

bool queue_next(struct queue *queue, struct queue_packet *packet)
{
	while (queue->at < queue->received) {
		const uint8_t *bytes = queue->parts[queue->at].iov_base;
		size_t length = queue->headers[queue->at].msg_len;

		if (queue->from[queue->at].nl_pid || queue->read >= length) { /* not from the kernel, or at its end */
			queue->at++;
			queue->read = 0;
		} else if (read_message(queue, bytes + queue->read, length - queue->read, packet)) {
			return true;
		}
	}
	return false;
}

/* bytes: the packet is to have these; NULL: its own. */
static void verdict(const struct queue *queue, uint16_t type, uint16_t number, uint32_t id, uint32_t what,
		    const uint8_t *bytes, size_t length)
{
	const struct nfqnl_msg_verdict_hdr value = { .verdict = htonl(what), .id = id };
	struct request request;
	struct nlmsghdr *head = begin(&request, type, 0, number);

	put(head, NFQA_VERDICT_HDR, &value, sizeof(value));
	if (bytes)
		put(head, NFQA_PAYLOAD, bytes, (uint16_t)length);
	send_request(queue, head, "a verdict");
}

/* Accept what was to be accepted of a queue, 0 or 1. */
static void flush(struct queue *queue, unsigned int which)
{
	if (queue->accepted[which])
		verdict(queue, NFQNL_MSG_VERDICT_BATCH, (uint16_t)(queue->number + which), queue->last[which], NF_ACCEPT,
			NULL, 0);
	queue->accepted[which] = false;
}

void queue_flush(struct queue *queue)
{
	for (unsigned int which = 0; which < QUEUES; which++)
		flush(queue, which);
}

void queue_accept(struct queue *queue, const struct queue_packet *packet)
{
	unsigned int which = packet->queue != queue->number;

	if (queue->held[which]) { /* a batch would accept them, too */
		verdict(queue, NFQNL_MSG_VERDICT, packet->queue, packet->id, NF_ACCEPT, NULL, 0);
		return;
	}
	queue->accepted[which] = true;
	queue->last[which] = packet->id;
}

void queue_drop(struct queue *queue, const struct queue_packet *packet)
{
	flush(queue, packet->queue != queue->number); /* a batch would accept this one, too */
	verdict(queue, NFQNL_MSG_VERDICT, packet->queue, packet->id, NF_DROP, NULL, 0);
}

void queue_change(struct queue *queue, const struct queue_packet *packet, const uint8_t *bytes, size_t length)
{
	flush(queue, packet->queue != queue->number);
	verdict(queue, NFQNL_MSG_VERDICT, packet->queue, packet->id, NF_ACCEPT, bytes, length);
}

void queue_hold(struct queue *queue, const struct queue_packet *packet)
{
	unsigned int which = packet->queue != queue->number;

	flush(queue, which);
	queue->held[which]++;
}

void queue_release(struct queue *queue, uint32_t id, uint16_t number, bool passes)
{
	queue->held[number != queue->number]--;
	verdict(queue, NFQNL_MSG_VERDICT, number, id, passes ? NF_ACCEPT : NF_DROP, NULL, 0);
}

void queue_watch(struct queue *queue, int other)
{
	queue->other = other;
}
