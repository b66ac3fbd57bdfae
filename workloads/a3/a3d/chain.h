/* SPDX-License-Identifier: MIT */
/* What a3d does with packets: connections, what is in them, and the elements that are on. No sockets, no clock. */
#ifndef A3D_CHAIN_H
#define A3D_CHAIN_H

#include "ae.h"
#include "notice.h"
#include "observe/observe.h"
#include "pf.h"
#include "rar.h"
#include "relay.h"
#include "tp_link.h"
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
	struct relay_settings relay; /* with IB on or off */
	struct ae_settings ae;
	struct pf_settings pf;
	struct tp_link_settings tp;
};

enum chain_verdict {
	CHAIN_DROP,
	CHAIN_PASS,
	CHAIN_CHANGED, /* what is in changed passes instead */
	CHAIN_HELD, /* chain_release() says what becomes of it */
};

/* What netfilter knows of a packet. */
enum chain_about {
	CHAIN_IS_CHANGED = 1, /* it is of a changed connection */
	CHAIN_LEFT_TO_CARD = 2, /* its checksum is not made yet */
};

struct chain_counts {
	uint64_t alone[OBSERVE_ALONES]; /* connections whose content was not to be read, by why */
	uint64_t notices; /* that were sent, or have come */
	uint64_t refused; /* packets of changed connections that nobody knows, which were answered with resets */
};

enum {
	CHAIN_NOTICES = 64, /* that wait to be sent */
	CHAIN_REFUSALS = 32, /* packets of resets that wait */
	CHAIN_REFUSED = 16, /* hosts that were reset and asked so, the newest */
	CHAIN_OPENING = 16, /* connections that begin where a changed one was, the newest */
};

/* A packet that a3d has made, and that waits in PF's queue. */
struct chain_made {
	struct chain_made *next; /* that may leave now */
	uint8_t version;
	size_t length;
	uint8_t bytes[];
};

struct chain {
	struct chain_settings settings;
	struct chain_counts counts;
	struct track track;
	struct rar rar;
	struct ae ae;
	struct pf pf;
	unsigned int notices; /* that wait */
	struct notice notice[CHAIN_NOTICES];
	uint8_t notice_packet[NOTICE_LONGEST];
	size_t changed_length;
	struct relays relays;
	struct tp_links tp;
	bool ending; /* no connection is taken over any more */
	struct {
		uint8_t version;
		size_t length;
		uint8_t packet[HALF_PACKET / 8];
	} refusals[CHAIN_REFUSALS];
	unsigned int refusing, refusals_sent;
	struct {
		uint8_t version;
		struct segment_end host, other;
		uint32_t seq; /* of the reset that it answers with if it has forgotten the connection */
	} refused[CHAIN_REFUSED];
	unsigned int next_refused;
	struct {
		uint8_t version;
		struct segment_end client, server;
		uint32_t seq; /* of its SYN */
	} opening[CHAIN_OPENING];
	unsigned int next_opening;
	struct chain_made *made[PF_HELD + 1];
	struct chain_made *leaving, **last_leaving; /* in their order */
	struct chain_made *left; /* the one that was returned last */
	uint8_t changed[AE_LONGEST]; /* at the end, so that a sanitizer sees what writes behind it */
};

/* Begin; go on with connections that an ended a3d has left. */
void chain_begin(struct chain *chain, const struct chain_settings *settings, uint64_t now_ns);

/* A packet, of which all bytes should be there; about: of enum chain_about. */
enum chain_verdict chain_packet(struct chain *chain, const uint8_t *packet, size_t bytes, unsigned int about,
				uint64_t now_ns, struct pf_ticket ticket);

/* What becomes now of a packet that was held: it passes, or is to be dropped. False: there is none. */
bool chain_release(struct chain *chain, uint64_t now_ns, struct pf_ticket *ticket, bool *passes);

/* The next packet that a3d has made itself, and that chain_release() has let go. False: there is none. */
bool chain_left(struct chain *chain, struct rar_packet *packet);

/* A datagram has come from the monitor of the browser at this address (IPv4: the first four bytes, the rest is 0). */
void chain_monitor(struct chain *chain, const uint8_t address[16], const uint8_t *bytes, size_t length);

/* The next packet that is to be sent now, in addition. False: there is none. */
bool chain_due(struct chain *chain, uint64_t now_ns, struct rar_packet *packet);

/* A packet that a3d has made was too long for a link. */
void chain_too_long(struct chain *chain, const struct rar_packet *packet);

/* When there will be one, or one to be released; UINT64_MAX: not before another packet comes. */
uint64_t chain_next_ns(const struct chain *chain);

/*
 * It is about to end. From now on it takes no connection over and lets no packet wait; what waits leaves in its order. TP's
 * connections are reset, since nobody can go on with them.
 */
void chain_leave(struct chain *chain, uint64_t now_ns);

/* Whether a host of each connection that was reset has said that it has forgotten it. */
bool chain_is_left(const struct chain *chain);

/* Forget all connections. Those that were changed are left to the next a3d. */
void chain_end(struct chain *chain);

#endif
