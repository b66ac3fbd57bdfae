/* SPDX-License-Identifier: MIT */
/*
 * SMB over TCP: frames with four bytes in front (RFC 1002, 4.3.1; MS-SMB2 2.1), each with one message of SMB1 or several
 * of SMB2. The four bytes belong to the first message.
 */
#include "smb.h"

#include <string.h>

enum {
	FRAME_SESSION_MESSAGE = 0x00,
	FRAME_SESSION_REQUEST = 0x81, /* and others up to KEEP_ALIVE: no SMB inside */
	FRAME_KEEP_ALIVE = 0x85,
	MAGIC = 4,
};

static enum observe_alone magic_of(const uint8_t *head, uint8_t *version)
{
	if (memcmp(head + 1, "SMB", MAGIC - 1) != 0)
		return OBSERVE_MALFORMED;
	switch (head[0]) {
	case 0xff:
		*version = 1;
		return OBSERVE_NOT_ALONE;
	case 0xfe:
		*version = 2;
		return OBSERVE_NOT_ALONE;
	case 0xfd:
		return OBSERVE_ENCRYPTED;
	case 0xfc: /* compressed */
		return OBSERVE_UNKNOWN;
	default:
		return OBSERVE_MALFORMED;
	}
}

/* Forget the oldest request whose answer has come. */
static bool forget_answered(struct smb *smb)
{
	struct smb_request *oldest = NULL;

	for (size_t i = 0; i < smb->outstanding; i++)
		if (smb->request[i].answered && (!oldest || smb->request[i].exchange < oldest->exchange))
			oldest = &smb->request[i];
	if (oldest)
		smb_forget(smb, oldest);
	return oldest;
}

enum observe_alone smb_asked(struct smb *smb, struct smb_request request)
{
	struct smb_request *same = smb_find(smb, request.version, request.id);

	if (same && !same->answered)
		return OBSERVE_MALFORMED;
	if (same)
		smb_forget(smb, same);
	if (smb->outstanding == SMB_OUTSTANDING && !forget_answered(smb))
		return OBSERVE_LIMIT;
	smb->request[smb->outstanding++] = request;
	return OBSERVE_NOT_ALONE;
}

struct smb_request *smb_find(struct smb *smb, uint8_t version, uint64_t id)
{
	for (size_t i = 0; i < smb->outstanding; i++)
		if (smb->request[i].id == id && smb->request[i].version == version)
			return &smb->request[i];
	return NULL;
}

void smb_forget(struct smb *smb, struct smb_request *request)
{
	*request = smb->request[--smb->outstanding];
}

void smb_size(const struct smb_message *message, size_t at, enum smb_size place, struct observe_event *event)
{
	static const size_t places[] = {
		[SMB_SIZE_STANDARD] = 8, [SMB_SIZE_ALL] = 48, [SMB_SIZE_NETWORK] = 40,
		[SMB_SIZE_OLD] = 6,	 [SMB_SIZE_OLD_FID] = 12,
	};
	bool old = place == SMB_SIZE_OLD || place == SMB_SIZE_OLD_FID;

	if (place == SMB_SIZE_NONE || !smb_has(message, at, places[place] + (old ? 4 : 8)))
		return;
	at += places[place];
	event->smb.has_size = true;
	event->smb.size = old ? smb_get32(message->head + at) : smb_get64(message->head + at);
}

/* Keep bytes up to a number of them. Returns how many. */
static size_t keep(struct smb_message *message, size_t wanted, const uint8_t *bytes, size_t length)
{
	size_t more = wanted > message->kept ? wanted - message->kept : 0;

	if (more > length)
		more = length;
	memcpy(message->head + message->kept, bytes, more);
	message->kept += more;
	return more;
}

static void begin_message(struct smb_way *own)
{
	own->message.kept = 0;
	own->message.length = own->frame_left;
	own->said = false;
}

static void say_end(struct smb *smb, enum observe_way way, uint64_t at)
{
	struct smb_way *own = &smb->way[way];

	observe_say(&smb->base, way, OBSERVE_END, at, &own->event);
	own->frame_left -= own->message.length;
	own->follows = own->frame_left;
	if (own->follows)
		begin_message(own);
	else
		own->prefix_kept = 0;
}

/* Say what a message is. at: the bytes of this direction up to now. */
static void say_begin(struct smb *smb, enum observe_way way, uint64_t at)
{
	struct smb_way *own = &smb->way[way];

	own->said = true;
	own->message_left = own->message.length - (uint32_t)own->message.kept;
	observe_say(&smb->base, way, OBSERVE_BEGIN, at + own->message_left, &own->event);
	if (!own->message_left)
		say_end(smb, way, at);
}

static void begin_frame(struct smb *smb, enum observe_way way, uint64_t at)
{
	struct smb_way *own = &smb->way[way];
	uint8_t type = own->prefix[0];

	own->frame_left = (uint32_t)(own->prefix[1] << 16 | own->prefix[2] << 8 | own->prefix[3]);
	begin_message(own);
	if (type == FRAME_SESSION_MESSAGE && own->frame_left)
		return;
	if (type != FRAME_SESSION_MESSAGE && (type < FRAME_SESSION_REQUEST || type > FRAME_KEEP_ALIVE)) {
		observe_leave(&smb->base, way, OBSERVE_MALFORMED);
		return;
	}
	own->event = (struct observe_event){ .label = OBSERVE_OTHER };
	say_begin(smb, way, at);
}

/* Find how long the message is and how much of it is needed, as far as is known. 0: it cannot be a message. */
static size_t needed(struct smb_way *own, uint8_t version)
{
	struct smb_message *message = &own->message;
	size_t header = version == 1 ? SMB1_HEADER + 3 : SMB2_HEADER;
	size_t most;

	if (message->length < header)
		return 0;
	if (message->kept < header)
		return header;
	if (version == 2) {
		uint32_t next = smb_get32(message->head + 20);

		if (next && (next < header || next > own->frame_left || next % 8))
			return 0;
		message->length = next ? next : own->frame_left;
	}
	most = version == 1 ? SMB_HEAD : smb2_needed(message);
	return most < message->length ? most : message->length;
}

static size_t take_head(struct smb *smb, enum observe_way way, const uint8_t *bytes, size_t length)
{
	struct smb_way *own = &smb->way[way];
	enum observe_alone alone;
	uint8_t version;
	size_t taken = 0, wanted;

	if (own->message.kept < MAGIC) {
		taken = keep(&own->message, own->message.length < MAGIC ? own->message.length : MAGIC, bytes, length);
		if (own->message.kept < MAGIC && own->message.kept < own->message.length)
			return taken;
	}
	alone = own->message.kept < MAGIC ? OBSERVE_MALFORMED : magic_of(own->message.head, &version);
	if (!alone && version == 1 && own->follows)
		alone = OBSERVE_MALFORMED;
	if (alone) {
		observe_leave(&smb->base, way, alone);
		return taken;
	}
	do {
		wanted = needed(own, version);
		if (!wanted) {
			observe_leave(&smb->base, way, OBSERVE_MALFORMED);
			return taken;
		}
		taken += keep(&own->message, wanted, bytes + taken, length - taken);
		if (own->message.kept < wanted)
			return taken;
	} while (needed(own, version) != wanted);
	own->event = (struct observe_event){ .smb.version = version };
	alone = (version == 1 ? smb1_read : smb2_read)(smb, way, &own->message, &own->event);
	if (alone)
		observe_leave(&smb->base, way, alone);
	else
		say_begin(smb, way, smb->base.at[way] + taken);
	return taken;
}

static size_t take_rest(struct smb *smb, enum observe_way way, size_t length)
{
	struct smb_way *own = &smb->way[way];

	if (length > own->message_left)
		length = own->message_left;
	own->message_left -= (uint32_t)length;
	if (!own->message_left)
		say_end(smb, way, smb->base.at[way] + length);
	return length;
}

static size_t smb_take(struct observe *observe, enum observe_way way, const uint8_t *bytes, size_t length)
{
	struct smb *smb = (struct smb *)observe;
	struct smb_way *own = &smb->way[way];
	size_t more = sizeof(own->prefix) - own->prefix_kept;

	if (own->prefix_kept == sizeof(own->prefix))
		return own->said ? take_rest(smb, way, length) : take_head(smb, way, bytes, length);
	if (more > length)
		more = length;
	memcpy(own->prefix + own->prefix_kept, bytes, more);
	own->prefix_kept += more;
	if (own->prefix_kept == sizeof(own->prefix))
		begin_frame(smb, way, observe->at[way] + more);
	return more;
}

const struct observer observe_smb = { .size = sizeof(struct smb), .take = smb_take };
