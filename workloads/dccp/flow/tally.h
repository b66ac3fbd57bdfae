/* SPDX-License-Identifier: MIT */
/*
 * Counts what arrives of a flow, in equal intervals since its start: one way for all protocols.
 *
 * Lost is what is missing below the highest number that has arrived, as iperf counts. A packet that comes after one
 * with a higher number is out of order; it was counted as lost before, and no longer is.
 */
#ifndef FLOW_TALLY_H
#define FLOW_TALLY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "packet.h"

/* Numbers this far below the highest are still distinguished from duplicates. A power of two. */
enum { TALLY_WINDOW_PACKETS = 1 << 16 };

/*
 * If the first packet comes later than this after the start of its flow, clocks differ, and time counts from that
 * packet: otherwise there would be a line for each interval since a start decades ago.
 */
#define TALLY_LATE_NS (UINT64_C(3600) * 1000000000)

struct counts {
	uint64_t packets, bytes;
	int64_t lost; /* negative in an interval in which more came late than were lost */
	uint64_t out_of_order, duplicates;
	uint64_t damaged, wrong_bits; /* stay 0 unless patterns are compared */
};

struct delays {
	uint64_t count;
	int64_t min_ns, max_ns; /* one way; negative if clocks differ */
	double sum_ns;
	uint64_t changes; /* absolute differences between packets that came one after the other */
	double change_sum_ns;
};

struct tally {
	uint64_t every_ns;
	FILE *to;
	bool compare; /* patterns with what was sent */

	bool began;
	uint64_t start_ns, first_ns, last_ns;
	uint64_t pause_ns; /* the longest between two arrivals */
	uint64_t interval; /* the current one, from 0 */
	uint64_t next;	   /* the highest number that arrived, plus 1 */
	int64_t last_delay_ns;
	double jitter_ns; /* RFC 3550 6.4.1 */
	struct counts now, all;
	struct delays delay_now, delay_all;
	uint8_t seen[TALLY_WINDOW_PACKETS / 8];
};

/*
 * Counts a data packet that arrived at at_ns, and before it prints a line for each interval that has ended. pattern: the
 * bytes behind the header. Times must not decrease.
 */
void tally_packet(struct tally *tally, const struct packet *packet, const uint8_t *pattern, uint64_t at_ns);

/* Counts as lost what the sender sent after the last packet that arrived. sent: packets in all. */
void tally_sent(struct tally *tally, uint64_t sent);

/* Prints a line for each interval that began before at_ns, so also for the one that at_ns cuts off. */
void tally_end(struct tally *tally, uint64_t at_ns);

#endif
