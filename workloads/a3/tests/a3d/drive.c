/* SPDX-License-Identifier: MIT */
/*
 * Packets in, packets out: what a3d does, without netfilter and without a clock.
 *
 *	drive track < lines
 *	drive client|server COPIES STAGGER ALPHA-US [TABLES [plain]] [pf=PF] [ib=FOLDER] < lines
 *	drive words < text
 *	drive ib client|server FOLDER < lines
 *
 * A line is the time in microseconds, and a packet in hexadecimal, or "-" for none, or "leave" (a3d is ending), and "card", if the kernel has left its
 * checksum to a network card. As track, it prints for each what track_segment() says, then bytes that are in order (0 or 1
 * for the direction, and the bytes), and why a connection is left. As client or server, it prints what a3d sends before that time (the time, and the packet), and "pass", "drop" or
 * "change" with another packet; after the last line, what it sends later. TABLES is a folder, with AE on; if there is a file
 * of this name and ".key", it has the secret.
 * PF is "on", "alone" or a rate in bit/s: then it also prints "held", and when what was held leaves, or is dropped ("go" or
 * "gone", the time, the number of the packet, from 0), and a line may be a time, an address (@ and hexadecimal) and what a
 * monitor there says.
 *
 * As words, it prints how many slots of the table of a text are used in a row, at most: so long does it look for a word.
 *
 * As ib, IB is on and RAR is not; with FOLDER, it is on next to other elements. A packet may be followed by "changed", if
 * it is of such a connection; "changed 1" and "changed 0" are printed when a connection is, or no longer; what is sent is
 * printed up to a minute after the last line.
 *
 * Then come the counts. Each packet has its own memory, so that AddressSanitizer sees what reads behind its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "private.h"
#include "store.h"

static struct chain chain;
static uint64_t last_ns = UINT64_MAX; /* nothing is sent after it */
static struct store store;

static uint8_t nibble(char digit)
{
	return (uint8_t)(digit >= 'a' ? digit - 'a' + 10 : digit - '0');
}

static uint8_t *bytes_of(const char *hex, size_t *length)
{
	uint8_t *bytes;

	*length = strlen(hex) / 2;
	bytes = malloc(*length ? *length : 1);
	if (!bytes)
		exit(1);
	for (size_t i = 0; i < *length; i++)
		bytes[i] = (uint8_t)(nibble(hex[2 * i]) << 4 | nibble(hex[2 * i + 1]));
	return bytes;
}

static void print_hex(const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		printf("%02x", bytes[i]);
	putchar('\n');
}

static void print_bytes(void *context, struct track_connection *connection, enum track_direction direction,
			const uint8_t *bytes, size_t length)
{
	(void)context;
	printf("bytes %u %u ", connection->client.port, direction);
	print_hex(bytes, length);
}

static void track_one(const uint8_t *packet, size_t length, uint64_t now_ns)
{
	static const char *const kinds[] = { "nothing", "new", "ahead", "repeated", "not-followed" };
	struct segment segment;
	struct track_seen seen;

	if (!segment_read(&segment, packet, length)) {
		puts("none");
		return;
	}
	seen = track_segment(&chain.track, &segment, now_ns);
	if (!seen.connection)
		puts("no-place");
	else
		printf("%s %d %d %" PRIu64 " %" PRIu64 "\n", kinds[seen.kind], seen.connection->left,
		       seen.connection->closed, seen.connection->flow[TRACK_TO_SERVER].handshake_ns,
		       seen.connection->flow[TRACK_TO_CLIENT].handshake_ns);
}

/* Print what is sent up to a time. */
static void send_until(uint64_t until_ns)
{
	static uint64_t now_ns; /* it never goes back */
	struct rar_packet packet;
	struct pf_ticket ticket;
	uint64_t at_ns;
	bool passes;

	while ((at_ns = chain_next_ns(&chain)) <= until_ns && at_ns != UINT64_MAX && at_ns < last_ns) {
		at_ns = now_ns = at_ns > now_ns ? at_ns : now_ns;
		while (chain_release(&chain, at_ns, &ticket, &passes))
			printf("%s %" PRIu64 " %" PRIu32 "\n", passes ? "go" : "gone", at_ns, ticket.id);
		if (!chain_due(&chain, at_ns, &packet))
			continue;
		printf("send %" PRIu64 " ", at_ns);
		print_hex(packet.bytes, packet.length);
	}
	if (until_ns != UINT64_MAX && until_ns > now_ns)
		now_ns = until_ns;
}

static void print_verdict(enum chain_verdict verdict)
{
	if (verdict == CHAIN_CHANGED) {
		printf("change ");
		print_hex(chain.changed, chain.changed_length);
	} else {
		puts(verdict == CHAIN_PASS ? "pass" : verdict == CHAIN_HELD ? "held" : "drop");
	}
	fflush(stdout);
}

static void print_counts(void)
{
	const struct rar_counts *rar = &chain.rar.counts;
	const struct ae_counts *ae = &chain.ae.counts;

	printf("{\"stored\": %zu, \"connections\": %" PRIu64 ", \"not_followed\": %" PRIu64 ", \"left\": [",
	       chain.track.stored, chain.track.counts.connections, chain.track.counts.not_followed);
	for (unsigned int i = 0; i < TRACK_LEFT_KINDS; i++)
		printf("%s%" PRIu64, i ? ", " : "", chain.track.counts.left[i]);
	printf("], \"far_ends\": %" PRIu64 ", \"no_far_end\": %" PRIu64 ", \"encoded\": %" PRIu64 ", \"plain_bytes\": %" PRIu64
	       ", \"encoded_bytes\": %" PRIu64 ", \"incompressible\": %" PRIu64 ", \"repeated\": %" PRIu64
	       ", \"off\": %" PRIu64 ", \"decoded\": %" PRIu64 ", \"refused\": %" PRIu64 ", \"mails\": %" PRIu64
	       ", \"behind\": %" PRIu64 ", \"no_table\": %" PRIu64,
	       ae->far_ends, ae->no_far_end, ae->encoded, ae->bytes, ae->encoded_bytes, ae->incompressible, ae->repeated,
	       ae->off, ae->decoded, ae->refused, ae->mails, ae->behind, ae->no_room + store.errors);
	printf(", \"pf_held\": %" PRIu64, chain.pf.counts.held);
	printf(", \"thin\": %" PRIu64 ", \"copies\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"alarms\": %" PRIu64
	       ", \"given_up\": %" PRIu64 ", \"no_room\": %" PRIu64 ", \"filtered\": %" PRIu64 ", \"waiting\": %u"
	       ", \"pf_requests\": %" PRIu64 ", \"pf_later\": %" PRIu64 ", \"pf_refused\": %" PRIu64
	       ", \"pf_notices\": %" PRIu64 ", \"pf_waiting\": %u, \"taken\": %" PRIu64 ", \"resumed\": %" PRIu64
	       ", \"lost\": %" PRIu64 ", \"not_taken\": %" PRIu64 "}\n",
	       rar->thin, rar->copies, rar->bytes, rar->alarms, rar->given_up, rar->no_room, rar->filtered,
	       chain.rar.waiting, chain.pf.counts.requests, chain.pf.counts.later, chain.pf.counts.refused,
	       chain.counts.notices, chain.pf.waiting, chain.relays.counts.taken, chain.relays.counts.resumed,
	       chain.counts.refused, chain.relays.counts.no_room);
}

static void set_pf(struct pf_settings *pf, const char *how)
{
	*pf = (struct pf_settings){ .on = true, .alone = !strcmp(how, "alone"), .limit = 50, .most_ns = 800000000 };
	pf->rate_bps = strtoull(how, NULL, 10);
}

static void hear(const char *address, const char *hex, uint64_t now_ns)
{
	uint8_t *bytes, *from, all[16] = { 0 };
	size_t length;

	send_until(now_ns);
	from = bytes_of(address, &length);
	memcpy(all, from, length < 16 ? length : 16);
	bytes = bytes_of(hex, &length);
	chain_monitor(&chain, all, bytes, length);
	free(bytes);
	free(from);
}

static bool print_changed(void *context, uint8_t version, const struct segment_end *client, const struct segment_end *server,
			  bool on)
{
	(void)context;
	printf("changed %d %u %u %u\n", on, version, client->port, server->port);
	return true;
}

/* The same ones each time. */
static void seed_tables(void)
{
	uint64_t seeds[TABLE_SEEDS], number = 1;

	for (unsigned int i = 0; i < TABLE_SEEDS; i++)
		seeds[i] = number = number * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	table_seed(seeds);
}

static int open_tables(struct ae_settings *ae, const char *folder, bool plain)
{
	char path[4096];

	if (!store_open(&store, folder))
		return -1;
	*ae = (struct ae_settings){ .on = true, .plain = plain, .store = store_of(&store) };
	snprintf(path, sizeof(path), "%s.key", folder);
	seed_tables();
	return private_key(path, ae->key) && errno != ENOENT ? -1 : 0;
}

static int print_words(void)
{
	static struct table table;
	struct table_text text = { .length = 0 };
	unsigned int longest = 0, now = 0;
	int byte;

	seed_tables();
	while ((byte = getchar()) != EOF)
		table_read_text(&table, &text, &(uint8_t){ (uint8_t)byte }, 1);
	for (unsigned int i = 0; i < 2 * TABLE_SLOTS; i++) {
		now = table.slots[i % TABLE_SLOTS] ? now + 1 : 0;
		longest = now > longest ? now : longest;
	}
	printf("%u %u\n", table.count, longest);
	return 0;
}

static void read_ib(struct chain_settings *settings, const char *folder)
{
	settings->relay = (struct relay_settings){ .ib = true,
						   .folder = open(folder, O_RDONLY | O_DIRECTORY),
						   .quota = 1 << 20,
						   .quota_all = 2 << 20,
						   .behind = RELAY_BEHIND,
						   .least_rto_ns = HALF_LEAST_RTO_NS,
						   .changed = print_changed };
	if (settings->relay.folder < 0)
		exit(2);
}

int main(int argc, char **argv)
{
	static char line[1 << 18], hex[1 << 17], more[1 << 17];
	uint32_t number = 0;
	struct chain_settings settings = { .side = CHAIN_CLIENT, .rar = { .stagger = 10 } };
	bool track = argc == 2 && !strcmp(argv[1], "track");
	bool ib = argc == 4 && !strcmp(argv[1], "ib");
	uint64_t now_us = 0;

	if (argc == 2 && !strcmp(argv[1], "words"))
		return print_words();
	if (ib) {
		settings.side = strcmp(argv[2], "client") ? CHAIN_SERVER : CHAIN_CLIENT;
		read_ib(&settings, argv[3]);
	} else if (!track) {
		if (argc > 5 && !strncmp(argv[argc - 1], "ib=", 3)) {
			read_ib(&settings, argv[--argc] + 3);
			ib = true;
		}
		if (argc > 5 && !strncmp(argv[argc - 1], "pf=", 3))
			set_pf(&settings.pf, argv[--argc] + 3);
		if (argc < 5 || argc > 7 || (argc > 5 && open_tables(&settings.ae, argv[5], argc > 6)))
			return 2;
		settings.rar_on = true;
		settings.side = strcmp(argv[1], "client") ? CHAIN_SERVER : CHAIN_CLIENT;
		settings.rar.copies = (unsigned int)atoi(argv[2]);
		settings.rar.stagger = (unsigned int)atoi(argv[3]);
		settings.rar.alpha_ns = strtoull(argv[4], NULL, 10) * 1000;
	}
	chain_begin(&chain, &settings, 0);
	if (track) {
		chain.track.bytes = print_bytes;
		chain.track.released = NULL;
	}
	while (fgets(line, sizeof(line), stdin)) {
		uint8_t *packet;
		size_t length;

		*hex = *more = 0;
		if (sscanf(line, "%" SCNu64 " %131071s %131071s", &now_us, hex, more) < 1)
			return 2;
		if (*hex == '@') {
			hear(hex + 1, more, now_us * 1000);
			continue;
		}
		if (!strcmp(hex, "leave")) {
			send_until(now_us * 1000);
			chain_leave(&chain, now_us * 1000);
			continue;
		}
		packet = bytes_of(*hex == '-' ? "" : hex, &length);
		if (track) {
			track_one(packet, length, now_us * 1000);
		} else {
			send_until(now_us * 1000);
			print_verdict(chain_packet(&chain, packet, length,
						   !strcmp(more, "changed") ? CHAIN_IS_CHANGED :
						   !strcmp(more, "card")    ? CHAIN_LEFT_TO_CARD :
									      0,
						   now_us * 1000, (struct pf_ticket){ .id = number++ }));
		}
		free(packet);
	}
	if (ib)
		last_ns = now_us * 1000 + UINT64_C(60000000000);
	if (!track)
		send_until(UINT64_MAX);
	if (ib)
		chain_end(&chain); /* what it takes back is printed */
	print_counts();
	if (!ib)
		chain_end(&chain);
	if (argc > 5)
		store_close(&store);
	return chain.track.stored || chain.rar.waiting || chain.ae.mails || chain.pf.waiting || chain.pf.memories ? 3 : 0;
}
