/* SPDX-License-Identifier: MIT */
/* TP's streams: messages are cut out of them, numbered anew, and sent to where they belong. */
#include "tp_parts.h"

#include <string.h>

enum {
	SMB1_NEGOTIATE = 0x72,
	SMB1_TREE_CONNECT = 0x75,
	SMB1_LOCKING = 0x24,
	SMB1_MOST = TP_PREFIX + SMB1_HEADER + 1 + 3, /* in the answer to negotiate */

	SMB2_NEGOTIATE = 0x00,
	SMB2_TREE_CONNECT = 0x03,
	SMB2_CANCEL = 0x0c,
	SMB2_OPLOCK_BREAK = 0x12,
	SMB2_SHARE_TYPE = TP_PREFIX + SMB2_HEADER + 2,
	SMB2_CAPABILITIES = TP_PREFIX + SMB2_HEADER + 24,
	SMB2_MESSAGE = 24,
	SMB2_FLAGS = 16,

	DISK = 1,
	MULTI_CHANNEL = 0x8,
	FLAG_ASYNC = 0x2,
};

static const uint64_t unsolicited = UINT64_MAX;

static const char *const whys[TP_WHYS] = {
	[TP_NOT_LEFT] = "not left", [TP_OBSERVED] = "observed", [TP_ORDER] = "order", [TP_FRAME] = "frame",
	[TP_CREDITS] = "credits",   [TP_STORE] = "store",	[TP_EARLY] = "early", [TP_LIMIT] = "limit",
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

bool tp_wants(const struct tp *tp)
{
	return tp->wants && tp->state == TP_WATCHES;
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
	tp->credits = tp->client_credits = 1;
	tp->most = 1;
	tp->wants = settings->serialise;
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

bool tp_fits(struct tp *tp, const struct observe_smb_message *smb)
{
	if (!tp->changed || (tp->requests + tp->asked < TP_IN_FLIGHT && (smb->version == 1 || cost(smb) <= tp->credits)))
		return true;
	if (!tp->outstanding)
		tp_leave(tp, TP_CREDITS, OBSERVE_NOT_ALONE); /* nothing will come that brings more */
	return false;
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
		tp->credits = tp->client_credits = 0;
		return &tp->nobody;
	}
	if (kind == TP_CANCEL)
		return &tp->nobody;
	tp->next += (uint64_t)cost(smb);
	tp->credits -= cost(smb);
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
	*request = (struct tp_request){ smb->message, id, smb->command, TP_NOBODY, kind, false, false };
	tp->outstanding++;
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

/* Whether a request has to wait for answers. */
static bool waits(struct tp *tp, const struct observe_smb_message *smb, enum tp_kind kind)
{
	bool agrees = smb->version == 1 ? smb->command == SMB1_LOCKING : smb->command == SMB2_OPLOCK_BREAK;

	if (tp->state != TP_ACTS || kind == TP_CANCEL || tp->passing[OBSERVE_TO_SERVER])
		return false;
	if (smb->version == 1 && tp_block_of(tp, smb->message))
		return true;
	/* reads before it are answered first */
	if (tp->reads && (kind == TP_CHANGES || kind == TP_CLOSE || !tp->message[OBSERVE_TO_SERVER].alone))
		return true;
	if (agrees)
		tp->breaking = false;
	return tp->settings.serialise && tp->outstanding && !agrees && !tp->breaking;
}

static bool in_order(const struct tp *tp, const struct observe_smb_message *smb, enum tp_kind kind)
{
	return tp->changed || smb->version == 1 || kind == TP_CANCEL || smb->message == tp->next;
}

static void pass_request(struct tp *tp, struct tp_message *own, enum tp_kind kind)
{
	const struct observe_smb_message *smb = &own->event.smb;
	uint16_t handle = TP_NOBODY;
	struct tp_request *request;
	bool asked = false;

	if (kind == TP_CHANGES)
		tp_forget_all(tp);
	if (kind == TP_READ)
		tp_read_passes(tp, own);
	if (kind == TP_OPEN && own->alone)
		handle = tp_opens(tp, own, &asked);
	if (kind == TP_CLOSE)
		handle = tp_closes(tp, smb);
	request = tp_asks(tp, smb, kind, header_of(own));
	if (!request)
		return;
	tp->client_credits -= cost(smb);
	request->handle = handle;
	request->asked = asked;
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
	if (!in_order(tp, smb, kind)) {
		tp_leave(tp, TP_ORDER, OBSERVE_NOT_ALONE);
		return true;
	}
	if (kind == TP_READ && tp_holds(tp, own)) {
		tp->client_credits -= cost(smb);
		drop(tp, OBSERVE_TO_SERVER);
		return true;
	}
	if (waits(tp, smb, kind) || !tp_fits(tp, smb))
		return false;
	if (kind == TP_CANCEL && tp->changed && !renumber_cancel(tp, own) && own->alone)
		drop(tp, OBSERVE_TO_SERVER);
	else
		pass_request(tp, own, kind);
	return true;
}

/* What a server says of itself and of shares. */
static void learn(struct tp *tp, const struct tp_message *own)
{
	const struct observe_smb_message *smb = &own->event.smb;

	if (smb->status || !own->first)
		return;
	if (smb->version == 1 && smb->command == SMB1_NEGOTIATE && own->kept >= SMB1_MOST + 2)
		tp->most = smb_get16(own->head + SMB1_MOST);
	if (smb->version == 1 && smb->command == SMB1_TREE_CONNECT)
		tp->wants |= tp->settings.predict;
	if (smb->version == 2 && smb->command == SMB2_NEGOTIATE && own->kept >= SMB2_CAPABILITIES + 4)
		tp->channels = smb_get32(own->head + SMB2_CAPABILITIES) & MULTI_CHANNEL;
	if (smb->version == 2 && smb->command == SMB2_TREE_CONNECT)
		tp->wants |= tp->settings.predict && own->head[SMB2_SHARE_TYPE] == DISK;
}

/* An answer to a request from here. */
static void take_own(struct tp *tp, struct tp_message *own, struct tp_block *block)
{
	drop(tp, OBSERVE_TO_CLIENT);
	if (!own->alone) {
		tp_leave(tp, TP_FRAME, OBSERVE_NOT_ALONE);
		return;
	}
	if (own->event.smb.interim)
		return;
	tp->outstanding--;
	tp->asked--;
	if (!block)
		return;
	tp->route[OBSERVE_TO_CLIENT] = TP_KEEP;
	tp->coming = block;
	tp_block_begins(tp, block, own);
}

/* Whether it answers an agreement to a break. The last answer is forgotten. */
static bool is_agreement(struct tp *tp, const struct observe_smb_message *smb)
{
	for (size_t i = 0; i < tp->agreements_sent; i++) {
		if (tp->agreements[i] != smb->message)
			continue;
		if (!smb->interim)
			tp->agreements[i] = tp->agreements[--tp->agreements_sent];
		return true;
	}
	return false;
}

/* An answer to the client's request, which the caller has found. */
static void take_answer(struct tp *tp, struct tp_message *own, struct tp_request *request)
{
	const struct observe_smb_message *smb = &own->event.smb;

	if (smb->version == 2)
		tp_put64(header_of(own) + SMB2_MESSAGE, request->client);
	if (!request->later)
		tp->outstanding--;
	request->later = smb->interim;
	if (smb->interim)
		return;
	if (request->handle != TP_NOBODY && request->kind == TP_OPEN)
		tp_opened(tp, own, request);
	if (request->handle != TP_NOBODY && request->kind == TP_CLOSE)
		tp->handle[request->handle].used = false;
	*request = tp->request[--tp->requests];
}

static void decide_answer(struct tp *tp)
{
	struct tp_message *own = &tp->message[OBSERVE_TO_CLIENT];
	const struct observe_smb_message *smb = &own->event.smb;
	struct tp_block *block = smb->version ? tp_block_of(tp, smb->message) : NULL;
	struct tp_request *request = NULL;

	tp->credits += smb->credits;
	if (smb->version && (smb->version == 1 ? !smb->answer : smb->message == unsolicited)) {
		if (!tp_broken(tp, own))
			pass(tp, OBSERVE_TO_CLIENT);
		else if (own->alone)
			drop(tp, OBSERVE_TO_CLIENT);
		else
			tp_leave(tp, TP_FRAME, OBSERVE_NOT_ALONE);
		return;
	}
	if (block || (smb->version == 2 && is_agreement(tp, smb))) {
		take_own(tp, own, block);
		return;
	}
	tp->client_credits += smb->credits;
	if (smb->version) {
		learn(tp, own);
		request = request_of(tp, smb->message, false);
	}
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
		more = tp_serves(tp);
		if (follows(tp) && own->said && !own->decided && decide(tp, OBSERVE_TO_SERVER))
			decided = more = true;
	}
	if (follows(tp))
		tp_predicts(tp);
	return decided;
}

size_t tp_bytes(struct tp *tp, enum observe_way way, const uint8_t *bytes, size_t length)
{
	struct tp_message *own = &tp->message[way];
	size_t taken = 0;

	while (taken < length && follows(tp)) {
		if (!own->said) {
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
	if (way == OBSERVE_TO_CLIENT ? tp_owes(tp) : own->said && !own->decided)
		return false;
	if (tp->state == TP_ACTS && held(own)) { /* a message that will never be whole */
		tp->calls.send(tp->context, way, own->head, own->kept);
		own->kept = 0;
	}
	return true;
}

bool tp_take(struct tp *tp)
{
	if (tp->state != TP_WATCHES || held(&tp->message[0]) || held(&tp->message[1]))
		return false;
	tp->state = TP_ACTS;
	tp->between = true;
	return true;
}
