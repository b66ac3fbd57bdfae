/* SPDX-License-Identifier: MIT */
/* Tests of what flow counts and of its packets, without sockets and clock. Names of tests: run them; none: list them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "packet.h"
#include "tally.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define START (UINT64_C(1767225600) * SECOND)

#define EQUAL(left, right) equal(__func__, __LINE__, #left, (int64_t)(left), (int64_t)(right))
#define NEAR(left, right) near(__func__, __LINE__, #left, left, right)

static void equal(const char *where, int line, const char *what, int64_t is, int64_t wanted)
{
	if (is == wanted)
		return;
	fprintf(stderr, "%s:%d: %s is %" PRId64 ", not %" PRId64 "\n", where, line, what, is, wanted);
	exit(1);
}

static void near(const char *where, int line, const char *what, double is, double wanted)
{
	if (fabs(is - wanted) <= 1e-9 * fabs(wanted) + 1e-9)
		return;
	fprintf(stderr, "%s:%d: %s is %.9g, not %.9g\n", where, line, what, is, wanted);
	exit(1);
}

static struct tally *new_tally(void)
{
	struct tally *const tally = calloc(1, sizeof(*tally));

	if (!tally)
		exit(1);
	tally->every_ns = SECOND;
	tally->to = fopen("/dev/null", "w");
	return tally;
}

static void delete(struct tally *tally)
{
	fclose(tally->to);
	free(tally);
}

/* A packet of 100 bytes, sent at sent_ms and arrived at at_ms after START. */
static void arrive(struct tally *tally, uint64_t number, uint64_t sent_ms, uint64_t at_ms)
{
	static const uint8_t pattern[100];
	const struct packet packet = { .type = PACKET_DATA, .length = 100, .number = number, .start_ns = START,
				       .sent_ns = START + sent_ms * MS };

	tally_packet(tally, &packet, pattern, START + at_ms * MS);
}

/* Each row: the numbers that arrive, how many were sent (0: unknown), and what must be counted. */
static void orders(void)
{
	enum { W = TALLY_WINDOW_PACKETS };
	static const struct {
		uint64_t numbers[8];
		size_t count;
		uint64_t sent;
		uint64_t packets;
		int64_t lost;
		uint64_t out_of_order, duplicates;
	} rows[] = {
		{ { 0, 1, 2, 3 }, 4, 4, 4, 0, 0, 0 },
		{ { 0, 3 }, 2, 0, 2, 2, 0, 0 },
		{ { 2 }, 1, 0, 1, 2, 0, 0 },			  /* the first ones are missing */
		{ { 0 }, 1, 5, 1, 4, 0, 0 },			  /* the last ones are missing */
		{ { 0, 2, 1 }, 3, 3, 3, 0, 1, 0 },
		{ { 4, 3, 2, 1, 0 }, 5, 5, 5, 0, 4, 0 },
		{ { 0, 0, 1, 1, 1 }, 5, 2, 2, 0, 0, 3 },
		{ { 0, 2, 1, 1, 2 }, 5, 3, 3, 0, 1, 2 },
		{ { 0, 5, 5, 3, 3 }, 5, 8, 3, 5, 1, 2 },
		{ { W, 0 }, 2, 0, 2, W - 1, 1, 0 },		  /* older than the window: counts as new */
		{ { 0, W - 1, 0 }, 3, 0, 2, W - 2, 0, 1 },	  /* the oldest in the window: known */
		{ { 0, W, 0 }, 3, 0, 3, W - 2, 1, 0 },		  /* just outside */
		{ { 1, W, 1 }, 3, 0, 2, W - 1, 0, 1 },
		{ { 3, 3 + W, 3 + 2 * W, 3 + W }, 4, 0, 4, 3 + 2 * W - 3, 1, 0 },
		{ { 0, 3 * W + 5, 3 * W + 4, 2 * W + 6 }, 4, 0, 4, 3 * W + 2, 2, 0 }, /* a jump forgets all bits */
		{ { 0, PACKET_NUMBER_MAX }, 2, 0, 2, PACKET_NUMBER_MAX - 1, 0, 0 },
		{ { PACKET_NUMBER_MAX, PACKET_NUMBER_MAX }, 2, 0, 1, PACKET_NUMBER_MAX, 0, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tally *const tally = new_tally();

		for (size_t k = 0; k < rows[i].count; k++)
			arrive(tally, rows[i].numbers[k], k, k + 1);
		if (rows[i].sent)
			tally_sent(tally, rows[i].sent);
		tally_end(tally, START + SECOND / 2);
		fprintf(stderr, "row %zu: ", i); /* shown if the row fails */
		EQUAL(tally->all.packets, rows[i].packets);
		EQUAL(tally->all.bytes, 100 * rows[i].packets);
		EQUAL(tally->all.lost, rows[i].lost);
		EQUAL(tally->all.out_of_order, rows[i].out_of_order);
		EQUAL(tally->all.duplicates, rows[i].duplicates);
		delete(tally);
	}
}

/* Whatever arrives in whatever order, once or several times: what arrived and what is missing make up what was sent. */
static void any_order_adds_up(void)
{
	enum { SENT = 300 };
	uint64_t word = 88172645463325252;

	for (int round = 0; round < 200; round++) {
		struct tally *const tally = new_tally();
		bool seen[SENT] = { false };
		uint64_t arrived = 0, again = 0;

		for (uint64_t k = 0; k < 400; k++) {
			word ^= word << 13;
			word ^= word >> 7;
			word ^= word << 17;
			const uint64_t number = word % SENT;

			arrived += !seen[number];
			again += seen[number];
			seen[number] = true;
			arrive(tally, number, k, 10 * k);
		}
		tally_sent(tally, SENT);
		tally_end(tally, START + 5 * SECOND);
		EQUAL(tally->all.packets, arrived);
		EQUAL(tally->all.duplicates, again);
		EQUAL(tally->all.lost, SENT - (int64_t)arrived);
		delete(tally);
	}
}

/* Prints the lines of a tally, for a comparison with what is expected in test_logic.py. */
static struct tally *printing(void)
{
	struct tally *const tally = new_tally();

	fclose(tally->to);
	tally->to = stdout;
	return tally;
}

/* Prints: of five seconds the second and third are empty; the fourth gets back what the first had lost. */
static void intervals(void)
{
	struct tally *const tally = printing();

	arrive(tally, 0, 100, 200);
	arrive(tally, 2, 300, 500);
	arrive(tally, 1, 200, 3600);
	arrive(tally, 3, 3900, 4000); /* the instant at which an interval ends is in the next one */
	tally_sent(tally, 6);
	tally_end(tally, START + 4500 * MS);
	fflush(stdout);
	EQUAL(tally->interval, 5);
	EQUAL(tally->all.packets, 4);
	EQUAL(tally->all.lost, 2);
	free(tally);
}

/* Prints: the flow began 2.5 s before its first packet arrived. */
static void late_first_packet(void)
{
	struct tally *const tally = printing();

	arrive(tally, 7, 2400, 2500);
	tally_end(tally, START + 3 * SECOND); /* nothing of a fourth interval has begun */
	fflush(stdout);
	EQUAL(tally->interval, 3);
	EQUAL(tally->first_ns - tally->start_ns, 2500 * MS);
	free(tally);
}

static void nothing_arrived(void)
{
	struct tally *const tally = printing();

	tally_sent(tally, 12);
	tally_end(tally, START + 3 * SECOND);
	fflush(stdout);
	EQUAL(tally->all.lost, 12);
	EQUAL(tally->interval, 0);
	free(tally);
}

/* RFC 3550 6.4.1 by hand: delays of 10, 26, 26, 10, 42 ms; differences 16, 0, 16, 32. */
static void jitter_of_rfc_3550(void)
{
	static const uint64_t sent_ms[] = { 0, 20, 40, 60, 80 }, at_ms[] = { 10, 46, 66, 70, 122 };
	static const double jitter_ms[] = { 0, 1, 0.9375, 1.87890625, 3.761474609375 };
	struct tally *const tally = new_tally();

	for (uint64_t k = 0; k < 5; k++) {
		arrive(tally, k, sent_ms[k], at_ms[k]);
		NEAR(tally->jitter_ns, jitter_ms[k] * (double)MS);
	}
	arrive(tally, 4, 80, 900); /* a duplicate has no delay */
	NEAR(tally->jitter_ns, jitter_ms[4] * (double)MS);
	EQUAL(tally->delay_now.count, 5);
	EQUAL(tally->pause_ns, 778 * MS);
	EQUAL(tally->delay_now.min_ns, 10 * MS);
	EQUAL(tally->delay_now.max_ns, 42 * MS);
	NEAR(tally->delay_now.sum_ns, 114e6);
	EQUAL(tally->delay_now.changes, 4);
	NEAR(tally->delay_now.change_sum_ns, 64e6);
	delete(tally);
}

/* In the first packet of an interval, the difference is that from the last one of the interval before. */
static void changes_cross_intervals(void)
{
	struct tally *const tally = new_tally();

	arrive(tally, 0, 900, 910);
	arrive(tally, 1, 1000, 1015);
	EQUAL(tally->delay_now.changes, 1);
	NEAR(tally->delay_now.change_sum_ns, 5e6);
	delete(tally);
}

/* Clocks that differ by decades, either way, and times at their limits: no overflow, and few lines. */
static void clocks_that_differ(void)
{
	static const struct {
		uint64_t start_ns, sent_ns, at_ns;
	} rows[] = {
		{ 0, 0, START },
		{ START, START, 5 * SECOND },
		{ PACKET_TIME_MAX_NS, PACKET_TIME_MAX_NS, SECOND },
		{ 0, PACKET_TIME_MAX_NS, START },
		{ START, START, START + TALLY_LATE_NS + 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tally *const tally = new_tally();
		struct packet packet = { .type = PACKET_DATA, .length = 32, .start_ns = rows[i].start_ns,
					 .sent_ns = rows[i].sent_ns };

		for (; packet.number < 100; packet.number++) {
			tally_packet(tally, &packet, NULL, rows[i].at_ns + packet.number);
			packet.sent_ns = packet.number % 2 ? rows[i].sent_ns : rows[i].start_ns;
		}
		tally_end(tally, rows[i].at_ns + 200);
		EQUAL(tally->interval, 1);
		EQUAL(tally->start_ns, rows[i].at_ns);
		EQUAL(tally->delay_all.count, 100);
		delete(tally);
	}
}

static void as_late_as_a_flow_may_be(void)
{
	struct tally *const tally = new_tally();
	const struct packet packet = { .type = PACKET_DATA, .length = 32, .start_ns = START, .sent_ns = START };

	tally_packet(tally, &packet, NULL, START + TALLY_LATE_NS);
	EQUAL(tally->start_ns, START);
	EQUAL(tally->interval, 3600);
	delete(tally);
}

static void headers(void)
{
	static const struct packet rows[] = {
		{ PACKET_DATA, 32, 0, 0, 0 },
		{ PACKET_DATA, 1424, 123456789, START, START + 1 },
		{ PACKET_END, PACKET_BYTES_MAX, PACKET_NUMBER_MAX, PACKET_TIME_MAX_NS, PACKET_TIME_MAX_NS },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t bytes[PACKET_HEADER_BYTES];
		struct packet packet;

		packet_pack(&rows[i], bytes);
		EQUAL(packet_unpack(&packet, bytes), true);
		EQUAL(packet.type, rows[i].type);
		EQUAL(packet.length, rows[i].length);
		EQUAL(packet.number, rows[i].number);
		EQUAL(packet.start_ns, rows[i].start_ns);
		EQUAL(packet.sent_ns, rows[i].sent_ns);
	}
}

/* Each row: a byte of a good header, and the value that makes it a bad one. */
static void bad_headers(void)
{
	static const struct packet good = { PACKET_DATA, 1424, 5, START, START };
	static const struct {
		size_t place;
		uint8_t value;
	} rows[] = {
		{ 0, 'F' }, { 3, 0 }, { 4, 1 }, { 5, 0 }, { 5, 3 }, /* magic, type */
		{ 6, 0xff },					    /* longer than the longest */
		{ 8, 1 },					    /* number */
		{ 16, 0x40 },					    /* started after it was sent */
		{ 24, 0x40 },					    /* year 2116 */
		{ 24, 0 },					    /* sent before the flow started */
	};
	uint8_t bytes[PACKET_HEADER_BYTES];
	struct packet packet;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		packet_pack(&good, bytes);
		bytes[rows[i].place] = rows[i].value;
		fprintf(stderr, "row %zu: ", i);
		EQUAL(packet_unpack(&packet, bytes), false);
	}
	packet_pack(&good, bytes);
	bytes[6] = 0;
	bytes[7] = PACKET_HEADER_BYTES - 1; /* shorter than a header */
	EQUAL(packet_unpack(&packet, bytes), false);
}

static void beginnings(void)
{
	static const uint8_t wrong[] = "flaw";

	for (size_t length = 0; length < 4; length++)
		EQUAL(packet_begins((const uint8_t *)"flow", length), true);
	EQUAL(packet_begins((const uint8_t *)"flower", 6), true);
	EQUAL(packet_begins(wrong, 2), true);
	EQUAL(packet_begins(wrong, 3), false);
}

/* Any bytes: never a crash, and what is taken for a header is one. */
static void noise(void)
{
	uint64_t word = 0x2545f4914f6cdd1d;

	for (int round = 0; round < 200000; round++) {
		uint8_t bytes[PACKET_HEADER_BYTES], again[PACKET_HEADER_BYTES];
		struct packet packet;

		for (size_t i = 0; i < sizeof(bytes); i++) {
			word ^= word << 13;
			word ^= word >> 7;
			word ^= word << 17;
			bytes[i] = (uint8_t)word;
		}
		if (round % 2) { /* so that some pass */
			memcpy(bytes, "flow\0\1", 6);
			bytes[8] = bytes[9] = 0;
			bytes[16] = 0;
			bytes[24] &= 0x3f;
		}
		if (!packet_unpack(&packet, bytes))
			continue;
		packet_pack(&packet, again);
		EQUAL(memcmp(bytes, again, sizeof(bytes)), 0);
	}
}

static void patterns(void)
{
	static const size_t lengths[] = { 0, 1, 7, 8, 9, 480, PACKET_BYTES_MAX - PACKET_HEADER_BYTES };
	static const uint64_t numbers[] = { 0, 1, 2, PACKET_NUMBER_MAX };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		const size_t length = lengths[i];
		uint8_t *const bytes = malloc(length ? length : 1); /* as long, so that sanitizers see more */

		for (size_t k = 0; bytes && k < sizeof(numbers) / sizeof(numbers[0]); k++) {
			packet_fill(numbers[k], bytes, length);
			EQUAL(packet_wrong_bits(numbers[k], bytes, length), 0);
			if (length >= 7)
				EQUAL(packet_wrong_bits(numbers[k] + 1, bytes, length) > length, true);
			for (size_t place = 0; place < length; place += length / 3 + 1) {
				bytes[place] ^= 0x81;
				EQUAL(packet_wrong_bits(numbers[k], bytes, length), 2);
				bytes[place] ^= 0x81;
			}
		}
		free(bytes);
	}
}

static void damage(void)
{
	struct tally *const tally = new_tally();
	const struct packet packet = { .type = PACKET_DATA, .length = 132, .number = 9, .start_ns = START,
				       .sent_ns = START };
	uint8_t pattern[100];

	tally->compare = true;
	packet_fill(9, pattern, sizeof(pattern));
	pattern[99] ^= 7;
	tally_packet(tally, &packet, pattern, START + MS);
	tally_packet(tally, &packet, pattern, START + MS); /* a duplicate is not compared */
	EQUAL(tally->now.damaged, 1);
	EQUAL(tally->now.wrong_bits, 3);
	delete(tally);
}

#define TEST(name) { #name, name }

static const struct {
	const char *name;
	void (*run)(void);
} TESTS[] = {
	TEST(orders), TEST(any_order_adds_up), TEST(intervals), TEST(late_first_packet), TEST(nothing_arrived),
	TEST(jitter_of_rfc_3550), TEST(changes_cross_intervals), TEST(clocks_that_differ),
	TEST(as_late_as_a_flow_may_be), TEST(headers), TEST(bad_headers), TEST(beginnings), TEST(noise),
	TEST(patterns), TEST(damage),
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(TESTS) / sizeof(TESTS[0]); i++) {
		if (argc == 1)
			puts(TESTS[i].name);
		else if (!strcmp(TESTS[i].name, argv[1])) {
			TESTS[i].run();
			return 0;
		}
	}
	return argc > 1 ? 2 : 0;
}
