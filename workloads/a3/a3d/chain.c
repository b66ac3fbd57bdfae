/* SPDX-License-Identifier: MIT */
#include "chain.h"

#include <stdlib.h>

_Static_assert((int)OBSERVE_TO_SERVER == (int)TRACK_TO_SERVER && (int)OBSERVE_TO_CLIENT == (int)TRACK_TO_CLIENT,
	       "directions have the same numbers");

enum {
	HTTP = 80, /* a port */
};

/* What is known of a connection beyond TCP. */
struct own {
	struct chain *chain;
	struct rar_memory memory;

	/* of what leaves for the network */
	uint64_t at; /* bytes so far */
	bool data_under_way; /* the message that has begun is not thin */
	/* of the segment of it that is being read */
	uint64_t from; /* its first byte */
	uint64_t thin_until; /* whole thin messages are in it up to here */
	bool data; /* there is something else in it */

	max_align_t observer[];
};

/* Find the protocol of a connection, by its port. False: none that is observed. */
static bool protocol(const struct track_connection *connection, enum observe_protocol *found)
{
	switch (connection->server.port) {
	case 25:
	case 587:
		*found = OBSERVE_SMTP;
		return true;
	case 139:
	case 445:
		*found = OBSERVE_SMB;
		return true;
	case HTTP:
		*found = OBSERVE_HTTP;
		return true;
	default:
		return false;
	}
}

static enum track_direction outward(const struct chain *chain)
{
	return chain->settings.side == CHAIN_CLIENT ? TRACK_TO_SERVER : TRACK_TO_CLIENT;
}

static void on_event(void *context, const struct observe_event *event)
{
	struct own *own = context;
	bool thin = observe_thin(event->label), ends = event->kind == OBSERVE_END;

	if (event->kind == OBSERVE_ALONE)
		own->chain->counts.alone[event->alone]++;
	if (event->kind == OBSERVE_ALONE || (enum track_direction)event->way != outward(own->chain))
		return;
	own->data |= !thin || event->start < own->from; /* or it began in another segment */
	own->data_under_way = !thin && !ends;
	if (ends)
		own->thin_until = event->end;
}

static void on_bytes(void *context, struct track_connection *connection, enum track_direction direction,
		     const uint8_t *bytes, size_t length)
{
	struct chain *chain = context;
	struct own *own = connection->own;

	if (!own)
		return;
	if (direction == outward(chain))
		own->at += length;
	if (!observe_bytes((struct observe *)own->observer, (enum observe_way)direction, bytes, length))
		track_leave(&chain->track, connection, TRACK_LEFT_PROTOCOL);
}

static void on_release(void *context, struct track_connection *connection)
{
	struct chain *chain = context;

	rar_forget(&chain->rar, connection);
	free(connection->own);
}

void chain_begin(struct chain *chain, const struct chain_settings *settings)
{
	*chain = (struct chain){ .settings = *settings,
				 .track = { .bytes = on_bytes, .released = on_release, .context = chain },
				 .rar = { .settings = settings->rar } };
}

/* Begin to look at a connection. */
static void look_at(struct chain *chain, struct track_connection *connection)
{
	enum observe_protocol which;
	struct own *own;

	if (!protocol(connection, &which)) {
		track_leave(&chain->track, connection, TRACK_LEFT_PROTOCOL);
		return;
	}
	own = calloc(1, sizeof(*own) + observe_size(which));
	if (!own) {
		track_leave(&chain->track, connection, TRACK_LEFT_MEMORY);
		return;
	}
	own->chain = chain;
	observe_begin((struct observe *)own->observer, which, on_event, own);
	connection->own = own;
}

/* Whether a new segment that leaves for the network consists of whole thin messages; forget that it was read. */
static bool thin(struct own *own)
{
	bool found = !own->data && own->at > own->from && own->thin_until == own->at;

	own->from = own->at;
	own->data = own->data_under_way;
	return found;
}

/* HTTP-1 and HTTP-2 are TCP's handshake; the other protocols have no label for it. */
static bool opens(const struct track_connection *connection, const struct segment *segment)
{
	return connection->server.port == HTTP && segment->flags & SEGMENT_SYN;
}

bool chain_packet(struct chain *chain, const uint8_t *packet, size_t bytes, uint64_t now_ns)
{
	struct segment segment;
	struct track_seen seen;
	struct own *own;
	bool passes = true;

	if (!segment_read(&segment, packet, bytes))
		return true;
	seen = track_segment(&chain->track, &segment, now_ns);
	if (seen.kind == TRACK_NOT_FOLLOWED || seen.connection->closed)
		return true;
	if (!seen.connection->own)
		look_at(chain, seen.connection);
	own = seen.connection->own;
	if (!own)
		return true;
	rar_acknowledged(&chain->rar, seen.connection, now_ns);
	if (seen.direction != outward(chain))
		passes = !rar_copy(&chain->rar, &own->memory, &segment) || seen.kind == TRACK_NEW;
	else if (seen.kind == TRACK_NEW && (thin(own) || opens(seen.connection, &segment)))
		rar_thin(&chain->rar, &own->memory, seen.connection, seen.direction, &segment, now_ns);
	return passes;
}

bool chain_due(struct chain *chain, uint64_t now_ns, struct rar_packet *packet)
{
	return rar_due(&chain->rar, now_ns, packet);
}

uint64_t chain_next_ns(const struct chain *chain)
{
	return rar_next_ns(&chain->rar);
}

void chain_end(struct chain *chain)
{
	for (size_t i = 0; i < TRACK_SETS * (size_t)TRACK_WAYS; i++) {
		struct track_connection *one = &chain->track.connections[i / TRACK_WAYS][i % TRACK_WAYS];

		if (one->used)
			track_forget(&chain->track, one);
	}
}
