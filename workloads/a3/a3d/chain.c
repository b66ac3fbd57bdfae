/* SPDX-License-Identifier: MIT */
#include "chain.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)OBSERVE_TO_SERVER == (int)TRACK_TO_SERVER && (int)OBSERVE_TO_CLIENT == (int)TRACK_TO_CLIENT,
	       "directions have the same numbers");

enum {
	HTTP = 80, /* a port */
};

/* What is known of a connection beyond TCP. */
struct own {
	struct chain *chain;
	const struct track_connection *connection;
	struct rar_memory memory;

	struct ae_memory ae;

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

/* Whether AE looks at a connection: mail. */
static bool encodes(const struct chain *chain, const struct track_connection *connection)
{
	enum observe_protocol which;

	return chain->settings.ae.on && protocol(connection, &which) && which == OBSERVE_SMTP;
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
	if (encodes(own->chain, own->connection))
		ae_event(&own->chain->ae, &own->ae, event);
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
	bool text, understood;

	if (!own)
		return;
	text = direction == TRACK_TO_SERVER && encodes(chain, connection);
	if (direction == outward(chain))
		own->at += length;
	if (text)
		ae_bytes(&own->ae, bytes, length);
	understood = observe_bytes((struct observe *)own->observer, (enum observe_way)direction, bytes, length);
	if (text)
		ae_bytes_end(&own->ae);
	if (!understood)
		track_leave(&chain->track, connection, TRACK_LEFT_PROTOCOL);
}

static void on_release(void *context, struct track_connection *connection)
{
	struct chain *chain = context;
	struct own *own = connection->own;

	rar_forget(&chain->rar, connection);
	if (own)
		ae_forget(&chain->ae, &own->ae);
	free(own);
}

void chain_begin(struct chain *chain, const struct chain_settings *settings)
{
	*chain = (struct chain){ .settings = *settings,
				 .track = { .bytes = on_bytes, .released = on_release, .context = chain },
				 .rar = { .settings = settings->rar } };
	ae_begin(&chain->ae, &settings->ae);
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
	own->connection = connection;
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

/* Let RAR see a segment that is followed. False: it is a copy of one that has passed. */
static bool redundant(struct chain *chain, struct own *own, const struct track_seen *seen, const struct segment *segment,
		      uint64_t now_ns)
{
	if (!chain->settings.rar_on)
		return true;
	if (seen->direction != outward(chain))
		return !rar_copy(&chain->rar, &own->memory, segment) || seen->kind == TRACK_NEW;
	if (seen->kind == TRACK_NEW && (thin(own) || opens(seen->connection, segment)))
		rar_thin(&chain->rar, &own->memory, seen->connection, seen->direction, segment, now_ns);
	return true;
}

/* A packet on its way, as it came or as it has become. */
struct passing {
	const uint8_t *packet;
	size_t bytes;
	struct segment segment;
	size_t option_length; /* of a3d's option that was taken out */
	uint8_t option[AE_OPTION];
};

/* What was put into `changed` takes the packet's place. False: it is not a segment. */
static bool change(struct chain *chain, struct passing *passing, size_t length)
{
	passing->packet = chain->changed;
	passing->bytes = chain->changed_length = length;
	return segment_read(&passing->segment, passing->packet, passing->bytes);
}

/* What is known of a segment's connection; NULL: nothing. */
static struct own *known(struct chain *chain, const struct segment *segment)
{
	const struct track_connection *connection = track_known(&chain->track, segment);

	return connection ? connection->own : NULL;
}

/* Restore a segment that the far end has compressed. */
static enum chain_verdict decode(struct chain *chain, struct passing *passing)
{
	const struct segment encoded = passing->segment;
	struct own *own = known(chain, &encoded);
	size_t length = ae_decode(&chain->ae, own ? &own->ae : NULL, &encoded, chain->changed);

	return length && change(chain, passing, length) ? CHAIN_CHANGED : CHAIN_DROP;
}

/* Take out an option that the far end has put in. */
static void take_option(struct chain *chain, struct passing *passing)
{
	const struct segment *segment = &passing->segment;
	bool opens = (segment->flags & (SEGMENT_SYN | SEGMENT_ACK)) == SEGMENT_SYN;
	const uint8_t *option = segment_option(segment, &passing->option_length);
	struct own *own;
	size_t length;

	if (chain->settings.side == CHAIN_CLIENT) {
		own = opens ? NULL : known(chain, segment);
		opens = own && own->ae.asks;
	}
	if (!opens || passing->option_length > sizeof(passing->option)) {
		passing->option_length = 0;
		return;
	}
	memcpy(passing->option, option, passing->option_length);
	length = segment_without_option(segment, chain->changed, sizeof(chain->changed));
	if (!length || !change(chain, passing, length))
		passing->option_length = 0;
}

/* Undo what the far end's AE has done. CHAIN_PASS: it is as it came. */
static enum chain_verdict arrive(struct chain *chain, struct passing *passing)
{
	if (chain->settings.side == CHAIN_SERVER &&
	    segment_read_as(&passing->segment, SEGMENT_EXPERIMENT, passing->packet, passing->bytes) &&
	    ae_marked(&passing->segment))
		return decode(chain, passing);
	if (segment_read(&passing->segment, passing->packet, passing->bytes) && passing->segment.option)
		take_option(chain, passing);
	return passing->packet == chain->changed ? CHAIN_CHANGED : CHAIN_PASS;
}

/* Let AE see a segment that is followed. Whether it has become another packet. */
static bool encode(struct chain *chain, struct own *own, const struct track_seen *seen, struct passing *passing)
{
	const struct segment segment = passing->segment;
	size_t length;

	if (seen->direction != outward(chain)) {
		ae_option(&chain->ae, &own->ae, seen, &segment, passing->option, passing->option_length);
		return false;
	}
	if (seen->direction == TRACK_TO_SERVER)
		length = ae_to_server(&chain->ae, &own->ae, seen, &segment, chain->changed);
	else
		length = ae_to_client(&chain->ae, &own->ae, &segment, chain->changed);
	if (length)
		change(chain, passing, length); /* one that is compressed is not a segment, nor thin */
	return length;
}

enum chain_verdict chain_packet(struct chain *chain, const uint8_t *packet, size_t bytes, uint64_t now_ns)
{
	struct passing passing = { .packet = packet, .bytes = bytes };
	enum chain_verdict verdict = chain->settings.ae.on ? arrive(chain, &passing) : CHAIN_PASS;
	struct track_seen seen;
	struct own *own;

	if (verdict == CHAIN_DROP || !segment_read(&passing.segment, passing.packet, passing.bytes) ||
	    !segment_sound(&passing.segment)) /* its receiver will not take it, either */
		return verdict;
	seen = track_segment(&chain->track, &passing.segment, now_ns);
	if (seen.kind == TRACK_NOT_FOLLOWED || seen.connection->closed)
		return verdict;
	if (!seen.connection->own)
		look_at(chain, seen.connection);
	own = seen.connection->own;
	if (!own)
		return verdict;
	rar_acknowledged(&chain->rar, seen.connection, now_ns);
	if (encodes(chain, seen.connection) && encode(chain, own, &seen, &passing))
		verdict = CHAIN_CHANGED;
	return redundant(chain, own, &seen, &passing.segment, now_ns) ? verdict : CHAIN_DROP;
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
	ae_end(&chain->ae);
}
