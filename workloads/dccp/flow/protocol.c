/* SPDX-License-Identifier: MIT */
#include "protocol.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dccp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fail.h"
#include "report.h"

#ifndef SOL_DCCP
#define SOL_DCCP 269
#endif

/* What the kernel's CCIDs answer to DCCP_SOCKOPT_CCID_TX_INFO (include/linux/tfrc.h, include/uapi/linux/dccp.h). */
struct ccid2_state {
	uint32_t cwnd, ssthresh, pipe; /* packets */
	uint32_t srtt_us, rto_us;
};

struct ccid3_state {
	uint64_t x, x_recv; /* in 1/64 byte/s */
	uint32_t x_calc;    /* byte/s */
	uint32_t rtt_us;
	uint32_t p; /* loss event rate in millionths */
	uint32_t rto_us, ipi_us;
};

static void set(int fd, int level, int option, const void *value, socklen_t length, const char *what)
{
	if (setsockopt(fd, level, option, value, length))
		fail_errno(what);
}

static void prepare_tcp(int fd, const struct settings *settings, bool sender)
{
	const char *const congestion = settings->congestion;

	if (settings->segment_bytes)
		set(fd, IPPROTO_TCP, TCP_MAXSEG, &settings->segment_bytes, sizeof(int), "segment size");
	if (congestion && sender &&
	    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, congestion, (socklen_t)strlen(congestion)))
		refuse("--congestion %s: %s; /proc/sys/net/ipv4/tcp_available_congestion_control lists what there is",
		       congestion, strerror(errno));
}

static bool state_tcp(int fd, const struct settings *settings, FILE *to)
{
	struct tcp_info info;
	socklen_t length = sizeof(info);

	(void)settings;
	memset(&info, 0, sizeof(info));
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length))
		return false;
	report_count(to, "cwnd", info.tcpi_snd_cwnd);
	report_count(to, "ssthresh", info.tcpi_snd_ssthresh);
	report_count(to, "in_flight", info.tcpi_unacked);
	report_count(to, "rtt_us", info.tcpi_rtt);
	report_count(to, "rto_us", info.tcpi_rto);
	report_count(to, "retransmits", info.tcpi_total_retrans);
	return true;
}

static void prepare_dccp(int fd, const struct settings *settings, bool sender)
{
	static const uint8_t both[] = { DCCPC_CCID2, DCCPC_CCID3 };
	const uint8_t ccid = (uint8_t)settings->ccid;
	const uint32_t service = htonl(settings->service);

	set(fd, SOL_DCCP, DCCP_SOCKOPT_SERVICE, &service, sizeof(service), "service code");
	if (sender)
		set(fd, SOL_DCCP, DCCP_SOCKOPT_CCID, &ccid, sizeof(ccid), "CCID");
	else
		set(fd, SOL_DCCP, DCCP_SOCKOPT_CCID, both, sizeof(both), "CCIDs 2 and 3");
	if (settings->coverage)
		set(fd, SOL_DCCP, sender ? DCCP_SOCKOPT_SEND_CSCOV : DCCP_SOCKOPT_RECV_CSCOV, &settings->coverage,
		    sizeof(int), "checksum coverage");
}

/* DCCP does not fragment (RFC 4340 14). */
static int packet_most_dccp(int fd)
{
	int most = 0;
	socklen_t length = sizeof(most);

	return getsockopt(fd, SOL_DCCP, DCCP_SOCKOPT_GET_CUR_MPS, &most, &length) ? 0 : most;
}

static bool state_ccid2(int fd, FILE *to)
{
	struct ccid2_state state;
	socklen_t length = sizeof(state);

	if (getsockopt(fd, SOL_DCCP, DCCP_SOCKOPT_CCID_TX_INFO, &state, &length) || length != sizeof(state))
		return false;
	report_count(to, "cwnd", state.cwnd);
	report_count(to, "ssthresh", state.ssthresh);
	report_count(to, "in_flight", state.pipe);
	report_count(to, "rtt_us", state.srtt_us);
	report_count(to, "rto_us", state.rto_us);
	return true;
}

static bool state_ccid3(int fd, FILE *to)
{
	struct ccid3_state state;
	socklen_t length = sizeof(state);

	if (getsockopt(fd, SOL_DCCP, DCCP_SOCKOPT_CCID_TX_INFO, &state, &length) || length < sizeof(state) - 4)
		return false;
	if (!state.x)
		return false; /* it has not sent anything yet */
	report_count(to, "x_bit_s", state.x / 8);
	report_count(to, "x_recv_bit_s", state.x_recv / 8);
	report_count(to, "x_calc_bit_s", (uint64_t)state.x_calc * 8);
	report_count(to, "p_ppm", state.p);
	report_count(to, "rtt_us", state.rtt_us);
	report_count(to, "rto_us", state.rto_us);
	return true;
}

static bool state_dccp(int fd, const struct settings *settings, FILE *to)
{
	return settings->ccid == DCCPC_CCID3 ? state_ccid3(fd, to) : state_ccid2(fd, to);
}

static void prepare_udp(int fd, const struct settings *settings, bool sender)
{
	(void)fd, (void)settings, (void)sender;
}

static int packet_most_any(int fd)
{
	(void)fd;
	return 0;
}

static bool state_udp(int fd, const struct settings *settings, FILE *to)
{
	(void)fd, (void)settings, (void)to;
	return false;
}

static const struct protocol PROTOCOLS[] = {
	{ "tcp", SOCK_STREAM, IPPROTO_TCP, true, true, prepare_tcp, packet_most_any, state_tcp },
	{ "udp", SOCK_DGRAM, IPPROTO_UDP, false, false, prepare_udp, packet_most_any, state_udp },
	{ "dccp", SOCK_DCCP, IPPROTO_DCCP, false, true, prepare_dccp, packet_most_dccp, state_dccp },
};

const struct protocol *protocol_named(const char *name)
{
	for (size_t i = 0; i < sizeof(PROTOCOLS) / sizeof(PROTOCOLS[0]); i++)
		if (!strcmp(PROTOCOLS[i].name, name))
			return &PROTOCOLS[i];
	return NULL;
}

/* Resolves for TCP whatever the protocol is, because getaddrinfo() does not know DCCP. */
static struct addrinfo *resolve(const struct settings *settings)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
	const char *const host = settings->host ? settings->host : "0.0.0.0";
	struct addrinfo *found;
	char port[6];
	int error;

	snprintf(port, sizeof(port), "%u", settings->port);
	error = getaddrinfo(host, port, &hints, &found);
	if (error)
		refuse("%s: %s", host, gai_strerror(error));
	return found;
}

static int open_socket(const struct protocol *protocol, const struct settings *settings, int family, bool sender)
{
	const int fd = socket(family, protocol->type | SOCK_CLOEXEC, protocol->number), on = 1;

	if (fd < 0)
		fail_errno(protocol->name);
	if (protocol->connected) /* of two sinks of UDP at one port, one would get nothing */
		set(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on), "SO_REUSEADDR");
	if (settings->buffer_bytes)
		set(fd, SOL_SOCKET, sender ? SO_SNDBUF : SO_RCVBUF, &settings->buffer_bytes, sizeof(int), "buffer");
	protocol->prepare(fd, settings, sender);
	return fd;
}

static void fail_at(const char *what, const struct settings *settings)
{
	const int error = errno;
	char words[128];

	snprintf(words, sizeof(words), "%s %.64s, port %u", what, settings->host ? settings->host : "any address",
		 settings->port);
	errno = error;
	fail_errno(words);
}

int protocol_connect(const struct protocol *protocol, const struct settings *settings)
{
	struct addrinfo *to = resolve(settings);
	const int fd = open_socket(protocol, settings, to->ai_family, true);

	if (connect(fd, to->ai_addr, to->ai_addrlen))
		fail_at("no flow sink answers at", settings);
	freeaddrinfo(to);
	if (fcntl(fd, F_SETFL, O_NONBLOCK))
		fail_errno("O_NONBLOCK");
	return fd;
}

int protocol_listen(const struct protocol *protocol, const struct settings *settings)
{
	struct addrinfo *at = resolve(settings);
	const int fd = open_socket(protocol, settings, at->ai_family, false);

	if (bind(fd, at->ai_addr, at->ai_addrlen) || (protocol->connected && listen(fd, 1)))
		fail_at("cannot listen at", settings);
	freeaddrinfo(at);
	return fd;
}

uint64_t protocol_room_bytes(int fd)
{
	int room = 0;
	socklen_t length = sizeof(room);

	if (getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, &length))
		fail_errno("SO_SNDBUF");
	return (uint64_t)room;
}
