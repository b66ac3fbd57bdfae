// SPDX-License-Identifier: MIT
/*
 * follow CONTROL-SOCKET BRIDGE: makes an Open vSwitch follow a station that has changed access points.
 *
 * An access point that has associated a station sends a layer 2 update frame on its behalf: an 802.2 XID
 * response, broadcast, from the station's address (once IEEE 802.11F; mac80211 sends it), for the bridges of the
 * distribution system to learn the new way. Open vSwitch learns from it too late. It moves the address in one
 * thread, but cached flows go on pointing at the old port until its main loop turns, which nothing wakes; and
 * statistics of the station's old flow, collected every 500 ms, move the address back. Left alone it cut a
 * handed-off station off for up to 2 s.
 *
 * So this process does what IEEE 802.1D (17.11) has a bridge do when the topology changes: on every such
 * frame, it has the switch forget its cached flows, then its learned addresses. Frames are flooded until they are
 * learned again, from the station's next frame. A few later wake-ups make the main loop apply what was learned.
 *
 * Protocol: JSON-RPC on a stream (ovs-appctl(8), ovs-vswitchd(8): revalidator/purge, fdb/flush).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define WAKE_UPS 5
#define WAKE_UP_MS 20

/* 802.3 length 6, LLC: null SAPs, response bit, XID. */
static struct sock_filter update_frame[] = {
	BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 12),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 6, 0, 5),
	BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 14),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x0001, 0, 3),
	BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 16),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xaf, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, 64),
	BPF_STMT(BPF_RET | BPF_K, 0),
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int open_control(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		die(path);
	}
	strcpy(address.sun_path, path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		die(path);
	return fd;
}

static int open_listener(void)
{
	const struct sock_fprog filter = {
		.len = sizeof(update_frame) / sizeof(*update_frame),
		.filter = update_frame,
	};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) < 0)
		die("packet socket");
	return fd;
}

/* All interfaces, once the filter is in place: a frame before that is none of ours. */
static void listen_everywhere(int fd)
{
	const struct sockaddr_ll everywhere = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
	};

	if (bind(fd, (const struct sockaddr *)&everywhere, sizeof(everywhere)) < 0)
		die("packet socket");
}

static void ask(int control, const char *method, const char *argument)
{
	char text[256];
	int length = snprintf(text, sizeof(text), "{\"id\":0,\"method\":\"%s\",\"params\":[%s%s%s]}", method,
			      argument ? "\"" : "", argument ? argument : "", argument ? "\"" : "");

	if (send(control, text, length, MSG_NOSIGNAL) != length || recv(control, text, sizeof(text), 0) <= 0)
		die("ovs-vswitchd is gone");
}

int main(int argc, char **argv)
{
	struct pollfd frames = { .events = POLLIN };
	struct sockaddr_ll from;
	socklen_t from_length;
	char frame[64];
	int control, left = 0;

	if (argc != 3) {
		fprintf(stderr, "follow CONTROL-SOCKET BRIDGE\n");
		return 2;
	}
	control = open_control(argv[1]);
	frames.fd = open_listener();
	listen_everywhere(frames.fd);
	for (;;) {
		int ready = poll(&frames, 1, left ? WAKE_UP_MS : -1);

		if (ready < 0 && errno != EINTR)
			die("poll");
		if (ready == 0) {
			ask(control, "version", NULL);
			left--;
			continue;
		}
		from_length = sizeof(from);
		if (recvfrom(frames.fd, frame, sizeof(frame), 0, (struct sockaddr *)&from, &from_length) < 0)
			continue; /* an interface went down */
		if (from.sll_pkttype == PACKET_OUTGOING)
			continue; /* the switch's own copy, on its way out */
		ask(control, "revalidator/purge", NULL);
		ask(control, "fdb/flush", argv[2]);
		left = WAKE_UPS;
	}
}
