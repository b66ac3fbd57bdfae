/* SPDX-License-Identifier: MIT */
/*
 * Redundant and aggressive retransmissions: a segment with a thin message goes out again, a little later, and once more. If
 * it is not acknowledged within a round trip and a little, it goes out as often again. What it sends are copies, to the
 * bit, so that TCP takes them for what it knows. The far end drops them: rar_copy(). No sockets, no clock.
 */
#ifndef A3D_RAR_H
#define A3D_RAR_H

#include "track.h"

enum {
	RAR_LONGEST = 1600, /* bytes of a packet; thin messages are in one */
	RAR_MESSAGES = 256, /* that wait for an acknowledgement */
	RAR_ROUNDS = 11, /* it goes out again 10 times; then TCP goes on */
	RAR_REMEMBERED = 64, /* packets of a connection from the far end */
};

#define RAR_RTT_UNKNOWN_NS UINT64_C(1000000000) /* RFC 6298 2.1 */

struct rar_settings {
	unsigned int copies; /* in addition to the message */
	unsigned int stagger; /* an RTT divided by this is between them */
	uint64_t alpha_ns; /* what the alarm adds to the mean RTT */
};

struct rar_counts {
	uint64_t thin; /* segments with thin messages */
	uint64_t copies; /* of them, also after alarms */
	uint64_t bytes; /* of these copies, with IP headers */
	uint64_t alarms;
	uint64_t given_up; /* after so many rounds */
	uint64_t no_room; /* thin segments that there was no place for */
	uint64_t filtered; /* copies of the far end */
};

/* Of a connection: round trips of thin messages that it had acknowledged, and what came from the far end. */
struct rar_memory {
	uint64_t rtt_sum_ns, rtt_count;
	unsigned int next;
	uint64_t identities[RAR_REMEMBERED];
};

struct rar_message {
	const struct track_connection *connection; /* NULL: none */
	struct rar_memory *memory;
	enum track_direction direction;
	uint32_t end; /* the number that acknowledges it */
	unsigned int copies_left, rounds;
	uint64_t first_ns; /* when it left for the first time */
	uint64_t round_ns, gap_ns, next_ns; /* when this round began, time between copies, when something is due */
	uint64_t timeout_ns;
	uint8_t version;
	size_t length;
	uint8_t packet[RAR_LONGEST];
};

struct rar {
	struct rar_settings settings;
	struct rar_counts counts;
	unsigned int waiting; /* messages */
	struct rar_message messages[RAR_MESSAGES];
};

/* A packet that is to be sent now. */
struct rar_packet {
	uint8_t version;
	const uint8_t *bytes;
	size_t length;
};

/* A segment with a thin message leaves for the far end. */
void rar_thin(struct rar *rar, struct rar_memory *memory, const struct track_connection *connection,
	      enum track_direction direction, const struct segment *segment, uint64_t now_ns);

/* Forget what a connection has had acknowledged, or all of it. */
void rar_acknowledged(struct rar *rar, const struct track_connection *connection, uint64_t now_ns);
void rar_forget(struct rar *rar, const struct track_connection *connection);

/* Take the next packet that is due. False: none is. */
bool rar_due(struct rar *rar, uint64_t now_ns, struct rar_packet *packet);

/* When the next one is due; UINT64_MAX: none. */
uint64_t rar_next_ns(const struct rar *rar);

/* Whether a segment from the far end is a copy of one that has passed; if not, remember it. */
bool rar_copy(struct rar *rar, struct rar_memory *memory, const struct segment *segment);

#endif
