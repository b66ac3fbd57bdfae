/* SPDX-License-Identifier: MIT */
/*
 * All of a3d with TP, between two hosts that speak TCP: the lines, and what is printed, are those of drive.
 *
 *	drive_tp PREDICT SERIALISE [SEED LOSS REORDERED IB] < lines
 *
 * Bytes of a line are sent by a host, and those that the other one gets are printed. Until nothing is under way, time goes
 * on, for at most two minutes for each line. The way from a host to a3d, and from there to the other host, is 10 ms long;
 * of 1000 packets, so many are lost or delayed, by the seed, which also chooses options of TCP. Files are in the folder ".",
 * those of IB, if it is on, as well. In addition, a line may be "stall" (the client takes nothing, from when its window is
 * full), "go on", "full" (blocks can still be written, what a host does not take cannot), "unmarked" (no connection can be noted), "reset <" (the server forgets the connection),
 * or "leave" (a3d is ending; then time goes on only until it could be ended).
 * The state is "reset" if the client was reset, and the count behind it is of bytes that the server was told to have come.
 * Behind that is for how many milliseconds after its end TP has kept what it has of the connection; the last number but the
 * counts is 1 if the connection is called changed.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "chain.h"
#include "relay_parts.h"

enum {
	CLIENT,
	SERVER,
	HOSTS,
	A3D = HOSTS, /* where packets land */
	FLIGHTS = 1 << 14,
	WINDOW = 256 << 10,
	SCALE = 7,
};

#define MS_NS UINT64_C(1000000)
#define BEGUN_NS UINT64_C(1000000000000)
#define QUIET_NS (65000 * MS_NS) /* what TCP waits for at most, and more */
#define LONGEST_NS (120000 * MS_NS)

static struct host {
	struct half half;
	uint8_t *bytes; /* all that it sends */
	size_t length;
	bool ends, stalls, forgets; /* it answers everything with a reset */
} hosts[HOSTS];

static struct flight {
	uint64_t at_ns;
	unsigned int to;
	size_t length;
	uint8_t packet[HALF_PACKET];
} *flights[FLIGHTS];

static struct segment_end ends[HOSTS] = { { { 10, 0, 0, 2 }, 40000 }, { { 10, 0, 0, 1 }, 445 } };
static struct chain chain;
static unsigned int flying, harm[2];
static uint64_t now_ns = BEGUN_NS, seed = 1;
static bool noted, unmarked;
static uint64_t over_ns, kept_ns; /* since and until when */

static unsigned int chance(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned int)(seed >> 20) % 1000;
}

static void *own(const void *bytes, size_t length)
{
	void *copy = malloc(length ? length : 1);

	if (!copy)
		exit(1);
	if (length)
		memcpy(copy, bytes, length);
	return copy;
}

static uint64_t tell_ns(void)
{
	return now_ns;
}

static bool note(void *context, uint8_t version, const struct segment_end *client, const struct segment_end *server, bool on)
{
	(void)context;
	if (unmarked)
		return false;
	noted = on && version == 4 && track_same(client, &ends[CLIENT]) && track_same(server, &ends[SERVER]);
	return true;
}

static void fly(unsigned int to, const uint8_t *packet, size_t length, bool certain)
{
	struct flight *one;

	if (flying == FLIGHTS || (!certain && chance() < harm[0]))
		return;
	one = flights[flying++] = own(&(struct flight){ 0 }, sizeof(*one));
	one->at_ns = now_ns + 10 * MS_NS + (!certain && chance() < harm[1] ? chance() * MS_NS / 10 : 0);
	one->to = to;
	one->length = length;
	memcpy(one->packet, packet, length);
}

static unsigned int first_flight(void)
{
	unsigned int first = 0;

	for (unsigned int i = 1; i < flying; i++)
		if (flights[i]->at_ns < flights[first]->at_ns)
			first = i;
	return first;
}

static void land(void)
{
	unsigned int which = first_flight();
	struct flight *one = flights[which];
	uint8_t *packet = own(one->packet, one->length); /* so that a sanitizer sees what reads behind it */
	struct segment segment;
	enum chain_verdict verdict;

	memmove(flights + which, flights + which + 1, (--flying - which) * sizeof(*flights));
	if (!segment_read(&segment, packet, one->length))
		exit(3);
	if (one->to != A3D) {
		struct host *host = &hosts[one->to];

		if (host->half.state == HALF_RESET_BY_HOST) {
			host->forgets = true;
			host->half.state = HALF_RESETTING;
			host->half.ask_ns = UINT64_MAX;
		}
		if (!(segment.flags & SEGMENT_SYN))
			half_segment(&hosts[one->to].half, &segment, now_ns);
	} else {
		verdict = chain_packet(&chain, packet, one->length, noted ? CHAIN_IS_CHANGED : 0, now_ns,
				       (struct pf_ticket){ 0 });
		if (verdict == CHAIN_PASS)
			fly(track_same(&segment.to, &ends[SERVER]) ? SERVER : CLIENT, packet, one->length,
			    segment.flags & SEGMENT_SYN);
		else if (verdict != CHAIN_DROP)
			exit(4);
	}
	free(packet);
	free(one);
}

static size_t on_received(void *context, const uint8_t *bytes, size_t length)
{
	static const char digits[] = "0123456789abcdef";

	putchar_unlocked(context == &hosts[SERVER] ? '>' : '<');
	for (size_t i = 0; i < length; i++) {
		putchar_unlocked(digits[bytes[i] >> 4]);
		putchar_unlocked(digits[bytes[i] & 15]);
	}
	putchar_unlocked('\n');
	return length;
}

static bool on_read(void *context, uint64_t at, uint8_t *bytes, size_t length)
{
	memcpy(bytes, ((struct host *)context)->bytes + at, length);
	return true;
}

/* Send what hosts and a3d have to send now. Returns when there is more; UINT64_MAX: never. */
static uint64_t send_all(void)
{
	uint64_t next_ns = UINT64_MAX;
	uint8_t packet[HALF_PACKET];
	struct rar_packet made;
	size_t length;

	for (unsigned int i = 0; i < HOSTS; i++) {
		struct half *half = &hosts[i].half;

		half_permit(half, half->received, true);
		if (!hosts[i].stalls)
			half_take(half, half->received + WINDOW);
		while ((length = half_due(half, now_ns, packet, sizeof(packet))))
			fly(A3D, packet, length, false);
		next_ns = half_next_ns(half) < next_ns ? half_next_ns(half) : next_ns;
	}
	while (chain_due(&chain, now_ns, &made))
		fly(!memcmp(made.bytes + 16, ends[SERVER].address, 4) ? SERVER : CLIENT, made.bytes, made.length, false);
	return chain_next_ns(&chain) < next_ns ? chain_next_ns(&chain) : next_ns;
}

/* Whether a host waits for an acknowledgement. */
static bool owes(const struct host *host)
{
	return host->half.state == HALF_OPEN && host->half.acked < host->length + host->ends;
}

/* Let time pass until nothing happens, or until then. */
static void run(uint64_t until_ns, bool quiet)
{
	for (;;) {
		uint64_t next_ns = send_all();

		if (quiet && !flying && !owes(&hosts[CLIENT]) && !owes(&hosts[SERVER]) && next_ns > now_ns + QUIET_NS)
			return;
		if (flying && flights[first_flight()]->at_ns < next_ns)
			next_ns = flights[first_flight()]->at_ns;
		if (next_ns > until_ns || (chain.ending && chain_is_left(&chain) && !flying))
			break;
		now_ns = next_ns > now_ns ? next_ns : now_ns;
		while (flying && flights[first_flight()]->at_ns <= now_ns)
			land();
		over_ns = !over_ns && chain.relays.all[0] && chain.relays.all[0]->over ? now_ns : over_ns;
		kept_ns = over_ns && chain.tp.open ? now_ns : kept_ns;
	}
	now_ns = until_ns > now_ns ? until_ns : now_ns;
}

static void send_syn(unsigned int from, bool stamps)
{
	const struct half_settings *settings = &hosts[from].half.settings;
	uint8_t packet[60] = { 0x45, 0, 0, 60, 0, 0, 0x40, 0, 64, 6 };
	const uint8_t options[] = { 2, 4, 1460 >> 8, 1460 & 255, 3, 3, SCALE, settings->sack ? 4 : 1, settings->sack ? 2 : 1, 1 };
	uint32_t seq = settings->send - 1, ack = settings->receive;

	memcpy(packet + 12, ends[from].address, 4);
	memcpy(packet + 16, ends[!from].address, 4);
	for (unsigned int i = 0; i < 4; i++) {
		packet[24 + i] = (uint8_t)(seq >> (24 - 8 * i));
		packet[28 + i] = (uint8_t)(from == SERVER ? ack >> (24 - 8 * i) : 0);
	}
	packet[20] = (uint8_t)(ends[from].port >> 8);
	packet[21] = (uint8_t)ends[from].port;
	packet[22] = (uint8_t)(ends[!from].port >> 8);
	packet[23] = (uint8_t)ends[!from].port;
	packet[32] = 10 << 4;
	packet[33] = SEGMENT_SYN | (from == SERVER ? SEGMENT_ACK : 0);
	packet[34] = packet[35] = 0xff;
	memcpy(packet + 40, options, sizeof(options));
	if (stamps) {
		packet[50] = 8;
		packet[51] = 10;
		packet[55] = 1; /* the clock of a host begins with 2 */
		packet[59] = from == SERVER;
	}
	segment_sum(packet, sizeof(packet), 20);
	fly(A3D, packet, sizeof(packet), true);
	run(now_ns + 50 * MS_NS, false);
}

static void connect_hosts(void)
{
	const bool sack = seed & 1, stamps = seed & 2;

	for (unsigned int i = 0; i < HOSTS; i++) {
		const struct half_owner owner = { on_received, on_read, &hosts[i] };
		const struct half_settings settings = {
			.version = 4,
			.self = ends[i],
			.host = ends[!i],
			.send = UINT32_C(0) - 5000 + i * 77,
			.receive = UINT32_C(0) - 5000 + (1 - i) * 77,
			.mss = stamps ? 1448 : 1460,
			.send_scale = SCALE,
			.receive_scale = SCALE,
			.sack = sack,
			.stamps = stamps,
			.stamp = 2 - (uint32_t)(now_ns / MS_NS),
			.echo = 1,
			.window = UINT16_MAX,
			.least_rto_ns = HALF_LEAST_RTO_NS,
		};

		half_begin(&hosts[i].half, &settings, &owner);
	}
	for (unsigned int i = 0; i < HOSTS; i++)
		hosts[i].half.edge = hosts[i].half.told_edge = WINDOW;
	send_syn(CLIENT, stamps);
	send_syn(SERVER, stamps);
	hosts[CLIENT].half.acknowledge = true;
	run(now_ns + 50 * MS_NS, false);
}

static uint8_t nibble(char digit)
{
	return (uint8_t)(digit >= 'a' ? digit - 'a' + 10 : digit - '0');
}

static void offer(struct host *host, const char *hex)
{
	size_t length = strlen(hex) / 2;
	uint8_t *all = realloc(host->bytes, host->length + length + 1);

	if (!all)
		exit(1);
	for (size_t i = 0; i < length; i++)
		all[host->length + i] = (uint8_t)(nibble(hex[2 * i]) << 4 | nibble(hex[2 * i + 1]));
	host->bytes = all;
	host->length += length;
	half_offer(&host->half, host->length, false);
}

static void obey(const char *line)
{
	struct host *host = &hosts[strchr(line, '>') ? CLIENT : SERVER];

	if (line[0] == '>' || line[0] == '<') {
		offer(host, line + 1);
	} else if (!strncmp(line, "end ", 4)) {
		host->ends = true;
		half_offer(&host->half, host->length, true);
	} else if (!strncmp(line, "time ", 5)) {
		run(BEGUN_NS + strtoull(line + 5, NULL, 10), false);
	} else if (!strcmp(line, "stall") || !strcmp(line, "go on")) {
		hosts[CLIENT].stalls = *line == 's';
	} else if (!strcmp(line, "full")) {
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){ TP_LINK_KEPT, TP_LINK_KEPT });
	} else if (!strcmp(line, "unmarked")) {
		unmarked = true;
	} else if (!strcmp(line, "leave")) {
		chain_leave(&chain, now_ns);
		run(now_ns + 1000 * MS_NS, false);
		relays_end(&chain.relays);
		return;
	} else if (!strncmp(line, "reset ", 6)) {
		half_reset(&host->half);
	}
	run(now_ns + LONGEST_NS, true);
	if (*line == 'e')
		printf("ended %d\n", hosts[host == &hosts[CLIENT] ? SERVER : CLIENT].half.finished);
}

static void say(void)
{
	const struct tp_links_counts count = tp_links_count(&chain.tp);
	const struct tp_counts *all = &count.all;

	const bool was_reset = hosts[CLIENT].forgets || hosts[CLIENT].half.state == HALF_RESET_BY_HOST;

	printf(". %s %" PRIu64 " %" PRIu64 " 0 %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
	       was_reset      ? "reset" :
	       count.broken   ? "broken" :
	       count.left     ? "left" :
	       chain.tp.taken ? "acts" :
				"watches",
	       hosts[SERVER].half.acked, kept_ns ? (kept_ns - over_ns) / MS_NS + 1 : 0, noted,
	       all->predicted, all->answered, all->fetched, all->served, all->wasted, all->oplocks,
	       all->breaks, all->stale);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct chain_settings settings = { .side = CHAIN_CLIENT, .rar = { .stagger = 10 } };
	int folder = open(".", O_RDONLY | O_DIRECTORY);
	char *line = NULL;
	size_t size = 0;

	if (argc != 3 && argc != 7)
		return 2;
	settings.tp = (struct tp_link_settings){ .tp = { atoi(argv[1]), atoi(argv[2]) },
						 .on = true,
						 .folder = folder,
						 .quota = 256 << 20,
						 .now_ns = tell_ns };
	settings.relay = (struct relay_settings){ .folder = folder,
						  .quota = 1 << 20,
						  .quota_all = 2 << 20,
						  .least_rto_ns = HALF_LEAST_RTO_NS,
						  .changed = note };
	if (argc == 7) {
		seed = strtoull(argv[3], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
		harm[0] = (unsigned int)atoi(argv[4]);
		harm[1] = (unsigned int)atoi(argv[5]);
		settings.relay.ib = atoi(argv[6]);
	}
	chain_begin(&chain, &settings, now_ns);
	connect_hosts();
	while (getline(&line, &size, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		obey(line);
		say();
	}
	chain_end(&chain);
	for (unsigned int i = 0; i < HOSTS; i++) {
		half_end(&hosts[i].half);
		free(hosts[i].bytes);
	}
	while (flying)
		free(flights[--flying]);
	free(line);
	close(folder);
	return chain.tp.open || chain.tp.stored ? 1 : 0;
}
