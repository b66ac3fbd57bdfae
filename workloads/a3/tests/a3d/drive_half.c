/* SPDX-License-Identifier: MIT */
/*
 * Halves of TCP connections, without a network and without a clock.
 *
 *	drive_half host VERSION MSS SCALE SACK STAMPS WINDOW < lines
 *	drive_half line SEED BYTES OTHER-BYTES LOSS REPEATED REORDERED ROOM PAUSE-MS
 *	drive_half relay SEED BYTES OTHER-BYTES LOSS REPEATED REORDERED ROOM PAUSE-MS FOLDER QUOTA CRASH DOWN-MS WHAT DISK MTU
 *
 * As host, it is one half. A line is the time in microseconds and what happens: a packet of the host in hexadecimal;
 * "offer N", "end N" (with a FIN), "permit N", "permit-end N", "take N", "skip N", "resume N" (the host has so much at
 * least, and 100000 more at most), "too-long N" (a packet of so many bytes could not leave), "ask", "reset" or "nothing". It prints what is handed over ("bytes" and hexadecimal), what is sent before or then ("send", the time in microseconds, the packet),
 * and, as the last line, its state. Byte N of what it sends is N % 251.
 *
 * As line, it is two halves with a line of 20 ms between them, which loses, repeats and delays of 1000 packets so many,
 * by a seed, which also chooses the version of IP. Each sends bytes and then its FIN; the second one takes ROOM bytes and reads them at once, or after pauses.
 * It prints how long all took, and ends with 1 if a byte was wrong, or if one half did not end.
 *
 * As relay, the first half is a server and the second one a client, with a relay between; IB is on if FOLDER is not "-".
 * It crashes up to five times, and is back after DOWN-MS: every CRASH ms, or, if CRASH begins with a c, so many calls that
 * change a file after it began. Then what was not synced is lost or torn, if DISK is "power"; if it is "kill", all that was
 * written is there. DISK "failing": no sync ever succeeds; "folder": none of the folder; "full": nothing is written; "copies": nothing is written over; "fills":
 * nothing more is, once 100 000 bytes are stored; "breaks": as "power", and no sync succeeds from then on, so the
 * client gets at least what was acknowledged; "lying": what is read is wrong, so the client is reset.
 * Packets of the relay that are longer than MTU are refused, or just lost, if it is negative (0: it has no limit).
 * WHAT is "all": both hosts get everything. "client" or "server" resets when it has got 20 000 bytes, or sent them. After
 * the first crash, "client-gone" and "server-gone" are silent for ever, "client-away" for two minutes, "server-forgets"
 * and "client-forgets" answer with resets.
 * It ends with 1 if that is not what becomes of it, if something is left in the folder, or if it stays noted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <unistd.h>

#include "disk.h"
#include "relay.h"

#define MS_NS UINT64_C(1000000)

static uint8_t byte_at(uint64_t at)
{
	return (uint8_t)(at * 7 % 251 ^ at >> 11);
}

static bool read_known(void *context, uint64_t at, uint8_t *bytes, size_t length)
{
	(void)context;
	for (size_t i = 0; i < length; i++)
		bytes[i] = byte_at(at + i);
	return true;
}

/* One half, and a host that is played by who writes the lines. */

static size_t print_received(void *context, const uint8_t *bytes, size_t length)
{
	(void)context;
	printf("bytes ");
	for (size_t i = 0; i < length; i++)
		printf("%02x", bytes[i]);
	putchar('\n');
	return length;
}

static void print_packet(const uint8_t *packet, size_t length, uint64_t now_ns)
{
	if (!length)
		return;
	printf("send %" PRIu64 " ", now_ns / 1000);
	for (size_t i = 0; i < length; i++)
		printf("%02x", packet[i]);
	putchar('\n');
}

/* Print what is sent after one time and up to another. */
static void send_until(struct half *half, uint64_t now_ns, uint64_t until_ns)
{
	uint8_t packet[HALF_PACKET];
	uint64_t at_ns;

	while ((at_ns = half_next_ns(half)) <= until_ns && at_ns != UINT64_MAX) {
		now_ns = at_ns > now_ns ? at_ns : now_ns;
		print_packet(packet, half_due(half, now_ns, packet, sizeof(packet)), now_ns);
	}
}

static uint8_t nibble(char digit)
{
	return (uint8_t)(digit >= 'a' ? digit - 'a' + 10 : digit - '0');
}

static void packet_came(struct half *half, const char *hex, uint64_t now_ns)
{
	size_t length = strlen(hex) / 2;
	uint8_t *bytes = malloc(length ? length : 1);
	struct segment segment;

	if (!bytes)
		exit(1);
	for (size_t i = 0; i < length; i++)
		bytes[i] = (uint8_t)(nibble(hex[2 * i]) << 4 | nibble(hex[2 * i + 1]));
	if (segment_read(&segment, bytes, length) && segment.whole)
		half_segment(half, &segment, now_ns);
	free(bytes);
}

static int play_host(char **words)
{
	static char line[1 << 18], what[1 << 17];
	static const char address[4] = { 10, 0, 0, 1 };
	const struct half_owner owner = { print_received, read_known, NULL };
	struct half_settings settings = {
		.version = (uint8_t)atoi(words[0]),
		.self.port = 80,
		.host.port = 40000,
		.send = 5001,
		.receive = UINT32_C(0) - 20,
		.mss = (uint16_t)atoi(words[1]),
		.send_scale = (uint8_t)atoi(words[2]),
		.receive_scale = (uint8_t)atoi(words[2]),
		.sack = atoi(words[3]),
		.stamps = atoi(words[4]),
		.stamp = 1000,
		.window = strtoull(words[5], NULL, 10),
		.least_rto_ns = HALF_LEAST_RTO_NS,
	};
	struct half half;
	uint64_t now_us, before_ns = 0, number;
	uint8_t packet[HALF_PACKET];

	memcpy(settings.self.address, address, 4);
	memcpy(settings.host.address, address, 4);
	settings.host.address[3] = 2;
	half_begin(&half, &settings, &owner);
	half_take(&half, 65535);
	half.told_edge = 65535; /* the host knows it */
	half.acknowledge = false;
	while (fgets(line, sizeof(line), stdin)) {
		number = 0;
		if (sscanf(line, "%" SCNu64 " %131071s %" SCNu64, &now_us, what, &number) < 2)
			return 2;
		if (now_us)
			send_until(&half, before_ns, now_us * 1000 - 1);
		before_ns = now_us * 1000;
		if (!strcmp(what, "offer") || !strcmp(what, "end"))
			half_offer(&half, number, *what == 'e');
		else if (!strcmp(what, "permit") || !strcmp(what, "permit-end"))
			half_permit(&half, number, what[6]);
		else if (!strcmp(what, "take"))
			half_take(&half, number);
		else if (!strcmp(what, "skip"))
			half_skip(&half, number);
		else if (!strcmp(what, "resume"))
			half_resume(&half, 0, number, 100000, before_ns);
		else if (!strcmp(what, "too-long"))
			half_too_long(&half, number);
		else if (!strcmp(what, "reset"))
			half_reset(&half);
		else if (!strcmp(what, "ask"))
			print_packet(packet, half_ask(&half, before_ns, packet, sizeof(packet)), before_ns);
		else if (strcmp(what, "nothing"))
			packet_came(&half, what, before_ns);
		send_until(&half, before_ns, before_ns);
	}
	printf("{\"state\": %d, \"received\": %" PRIu64 ", \"finished\": %d, \"acked\": %" PRIu64 ", \"acked_end\": %d, "
	       "\"stored\": %zu, \"pieces\": %u, \"segments\": %" PRIu64 ", \"repeated\": %" PRIu64 ", \"cwnd\": %" PRIu64 "}\n",
	       half.state, half.received, half.finished, half.acked, half.acked_end, half.stored, half.pieces, half.segments,
	       half.repeated, half.cwnd);
	half_end(&half);
	return half.stored ? 3 : 0;
}

/* Two halves. */

enum {
	IN_FLIGHT = 4096,
};

struct end {
	struct half half;
	uint64_t wrong, room, read, pause_ns, resume_ns, bytes;
	bool forgets; /* it answers everything with a reset */
};

struct flight {
	uint64_t at_ns;
	unsigned int to;
	size_t length;
	uint8_t packet[HALF_PACKET];
};

static struct flight flights[IN_FLIGHT];
static unsigned int flight_count;
static uint64_t seed, the_seed; /* as it is now, and was first */

static unsigned int chance(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned int)(seed >> 20) % 1000;
}

static size_t check_received(void *context, const uint8_t *bytes, size_t length)
{
	struct end *end = context;

	for (size_t i = 0; i < length; i++)
		end->wrong += bytes[i] != byte_at(end->half.received + i);
	return length;
}

static void fly(unsigned int to, uint64_t now_ns, const uint8_t *packet, size_t length, unsigned int later)
{
	if (flight_count == IN_FLIGHT)
		return;
	flights[flight_count] = (struct flight){ .at_ns = now_ns + 10 * MS_NS + (chance() < later ? chance() * MS_NS / 10 : 0),
						 .to = to,
						 .length = length };
	memcpy(flights[flight_count++].packet, packet, length);
}

static unsigned int first_flight(void)
{
	unsigned int first = 0;

	for (unsigned int i = 1; i < flight_count; i++)
		if (flights[i].at_ns < flights[first].at_ns)
			first = i;
	return first;
}

static void land(struct end *ends, unsigned int which)
{
	struct flight one = flights[which];
	struct segment segment;
	uint8_t *copy = malloc(one.length);

	memmove(flights + which, flights + which + 1, (flight_count - which - 1) * sizeof(one));
	flight_count--;
	if (!copy)
		exit(1);
	memcpy(copy, one.packet, one.length);
	if (!segment_read(&segment, copy, one.length)) {
		puts("it sends what is not TCP");
		exit(1);
	}
	if (ends[one.to].forgets) {
		ends[one.to].half.state = HALF_RESETTING;
		ends[one.to].half.ask_ns = UINT64_MAX;
	}
	half_segment(&ends[one.to].half, &segment, one.at_ns);
	free(copy);
}

/* The program behind a half reads, or pauses for a while when it has read as much as it has room for. */
static void read_bytes(struct end *end, uint64_t now_ns)
{
	struct half *half = &end->half;

	if (now_ns >= end->resume_ns && half->received > end->read) {
		end->read = half->received;
		end->resume_ns = now_ns + end->pause_ns;
	}
	half_take(half, end->read + end->room);
	half_permit(half, half->received, true);
}

static void begin_end(struct end *end, unsigned int which, char **words)
{
	static const char address[4] = { 10, 0, 0, 1 };
	const struct half_owner owner = { check_received, read_known, end };
	struct half_settings settings = {
		.version = seed & 4 ? 6 : 4,
		.self.port = (uint16_t)(1 + which),
		.host.port = (uint16_t)(2 - which),
		.send = UINT32_C(0) - 5000 + which * 77,
		.receive = UINT32_C(0) - 5000 + (1 - which) * 77,
		.mss = 1448,
		.send_scale = 2,
		.receive_scale = 2,
		.sack = seed & 1,
		.stamps = seed & 2,
		.window = which ? 65535 : strtoull(words[6], NULL, 10),
		.least_rto_ns = HALF_LEAST_RTO_NS,
	};

	memcpy(settings.self.address, address, 4);
	memcpy(settings.host.address, address, 4);
	half_begin(&end->half, &settings, &owner);
	end->room = which ? strtoull(words[6], NULL, 10) : 65535;
	end->pause_ns = which ? strtoull(words[7], NULL, 10) * MS_NS : 0;
	end->bytes = strtoull(words[1 + which], NULL, 10);
	half_take(&end->half, end->room);
	half_offer(&end->half, end->bytes, true);
}

static bool ended(const struct end *end)
{
	return end->half.finished && end->half.acked_end && !flight_count;
}

static int play_line(char **words)
{
	static struct end ends[2];
	const unsigned int loss = (unsigned int)atoi(words[3]), repeated = (unsigned int)atoi(words[4]),
			   reordered = (unsigned int)atoi(words[5]);
	uint64_t now_ns = MS_NS, next_ns = 0;
	uint8_t packet[HALF_PACKET];
	bool right;

	seed = strtoull(words[0], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
	for (unsigned int i = 0; i < 2; i++)
		begin_end(&ends[i], i, words);
	while (!(ended(&ends[0]) && ended(&ends[1])) && next_ns != UINT64_MAX && now_ns < 100000000 * MS_NS) {
		next_ns = flight_count ? flights[first_flight()].at_ns : UINT64_MAX;
		for (unsigned int i = 0; i < 2; i++) {
			size_t length;

			read_bytes(&ends[i], now_ns);
			while ((length = half_due(&ends[i].half, now_ns, packet, sizeof(packet)))) {
				for (unsigned int copies = 1 + (chance() < repeated); copies; copies--)
					if (chance() >= loss)
						fly(1 - i, now_ns, packet, length, reordered);
			}
			if (half_next_ns(&ends[i].half) < next_ns)
				next_ns = half_next_ns(&ends[i].half);
			if (ends[i].resume_ns > now_ns && ends[i].resume_ns < next_ns)
				next_ns = ends[i].resume_ns;
		}
		if (flight_count && flights[first_flight()].at_ns < next_ns)
			next_ns = flights[first_flight()].at_ns;
		if (next_ns != UINT64_MAX && next_ns > now_ns)
			now_ns = next_ns;
		while (flight_count && flights[first_flight()].at_ns <= now_ns)
			land(ends, first_flight());
	}
	right = true;
	for (unsigned int i = 0; i < 2; i++) {
		right &= ended(&ends[i]) && !ends[i].wrong && ends[i].half.received == ends[1 - i].bytes &&
			 ends[i].half.state == HALF_OPEN;
		half_end(&ends[i].half);
		right &= !ends[i].half.stored;
	}
	printf("{\"ms\": %" PRIu64 ", \"segments\": [%" PRIu64 ", %" PRIu64 "], \"repeated\": [%" PRIu64 ", %" PRIu64
	       "], \"received\": [%" PRIu64 ", %" PRIu64 "], \"wrong\": %" PRIu64 ", \"right\": %d}\n",
	       now_ns / MS_NS, ends[0].half.segments, ends[1].half.segments, ends[0].half.repeated, ends[1].half.repeated,
	       ends[0].half.received, ends[1].half.received, ends[0].wrong + ends[1].wrong, right);
	return right ? 0 : 1;
}

/* Two halves and a relay. */

enum {
	SERVER,
	CLIENT,
	RELAY, /* where packets for it land */
	CRASHES = 5,
	RESET_AT = 20000,
	FILLED = 100000,
};

#define CLOSED_NS (120000 * MS_NS) /* after the end, a host forgets the connection */
#define AWAY_NS (120000 * MS_NS)
#define LONGEST_NS (5000000 * MS_NS)

static struct relays relays;
static struct relay_settings relay_settings = { .inward = TRACK_TO_CLIENT,
						.quota_all = 1 << 30,
						.behind = 1 << 18,
						.least_rto_ns = HALF_LEAST_RTO_NS };
static bool fills, breaks; /* the disk */
static bool noted; /* that the connection is changed */
static bool forgotten; /* it is over, and not known any more */
static bool orphan; /* it was over when a crash came, so nobody has taken the note back */
static uint64_t silent_ns[2]; /* until then, nothing comes from a host, or gets there */

static bool note(void *context, uint8_t version, const struct segment_end *client, const struct segment_end *server,
		 bool on)
{
	(void)context;
	if (!disk_dead)
		noted = on && version == (the_seed & 4 ? 6 : 4) && client->port == 2 && server->port == 1;
	return !disk_dead;
}

static void take_over(const struct end ends[2], uint64_t now_ns)
{
	struct track_connection connection = { .version = ends[0].half.settings.version,
					       .client = ends[CLIENT].half.settings.self,
					       .server = ends[SERVER].half.settings.self };

	for (unsigned int i = 0; i < 2; i++) {
		const struct end *sender = &ends[i ? SERVER : CLIENT];

		connection.flow[i] = (struct track_flow){ .begun = true,
							  .next = sender->half.settings.send,
							  .acked = sender->half.settings.send,
							  .mss = 1460,
							  .scaled = true,
							  .scale = 2,
							  .sack = sender->half.settings.sack,
							  .stamps = sender->half.settings.stamps,
							  .window = (uint16_t)(sender->room >> 2),
							  .stamp = (uint32_t)(now_ns / MS_NS) };
	}
	if (!relays_take(&relays, &connection, NULL, NULL, now_ns) && !disk_dead)
		exit(1);
}

static void land_anywhere(struct end *ends, bool up)
{
	unsigned int which = first_flight();
	struct segment segment;
	struct flight one = flights[which];

	if (one.to != RELAY && one.at_ns >= silent_ns[one.to]) {
		land(ends, which);
		return;
	}
	memmove(flights + which, flights + which + 1, (flight_count - which - 1) * sizeof(one));
	flight_count--;
	if (one.to != RELAY || !up || disk_dead ||
	    (segment_read(&segment, one.packet, one.length) && relays_segment(&relays, &segment, one.at_ns)))
		return;
	/* a connection that was over before a crash is not known any more; a3d answers with resets */
	forgotten = !relays.open && ((ends[SERVER].half.finished && ends[CLIENT].half.finished) ||
				     ends[SERVER].half.state != HALF_OPEN || ends[CLIENT].half.state != HALF_OPEN);
	if (!forgotten) {
		puts("a packet would pass");
		exit(1);
	}
}

/* Send a packet, unless it gets lost. */
static void fly_or_not(unsigned int to, uint64_t now_ns, const uint8_t *packet, size_t length, const unsigned int harm[3])
{
	for (unsigned int copies = 1 + (chance() < harm[1]); copies; copies--)
		if (chance() >= harm[0])
			fly(to, now_ns, packet, length, harm[2]);
}

static int mtu; /* of what the relay sends; negative: what is longer is lost */

static bool leaves(const struct relay_packet *made)
{
	if (!mtu || made->length <= (size_t)abs(mtu))
		return true;
	if (mtu > 0)
		relays_too_long(&relays, made->bytes, made->length);
	return false;
}

static void send_all(struct end *ends, bool up, uint64_t now_ns, const unsigned int harm[3])
{
	struct relay_packet made;
	uint8_t packet[HALF_PACKET];
	size_t length;

	for (unsigned int i = 0; i < 2; i++)
		while ((length = half_due(&ends[i].half, now_ns, packet, sizeof(packet))))
			if (now_ns >= silent_ns[i])
				fly_or_not(RELAY, now_ns, packet, length, harm);
	while (up && !disk_dead && relays_due(&relays, now_ns, &made) && !disk_dead) {
		if (!noted) {
			puts("it was not noted");
			exit(1);
		}
		if (leaves(&made))
			fly_or_not(made.outward ? SERVER : CLIENT, now_ns, made.bytes, made.length, harm);
		disk_full |= fills && relays.counts.stored > FILLED;
		disk_fails |= breaks && relays.counts.stored > FILLED;
	}
}

/* When something happens next; UINT64_MAX: never. */
static uint64_t next_of_all(const struct end ends[2], bool up, uint64_t now_ns)
{
	uint64_t next_ns = up ? relays_next_ns(&relays) : UINT64_MAX;

	if (flight_count && flights[first_flight()].at_ns < next_ns)
		next_ns = flights[first_flight()].at_ns;
	for (unsigned int i = 0; i < 2; i++) {
		if (half_next_ns(&ends[i].half) < next_ns)
			next_ns = half_next_ns(&ends[i].half);
		if (ends[i].resume_ns > now_ns && ends[i].resume_ns < next_ns)
			next_ns = ends[i].resume_ns;
	}
	return next_ns;
}

/* What a host does when the first crash has come. */
static void after_crash(struct end *ends, const char *what, uint64_t now_ns)
{
	unsigned int host = *what == 's' ? SERVER : CLIENT;

	if (strstr(what, "-gone"))
		silent_ns[host] = UINT64_MAX;
	else if (strstr(what, "-away"))
		silent_ns[host] = now_ns + AWAY_NS;
	else if (strstr(what, "-forgets"))
		ends[host].forgets = true;
	if (ends[host].forgets)
		half_reset(&ends[host].half);
}

/* Whether neither host has anything to say any more. One that was not reset, since a3d forgot it, still has. */
static bool is_ended(const struct end ends[2])
{
	return (ended(&ends[0]) && ended(&ends[1])) ||
	       (!orphan && (ends[0].half.state != HALF_OPEN || ends[1].half.state != HALF_OPEN));
}

/* Whether both hosts have got everything; then they forget the connection after a while. */
static bool all_done(struct end *ends, uint64_t now_ns)
{
	static uint64_t done_ns;
	bool done = true;

	for (unsigned int i = 0; i < 2; i++)
		done &= ends[i].half.finished && ends[i].half.received == ends[1 - i].bytes &&
			(forgotten || ends[i].half.acked_end) && ends[i].half.state == HALF_OPEN;
	if (!done_ns && done)
		done_ns = now_ns;
	if (done_ns && now_ns >= done_ns + CLOSED_NS)
		ends[0].forgets = ends[1].forgets = true;
	return done_ns;
}

/* Whether what has become of the hosts is right. `acked`: what the server knew to be there before it was gone. */
static bool right_end(struct end *ends, const char *what, uint64_t acked, uint64_t now_ns)
{
	const struct half *server = &ends[SERVER].half, *client = &ends[CLIENT].half;

	if (all_done(ends, now_ns) || (ended(&ends[0]) && ended(&ends[1]) && client->received == ends[SERVER].bytes &&
				       server->received == ends[CLIENT].bytes))
		return true;
	if (!strcmp(what, "all") || !strcmp(what, "client-away"))
		return false;
	if (forgotten && *what != 's')
		return true; /* a3d resets both */
	if (*what == 's') /* it may have given up itself, if it had something to say */
		return (client->state == HALF_RESET_BY_HOST || client->state == HALF_GONE || forgotten) &&
		       client->received >= acked;
	return server->state == HALF_RESET_BY_HOST || server->state == HALF_GONE;
}

static int play_relay(char **words)
{
	static struct end ends[2];
	const unsigned int harm[3] = { (unsigned int)atoi(words[3]), (unsigned int)atoi(words[4]),
				       (unsigned int)atoi(words[5]) };
	const uint64_t crash_ns = strtoull(words[10], NULL, 10) * MS_NS, down_ns = strtoull(words[11], NULL, 10) * MS_NS;
	const uint64_t crash_calls = *words[10] == 'c' ? strtoull(words[10] + 1, NULL, 10) : 0;
	const char *what = words[12], *disk = words[13];
	uint64_t now_ns = MS_NS, next_ns, event_ns = crash_ns ? crash_ns : UINT64_MAX, server_ns = 0, client_ns = 0,
		 near_ns = 0;
	bool up = true, right, whole = !strcmp(what, "all") || strchr(what, '-');
	unsigned int crashes = 0;
	uint64_t acked = 0;

	seed = strtoull(words[0], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
	the_seed = seed;
	for (unsigned int i = 0; i < 2; i++)
		begin_end(&ends[i], i, words);
	relay_settings.ib = strcmp(words[8], "-");
	relay_settings.folder = relay_settings.ib ? open(words[8], O_RDONLY | O_DIRECTORY) : -1;
	relay_settings.quota = strtoull(words[9], NULL, 10);
	relay_settings.changed = note;
	if (relay_settings.ib)
		disk_begin(relay_settings.folder, chance);
	relays_begin(&relays, &relay_settings, now_ns);
	take_over(ends, now_ns);
	disk_fails = !strcmp(disk, "failing");
	disk_fails_folder = !strcmp(disk, "folder");
	fills = !strcmp(disk, "fills");
	breaks = !strcmp(disk, "breaks");
	mtu = atoi(words[14]);
	disk_full = !strcmp(disk, "full");
	disk_copies = !strcmp(disk, "copies");
	disk_lies = !strcmp(disk, "lying");
	disk_dies_at = crash_calls ? disk_calls + crash_calls : UINT64_MAX;
	while (now_ns < LONGEST_NS && !forgotten) {
		for (unsigned int i = 0; i < 2; i++)
			read_bytes(&ends[i], now_ns);
		all_done(ends, now_ns);
		if (!whole && ends[*what == 's' ? SERVER : CLIENT].half.state == HALF_OPEN &&
		    (*what == 's' ? ends[SERVER].half.acked : ends[CLIENT].half.received) >= RESET_AT) {
			half_reset(&ends[*what == 's' ? SERVER : CLIENT].half);
			acked = ends[SERVER].half.acked;
		}
		send_all(ends, up, now_ns, harm);
		server_ns = !server_ns && ends[SERVER].half.acked >= ends[SERVER].bytes ? now_ns : server_ns;
		client_ns = !client_ns && ends[CLIENT].half.received == ends[SERVER].bytes ? now_ns : client_ns;
		near_ns = !near_ns && ends[SERVER].half.received == ends[CLIENT].bytes ? now_ns : near_ns;
		if (up && disk_dead)
			event_ns = now_ns;
		next_ns = next_of_all(ends, up, now_ns);
		next_ns = event_ns < next_ns ? event_ns : next_ns;
		if (next_ns == UINT64_MAX ||
		    (up && !disk_dead && !relays.open && !flight_count && (is_ended(ends) || !whole)))
			break;
		now_ns = next_ns > now_ns ? next_ns : now_ns;
		if (now_ns >= event_ns) {
			if (up) {
				if (!crashes) {
					acked = ends[SERVER].half.acked - ends[SERVER].half.acked_end;
					after_crash(ends, what, now_ns);
				}
				disk_dead = true;
				relays_end(&relays);
				disk_crash(breaks || !strcmp(disk, "power"));
			} else {
				disk_dies_at = crash_calls && crashes + 1 < CRASHES ? disk_calls + crash_calls : UINT64_MAX;
				relays_begin(&relays, &relay_settings, now_ns);
				orphan |= noted && !relays.open;
			}
			up = !up;
			crashes += up;
			event_ns = !up ? now_ns + down_ns : crash_ns && crashes < CRASHES ? now_ns + crash_ns : UINT64_MAX;
		}
		while (flight_count && flights[first_flight()].at_ns <= now_ns)
			land_anywhere(ends, up);
	}
	right = disk_lies ? ends[CLIENT].half.state == HALF_RESET_BY_HOST :
		breaks	  ? ends[CLIENT].half.received >= acked :
			    right_end(ends, what, acked, now_ns);
	right &= !ends[0].wrong && !ends[1].wrong && up && !relays.open &&
		 (!noted || orphan || disk_lies || breaks || strstr(what, "-gone"));
	for (unsigned int i = 0; i < 2; i++)
		half_end(&ends[i].half);
	printf("{\"ms\": %" PRIu64 ", \"server_ms\": %" PRIu64 ", \"client_ms\": %" PRIu64 ", \"near_ms\": %" PRIu64 ", \"wrong\": %" PRIu64
	       ", \"right\": %d, \"received\": [%" PRIu64 ", %" PRIu64 "], \"acked\": %" PRIu64 ", \"crashes\": %u, \"stored\": %" PRIu64
	       ", \"resumed\": %" PRIu64 ", \"resets\": %" PRIu64 ", \"full\": %" PRIu64 ", \"states\": [%d, %d], \"open\": %u"
	       ", \"noted\": %d, \"orphan\": %d, \"forgotten\": %d, \"syncs\": %" PRIu64
	       ", \"calls\": %" PRIu64 "}\n",
	       now_ns / MS_NS, server_ns / MS_NS, client_ns / MS_NS, near_ns / MS_NS, ends[0].wrong + ends[1].wrong, right,
	       ends[0].half.received, ends[1].half.received, acked, crashes, relays.counts.stored, relays.counts.resumed,
	       relays.counts.resets, relays.counts.full, ends[0].half.state, ends[1].half.state, relays.open, noted, orphan,
	       forgotten, relays.counts.syncs, disk_calls);
	relays_end(&relays);
	return right ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc == 8 && !strcmp(argv[1], "host"))
		return play_host(argv + 2);
	if (argc == 10 && !strcmp(argv[1], "line"))
		return play_line(argv + 2);
	if (argc == 17 && !strcmp(argv[1], "relay"))
		return play_relay(argv + 2);
	return 2;
}
