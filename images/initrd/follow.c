// SPDX-License-Identifier: MIT
/*
 * follow switch CONTROL-SOCKET BRIDGE: makes an Open vSwitch follow a station that has changed access points.
 * follow access-point CONTROL-SOCKET PORTS: makes an access point drop a station that has moved to another one.
 *
 * An access point that has associated a station sends a layer 2 update frame on its behalf: an 802.2 XID
 * response, broadcast, from the station's address (from IEEE 802.11F; mac80211 sends it), so that the bridges of
 * the distribution system learn the new path.
 *
 * Open vSwitch learns from it too late. One thread moves the address, but cached flows still point to the old port
 * until the main loop runs, which nothing wakes; and statistics of the station's old flow, collected every 500 ms,
 * move the address back. Without help, a handed-off station was cut off for up to 2 s. So on every such frame this
 * process does what IEEE 802.1D (17.11) requires of a bridge on a topology change: it makes the switch flush its
 * cached flows, then its learned addresses. Frames are flooded until the addresses are learned again from the
 * station's next frame. A few later wake-ups make the main loop apply what was learned.
 *
 * hostapd ignores the frame. The old access point would keep sending queued frames to the station, at ever lower
 * rates, and respond late when the station comes back. IEEE 802.11F removes the station on such a frame; so does
 * this process, for frames from the wired ports (whose names start with PORTS), without sending anything on the air.
 *
 * Protocols: JSON-RPC over a stream (ovs-appctl(8), ovs-vswitchd(8): revalidator/purge, fdb/flush); hostapd's
 * control interface, one datagram per command and one per reply.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
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

static struct sockaddr_un unix_address(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		die(path);
	}
	strcpy(address.sun_path, path);
	return address;
}

static int open_control(const char *path, int type)
{
	struct sockaddr_un address = unix_address(path);
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	/* hostapd answers to an address: let the kernel choose one */
	sa_family_t unnamed = AF_UNIX;

	if (fd < 0 || (type == SOCK_DGRAM && bind(fd, (struct sockaddr *)&unnamed, sizeof(unnamed)) < 0) ||
	    connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
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

/* All interfaces, once the filter is in place: a frame before that does not concern us. */
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

/* The next layer 2 update frame that came in: its interface. 0: none of ours; -1: none within timeout_ms. */
static int next_frame(int fd, unsigned char *frame, size_t size, int timeout_ms)
{
	struct pollfd frames = { .fd = fd, .events = POLLIN };
	struct sockaddr_ll from;
	socklen_t from_length = sizeof(from);
	int ready = poll(&frames, 1, timeout_ms);

	if (ready < 0 && errno != EINTR)
		die("poll");
	if (ready <= 0)
		return ready ? 0 : -1;
	if (recvfrom(fd, frame, size, 0, (struct sockaddr *)&from, &from_length) < ETH_HLEN)
		return 0; /* an interface went down */
	return from.sll_pkttype == PACKET_OUTGOING ? 0 : from.sll_ifindex; /* not our own copies, on their way out */
}

static void follow_with_switch(int frames, const char *path, const char *bridge)
{
	int control = open_control(path, SOCK_STREAM), left = 0;
	unsigned char frame[64];

	listen_everywhere(frames);
	for (;;) {
		int interface = next_frame(frames, frame, sizeof(frame), left ? WAKE_UP_MS : -1);

		if (interface > 0) {
			ask(control, "revalidator/purge", NULL);
			ask(control, "fdb/flush", bridge);
			left = WAKE_UPS;
		} else if (interface < 0) {
			ask(control, "version", NULL);
			left--;
		}
	}
}

static void let_go(int control, const unsigned char *station)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "DISASSOCIATE %02x:%02x:%02x:%02x:%02x:%02x tx=0", station[0], station[1],
			      station[2], station[3], station[4], station[5]);

	if (send(control, text, length, MSG_NOSIGNAL) != length || recv(control, text, sizeof(text), 0) <= 0)
		die("hostapd is gone");
}

static void follow_with_access_point(int frames, const char *path, const char *ports)
{
	int control = open_control(path, SOCK_DGRAM), interface;
	unsigned char frame[64];
	char name[IF_NAMESIZE];

	listen_everywhere(frames);
	for (;;) {
		interface = next_frame(frames, frame, sizeof(frame), -1);
		if (interface > 0 && if_indextoname(interface, name) && strncmp(name, ports, strlen(ports)) == 0)
			let_go(control, frame + ETH_ALEN);
	}
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "switch") == 0)
		follow_with_switch(open_listener(), argv[2], argv[3]);
	if (argc == 4 && strcmp(argv[1], "access-point") == 0)
		follow_with_access_point(open_listener(), argv[2], argv[3]);
	fprintf(stderr, "follow switch CONTROL-SOCKET BRIDGE\nfollow access-point CONTROL-SOCKET PORTS\n");
	return 2;
}
