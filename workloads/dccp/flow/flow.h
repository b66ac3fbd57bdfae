/* SPDX-License-Identifier: MIT */
/* The subcommands of flow, and their options. */
#ifndef FLOW_H
#define FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol.h"

struct sink_options {
	const struct protocol *protocol;
	struct settings settings;
	uint64_t every_ns;
	bool compare; /* patterns with what was sent, to count wrong bits */
};

struct send_options {
	const struct protocol *protocol;
	struct settings settings;
	uint64_t every_ns;	 /* length of an interval */
	uint64_t state_every_ns; /* 0: the state of congestion control is not sampled */
	uint64_t duration_ns;
	uint32_t packet_bytes;
	uint64_t gap_ns; /* from the start of one packet to that of the next; 0: greedy */
	/* The time that the processor of a slow machine needs for a packet before it can begin the next one. */
	uint64_t per_packet_ns, per_byte_ns;
};

/* Return the exit status. */
int sink_run(const struct sink_options *options);
int send_run(const struct send_options *options);

#endif
