/* SPDX-License-Identifier: MIT */
#include "chain.h"

#include <stdlib.h>
#include <string.h>

#include "monitor.h"

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
	bool wanted; /* IB is to take it over */
	struct tp_link *tp; /* NULL: none, or it stands in it */

	struct ae_memory ae;
	struct pf_memory pf;

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

/* Tell the far end the class of a request. If too many wait to be told, it keeps the class that it has there. */
static void tell(struct chain *chain, const struct track_connection *connection, uint64_t offset, enum pf_class class)
{
	struct notice *notice = &chain->notice[chain->notices];
	struct notice *last = chain->notices ? notice - 1 : NULL;

	if (last && !memcmp(&last->client, &connection->client, sizeof(last->client)) &&
	    !memcmp(&last->server, &connection->server, sizeof(last->server)) && last->count < NOTICE_ENTRIES)
		notice = last;
	else if (chain->notices == CHAIN_NOTICES)
		return;
	else
		*notice = (struct notice){ .version = connection->version,
					   .client = connection->client,
					   .server = connection->server };
	chain->notices += notice != last;
	notice->entries[notice->count].later = class == PF_LATER;
	notice->entries[notice->count++].offset = offset;
}

/* Let PF know of a request or an answer of HTTP. */
static void prioritize(struct own *own, const struct observe_event *event)
{
	struct chain *chain = own->chain;
	bool client = chain->settings.side == CHAIN_CLIENT;
	uint64_t object = 0;

	if (event->kind == OBSERVE_ALONE || (event->way == OBSERVE_TO_SERVER && event->kind == OBSERVE_END))
		return;
	if (event->way == OBSERVE_TO_CLIENT) {
		if (event->http.status >= 200)
			pf_answer(&own->pf, event->exchange, event->kind == OBSERVE_END);
		return;
	}
	if (client && event->label == OBSERVE_HTTP_5 && event->http.target)
		object = pf_object(event->http.target, event->http.target_length);
	if (pf_request(&chain->pf, &own->pf, event->start, event->exchange, object) == PF_LATER && client &&
	    !chain->settings.pf.alone)
		tell(chain, own->connection, event->start, PF_LATER);
}

/* Whether data that IB is for are coming: blocks and pages for a client, a mail's text for a server. */
static bool announces(const struct chain *chain, enum observe_label label)
{
	if (chain->settings.side == CHAIN_SERVER)
		return label == OBSERVE_SMTP_8 || label == OBSERVE_SMTP_9;
	return label == OBSERVE_CIFS_11 || label == OBSERVE_HTTP_3 || label == OBSERVE_HTTP_5;
}

static void on_event(void *context, const struct observe_event *event)
{
	struct own *own = context;
	bool thin = observe_thin(event->label), ends = event->kind == OBSERVE_END;

	if (event->kind == OBSERVE_ALONE)
		own->chain->counts.alone[event->alone]++;
	if (encodes(own->chain, own->connection))
		ae_event(&own->chain->ae, &own->ae, event);
	if (own->chain->settings.pf.on && own->connection->server.port == HTTP)
		prioritize(own, event);
	own->wanted |= own->chain->settings.relay.ib && event->kind != OBSERVE_ALONE && announces(own->chain, event->label);
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
	if (own->tp)
		tp_link_watches(own->tp, direction, bytes, length);
	if (text)
		ae_bytes(&chain->ae, &own->ae, bytes, length);
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
	if (own) {
		ae_forget(&chain->ae, &own->ae);
		pf_forget(&chain->pf, &own->pf);
		tp_link_end(own->tp);
	}
	free(own);
}

static bool on_changed(void *context, uint8_t version, const struct segment_end *client, const struct segment_end *server,
		       bool on)
{
	const struct chain *chain = context;
	const struct relay_settings *settings = &chain->settings.relay;

	return !settings->changed || settings->changed(settings->context, version, client, server, on);
}

/* What a relay has taken of the far host: the elements see it as if it passed. */
static void on_taken(void *context, uint8_t version, const struct segment_end ends[TRACK_DIRECTIONS], const uint8_t *bytes,
		     size_t length)
{
	struct chain *chain = context;
	struct track_connection *connection =
		track_known(&chain->track, &(struct segment){ .version = version, .from = ends[0], .to = ends[1] });
	const enum track_direction inward = !outward(chain);

	if (connection && connection->flow[inward].handed)
		track_bytes(&chain->track, connection, inward, bytes, length);
}

void chain_begin(struct chain *chain, const struct chain_settings *settings, uint64_t now_ns)
{
	struct relay_settings relay;

	*chain = (struct chain){ .settings = *settings,
				 .track = { .bytes = on_bytes, .released = on_release, .context = chain },
				 .rar = { .settings = settings->rar },
				 .pf = { .settings = settings->pf },
				 .tp = { .settings = settings->tp } };
	ae_begin(&chain->ae, &settings->ae);
	chain->settings.relay.inward = !outward(chain);
	relay = chain->settings.relay;
	relay.changed = on_changed;
	relay.taken = on_taken;
	relay.context = chain;
	relays_begin(&chain->relays, &relay, now_ns);
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
	ae_open(&own->ae, connection->version, &connection->client);
	if (which == OBSERVE_HTTP)
		pf_begin(&chain->pf, &own->pf, connection->client.address);
	if (chain->settings.tp.on && which == OBSERVE_SMB)
		own->tp = tp_link_begin(&chain->tp, &connection->client, &connection->server, &own->tp);
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
	unsigned int about;
	struct segment segment;
	size_t option_length; /* of a3d's option that was taken out */
	uint8_t option[AE_OPTION];
};

/* Read a packet as a segment. False: it is none. */
static bool read_passing(struct passing *passing)
{
	bool is_segment = segment_read(&passing->segment, passing->packet, passing->bytes);

	passing->segment.left_to_card = passing->about & CHAIN_LEFT_TO_CARD;
	return is_segment;
}

/* What was put into `changed` takes the packet's place. False: it is not a segment. */
static bool change(struct chain *chain, struct passing *passing, size_t length)
{
	passing->packet = chain->changed;
	passing->bytes = chain->changed_length = length;
	passing->about &= ~(unsigned int)CHAIN_LEFT_TO_CARD;
	return read_passing(passing);
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
	if (read_passing(passing) && passing->segment.option)
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

/* Look at a segment of a connection that is followed. Returns its connection's own; NULL: there is none. */
static struct own *own_of(struct chain *chain, const struct track_seen *seen)
{
	if (seen->kind == TRACK_NOT_FOLLOWED || seen->connection->closed)
		return NULL;
	if (!seen->connection->own)
		look_at(chain, seen->connection);
	return seen->connection->own;
}

/* A segment passes, or is sent by a half: let the other elements see it. */
static enum chain_verdict pass(struct chain *chain, struct passing *passing, enum chain_verdict verdict, uint64_t now_ns,
			       struct track_seen *seen, struct own **own)
{
	*seen = track_segment(&chain->track, &passing->segment, now_ns);
	*own = own_of(chain, seen);
	if (!*own)
		return verdict;
	rar_acknowledged(&chain->rar, seen->connection, now_ns);
	if (encodes(chain, seen->connection) && encode(chain, *own, seen, passing))
		verdict = CHAIN_CHANGED;
	return redundant(chain, *own, seen, &passing->segment, now_ns) ? verdict : CHAIN_DROP;
}

/* Whether nothing is under way before this segment, which acknowledges all of the other direction. */
static bool clean(const struct track_connection *connection, enum track_direction direction, const struct segment *segment)
{
	const struct track_flow *its = &connection->flow[direction], *other = &connection->flow[!direction];

	return (segment->flags & (SEGMENT_SYN | SEGMENT_RST | SEGMENT_ACK)) == SEGMENT_ACK && its->begun && other->begun &&
	       its->next == segment->seq && its->acked == its->next && other->next == segment->ack && !its->finished &&
	       !other->finished && !its->ahead && !other->ahead && segment_after(its->next, its->first) &&
	       segment_after(other->next, other->first) && segment->whole;
}

/* Take a connection over. What the far host sends is from now on seen as the relay takes it, not as it comes. */
static bool hand_over(struct chain *chain, struct track_connection *connection, const struct relay_transformer *transformer,
		      void *context, uint64_t now_ns)
{
	if (!relays_take(&chain->relays, connection, transformer, context, now_ns))
		return false;
	track_hand(connection, !outward(chain));
	return true;
}

/* Let TP stand in a connection, which then has it. Without room for that, TP forgets the connection. */
static void take_for_tp(struct chain *chain, struct track_connection *connection, struct own *own, uint64_t now_ns)
{
	if (!tp_link_take(own->tp))
		return;
	if (!hand_over(chain, connection, &tp_link_transformer, own->tp, now_ns))
		tp_link_end(own->tp);
	own->tp = NULL;
}

/* Whether packets of a connection wait in PF's queue: they are of before it is taken over. */
static bool waits(const struct chain *chain, const struct own *own)
{
	for (unsigned int i = 0; i < chain->pf.waiting; i++)
		if (chain->pf.packets[i].memory == &own->pf)
			return true;
	return false;
}

/* Take a connection over, if an element wants to and this is the moment. */
static void take(struct chain *chain, const struct segment *segment, uint64_t now_ns)
{
	struct track_connection *connection = track_known(&chain->track, segment);
	struct own *own = connection ? connection->own : NULL;
	enum track_direction direction;

	if (chain->ending || !own || !(own->wanted || own->tp) || !relays_ready(&chain->relays, now_ns))
		return;
	direction = track_same(&connection->client, &segment->from) ? TRACK_TO_SERVER : TRACK_TO_CLIENT;
	if (!clean(connection, direction, segment) || waits(chain, own))
		return;
	if (direction == TRACK_TO_SERVER && tp_link_wants(own->tp, segment->packet + segment->payload, segment_payload(segment))) {
		take_for_tp(chain, connection, own, now_ns);
	} else if (own->wanted) {
		own->wanted = false;
		if (!hand_over(chain, connection, NULL, NULL, now_ns))
			return;
		tp_link_end(own->tp); /* IB has it from now on */
		own->tp = NULL;
	}
}

/* A reset of a changed connection that nobody knows. If it answers what such a one was asked, its host has forgotten it. */
static void take_reset(struct chain *chain, const struct segment *segment)
{
	enum observe_protocol which;
	bool back = protocol(&(struct track_connection){ .server = segment->from }, &which);

	for (unsigned int i = 0; i < CHAIN_REFUSED; i++)
		if (chain->refused[i].version == segment->version && chain->refused[i].seq == segment->seq &&
		    track_same(&chain->refused[i].host, &segment->from) && track_same(&chain->refused[i].other, &segment->to)) {
			relays_replaced(&chain->relays, back ? &segment->to : &segment->from,
					back ? &segment->from : &segment->to, segment->version);
			return;
		}
}

/* Put what a half has to send now among the packets of resets. */
static void put_refusal(struct chain *chain, struct half *half, uint64_t now_ns)
{
	if (chain->refusing == CHAIN_REFUSALS)
		return;
	chain->refusals[chain->refusing].version = half->settings.version;
	chain->refusals[chain->refusing].length = half_due(half, now_ns, chain->refusals[chain->refusing].packet,
							   sizeof(chain->refusals->packet));
	chain->refusing++;
}

/*
 * A changed connection that nobody knows: what an ended a3d has done to it cannot be gone on with. Reset both ends, and ask
 * them whether they have forgotten it.
 */
static void refuse_segment(struct chain *chain, const struct segment *segment, uint64_t now_ns)
{
	const struct half_owner none = { 0 };

	chain->counts.refused++;
	if (segment->flags & SEGMENT_RST)
		take_reset(chain, segment);
	if (segment->flags & SEGMENT_RST || !(segment->flags & SEGMENT_ACK))
		return;
	for (unsigned int back = 0; back < 2; back++) {
		const struct half_settings settings = {
			.version = segment->version,
			.self = back ? segment->to : segment->from,
			.host = back ? segment->from : segment->to,
			.send = back ? segment->ack : segment->seq,
			.receive = back ? segment_next(segment) : segment->ack,
			.mss = 1,
			.stamps = segment->has_timestamps,
			.stamp = back ? segment->echo : segment->stamp,
			.echo = back ? segment->stamp : segment->echo,
		};
		struct half half;

		half_begin(&half, &settings, &none);
		half_reset(&half);
		half.ask_ns = now_ns;
		put_refusal(chain, &half, now_ns);
		put_refusal(chain, &half, now_ns);
		chain->refused[chain->next_refused].version = settings.version;
		chain->refused[chain->next_refused].host = settings.host;
		chain->refused[chain->next_refused].other = settings.self;
		chain->refused[chain->next_refused].seq = settings.receive;
		chain->next_refused = (chain->next_refused + 1) % CHAIN_REFUSED;
	}
}

/* Whether a segment answers a SYN where a changed connection was. */
static bool answers(const struct chain *chain, const struct segment *segment)
{
	for (unsigned int i = 0; i < CHAIN_OPENING; i++)
		if (segment->flags & SEGMENT_ACK && chain->opening[i].version == segment->version &&
		    track_same(&chain->opening[i].client, &segment->to) &&
		    track_same(&chain->opening[i].server, &segment->from) && segment->ack == chain->opening[i].seq + 1)
			return true;
	return false;
}

/*
 * A SYN where a changed connection was. Anybody may send one, so it only passes; when the other host has answered it as a
 * new connection, that one is forgotten. False: it is an answer that nobody has asked for.
 */
static bool begins_again(struct chain *chain, const struct segment *segment)
{
	unsigned int next = chain->next_opening;

	if (!(segment->flags & SEGMENT_ACK)) {
		chain->opening[next].version = segment->version;
		chain->opening[next].client = segment->from;
		chain->opening[next].server = segment->to;
		chain->opening[next].seq = segment->seq;
		chain->next_opening = (next + 1) % CHAIN_OPENING;
		return true;
	}
	if (!answers(chain, segment))
		return false;
	relays_replaced(&chain->relays, &segment->to, &segment->from, segment->version);
	return true;
}

/* Let the elements but PF see a packet. `own`: of its connection, if that is followed. */
static enum chain_verdict look(struct chain *chain, struct passing *passing, uint64_t now_ns, struct track_seen *seen,
			       struct own **own)
{
	bool is_changed = passing->about & CHAIN_IS_CHANGED;
	enum chain_verdict verdict = chain->settings.ae.on ? arrive(chain, passing) : CHAIN_PASS;
	const struct segment *segment = &passing->segment;
	enum track_direction direction;

	if (verdict == CHAIN_DROP || !read_passing(passing))
		return is_changed ? CHAIN_DROP : verdict;
	if (segment->whole && !segment_sound(segment)) /* its receiver will not take it, either */
		return is_changed || relays_known(&chain->relays, segment, &direction) ? CHAIN_DROP : verdict;
	if (!is_changed && (chain->settings.relay.ib || chain->settings.tp.on) &&
	    !relays_known(&chain->relays, segment, &direction))
		take(chain, segment, now_ns);
	if ((is_changed || relays_over(&chain->relays, segment)) && segment->flags & (SEGMENT_SYN | SEGMENT_RST) &&
	    (relays_over(&chain->relays, segment) || !relays_known(&chain->relays, segment, &direction)) &&
	    (segment->flags & SEGMENT_SYN || answers(chain, segment))) {
		/* a server that refuses a new connection has forgotten the old one; that its client has, nobody has said */
		if (segment->flags & SEGMENT_SYN && !begins_again(chain, segment)) {
			refuse_segment(chain, segment, now_ns);
			return CHAIN_DROP;
		}
	} else if (relays_known(&chain->relays, segment, &direction)) {
		/* what comes from the network may be a copy; what goes there is seen when the half sends it */
		if (direction != outward(chain) && pass(chain, passing, verdict, now_ns, seen, own) == CHAIN_DROP)
			return CHAIN_DROP;
		if (relays_segment(&chain->relays, segment, now_ns))
			return CHAIN_DROP;
	} else if (is_changed) {
		refuse_segment(chain, segment, now_ns);
		return CHAIN_DROP;
	}
	return pass(chain, passing, verdict, now_ns, seen, own);
}

/* Take a notice of the far end. */
static void take_notice(struct chain *chain, const uint8_t *packet, size_t bytes)
{
	struct notice notice;
	struct track_connection *connection;

	chain->counts.notices++;
	if (!notice_read(&notice, packet, bytes)) {
		chain->pf.counts.refused++;
		return;
	}
	connection = track_known(&chain->track, &(struct segment){ .version = notice.version,
								    .from = notice.client,
								    .to = notice.server });
	if (!connection || !connection->own || memcmp(&connection->client, &notice.client, sizeof(notice.client)))
		return;
	for (unsigned int i = 0; i < notice.count; i++)
		pf_notice(&chain->pf, &((struct own *)connection->own)->pf, notice.entries[i].offset,
			  notice.entries[i].later ? PF_LATER : PF_FIRST);
}

/* Whether packets that leave for the network may wait here. */
static bool queues(const struct chain *chain)
{
	return !chain->ending && chain->settings.pf.on && (chain->settings.side == CHAIN_SERVER || chain->settings.pf.alone);
}

/* The direction of a segment; if its beginning was not seen, a port says which end is the server. */
static enum track_direction direction_of(const struct own *own, const struct track_seen *seen,
					 const struct segment *segment)
{
	const struct track_connection to = { .server = segment->to };
	enum observe_protocol which;

	if (own)
		return seen->direction;
	return protocol(&to, &which) ? TRACK_TO_SERVER : TRACK_TO_CLIENT;
}

/* Let a segment that leaves for the network wait, if it must. */
static enum chain_verdict leave(struct chain *chain, struct own *own, const struct passing *passing,
				struct pf_ticket ticket, uint64_t now_ns)
{
	const struct segment *segment = &passing->segment; /* one that is compressed has no numbers */
	static const enum chain_verdict verdicts[] = {
		[PF_PASS] = CHAIN_PASS, [PF_HOLD] = CHAIN_HELD, [PF_DROP] = CHAIN_DROP
	};

	return verdicts[pf_leave(&chain->pf, own ? &own->pf : NULL,
				 &(struct pf_segment){ .bytes = passing->bytes,
						       .seq = segment->seq,
						       .end = segment->seq + segment_payload(segment) },
				 ticket, now_ns)];
}

/* A packet that a3d has made leaves for the network now (CHAIN_PASS), or waits. */
static enum chain_verdict leave_made(struct chain *chain, struct own *own, const struct passing *passing, uint64_t now_ns)
{
	struct chain_made *made = malloc(sizeof(*made) + passing->bytes);
	enum chain_verdict verdict;
	uint32_t id = 0;

	while (id <= PF_HELD && chain->made[id])
		id++;
	if (!made || id > PF_HELD) {
		free(made);
		return CHAIN_PASS;
	}
	*made = (struct chain_made){ .version = passing->packet[0] >> 4, .length = passing->bytes };
	memcpy(made->bytes, passing->packet, passing->bytes);
	chain->made[id] = made;
	verdict = leave(chain, own, passing, (struct pf_ticket){ .id = id, .made = true }, now_ns);
	if (verdict != CHAIN_HELD) {
		chain->made[id] = NULL;
		free(made);
	}
	return verdict;
}

enum chain_verdict chain_packet(struct chain *chain, const uint8_t *packet, size_t bytes, unsigned int about,
				uint64_t now_ns, struct pf_ticket ticket)
{
	struct passing passing = { .packet = packet, .bytes = bytes, .about = about };
	struct track_seen seen = { .connection = NULL };
	struct own *own = NULL;
	enum chain_verdict verdict;

	if (chain->settings.pf.on && chain->settings.side == CHAIN_SERVER && notice_is(packet, bytes)) {
		take_notice(chain, packet, bytes);
		return CHAIN_DROP;
	}
	verdict = look(chain, &passing, now_ns, &seen, &own);
	if (verdict == CHAIN_DROP || !queues(chain) || !(own || passing.segment.packet) ||
	    direction_of(own, &seen, &passing.segment) != outward(chain))
		return verdict;
	if (verdict == CHAIN_CHANGED) { /* what waits is not what netfilter has lent */
		verdict = leave_made(chain, own, &passing, now_ns);
		return verdict == CHAIN_PASS ? CHAIN_CHANGED : CHAIN_DROP;
	}
	return leave(chain, own, &passing, ticket, now_ns);
}

bool chain_release(struct chain *chain, uint64_t now_ns, struct pf_ticket *ticket, bool *passes)
{
	while (pf_due(&chain->pf, now_ns, ticket, passes)) {
		struct chain_made *made = ticket->made ? chain->made[ticket->id] : NULL;

		if (!made)
			return true;
		chain->made[ticket->id] = NULL;
		if (!*passes) {
			free(made);
			continue;
		}
		*(chain->leaving ? chain->last_leaving : &chain->leaving) = made;
		chain->last_leaving = &made->next;
	}
	return false;
}

bool chain_left(struct chain *chain, struct rar_packet *packet)
{
	struct chain_made *made = chain->leaving;

	free(chain->left);
	chain->left = made;
	if (!made)
		return false;
	chain->leaving = made->next;
	*packet = (struct rar_packet){ made->version, made->bytes, made->length };
	return true;
}

/* What a datagram of a monitor says. */
struct words {
	unsigned int count;
	struct {
		uint64_t object;
		enum pf_class class;
	} of[MONITOR_OBJECTS];
};

static void on_object(void *context, bool on_screen, const char *target, size_t length)
{
	struct words *words = context;

	words->of[words->count].object = pf_object(target, length);
	words->of[words->count++].class = on_screen ? PF_FIRST : PF_LATER;
}

void chain_monitor(struct chain *chain, const uint8_t address[16], const uint8_t *bytes, size_t length)
{
	struct pf_memory *one = pf_connection(chain->pf.memories, address);
	struct words words = { 0 };
	uint64_t offset;

	if (!one || !monitor_read(bytes, length, on_object, &words)) { /* nobody's client, or malformed */
		chain->pf.counts.refused++;
		return;
	}
	chain->pf.counts.said++;
	for (unsigned int i = 0; i < words.count; i++)
		pf_said(&chain->pf, address, words.of[i].object, words.of[i].class);
	for (; one; one = pf_connection(one->next, address)) {
		const struct own *own = (const struct own *)((const uint8_t *)one - offsetof(struct own, pf));

		for (unsigned int i = 0; i < words.count; i++)
			while (pf_said_of(&chain->pf, one, words.of[i].object, words.of[i].class, &offset))
				if (!chain->settings.pf.alone)
					tell(chain, own->connection, offset, words.of[i].class);
	}
}

/* Take the next notice that is to be sent. False: none is. */
static bool next_notice(struct chain *chain, struct rar_packet *packet)
{
	if (!chain->notices)
		return false;
	*packet = (struct rar_packet){ .version = chain->notice[0].version,
				       .bytes = chain->notice_packet,
				       .length = notice_write(&chain->notice[0], chain->notice_packet) };
	chain->counts.notices++;
	chain->notices--;
	memmove(chain->notice, chain->notice + 1, chain->notices * sizeof(*chain->notice));
	return true;
}

static bool relay_due(struct chain *chain, uint64_t now_ns, struct rar_packet *packet)
{
	struct passing passing;
	struct track_seen seen;
	struct own *own;
	struct relay_packet made;

	while (relays_due(&chain->relays, now_ns, &made)) {
		passing = (struct passing){ .packet = made.bytes, .bytes = made.length };
		own = NULL;
		if (made.outward && read_passing(&passing))
			pass(chain, &passing, CHAIN_PASS, now_ns, &seen, &own);
		*packet = (struct rar_packet){ made.version, passing.packet, passing.bytes };
		if (!made.outward || !queues(chain) || leave_made(chain, own, &passing, now_ns) == CHAIN_PASS)
			return true;
	}
	return false;
}

/* The next copy of RAR. It waits as its segment did. */
static bool copy_due(struct chain *chain, uint64_t now_ns, struct rar_packet *packet)
{
	struct passing passing;

	while (rar_due(&chain->rar, now_ns, packet)) {
		passing = (struct passing){ .packet = packet->bytes, .bytes = packet->length };
		if (!queues(chain) || !read_passing(&passing) ||
		    leave_made(chain, known(chain, &passing.segment), &passing, now_ns) == CHAIN_PASS)
			return true;
	}
	return false;
}

bool chain_due(struct chain *chain, uint64_t now_ns, struct rar_packet *packet)
{
	if (chain->refusals_sent < chain->refusing) {
		const unsigned int next = chain->refusals_sent++;

		*packet = (struct rar_packet){ chain->refusals[next].version, chain->refusals[next].packet,
					       chain->refusals[next].length };
		return true;
	}
	chain->refusing = chain->refusals_sent = 0;
	return next_notice(chain, packet) || chain_left(chain, packet) || relay_due(chain, now_ns, packet) ||
	       copy_due(chain, now_ns, packet);
}

void chain_too_long(struct chain *chain, const struct rar_packet *packet)
{
	relays_too_long(&chain->relays, packet->bytes, packet->length);
}

uint64_t chain_next_ns(const struct chain *chain)
{
	uint64_t next = rar_next_ns(&chain->rar), pf_ns = pf_next_ns(&chain->pf);
	uint64_t relay_ns = relays_next_ns(&chain->relays);

	if (chain->refusing || chain->notices || chain->leaving)
		return 0;
	next = pf_ns < next ? pf_ns : next;
	return relay_ns < next ? relay_ns : next;
}

void chain_leave(struct chain *chain, uint64_t now_ns)
{
	chain->ending = true;
	pf_leave_all(&chain->pf);
	relays_leave(&chain->relays, now_ns);
}

bool chain_is_left(const struct chain *chain)
{
	return relays_are_left(&chain->relays);
}

void chain_end(struct chain *chain)
{
	for (size_t i = 0; i < TRACK_SETS * (size_t)TRACK_WAYS; i++) {
		struct track_connection *one = &chain->track.connections[i / TRACK_WAYS][i % TRACK_WAYS];

		if (one->used)
			track_forget(&chain->track, one);
	}
	ae_end(&chain->ae);
	relays_end(&chain->relays);
	for (unsigned int i = 0; i <= PF_HELD; i++)
		free(chain->made[i]);
	while (chain->leaving) {
		struct chain_made *made = chain->leaving;

		chain->leaving = made->next;
		free(made);
	}
	free(chain->left);
}
