/* SPDX-License-Identifier: MIT */
/*
 * Halves of TCP connections, without a network and without a clock.
 *
 *	drive_half host VERSION MSS SCALE SACK STAMPS WINDOW BELIEVES < lines
 *	drive_half line SEED BYTES OTHER-BYTES LOSS REPEATED REORDERED ROOM PAUSE-MS
 *	drive_half relay SEED BYTES OTHER-BYTES LOSS REPEATED REORDERED ROOM PAUSE-MS FOLDER QUOTA CRASH-MS DOWN-MS WHAT
 *
 * As host, it is one half. A line is the time in microseconds and what happens: a packet of the host in hexadecimal;
 * "offer N", "end N" (with a FIN), "permit N", "permit-end N", "take N", "skip N", "ask", "reset" or "nothing". It prints
 * what is handed over ("bytes" and hexadecimal), what is sent before or then ("send", the time in microseconds, the packet),
 * and, as the last line, its state. Byte N of what it sends is N % 251.
 *
 * As line, it is two halves with a line of 20 ms between them, which loses, repeats and delays of 1000 packets so many,
 * by a seed. Each sends bytes and then its FIN; the second one takes ROOM bytes and reads them at once, or after pauses.
 * It prints how long all took, and ends with 1 if a byte was wrong, or if one half did not end.
 *
 * As relay, the first half is a server and the second one a client, with a relay between; IB is on if FOLDER is not "-".
 * Every CRASH-MS, up to five times, the relay crashes and is back after DOWN-MS: what was not synced is gone, and there is a
 * torn record. WHAT is "all", or who resets when it has got 20 000 bytes, or sent them: "client" or "server".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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
	if (segment_read(&segment, bytes, length) && segment.whole && !(segment.flags & SEGMENT_URG))
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
		.believes = atoi(words[6]),
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
			half_skip(&half, number, false);
		else if (!strcmp(what, "reset"))
			half_reset(&half);
		else if (!strcmp(what, "ask"))
			print_packet(packet, half_ask(&half, before_ns, packet, sizeof(packet)), before_ns);
		else if (strcmp(what, "nothing"))
			packet_came(&half, what, before_ns);
		send_until(&half, before_ns, before_ns);
	}
	printf("{\"state\": %d, \"received\": %" PRIu64 ", \"finished\": %d, \"acked\": %" PRIu64 ", \"acked_end\": %d, "
	       "\"stored\": %zu, \"segments\": %" PRIu64 ", \"repeated\": %" PRIu64 ", \"cwnd\": %" PRIu64 "}\n",
	       half.state, half.received, half.finished, half.acked, half.acked_end, half.stored, half.segments,
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
};

struct flight {
	uint64_t at_ns;
	unsigned int to;
	size_t length;
	uint8_t packet[HALF_PACKET];
};

static struct flight flights[IN_FLIGHT];
static unsigned int flight_count;
static uint64_t seed;

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
		.version = 4,
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
};

static struct relays relays;
static struct relay_settings relay_settings = { .inward = TRACK_TO_CLIENT,
						.quota_all = 1 << 30,
						.least_rto_ns = HALF_LEAST_RTO_NS };
static uint64_t synced; /* bytes of the journal */
static bool noted; /* that the connection is changed */
static bool forgotten; /* it is over, and not known any more */

int __wrap_fdatasync(int file);
int __wrap_fsync(int file);

int __wrap_fdatasync(int file)
{
	struct stat about;

	if (fstat(file, &about))
		return -1;
	if (S_ISREG(about.st_mode))
		synced = (uint64_t)about.st_size;
	return 0;
}

int __wrap_fsync(int file)
{
	return __wrap_fdatasync(file);
}

static bool note(void *context, uint8_t version, const struct segment_end *client, const struct segment_end *server,
		 bool on)
{
	(void)context;
	noted = on && version == 4 && client->port == 2 && server->port == 1;
	return true;
}

/* What is not synced is lost; a part of a record is there. */
static void crash(void)
{
	static const char torn[] = "1b3a, and what a torn record has";
	int file = openat(relay_settings.folder, "0", O_RDWR);

	relays_end(&relays);
	if (file < 0)
		return;
	if (ftruncate(file, (off_t)synced) || pwrite(file, torn, chance() % sizeof(torn), (off_t)synced) < 0)
		exit(1);
	close(file);
}

static void take_over(const struct end ends[2], uint64_t now_ns)
{
	struct track_connection connection = { .version = 4,
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
	if (!relays_take(&relays, &connection, NULL, NULL, now_ns))
		exit(1);
}

static void land_anywhere(struct end *ends, bool up)
{
	unsigned int which = first_flight();
	struct segment segment;
	struct flight one;

	if (flights[which].to != RELAY) {
		land(ends, which);
		return;
	}
	one = flights[which];
	memmove(flights + which, flights + which + 1, (flight_count - which - 1) * sizeof(one));
	flight_count--;
	if (!up || (segment_read(&segment, one.packet, one.length) && relays_segment(&relays, &segment, one.at_ns)))
		return;
	/* a connection that was over before a crash is not known any more; a3d answers with resets */
	forgotten = !relays.open && ends[SERVER].half.finished && ends[CLIENT].half.finished;
	if (!forgotten) {
		puts("a packet would pass");
		exit(1);
	}
}

static void send_all(struct end *ends, bool up, uint64_t now_ns, const unsigned int harm[3])
{
	struct relay_packet made;
	uint8_t packet[HALF_PACKET];
	size_t length;

	for (unsigned int i = 0; i < 2; i++)
		while ((length = half_due(&ends[i].half, now_ns, packet, sizeof(packet))))
			for (unsigned int copies = 1 + (chance() < harm[1]); copies; copies--)
				if (chance() >= harm[0])
					fly(RELAY, now_ns, packet, length, harm[2]);
	while (up && relays_due(&relays, now_ns, &made)) {
		if (!noted && !(made.bytes[33] & SEGMENT_RST)) {
			puts("it was not noted");
			exit(1);
		}
		for (unsigned int copies = 1 + (chance() < harm[1]); copies; copies--)
			if (chance() >= harm[0])
				fly(made.outward ? SERVER : CLIENT, now_ns, made.bytes, made.length, harm[2]);
	}
}

static int play_relay(char **words)
{
	static struct end ends[2];
	const unsigned int harm[3] = { (unsigned int)atoi(words[3]), (unsigned int)atoi(words[4]),
				       (unsigned int)atoi(words[5]) };
	const uint64_t crash_ns = strtoull(words[10], NULL, 10) * MS_NS, down_ns = strtoull(words[11], NULL, 10) * MS_NS;
	uint64_t now_ns = MS_NS, next_ns, event_ns = crash_ns ? crash_ns : UINT64_MAX, server_ns = 0, client_ns = 0;
	unsigned int crashes = 0, stored;
	bool up = true, right = true, whole = !strcmp(words[12], "all");
	uint64_t read_at_reset = 0;

	seed = strtoull(words[0], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
	for (unsigned int i = 0; i < 2; i++)
		begin_end(&ends[i], i, words);
	relay_settings.ib = strcmp(words[8], "-");
	relay_settings.folder = relay_settings.ib ? open(words[8], O_RDONLY | O_DIRECTORY) : -1;
	relay_settings.quota = strtoull(words[9], NULL, 10);
	relay_settings.changed = note;
	relays_begin(&relays, &relay_settings, now_ns);
	take_over(ends, now_ns);
	while (!(ended(&ends[0]) && ended(&ends[1])) && !forgotten && now_ns < 3000000 * MS_NS) {
		for (unsigned int i = 0; i < 2; i++)
			read_bytes(&ends[i], now_ns);
		if (!whole && ends[*words[12] == 's' ? SERVER : CLIENT].half.state == HALF_OPEN &&
		    (*words[12] == 's' ? ends[SERVER].half.acked : ends[CLIENT].half.received) >= RESET_AT) {
			half_reset(&ends[*words[12] == 's' ? SERVER : CLIENT].half);
			read_at_reset = ends[SERVER].half.acked;
		}
		send_all(ends, up, now_ns, harm);
		server_ns = !server_ns && ends[SERVER].half.acked >= ends[SERVER].bytes ? now_ns : server_ns;
		client_ns = !client_ns && ends[CLIENT].half.received == ends[SERVER].bytes ? now_ns : client_ns;
		next_ns = up ? relays_next_ns(&relays) : UINT64_MAX;
		if (flight_count && flights[first_flight()].at_ns < next_ns)
			next_ns = flights[first_flight()].at_ns;
		for (unsigned int i = 0; i < 2; i++) {
			if (half_next_ns(&ends[i].half) < next_ns)
				next_ns = half_next_ns(&ends[i].half);
			if (ends[i].resume_ns > now_ns && ends[i].resume_ns < next_ns)
				next_ns = ends[i].resume_ns;
		}
		if (event_ns < next_ns)
			next_ns = event_ns;
		if (next_ns == UINT64_MAX || (!whole && !relays.open))
			break;
		now_ns = next_ns > now_ns ? next_ns : now_ns;
		if (now_ns >= event_ns) {
			if (up)
				crash();
			else
				relays_begin(&relays, &relay_settings, now_ns);
			up = !up;
			crashes += up;
			event_ns = !up ? now_ns + down_ns : crashes < CRASHES ? now_ns + crash_ns : UINT64_MAX;
		}
		while (flight_count && flights[first_flight()].at_ns <= now_ns)
			land_anywhere(ends, up);
	}
	for (unsigned int i = 0; i < 2; i++) {
		right &= !ends[i].wrong;
		if (whole)
			right &= (forgotten || ended(&ends[i])) && ends[i].half.received == ends[1 - i].bytes &&
				 ends[i].half.state == HALF_OPEN;
		else if (*words[12] == 's')
			right &= ends[CLIENT].half.state == HALF_RESET_BY_HOST && ends[CLIENT].half.received >= read_at_reset;
		else
			right &= ends[SERVER].half.state == HALF_RESET_BY_HOST;
		half_end(&ends[i].half);
	}
	stored = (unsigned int)relays.counts.stored;
	printf("{\"ms\": %" PRIu64 ", \"server_ms\": %" PRIu64 ", \"client_ms\": %" PRIu64 ", \"wrong\": %" PRIu64
	       ", \"right\": %d, \"received\": [%" PRIu64 ", %" PRIu64 "], \"crashes\": %u, \"stored\": %u, \"resumed\": %" PRIu64
	       ", \"resets\": %" PRIu64 ", \"full\": %" PRIu64 ", \"states\": [%d, %d]}\n",
	       now_ns / MS_NS, server_ns / MS_NS, client_ns / MS_NS, ends[0].wrong + ends[1].wrong, right,
	       ends[0].half.received, ends[1].half.received, crashes, stored, relays.counts.resumed, relays.counts.resets,
	       relays.counts.full, ends[0].half.state, ends[1].half.state);
	relays_end(&relays);
	return right ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc == 9 && !strcmp(argv[1], "host"))
		return play_host(argv + 2);
	if (argc == 10 && !strcmp(argv[1], "line"))
		return play_line(argv + 2);
	if (argc == 15 && !strcmp(argv[1], "relay"))
		return play_relay(argv + 2);
	return 2;
}
