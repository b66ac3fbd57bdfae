/* SPDX-License-Identifier: MIT */
#include "rules.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail.h"
#include "segment.h"

#ifndef RULES_RUN
#define RULES_RUN "/run" /* where only root can put a lock */
#endif

/* Let nft read these rules, as one transaction. */
static bool applied(const char *rules)
{
	int ends[2], status;
	size_t length = strlen(rules);
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return false;
	child = fork();
	if (!child) {
		dup2(ends[0], STDIN_FILENO);
		execlp("nft", "nft", "-f", "-", (char *)NULL);
		_exit(127);
	}
	close(ends[0]);
	if (child > 0 && write(ends[1], rules, length) != (ssize_t)length)
		length = 0; /* nft says what it lacks */
	close(ends[1]);
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* Append to a text. */
__attribute__((format(printf, 3, 4))) static void add(char *text, size_t room, const char *format, ...)
{
	size_t length = strlen(text);
	va_list words;

	va_start(words, format);
	vsnprintf(text + length, room - length, format, words);
	va_end(words);
}

int rules_stop(uint16_t queue)
{
	char rules[512] = "";
	pid_t child;

	add(rules, sizeof(rules),
	    "flush chain inet a3 ours\ntable inet a3 { chain ours {\n"
	    "tcp flags & syn == syn jump begins\n"
	    "ip saddr . tcp sport . ip daddr . tcp dport @changed4 queue to %u\n"
	    "ip6 saddr . tcp sport . ip6 daddr . tcp dport @changed6 queue to %u\n} }\n",
	    queue + 1, queue + 1);
	child = fork();
	if (!child)
		_exit(!applied(rules));
	return child > 0 ? pidfd_open(child, 0) : -1;
}

bool rules_stopped(int child)
{
	siginfo_t about = { .si_pid = 0 };

	return waitid(P_PIDFD, (id_t)child, &about, WEXITED | WNOHANG) || about.si_pid;
}

/* Whether another program of this node has a queue. */
static bool others_queue(uint16_t queue)
{
	FILE *queues = fopen("/proc/self/net/netfilter/nfnetlink_queue", "re");
	bool found = false;
	char line[256];

	while (queues && fgets(line, sizeof(line), queues)) {
		unsigned long number = strtoul(line, NULL, 10);

		found |= number != queue && number != queue + 1ul;
	}
	if (queues)
		fclose(queues);
	return found;
}

void rules_remove(uint16_t queue)
{
	applied(others_queue(queue) ? "flush table inet a3\n" : "table inet a3 {}\ndelete table inet a3\n");
}

/* A batch of messages to nf_tables, which is one transaction. */
struct batch {
	_Alignas(8) uint8_t bytes[1024];
	size_t length;
	uint32_t sequence;
};

static size_t aligned(size_t bytes)
{
	return (bytes + NLA_ALIGNTO - 1) & ~(size_t)(NLA_ALIGNTO - 1);
}

static struct nlmsghdr *begin_message(struct batch *batch, uint16_t type, uint16_t flags, uint8_t family, uint16_t resource)
{
	struct nlmsghdr *head = (struct nlmsghdr *)(batch->bytes + batch->length);
	struct nfgenmsg *message = NLMSG_DATA(head);

	head->nlmsg_len = NLMSG_LENGTH(sizeof(*message));
	head->nlmsg_type = type;
	head->nlmsg_flags = NLM_F_REQUEST | flags;
	head->nlmsg_seq = ++batch->sequence;
	message->nfgen_family = family;
	message->version = NFNETLINK_V0;
	message->res_id = htons(resource);
	return head;
}

/* Begin an attribute; what is put until end_attribute() is in it. */
static struct nlattr *begin_attribute(struct nlmsghdr *head, uint16_t type)
{
	struct nlattr *attribute = (struct nlattr *)((uint8_t *)head + head->nlmsg_len);

	attribute->nla_type = type;
	head->nlmsg_len += (uint32_t)sizeof(*attribute);
	return attribute;
}

static void put_bytes(struct nlmsghdr *head, const void *bytes, size_t length)
{
	memcpy((uint8_t *)head + head->nlmsg_len, bytes, length);
	head->nlmsg_len += (uint32_t)length;
}

static void end_attribute(struct nlmsghdr *head, struct nlattr *attribute)
{
	attribute->nla_len = (uint16_t)((uint8_t *)head + head->nlmsg_len - (uint8_t *)attribute);
	head->nlmsg_len = (uint32_t)aligned(head->nlmsg_len);
}

static void put_text(struct nlmsghdr *head, uint16_t type, const char *text)
{
	struct nlattr *attribute = begin_attribute(head, type);

	put_bytes(head, text, strlen(text) + 1);
	end_attribute(head, attribute);
}

/* An address and a port, each in whole words. */
static void put_end(struct nlmsghdr *head, uint8_t version, const struct segment_end *end)
{
	const uint16_t port[2] = { htons(end->port), 0 };

	put_bytes(head, end->address, version == 4 ? 4 : 16);
	put_bytes(head, port, sizeof(port));
}

static void put_element(struct nlmsghdr *head, uint8_t version, const struct segment_end *from, const struct segment_end *to)
{
	struct nlattr *element = begin_attribute(head, NFTA_LIST_ELEM | NLA_F_NESTED);
	struct nlattr *key = begin_attribute(head, NFTA_SET_ELEM_KEY | NLA_F_NESTED);
	struct nlattr *value = begin_attribute(head, NFTA_DATA_VALUE);

	put_end(head, version, from);
	put_end(head, version, to);
	end_attribute(head, value);
	end_attribute(head, key);
	end_attribute(head, element);
}

/* Send a batch, and wait until it is done. */
static bool done(const struct batch *batch)
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	_Alignas(8) uint8_t answer[2048];
	const struct nlmsghdr *head = (const struct nlmsghdr *)answer;
	bool good = false;

	if (netlink >= 0 && sendto(netlink, batch->bytes, batch->length, 0, (const struct sockaddr *)&kernel,
				   sizeof(kernel)) == (ssize_t)batch->length &&
	    recv(netlink, answer, sizeof(answer), 0) >= (ssize_t)NLMSG_LENGTH(sizeof(struct nlmsgerr)) &&
	    head->nlmsg_type == NLMSG_ERROR) {
		errno = -((const struct nlmsgerr *)NLMSG_DATA(head))->error;
		good = !errno;
	}
	if (netlink >= 0)
		close(netlink);
	return good;
}

bool rules_change(uint8_t version, const struct segment_end *client, const struct segment_end *server, bool on)
{
	struct batch batch = { .length = 0 };
	struct nlmsghdr *head = begin_message(&batch, NFNL_MSG_BATCH_BEGIN, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES);
	struct nlattr *list;

	batch.length += NLMSG_ALIGN(head->nlmsg_len);
	head = begin_message(&batch, (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | (on ? NFT_MSG_NEWSETELEM : NFT_MSG_DELSETELEM)),
			     (uint16_t)(NLM_F_ACK | (on ? NLM_F_CREATE : 0)), NFPROTO_INET, 0);
	put_text(head, NFTA_SET_ELEM_LIST_TABLE, "a3");
	put_text(head, NFTA_SET_ELEM_LIST_SET, version == 4 ? "changed4" : "changed6");
	list = begin_attribute(head, NFTA_SET_ELEM_LIST_ELEMENTS | NLA_F_NESTED);
	put_element(head, version, client, server);
	put_element(head, version, server, client);
	end_attribute(head, list);
	batch.length += NLMSG_ALIGN(head->nlmsg_len);
	head = begin_message(&batch, NFNL_MSG_BATCH_END, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES);
	batch.length += NLMSG_ALIGN(head->nlmsg_len);
	return done(&batch);
}

/* Whether a message of a dump has an element of a set. */
static bool has_element(const struct nlmsghdr *head)
{
	const uint8_t *bytes = (const uint8_t *)NLMSG_DATA(head) + NLMSG_ALIGN(sizeof(struct nfgenmsg));
	size_t left = head->nlmsg_len - NLMSG_LENGTH(sizeof(struct nfgenmsg));

	while (left >= sizeof(struct nlattr)) {
		const struct nlattr *one = (const struct nlattr *)bytes;
		size_t step = aligned(one->nla_len);

		if ((one->nla_type & NLA_TYPE_MASK) == NFTA_SET_ELEM_LIST_ELEMENTS && one->nla_len > sizeof(*one))
			return true;
		if (!step || step >= left)
			break;
		bytes += step;
		left -= step;
	}
	return false;
}

/* Read a dump to its end. Whether it has no element; false also if it has failed. */
static bool is_empty(int netlink)
{
	_Alignas(8) uint8_t answer[1 << 15];
	bool empty = true;
	ssize_t length;

	while ((length = recv(netlink, answer, sizeof(answer), 0)) >= (ssize_t)NLMSG_HDRLEN) {
		size_t at = 0;

		while (at + NLMSG_HDRLEN <= (size_t)length) {
			const struct nlmsghdr *head = (const struct nlmsghdr *)(answer + at);

			if (head->nlmsg_type == NLMSG_DONE)
				return empty;
			if (head->nlmsg_type == NLMSG_ERROR) /* there may be no such table */
				return head->nlmsg_len >= NLMSG_LENGTH(sizeof(struct nlmsgerr)) &&
				       ((const struct nlmsgerr *)NLMSG_DATA(head))->error == -ENOENT;
			if (head->nlmsg_len < NLMSG_LENGTH(sizeof(struct nfgenmsg)) ||
			    head->nlmsg_len > (size_t)length - at)
				return false;
			empty &= !has_element(head);
			at += NLMSG_ALIGN(head->nlmsg_len);
		}
	}
	return false;
}

/* Begin to ask for elements of a set. */
static struct nlmsghdr *begin_question(struct batch *request, const char *set, uint16_t flags)
{
	struct nlmsghdr *head = begin_message(request, NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETSETELEM, flags, NFPROTO_INET, 0);

	put_text(head, NFTA_SET_ELEM_LIST_TABLE, "a3");
	put_text(head, NFTA_SET_ELEM_LIST_SET, set);
	return head;
}

/* Ask, and whether the answer is of this kind. */
static bool is_answered(const struct nlmsghdr *question, bool (*how)(int netlink))
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	bool good = netlink >= 0 &&
		    sendto(netlink, question, question->nlmsg_len, 0, (const struct sockaddr *)&kernel, sizeof(kernel)) ==
			    (ssize_t)question->nlmsg_len &&
		    how(netlink);

	if (netlink >= 0)
		close(netlink);
	return good;
}

bool rules_left(void)
{
	static const char *const sets[] = { "changed4", "changed6" };
	bool empty = true;

	/* nft cannot list the table: it aborts at the rule for protocol 253 */
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		struct batch request = { .length = 0 };

		empty &= is_answered(begin_question(&request, sets[i], NLM_F_DUMP), is_empty);
	}
	return !empty;
}

/* Whether an answer has an element. */
static bool has_one(int netlink)
{
	_Alignas(8) uint8_t answer[2048];
	const struct nlmsghdr *head = (const struct nlmsghdr *)answer;
	ssize_t length = recv(netlink, answer, sizeof(answer), 0);

	return length >= (ssize_t)NLMSG_LENGTH(sizeof(struct nfgenmsg)) && head->nlmsg_type != NLMSG_ERROR &&
	       head->nlmsg_len <= (size_t)length && has_element(head);
}

/* Whether the rules that are there are of an a3d like this one. */
static bool is_owned_by(uint32_t own)
{
	struct batch request = { .length = 0 };
	struct nlmsghdr *head = begin_question(&request, "owner", 0);
	struct nlattr *list = begin_attribute(head, NFTA_SET_ELEM_LIST_ELEMENTS | NLA_F_NESTED);
	struct nlattr *element = begin_attribute(head, NFTA_LIST_ELEM | NLA_F_NESTED);
	struct nlattr *key = begin_attribute(head, NFTA_SET_ELEM_KEY | NLA_F_NESTED);
	struct nlattr *value = begin_attribute(head, NFTA_DATA_VALUE);

	put_bytes(head, &own, sizeof(own));
	end_attribute(head, value);
	end_attribute(head, key);
	end_attribute(head, element);
	end_attribute(head, list);
	return is_answered(head, has_one);
}

/* FNV-1a. */
uint32_t rules_identity(const struct rules_owner *owner)
{
	struct stat about = { .st_ino = 0 };
	uint64_t words[] = { owner->queue, owner->hook, 0, 0, owner->side };
	uint32_t hash = 2166136261;

	if (owner->folder && !stat(owner->folder, &about)) {
		words[2] = about.st_dev;
		words[3] = about.st_ino;
	}
	for (size_t i = 0; i < sizeof(words); i++)
		hash = (hash ^ ((const uint8_t *)words)[i]) * 16777619;
	return hash;
}

void rules_alone(void)
{
	struct stat about;
	char path[64];
	int held;

	if (stat("/proc/self/ns/net", &about))
		fail_errno("/proc/self/ns/net");
	snprintf(path, sizeof(path), RULES_RUN "/a3d-%ju.lock", (uintmax_t)about.st_ino);
	held = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600); /* as long as the program runs */
	if (held < 0)
		fail_errno(path);
	if (flock(held, LOCK_EX | LOCK_NB))
		refuse("another a3d serves this node; end it first");
}

void rules_make(const struct rules_owner *owner, const uint16_t *ports, size_t count, bool experiments, uint16_t monitor)
{
	const uint16_t queue = owner->queue;
	const enum rules_hook hook = owner->hook;
	const uint32_t own = rules_identity(owner);
	char list[256] = "", rules[4096] = "";
	static const struct {
		const char *name, *past;
		enum rules_hook hook;
	} chains[] = {
		{ "forward", "", RULES_FORWARD },
		{ "input", "iifname \"lo\" accept;", RULES_HOST },
		{ "output", "oifname \"lo\" accept;", RULES_HOST },
	};

	if (rules_left() && !is_owned_by(own))
		refuse("an a3d with another --side, --queue, --hook or --ib has left connections that it has changed: start that one, or "
		       "give them up by 'nft delete table inet a3'");
	for (size_t i = 0; i < count; i++)
		add(list, sizeof(list), "%s%u", i ? ", " : "", ports[i]);
	add(rules, sizeof(rules),
	    "table inet a3 {\n"
	    "set changed4 { type ipv4_addr . inet_service . ipv4_addr . inet_service; }\n"
	    "set changed6 { type ipv6_addr . inet_service . ipv6_addr . inet_service; }\n"
	    "set owner { type mark; }\n"
	    "chain begins { }\n"
	    "chain ours { }\n");
	for (size_t i = 0; i < sizeof(chains) / sizeof(*chains); i++)
		add(rules, sizeof(rules), "chain %s { type filter hook %s priority filter; }\n", chains[i].name,
		    chains[i].name);
	add(rules, sizeof(rules),
	    "}\nflush table inet a3\nflush set inet a3 owner\nadd element inet a3 owner { %u }\n"
	    "table inet a3 {\n",
	    own);
	/* from where its answer would not go, nobody begins a connection anew where a changed one is */
	if (hook == RULES_FORWARD)
		add(rules, sizeof(rules),
		    "chain begins {\n"
		    "ip saddr . tcp sport . ip daddr . tcp dport @changed4 fib saddr . iif oif missing drop\n"
		    "ip6 saddr . tcp sport . ip6 daddr . tcp dport @changed6 fib saddr . iif oif missing drop\n}\n"
		    "chain ours { tcp flags & syn == syn jump begins; }\n");
	add(rules, sizeof(rules),
	    "chain ours {\n"
	    "ip saddr . tcp sport . ip daddr . tcp dport @changed4 queue to %u\n"
	    "ip6 saddr . tcp sport . ip6 daddr . tcp dport @changed6 queue to %u\n"
	    "queue flags bypass to %u\n}\n",
	    queue + 1, queue + 1, queue);
	for (size_t i = 0; i < sizeof(chains) / sizeof(*chains); i++)
		if (chains[i].hook == hook)
			add(rules, sizeof(rules),
			    "chain %s { %s meta mark %u accept; tcp dport { %s } goto ours; tcp sport { %s } goto ours; }\n",
			    chains[i].name, chains[i].past, RULES_MARK, list, list);
	for (size_t i = 0; experiments && i < sizeof(chains) / sizeof(*chains); i++)
		if (chains[i].hook == hook) /* 16 bits behind IP's header: where TCP has the port, too */
			add(rules, sizeof(rules), "chain %s { meta l4proto %d @th,16,16 { %s } goto ours; }\n",
			    chains[i].name, SEGMENT_EXPERIMENT, list);
	if (monitor)
		add(rules, sizeof(rules), "chain input { iifname != \"lo\" udp dport %u fib saddr . iif oif missing drop; }\n",
		    monitor);
	add(rules, sizeof(rules), "}\n");
	if (!applied(rules))
		refuse("nft does not take the rules for the queues");
}
