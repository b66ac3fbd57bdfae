/* SPDX-License-Identifier: MIT */
/* What a3d does with packets: connections, what is in them, and the elements that are on. No sockets, no clock. */
#ifndef A3D_CHAIN_H
#define A3D_CHAIN_H

#include "ae.h"
#include "observe/observe.h"
#include "rar.h"
#include "track.h"

enum chain_side {
	CHAIN_NO_SIDE,
	CHAIN_CLIENT, /* next to the mobile device: the network is towards servers */
	CHAIN_SERVER,
};

struct chain_settings {
	enum chain_side side;
	bool rar_on;
	struct rar_settings rar;
	struct ae_settings ae;
};

enum chain_verdict {
	CHAIN_DROP,
	CHAIN_PASS,
	CHAIN_CHANGED, /* what is in changed passes instead */
};

struct chain_counts {
	uint64_t alone[OBSERVE_ALONES]; /* connections whose content was not to be read, by why */
};

struct chain {
	struct chain_settings settings;
	struct chain_counts counts;
	struct track track;
	struct rar rar;
	struct ae ae;
	size_t changed_length;
	uint8_t changed[AE_LONGEST];
};

void chain_begin(struct chain *chain, const struct chain_settings *settings);

/* A packet, of which all bytes should be there. */
enum chain_verdict chain_packet(struct chain *chain, const uint8_t *packet, size_t bytes, uint64_t now_ns);

/* The next packet that is to be sent now, in addition. False: there is none. */
bool chain_due(struct chain *chain, uint64_t now_ns, struct rar_packet *packet);

/* When there will be one; UINT64_MAX: not before another packet comes. */
uint64_t chain_next_ns(const struct chain *chain);

/* Forget all connections. */
void chain_end(struct chain *chain);

#endif
