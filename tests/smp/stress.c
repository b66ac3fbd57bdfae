// SPDX-License-Identifier: MIT
/*
 * The first program of a kernel with several processors: radios of an ad hoc network, on a medium and another one
 * that comes and goes. Their frames are sent and received, their settings and links change, they go up and down, get onto
 * a medium and off it, are made and removed, all at once from all processors, with every attribute that the medium takes.
 * It reports how much of each was done, and what kmemleak found.
 *
 * Some requests are refused because of what another process does at the same time; only the kernel's log says whether
 * anything is wrong.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/nl80211.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "hwsim_medium_uapi.h"

#define RADIOS 6	/* mac80211_hwsim.radios= */
#define STEADY 3	/* of them, always up */
#define MEDIUM 1
#define OTHER_MEDIUM 2	/* comes and goes */
#define FADINGS 2	/* tables of a medium */
#define MARK 1		/* of packets that may be tried once */
#define FREQ_MHZ 2437
#define KMEMLEAK "/sys/kernel/debug/kmemleak"
#define ANY (-1)

/* of mac80211_hwsim.h, which is not an exported header */
enum {
	CMD_NEW_RADIO = 4, CMD_DEL_RADIO = 5,
	ATTR_CHANNELS = 9, ATTR_RADIO_ID = 10, ATTR_STREAMS = 30, ATTR_DSSS_ONLY = 31,
};

enum count {
	SENT, RECEIVED, SET, LINKED, FAULTED, REPLACED, APPENDED, LIMITED, DUMPED, WENT_UP, WENT_DOWN, ADDED, REMOVED, MADE,
	DELETED, OPENED, CLOSED, NUM_COUNTS,
};

static const char *const names[NUM_COUNTS] = {
	"sent", "received", "set", "linked", "faulted", "replaced", "appended", "limited", "dumped", "went up", "went down",
	"added", "removed", "made", "deleted", "opened", "closed",
};

static unsigned long *counts;	/* shared by all processes */
static unsigned int dice;	/* of this process */
static int nl = -1;		/* of this process */
static int medium_family, hwsim_family, nl80211_family;

struct request {
	union {
		struct nlmsghdr header;
		char bytes[16384];
	};
};

static unsigned int draw(unsigned int less_than)
{
	dice = dice * 1664525 + 1013904223;
	return (dice >> 8) % less_than;
}

static void begin(struct request *r, int family, int cmd, int flags)
{
	struct genlmsghdr *genl = NLMSG_DATA(&r->header);

	memset(&r->header, 0, NLMSG_LENGTH(GENL_HDRLEN));
	r->header.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	r->header.nlmsg_type = family;
	r->header.nlmsg_flags = NLM_F_REQUEST | flags;
	genl->cmd = cmd;
	genl->version = 1;
}

static struct nlattr *put(struct request *r, int type, const void *data, size_t length)
{
	struct nlattr *attr = (void *)(r->bytes + NLMSG_ALIGN(r->header.nlmsg_len));

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + length;
	memcpy((char *)attr + NLA_HDRLEN, data, length);
	r->header.nlmsg_len = NLMSG_ALIGN(r->header.nlmsg_len) + NLA_ALIGN(attr->nla_len);
	return attr;
}

static void put_u32(struct request *r, int type, __u32 value)
{
	put(r, type, &value, sizeof(value));
}

static void put_u64(struct request *r, int type, __u64 value)
{
	put(r, type, &value, sizeof(value));
}

static void put_u8(struct request *r, int type, __u8 value)
{
	put(r, type, &value, sizeof(value));
}

static struct nlattr *nest(struct request *r, int type)
{
	return put(r, type | NLA_F_NESTED, "", 0);
}

static void end(struct request *r, struct nlattr *attr)
{
	attr->nla_len = r->bytes + r->header.nlmsg_len - (char *)attr;
}

/* Send a request, and read what comes up to the acknowledgement: 0 or an error number; the last answer is in @r. */
static int ask(struct request *r)
{
	static unsigned int serial;
	static char bytes[65536];
	struct nlmsghdr *header;
	ssize_t length;

	if (nl < 0) {
		nl = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
		serial = getpid() << 16;
	}
	r->header.nlmsg_seq = ++serial;
	if (!(r->header.nlmsg_flags & NLM_F_DUMP))
		r->header.nlmsg_flags |= NLM_F_ACK;
	if (send(nl, r, r->header.nlmsg_len, 0) < 0)
		return errno;
	for (;;) {
		length = recv(nl, bytes, sizeof(bytes), 0);
		if (length < 0)
			return errno;
		for (header = (void *)bytes; NLMSG_OK(header, length); header = NLMSG_NEXT(header, length)) {
			if (header->nlmsg_type == NLMSG_ERROR || header->nlmsg_type == NLMSG_DONE)
				return -*(int *)NLMSG_DATA(header);
			if (header->nlmsg_len <= sizeof(*r))
				memcpy(r, header, header->nlmsg_len);
		}
	}
}

static void fail(const char *what, int error)
{
	printf("stress: failed: %s: %s\n", what, strerror(error));
	reboot(RB_AUTOBOOT);
}

static void must(const char *what, int error)
{
	if (error)
		fail(what, error);
}

static int family(const char *name)
{
	struct request r;
	struct nlattr *attr;
	char *at;

	begin(&r, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	put(&r, CTRL_ATTR_FAMILY_NAME, name, strlen(name) + 1);
	must(name, ask(&r));
	for (at = r.bytes + NLMSG_LENGTH(GENL_HDRLEN); at < r.bytes + r.header.nlmsg_len; at += NLA_ALIGN(attr->nla_len)) {
		attr = (void *)at;
		if (attr->nla_type == CTRL_ATTR_FAMILY_ID)
			return *(__u16 *)(at + NLA_HDRLEN);
	}
	fail(name, ENOENT);
	return 0;
}

static const char *interface(int radio)
{
	static char name[IFNAMSIZ];

	snprintf(name, sizeof(name), "wlan%d", radio);
	return name;
}

static int set_up(const char *name, bool up)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {};
	int error = 0;

	strcpy(request.ifr_name, name);
	request.ifr_flags = up ? IFF_UP : 0;
	if (ioctl(fd, SIOCSIFFLAGS, &request))
		error = errno;
	else
		counts[up ? WENT_UP : WENT_DOWN]++;
	close(fd);
	return error;
}

static int make_ad_hoc(int radio)
{
	struct request r;

	begin(&r, nl80211_family, NL80211_CMD_SET_INTERFACE, 0);
	put_u32(&r, NL80211_ATTR_IFINDEX, if_nametoindex(interface(radio)));
	put_u32(&r, NL80211_ATTR_IFTYPE, NL80211_IFTYPE_ADHOC);
	return ask(&r);
}

static int join(int radio)
{
	struct request r;

	begin(&r, nl80211_family, NL80211_CMD_JOIN_IBSS, 0);
	put_u32(&r, NL80211_ATTR_IFINDEX, if_nametoindex(interface(radio)));
	put(&r, NL80211_ATTR_SSID, "stress", 6);
	put_u32(&r, NL80211_ATTR_WIPHY_FREQ, FREQ_MHZ);
	put_u32(&r, NL80211_ATTR_CHANNEL_WIDTH, NL80211_CHAN_WIDTH_20);
	put_u32(&r, NL80211_ATTR_CENTER_FREQ1, FREQ_MHZ);
	put(&r, NL80211_ATTR_FREQ_FIXED, "", 0);
	put(&r, NL80211_ATTR_MAC, "\x02\x11\x22\x33\x44\x55", ETH_ALEN);
	return ask(&r);
}

static void put_rate(struct request *r)
{
	struct nlattr *rate = nest(r, HWSIM_MEDIUM_ATTR_RATE);
	int phy = draw(4);

	if (draw(2)) {
		put_u8(r, HWSIM_MEDIUM_RATE_ATTR_PHY, phy);
		put_u8(r, HWSIM_MEDIUM_RATE_ATTR_MCS, draw(phy == HWSIM_MEDIUM_PHY_DSSS ? 4 : 8));
		if (phy == HWSIM_MEDIUM_PHY_DSSS && draw(2))
			put(r, HWSIM_MEDIUM_RATE_ATTR_SHORT_PREAMBLE, "", 0);
		if (phy == HWSIM_MEDIUM_PHY_HT || phy == HWSIM_MEDIUM_PHY_VHT) {
			put_u8(r, HWSIM_MEDIUM_RATE_ATTR_STREAMS, 1 + draw(2));
			put_u8(r, HWSIM_MEDIUM_RATE_ATTR_WIDTH, HWSIM_MEDIUM_WIDTH_20_MHZ);
			if (draw(2))
				put(r, HWSIM_MEDIUM_RATE_ATTR_SHORT_GI, "", 0);
		}
	}
	end(r, rate);
}

/* one setting of a radio */
static void put_setting(struct request *r)
{
	switch (draw(18)) {
	case 0:
		put_u32(r, HWSIM_MEDIUM_ATTR_POWER_MBM, 100 * draw(30));
		break;
	case 1:
		put_rate(r);
		break;
	case 2:
		put_u32(r, HWSIM_MEDIUM_ATTR_RETRIES, draw(20));
		break;
	case 3:
		put_u8(r, HWSIM_MEDIUM_ATTR_APPROX, draw(2));
		break;
	case 4:
		put_u32(r, HWSIM_MEDIUM_ATTR_DROP_TAIL, draw(2) ? 1 + draw(50) : 0);
		break;
	case 5:
		put_u32(r, HWSIM_MEDIUM_ATTR_LATENCY_US, draw(1000));
		break;
	case 6:
		put_u8(r, HWSIM_MEDIUM_ATTR_RETRY_APPROX, draw(2));
		break;
	case 7:
		put_u8(r, HWSIM_MEDIUM_ATTR_OLDEST_FIRST, draw(2));
		break;
	case 8:
		put_u8(r, HWSIM_MEDIUM_ATTR_MORE_DATA, draw(2));
		break;
	case 9:
		put_u32(r, HWSIM_MEDIUM_ATTR_NO_RETRY_MARK, draw(2) ? MARK : 0);
		break;
	case 10:
		put_u8(r, HWSIM_MEDIUM_ATTR_SHORT_SLOTS, draw(2));
		break;
	case 11:
		put_u32(r, HWSIM_MEDIUM_ATTR_ANSWER_DELAY_US, draw(4) ? 0 : draw(100));
		break;
	case 12:
		put_u32(r, HWSIM_MEDIUM_ATTR_ANSWER_WAIT_US, draw(200));
		break;
	case 13:
		put_u32(r, HWSIM_MEDIUM_ATTR_NOISE_MBM, -100 * (90 + (int)draw(15)));
		break;
	case 14:
		put_u32(r, HWSIM_MEDIUM_ATTR_ED_MBM, -100 * (50 + (int)draw(30)));
		break;
	case 15:
		put_u32(r, HWSIM_MEDIUM_ATTR_DETECT_OFDM_MB, 100 * draw(10));
		break;
	case 16:
		put_u32(r, HWSIM_MEDIUM_ATTR_DETECT_DSSS_MB, -100 * (int)draw(10));
		break;
	case 17:
		put_u32(r, HWSIM_MEDIUM_ATTR_MAX_PPDU_US, 100 + draw(5000));
		break;
	}
}

static int add_radio(int medium, int radio)
{
	struct request r;
	int error;

	begin(&r, medium_family, HWSIM_MEDIUM_CMD_ADD_RADIO, 0);
	put_u32(&r, HWSIM_MEDIUM_ATTR_ID, medium);
	put_u32(&r, HWSIM_MEDIUM_ATTR_RADIO, radio);
	put_u64(&r, HWSIM_MEDIUM_ATTR_STREAM, 100 + draw(100));
	if (draw(2))
		put_u32(&r, HWSIM_MEDIUM_ATTR_CLOCK_US, draw(1000000));
	if (draw(2))
		put_u32(&r, HWSIM_MEDIUM_ATTR_CLOCK_PPB, (int)draw(200000) - 100000);
	put_setting(&r);
	error = ask(&r);
	counts[ADDED] += !error;
	return error;
}

static void remove_radio(int radio)
{
	struct request r;

	begin(&r, medium_family, HWSIM_MEDIUM_CMD_REMOVE_RADIO, 0);
	put_u32(&r, HWSIM_MEDIUM_ATTR_RADIO, radio);
	counts[REMOVED] += !ask(&r);
}

static int set_curve(int medium, int curve)
{
	const __u64 hazards[] = { 1ull << 57, 1ull << 47, 1ull << 40, 0 };
	struct request r;

	begin(&r, medium_family, HWSIM_MEDIUM_CMD_SET_CURVE, 0);
	put_u32(&r, HWSIM_MEDIUM_ATTR_ID, medium);
	put_u32(&r, HWSIM_MEDIUM_ATTR_CURVE, curve);
	put_u32(&r, HWSIM_MEDIUM_ATTR_START_MB, 100 * curve);
	put_u32(&r, HWSIM_MEDIUM_ATTR_STEP_MB, 100);
	put(&r, HWSIM_MEDIUM_ATTR_HAZARDS, hazards, sizeof(hazards));
	if (draw(2))
		put_u32(&r, HWSIM_MEDIUM_ATTR_BURST, 256 * (1 + draw(10)));
	if (draw(2))
		put(&r, HWSIM_MEDIUM_ATTR_FLIPS, hazards, sizeof(hazards));
	return ask(&r);
}

static int set_fading(int medium, int table)
{
	const __s32 quantiles_mb[] = { -1000 - (int)draw(1000), -300, 0, 200 };
	struct request r;

	begin(&r, medium_family, HWSIM_MEDIUM_CMD_SET_FADING, 0);
	put_u32(&r, HWSIM_MEDIUM_ATTR_ID, medium);
	put_u32(&r, HWSIM_MEDIUM_ATTR_FADING, table);
	put(&r, HWSIM_MEDIUM_ATTR_QUANTILES, quantiles_mb, sizeof(quantiles_mb));
	return ask(&r);
}

static int new_medium(int medium)
{
	struct request r;
	int i, error;

	begin(&r, medium_family, HWSIM_MEDIUM_CMD_NEW, 0);
	put_u32(&r, HWSIM_MEDIUM_ATTR_ID, medium);
	put_u64(&r, HWSIM_MEDIUM_ATTR_SEED, 1);
	put(&r, HWSIM_MEDIUM_ATTR_MODEL, "stress", 7);
	put_u32(&r, HWSIM_MEDIUM_ATTR_CAPTURE_MB, 1000);
	error = ask(&r);
	for (i = 0; i < HWSIM_MEDIUM_NUM_CURVES && !error; i++)
		error = set_curve(medium, i);
	for (i = 1; i <= FADINGS && !error; i++)
		error = set_fading(medium, i);
	counts[OPENED] += !error;
	return error;
}

static int delete_medium(int medium)
{
	struct request r;
	int error;

	begin(&r, medium_family, HWSIM_MEDIUM_CMD_DEL, 0);
	put_u32(&r, HWSIM_MEDIUM_ATTR_ID, medium);
	error = ask(&r);
	counts[CLOSED] += !error;
	return error;
}

static void set_link(int medium, int from, int to, int gain_db)
{
	struct nlattr *link;
	struct request r;

	begin(&r, medium_family, HWSIM_MEDIUM_CMD_SET_LINKS, 0);
	put_u32(&r, HWSIM_MEDIUM_ATTR_ID, medium);
	link = nest(&r, HWSIM_MEDIUM_ATTR_LINK);
	put_u32(&r, HWSIM_MEDIUM_LINK_ATTR_FROM, from);
	put_u32(&r, HWSIM_MEDIUM_LINK_ATTR_TO, to);
	put_u32(&r, HWSIM_MEDIUM_LINK_ATTR_GAIN_MB, 100 * gain_db);
	put_u32(&r, HWSIM_MEDIUM_LINK_ATTR_DELAY_NS, draw(2) ? draw(3000) : 0);
	put_u32(&r, HWSIM_MEDIUM_LINK_ATTR_FADING, draw(1 + FADINGS));
	put_u32(&r, HWSIM_MEDIUM_LINK_ATTR_COHERENCE_US, draw(2) ? draw(10000) : 0);
	end(&r, link);
	counts[LINKED] += !ask(&r);
}

static void set_links(int medium, int from)
{
	int to;

	for (to = 0; to < RADIOS; to++) {
		if (to == from)
			continue;
		set_link(medium, from, to, -80);
		set_link(medium, to, from, -80);
	}
}

/* the address of a radio's interface */
static const char *address(int radio)
{
	static char addr[ETH_ALEN];

	memcpy(addr, (char[]){ 2, 0, 0, 0, radio, 0 }, ETH_ALEN);
	return addr;
}

/*
 * Send frames of all priorities to one and all, a few at a time: sending waits until the medium is done with others. What
 * changes the radios comes first, or a slow machine would only send. Some are UDP-Lite whose checksum covers the header.
 */
static void send_frames(void)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_halen = ETH_ALEN };
	int fd = socket(AF_PACKET, SOCK_DGRAM, htons(ETH_P_IP));
	const int waiting_bytes = 8192;
	static char payload[1400];

	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &waiting_bytes, sizeof(waiting_bytes));
	setpriority(PRIO_PROCESS, 0, 19);
	for (;;) {
		int priority = draw(8), mark = draw(2) ? MARK : 0, bytes = 46 + draw(sizeof(payload) - 46);
		struct iphdr *ip = (void *)payload;

		setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &priority, sizeof(priority));
		setsockopt(fd, SOL_SOCKET, SO_MARK, &mark, sizeof(mark));
		*ip = (struct iphdr){ .version = 4, .ihl = 5, .tot_len = htons(bytes),
				      .protocol = draw(2) ? IPPROTO_UDPLITE : IPPROTO_UDP };
		((struct udphdr *)(ip + 1))->len = htons(sizeof(struct udphdr));
		to.sll_ifindex = if_nametoindex(interface(draw(RADIOS)));
		to.sll_protocol = htons(ETH_P_IP);
		if (draw(4))
			memcpy(to.sll_addr, address(draw(RADIOS)), ETH_ALEN);
		else
			memset(to.sll_addr, 0xff, ETH_ALEN);
		if (sendto(fd, payload, bytes, 0, (void *)&to, sizeof(to)) > 0)
			__atomic_add_fetch(&counts[SENT], 1, __ATOMIC_RELAXED);
		else
			poll(NULL, 0, 1);
	}
}

static void receive_frames(void)
{
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
	static char frame[4096];
	struct sockaddr_ll from;
	socklen_t length;

	for (;;) {
		length = sizeof(from);
		if (recvfrom(fd, frame, sizeof(frame), 0, (void *)&from, &length) > 0 && from.sll_pkttype != PACKET_OUTGOING)
			counts[RECEIVED]++;
	}
}

/* Limit the transmit power of a radio, as `iw dev wlan0 set txpower` does. */
static int limit_power(int radio)
{
	struct request r;

	begin(&r, nl80211_family, NL80211_CMD_SET_WIPHY, 0);
	put_u32(&r, NL80211_ATTR_IFINDEX, if_nametoindex(interface(radio)));
	put_u32(&r, NL80211_ATTR_WIPHY_TX_POWER_SETTING, NL80211_TX_POWER_LIMITED);
	put_u32(&r, NL80211_ATTR_WIPHY_TX_POWER_LEVEL, 100 * (1 + draw(20)));
	return ask(&r);
}

static int add_fault(void)
{
	struct request r;

	begin(&r, medium_family, HWSIM_MEDIUM_CMD_ADD_FAULT, 0);
	put_u32(&r, HWSIM_MEDIUM_ATTR_ID, MEDIUM);
	put_u32(&r, HWSIM_MEDIUM_ATTR_FAULT_KIND, draw(HWSIM_MEDIUM_NUM_FRAMES));
	put_u32(&r, HWSIM_MEDIUM_ATTR_FAULT_ACTION, draw(2));
	put_u32(&r, HWSIM_MEDIUM_ATTR_FAULT_SKIP, draw(5));
	put_u32(&r, HWSIM_MEDIUM_ATTR_FAULT_COUNT, 1 + draw(5));
	if (draw(2))
		put_u32(&r, HWSIM_MEDIUM_ATTR_FAULT_FROM, draw(RADIOS));
	if (draw(2))
		put_u32(&r, HWSIM_MEDIUM_ATTR_FAULT_TO, draw(RADIOS));
	if (draw(2))
		put_u32(&r, HWSIM_MEDIUM_ATTR_FAULT_LISTENER, draw(RADIOS));
	if (draw(2))
		put_u32(&r, HWSIM_MEDIUM_ATTR_FAULT_SHARE, 1u << 31);
	return ask(&r);
}

/* Append some bytes, or none, to the answers of a radio to another. */
static int set_payload(void)
{
	static const char payload[HWSIM_MEDIUM_PAYLOAD_MAX];
	int radio = draw(RADIOS);
	struct request r;

	begin(&r, medium_family, HWSIM_MEDIUM_CMD_SET_PAYLOAD, 0);
	put_u32(&r, HWSIM_MEDIUM_ATTR_RADIO, radio);
	put(&r, HWSIM_MEDIUM_ATTR_ADDR, address(draw(RADIOS)), ETH_ALEN);
	if (draw(2))
		put(&r, HWSIM_MEDIUM_ATTR_OWN_ADDR, address(radio), ETH_ALEN);
	put(&r, HWSIM_MEDIUM_ATTR_PAYLOAD, payload, draw(2) ? 1 + draw(sizeof(payload)) : 0);
	return ask(&r);
}

static void change_settings(void)
{
	static const int dumps[] = {
		HWSIM_MEDIUM_CMD_GET_RADIO, HWSIM_MEDIUM_CMD_GET_LINK, HWSIM_MEDIUM_CMD_GET_AIR, HWSIM_MEDIUM_CMD_GET_PEER,
	};
	struct request r;

	for (;;) {
		begin(&r, medium_family, HWSIM_MEDIUM_CMD_SET_RADIO, 0);
		put_u32(&r, HWSIM_MEDIUM_ATTR_RADIO, draw(RADIOS));
		put_setting(&r);
		counts[SET] += !ask(&r);
		set_link(MEDIUM, draw(RADIOS), draw(RADIOS), -50 - draw(60));
		counts[FAULTED] += !add_fault();
		counts[APPENDED] += !set_payload();
		counts[LIMITED] += !limit_power(draw(RADIOS));
		if (draw(2))
			counts[REPLACED] += !set_curve(MEDIUM, draw(HWSIM_MEDIUM_NUM_CURVES));
		else
			counts[REPLACED] += !set_fading(MEDIUM, 1 + draw(FADINGS));

		begin(&r, medium_family, dumps[draw(4)], NLM_F_DUMP);
		put_u32(&r, HWSIM_MEDIUM_ATTR_ID, MEDIUM);
		counts[DUMPED] += !ask(&r);

		begin(&r, nl80211_family, draw(2) ? NL80211_CMD_GET_STATION : NL80211_CMD_GET_SURVEY, NLM_F_DUMP);
		put_u32(&r, NL80211_ATTR_IFINDEX, if_nametoindex(interface(draw(RADIOS))));
		counts[DUMPED] += !ask(&r);
	}
}

/* Take radios off their medium and put them on one, the other if it is there; others go up and down meanwhile. */
static void move_radios(void)
{
	for (;;) {
		int radio = STEADY + draw(RADIOS - STEADY), medium = draw(4) ? MEDIUM : OTHER_MEDIUM;

		set_up(interface(radio), false);
		remove_radio(radio);
		add_radio(medium, radio);
		set_links(medium, radio);
		set_up(interface(radio), true);
		join(radio);
	}
}

static void switch_radios(void)
{
	for (;;) {
		int radio = STEADY + draw(RADIOS - STEADY);

		set_up(interface(radio), draw(4));
		join(radio);
	}
}

/*
 * Make radios, one after the other, and remove them while they are on a medium and up; and the other medium, which goes
 * when no radio is on it.
 */
static void make_radios(void)
{
	struct request r;
	int radio, medium;

	for (;;) {
		medium = draw(2) ? MEDIUM : OTHER_MEDIUM;
		if (medium == OTHER_MEDIUM)
			new_medium(medium);
		begin(&r, hwsim_family, CMD_NEW_RADIO, 0);
		put_u32(&r, ATTR_CHANNELS, 1);
		put_u8(&r, ATTR_STREAMS, 1 + draw(4));
		if (draw(2))
			put(&r, ATTR_DSSS_ONLY, "", 0);
		radio = ask(&r);
		if (radio >= 0)		/* an error; a radio's number comes as one below zero */
			continue;
		radio = -radio;
		counts[MADE]++;
		if (draw(4)) {
			add_radio(medium, radio);
			set_link(medium, radio, 0, -70);
			set_link(medium, 0, radio, -70);
			make_ad_hoc(RADIOS);
			set_up(interface(RADIOS), true);
			join(RADIOS);
		}
		begin(&r, hwsim_family, CMD_DEL_RADIO, 0);
		put_u32(&r, ATTR_RADIO_ID, radio);
		counts[DELETED] += !ask(&r);
		if (medium == OTHER_MEDIUM)
			delete_medium(medium);
	}
}

static pid_t start(void (*job)(void), int processor)
{
	cpu_set_t set;
	pid_t pid = fork();

	if (pid)
		return pid;
	nl = -1;
	dice = getpid();
	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	if (processor != ANY)
		sched_setaffinity(0, sizeof(set), &set);
	job();
	exit(0);
}

static void wait_s(int seconds)
{
	while (seconds--) {
		printf("stress:");
		for (int i = 0; i < NUM_COUNTS; i++)
			printf(" %s %lu%s", names[i], counts[i], i < NUM_COUNTS - 1 ? "," : "\n");
		poll(NULL, 0, 1000);
	}
}

/* Print what kmemleak finds in objects that are older than 5 s: only the second scan reports what is still there. */
static void find_leaks(void)
{
	static char found[65536];
	int fd, i;

	if (access(KMEMLEAK, F_OK))
		return;		/* a kernel with KCSAN */
	for (i = 0; i < 2; i++) {
		poll(NULL, 0, 6000);
		fd = open(KMEMLEAK, O_WRONLY);
		if (fd < 0 || write(fd, "scan", 4) < 0)
			fail(KMEMLEAK, errno);
		close(fd);
	}
	fd = open(KMEMLEAK, O_RDONLY);
	i = read(fd, found, sizeof(found) - 1);
	printf("%.*s", i > 0 ? i : 0, found);
	close(fd);
}

int main(int argc, char **argv)
{
	int processors = sysconf(_SC_NPROCESSORS_ONLN), i, n = 0;
	pid_t pids[64];

	setvbuf(stdout, NULL, _IONBF, 0);
	mkdir("/sys", 0755);
	must("/sys", mount("sysfs", "/sys", "sysfs", 0, NULL) ? errno : 0);
	must("debugfs", mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL) ? errno : 0);
	counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	medium_family = family(HWSIM_MEDIUM_GENL_NAME);
	hwsim_family = family("MAC80211_HWSIM");
	nl80211_family = family("nl80211");
	must("NEW", new_medium(MEDIUM));
	for (i = 0; i < RADIOS; i++) {
		must("ADD_RADIO", add_radio(MEDIUM, i));
		must("SET_INTERFACE", make_ad_hoc(i));
	}
	for (i = 0; i < RADIOS; i++) {
		set_links(MEDIUM, i);
		must("up", set_up(interface(i), true));
		must("JOIN_IBSS", join(i));
	}
	must("hwsim0", set_up("hwsim0", true));
	printf("stress: %d processors\n", processors);
	for (i = 0; i < processors; i++)
		pids[n++] = start(send_frames, i);
	pids[n++] = start(receive_frames, ANY);
	pids[n++] = start(change_settings, ANY);
	pids[n++] = start(move_radios, ANY);
	pids[n++] = start(switch_radios, ANY);
	pids[n++] = start(make_radios, ANY);
	wait_s(argc > 1 ? atoi(argv[1]) : 30);
	for (i = 0; i < n; i++)
		kill(pids[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	for (i = 0; i < RADIOS; i++) {
		set_up(interface(i), false);
		remove_radio(i);
	}
	delete_medium(OTHER_MEDIUM);	/* unless it is gone */
	must("DEL", delete_medium(MEDIUM));
	find_leaks();
	wait_s(1);
	printf("stress: done\n");
	reboot(RB_AUTOBOOT);
	return 0;
}
