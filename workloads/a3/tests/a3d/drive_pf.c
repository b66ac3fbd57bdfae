/* SPDX-License-Identifier: MIT */
/*
 * PF without packets: what happens, and which packets may leave.
 *
 *	drive_pf server|alone RATE-BPS LIMIT MOST-US < lines
 *	drive_pf monitor < lines
 *	drive_pf listen NUMBER MOST
 *
 * A line of the first one is a time in microseconds, and one of
 *
 *	begin CONNECTION DEVICE, forget CONNECTION
 *	request CONNECTION OFFSET EXCHANGE TARGET	TARGET -: a page; server's side: none
 *	answer CONNECTION EXCHANGE ENDED, notice CONNECTION OFFSET CLASS
 *	said DEVICE TARGET CLASS
 *	leave CONNECTION BYTES SEQ END			CONNECTION -: it is not followed. Packets have numbers, from 0
 *
 * Before each that does not begin with a +, it prints which packets leave, or are dropped, up to this time ("go TIME-NS NUMBER", "gone …"); of "leave",
 * "pass", "hold" or "drop"; after the last line, what leaves later, and the counts. As monitor, a line is a datagram in
 * hexadecimal ("-": empty): it prints what it says, or "refused". Each has its own memory, for AddressSanitizer. With listen,
 * it sends itself so many datagrams of IPv4, and takes this many at a time; it prints how many it has got each time.
 */
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "listen.h"
#include "monitor.h"
#include "pf.h"

enum {
	CONNECTIONS = 64,
};

static struct pf pf;
static struct pf_memory *memories[CONNECTIONS];

static void go_until(uint64_t until_ns)
{
	static uint64_t now_ns; /* it never goes back */
	uint64_t at_ns;
	struct pf_ticket ticket;
	bool passes;

	while ((at_ns = pf_next_ns(&pf)) <= until_ns && at_ns != UINT64_MAX) {
		if (at_ns > now_ns)
			now_ns = at_ns;
		if (pf_due(&pf, now_ns, &ticket, &passes))
			printf("%s %" PRIu64 " %" PRIu32 "\n", passes ? "go" : "gone", now_ns, ticket.id);
		else if (at_ns)
			exit(4); /* it said that there is one */
	}
	if (until_ns != UINT64_MAX && until_ns > now_ns)
		now_ns = until_ns;
}

static const uint8_t *device(const char *name)
{
	static uint8_t address[PF_ADDRESS];

	memset(address, 0, sizeof(address));
	memcpy(address, name, strlen(name) < sizeof(address) ? strlen(name) : sizeof(address));
	return address;
}

static void said(const char *of, const char *target, unsigned int class)
{
	uint64_t object = pf_object(target, strlen(target)), offset;

	pf_said(&pf, device(of), object, (enum pf_class)class);
	for (unsigned int i = 0; i < CONNECTIONS; i++)
		while (memories[i] && memories[i] == pf_connection(memories[i], device(of)) &&
		       pf_said_of(&pf, memories[i], object, (enum pf_class)class, &offset))
			printf("tell %u %" PRIu64 "\n", i, offset);
}

static void leave(const char *words, uint64_t now_ns)
{
	static const char *const verdicts[] = { "pass", "hold", "drop" };
	static uint32_t number;
	struct pf_segment segment;
	char connection[8];

	if (sscanf(words, "%7s %zu %" SCNu32 " %" SCNu32, connection, &segment.bytes, &segment.seq, &segment.end) != 4)
		exit(2);
	puts(verdicts[pf_leave(&pf, *connection == '-' ? NULL : memories[atoi(connection)], &segment,
			       (struct pf_ticket){ .id = number++ }, now_ns)]);
}

static void act(const char *what, const char *words, uint64_t now_ns)
{
	char name[64], target[2000];
	unsigned int connection, number, flag;
	uint64_t offset;

	if (!strcmp(what, "begin") && sscanf(words, "%u %63s", &connection, name) == 2) {
		memories[connection] = malloc(sizeof(struct pf_memory));
		pf_begin(&pf, memories[connection], device(name));
	} else if (!strcmp(what, "forget") && sscanf(words, "%u", &connection) == 1) {
		pf_forget(&pf, memories[connection]);
		free(memories[connection]);
		memories[connection] = NULL;
	} else if (!strcmp(what, "request") &&
		   sscanf(words, "%u %" SCNu64 " %u %1999s", &connection, &offset, &number, target) == 4) {
		printf("class %d\n",
		       (int)pf_request(&pf, memories[connection], offset, number,
				       *target == '-' ? 0 : pf_object(target, strlen(target))));
	} else if (!strcmp(what, "answer") && sscanf(words, "%u %u %u", &connection, &number, &flag) == 3) {
		pf_answer(memories[connection], number, flag);
	} else if (!strcmp(what, "notice") && sscanf(words, "%u %" SCNu64 " %u", &connection, &offset, &flag) == 3) {
		pf_notice(&pf, memories[connection], offset, (enum pf_class)flag);
	} else if (!strcmp(what, "said") && sscanf(words, "%63s %1999s %u", name, target, &flag) == 3) {
		said(name, target, flag);
	} else if (!strcmp(what, "leave")) {
		leave(words, now_ns);
	} else {
		exit(2);
	}
}

static void print_object(void *context, bool on_screen, const char *target, size_t length)
{
	(void)context;
	printf("%d ", on_screen);
	for (size_t i = 0; i < length; i++)
		printf("%02x", (unsigned char)target[i]);
	putchar('\n');
}

static void read_monitor(const char *hex)
{
	size_t length = *hex == '-' ? 0 : strlen(hex) / 2;
	uint8_t *bytes = malloc(length ? length : 1);

	for (size_t i = 0; i < length; i++)
		sscanf(hex + 2 * i, "%2hhx", &bytes[i]);
	if (!monitor_read(bytes, length, print_object, NULL))
		puts("refused");
	free(bytes);
}

static void count_datagram(void *context, const uint8_t address[16], const uint8_t *bytes, size_t length)
{
	static const uint8_t here[16] = { 127, 0, 0, 1 };

	if (memcmp(address, here, sizeof(here)) || length != 1 || *bytes != 'x')
		exit(5);
	++*(unsigned int *)context;
}

static int hear_itself(unsigned int number, unsigned int most)
{
	struct sockaddr_in6 own;
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int in = listen_open(0), out = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t room = sizeof(own);
	unsigned int got;

	if (in < 0 || out < 0 || getsockname(in, (struct sockaddr *)&own, &room))
		return 6;
	to.sin_port = own.sin6_port;
	for (unsigned int i = 0; i < number; i++)
		if (sendto(out, "x", 1, 0, (const struct sockaddr *)&to, sizeof(to)) != 1)
			return 6;
	do {
		got = 0;
		listen_take(in, most, count_datagram, &got);
		printf("%u\n", got);
	} while (got);
	close(in);
	close(out);
	return 0;
}

int main(int argc, char **argv)
{
	static char line[1 << 17];
	bool monitor = argc == 2 && !strcmp(argv[1], "monitor");
	uint64_t now_us;
	char what[16];
	int at;

	if (argc == 4 && !strcmp(argv[1], "listen"))
		return hear_itself((unsigned int)atoi(argv[2]), (unsigned int)atoi(argv[3]));
	if (!monitor && argc != 5)
		return 2;
	if (!monitor)
		pf.settings = (struct pf_settings){ .on = true,
						    .alone = !strcmp(argv[1], "alone"),
						    .rate_bps = strtoull(argv[2], NULL, 10),
						    .limit = (unsigned int)atoi(argv[3]),
						    .most_ns = strtoull(argv[4], NULL, 10) * 1000 };
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		if (monitor) {
			read_monitor(line);
			continue;
		}
		if (sscanf(line, "%" SCNu64 " %15s %n", &now_us, what, &at) < 2)
			return 2;
		if (*what != '+')
			go_until(now_us * 1000);
		act(what + (*what == '+'), line + at, now_us * 1000);
	}
	if (monitor)
		return 0;
	go_until(UINT64_MAX);
	for (unsigned int i = 0; i < CONNECTIONS; i++)
		if (memories[i]) {
			pf_forget(&pf, memories[i]);
			free(memories[i]);
		}
	printf("{\"requests\": %" PRIu64 ", \"later\": %" PRIu64 ", \"held\": %" PRIu64 ", \"overtaken\": %" PRIu64
	       ", \"overdue\": %" PRIu64 ", \"repeated\": %" PRIu64 ", \"dropped\": %" PRIu64 ", \"waiting\": %u}\n",
	       pf.counts.requests, pf.counts.later, pf.counts.held, pf.counts.overtaken, pf.counts.overdue,
	       pf.counts.repeated, pf.counts.dropped, pf.waiting);
	return pf.waiting || pf.bytes || pf.dropped || pf.memories ? 3 : 0;
}
