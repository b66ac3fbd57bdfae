/* SPDX-License-Identifier: MIT */
/* TP's streams: messages are cut out of them, numbered anew, and sent to where they belong. */
#include "tp_parts.h"

#include <string.h>

enum {
	SMB1_NEGOTIATE = 0x72,
	SMB1_TREE_CONNECT = 0x75,
	SMB1_LOCKING = 0x24,
	SMB1_SESSION_SETUP = 0x73,
	SMB1_MOST = TP_PREFIX + SMB1_HEADER + 1 + 3, /* in the answer to negotiate */

	SMB2_NEGOTIATE = 0x00,
	SMB2_SESSION_SETUP = 0x01,
	SMB2_TREE_CONNECT = 0x03,
	SMB2_CANCEL = 0x0c,
	SMB2_OPLOCK_BREAK = 0x12,
	SMB2_SHARE_TYPE = TP_PREFIX + SMB2_HEADER + 2,
	SMB2_CAPABILITIES = TP_PREFIX + SMB2_HEADER + 24,
	SMB2_CREDITS = 14, /* of the header */
	SMB2_MESSAGE = 24,
	SMB2_FLAGS = 16,

	DISK = 1,
	MULTI_CHANNEL = 0x8,
	FLAG_ASYNC = 0x2,
	FLAG_SIGNED = 0x8,
	LARGE = 128 << 10, /* bytes of a frame */
};

static const uint64_t unsolicited = UINT64_MAX;

static const char *const whys[TP_WHYS] = {
	[TP_NOT_LEFT] = "not left", [TP_OBSERVED] = "observed", [TP_ORDER] = "order", [TP_LOG_IN] = "log-in",
	[TP_FRAME] = "frame",	    [TP_STORE] = "store",	[TP_LIMIT] = "limit",
};

const char *tp_why_name(enum tp_why why)
{
	return whys[why];
}

enum tp_state tp_state(const struct tp *tp)
{
	return tp->state;
}

const struct tp_counts *tp_counts(const struct tp *tp)
{
	return &tp->counts;
}

bool tp_is_ready(const struct tp *tp)
{
	return tp->ready && tp->state == TP_WATCHES;
}

static bool follows(const struct tp *tp)
{
	return tp->state == TP_WATCHES || tp->state == TP_ACTS;
}

/* The observer of what comes from a host. */
static struct observe *source(struct tp *tp, enum observe_way way)
{
	return way == OBSERVE_TO_SERVER ? tp->near : tp->far;
}

/* What has not been sent, though it was taken. */
static bool held(const struct tp_message *own)
{
	return own->kept && !own->decided;
}

void tp_leave(struct tp *tp, enum tp_why why, enum observe_alone alone)
{
	if (!follows(tp))
		return;
	tp->counts.why = why;
	tp->counts.alone = alone;
	tp->state = tp->changed ? TP_BROKEN : TP_LEFT;
	for (enum observe_way way = 0; way < OBSERVE_WAYS; way++)
		if (tp->between && !tp->changed && held(&tp->message[way]))
			tp->calls.send(tp->context, way, tp->message[way].head, tp->message[way].kept);
}

static void on_event(void *context, const struct observe_event *event, bool near)
{
	struct tp *tp = context;
	struct tp_message *own = &tp->message[event->way];

	if (event->kind == OBSERVE_ALONE) {
		tp_leave(tp, TP_OBSERVED, event->alone);
		return;
	}
	if (event->kind != OBSERVE_BEGIN || near != (event->way == OBSERVE_TO_SERVER))
		return;
	own->event = *event;
	own->said = true;
}

static void on_near(void *context, const struct observe_event *event)
{
	on_event(context, event, true);
}

static void on_far(void *context, const struct observe_event *event)
{
	on_event(context, event, false);
}

static size_t observer_size(void)
{
	size_t unit = sizeof(max_align_t);

	return (observe_size(OBSERVE_SMB) + unit - 1) / unit * unit;
}

size_t tp_size(void)
{
	return sizeof(struct tp) + 2 * observer_size();
}

void tp_begin(struct tp *tp, const struct tp_settings *settings, const struct tp_calls *calls, void *context)
{
	memset(tp, 0, sizeof(*tp));
	tp->settings = *settings;
	tp->calls = *calls;
	tp->context = context;
	tp->client_credits = 1;
	tp->most = 1;
	tp->near = (struct observe *)tp->observers;
	tp->far = (struct observe *)((uint8_t *)tp->observers + observer_size());
	observe_begin(tp->near, OBSERVE_SMB, on_near, tp);
	observe_begin(tp->far, OBSERVE_SMB, on_far, tp);
}

void tp_out(struct tp *tp, enum observe_way way, const uint8_t *bytes, size_t length)
{
	if (tp->state == TP_ACTS)
		tp->calls.send(tp->context, way, bytes, length);
	if (follows(tp))
		observe_bytes(way == OBSERVE_TO_SERVER ? tp->far : tp->near, way, bytes, length);
}

static int64_t cost(const struct observe_smb_message *smb)
{
	if (smb->version == 1 || smb->command == SMB2_CANCEL)
		return 0;
	return smb->credit_charge ? smb->credit_charge : 1;
}

/* Whether an answer will come before long. */
static bool expects(const struct tp *tp)
{
	for (size_t i = 0; i < tp->requests; i++)
		if (!tp->request[i].later)
			return true;
	return tp_asked(tp);
}

bool tp_is_busy(const struct tp *tp)
{
	return tp->settings.serialise && expects(tp);
}

/*
 * What the client gets of credits that the server grants. Those that a request from here has cost come back with its answer;
 * if they do not, a client that has enough gets less, and if more come, it gets them.
 */
static uint16_t grant(struct tp *tp, uint16_t granted)
{
	int64_t given = granted + tp->more_credits + (int64_t)tp_asked(tp);

	if (given < granted && tp->client_credits + given < TP_SPARE)
		given = granted;
	if (given < 0)
		given = 0;
	if (given > UINT16_MAX)
		given = UINT16_MAX;
	tp->client_credits += given;
	tp->more_credits += granted - given;
	return (uint16_t)given;
}

static struct tp_request *request_of(struct tp *tp, uint64_t id, bool client)
{
	for (size_t i = 0; i < tp->requests; i++)
		if ((client ? tp->request[i].client : tp->request[i].server) == id)
			return &tp->request[i];
	return NULL;
}

/* Whether an answer follows. */
static bool is_answered(const struct observe_smb_message *smb, enum tp_kind kind)
{
	if (kind == TP_CANCEL || (smb->version == 1 && smb->command == SMB1_LOCKING && kind == TP_HARMLESS))
		return false;
	return smb->version == 2 || (smb->command != 0x26 && smb->command != 0x33 && smb->command != 0xa1);
}

struct tp_request *tp_asks(struct tp *tp, const struct observe_smb_message *smb, enum tp_kind kind, uint8_t *header)
{
	uint64_t id = smb->version == 1 ? smb->message : tp->next;
	struct tp_request *request;

	if (smb->version == 1 && smb->command == SMB1_NEGOTIATE) { /* its answer may be in SMB2, and grant one */
		tp->next = 1;
		tp->client_credits = 0;
		return &tp->nobody;
	}
	if (kind == TP_CANCEL)
		return &tp->nobody;
	tp->next += (uint64_t)cost(smb);
	if (smb->version == 2)
		tp_put64(header + SMB2_MESSAGE, id);
	if (!is_answered(smb, kind))
		return &tp->nobody;
	request = request_of(tp, smb->message, true);
	if (request && smb->version == 1)
		return request; /* goes on, or the last one had no answer of the kind that is counted */
	if (tp->requests == TP_REQUESTS) {
		tp_leave(tp, TP_LIMIT, OBSERVE_NOT_ALONE);
		return NULL;
	}
	request = &tp->request[tp->requests++];
	*request = (struct tp_request){ smb->message, id, tp_now_ns(tp), kind, false, false };
	return request;
}

static void pass(struct tp *tp, enum observe_way way)
{
	struct tp_message *own = &tp->message[way];

	if (!follows(tp))
		return;
	own->decided = true;
	tp->route[way] = TP_PASS;
	tp->passing[way] = true;
	tp_out(tp, way, own->head, own->kept);
}

static void drop(struct tp *tp, enum observe_way way)
{
	tp->message[way].decided = true;
	tp->route[way] = TP_DROP;
}

static uint8_t *header_of(struct tp_message *own)
{
	return own->head + (own->first ? TP_PREFIX : 0);
}

/* A request to cancel another one has the number of that. False: that is not at the server. */
static bool renumber_cancel(struct tp *tp, struct tp_message *own)
{
	struct tp_request *request = request_of(tp, own->event.smb.message, true);
	uint8_t *header = header_of(own);

	if (own->event.smb.version == 1)
		return request;
	if (request)
		tp_put64(header + SMB2_MESSAGE, request->server);
	return request || smb_get32(header + SMB2_FLAGS) & FLAG_ASYNC; /* that has a number of its own */
}

/* Whether the client may spend what was spent here as well. An answer brings more, so one must be to come. */
static bool lacks_credits(const struct tp *tp, const struct tp_message *own)
{
	const uint64_t others = (tp->frame_end[OBSERVE_TO_SERVER] - own->event.end) / SMB2_HEADER; /* in the frame, at most */

	return tp->more_credits < 0 && tp_credits(tp) < cost(&own->event.smb) + (int64_t)others && expects(tp);
}

/* Whether a request has to wait for answers. */
static bool waits(struct tp *tp, const struct tp_message *own, enum tp_kind kind)
{
	const struct observe_smb_message *smb = &own->event.smb;
	const size_t asked = tp_asked(tp);

	if (tp->state != TP_ACTS || kind == TP_CANCEL || tp->passing[OBSERVE_TO_SERVER])
		return false;
	if (smb->version == 2)
		return (smb->command != SMB2_OPLOCK_BREAK && tp_is_busy(tp)) || lacks_credits(tp, own);
	if (!is_answered(smb, kind))
		return false;
	return tp_block_of(tp, smb->message) || (asked && tp->requests + asked >= tp->most);
}

static bool in_order(const struct tp *tp, const struct observe_smb_message *smb, enum tp_kind kind)
{
	return tp->changed || smb->version == 1 || kind == TP_CANCEL || smb->message == tp->next;
}

static void pass_request(struct tp *tp, struct tp_message *own, enum tp_kind kind)
{
	const struct observe_smb_message *smb = &own->event.smb;
	struct tp_request *request;
	bool file = false;

	if (kind == TP_READ)
		tp_read_passes(tp, own);
	if (kind == TP_OPEN)
		file = tp_opens(tp, own);
	if (kind == TP_ENDS)
		file = tp_closes(tp, smb);
	request = tp_asks(tp, smb, kind, header_of(own));
	if (!request)
		return;
	tp->client_credits -= cost(smb);
	request->file = file;
	pass(tp, OBSERVE_TO_SERVER);
}

/* Decide where a request goes. False: not yet. */
static bool decide_request(struct tp *tp)
{
	struct tp_message *own = &tp->message[OBSERVE_TO_SERVER];
	const struct observe_smb_message *smb = &own->event.smb;
	enum tp_kind kind;

	if (!smb->version) {
		pass(tp, OBSERVE_TO_SERVER);
		return true;
	}
	kind = tp_protocol(smb)->kind(own);
	if (!in_order(tp, smb, kind) || (kind == TP_LOGS_IN && tp->logged_in)) {
		tp_leave(tp, in_order(tp, smb, kind) ? TP_LOG_IN : TP_ORDER, OBSERVE_NOT_ALONE);
		return true;
	}
	tp->large |= tp->frame_end[OBSERVE_TO_SERVER] - own->event.start > LARGE;
	if (kind != TP_CANCEL && !smb->related)
		tp->file.named = tp_is_about(tp, smb);
	if (kind == TP_READ && tp_holds(tp, own)) {
		tp->client_credits -= cost(smb);
		drop(tp, OBSERVE_TO_SERVER);
		return true;
	}
	if (tp_spoils(tp, own, kind)) {
		tp_give_up(tp);
		if (tp->reads && !tp->passing[OBSERVE_TO_SERVER]) /* these go to the server first */
			return false;
	}
	if (waits(tp, own, kind))
		return false;
	if (kind == TP_CANCEL && tp->changed && !renumber_cancel(tp, own) && own->alone)
		drop(tp, OBSERVE_TO_SERVER);
	else
		pass_request(tp, own, kind);
	return true;
}

/* What a server says of itself, of the session and of shares. */
static void learn_smb1(struct tp *tp, const struct tp_message *own)
{
	switch (own->event.smb.command) {
	case SMB1_NEGOTIATE:
		if (own->kept >= SMB1_MOST + 2)
			tp->most = smb_get16(own->head + SMB1_MOST);
		break;
	case SMB1_SESSION_SETUP:
		tp->logged_in = true;
		break;
	case SMB1_TREE_CONNECT:
		tp->settings.serialise = false; /* too many of its requests have no answer, or several */
		tp->ready |= tp->settings.predict;
		break;
	default:
		break;
	}
}

static void learn_smb2(struct tp *tp, const struct tp_message *own)
{
	bool ready = tp->settings.serialise || (tp->settings.predict && !tp->channels);

	switch (own->event.smb.command) {
	case SMB2_NEGOTIATE:
		tp->channels = own->kept < SMB2_CAPABILITIES + 4 || smb_get32(own->head + SMB2_CAPABILITIES) & MULTI_CHANNEL;
		break;
	case SMB2_SESSION_SETUP:
		tp->logged_in = true;
		/*
		 * If this is not signed, the session has no key: a guest's, or nobody's. Another connection joins a session
		 * by a message that is signed with its key (MS-SMB2 3.3.5.5).
		 */
		tp->channels = tp->channels && smb_get32(own->head + TP_PREFIX + SMB2_FLAGS) & FLAG_SIGNED;
		break;
	case SMB2_TREE_CONNECT:
		tp->ready |= ready && own->head[SMB2_SHARE_TYPE] == DISK;
		break;
	default:
		break;
	}
}

static void is_answer_of(struct tp *tp, uint64_t asked_ns)
{
	if (tp->fresh_ns < asked_ns)
		tp->fresh_ns = asked_ns;
}

/* An answer to a request from here. block: NULL, if it agreed to a break. */
static void take_own(struct tp *tp, struct tp_message *own, struct tp_block *block)
{
	tp->more_credits += own->event.smb.credits;
	drop(tp, OBSERVE_TO_CLIENT);
	if (!own->alone) {
		tp_leave(tp, TP_FRAME, OBSERVE_NOT_ALONE);
		return;
	}
	if (own->event.smb.interim)
		return;
	if (!block) {
		tp->agreeing = false;
		return;
	}
	is_answer_of(tp, block->asked_ns);
	tp->route[OBSERVE_TO_CLIENT] = TP_KEEP;
	tp->coming = block;
	tp_block_begins(tp, block, own);
}

/* An answer to the client's request, which the caller has found. */
static void take_answer(struct tp *tp, struct tp_message *own, struct tp_request *request)
{
	const struct observe_smb_message *smb = &own->event.smb;

	is_answer_of(tp, request->asked_ns);
	if (smb->version == 2)
		tp_put64(header_of(own) + SMB2_MESSAGE, request->client);
	request->later = smb->interim;
	if (smb->interim)
		return;
	if (smb->has_file || (request->file && request->kind == TP_OPEN))
		tp_opened(tp, smb, header_of(own), request->file);
	if (request->file && request->kind == TP_ENDS)
		tp_closed(tp, smb);
	*request = tp->request[--tp->requests];
}

static void take_break(struct tp *tp, struct tp_message *own)
{
	const struct observe_smb_message *smb = &own->event.smb;

	if (!tp_broken(tp, smb)) {
		tp->settings.serialise = false; /* the server waits for the client to agree, behind other requests */
		tp->client_credits += smb->credits;
		pass(tp, OBSERVE_TO_CLIENT);
		return;
	}
	tp->more_credits += smb->credits;
	drop(tp, OBSERVE_TO_CLIENT);
	if (!own->alone)
		tp_leave(tp, TP_FRAME, OBSERVE_NOT_ALONE);
}

static void decide_answer(struct tp *tp)
{
	struct tp_message *own = &tp->message[OBSERVE_TO_CLIENT];
	const struct observe_smb_message *smb = &own->event.smb;
	struct tp_block *block = smb->version ? tp_block_of(tp, smb->message) : NULL;
	struct tp_request *request;

	if (!smb->version) {
		pass(tp, OBSERVE_TO_CLIENT);
		return;
	}
	if (smb->version == 1 ? !smb->answer : smb->message == unsolicited) {
		take_break(tp, own);
		return;
	}
	if (block || (tp->agreeing && smb->message == tp->agreement)) {
		take_own(tp, own, block);
		return;
	}
	if (smb->version == 2)
		tp_put16(header_of(own) + SMB2_CREDITS, grant(tp, smb->credits));
	if (!smb->status && own->first)
		(smb->version == 1 ? learn_smb1 : learn_smb2)(tp, own);
	request = request_of(tp, smb->message, false);
	if (request)
		take_answer(tp, own, request);
	pass(tp, OBSERVE_TO_CLIENT);
}

static void end_message(struct tp *tp, enum observe_way way)
{
	struct tp_message *own = &tp->message[way];

	if (tp->route[way] == TP_PASS)
		tp->passing[way] = tp->at[way] != tp->frame_end[way];
	if (tp->route[way] == TP_KEEP)
		tp_block_ends(tp, tp->coming);
	own->kept = 0;
	own->said = own->decided = false;
}

/* False: not yet. */
static bool decide(struct tp *tp, enum observe_way way)
{
	struct tp_message *own = &tp->message[way];

	own->alone = own->first && own->event.end == tp->frame_end[way];
	if (way == OBSERVE_TO_CLIENT)
		decide_answer(tp);
	else if (!decide_request(tp))
		return false;
	if (follows(tp) && tp->at[way] == own->event.end)
		end_message(tp, way);
	return true;
}

/* Take a byte of what has to be read to know what a message is. */
static void take_head(struct tp *tp, enum observe_way way, const uint8_t *byte)
{
	struct tp_message *own = &tp->message[way];

	if (!own->kept)
		own->first = tp->at[way] == tp->frame_end[way];
	own->head[own->kept++] = *byte;
	tp->at[way]++;
	if (own->first && own->kept == TP_PREFIX)
		tp->frame_end[way] = tp->at[way] + (uint32_t)(own->head[1] << 16 | own->head[2] << 8 | own->head[3]);
	observe_bytes(source(tp, way), way, byte, 1);
	if (!own->said && own->kept == sizeof(own->head))
		tp_leave(tp, TP_OBSERVED, OBSERVE_LIMIT);
}

static size_t take_rest(struct tp *tp, enum observe_way way, const uint8_t *bytes, size_t length)
{
	struct tp_message *own = &tp->message[way];
	uint64_t left = own->event.end - tp->at[way];

	if (length > left)
		length = (size_t)left;
	observe_bytes(source(tp, way), way, bytes, length);
	tp->at[way] += length;
	if (tp->route[way] == TP_PASS)
		tp_out(tp, way, bytes, length);
	if (tp->route[way] == TP_KEEP)
		tp_block_bytes(tp, tp->coming, bytes, length);
	if (follows(tp) && tp->at[way] == own->event.end)
		end_message(tp, way);
	return length;
}

/* Do what can be done without more bytes. Returns whether a request of the client was decided. */
static bool go_on(struct tp *tp)
{
	struct tp_message *own = &tp->message[OBSERVE_TO_SERVER];
	bool decided = false, more = true;

	while (more && follows(tp)) {
		more = tp_agrees(tp);
		more |= tp_serves(tp);
		if (follows(tp) && own->said && !own->decided && decide(tp, OBSERVE_TO_SERVER))
			decided = more = true;
	}
	if (follows(tp))
		tp_predicts(tp);
	return decided;
}

/* Whether the client has to wait, so that all requests can be remembered. One that was not changed would be left. */
static bool is_full(const struct tp *tp)
{
	const size_t own = tp->reads + tp_asked(tp);

	return (own || tp->changed) && tp->requests + own >= TP_IN_FLIGHT;
}

static void count(struct tp *tp, size_t bytes)
{
	const uint64_t now_ns = tp_now_ns(tp);

	if (now_ns - tp->since_ns >= TP_RECENT_NS) {
		tp->came[1] = now_ns - tp->since_ns < 2 * TP_RECENT_NS ? tp->came[0] : 0;
		tp->came[0] = 0;
		tp->since_ns = now_ns;
	}
	tp->came[0] += bytes;
}

size_t tp_bytes(struct tp *tp, enum observe_way way, const uint8_t *bytes, size_t length)
{
	struct tp_message *own = &tp->message[way];
	size_t taken = 0;

	if (way == OBSERVE_TO_CLIENT)
		count(tp, length); /* all of it is taken */
	while (taken < length && follows(tp)) {
		if (!own->said && !own->kept && way == OBSERVE_TO_SERVER && is_full(tp)) {
			break;
		} else if (!own->said) {
			take_head(tp, way, bytes + taken++);
			if (own->said && follows(tp))
				decide(tp, way);
		} else if (own->decided) {
			taken += take_rest(tp, way, bytes + taken, length - taken);
		} else if (!go_on(tp)) {
			break;
		}
		if (!own->kept && follows(tp)) /* between messages */
			go_on(tp);
	}
	if (follows(tp))
		go_on(tp);
	if (tp->state == TP_LEFT && tp->between && taken < length)
		tp->calls.send(tp->context, way, bytes + taken, length - taken);
	return follows(tp) ? taken : length;
}

void tp_continue(struct tp *tp)
{
	if (follows(tp))
		go_on(tp);
}

bool tp_ended(struct tp *tp, enum observe_way way)
{
	struct tp_message *own = &tp->message[way];

	if (tp->state != TP_ACTS)
		return true;
	go_on(tp);
	if (way == OBSERVE_TO_CLIENT ? tp_owes(tp) : tp->reads || (own->said && !own->decided))
		return false;
	if (tp->state == TP_ACTS && held(own)) { /* a message that will never be whole */
		tp->calls.send(tp->context, way, own->head, own->kept);
		own->kept = 0;
	}
	tp->finished[way] = true;
	return true;
}

/* Read what a message is that no observer has seen, as far as it matters before an open. False: it is not alone, or signed. */
static bool peek(struct tp_message *own)
{
	const uint8_t *header = header_of(own);

	own->event.smb.version = header[0] == 0xff ? 1 : 2;
	if (own->event.smb.version == 1) {
		own->event.smb.command = header[4];
		return true;
	}
	own->event.smb.command = smb_get16(header + 12);
	return header[0] == 0xfe && own->kept >= TP_PREFIX + SMB2_HEADER && !smb_get32(header + 20) &&
	       !(smb_get32(header + SMB2_FLAGS) & FLAG_SIGNED);
}

bool tp_wants(const struct tp *tp, const uint8_t *bytes, size_t length)
{
	struct tp_message next = { .first = true, .alone = true };
	size_t frame;

	if (!tp_is_ready(tp) || held(&tp->message[OBSERVE_TO_SERVER]) || tp->at[OBSERVE_TO_SERVER] != tp->frame_end[OBSERVE_TO_SERVER])
		return false;
	if (tp->settings.serialise)
		return true;
	if (length < TP_PREFIX + SMB1_HEADER)
		return false;
	frame = (size_t)(bytes[1] << 16 | bytes[2] << 8 | bytes[3]);
	if (bytes[0] || TP_PREFIX + frame != length)
		return false;
	next.kept = length < sizeof(next.head) ? length : sizeof(next.head);
	memcpy(next.head, bytes, next.kept);
	return peek(&next) && tp_protocol(&next.event.smb)->kind(&next) == TP_OPEN && tp_may_open(tp, &next);
}

bool tp_take(struct tp *tp)
{
	if (tp->state != TP_WATCHES || held(&tp->message[0]) || held(&tp->message[1]))
		return false;
	tp->state = TP_ACTS;
	tp->between = true;
	return true;
}
