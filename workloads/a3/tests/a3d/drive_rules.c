/* SPDX-License-Identifier: MIT */
/*
 * Rules of nftables, without a kernel that has them: nft is what is first in PATH, and no set has an element.
 *
 *	drive_rules identity SIDE QUEUE HOOK FOLDER	by what an a3d is known as the next one; FOLDER - : none
 *	drive_rules make HOOK
 *	drive_rules stop
 *	drive_rules remove QUEUES			what the kernel says of queues
 *	drive_rules alone				it says so, and holds the node until its input ends
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rules.h"

enum {
	QUEUE = 9100,
};

static char *queues;

FILE *__wrap_fopen(const char *path, const char *mode);
int __wrap_socket(int domain, int type, int protocol);
ssize_t __wrap_sendto(int socket, const void *bytes, size_t length, int flags, const struct sockaddr *to, socklen_t room);
ssize_t __wrap_recv(int socket, void *bytes, size_t room, int flags);

FILE *__wrap_fopen(const char *path, const char *mode)
{
	(void)mode;
	return strcmp(path, "/proc/self/net/netfilter/nfnetlink_queue") ? NULL : fmemopen(queues, strlen(queues), "r");
}

int __wrap_socket(int domain, int type, int protocol)
{
	(void)domain;
	(void)type;
	(void)protocol;
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

ssize_t __wrap_sendto(int socket, const void *bytes, size_t length, int flags, const struct sockaddr *to, socklen_t room)
{
	(void)socket;
	(void)bytes;
	(void)flags;
	(void)to;
	(void)room;
	return (ssize_t)length;
}

/* There is no such table. */
ssize_t __wrap_recv(int socket, void *bytes, size_t room, int flags)
{
	const size_t length = NLMSG_LENGTH(sizeof(struct nlmsgerr));
	struct nlmsghdr *head = bytes;

	(void)socket;
	(void)flags;
	if (room < length)
		exit(3);
	memset(bytes, 0, length);
	head->nlmsg_len = (uint32_t)length;
	head->nlmsg_type = NLMSG_ERROR;
	((struct nlmsgerr *)NLMSG_DATA(head))->error = -ENOENT;
	return (ssize_t)length;
}

int main(int argc, char **argv)
{
	static const uint16_t ports[] = { 80 };
	struct rules_owner owner = { .queue = QUEUE };
	int child;

	if (argc == 6 && !strcmp(argv[1], "identity")) {
		owner = (struct rules_owner){ .side = (unsigned int)atoi(argv[2]),
					      .queue = (uint16_t)atoi(argv[3]),
					      .hook = (enum rules_hook)atoi(argv[4]),
					      .folder = strcmp(argv[5], "-") ? argv[5] : NULL };
		printf("%" PRIu32 "\n", rules_identity(&owner));
	} else if (argc == 3 && !strcmp(argv[1], "make")) {
		owner.hook = (enum rules_hook)atoi(argv[2]);
		rules_make(&owner, ports, 1, false, 0);
	} else if (argc == 2 && !strcmp(argv[1], "stop")) {
		child = rules_stop(QUEUE);
		while (child >= 0 && !rules_stopped(child))
			;
	} else if (argc == 3 && !strcmp(argv[1], "remove")) {
		queues = argv[2];
		rules_remove(QUEUE);
	} else if (argc == 2 && !strcmp(argv[1], "alone")) {
		rules_alone();
		puts("alone");
		fflush(stdout);
		while (getchar() != EOF)
			;
	} else {
		return 2;
	}
	return 0;
}
