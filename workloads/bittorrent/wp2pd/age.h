/* SPDX-License-Identifier: MIT */
/*
 * Age-based manipulation: which acknowledgements of this host go out as pure ACKs as well. No sockets, no clock.
 *
 * A connection is young while the congestion window of its remote end is below a threshold. The window is not known
 * here. What arrived from the remote end in one round trip is the estimate for the next one; before the first one is
 * over, the connection is young. A round trip is measured as TCP does, from a segment to its acknowledgement, without
 * repeated segments, and smoothed (RFC 6298).
 */
#ifndef WP2PD_AGE_H
#define WP2PD_AGE_H

#include "segment.h"

enum {
	AGE_SETS = 256,
	AGE_WAYS = 4, /* a fifth connection with the same hash takes the place of the one that was idle longest */
	AGE_FAST_RETRANSMIT = 3, /* DUPACKs, RFC 5681 3.2 */
};

enum age_verdict {
	AGE_PASS,
	AGE_ACK_FIRST, /* a pure ACK, and then the segment */
	AGE_DROP,
};

struct age_settings {
	uint64_t young_below; /* bytes; 0: no connection is young */
	bool thin_duplicates; /* while mature: every second DUPACK after the third that says nothing new, between data */
};

struct age_counts {
	uint64_t added; /* pure ACKs */
	uint64_t left_alone; /* data with a new acknowledgement, while mature */
	uint64_t duplicates; /* DUPACKs of this host */
	uint64_t dropped; /* of these */
	uint64_t refused; /* data with a new acknowledgement, while young, but with options that are not known */
};

struct age_connection {
	bool used;
	struct segment_end local, remote;
	uint8_t version;
	uint64_t seen_ns;

	bool sent_known, acked_known; /* whether the next two count */
	uint32_t sent_end; /* the sequence number after the last byte sent */
	uint32_t acked; /* the newest acknowledgement sent */
	uint16_t window; /* of the last segment sent */
	struct segment_block told[SEGMENT_BLOCKS]; /* by its SACK */
	unsigned int told_blocks;

	bool received_known;
	uint32_t received_end; /* the sequence number after the furthest byte that has arrived, also behind a gap */

	uint64_t rtt_ns; /* smoothed; 0: not known yet */
	bool timing;
	uint32_t timed_end;
	uint64_t timed_ns;

	uint64_t round_ns; /* when this round trip began */
	uint64_t round_bytes; /* that have arrived in it */
	uint64_t estimate; /* what arrived in the one before */

	uint64_t duplicates; /* since the newest acknowledgement */
	bool data_since; /* data went out since the last DUPACK that was dropped or could have been */
	bool dropped_last;
};

struct age {
	struct age_settings settings;
	struct age_counts counts;
	struct age_connection connections[AGE_SETS][AGE_WAYS];
};

/* A segment that has arrived. */
void age_received(struct age *age, const struct segment *segment, uint64_t now_ns);

/* A segment that is about to be sent: what to do with it. AGE_ACK_FIRST: *seq is that of the pure ACK. */
enum age_verdict age_sending(struct age *age, const struct segment *segment, uint64_t now_ns, uint32_t *seq);

/* How many connections that were seen since a time are young, and how many are mature. */
void age_census(const struct age *age, uint64_t since_ns, unsigned int *young, unsigned int *mature);

#endif
